"""What all parts of a report draw on: the run, its figures, and how its contenders and games are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evoplay.evaluation.behaviour import behaviour
from evoplay.evaluation.discovery import discovery
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.recorder import Event
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.summary import Summary, as_dict, summarise


def is_policy(name: str) -> bool:
    """Whether a contender is a floor or a ceiling, with no model to pay for."""
    return name.startswith("policy/")


@dataclass
class Material:
    """A run, read once for all parts of its report.

    Parameters
    ----------
    run : the run, or several merged. baseline : what contenders are compared with (default naive).
    transfer : a transfer comparison (see evaluation/transfer.py), where there is one.
    """

    run: LoadedRun
    baseline: str | None = None
    transfer: dict[str, Any] | None = None

    @cached_property
    def summary(self) -> Summary:
        return summarise(self.run)

    @cached_property
    def report(self) -> dict[str, Any]:
        """What was scored and what it cost, as data."""
        return as_dict(self.summary, self.baseline)

    @property
    def everything(self) -> dict[str, Any]:
        """The figures that `evoplay report --json` prints: behaviour and rule discovery beside those of `report`."""
        grid = discovery(self.run)
        methods = {
            name: row
            | {"behaviour": behaviour(self.run, name).as_dict()}
            | {"rules": {env_id: rows[name] for env_id, rows in grid.items() if name in rows}}
            for name, row in self.report["methods"].items()
        }
        return self.report | {"methods": methods}

    @property
    def base(self) -> str:
        return str(self.report["baseline"])

    @property
    def contenders(self) -> list[str]:
        return self.run.contenders

    @property
    def backbone(self) -> str:
        """The backbone's name; a simulated one is called so."""
        name = str(self.run.info["backbone"]["name"])
        return f"{name} (simulated backbone)" if self.run.simulated else name

    @cached_property
    def games(self) -> list[tuple[str, int]]:
        """The games with their seeds, in the order of the run."""
        return list(dict.fromkeys((cell.env_id, cell.seed) for cell in self.run.cells))

    def game(self, env_id: str, seed: int) -> str:
        """A game's name in tables; the seed is named where a game was played on several."""
        suite, _, name = env_id.partition("/")
        short = name if suite == "learn2play" else env_id
        several = sum(one == env_id for one, _ in self.games) > 1
        return f"{short} · seed {seed}" if several else short

    def played(self, cell: Cell) -> str:
        """A trial's game in tables."""
        return self.game(cell.env_id, cell.seed)

    def incidents(self, cell: Cell) -> list[Event]:
        """What of a trial's log is neither play nor a call: errors, drops, planted claims."""
        return self.run.incidents_of(cell)
