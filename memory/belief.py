"""How much evidence makes a rule: counts, a Beta posterior, and the status that follows from them.

A claim is a hypothesis until enough speaks for it; a contradiction reopens what was established; what is mostly
contradicted is retracted. One observation, whatever it was, is never enough for either.
"""

from __future__ import annotations

from collections.abc import Iterable

ENOUGH = 3
"""Steps for a claim before it can be established; steps about it at all before it can be retracted."""
SURE = 0.8
"""Posterior mean from which a claim is established."""
DOUBTFUL = 0.4
"""Posterior mean below which a claim is retracted."""


def mean(supports: int, contradictions: int) -> float:
    """Posterior mean of the share of cases in which a claim holds, from Beta(1, 1)."""
    return (1 + supports) / (2 + supports + contradictions)


def variance(supports: int, contradictions: int) -> float:
    """Variance of the same posterior; 1/12 where nothing is known."""
    a, b = 1 + supports, 1 + contradictions
    return a * b / ((a + b) ** 2 * (a + b + 1))


def status_of(outcomes: Iterable[bool]) -> str:
    """The status after steps that support (True) or contradict (False) a claim, oldest first.

    "hypothesis", "established" or "retracted". A contradiction reopens an established claim: it takes further
    support, with the mean high enough by then, to establish it again. What is retracted stays so.
    """
    supports = contradictions = 0
    status = "hypothesis"
    for supported in outcomes:
        if supported:
            supports += 1
            if supports >= ENOUGH and mean(supports, contradictions) >= SURE:
                status = "established"
        else:
            contradictions += 1
            status = "hypothesis"
        if supports + contradictions >= ENOUGH and mean(supports, contradictions) < DOUBTFUL:
            return "retracted"
    return status


def contradictions_to_retract(supports: int) -> int:
    """How many contradictions in a row retract a claim with so many supports and none against it."""
    against = 0
    while supports + against < ENOUGH or mean(supports, against) >= DOUBTFUL:
        against += 1
    return against
