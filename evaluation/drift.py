"""Analysis across AdaExplore episodes: does re-probing go with recognising the change, and what do settings do?

Pure functions over numbers. Source: AdaExploreBench (arXiv 2610.25950), sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from evoplay.evaluation.exploration import Explored

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho with a two-sided p-value (t approximation) over n pairs; None where a side does not vary."""

    rho: float | None
    p: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """Mean of the differences second - first with a t interval and p, and Wilcoxon's signed-rank p, over n pairs."""

    mean: float
    ci: tuple[float, float] | None
    p: float | None
    wilcoxon_p: float | None
    n: int


def ranks(values: Array) -> Array:
    """Ranks from 1, ties sharing their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[inverse])


def spearman(x: Sequence[float], y: Sequence[float]) -> Correlation:
    """Rank correlation of pairs. Raises ValueError for lists of different lengths."""
    if len(x) != len(y):
        raise ValueError(f"{len(x)} and {len(y)} values: a correlation needs pairs")
    n = len(x)
    if n < 3:
        return Correlation(None, None, n)
    a, b = ranks(np.asarray(x, dtype=np.float64)), ranks(np.asarray(y, dtype=np.float64))
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    if scale == 0.0:
        return Correlation(None, None, n)
    rho = float(np.clip((a @ b) / scale, -1.0, 1.0))
    if abs(rho) == 1.0:
        return Correlation(rho, 0.0, n)
    t = abs(rho) * np.sqrt((n - 2) / (1.0 - rho**2))
    return Correlation(rho, float(2.0 * special.stdtr(n - 2, -t)), n)


def centred(groups: Sequence[Sequence[float]]) -> list[float]:
    """All values, each less the mean of its group; rounded, for noise in the last bits would break ties."""
    return [round(float(value - np.mean(group)), 9) for group in groups for value in group]


def paired(first: Sequence[float], second: Sequence[float], level: float = 0.95) -> Paired:
    """Compare pairs: the mean difference second - first, its t interval and tests.

    Raises ValueError for lists of different lengths or without pairs.
    """
    if len(first) != len(second) or not len(first):
        raise ValueError(f"{len(first)} and {len(second)} values: a paired comparison needs as many on both sides")
    gap = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    n, mean = len(gap), float(gap.mean())
    if n < 3:
        return Paired(mean, None, None, None, n)
    error = float(gap.std(ddof=1)) / n**0.5
    half = float(special.stdtrit(n - 1, 0.5 + level / 2)) * error
    p = float(2.0 * special.stdtr(n - 1, -abs(mean) / error)) if error > 0 else (1.0 if mean == 0 else 0.0)
    signed = float(stats.wilcoxon(gap).pvalue) if gap.any() else 1.0
    return Paired(mean, (mean - half, mean + half), p, signed, n)


def reprobing(models: Mapping[str, Sequence[Explored]]) -> dict[str, dict[str, Correlation]]:
    """Re-probes (count, and rate per distinct earlier probe) against change recognition.

    By model, and under "within models" pooled after centring both sides by model. Episodes without a drift are left
    out, and from the rate those without a probe before it.
    """
    found: dict[str, dict[str, Correlation]] = {}
    sides: dict[str, list[tuple[list[float], list[float]]]] = {"count": [], "rate": []}
    for model, episodes in models.items():
        found[model] = {}
        for name, attribute in (("count", "reprobes"), ("rate", "reprobe_rate")):
            pairs = [
                (float(value), scores.f1)
                for episode in episodes
                if (value := getattr(episode, attribute)) is not None
                and (scores := episode.change_scores()) is not None
            ]
            x, y = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            found[model][name] = spearman(x, y)
            sides[name].append((x, y))
    found["within models"] = {
        name: spearman(centred([x for x, _ in groups if x]), centred([y for _, y in groups if y]))
        for name, groups in sides.items()
    }
    return found


def compare_settings(first: Mapping[str, float], second: Mapping[str, float]) -> Paired:
    """Two settings paired by episode (any common key); episodes that only one of them has are left out."""
    keys = [key for key in first if key in second]
    return paired([first[key] for key in keys], [second[key] for key in keys])
