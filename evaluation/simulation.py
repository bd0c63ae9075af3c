"""A run played in advance on the simulated backbone: whole where that is little work, else a part of it.

A first trial of every environment and method begins with a few episodes. As far as the limit goes, first trials are
then played to their end, methods sharing the room, and after them further trials of everything. What is left out goes
the way of what was played (see `growth`). The limit is one of work, not of time, so that the same command finds the
same figures everywhere.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from evoplay.evaluation.config import ConfigError, RunConfig
from evoplay.evaluation.growth import continued
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.taken import Taken, taken

SIMULATED = "sim/learner"
PILOT = 2
"""Episodes that are played of the first trials, whatever they take."""
LIMIT = 120_000.0
"""Work after which no more is played: less than a minute on two cores."""
READ = 15_000
"""Tokens of input that take about as long as all else of a call: either is a unit of work, about a millisecond."""
ALONE = 150
"""Episodes up to which other processes would not save their start."""
PROCESSES = 4
GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, fall evenly between 0 and 1 however many they are."""


@dataclass(slots=True)
class Simulation:
    """What was played of a run. Trials of policies, which call no model, are not in it.

    Attributes
    ----------
    rows : the trials of each method and environment, in the order they are played. planned : episodes of each trial,
    those of policies too. played : what each episode of the trials that were begun took.
    """

    config: RunConfig
    rows: dict[tuple[str, str], list[Cell]]
    planned: dict[Cell, int]
    played: dict[Cell, list[Taken]] = field(default_factory=dict)

    def whole(self, contender: str) -> dict[Cell, list[Taken]]:
        """The trials of a method that were begun, each continued to its end."""
        begun = {cell: episodes for cell, episodes in self.played.items() if cell.contender == contender}
        return continued(begun, self.planned, self.config.budget_tokens, self.config.freeze_after)

    def ahead(self, room: float) -> dict[Cell, int]:
        """What to play next within so much work: trials, each with the episode to play it up to."""
        whole = {contender: self.whole(contender) for contender in dict.fromkeys(name for name, _ in self.rows)}
        if all(len(episodes) >= self.planned[cell] for cell, episodes in self.played.items()):
            return self._further(whole, room)
        found: dict[Cell, int] = {}
        costs = {contender: self._left(trials) for contender, trials in whole.items()}
        for at, contender in enumerate(sorted(costs, key=lambda name: costs[name])):
            # Methods share the room; what the cheap ones leave is for the others.
            more = self._to_the_end(whole[contender], room / (len(costs) - at))
            room -= sum(self._left({cell: whole[contender][cell]}, until) for cell, until in more.items())
            found |= more
        return found

    def _to_the_end(self, trials: Mapping[Cell, list[Taken]], room: float) -> dict[Cell, int]:
        """Which trials of a method to play to their end; where there is room for none of a length, one in part."""
        found: dict[Cell, int] = {}
        ended = {self.planned[cell] for cell in trials if len(self.played[cell]) >= self.planned[cell]}
        for cell in _spread([cell for cell in trials if len(self.played[cell]) < self.planned[cell]], self.planned):
            one = {cell: trials[cell]}
            if self._left(one) > room and self.planned[cell] in ended:
                break
            until = max((last for last in range(self.planned[cell] + 1) if self._left(one, last) <= room), default=0)
            if until > len(self.played[cell]):
                found[cell] = until
            ended.add(self.planned[cell])
            room -= self._left(one, until)
        return found

    def _left(self, trials: Mapping[Cell, list[Taken]], until: int | None = None) -> float:
        """The work that is left of some trials, up to an episode."""
        return sum(work(episodes[len(self.played[cell]) : until]) for cell, episodes in trials.items())

    def _further(self, whole: Mapping[str, dict[Cell, list[Taken]]], room: float) -> dict[Cell, int]:
        """As many further trials of everything as there is room for."""
        begun = max((sum(cell in self.played for cell in cells) for cells in self.rows.values()), default=0)
        a_trial = sum(work(episodes) for trials in whole.values() for episodes in trials.values()) / max(begun, 1)
        return {
            cell: self.planned[cell]
            for cells in self.rows.values()
            for at, cell in enumerate(cells[begun:], start=1)
            if at * a_trial <= room
        }


def _spread(cells: Sequence[Cell], planned: Mapping[Cell, int]) -> list[Cell]:
    """Trials in an order of which every beginning is spread over the environments, and over the lengths of trials."""
    alike: dict[int, list[Cell]] = {}
    for cell in cells:
        alike.setdefault(planned[cell], []).append(cell)
    order: list[tuple[float, Cell]] = []
    for some in alike.values():
        by_turns = sorted(range(len(some)), key=lambda at: at * GOLDEN % 1)
        order += [(place / len(some), some[at]) for place, at in enumerate(by_turns)]
    return [cell for _, cell in sorted(order, key=lambda one: one[0])]


def work(episodes: Iterable[Taken]) -> float:
    """How much work it is to simulate some episodes."""
    parts = [part for one in episodes for part in (one.play, one.learn)]
    return sum(part.calls + part.input / READ for part in parts)


def simulate(config: RunConfig, limit: float = LIMIT) -> Simulation:
    """Play a run on the simulated backbone, as much of it as a limit of work allows.

    Raises what `Run.prepare` does, and ConfigError for a trial that cannot go on.
    """
    own = config.backbone.partition("/")[0] == "sim"
    # Nothing that is paid for is asked: not the backbone, and not a provider's embeddings.
    changes = {"backbone": config.backbone if own else SIMULATED, "embeddings": "hashing", "concurrency": 1}
    with tempfile.TemporaryDirectory(prefix="evoplay-estimate-") as folder:
        out = {"out": folder, "max_usd": None, "max_tokens": None, "prices": None}
        simulation = _begin(config.model_copy(update=changes | out))
        with _Players(simulation.config) as players:
            ahead = {cells[0]: min(PILOT, simulation.planned[cells[0]]) for cells in simulation.rows.values()}
            while ahead:
                simulation.played |= players.play(ahead, simulation.played)
                ahead = simulation.ahead(limit - sum(map(work, simulation.played.values())))
    return simulation


def _begin(config: RunConfig) -> Simulation:
    """Check a run as it would be checked before it starts."""
    from evoplay.evaluation.runner import Run
    from evoplay.methods.backbones.registry import open_backbone

    run = Run(config, open_backbone(config.backbone))
    run.prepare()
    run.folder.unlock()
    rows: dict[tuple[str, str], list[Cell]] = {}
    for cell in run.cells:
        if run.contenders[cell.contender].policy is None:
            rows.setdefault((cell.contender, cell.env_id), []).append(cell)
    return Simulation(config, rows, {cell: run.planned(cell) for cell in run.cells})


class _Players:
    """Plays trials, in processes of their own where they are many."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Players:
        return self

    def __exit__(self, *error: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)

    def play(self, ahead: Mapping[Cell, int], played: Mapping[Cell, list[Taken]]) -> dict[Cell, list[Taken]]:
        """Play trials up to an episode each, from where they are; what all their episodes took."""
        jobs = [(self.config, cell, until) for cell, until in ahead.items()]
        if self.pool is None and sum(until - len(played.get(cell, ())) for cell, until in ahead.items()) > ALONE:
            count = min(os.cpu_count() or 1, PROCESSES)
            # Not forked: threads of libraries may be alive.
            self.pool = ProcessPoolExecutor(count, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
        found = map(_play, jobs) if self.pool is None else self.pool.map(_play, jobs)
        return dict(zip(ahead, found, strict=True))


def _play(job: tuple[RunConfig, Cell, int]) -> list[Taken]:
    """Play a trial up to an episode, going on where its log ends."""
    from evoplay.evaluation.planting import read_planting
    from evoplay.evaluation.runner import Run
    from evoplay.methods.backbones.registry import open_backbone

    config, cell, until = job
    elsewhere = config.plant is not None and read_planting(config.plant).env_id != cell.env_id
    changes = {"out": str(Path(config.out, cell.id)), "plant": None if elsewhere else config.plant}
    run = Run(config.model_copy(update=changes), open_backbone(config.backbone), cells=[cell], until=until)
    outcome = run.execute(run.prepare())
    if outcome.exit_code:
        why = outcome.stopped or f"{cell}: {[*outcome.broken, *outcome.failed][0][-1]}"
        raise ConfigError(f"no estimate: {why}")
    episodes = taken(run.folder.log_of(cell).events())
    # Of an episode without a call there is nothing in the log of calls.
    return episodes + [Taken() for _ in range(until - len(episodes))]
