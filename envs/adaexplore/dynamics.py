"""The hidden rules: raw evidence of the four families, calibration to a score, utilities of the actions.

Pure functions over arrays; nothing is drawn here. Shapes: a set of n cases over d fields is (n, d). Source: the
paper's appendix C (rule function, calibration); the utility 1 - |s - c| and the drift's take-over are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evoplay.envs.adaexplore.config import WORLD, Family

Array = npt.NDArray[np.float64]
TIE = 1e-12
"""Utilities closer than this are equal."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A field the rule reads: its direction (+1 or -1), its |w| (additive), its threshold in field units (others)."""

    field: str
    direction: int
    weight: float = 0.0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A hidden rule. The order of `factors` is the priority order of the lexicographic family."""

    family: Family
    factors: tuple[Factor, ...]
    bias: float = 0.0
    delta: float = WORLD.delta

    @property
    def directions(self) -> dict[str, int]:
        """Factor names with their directions, in priority order."""
        return {factor.field: factor.direction for factor in self.factors}

    def without(self, field: str) -> Rule:
        """The same rule with one factor left out."""
        return replace(self, factors=tuple(factor for factor in self.factors if factor.field != field))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Quartiles of the raw evidence over the population of the rule before the drift."""

    q25: float
    q50: float
    q75: float


@dataclass(frozen=True, slots=True)
class Ranges:
    """Names and ranges of the fields of an episode, in column order."""

    names: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def scale(self, field: str) -> tuple[int, float, float]:
        """Column, low and high of a field."""
        column = self.names.index(field)
        return column, self.low[column], self.high[column]


def normalise(values: Array | float, low: float, high: float) -> Array:
    """Field units to [-1, 1]."""
    return np.asarray(2.0 * (np.asarray(values, dtype=np.float64) - low) / (high - low) - 1.0)


def margins(rule: Rule, ranges: Ranges, cases: Array) -> Array:
    """Oriented margins d_j (x_j - t_j) in normalised units, shape (n, factors), in priority order."""
    columns = []
    for factor in rule.factors:
        column, low, high = ranges.scale(factor.field)
        distance = normalise(cases[:, column], low, high) - normalise(factor.threshold, low, high)
        columns.append(factor.direction * distance)
    return np.stack(columns, axis=1)


def evidence(rule: Rule, ranges: Ranges, cases: Array) -> Array:
    """Raw evidence e of n cases, shape (n,)."""
    if rule.family == "additive":
        total = np.full(len(cases), rule.bias)
        for factor in rule.factors:
            column, low, high = ranges.scale(factor.field)
            total = total + factor.direction * factor.weight * normalise(cases[:, column], low, high)
        return total
    oriented = margins(rule, ranges, cases)
    if rule.family == "conjunctive":
        return np.asarray(oriented.min(axis=1))
    if rule.family == "disjunctive":
        return np.asarray(oriented.max(axis=1))
    decisive = np.abs(oriented) > rule.delta
    first = np.where(decisive.any(axis=1), decisive.argmax(axis=1), oriented.shape[1] - 1)
    return np.asarray(np.take_along_axis(oriented, first[:, None], axis=1)[:, 0])


def calibrate(raw: Array) -> Calibration:
    """Quartiles (linear interpolation) of the raw evidence of a population."""
    q25, q50, q75 = (float(q) for q in np.quantile(raw, (0.25, 0.5, 0.75)))
    return Calibration(q25, q50, q75)


def has_gaps(calibration: Calibration, gap: float) -> bool:
    """Whether the quartiles are apart enough for the score to be defined."""
    return calibration.q50 - calibration.q25 >= gap and calibration.q75 - calibration.q50 >= gap


def scores(raw: Array, calibration: Calibration) -> Array:
    """Intervention scores C(e) in [-1, 1]: the quartiles map to -1/2, 0 and 1/2, linear between, clipped."""
    below = -0.5 + (raw - calibration.q25) / (2.0 * (calibration.q50 - calibration.q25))
    above = (raw - calibration.q50) / (2.0 * (calibration.q75 - calibration.q50))
    return np.asarray(np.clip(np.where(raw <= calibration.q50, below, above), -1.0, 1.0))


def utilities(score: Array, centres: tuple[float, ...] = WORLD.centres) -> Array:
    """Utilities 1 - |s - c_i| of the four actions, shape (n, 4)."""
    return np.asarray(1.0 - np.abs(score[:, None] - np.asarray(centres)[None, :]))


def utilities_of(rule: Rule, calibration: Calibration, ranges: Ranges, cases: Array) -> Array:
    """Utilities of the four actions for n cases under a rule, shape (n, 4)."""
    return utilities(scores(evidence(rule, ranges, cases), calibration))


def best_actions(values: Array) -> npt.NDArray[np.intp]:
    """Number of the best action of each case; of equal ones the weaker intervention."""
    return np.asarray((values >= values.max(axis=1, keepdims=True) - TIE).argmax(axis=1))


def drifted(rule: Rule, removed: str, added: Factor, reversed_field: str) -> Rule:
    """The rule after a drift.

    `added` takes the place, priority and |w| of `removed`, with its own direction and threshold; the factor
    `reversed_field` turns round; family, calibration and everything else stay.
    """
    factors = []
    for factor in rule.factors:
        if factor.field == removed:
            factors.append(replace(added, weight=factor.weight))
        elif factor.field == reversed_field:
            factors.append(replace(factor, direction=-factor.direction))
        else:
            factors.append(factor)
    return replace(rule, factors=tuple(factors))
