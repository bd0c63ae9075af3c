"""Rules that explain probes: all four families are fitted to scores by damped least squares from many starts.

A fit knows the relevant fields (from comparisons of cases that differ in one field) and looks for weights or
thresholds, directions where they are open, the priority order, and the calibration. Nothing here knows the hidden
rule or the suite's parameters; the forms are those the opening text describes. The result is the same on every
processor: see `arithmetic`. Shapes: n cases, k relevant fields, R starts, p parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from evoplay.envs.adaexplore.dynamics import Array
from evoplay.envs.adaexplore.reference.arithmetic import exp, log, log_of_product, normal, solve, weighted_sum

Ints = npt.NDArray[np.intp]
CENTRES = (-0.75, -0.25, 0.25, 0.75)
FAMILIES = ("additive", "conjunctive", "disjunctive", "lexicographic")
_GRID = np.linspace(-1.0, 1.0, 801)
_LIKELY = 0.5
"""Weight of an earlier rule's parameters: enough to decide where the probes leave a choice, no more."""
_SCALE = 0.03
"""Residuals well above this count little: a wrong assignment must not bend the rest of a fit."""


def scores_from(utilities: Array) -> Array:
    """The score that explains the four utilities of each case best, shape (n,)."""
    expected = 1.0 - np.abs(_GRID[:, None] - np.asarray(CENTRES)[None, :])
    miss = np.abs(utilities[:, None, :] - expected[None, :, :]).max(axis=2)
    best = miss <= miss.min(axis=1, keepdims=True) + 1e-9
    return np.asarray((best * _GRID).sum(axis=1) / best.sum(axis=1))


@dataclass(frozen=True, slots=True)
class Fit:
    """A rule that was fitted: family, relevant columns, their signs, parameters, priority order, quality."""

    family: str
    columns: tuple[int, ...]
    signs: tuple[int, ...]
    theta: tuple[float, ...]
    order: tuple[int, ...]
    loss: float
    worst: float

    def predict(self, cases: Array) -> Array:
        """Scores of cases given in [-1, 1] by field, shape (n,)."""
        oriented = cases[:, list(self.columns)][None] * np.asarray(self.signs)[None, None, :]
        theta, order = np.asarray([self.theta]), np.asarray([self.order], dtype=np.intp)
        return np.asarray(_values(self.family, oriented, theta, order)[0][0])


def _values(family: str, z: Array, theta: Array, order: Ints) -> tuple[Array, Array, Ints]:
    """Clipped scores, unclipped ones (R, n) and the deciding column (R, n) for oriented values z (R, n, k).

    Parameters, per start: additive: k log weights, centre, log of the slope above it; the others: k thresholds, log
    slopes below and above; lexicographic in addition: centre, and log of the band.
    """
    k = z.shape[2]
    if family == "additive":
        decisive = np.zeros(z.shape[:2], dtype=np.intp)
        value = weighted_sum(exp(theta[:, :k]), z) - theta[:, k, None]
        raw = np.where(value > 0, exp(theta[:, k + 1, None]), 1.0) * value
        return np.clip(raw, -1.0, 1.0), raw, decisive
    margin = z - theta[:, None, :k]
    if family == "conjunctive":
        decisive = margin.argmin(axis=2)
    elif family == "disjunctive":
        decisive = margin.argmax(axis=2)
    else:
        beyond = np.abs(margin) > exp(theta[:, k + 3, None, None])
        rows = np.arange(len(z))[:, None]
        decisive = np.broadcast_to(order[:, k - 1, None], z.shape[:2]).copy()
        for place in range(k - 2, -1, -1):
            column = order[:, place]
            decisive = np.where(
                beyond[rows, np.arange(z.shape[1])[None, :], column[:, None]], column[:, None], decisive
            )
    value = np.take_along_axis(margin, decisive[:, :, None], axis=2)[:, :, 0]
    if family == "lexicographic":
        value = value - theta[:, k + 2, None]
    slopes = exp(theta[:, k : k + 2])
    raw = np.where(value > 0, slopes[:, 1, None], slopes[:, 0, None]) * value
    return np.clip(raw, -1.0, 1.0), raw, decisive


def _gradient(family: str, z: Array, theta: Array, raw: Array, decisive: Ints) -> Array:
    """Derivatives of the scores by the parameters, (R, n, p); 0 where a score is clipped, and for the band."""
    starts, n, k = z.shape
    gradient = np.zeros((starts, n, theta.shape[1]))
    above = raw > 0
    if family == "additive":
        slope = np.where(above, exp(theta[:, k + 1, None]), 1.0)
        gradient[:, :, :k] = slope[:, :, None] * exp(theta[:, None, :k]) * z
        gradient[:, :, k] = -slope
        gradient[:, :, k + 1] = np.where(above, raw, 0.0)
    else:
        slopes = exp(theta[:, k : k + 2])
        slope = np.where(above, slopes[:, 1, None], slopes[:, 0, None])
        np.put_along_axis(gradient, decisive[:, :, None], -slope[:, :, None], axis=2)
        gradient[:, :, k] = np.where(above, 0.0, raw)
        gradient[:, :, k + 1] = np.where(above, raw, 0.0)
        if family == "lexicographic":
            gradient[:, :, k + 2] = -slope
    return np.asarray(gradient * (np.abs(raw) < 1.0)[:, :, None])


def _loss(residual: Array) -> Array:
    return log_of_product(1.0 + (residual / _SCALE) ** 2)


@dataclass(frozen=True, slots=True)
class Prior:
    """What an earlier rule makes likely: targets (R, p) and weights (R, p); weight 0 where nothing is known."""

    target: Array
    weight: Array

    def loss(self, theta: Array) -> Array:
        return np.asarray((self.weight * (theta - self.target) ** 2).sum(axis=1))

    def at(self, rows: Ints) -> Prior:
        return Prior(self.target[rows], self.weight[rows])


def _descend(
    family: str, z: Array, s: Array, theta: Array, order: Ints, prior: Prior, rounds: int
) -> tuple[Array, Array]:
    """Damped, reweighted Gauss-Newton of all starts at once; parameters and losses."""
    damping = np.full(len(theta), 0.1)
    value, raw, decisive = _values(family, z, theta, order)
    loss = _loss(value - s) + prior.loss(theta)
    pull = prior.weight * _SCALE**2
    for _ in range(rounds):
        gradient = _gradient(family, z, theta, raw, decisive)
        step = _step(gradient, value - s, damping, pull, theta - prior.target)
        trial = theta - np.clip(step, -0.5, 0.5)
        trial_value, trial_raw, trial_decisive = _values(family, z, trial, order)
        trial_loss = _loss(trial_value - s) + prior.loss(trial)
        better = trial_loss < loss
        theta = np.where(better[:, None], trial, theta)
        value = np.where(better[:, None], trial_value, value)
        raw = np.where(better[:, None], trial_raw, raw)
        decisive = np.where(better[:, None], trial_decisive, decisive)
        loss = np.where(better, trial_loss, loss)
        damping = np.where(better, damping * 0.3, damping * 4.0).clip(1e-6, 1e6)
    return theta, loss


def _step(gradient: Array, residual: Array, damping: Array, pull: Array, away: Array) -> Array:
    """The step of each start (R, p) before it is limited: the normal equations, damped, pulled to the earlier rule."""
    parameters = range(gradient.shape[2])
    columns = [np.ascontiguousarray(gradient[:, :, at]) for at in parameters]
    weight = 1.0 / (1.0 + (residual / _SCALE) ** 2)
    weighted = [column * weight for column in columns]
    curvature = [[(weighted[row] * columns[column]).sum(axis=1) for column in range(row + 1)] for row in parameters]
    scale = np.stack([curvature[at][at] for at in parameters]).sum(axis=0) / len(parameters)
    added = damping * (scale + 1e-6)
    for at in parameters:
        curvature[at][at] = curvature[at][at] + added + pull[:, at]
    slope = [(weighted[at] * residual).sum(axis=1) + pull[:, at] * away[:, at] for at in parameters]
    return np.stack(solve(curvature, slope), axis=1)


def _prior(family: str, columns: Sequence[int], sign: Array, earlier: Fit | None) -> Prior:
    """Parameters are likely to be what they were under the earlier rule, where they mean the same."""
    k, count = len(columns), len(sign)
    width = {"additive": k + 2, "lexicographic": k + 4}.get(family, k + 2)
    target, weight = np.zeros((count, width)), np.zeros((count, width))
    if earlier is None or earlier.family != family:
        return Prior(target, weight)
    before = len(earlier.columns)
    target[:, k:] = np.asarray(earlier.theta[before:])
    weight[:, k:] = _LIKELY
    for at, column in enumerate(columns):
        if column not in earlier.columns:
            continue
        place = earlier.columns.index(column)
        same = sign[:, at] == earlier.signs[place]
        target[:, at] = earlier.theta[place]
        weight[:, at] = np.where(same, _LIKELY, 0.0)
        if family == "additive":
            weight[:, at] = _LIKELY
        elif family == "lexicographic":
            # A threshold turns with its direction, as long as the centre is kept apart from it.
            target[:, at] = np.where(same, earlier.theta[place], -earlier.theta[place])
            weight[:, at] = _LIKELY
    return Prior(target, weight)


def _starts(family: str, k: int, signs: Sequence[Sequence[int]], rng: np.random.Generator) -> tuple[Array, Ints, Array]:
    """Initial parameters (R, p), orders (R, k) and signs (R, k)."""
    orders = list(permutations(range(k))) if family == "lexicographic" else [tuple(range(k))]
    repeats = {"additive": 4, "conjunctive": 32, "disjunctive": 32, "lexicographic": 12 if k < 4 else 6}[family]
    combos = [(sign, order) for sign in signs for order in orders for _ in range(repeats)]
    count = len(combos)
    if family == "additive":
        parts = [0.4 * normal(rng, (count, k)), 0.2 * normal(rng, (count, 1)), np.zeros((count, 1))]
    else:
        parts = [1.6 * rng.random((count, k)) - 0.8, 0.3 + 0.5 * normal(rng, (count, 2))]
        if family == "lexicographic":
            parts += [0.15 * normal(rng, (count, 1)), log(0.25 + 0.5 * rng.random((count, 1)))]
    orders_of = np.asarray([order for _, order in combos], dtype=np.intp)
    return np.concatenate(parts, axis=1), orders_of, np.asarray([sign for sign, _ in combos], dtype=np.float64)


def _settle_bands(z: Array, s: Array, theta: Array, order: Ints, prior: Prior, k: int) -> Array:
    """Try common shifts of thresholds against the centre, and band widths: only assignments tell them apart."""
    loss = _loss(_values("lexicographic", z, theta, order)[0] - s) + prior.loss(theta)
    for shift, band in product(np.linspace(-0.36, 0.36, 9), log(np.linspace(0.2, 0.8, 7))):
        trial = theta.copy()
        trial[:, :k] += shift
        trial[:, k + 2] -= shift
        trial[:, k + 3] = band
        trial_loss = _loss(_values("lexicographic", z, trial, order)[0] - s) + prior.loss(trial)
        better = trial_loss < loss - 1e-9
        theta = np.where(better[:, None], trial, theta)
        loss = np.where(better, trial_loss, loss)
    return theta


def fit_family(
    family: str,
    cases: Array,
    s: Array,
    columns: tuple[int, ...],
    signs: Sequence[Sequence[int]],
    rng: np.random.Generator,
    *,
    keep: int = 6,
    earlier: Fit | None = None,
) -> list[Fit]:
    """The best fits of a family, best first.

    `cases` (n, fields) in [-1, 1], `s` (n,), `signs` the candidates; `earlier` is the fit of a rule that was in force
    before: where the probes leave a choice, the fit nearest to it is taken.
    """
    k = len(columns)
    theta, order, sign = _starts(family, k, signs, rng)
    prior = _prior(family, columns, sign, earlier)
    known = (prior.weight > 0) & (np.arange(len(theta)) % 2 == 0)[:, None]
    theta = np.where(known, prior.target, theta)
    z = cases[:, list(columns)][None] * sign[:, None, :]
    theta, loss = _descend(family, z, s, theta, order, prior, rounds=25 if family != "lexicographic" else 12)
    if family == "lexicographic":
        for _ in range(2):
            best = np.argsort(loss, kind="stable")[: max(16, len(loss) // 6)]
            theta, order, sign, z, prior = theta[best], order[best], sign[best], z[best], prior.at(best)
            theta = _settle_bands(z, s, theta, order, prior, k)
            theta, loss = _descend(family, z, s, theta, order, prior, rounds=15)
    best = np.argsort(loss, kind="stable")[:keep]
    worst = np.abs(_values(family, z[best], theta[best], order[best])[0] - s).max(axis=1)
    return [
        Fit(
            family,
            columns,
            tuple(int(value) for value in sign[at]),
            tuple(float(value) for value in theta[at]),
            tuple(int(value) for value in order[at]),
            float(loss[at]),
            float(bad),
        )
        for at, bad in zip(best, worst, strict=True)
    ]


def band_variants(fit: Fit, cases: Array, s: Array, rng: np.random.Generator, count: int = 10) -> list[Fit]:
    """Lexicographic fits that explain the probes as well, with other bands and thresholds shifted in common.

    The scores of a lexicographic rule tell each threshold only up to a shift shared by all of them and the centre;
    where the bands lie shows in nothing but which factor decides. The first of the result lies in the middle of what
    is possible.
    """
    k = len(fit.columns)
    grid = np.asarray(list(product(np.linspace(-0.5, 0.5, 41), log(np.linspace(0.15, 0.9, 31)))))
    theta = np.repeat(np.asarray([fit.theta]), len(grid), axis=0)
    theta[:, :k] += grid[:, :1]
    theta[:, k + 2] -= grid[:, 0]
    theta[:, k + 3] = grid[:, 1]
    z = np.broadcast_to(cases[:, list(fit.columns)][None] * np.asarray(fit.signs), (len(grid), len(cases), k))
    order = np.repeat(np.asarray([fit.order], dtype=np.intp), len(grid), axis=0)
    residual = np.abs(_values("lexicographic", z, theta, order)[0] - s)
    loss = _loss(residual)
    good = np.flatnonzero(loss <= max(fit.loss, float(loss.min())) + 0.5)
    if not len(good):
        return [fit]
    middle = grid[good].mean(axis=0)
    central = good[int((((grid[good] - middle) / (0.2, 0.3)) ** 2).sum(axis=1).argmin())]
    chosen = [int(central), *(int(at) for at in rng.permutation(good)[:count])]
    return [
        replace(fit, theta=tuple(theta[at].tolist()), loss=float(loss[at]), worst=float(residual[at].max()))
        for at in chosen
    ]
