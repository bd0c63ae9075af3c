"""Exp, log, sums and linear equations that come out the same to the last bit on every processor.

BLAS and LAPACK order their operations, and numpy approximates exp and log, by the kind of processor. Where many starts
compete, such a last bit decides which of them wins, and with it the actions. Here everything is made of single
additions, multiplications, divisions and comparisons, which IEEE 754 fixes, in an order that the shapes alone decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evoplay.envs.adaexplore.dynamics import Array

_LN2_HIGH = float.fromhex("0x1.62e42fefa38p-1")
"""ln 2 to 40 bits: its product with an exponent is exact."""
_LN2_LOW = float.fromhex("0x1.ef35793c7673p-45")
_EXPONENTIAL = [1.0 / math.factorial(power) for power in range(13, -1, -1)]
_LOGARITHM = [2.0 / power for power in range(23, 0, -2)]
_ROOT_HALF = 0.7071067811865476
_BLOCK = 64
"""Factors multiplied before the exponent is taken out: none is above 2**13, so the product stays finite."""


def exp(x: Array) -> Array:
    """e to the x, by element, for x from -700 to 700; within a few units of the last place."""
    twos = np.rint(x / (_LN2_HIGH + _LN2_LOW))
    return np.asarray(np.ldexp(_polynomial(_EXPONENTIAL, (x - twos * _LN2_HIGH) - twos * _LN2_LOW), twos.astype(int)))


def log(x: Array) -> Array:
    """The natural logarithm, by element, for x > 0; within a few units of the last place."""
    fraction, twos = np.frexp(x)
    low = fraction < _ROOT_HALF
    fraction, twos = np.where(low, 2.0 * fraction, fraction), np.where(low, twos - 1, twos)
    ratio = (fraction - 1.0) / (fraction + 1.0)
    return np.asarray(twos * _LN2_HIGH + (ratio * _polynomial(_LOGARITHM, ratio * ratio) + twos * _LN2_LOW))


def log_of_product(factors: Array) -> Array:
    """The sum over the last axis of the logarithms of numbers from 1 to 2**13."""
    total = np.zeros(factors.shape[:-1])
    for at in range(0, factors.shape[-1], _BLOCK):
        total = total + log(np.multiply.reduce(factors[..., at : at + _BLOCK], axis=-1))
    return total


def weighted_sum(weights: Array, columns: Array) -> Array:
    """Sums over the last axis, column by column: weights (R, k) and columns (R, n, k) give (R, n)."""
    total = np.zeros(columns.shape[:2])
    for at in range(columns.shape[2]):
        total = total + weights[:, at, None] * columns[:, :, at]
    return total


def solve(matrix: Sequence[Sequence[Array]], right: Sequence[Array]) -> list[Array]:
    """Solutions of R symmetric, positive definite systems of p equations at once, by elimination.

    `matrix[i][j]` holds the elements (R,) of row i and column j <= i; `right[i]` (R,); p solutions (R,) come back.
    """
    p = len(right)
    rows = [list(row[: at + 1]) for at, row in enumerate(matrix)]
    found = list(right)
    for at in range(p):
        for below in range(at + 1, p):
            share = rows[below][at] / rows[at][at]
            for column in range(at + 1, below + 1):
                rows[below][column] = rows[below][column] - share * rows[column][at]
            found[below] = found[below] - share * found[at]
    for at in reversed(range(p)):
        for below in range(at + 1, p):
            found[at] = found[at] - rows[below][at] * found[below]
        found[at] = found[at] / rows[at][at]
    return found


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Standard normal numbers, rounded: the generator's tails use the C library's logarithm."""
    return np.asarray(np.round(rng.standard_normal(shape), 9))


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """The highest power first."""
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value
