"""A run's figures: from its log to Max, Mean, LG and LS of every contender, their differences, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evoplay.evaluation.exploration import exploration_figures
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.metrics import (
    CHALLENGE_WEIGHT,
    FIGURES,
    METRICS,
    Array,
    Estimate,
    Stratum,
    curve,
    difference,
    estimate,
    holm,
    trials_needed,
)
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.spending import unpriced
from evoplay.memory.records import EpisodeRecord

BASELINE = "naive"


@dataclass(slots=True)
class GameScores:
    """Normalised scores of one contender on one game and seed; `z` has shape (trials, scored episodes)."""

    env_id: str
    seed: int
    weight: float
    z: Array
    missing: int = 0

    def figure(self, metric: str) -> Array:
        """A figure trial by trial; shape (trials,)."""
        return FIGURES[metric](self.z)


@dataclass(slots=True)
class Summary:
    """All of a run's figures. `scores[contender]` is aligned over contenders; `unnormalised` names games left out."""

    run: LoadedRun
    scores: dict[str, list[GameScores]] = field(default_factory=dict)
    unnormalised: list[str] = field(default_factory=list)

    def unscored(self, contender: str) -> list[str]:
        """The games on which a contender has no score at all, and which its figures therefore lack."""
        return [game.env_id for game in self.scores[contender] if np.isnan(game.z).all()]

    def strata(self, contender: str, metric: str) -> list[Stratum]:
        return [Stratum(game.figure(metric), game.weight) for game in self.scores[contender]]

    def games(self, contender: str) -> list[int]:
        """The number of the game each stratum belongs to: seeds of one game are one game."""
        names = [game.env_id for game in self.scores[contender]]
        return [names.index(name) for name in names]

    def estimate(self, contender: str, metric: str) -> Estimate:
        return estimate(self.strata(contender, metric), games=self.games(contender))

    def difference(self, ours: str, theirs: str, metric: str) -> tuple[Estimate, float | None]:
        return difference(self.strata(ours, metric), self.strata(theirs, metric))

    def wins(self, ours: str, theirs: str, metric: str) -> dict[str, int]:
        """On how many games (and seeds) the mean is higher, lower, equal."""
        count = {"won": 0, "lost": 0, "tied": 0}
        for a, b in zip(self.strata(ours, metric), self.strata(theirs, metric), strict=True):
            if len(a.present) and len(b.present):
                mine, other = a.present.mean(), b.present.mean()
                count["tied" if np.isclose(mine, other) else "won" if mine > other else "lost"] += 1
        return count

    def curve(self, contender: str) -> Array:
        """Weighted mean z at ten points of normalised progress."""
        games = [game for game in self.scores[contender] if not np.isnan(game.z).all()]
        if not games:
            return np.full(10, np.nan)
        weights = np.array([game.weight for game in games])
        points: Array = weights @ np.array([curve(game.z) for game in games]) / weights.sum()
        return points


def summarise(run: LoadedRun) -> Summary:
    """Read the scores of a run into aligned arrays."""
    summary = Summary(run)
    games = list(dict.fromkeys((cell.env_id, cell.seed) for cell in run.cells))
    trials = max(cell.trial for cell in run.cells)
    seeds = {env_id: sum(one == env_id for one, _ in games) for env_id, _ in games}
    for contender in run.contenders:
        summary.scores[contender] = []
    for env_id, seed in games:
        facts = run.info["envs"][env_id]
        weight = (CHALLENGE_WEIGHT if facts["challenge"] else 1.0) / seeds[env_id]
        references = [run.reference(Cell(env_id, seed, "", 1), number + 1) for number in range(facts["episodes"])]
        if any(reference is None for reference in references):
            summary.unnormalised.append(f"{env_id} seed {seed}")
            continue
        scored = [number for number, reference in enumerate(references) if reference]
        for contender in run.contenders:
            raw = np.full((trials, facts["episodes"]), np.nan)
            missing = 0
            for trial in range(1, trials + 1):
                for record in run.episodes_of(Cell(env_id, seed, contender, trial)):
                    if record.score is None:
                        missing += 1
                    elif record.episode <= facts["episodes"]:
                        raw[trial - 1, record.episode - 1] = record.score
            scale = np.array([references[number] for number in scored], dtype=float)
            z = 100 * raw[:, scored] / scale
            summary.scores[contender].append(GameScores(env_id, seed, weight, z, missing))
    return summary


def gaps(run: LoadedRun) -> tuple[int, int]:
    """(episodes not played yet, episodes planned) of a run; one that failed was played."""
    planned = sum(run.episodes_planned(cell.env_id) for cell in run.cells)
    return planned - sum(len(run.episodes_of(cell)) for cell in run.cells), planned


def said_of_gaps(left: int, planned: int) -> str:
    """The gaps in words, empty without any."""
    if not left:
        return ""
    return f"{left} of {planned} episodes not played yet: a trial cut short stands in the figures with what it has"


def said_of_unscored(report: Mapping[str, Any]) -> list[str]:
    """A line for each contender that lacks games which others have: its figures are of fewer games."""
    return [
        f"{name} has no score on {', '.join(row['unscored'])}: its figures are of the other games"
        for name, row in report["methods"].items()
        if row["unscored"] and row["games"]
    ]


def warn_of_gaps(run: LoadedRun) -> None:
    """Warn (RunWarning), once a run, where planned episodes have not been played; for a function that a user calls."""
    if said := said_of_gaps(*gaps(run)):
        run.warn(said, 2)


def records_of(run: LoadedRun, contender: str) -> list[EpisodeRecord]:
    """The episodes of all trials of a contender, failed ones too."""
    return [record for cell in run.cells_of(contender) for record in run.episodes_of(cell)]


def counts(records: Sequence[EpisodeRecord]) -> dict[str, int]:
    """How many of some episodes have a score (`episodes`), and how many failed (`missing`)."""
    scored = sum(record.score is not None for record in records)
    return {"episodes": scored, "missing": len(records) - scored}


def costs(run: LoadedRun, contender: str) -> dict[str, Any]:
    """Calls, tokens and USD of a contender, voided calls included; USD is None where a call has no known price."""
    total: dict[str, Any] = {"calls": 0, "failed_calls": 0, "usd": 0.0, "unpriced_calls": 0}
    tokens = dict.fromkeys(("input", "cached", "cache_write", "output", "reasoning"), 0)
    purposes: dict[str, dict[str, int]] = {}
    for cell in run.cells_of(contender):
        for call in run.calls_of(cell):
            total["calls"] += 1
            for name in tokens:
                tokens[name] += call[name]
            by_purpose = purposes.setdefault(call["purpose"], {"calls": 0, "input": 0, "output": 0})
            by_purpose["calls"] += 1
            by_purpose["input"] += call["input"]
            by_purpose["output"] += call["output"]
            total["failed_calls"] += call["failed"] is not None
            total["unpriced_calls"] += unpriced(call)
            total["usd"] += call["usd"] or 0.0
    if total["unpriced_calls"]:
        total["usd"] = None
    return {**total, "tokens": tokens, "by_purpose": purposes}


def as_dict(summary: Summary, baseline: str | None = None) -> dict[str, Any]:
    """The report as JSON data: `methods`, `pairs` (every contender against the baseline), what is missing.

    Raises ValueError for a baseline that is not in the run.
    """
    run = summary.run
    base = baseline_of(run, baseline)
    methods: dict[str, Any] = {}
    for contender in run.contenders:
        records = records_of(run, contender)
        cost = costs(run, contender)
        methods[contender] = {
            **{metric: summary.estimate(contender, metric).as_dict() for metric in METRICS},
            **counts(records),
            "planned": sum(run.episodes_planned(cell.env_id) for cell in run.cells_of(contender)),
            "capped": sum(record.capped for record in records),
            "usd": cost["usd"],
            "calls": cost["calls"],
            "tokens": cost["tokens"]["input"] + cost["tokens"]["output"],
            "cost": cost,
            "curve": _numbers(summary.curve(contender)),
            "games": _by_game(summary.scores[contender]),
            "unscored": summary.unscored(contender),
            **exploration_figures(records),
        }
    return {
        "run": str(run.path),
        "backbone": run.info["backbone"]["name"],
        "simulated": run.simulated,
        "baseline": base,
        "methods": methods,
        "pairs": _pairs(summary, base),
        "unplayed": gaps(run)[0],
        "changed_rules": {env_id: list(versions) for env_id, versions in run.changed_rules.items()},
        "unnormalised": summary.unnormalised,
    }


def _by_game(scores: Sequence[GameScores]) -> dict[str, dict[str, float | None]]:
    known = [game for game in scores if not np.isnan(game.z).all()]
    return {f"{game.env_id}@{game.seed}": {name: _mean(game.figure(name)) for name in METRICS} for game in known}


def _pairs(summary: Summary, base: str) -> dict[str, Any]:
    others = [contender for contender in summary.run.contenders if contender != base]
    pairs: dict[str, Any] = {f"{other} - {base}": {} for other in others}
    for metric in METRICS:
        found = {other: summary.difference(other, base, metric) for other in others}
        corrected = holm({other: p for other, (_, p) in found.items()})
        for other, (value, p) in found.items():
            pairs[f"{other} - {base}"][metric] = {
                "mean": value.mean,
                "ci": None if value.ci is None else list(value.ci),
                "p": p,
                "p_holm": corrected[other],
                **summary.wins(other, base, metric),
            }
    return pairs


def power_table(summary: Summary, effect: float, metric: str, baseline: str | None = None) -> dict[str, int | None]:
    """Trials per game for 80 % power to find a difference of `effect` to the baseline, by contender.

    None where a contender has no game with two scored trials, or would need more than ten million. Raises ValueError
    for an effect that is not above 0, a metric or a baseline that is not there, and a run with nothing to compare.
    """
    run = summary.run
    if not 0 < effect < np.inf:
        raise ValueError(f"the difference to be found is {effect:g}: give its size, a number above 0, such as 2")
    if metric not in METRICS:
        raise ValueError(f"there is no metric '{metric}': use one of {', '.join(METRICS)}")
    base = baseline_of(run, baseline)
    others = [contender for contender in run.contenders if contender != base]
    if not others:
        raise ValueError(f"{run.path} has only {base}, nothing to compare it with: run a second --method")
    theirs = summary.strata(base, metric)
    return {other: trials_needed(summary.strata(other, metric), theirs, effect) for other in others}


def trials_of_both(summary: Summary, ours: str, theirs: str, metric: str) -> int:
    """The most scored trials that two contenders both have on a game."""
    pairs = zip(summary.strata(ours, metric), summary.strata(theirs, metric), strict=True)
    return max((min(len(a.present), len(b.present)) for a, b in pairs), default=0)


def baseline_of(run: LoadedRun, named: str | None = None) -> str:
    """What the others are compared with. Raises ValueError for one that is not in the run."""
    if named is None:
        return BASELINE if BASELINE in run.contenders else run.contenders[0]
    if named not in run.contenders:
        raise ValueError(f"'{named}' is not in {run.path}: compare with one of {', '.join(run.contenders)}")
    return named


def _mean(values: Array) -> float | None:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _numbers(values: Sequence[float] | Array) -> list[float | None]:
    return [_number(value) for value in values]
