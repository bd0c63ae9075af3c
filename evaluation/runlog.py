"""The run log: one folder a run, one append-only file a trial, one event a line. The log is the product.

`run.json` holds the configuration and everything a later reader needs to know about how the run was made;
`cells/<env>/<method>/<trial>.jsonl` what happened. A half-written last line, the trace of a killed process, is cut.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from evoplay.evaluation.logschema import BadLine, LineCheck, fault
from evoplay.evaluation.recorder import Event
from evoplay.evaluation.runschema import run_fault
from evoplay.evaluation.shapes import shown

SCHEMA = 1
AGAIN = "restore the file, or move it away and give the run's command again, which plays this trial anew"
"""What to do about a trial's file that cannot be used."""
REMAKE = "restore it, or delete it and give the run's command again, which writes it anew and keeps the trials"
"""What to do about a run.json that cannot be used."""


class RunLogError(ValueError):
    """A run folder that cannot be used as asked; the message says why and what to do."""


class NotInRun(KeyError):
    """What was asked for is not in a run; the message says what is."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial of one contender on one environment.

    contender : the method with its options, or `policy/...`, as it stands in tables.
    """

    env_id: str
    seed: int
    contender: str
    trial: int

    @property
    def path(self) -> str:
        """Where its events are, below `cells/`, without the ending."""
        return f"{_slug(self.env_id)}.s{self.seed}/{_slug(self.contender)}/t{self.trial}"

    @property
    def id(self) -> str:
        """An opaque id, the same in every run: methods see it in step ids and learn nothing from it."""
        key = json.dumps([self.env_id, self.seed, self.contender, self.trial])
        return blake2b(key.encode(), digest_size=5).hexdigest()

    def __str__(self) -> str:
        return self.path


def _slug(name: str) -> str:
    """A name as a part of a path: readable, and different for different names."""
    plain = re.sub(r"[^A-Za-z0-9._=,+-]+", ".", name.replace("/", ".").replace(":", "-")).strip(".")
    if len(plain) <= 80 and not re.search(r"[^A-Za-z0-9._=,+/:-]", name):
        return plain
    return f"{plain[:60]}-{blake2b(name.encode(), digest_size=4).hexdigest()}"


class CellLog:
    """The event file of one trial: append events, read them back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def open(self) -> None:
        """Open for appending; a half-written last line is cut off first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        whole = _whole_lines(self._file)
        if whole < os.fstat(self._file).st_size:
            os.ftruncate(self._file, whole)
        if whole == 0:
            self.write([{"type": "opened", "schema": SCHEMA}])

    def write(self, events: Sequence[Event]) -> None:
        """Append events, each its own line, handed to the operating system before this returns.

        Raises RunLogError, with nothing written, for an event that could not be read back.
        """
        assert self._file is not None, "open() comes first"
        data = memoryview(b"".join(self._checked_line(event) for event in events))
        while data:
            data = data[os.write(self._file, data) :]

    def _checked_line(self, event: Event) -> bytes:
        line = _line(event)
        # What is no plain data yet (numpy's numbers) is judged by what it becomes.
        wrong = fault(event) and fault(json.loads(line))
        if wrong is not None:
            raise RunLogError(
                f"{self.path}: what happened cannot be logged ({wrong}): correct the environment or method it came from"
            )
        return line

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def events(self) -> Iterator[Event]:
        """All whole events, oldest first. Raises RunLogError for a line in the middle that is no event."""
        yield from read_events(self.path)


def _line(event: Mapping[str, Any]) -> bytes:
    return (
        json.dumps(event, ensure_ascii=False, separators=(",", ":"), default=plain).encode("utf-8", "replace") + b"\n"
    )


def plain(value: Any) -> Any:
    """JSON of what numpy, sets and the like hand over."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be written to the run log")


def _whole_lines(file: int) -> int:
    """Length of the file up to and with its last line end."""
    end = os.fstat(file).st_size
    while end > 0:
        start = max(end - 65536, 0)
        at = os.pread(file, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def read_events(path: Path) -> Iterator[Event]:
    """The events of a trial's file; a last line without its end is left out, a missing file has none.

    Raises RunLogError for a file that cannot be read and, naming its number, for a line that is no event.
    """
    check = LineCheck()
    try:
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return
                event = check.read(line)
                if event["type"] == "opened" and event["schema"] != SCHEMA:
                    raise RunLogError(f"{path} has schema {event['schema']}, this version reads schema {SCHEMA}")
                yield event
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunLogError(f"{path} cannot be read ({error.strerror}): {AGAIN}") from None
    except BadLine as error:
        raise RunLogError(f"{path}, line {check.number}, is not an event ({error}): {AGAIN}") from None


class RunFolder:
    """A run's folder: its configuration, its lock, its trials' files."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock: int | None = None

    @property
    def config_path(self) -> Path:
        return self.path / "run.json"

    def exists(self) -> bool:
        return self.config_path.is_file()

    def log_of(self, cell: Cell) -> CellLog:
        return CellLog(self.path / "cells" / f"{cell.path}.jsonl")

    def read(self) -> dict[str, Any]:
        """The content of run.json.

        Raises RunLogError if it is not there, unreadable, of another schema, or does not hold what a run's has to.
        """
        try:
            data = json.loads(self.config_path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            kind = "a file, not a run" if self.path.is_file() else "not a run: it has no run.json"
            raise RunLogError(f"{self.path} is {kind}; give a folder that `evoplay run` wrote") from None
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else f"no JSON: {error}"
            raise RunLogError(f"{self.config_path} cannot be read ({why}): {REMAKE}") from None
        found = data.get("schema") if isinstance(data, dict) else SCHEMA
        if found is not None and found != SCHEMA:
            raise RunLogError(
                f"{self.path} was written with schema {shown(found)}, this version reads schema {SCHEMA}: "
                "use the version that wrote it, or another --out"
            )
        if (wrong := run_fault(data)) is not None:
            raise RunLogError(f"{self.config_path} is not a run's ({wrong}): {REMAKE}")
        run: dict[str, Any] = data
        return run

    def create(self, data: Mapping[str, Any]) -> None:
        """Write run.json, whole or not at all."""
        part = self.path / "run.json.part"
        part.write_text(json.dumps({"schema": SCHEMA, **data}, indent=1, default=plain) + "\n", encoding="utf-8")
        os.replace(part, self.config_path)

    def lock(self) -> None:
        """Make sure that no other process runs here. Raises RunLogError if one does, or if nothing can be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunLogError(f"{self.path} cannot be written ({error.strerror}): choose another --out") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise RunLogError(f"another process is running {self.path}: wait for it, or choose another --out") from None

    def unlock(self) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):
                os.close(self._lock)
            self._lock = None
