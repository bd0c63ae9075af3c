"""Counting: the posterior, the status, and what a single observation can never do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.memory.belief import contradictions_to_retract, mean, status_of, variance

outcomes = st.lists(st.booleans(), max_size=60)


@given(st.integers(0, 500), st.integers(0, 500))
def test_mean_and_variance_are_those_of_the_posterior(supports, contradictions):
    a, b = supports + 1, contradictions + 1
    # E[p] = B(a+1, b) / B(a, b), by log-gamma, and likewise the second moment.
    moment = [
        math.exp(math.lgamma(a + n) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(a + b + n)) for n in (1, 2)
    ]
    assert mean(supports, contradictions) == pytest.approx(moment[0])
    assert variance(supports, contradictions) == pytest.approx(moment[1] - moment[0] ** 2, abs=1e-9)


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        ("", "hypothesis"),
        ("+", "hypothesis"),
        ("-", "hypothesis"),
        ("++", "hypothesis"),
        ("--", "hypothesis"),
        ("+++", "established"),
        ("---", "retracted"),
        ("+--", "hypothesis"),  # mean exactly 0.4
        ("+---", "retracted"),
        ("-+++", "hypothesis"),  # mean 4/6
        ("-+++++++", "established"),  # 8/10, at the seventh support
        ("-++++++", "hypothesis"),
        ("+++-", "hypothesis"),  # reopened
        ("+++-+++", "hypothesis"),  # 7/9
        ("+++-++++", "established"),  # 8/10
        ("++++++++++-", "hypothesis"),  # 11/13 would be enough, but it was just contradicted
        ("++++++++++-+", "established"),
        ("+++-----", "hypothesis"),  # 4/10, exactly 0.4
        ("+++------", "retracted"),
        ("---+++++++++", "retracted"),  # stays so
    ],
)
def test_the_status_after(seen, status):
    assert status_of(one == "+" for one in seen) == status


@given(outcomes)
def test_only_enough_support_establishes_and_only_contradictions_retract(seen):
    status = status_of(seen)
    supports = sum(seen)
    if status == "established":
        assert supports >= 3
        assert mean(supports, len(seen) - supports) >= 0.8
        assert seen[-1]
    if status == "retracted":
        assert seen.count(False) >= 2


@given(outcomes)
def test_one_contradiction_more_never_speaks_for_a_claim(seen):
    order = ("retracted", "hypothesis", "established")
    assert order.index(status_of([*seen, False])) <= order.index(status_of(seen))
    assert status_of([*seen, False]) != "established"


@given(outcomes, st.integers(0, 59))
def test_one_failure_alone_never_decides(seen, at):
    one = [outcome for outcome in seen if outcome]
    one.insert(min(at, len(one)), False)
    assert status_of(one) != "retracted"
    assert status_of([False]) == status_of([True]) == "hypothesis"


@given(st.integers(3, 200))
def test_a_reversed_rule_is_reopened_at_once_and_retracted_within_the_count(supports):
    assert status_of([True] * supports) == "established"
    assert status_of([True] * supports + [False]) == "hypothesis"
    needed = contradictions_to_retract(supports)
    # The smallest c with (1 + s) / (2 + s + c) < 2/5.
    assert needed == (3 * supports + 1) // 2 + 1
    assert status_of([True] * supports + [False] * (needed - 1)) == "hypothesis"
    assert status_of([True] * supports + [False] * needed) == "retracted"


def test_a_rule_with_three_steps_for_it_takes_six_against_it():
    assert contradictions_to_retract(3) == 6
