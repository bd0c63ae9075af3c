"""Reading runs: `load("runs/x")` gives the trials' records, and pandas tables of episodes, steps, calls and claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoplay.evaluation.history import History, read_history, valid_events
from evoplay.evaluation.recorded import calls_with_messages
from evoplay.evaluation.recorder import Event
from evoplay.evaluation.references import write_references
from evoplay.evaluation.runlog import Cell, CellLog, RunFolder, RunLogError
from evoplay.memory.records import EpisodeRecord

if TYPE_CHECKING:
    import pandas as pd

CELL_COLUMNS = ("env", "seed", "contender", "trial")


class LoadedRun:
    """A run, read from its folder; or several, merged (see `merge`).

    Attributes
    ----------
    path, info : the folder (of merged runs the first one's), and the content of run.json. cells : its trials.
    """

    def __init__(self, path: str | Path) -> None:
        folder = RunFolder(path)
        self.path = folder.path
        self.info = folder.read()
        self.cells = [Cell(cell["env"], cell["seed"], cell["contender"], cell["trial"]) for cell in self.info["cells"]]
        self._homes = {cell: (folder, cell) for cell in self.cells}
        self._histories: dict[Cell, History] = {}
        self._calls: dict[Cell, list[dict[str, Any]]] = {}
        self._incidents: dict[Cell, list[Event]] = {}

    def log_of(self, cell: Cell) -> CellLog:
        """The event file of a trial."""
        folder, original = self._homes[cell]
        return folder.log_of(original)

    @property
    def contenders(self) -> list[str]:
        """The rows of the table, in the order they were named."""
        return [row["label"] for row in self.info["contenders"]]

    @property
    def simulated(self) -> bool:
        return bool(self.info["backbone"]["simulated"])

    def events(self, cell: Cell) -> Iterator[tuple[Event, bool]]:
        """A trial's events with whether each still holds (False: voided by a restart of its episode)."""
        return valid_events(self.log_of(cell).events())

    def history(self, cell: Cell) -> History:
        """Where a trial stands; of one that this run does not have, nothing."""
        if cell not in self._homes:
            return History()
        if cell not in self._histories:
            self._digest(cell)
        return self._histories[cell]

    def episodes_of(self, cell: Cell) -> list[EpisodeRecord]:
        """The finished episodes of a trial."""
        return self.history(cell).past.episodes

    def episodes_planned(self, env_id: str) -> int:
        return int(self.info["envs"][env_id]["episodes"])

    @cached_property
    def references(self) -> dict[str, Any]:
        """Reference scores by env, seed and episode; worked out once and kept in the run's folder."""
        merged: dict[str, Any] = {}
        for folder in {id(folder): folder for folder, _ in self._homes.values()}.values():
            for env_id, by_seed in write_references(folder).items():
                for seed, by_episode in by_seed.items():
                    merged.setdefault(env_id, {}).setdefault(seed, {}).update(by_episode)
        return merged

    def reference(self, cell: Cell, episode: int) -> float | None:
        """The reference of an episode; None where there is none for this seed, 0 for an unscored episode."""
        value: float | None = self.references[cell.env_id][str(cell.seed)][str(episode)].get("value")
        return value

    def find_cell(self, name: str) -> Cell:
        """A trial by its id or by (part of) its path. Raises KeyError naming those that match."""
        exact = [cell for cell in self.cells if name in (cell.id, cell.path)]
        near = exact or [cell for cell in self.cells if name in cell.path or cell.id.startswith(name)]
        if len(near) == 1:
            return near[0]
        some = ", ".join(cell.path for cell in (near or self.cells)[:6])
        raise KeyError(f"'{name}' names {len(near)} trials of {self.path}: use one of {some}, ...")

    def prompts_of(self, cell: Cell) -> dict[int, str]:
        """The text of every prompt of a trial, by the number of its call."""
        calls = calls_with_messages(self.log_of(cell).events())
        return {event["n"]: "\n".join(message.content for message in messages) for event, messages in calls}

    # --- tables -----------------------------------------------------------------------------------------------

    @cached_property
    def episodes(self) -> pd.DataFrame:
        """One row an episode: env, seed, contender, trial, episode, score, reference, z, steps, capped, error, ..."""
        import pandas as pd

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
        columns = [*CELL_COLUMNS, "episode", "score", "reference", "z", "steps", "capped", "left", "error", "seconds"]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """One row a step: id, action, accepted, scores, outcome, reply, seconds of the call and of the environment."""
        import pandas as pd

        rows = [
            _key(cell)
            | {name: getattr(step, name) for name in STEP_COLUMNS}
            | {"call_seconds": step.seconds[0], "env_seconds": step.seconds[1]}
            for cell in self.cells
            for record in self.episodes_of(cell)
            for step in record.steps
        ]
        return pd.DataFrame(rows, columns=[*CELL_COLUMNS, *STEP_COLUMNS, "call_seconds", "env_seconds"])

    @cached_property
    def calls(self) -> pd.DataFrame:
        """One row a call of the backbone, voided ones included (`holds` is False): purpose, tokens, USD, seconds."""
        import pandas as pd

        rows = [_key(cell) | row for cell in self.cells for row in self.calls_of(cell)]
        return pd.DataFrame(rows, columns=[*CELL_COLUMNS, *CALL_COLUMNS])

    @cached_property
    def claims(self) -> pd.DataFrame:
        """One row a claim event of the evidence store, in order."""
        import pandas as pd

        rows = [_key(cell) | event for cell in self.cells for event in self.history(cell).claims]
        return pd.DataFrame(rows, columns=None if rows else [*CELL_COLUMNS, "type"])

    def calls_of(self, cell: Cell) -> Iterator[dict[str, Any]]:
        """The calls of a trial as plain rows."""
        if cell not in self._calls:
            self._digest(cell)
        yield from self._calls[cell]

    def incidents_of(self, cell: Cell) -> list[Event]:
        """What of a trial's log is neither play nor a call: errors, drops, rules held, planted claims."""
        if cell not in self._incidents:
            self._digest(cell)
        return self._incidents[cell]

    def _digest(self, cell: Cell) -> None:
        """Read a trial's log, once for all that is asked of it: logs are large."""
        events = list(self.log_of(cell).events())
        self._histories[cell] = read_history(events)
        self._calls[cell] = list(_call_rows(events))
        self._incidents[cell] = [event for event, holds in valid_events(events) if holds and event["type"] in INCIDENTS]

    def errors_of(self, cell: Cell) -> list[Event]:
        """What was lost to failed calls in a trial."""
        return [event for event in self.incidents_of(cell) if event["type"] == "error"]

    def drops_of(self, cell: Cell) -> list[Event]:
        """What was left out of prompts in a trial."""
        return [event for event in self.incidents_of(cell) if event["type"] == "drop"]


INCIDENTS = ("error", "drop", "planted", "rules")
STEP_COLUMNS = (
    "id", "episode", "step", "action", "accepted", "score_before", "score_after", "visible_after", "done",
    "observation", "outcome", "reply", "call",
)  # fmt: skip
CALL_COLUMNS = (
    "n", "purpose", "episode", "step", "input", "cached", "cache_write", "output", "reasoning", "usd", "seconds",
    "model", "attempts", "failed", "flags", "holds",
)  # fmt: skip


def load(path: str | Path) -> LoadedRun:
    """Read a run. Raises RunLogError for a folder that is no run or of another schema."""
    return LoadedRun(path)


def merge(*runs: LoadedRun) -> LoadedRun:
    """Several runs as one: contenders side by side, trials of the same contender added up.

    Contenders of different backbones are told apart by the backbone's name. Raises RunLogError for runs of different
    rules versions, or of different settings of what is played (episodes, mode, budget, hidden actions).
    """
    first = runs[0]
    for other in runs[1:]:
        _check_mergeable(first, other)
    whole = object.__new__(LoadedRun)
    whole.path, whole._homes = first.path, {}
    whole._histories, whole._calls, whole._incidents = {}, {}, {}
    backbones = list(dict.fromkeys(run.info["backbone"]["name"] for run in runs))
    labels: dict[str, dict[str, Any]] = {}
    for run in runs:
        backbone = run.info["backbone"]["name"]
        named = {row["label"]: row for row in run.info["contenders"]}
        taken = {(cell.env_id, cell.seed, cell.contender): cell.trial for cell in whole._homes}
        for cell in run.cells:
            policy = cell.contender.startswith("policy/")
            label = cell.contender if len(backbones) == 1 or policy else f"{cell.contender} · {backbone}"
            labels.setdefault(label, {**named.get(cell.contender, {}), "label": label})
            trial = cell.trial + taken.get((cell.env_id, cell.seed, label), 0)
            whole._homes[Cell(cell.env_id, cell.seed, label, trial)] = run._homes[cell]
    whole.cells = list(whole._homes)
    whole.info = {
        **first.info,
        "envs": {env_id: facts for run in runs for env_id, facts in run.info["envs"].items()},
        "contenders": list(labels.values()),
        "backbone": {
            **first.info["backbone"],
            "name": ", ".join(backbones),
            "simulated": any(run.simulated for run in runs),
        },
    }
    return whole


def _check_mergeable(one: LoadedRun, other: LoadedRun) -> None:
    for env_id in one.info["envs"].keys() & other.info["envs"].keys():
        here, there = one.info["envs"][env_id], other.info["envs"][env_id]
        for name in ("rules_version", "episodes"):
            if here[name] != there[name]:
                said = f"{name} of {env_id} is {here[name]} and {there[name]}"
                raise RunLogError(f"{one.path} and {other.path} cannot be merged: {said}")
    for name in ("episode_mode", "env_options", "budget_tokens", "freeze_after", "hide_actions", "max_steps"):
        here, there = one.info["config"][name], other.info["config"][name]
        if here != there:
            raise RunLogError(f"{one.path} and {other.path} cannot be merged: {name} is {here!r} and {there!r}")


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
