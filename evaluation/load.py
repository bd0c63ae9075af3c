"""Reading runs: `load("runs/x")` gives the trials' records, and pandas tables of episodes, steps, calls and claims."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoplay.evaluation.exploration_facts import SUITE, check_facts
from evoplay.evaluation.history import History, read_history, valid_events
from evoplay.evaluation.recorded import calls_with_messages
from evoplay.evaluation.recorder import Event
from evoplay.evaluation.references import write_references
from evoplay.evaluation.rules_versions import changed_since
from evoplay.evaluation.runlog import Cell, CellLog, NotInRun, RunFolder
from evoplay.evaluation.warned import RunWarning
from evoplay.memory.records import EpisodeRecord

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Digest:
    """A trial's log, read once for all that is asked of it: logs are large."""

    history: History
    calls: list[dict[str, Any]]
    incidents: list[Event]


class LoadedRun:
    """A run, read from its folder; or several, merged (see `merge`).

    Attributes
    ----------
    path, info : the folder (of merged runs the first one's), and the content of run.json. cells : its trials.
    """

    def __init__(self, path: str | Path) -> None:
        self._folder = RunFolder(path)
        self.path = self._folder.path
        self.info = self._folder.read()
        self.cells = [Cell(cell["env"], cell["seed"], cell["contender"], cell["trial"]) for cell in self.info["cells"]]
        self._digests: dict[Cell, Digest] = {}
        self.told: set[str] = set()
        """Warnings that were given about it; each is given once."""

    @property
    def parts(self) -> list[LoadedRun]:
        """The runs it was merged from; a run of one folder is its own only part."""
        return [self]

    def log_of(self, cell: Cell) -> CellLog:
        """The event file of a trial."""
        return self._folder.log_of(cell)

    @property
    def contenders(self) -> list[str]:
        """The rows of the table, in the order they were named."""
        return [row["label"] for row in self.info["contenders"]]

    def cells_of(self, contender: str) -> list[Cell]:
        """The trials of a contender."""
        return [cell for cell in self.cells if cell.contender == contender]

    @property
    def simulated(self) -> bool:
        return bool(self.info["backbone"]["simulated"])

    @cached_property
    def changed_rules(self) -> dict[str, tuple[int | None, int | None]]:
        """Environments whose rules are other ones now: `{env id: (version played, version installed)}`."""
        return changed_since(self.info["envs"])

    def warn(self, words: str, outwards: int) -> None:
        """Give a warning about the run once; it points `outwards` calls out from who calls this."""
        if words not in self.told:
            self.told.add(words)
            warnings.warn(f"{self.path}: {words}", RunWarning, stacklevel=2 + outwards)

    def events(self, cell: Cell) -> Iterator[tuple[Event, bool]]:
        """A trial's events with whether each still holds (False: voided by a restart of its episode)."""
        return valid_events(self.log_of(cell).events())

    def digest(self, cell: Cell) -> Digest:
        """What a trial's log holds; of a trial that this run does not have, nothing."""
        if cell not in self._digests:
            if cell not in self._known:
                return Digest(History(), [], [])
            log = self.log_of(cell)
            events = list(log.events())
            told = [event for event, holds in valid_events(events) if holds and event["type"] in INCIDENTS]
            history = read_history(events, log.path)
            if self.info["envs"][cell.env_id]["suite"] == SUITE:
                check_facts(history.past.episodes, log.path)
            self._digests[cell] = Digest(history, list(_call_rows(events)), told)
        return self._digests[cell]

    @cached_property
    def _known(self) -> frozenset[Cell]:
        return frozenset(self.cells)

    def history(self, cell: Cell) -> History:
        """Where a trial stands; of one that this run does not have, nothing."""
        return self.digest(cell).history

    def episodes_of(self, cell: Cell) -> list[EpisodeRecord]:
        """The finished episodes of a trial."""
        return self.history(cell).past.episodes

    def episodes_planned(self, env_id: str) -> int:
        return int(self.info["envs"][env_id]["episodes"])

    @cached_property
    def references(self) -> dict[str, Any]:
        """Reference scores by env, seed and episode; worked out once and kept in the run's folder."""
        return write_references(self._folder)

    def reference(self, cell: Cell, episode: int) -> float | None:
        """The reference of an episode; None where there is none for this seed, 0 for an unscored episode."""
        value: float | None = self.references[cell.env_id][str(cell.seed)].get(str(episode), {}).get("value")
        return value

    def find_cell(self, name: str) -> Cell:
        """A trial by its id or by (part of) its path. Raises NotInRun (a KeyError) naming those that match."""
        exact = [cell for cell in self.cells if name in (cell.id, cell.path)]
        # `memory/t1` is trial 1, not trials 10 to 19 as well.
        ending = [cell for cell in self.cells if cell.path.endswith(name)]
        near = exact or ending or [cell for cell in self.cells if name in cell.path or cell.id.startswith(name)]
        if len(near) == 1:
            return near[0]
        those = near or self.cells
        some = ", ".join(cell.path for cell in those[:6]) + (", ..." if len(those) > 6 else "")
        raise NotInRun(f"'{name}' names {len(near)} trials of {self.path}: use one of {some}")

    def prompts_of(self, cell: Cell) -> dict[int, str]:
        """The text of every prompt of a trial, by the number of its call."""
        calls = calls_with_messages(self.log_of(cell).events())
        return {event["n"]: "\n".join(message.content for message in messages) for event, messages in calls}

    def calls_of(self, cell: Cell) -> list[dict[str, Any]]:
        """The calls of a trial as plain rows."""
        return self.digest(cell).calls

    def incidents_of(self, cell: Cell) -> list[Event]:
        """What of a trial's log is neither play nor a call: errors, drops, rules held, planted claims."""
        return self.digest(cell).incidents

    def drops_of(self, cell: Cell) -> list[Event]:
        """What was left out of prompts in a trial."""
        return [event for event in self.incidents_of(cell) if event["type"] == "drop"]

    # --- tables: an undefined number is nan, an undefined text is missing ----------------------------------------

    @cached_property
    def episodes(self) -> pd.DataFrame:
        """One row an episode: env, seed, contender, trial, episode, score, reference, z, steps, capped, error, ..."""
        rows = []
        for cell in self.cells:
            for record in self.episodes_of(cell):
                reference = self.reference(cell, record.episode)
                z = 100 * record.score / reference if record.score is not None and reference else None
                rows.append(
                    _key(cell)
                    | {"episode": record.episode, "score": record.score, "reference": reference, "z": z}
                    | {"steps": len(record.steps), "capped": record.capped, "left": record.left}
                    | {"error": record.error, "seconds": record.seconds}
                )
        return _frame(rows, EPISODE_COLUMNS)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """One row a step: id, action, accepted, scores, outcome, reply, seconds of the call and of the environment."""
        rows = [
            _key(cell)
            | {name: getattr(step, name) for name in STEP_COLUMNS}
            | {"call_seconds": step.seconds[0], "env_seconds": step.seconds[1]}
            for cell in self.cells
            for record in self.episodes_of(cell)
            for step in record.steps
        ]
        return _frame(rows, (*STEP_COLUMNS, "call_seconds", "env_seconds"))

    @cached_property
    def calls(self) -> pd.DataFrame:
        """One row a call of the backbone, voided ones included (`holds` is False): purpose, tokens, USD, seconds."""
        return _frame([_key(cell) | row for cell in self.cells for row in self.calls_of(cell)], CALL_COLUMNS)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row a claim event of the evidence store, in order; a column an event lacks is missing in its row."""
        rows = [_key(cell) | event for cell in self.cells for event in self.history(cell).claims]
        further = dict.fromkeys(name for row in rows for name in row if name not in (*CELL_COLUMNS, "type"))
        return _frame(rows, tuple(dict.fromkeys((*CLAIM_COLUMNS, *further))))


INCIDENTS = ("error", "drop", "planted", "rules")
CELL_COLUMNS = ("env", "seed", "contender", "trial")
EPISODE_COLUMNS = ("episode", "score", "reference", "z", "steps", "capped", "left", "error", "seconds")
STEP_COLUMNS = (
    "id", "episode", "step", "action", "accepted", "score_before", "score_after", "visible_after", "done",
    "observation", "outcome", "reply", "call",
)  # fmt: skip
CALL_COLUMNS = (
    "n", "purpose", "episode", "step", "input", "cached", "cache_write", "output", "reasoning", "usd", "seconds",
    "model", "attempts", "failed", "flags", "holds",
)  # fmt: skip
CLAIM_COLUMNS = (
    "op", "claim", "episode", "kind", "text", "scope", "status", "condition", "action", "effect", "supports",
    "contradicts", "steps", "why", "key", "data",
)  # fmt: skip
NUMBERS = (
    "score", "reference", "z", "seconds", "score_before", "score_after", "visible_after", "call_seconds",
    "env_seconds", "usd",
)  # fmt: skip
"""Columns of real numbers, which may be undefined."""
TEXTS = ("error", "failed", "kind", "text", "scope", "status", "condition", "action", "effect", "why", "key")
"""Columns of texts, which may be missing."""


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    """A table with the trial's columns before its own, of the same types whatever is undefined in it."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=[*CELL_COLUMNS, *columns])
    kinds = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(TEXTS, "str")
    return frame.astype({name: kind for name, kind in kinds.items() if name in columns})


def load(path: str | Path) -> LoadedRun:
    """Read a run.

    Warns (RunWarning) of a run of rules that are other ones in the installed program. Raises TypeError for what is no
    path, RunLogError (a ValueError) for a folder that is no run or of another schema.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"load({path!r}): give the folder of a run, as text or path")
    run = LoadedRun(path)
    if run.changed_rules:
        those = ", ".join(f"{env} (version {then}, installed {now})" for env, (then, now) in run.changed_rules.items())
        run.warn(f"played under other rules of {those}; its memory quality and rule discovery are left unchecked", 1)
    return run


def run_of(value: object, where: str) -> LoadedRun:
    """What a function was given as a run. Raises TypeError that names the function, the value and the fix."""
    if isinstance(value, LoadedRun):
        return value
    given = repr(value) if isinstance(value, str | os.PathLike | None) else f"a {type(value).__name__}"
    fix = f"load({str(value)!r})" if isinstance(value, str | os.PathLike) else "load('runs/NAME')"
    raise TypeError(f"{where} takes a run, not {given}: give evoplay.{fix}")


def _key(cell: Cell) -> dict[str, Any]:
    return {"env": cell.env_id, "seed": cell.seed, "contender": cell.contender, "trial": cell.trial}


def _call_rows(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    for event, holds in valid_events(events):
        if event["type"] == "call":
            usage = event.get("usage", {})
            yield {
                "n": event["n"],
                "purpose": event["purpose"],
                "episode": event["episode"],
                "step": event["step"],
                "input": usage.get("input", 0),
                "cached": usage.get("cached", 0),
                "cache_write": usage.get("cache_write", 0),
                "output": usage.get("output", 0),
                "reasoning": usage.get("reasoning", 0),
                "usd": event.get("usd"),
                "seconds": event.get("seconds", 0.0),
                "model": event.get("model", ""),
                "attempts": event.get("attempts", 1),
                "failed": event.get("failed"),
                "flags": tuple(usage.get("flags", ())),
                "holds": holds,
            }
