"""The figures of repeated play, from normalised scores: Max, Mean, LG, LS, their intervals, comparisons, power.

Pure functions over arrays; where the scores come from is not known here. z has shape (trials, episodes), in percent of
the episode's reference; nan where an episode failed (missing, never 0). Source: Learn2Play Bench (2026), section on
metrics; the intervals are stratified t intervals with Satterthwaite degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[np.float64]
METRICS = ("max", "mean", "lg", "ls")
CHALLENGE_WEIGHT = 3.0
RESAMPLES = 10_000
FEWEST_TRIALS = 3
"""Below so many trials an interval is not available."""
FEWEST_GAMES = 10
"""From so many games up the interval over games is given."""
POINTS = 10
"""Points of a curve over normalised progress."""


def max_score(z: Array) -> Array:
    """Best z of each trial; shape (trials,)."""
    return _by_trial(z, lambda row: float(np.nanmax(row)))


def mean_score(z: Array) -> Array:
    """Mean z of each trial; shape (trials,)."""
    return _by_trial(z, lambda row: float(np.nanmean(row)))


def learning_gain(z: Array) -> Array:
    """Mean of the last k z less mean of the first k of each trial, k = min(3, floor(T/2)); shape (trials,)."""
    k = min(3, z.shape[1] // 2)

    def gain(row: Array) -> float:
        first, last = row[:k], row[len(row) - k :]
        if not k or np.isnan(first).all() or np.isnan(last).all():
            return float("nan")
        return float(np.nanmean(last) - np.nanmean(first))

    return _by_trial(z, gain)


def learning_slope(z: Array) -> Array:
    """Least-squares slope of z over the episode number, in points an episode, of each trial; shape (trials,).

    The mean over trials is the slope of the mean curve where no episode is missing.
    """

    def slope(row: Array) -> float:
        there = ~np.isnan(row)
        t = np.arange(1, len(row) + 1)[there]
        if len(t) < 2:
            return float("nan")
        t = t - t.mean()
        return float((t * row[there]).sum() / (t * t).sum())

    return _by_trial(z, slope)


def _by_trial(z: Array, figure: Callable[[Array], float]) -> Array:
    return np.array([figure(row) if not np.isnan(row).all() else np.nan for row in z], dtype=float)


FIGURES: Mapping[str, Callable[[Array], Array]] = {
    "max": max_score,
    "mean": mean_score,
    "lg": learning_gain,
    "ls": learning_slope,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its spread.

    mean : the weighted mean over games. sd : sample standard deviation over trials of the figure over all games, None
    below 2 trials. ci : 95 % interval «same games, new trials», None below 3 trials. games_ci : 95 % interval «new
    games» by bootstrap over games, None below 10 games. df : Satterthwaite degrees of freedom.
    """

    mean: float | None
    sd: float | None = None
    ci: tuple[float, float] | None = None
    games_ci: tuple[float, float] | None = None
    df: float | None = None

    def as_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"mean": self.mean, "sd": self.sd, "ci": None if self.ci is None else list(self.ci)}
        if self.games_ci is not None:
            out["games_ci"] = list(self.games_ci)
        return out


@dataclass(frozen=True, slots=True)
class Stratum:
    """The trials of one game (and seed): values of a figure, one a trial, and the game's weight."""

    values: Array
    weight: float

    @property
    def present(self) -> Array:
        kept: Array = self.values[~np.isnan(self.values)]
        return kept


def estimate(strata: Sequence[Stratum], *, games: Sequence[int] | None = None, seed: int = 0) -> Estimate:
    """Weighted mean over strata with its stratified t interval.

    `games` numbers the game of each stratum (None: each its own), for the bootstrap over games.
    """
    strata, games = _nonempty(strata, games)
    if not strata:
        return Estimate(None)
    weights = _weights(strata)
    means = np.array([stratum.present.mean() for stratum in strata])
    value = float(weights @ means)
    interval = _interval(value, [(w, s.present) for w, s in zip(weights, strata, strict=True)])
    return Estimate(value, _spread(strata, weights), interval[0], _bootstrap(means, weights, games, seed), interval[1])


def difference(ours: Sequence[Stratum], theirs: Sequence[Stratum]) -> tuple[Estimate, float | None]:
    """Weighted mean difference over the strata that both have, its interval, and the two-sided p of no difference.

    Both sequences are aligned: the same place is the same game.
    """
    both = [(a, b) for a, b in zip(ours, theirs, strict=True) if len(a.present) and len(b.present)]
    if not both:
        return Estimate(None), None
    weights = _weights([a for a, _ in both])
    value = float(sum(w * (a.present.mean() - b.present.mean()) for w, (a, b) in zip(weights, both, strict=True)))
    samples = [(w, s.present) for w, pair in zip(weights, both, strict=True) for s in pair]
    interval, df, error = _interval_parts(value, samples)
    p = None if df is None or error is None else float(2 * stats.t.sf(abs(value) / error, df))
    return Estimate(value, None, interval, None, df), p


def holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction; None stays None and is not counted."""
    known = sorted((p, name) for name, p in p_values.items() if p is not None)
    corrected: dict[str, float | None] = dict.fromkeys(p_values)
    highest = 0.0
    for at, (p, name) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - at)))
        corrected[name] = highest
    return corrected


def trials_needed(
    ours: Sequence[Stratum], theirs: Sequence[Stratum], effect: float, *, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Trials per game for `power` to find a difference of `effect` at the observed variances; None if unknown.

    The smallest number from 2 up for which the noncentral t test of the stratified difference has the power.
    """
    both = [(a.present, b.present, a.weight) for a, b in zip(ours, theirs, strict=True)]
    both = [(a, b, w) for a, b, w in both if len(a) >= 2 and len(b) >= 2]
    if not both or effect == 0:
        return None
    total = sum(w for _, _, w in both)
    parts = np.array([(w / total) ** 2 * _variance(sample) for a, b, w in both for sample in (a, b)])
    if not parts.sum():
        return 2

    def has_power(trials: int) -> bool:
        error = np.sqrt(parts.sum() / trials)
        df = parts.sum() ** 2 / (parts**2 / (trials - 1)).sum()
        limit = stats.t.ppf(1 - alpha / 2, df)
        shift = abs(effect) / error
        # The far tail is nan where it is too small to be computed.
        return float(np.nansum([stats.nct.sf(limit, df, shift), stats.nct.cdf(-limit, df, shift)])) >= power

    high = 2
    while not has_power(high):
        high *= 2
        if high > 10**7:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return max(high, 2)


def curve(z: Array) -> Array:
    """Mean z over trials at ten points of normalised progress, interpolated linearly; shape (10,)."""
    with np.errstate(all="ignore"):
        means = np.array([np.nan if np.isnan(column).all() else np.nanmean(column) for column in z.T])
    there = ~np.isnan(means)
    if not there.any():
        return np.full(POINTS, np.nan)
    progress = np.linspace(0, 1, len(means)) if len(means) > 1 else np.zeros(1)
    points: Array = np.interp(np.linspace(0, 1, POINTS), progress[there], means[there])
    return points


def _variance(sample: Array) -> float:
    """The sample variance; 0 for equal values, whose mean may be off by a rounding."""
    return float(sample.var(ddof=1)) if np.ptp(sample) else 0.0


def _nonempty(strata: Sequence[Stratum], games: Sequence[int] | None) -> tuple[list[Stratum], list[int]]:
    numbers = list(range(len(strata))) if games is None else list(games)
    kept = [(s, g) for s, g in zip(strata, numbers, strict=True) if len(s.present)]
    return [s for s, _ in kept], [g for _, g in kept]


def _weights(strata: Sequence[Stratum]) -> Array:
    weights = np.array([stratum.weight for stratum in strata])
    normalised: Array = weights / weights.sum()
    return normalised


def _interval(value: float, samples: Sequence[tuple[float, Array]]) -> tuple[tuple[float, float] | None, float | None]:
    interval, df, _ = _interval_parts(value, samples)
    return interval, df


def _interval_parts(
    value: float, samples: Sequence[tuple[float, Array]]
) -> tuple[tuple[float, float] | None, float | None, float | None]:
    if any(len(sample) < FEWEST_TRIALS for _, sample in samples):
        return None, None, None
    parts = np.array([w**2 * _variance(sample) / len(sample) for w, sample in samples])
    error = float(np.sqrt(parts.sum()))
    if error == 0:
        return (value, value), None, None
    sizes = np.array([len(sample) for _, sample in samples])
    df = float(parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum())
    reach = float(stats.t.ppf(0.975, df)) * error
    return (value - reach, value + reach), df, error


def _spread(strata: Sequence[Stratum], weights: Array) -> float | None:
    """Standard deviation over trials of the weighted figure, trials of different games taken by their number."""
    trials = min(len(stratum.values) for stratum in strata)
    if trials < 2:
        return None
    by_trial = weights @ np.array([stratum.values[:trials] for stratum in strata])
    by_trial = by_trial[~np.isnan(by_trial)]
    return float(by_trial.std(ddof=1)) if len(by_trial) >= 2 else None


def _bootstrap(means: Array, weights: Array, games: Sequence[int], seed: int) -> tuple[float, float] | None:
    names = sorted(set(games))
    if len(names) < FEWEST_GAMES:
        return None
    where = np.array([names.index(game) for game in games])
    weight = np.bincount(where, weights=weights)
    summed = np.bincount(where, weights=weights * means)
    picks = np.random.default_rng(seed).integers(0, len(names), size=(RESAMPLES, len(names)))
    values = summed[picks].sum(axis=1) / weight[picks].sum(axis=1)
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
