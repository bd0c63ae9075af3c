"""Correlations and paired comparisons, against scipy and on cases worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evoplay.evaluation.drift import centred, compare_settings, paired, ranks, reprobing, spearman
from evoplay.evaluation.exploration import Explored, Probed

values = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=4, max_size=40)


@given(values)
def test_spearman_is_that_of_scipy(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    found = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.rho is None
        return
    expected = stats.spearmanr(x, y)
    assert found.rho == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.n == len(pairs)


@given(st.lists(st.integers(-3, 3) | st.floats(-3, 3), min_size=1, max_size=30))
def test_ranks_are_those_of_scipy(numbers):
    assert ranks(np.array(numbers, dtype=float)) == pytest.approx(stats.rankdata(numbers))


def test_few_values_and_uneven_lists():
    assert spearman([1, 2], [1, 2]).rho is None
    assert spearman([1, 2, 3], [3, 2, 1]).rho == -1
    with pytest.raises(ValueError, match="needs pairs"):
        spearman([1], [1, 2])


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=4, max_size=30))
def test_paired_tests_are_those_of_scipy(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    gap = np.subtract(second, first)
    if np.ptp(gap) < 1e-6:
        return
    found, expected = paired(first, second), stats.ttest_rel(second, first)
    assert found.mean == pytest.approx(gap.mean())
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
    assert found.ci == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-6, abs=1e-9)
    assert found.wilcoxon_p == pytest.approx(stats.wilcoxon(second, first).pvalue, rel=1e-6)


def test_the_signed_rank_p_of_a_small_case():
    # All five differences positive: 2 of the 2^5 sign patterns are as extreme.
    assert paired([0] * 5, [1, 2, 3, 4, 5]).wilcoxon_p == pytest.approx(2 / 32)


def test_no_difference_and_no_pairs():
    same = paired([1, 2, 3], [1, 2, 3])
    assert (same.mean, same.p, same.wilcoxon_p) == (0, 1, 1)
    assert paired([1, 1, 1], [2, 2, 2]).p == 0
    assert paired([1, 2], [2, 3]).ci is None
    with pytest.raises(ValueError, match="paired comparison"):
        paired([], [])


def test_centring_takes_the_level_of_a_group_away():
    assert centred([[1, 3], [10, 20, 30]]) == [-1, 1, -10, 0, 10]


@given(st.lists(st.floats(0.001, 1000), min_size=2, max_size=4), st.integers(3, 7))
def test_what_is_the_same_within_every_group_is_the_same_when_pooled(levels, size):
    pooled = centred([[level] * size for level in levels])
    assert len(set(pooled)) == 1
    assert spearman(pooled, range(len(pooled))).rho is None


def test_settings_are_paired_by_episode():
    found = compare_settings({"e1": 50, "e2": 60, "e3": 70, "gone": 0}, {"e3": 90, "e1": 60, "e2": 75, "new": 1})
    assert (found.mean, found.n) == (15, 3)


def made(reprobes, seen):
    before, after = {"a": 1, "b": 1}, {"a": -1, "c": 1}
    one = Explored("additive", "t", "default", 2, 1, 1, before, after)
    one.probes = [Probed((float(at),), False) for at in range(10)]
    one.probes += [Probed((float(at),), True) for at in range(reprobes)]
    said = ['{"factors": {"a": "+", "b": "+"}}', '{"factors": {"a": "-", "c": "+"}}']
    one.replies = {"before": said[0], "end": said[1] if seen else said[0]}
    return one


def test_reprobing_within_and_across_models():
    careful = [made(8, True), made(6, True), made(1, False), made(0, False)]
    still = Explored("additive", "t", "stationary", 2, 1, None, {"a": 1}, None)
    found = reprobing({"careful": [*careful, still], "careless": [made(0, False)] * 3})
    assert found["careful"]["count"].rho == pytest.approx(stats.spearmanr([8, 6, 1, 0], [100, 100, 0, 0]).statistic)
    assert found["careful"]["rate"].n == found["careful"]["count"].n == 4
    assert found["careless"]["count"].rho is None
    assert found["within models"]["count"].n == 7
    assert found["within models"]["count"].rho > 0.7
