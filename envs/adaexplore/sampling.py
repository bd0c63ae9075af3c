"""Cases from field distributions under constraints.

Every case is one row of independent uniform numbers, turned into field values by the inverse distribution functions,
rounded to the field's decimals; rows that break a constraint are drawn again. So a population is a function of one
stream of uniform numbers, which lets others recompute it from an exported episode.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from evoplay.envs.adaexplore.blueprints import BINDING, Blueprint, Constraint, FieldSpec
from evoplay.envs.adaexplore.config import WORLD
from evoplay.envs.adaexplore.dynamics import Array

SLACK = 1e-9
"""Sums this little above a bound still keep the constraint: rounding of the sum itself."""


class Infeasible(ValueError):
    """The constraints leave too few cases."""


def values_from(uniform: Array, spec: FieldSpec) -> Array:
    """Field values for uniform numbers in [0, 1), rounded to the field's decimals and inside its range."""
    low, high = spec.low, spec.high
    kind, parameters = spec.draw
    if kind == "normal":
        mean, sd = parameters
        below, above = ndtr((low - mean) / sd), ndtr((high - mean) / sd)
        raw = mean + sd * ndtri(below + uniform * (above - below))
    elif kind == "triangular":
        (mode,) = parameters
        turn = (mode - low) / (high - low)
        rising = low + np.sqrt(uniform * (high - low) * (mode - low))
        falling = high - np.sqrt((1.0 - uniform) * (high - low) * (high - mode))
        raw = np.where(uniform < turn, rising, falling)
    elif kind == "log_uniform":
        raw = low * (high / low) ** uniform
    elif kind == "grid":
        (step,) = parameters
        count = round((high - low) / step) + 1
        raw = low + step * np.floor(uniform * count)
    else:
        raw = low + uniform * (high - low)
    return np.asarray(np.clip(np.round(raw, spec.decimals), low, high) + 0.0)


def keeps(constraint: Constraint, names: Sequence[str], cases: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which cases keep a constraint, shape (n,)."""
    total = np.zeros(len(cases))
    for name, coefficient in constraint.terms:
        total = total + coefficient * cases[:, names.index(name)]
    return np.asarray(total <= constraint.at_most + SLACK)


def free_draws(rng: np.random.Generator, specs: Sequence[FieldSpec], count: int) -> Array:
    """Cases without regard to constraints, shape (count, fields)."""
    uniform = rng.random((count, len(specs)))
    return np.stack([values_from(uniform[:, column], spec) for column, spec in enumerate(specs)], axis=1)


def feasible_cases(
    rng: np.random.Generator, specs: Sequence[FieldSpec], constraints: Sequence[Constraint], count: int
) -> Array:
    """Cases that keep every constraint, shape (count, fields), in the order drawn: `count` rows a round.

    Raises Infeasible after `WORLD.draw_rounds` rounds.
    """
    names = [spec.name for spec in specs]
    found: list[Array] = []
    have = 0
    for _ in range(WORLD.draw_rounds):
        cases = free_draws(rng, specs, count)
        for constraint in constraints:
            cases = cases[keeps(constraint, names, cases)]
        found.append(cases)
        have += len(cases)
        if have >= count:
            return np.asarray(np.concatenate(found)[:count])
    raise Infeasible(f"{have} of {count} cases kept the constraints after {WORLD.draw_rounds} rounds")


def binding_faults(blueprint: Blueprint, draws: int = 20_000) -> list[str]:
    """What is wrong with the constraints of a blueprint: each, and all together, must break a share of free draws."""
    cases = free_draws(np.random.default_rng(0), blueprint.fields, draws)
    names = [spec.name for spec in blueprint.fields]
    broken = [~keeps(constraint, names, cases) for constraint in blueprint.constraints]
    least, most = BINDING
    shares = [("all constraints together", float(np.any(broken, axis=0).mean()))]
    shares += [(" / ".join(c.names), float(b.mean())) for c, b in zip(blueprint.constraints, broken, strict=True)]
    return [
        f"{blueprint.domain}/{blueprint.task}, constraints: {label} break {share:.1%} of free draws; "
        f"expected {least:.0%} to {most:.0%}: loosen or tighten the bound"
        for label, share in shares
        if not least <= share <= most
    ]
