"""Which cases to probe: one field at a time from a centre and from both extremes, then where good fits disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from evoplay.envs.adaexplore.dynamics import Array
from evoplay.envs.adaexplore.reference.arithmetic import exp, log, normal
from evoplay.envs.adaexplore.reference.fitting import Fit
from evoplay.envs.adaexplore.reference.reading import Situation

Case = tuple[float, ...]
DIFFERENCE = 0.02
"""Scores further apart than this differ by more than the rounding of the utilities explains."""


class Designer:
    """Makes legal cases for the fields of a situation."""

    def __init__(self, facts: Situation) -> None:
        self.facts = facts
        self.low, self.high = np.asarray(facts.low), np.asarray(facts.high)
        self.places = [
            max(0, 3 - Decimal(high - low).adjusted()) for low, high in zip(facts.low, facts.high, strict=True)
        ]
        # Fields are seldom spread evenly: some candidates crowd at one end or the other of each field.
        rng = np.random.default_rng(1)
        shape = (3000, len(facts.names))
        even = np.maximum(rng.random(shape), 2.0**-53)
        crowded = 2.0 * exp(rng.choice((1.0, 3.0, 1.0 / 3.0), shape) * log(even)) - 1.0
        pool = np.concatenate([np.zeros((1, len(facts.names))), rng.uniform(-1, 1, shape), crowded])
        self.pool = self._legal(pool)
        self._made: dict[tuple[object, ...], list[Case]] = {}
        self.centre = self.pool[int(np.abs(self.pool).max(axis=1).argmin())]

    def _legal(self, points: Array) -> Array:
        return np.asarray(points[self.facts.legal(self._units(points))])

    def _units(self, points: Array) -> Array:
        units = self.low + (points + 1.0) / 2.0 * (self.high - self.low)
        rounded = np.stack([np.round(units[:, at], places) for at, places in enumerate(self.places)], axis=1)
        return np.asarray(np.clip(rounded, self.low, self.high))

    def case(self, point: Array) -> Case:
        """A point in [-1, 1] as a case in field units, rounded to about a thousandth of each range."""
        return tuple(float(value) for value in self._units(point[None])[0])

    def towards(self, base: Array, column: int, target: float) -> Array:
        """The base with one field moved as far towards a value as the limits allow."""
        steps = base[column] + (target - base[column]) * np.linspace(1.0, 0.0, 41)
        points = np.repeat(base[None], len(steps), axis=0)
        points[:, column] = steps
        farthest = int(self.facts.legal(self._units(points)).argmax())
        moved: Array = points[farthest]
        return moved

    def ends(self, base: Array, columns: Iterable[int]) -> list[Case]:
        """Both ends of each field from a base."""
        return [self.case(self.towards(base, column, end)) for column in columns for end in (-1.0, 1.0)]

    def extreme(self, directions: dict[int, int], side: int) -> Array:
        """From the centre, every field with a known direction moved to the end that raises (side 1) or lowers s."""
        point: Array = self.centre.copy()
        for column, direction in directions.items():
            point = self.towards(point, column, float(side * (direction or 1)))
        return point

    def one_at_a_time(self, directions: dict[int, int]) -> list[Case]:
        """The centre and both ends of each field from it, known factors first."""
        made = self._made.get(("centre", *directions))
        if made is not None:
            return made
        rest = [column for column in range(len(self.facts.names)) if column not in directions]
        made = unique([self.case(self.centre), *self.ends(self.centre, [*directions, *rest])])
        self._made["centre", *directions] = made
        return made

    def from_extremes(self, directions: dict[int, int]) -> list[Case]:
        """From both extremes: known factors to their other end, then both ends of the other fields."""
        made = self._made.get(("extremes", *directions.items()))
        if made is not None:
            return made
        rest = [column for column in range(len(self.facts.names)) if column not in directions]
        bases = [(side, self.extreme(directions, side)) for side in (1, -1)]
        first, then = [], []
        for side, base in bases:
            first.append(self.case(base))
            for column, direction in directions.items():
                first.append(self.case(self.towards(base, column, float(-side * (direction or 1)))))
            then += self.ends(base, rest)
        made = unique([*first, *then])
        self._made["extremes", *directions.items()] = made
        return made


@dataclass(frozen=True, slots=True)
class Relevance:
    """Fields seen to matter, with their direction: +1, -1, or 0 where comparisons point both ways."""

    directions: dict[int, int]


def relevance(cases: Sequence[Case], s: Array) -> Relevance:
    """Which fields matter, by all pairs of cases that differ in one field only."""
    if len(cases) < 2:
        return Relevance({})
    values = np.asarray(cases)
    differs = values[:, None, :] != values[None, :, :]
    alone = differs.sum(axis=2) == 1
    directions: dict[int, int] = {}
    change = s[:, None] - s[None, :]
    for column in range(values.shape[1]):
        pairs = alone & differs[:, :, column]
        slope = np.where(pairs, change * np.sign(values[:, None, column] - values[None, :, column]), 0.0)
        up, down = slope.max(initial=0.0), -slope.min(initial=0.0)
        if max(up, down) > DIFFERENCE:
            directions[column] = 0 if min(up, down) > DIFFERENCE else (1 if up > down else -1)
    return Relevance(directions)


def disputed(
    designer: Designer, fits: Sequence[Fit], known: set[Case], count: int, rng: np.random.Generator
) -> tuple[list[Case], float]:
    """Legal cases on which the fits disagree most, and the share of cases for which they choose other actions.

    Half of the candidates have the relevant fields near the middle of the best fit's thresholds, where rules that look
    at one field after the other show the later ones.
    """
    pool = designer.pool[rng.permutation(len(designer.pool))[:600]]
    best = fits[0]
    if best.family != "additive":
        near = pool[: len(pool) // 2].copy()
        for at, (column, sign) in enumerate(zip(best.columns, best.signs, strict=True)):
            near[:, column] = np.clip(sign * best.theta[at] + 0.35 * normal(rng, (len(near),)), -1, 1)
        pool = np.concatenate([pool[len(pool) // 2 :], designer._legal(near)])
    predictions = np.stack([fit.predict(pool) for fit in fits])
    spread = predictions.max(axis=0) - predictions.min(axis=0)
    actions = np.digitize(predictions, (-0.5, 0.0, 0.5))
    share = float((actions != actions[0]).any(axis=0).mean())
    order = np.argsort(-spread - 0.01 * rng.random(len(spread)), kind="stable")
    chosen: list[Case] = []
    for at in order:
        case = designer.case(pool[at])
        if case not in known and case not in chosen:
            chosen.append(case)
        if len(chosen) == count:
            break
    return chosen, share


def unique(cases: Iterable[Case]) -> list[Case]:
    """Cases without repetitions, in order."""
    return list(dict.fromkeys(cases))
