"""The four families, the calibration and the utilities, on cases worked out by hand and by property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs.adaexplore.dynamics import (
    Calibration,
    Factor,
    Ranges,
    Rule,
    best_actions,
    calibrate,
    drifted,
    evidence,
    has_gaps,
    scores,
    utilities,
    utilities_of,
)

RANGES = Ranges(("a", "b", "c"), (0.0, 0.0, -10.0), (100.0, 10.0, 10.0))
CASES = np.array([[75.0, 5.0, 0.0], [0.0, 10.0, -10.0], [50.0, 2.5, 9.0]])
# Normalised: (0.5, 0, 0), (-1, 1, -1), (0, -0.5, 0.9).
FACTORS = (Factor("a", 1, 0.6, 50.0), Factor("b", -1, 0.4, 7.5))


def test_additive_evidence():
    rule = Rule("additive", FACTORS, bias=0.1)
    assert evidence(rule, RANGES, CASES) == pytest.approx([0.1 + 0.3, 0.1 - 0.6 - 0.4, 0.1 + 0.2])


def test_conjunctive_and_disjunctive_take_the_worst_and_the_best_margin():
    # Margins of a: 0.5, -1, 0; of b with threshold 0.5 and direction -1: 0.5, -0.5, 1.
    assert evidence(Rule("conjunctive", FACTORS), RANGES, CASES) == pytest.approx([0.5, -1.0, 0.0])
    assert evidence(Rule("disjunctive", FACTORS), RANGES, CASES) == pytest.approx([0.5, -0.5, 1.0])


def test_lexicographic_takes_the_first_beyond_the_band_else_the_last():
    # a decides only in the second case: 0.5 is not beyond a band of 0.5.
    assert evidence(Rule("lexicographic", FACTORS), RANGES, CASES) == pytest.approx([0.5, -1.0, 1.0])
    assert evidence(Rule("lexicographic", FACTORS, delta=0.4), RANGES, CASES) == pytest.approx([0.5, -1.0, 1.0])
    last = Rule("lexicographic", FACTORS[::-1], delta=2.0)
    assert evidence(last, RANGES, CASES) == pytest.approx([0.5, -1.0, 0.0])


def test_priority_matters():
    case = np.array([[100.0, 10.0, 0.0]])
    first, second = Rule("lexicographic", FACTORS, delta=0.1), Rule("lexicographic", FACTORS[::-1], delta=0.1)
    assert evidence(first, RANGES, case) == pytest.approx([1.0])
    assert evidence(second, RANGES, case) == pytest.approx([-0.5])


def test_the_calibration_maps_quartiles_to_the_boundaries():
    calibration = calibrate(np.array([0.0, 1.0, 2.0, 4.0, 12.0]))
    assert calibration == Calibration(1.0, 2.0, 4.0)
    raw = np.array([1.0, 2.0, 4.0, 0.0, 3.0, -5.0, 100.0])
    assert scores(raw, calibration) == pytest.approx([-0.5, 0.0, 0.5, -1.0, 0.25, -1.0, 1.0])


def test_gaps_between_quartiles():
    assert has_gaps(Calibration(0.0, 0.001, 0.5), 0.001)
    assert not has_gaps(Calibration(0.0, 0.0009, 0.5), 0.001)
    assert not has_gaps(Calibration(0.0, 0.5, 0.5), 0.001)


@given(st.floats(-1, 1))
def test_the_best_action_changes_exactly_at_the_boundaries(score):
    values = utilities(np.array([score]))
    expected = 0 if score <= -0.5 else 1 if score <= 0 else 2 if score <= 0.5 else 3
    assert best_actions(values)[0] == expected or abs(score - round(2 * score) / 2) < 1e-11
    assert values[0] == pytest.approx([1 - abs(score - centre) for centre in (-0.75, -0.25, 0.25, 0.75)])


def test_at_a_boundary_both_neighbours_are_best_and_the_weaker_is_named():
    values = utilities(np.array([-0.5, 0.0, 0.5]))
    assert best_actions(values).tolist() == [0, 1, 2]
    assert values[0, 0] == values[0, 1]
    assert values[1, 1] == values[1, 2]
    assert values[2, 2] == values[2, 3]


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=30), st.sampled_from(["additive", "conjunctive", "disjunctive"]))
def test_scores_rise_with_evidence(values, family):
    raw = np.sort(np.array(values))
    found = scores(raw, Calibration(-0.7, 0.1, 0.4))
    assert (np.diff(found) >= 0).all()
    assert (np.abs(found) <= 1).all()


@pytest.mark.parametrize("family", ["additive", "conjunctive", "disjunctive", "lexicographic"])
def test_each_action_is_best_for_a_quarter_of_the_population(family):
    population = np.random.default_rng(2).uniform(RANGES.low, RANGES.high, (4000, 3))
    rule = Rule(family, FACTORS)
    calibration = calibrate(evidence(rule, RANGES, population))
    best = best_actions(utilities_of(rule, calibration, RANGES, population))
    assert np.bincount(best, minlength=4) / 4000 == pytest.approx([0.25] * 4, abs=0.001)


def test_a_drift_replaces_one_factor_and_turns_another():
    rule = Rule("additive", FACTORS)
    new = drifted(rule, "a", Factor("c", -1, 0.0, 3.0), "b")
    assert new.factors == (Factor("c", -1, 0.6, 3.0), Factor("b", 1, 0.4, 7.5))
    assert rule.directions == {"a": 1, "b": -1}
    assert new.directions == {"c": -1, "b": 1}


def test_leaving_a_factor_out():
    assert Rule("additive", FACTORS).without("a").factors == FACTORS[1:]
