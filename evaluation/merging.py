"""Several runs as one: `merge(run, other)`. What would be counted twice or mixed up is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from evoplay.evaluation.config import RunConfig
from evoplay.evaluation.load import Digest, LoadedRun, run_of
from evoplay.evaluation.runlog import Cell, CellLog, RunLogError

OF_THE_ROWS = ("env", "method", "backbone", "trials", "seed", "env_seeds", "episodes")
"""Settings that say which trials a run has; episodes are compared game by game, as they were planned."""
OF_THE_MODEL = ("temperature", "reasoning_effort", "reply_tokens", "model_options")
"""Settings of a backbone; those of another backbone may be others."""

Home = tuple[LoadedRun, Cell]


class MergedRun(LoadedRun):
    """Runs side by side: every trial is read from the run it is of."""

    def __init__(self, parts: Sequence[LoadedRun], homes: dict[Cell, Home], info: dict[str, Any]) -> None:
        self.path, self.info, self.cells, self.told = parts[0].path, info, list(homes), set()
        self._parts, self._homes = list(parts), homes

    @property
    def parts(self) -> list[LoadedRun]:
        return self._parts

    def log_of(self, cell: Cell) -> CellLog:
        run, original = self._homes[cell]
        return run.log_of(original)

    def digest(self, cell: Cell) -> Digest:
        run, original = self._homes.get(cell, (self._parts[0], Cell("", 0, "", 0)))
        return run.digest(original)

    @cached_property
    def references(self) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for part in self._parts:
            for env_id, by_seed in part.references.items():
                for seed, by_episode in by_seed.items():
                    merged.setdefault(env_id, {}).setdefault(seed, {}).update(by_episode)
        return merged


def merge(*runs: LoadedRun) -> LoadedRun:
    """Several runs as one: contenders side by side, trials of the same contender added up.

    Contenders of different backbones are told apart by the backbone's name. Everything that decides results has to be
    the same: the rules and episodes of shared games, and all settings but those that say which trials there are
    (games, methods, backbone, trials, seeds). Temperature, reasoning effort, reply tokens and model options belong to a
    model, which is often usable with some values only; they have to be the same between runs of one backbone.

    A trial is another one's twin where game, game's seed, contender, backbone, run seed and trial number agree and the
    same was played: actions, replies and scores, as far as both got. A second run of a language model with the same
    seed plays differently and adds trials. Twins of policies, which no backbone has a part in, are kept once, the
    longer one; other twins are refused, for counting them twice would narrow the intervals.

    Raises RunLogError (a ValueError) with what differs or is there twice, ValueError without runs, TypeError for what
    is no run.
    """
    if not runs:
        raise ValueError("merge() was given no runs: give what evoplay.load returns, merge(run, other)")
    parts = [part for run in runs for part in run_of(run, "merge").parts]
    for one, other in combinations(parts, 2):
        _check_alike(one, other)
    kept = _without_twins(parts)
    backbones = list(dict.fromkeys(_backbone(part) for part in parts))
    homes: dict[Cell, Home] = {}
    labels: dict[str, dict[str, Any]] = {}
    count: defaultdict[tuple[str, int, str], int] = defaultdict(int)
    for part, cell in kept:
        named = {row["label"]: row for row in part.info["contenders"]}
        label = cell.contender if len(backbones) == 1 or _is_policy(cell) else f"{cell.contender} · {_backbone(part)}"
        labels.setdefault(label, {**named.get(cell.contender, {}), "label": label})
        count[cell.env_id, cell.seed, label] += 1
        homes[Cell(cell.env_id, cell.seed, label, count[cell.env_id, cell.seed, label])] = (part, cell)
    info = {
        **parts[0].info,
        "envs": {env_id: facts for part in parts for env_id, facts in part.info["envs"].items()},
        "contenders": list(labels.values()),
        "backbone": {
            **parts[0].info["backbone"],
            "name": ", ".join(backbones),
            "simulated": any(part.simulated for part in parts),
        },
    }
    return MergedRun(parts, homes, info)


def _is_policy(cell: Cell) -> bool:
    return cell.contender.startswith("policy/")


def _backbone(run: LoadedRun) -> str:
    return str(run.info["backbone"]["name"])


def _check_alike(one: LoadedRun, other: LoadedRun) -> None:
    """Raises RunLogError for runs of other rules or settings, with every value that differs."""
    apart = OF_THE_ROWS if _backbone(one) == _backbone(other) else (*OF_THE_ROWS, *OF_THE_MODEL)
    if found := differing(one, other, apart):
        fix = "run one of them again with what the other has, or read them one by one"
        raise RunLogError(f"{one.path} and {other.path} cannot be merged: {'; '.join(found)}: {fix}")


def differing(one: LoadedRun, other: LoadedRun, apart: Sequence[str] = ()) -> list[str]:
    """What differs between two runs, in words: rules and episodes of shared games, and settings but those `apart`."""
    found = []
    for env_id in sorted(one.info["envs"].keys() & other.info["envs"].keys()):
        here, there = one.info["envs"][env_id], other.info["envs"][env_id]
        different = [name for name in ("rules_version", "episodes") if here[name] != there[name]]
        found += [f"{name} of {env_id} is {here[name]} and {there[name]}" for name in different]
    here, there = _settings(one), _settings(other)
    different = [name for name in here if name not in apart and here[name] != there[name]]
    return found + [f"{name} is {here[name]!r} and {there[name]!r}" for name in different]


def _settings(run: LoadedRun) -> dict[str, Any]:
    """The settings that decide results; one that the log does not know has its default."""
    blank = RunConfig(env=["any"], method=["any"]).decisive()
    return {name: run.info["config"].get(name, default) for name, default in blank.items()}


def _without_twins(parts: Sequence[LoadedRun]) -> list[Home]:
    """Every trial once. Raises RunLogError for twins that are not policies'."""
    kept: list[Home] = []
    places: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    twice: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
    owners: list[int] = []
    for at, part in enumerate(parts):
        for cell in part.cells:
            # What was played is read only where all of this agrees.
            key = (cell, part.info["config"]["seed"], None if _is_policy(cell) else _backbone(part))
            twin = next((place for place in places[key] if _same_play(kept[place], (part, cell))), None)
            if twin is None:
                places[key].append(len(kept))
                kept.append((part, cell))
                owners.append(at)
            elif not _is_policy(cell):
                twice[owners[twin], at].append(cell)
            elif len(part.episodes_of(cell)) > len(kept[twin][0].episodes_of(kept[twin][1])):
                kept[twin] = (part, cell)
    for (first, second), cells in twice.items():
        raise RunLogError(_said(parts[first], parts[second], cells))
    return kept


def _said(one: LoadedRun, other: LoadedRun, cells: Sequence[Cell]) -> str:
    if one.path.resolve() == other.path.resolve():
        return f"{one.path} was given twice: give it once"
    example = f"{cells[0].contender} on {cells[0].env_id}, trial {cells[0].trial}"
    same = f"the same {len(cells)} trials (e.g. {example})" if len(cells) > 1 else f"the same trial ({example})"
    return f"{one.path} and {other.path} hold {same}: give one of them, or run with another --seed"


def _same_play(one: Home, other: Home) -> bool:
    """Whether two trials were played the same as far as both got, and something was played."""
    logs = [run.log_of(cell).path for run, cell in (one, other)]
    if logs[0].resolve() == logs[1].resolve():
        return logs[0].is_file()
    shared = list(zip(*(run.episodes_of(cell) for run, cell in (one, other)), strict=False))
    alike = all(
        here.score == there.score
        and [(step.action, step.reply) for step in here.steps] == [(step.action, step.reply) for step in there.steps]
        for here, there in shared
    )
    return alike and any(here.steps for here, _ in shared)
