"""Rules that explain probes: all four families are fitted to scores by damped least squares from many starts.

A fit knows the relevant fields (from comparisons of cases that differ in one field) and looks for weights or
thresholds, directions where they are open, the priority order, and the calibration. Nothing here knows the hidden
rule or the suite's parameters; the forms are those the opening text describes. Shapes: n cases, k relevant fields,
R starts, p parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from evoplay.envs.adaexplore.dynamics import Array

Ints = npt.NDArray[np.intp]
CENTRES = (-0.75, -0.25, 0.25, 0.75)
FAMILIES = ("additive", "conjunctive", "disjunctive", "lexicographic")
_GRID = np.linspace(-1.0, 1.0, 801)
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
        return np.asarray(_predict(self.family, oriented, theta, order)[0][0])


def _predict(family: str, z: Array, theta: Array, order: Ints) -> tuple[Array, Array]:
    """Scores (R, n) and their derivatives (R, n, p) for oriented values z (R, n, k).

    Parameters, per start: additive: k log weights, centre, log of the slope above it; the others: k thresholds, log
    slopes below and above; lexicographic in addition: centre, and log of the band (no derivative).
    """
    starts, n, k = z.shape
    gradient = np.zeros((starts, n, theta.shape[1]))
    rows = np.arange(starts)[:, None]
    columns = np.arange(n)[None, :]
    if family == "additive":
        weights = np.exp(theta[:, None, :k])
        parts = weights * z
        value = parts.sum(axis=2) - theta[:, k, None]
        slope = np.where(value > 0, np.exp(theta[:, k + 1, None]), 1.0)
        raw = slope * value
        gradient[:, :, :k] = slope[:, :, None] * parts
        gradient[:, :, k] = -slope
        gradient[:, :, k + 1] = np.where(value > 0, raw, 0.0)
    else:
        margin = z - theta[:, None, :k]
        if family == "conjunctive":
            decisive = margin.argmin(axis=2)
        elif family == "disjunctive":
            decisive = margin.argmax(axis=2)
        else:
            ranked = np.take_along_axis(margin, np.broadcast_to(order[:, None, :], margin.shape), axis=2)
            beyond = np.abs(ranked) > np.exp(theta[:, k + 3, None, None])
            place = np.where(beyond.any(axis=2), beyond.argmax(axis=2), k - 1)
            decisive = order[rows, place]
        value = margin[rows, columns, decisive]
        if family == "lexicographic":
            value = value - theta[:, k + 2, None]
        slope = np.exp(np.where(value > 0, theta[:, k + 1, None], theta[:, k, None]))
        raw = slope * value
        gradient[rows, columns, decisive] = -slope
        gradient[:, :, k] = np.where(value > 0, 0.0, raw)
        gradient[:, :, k + 1] = np.where(value > 0, raw, 0.0)
        if family == "lexicographic":
            gradient[:, :, k + 2] = -slope
    inside = np.abs(raw) < 1.0
    return np.clip(raw, -1.0, 1.0), gradient * inside[:, :, None]


def _loss(residual: Array) -> Array:
    return np.asarray(np.log1p((residual / _SCALE) ** 2).sum(axis=-1))


def _descend(family: str, z: Array, s: Array, theta: Array, order: Ints, rounds: int) -> tuple[Array, Array]:
    """Damped, reweighted Gauss-Newton of all starts at once; parameters and losses."""
    damping = np.full(len(theta), 0.1)
    value, gradient = _predict(family, z, theta, order)
    loss = _loss(value - s)
    eye = np.eye(theta.shape[1])
    for _ in range(rounds):
        residual = value - s
        weight = 1.0 / (1.0 + (residual / _SCALE) ** 2)
        weighted = gradient * weight[:, :, None]
        curvature = np.matmul(weighted.transpose(0, 2, 1), gradient)
        scale = np.trace(curvature, axis1=1, axis2=2) / theta.shape[1] + 1e-6
        curvature = curvature + (damping * scale)[:, None, None] * eye
        step = np.linalg.solve(curvature, np.matmul(weighted.transpose(0, 2, 1), residual[:, :, None]))[:, :, 0]
        trial = theta - np.clip(step, -0.5, 0.5)
        trial_value, trial_gradient = _predict(family, z, trial, order)
        trial_loss = _loss(trial_value - s)
        better = trial_loss < loss
        theta = np.where(better[:, None], trial, theta)
        value = np.where(better[:, None], trial_value, value)
        gradient = np.where(better[:, None, None], trial_gradient, gradient)
        loss = np.where(better, trial_loss, loss)
        damping = np.where(better, damping * 0.3, damping * 4.0).clip(1e-6, 1e6)
    return theta, loss


def _starts(
    family: str, k: int, signs: Sequence[Sequence[int]], rng: np.random.Generator, warm: Sequence[float] | None
) -> tuple[Array, Ints, Array]:
    """Initial parameters (R, p), orders (R, k) and signs (R, k)."""
    orders = list(permutations(range(k))) if family == "lexicographic" else [tuple(range(k))]
    repeats = {"additive": 4, "conjunctive": 32, "disjunctive": 32, "lexicographic": 12 if k < 4 else 6}[family]
    combos = [(sign, order) for sign in signs for order in orders for _ in range(repeats)]
    count = len(combos)
    if family == "additive":
        theta = np.concatenate(
            [rng.normal(0, 0.4, (count, k)), rng.normal(0, 0.2, (count, 1)), np.zeros((count, 1))], 1
        )
    else:
        slopes = rng.normal(0.3, 0.5, (count, 2))
        theta = np.concatenate([rng.uniform(-0.8, 0.8, (count, k)), slopes], axis=1)
        if family == "lexicographic":
            band = np.log(rng.uniform(0.25, 0.75, (count, 1)))
            theta = np.concatenate([theta, rng.normal(0, 0.15, (count, 1)), band], axis=1)
    if warm is not None and len(warm) == theta.shape[1]:
        theta[::repeats] = np.asarray(warm)
    return theta, np.asarray([order for _, order in combos], dtype=np.intp), np.asarray([sign for sign, _ in combos])


def _settle_bands(z: Array, s: Array, theta: Array, order: Ints, k: int) -> tuple[Array, Array]:
    """Try common shifts of thresholds against the centre, and band widths: only assignments tell them apart."""
    loss = _loss(_predict("lexicographic", z, theta, order)[0] - s)
    for shift, band in product(np.linspace(-0.36, 0.36, 13), np.linspace(0.2, 0.8, 13)):
        trial = theta.copy()
        trial[:, :k] += shift
        trial[:, k + 2] -= shift
        trial[:, k + 3] = np.log(band)
        trial_loss = _loss(_predict("lexicographic", z, trial, order)[0] - s)
        better = trial_loss < loss - 1e-9
        theta = np.where(better[:, None], trial, theta)
        loss = np.where(better, trial_loss, loss)
    return theta, loss


def fit_family(
    family: str,
    cases: Array,
    s: Array,
    columns: tuple[int, ...],
    signs: Sequence[Sequence[int]],
    rng: np.random.Generator,
    *,
    keep: int = 6,
    warm: Sequence[float] | None = None,
) -> list[Fit]:
    """The best fits of a family, best first. `cases` (n, fields) in [-1, 1], `s` (n,), `signs` the candidates."""
    k = len(columns)
    theta, order, sign = _starts(family, k, signs, rng, warm)
    z = cases[:, list(columns)][None] * sign[:, None, :]
    theta, loss = _descend(family, z, s, theta, order, rounds=25 if family != "lexicographic" else 12)
    if family == "lexicographic":
        for _ in range(2):
            best = np.argsort(loss)[: max(16, len(loss) // 6)]
            theta, order, sign, z = theta[best], order[best], sign[best], z[best]
            theta, loss = _settle_bands(z, s, theta, order, k)
            theta, loss = _descend(family, z, s, theta, order, rounds=15)
    best = np.argsort(loss)[:keep]
    worst = np.abs(_predict(family, z[best], theta[best], order[best])[0] - s).max(axis=1)
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
