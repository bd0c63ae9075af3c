"""Max, Mean, LG and LS, their intervals and differences, power."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from .reading import METRICS, NAN, Run


def z_rows(run: Run, contender: str, game: tuple[str, int]) -> np.ndarray:
    """z of a game's scored episodes, a row a trial; nan where an episode failed or was not played."""
    rows = []
    for trial in run.of(contender, game):
        by_number = {episode.number: episode.z for episode in trial.episodes}
        rows.append([by_number.get(number, NAN) for number in trial.scored])
    return np.array(rows, dtype=float)


def numbers(run: Run, game: tuple[str, int]) -> list[int]:
    """The scored episodes of a game."""
    return next(trial.scored for trial in run.trials if (trial.env, trial.seed) == game)


def mean_of(values: Any) -> float:
    """Mean of what is there; nan where nothing is."""
    there = present(values)
    return math.fsum(there) / len(there) if there else NAN


def present(values: Any) -> list[float]:
    return [float(value) for value in values if not math.isnan(value)]


def figure(metric: str, z: list[float], episodes: list[int]) -> float:
    """A metric of one trial, from the episodes that did not fail."""
    there = [(t, value) for t, value in zip(episodes, z, strict=True) if not math.isnan(value)]
    if metric == "max":
        return max((value for _, value in there), default=NAN)
    if metric == "mean":
        return mean_of(z)
    if metric == "lg":
        k = min(3, len(z) // 2)
        return mean_of(z[len(z) - k :]) - mean_of(z[:k])
    if len(there) < 2:
        return NAN
    middle = sum(t for t, _ in there) / len(there)
    return sum((t - middle) * value for t, value in there) / sum((t - middle) ** 2 for t, _ in there)


def by_trial(run: Run, contender: str, metric: str) -> dict[tuple[str, int], list[float]]:
    """A metric of every trial, by game."""
    return {
        game: [figure(metric, list(row), numbers(run, game)) for row in z_rows(run, contender, game)]
        for game in run.games
    }


@dataclass
class Estimate:
    """A weighted mean over games, its spread over trials, its interval; None is «not available»."""

    mean: float | None
    sd: float | None
    ci: tuple[float, float] | None
    p: float | None = None


def known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def estimate(run: Run, samples: dict[tuple[str, int], list[float]], minus: dict | None = None) -> Estimate:
    """Same games, new trials: stratified by game, a t quantile with Satterthwaite's degrees of freedom.

    With `minus` the difference of two contenders, whose trials are not paired. A game without a value is left out.
    """
    sides = [(1, samples)] if minus is None else [(1, samples), (-1, minus)]
    games = [game for game in samples if all(present(side[game]) for _, side in sides)]
    if not games:
        return Estimate(None, None, None)
    whole = sum(run.weight(game) for game in games)
    value, parts, enough = 0.0, [], True
    for game in games:
        share = run.weight(game) / whole
        for sign, side in sides:
            there = present(side[game])
            value += sign * share * mean_of(there)
            enough = enough and len(there) >= 3
            if enough:
                parts.append((share**2 * statistics.variance(there) / len(there), len(there) - 1))
    low_high, p = interval(value, parts) if enough else (None, None)
    sd = spread(run, {game: samples[game] for game in games}) if minus is None else None
    return Estimate(value, sd, low_high, p)


def interval(value: float, parts: list[tuple[float, int]]) -> tuple[tuple[float, float], float | None]:
    """Interval and two-sided p from variances of independent parts with their degrees of freedom; no p without any."""
    total = math.fsum(part for part, _ in parts)
    if total == 0:
        return (value, value), None
    freedom = total**2 / math.fsum(part**2 / df for part, df in parts)
    error = math.sqrt(total)
    reach = stats.t.ppf(0.975, freedom) * error
    return (value - reach, value + reach), 2 * stats.t.sf(abs(value) / error, freedom)


def spread(run: Run, samples: dict[tuple[str, int], list[float]]) -> float | None:
    """Sample standard deviation of the trials' weighted means; a trial without a game's figure has none."""
    whole = sum(run.weight(game) for game in samples)
    trials = zip(*samples.values(), strict=False)
    means = [
        math.fsum(run.weight(game) / whole * one for game, one in zip(samples, trial, strict=True)) for trial in trials
    ]
    means = [mean for mean in means if not math.isnan(mean)]
    return statistics.stdev(means) if len(means) >= 2 else None


def over_games(run: Run, samples: dict[tuple[str, int], list[float]], resamples: int, seed: int) -> tuple[float, float]:
    """New games: percentiles of the weighted mean over games drawn with replacement, a game with all its seeds."""
    games = {env: [game for game in samples if game[0] == env] for env, _ in samples}
    weights = np.array([sum(run.weight(game) for game in seeds) for seeds in games.values()])
    sums = np.array([sum(run.weight(game) * mean_of(samples[game]) for game in seeds) for seeds in games.values()])
    drawn = np.random.default_rng(seed).integers(0, len(games), (resamples, len(games)))
    found = sums[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def wins(ours: dict[tuple[str, int], list[float]], theirs: dict[tuple[str, int], list[float]]) -> dict[str, int]:
    """Games in which one contender's mean is above the other's, below it, or the same."""
    gaps = present(mean_of(ours[game]) - mean_of(theirs[game]) for game in ours)
    tied = [gap for gap in gaps if abs(gap) < 1e-9]
    won = [gap for gap in gaps if gap >= 1e-9]
    return {"won": len(won), "lost": len(gaps) - len(won) - len(tied), "tied": len(tied)}


def holm(p_values: dict[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction; what has no p takes no part."""
    there = {name: p for name, p in p_values.items() if p is not None}
    corrected: dict[str, float | None] = dict.fromkeys(p_values)
    for name, p in there.items():
        ranks = [(len(there) - sum(one < other for one in there.values())) * other for other in there.values()]
        corrected[name] = min(1.0, max(rank for rank, other in zip(ranks, there.values(), strict=True) if other <= p))
    return corrected


def pairs(run: Run, baseline: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Every other contender less the baseline, metric by metric, with Holm's correction over them."""
    others = [name for name in run.contenders if name != baseline]
    found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in others}
    for metric in METRICS:
        theirs = by_trial(run, baseline, metric)
        for name in others:
            ours = by_trial(run, name, metric)
            gap = estimate(run, ours, theirs)
            found[name][metric] = {"mean": gap.mean, "ci": gap.ci, "p": gap.p} | wins(ours, theirs)
        for name, p in holm({name: found[name][metric]["p"] for name in others}).items():
            found[name][metric]["p_holm"] = p
    return found


def power(run: Run, ours: str, theirs: str, metric: str, effect: float, trials: int) -> float:
    """Chance that the stratified two-sided t test at 5 % finds a true difference with so many trials a game."""
    whole = sum(run.weight(game) for game in run.games)
    parts = []
    for name in (ours, theirs):
        for game, values in by_trial(run, name, metric).items():
            parts.append((run.weight(game) / whole) ** 2 * statistics.variance(present(values)) / trials)
    total = math.fsum(parts)
    freedom = total**2 / math.fsum(part**2 / (trials - 1) for part in parts)
    bound, shift = stats.t.ppf(0.975, freedom), effect / math.sqrt(total)
    # Given the estimated error, the test statistic is normal: the mean over what that error may be.
    ratio = np.sqrt(stats.chi2.ppf((np.arange(20_000) + 0.5) / 20_000, freedom) / freedom)
    return float(np.mean(stats.norm.sf(bound * ratio - shift) + stats.norm.cdf(-bound * ratio - shift)))
