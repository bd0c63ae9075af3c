"""The figures, against worked examples, independent computation and the properties they must have."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evoplay.evaluation.metrics import (
    FIGURES,
    Stratum,
    curve,
    difference,
    estimate,
    holm,
    learning_gain,
    learning_slope,
    max_score,
    mean_score,
    trials_needed,
)

Z = st.floats(-50, 150, allow_nan=False).map(lambda value: round(value, 3))
TABLES = st.integers(1, 4).flatmap(
    lambda trials: st.integers(2, 10).flatmap(
        lambda episodes: st.lists(
            st.lists(Z, min_size=episodes, max_size=episodes), min_size=trials, max_size=trials
        ).map(lambda rows: np.array(rows, dtype=float))
    )
)


def test_the_worked_example():
    z = np.array([[10.0, 30.0, 20.0, 60.0]])
    assert max_score(z)[0] == 60
    assert mean_score(z)[0] == 30
    assert learning_gain(z)[0] == 20
    assert learning_slope(z)[0] == pytest.approx(14)


@given(TABLES)
def test_figures_equal_an_independent_computation(z):
    for row, best, mean, gain, slope in zip(
        z, max_score(z), mean_score(z), learning_gain(z), learning_slope(z), strict=True
    ):
        values = [float(value) for value in row]
        k = min(3, len(values) // 2)
        assert best == max(values)
        assert mean == pytest.approx(math.fsum(values) / len(values), abs=1e-9)
        assert gain == pytest.approx(math.fsum(values[-k:]) / k - math.fsum(values[:k]) / k, abs=1e-9)
        assert slope == pytest.approx(stats.linregress(range(1, len(values) + 1), values).slope, abs=1e-8)


@given(TABLES)
def test_the_slope_of_the_mean_curve_is_the_mean_of_the_slopes(z):
    over_trials = learning_slope(z.mean(axis=0, keepdims=True))[0]
    assert learning_slope(z).mean() == pytest.approx(over_trials, abs=1e-8)


@given(TABLES, st.floats(0.1, 10), st.randoms())
def test_permuting_trials_and_scaling(z, factor, rng):
    order = list(range(len(z)))
    rng.shuffle(order)
    for figure in FIGURES.values():
        assert figure(z[order]) == pytest.approx(figure(z)[order])
        assert figure(factor * z) == pytest.approx(factor * figure(z), abs=1e-6)


@given(TABLES, st.data())
def test_a_missing_episode_is_left_out_and_never_0(z, data):
    at = data.draw(st.integers(0, z.shape[1] - 1))
    holed = z.copy()
    holed[0, at] = np.nan
    rest = np.delete(z[0], at)
    assert mean_score(holed)[0] == pytest.approx(rest.mean(), abs=1e-9)
    assert max_score(holed)[0] == rest.max()
    t = np.delete(np.arange(1, z.shape[1] + 1), at)
    if len(t) >= 2:
        assert learning_slope(holed)[0] == pytest.approx(stats.linregress(t, rest).slope, abs=1e-7)
    assert max_score(np.full((1, 4), np.nan))[0] != max_score(np.zeros((1, 4)))[0]


def strata(*samples, weights=None):
    weights = weights or [1.0] * len(samples)
    return [Stratum(np.array(sample, dtype=float), weight) for sample, weight in zip(samples, weights, strict=True)]


def test_the_weighted_estimate_and_its_interval_by_hand():
    found = estimate(strata([1, 2, 3], [10, 14, 18], weights=[1, 3]))
    assert found.mean == pytest.approx((2 + 3 * 14) / 4)
    parts = [0.25**2 * 1 / 3, 0.75**2 * 16 / 3]
    error, df = math.sqrt(sum(parts)), sum(parts) ** 2 / sum(part**2 / 2 for part in parts)
    reach = stats.t.ppf(0.975, df) * error
    assert found.ci == pytest.approx((found.mean - reach, found.mean + reach))
    assert found.df == pytest.approx(df)
    assert found.sd == pytest.approx(np.std([7.75, 11, 14.25], ddof=1))


def test_one_game_gives_the_ordinary_t_interval():
    sample = [3.0, 5.0, 4.0, 8.0]
    expected = stats.t.interval(0.95, 3, loc=np.mean(sample), scale=stats.sem(sample))
    assert estimate(strata(sample)).ci == pytest.approx(expected)


def test_below_three_trials_there_is_no_interval():
    found = estimate(strata([1, 2]))
    assert (found.mean, found.ci) == (1.5, None)
    assert estimate(strata([1])).sd is None
    assert estimate([]).mean is None


def test_the_interval_over_games_needs_ten_of_them():
    assert estimate(strata(*[[1, 2, 3]] * 9)).games_ci is None
    wide = estimate(strata(*[[number, number + 1, number + 2] for number in range(10)]), seed=1)
    low, high = wide.games_ci
    assert low < wide.mean < high
    assert wide.games_ci == estimate(strata(*[[n, n + 1, n + 2] for n in range(10)]), seed=1).games_ci


def test_the_difference_of_one_game_is_welch_s_test():
    ours, theirs = [5.0, 7.0, 6.0, 9.0], [1.0, 4.0, 2.5]
    found, p = difference(strata(ours), strata(theirs))
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    assert p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval()
    assert found.ci == pytest.approx((interval.low, interval.high))


def test_holm_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": None}) == {"a": 0.03, "b": 0.06, "c": 0.06, "d": None}


@settings(max_examples=10, deadline=None)
@given(st.floats(2, 10))
def test_the_trials_that_power_needs_by_simulation(effect):
    rng = np.random.default_rng(1)
    ours, theirs = strata(rng.normal(0, 5, 40)), strata(rng.normal(0, 5, 40))
    trials = trials_needed(ours, theirs, effect)
    spreads = [np.std(sample[0].values, ddof=1) for sample in (ours, theirs)]

    def share_found(trials):
        draws = rng.normal(0, 1, (4000, 2, trials))
        found = stats.ttest_ind(effect + spreads[0] * draws[:, 0], spreads[1] * draws[:, 1], axis=1, equal_var=False)
        return (found.pvalue < 0.05).mean()

    assert share_found(trials) >= 0.77
    assert share_found(trials - 1) <= 0.83


def test_power_is_unknown_without_variance_to_go_by():
    assert trials_needed(strata([1.0]), strata([2.0]), 1.0) is None
    assert trials_needed(strata([1.0, 1.0]), strata([2.0, 2.0]), 1.0) == 2


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_equal_trials_have_no_variance_whatever_their_value(ours, theirs):
    found, p = difference(strata([ours] * 3), strata([theirs] * 3))
    assert found.ci == (found.mean, found.mean)
    assert p is None


@given(st.floats(0.5, 60))
def test_a_larger_difference_never_takes_more_trials(effect):
    ours, theirs = strata([1.0, 2.0, 3.0]), strata([1.5, 2.0, 2.9])
    assert trials_needed(ours, theirs, effect) >= trials_needed(ours, theirs, 1.1 * effect)


def test_a_curve_of_five_episodes_is_interpolated():
    points = curve(np.array([[0.0, 10.0, 20.0, 30.0, 40.0]]))
    assert points == pytest.approx(np.linspace(0, 40, 10))
    assert curve(np.array([[0.0, np.nan, 20.0]]))[0] == 0
    assert np.isnan(curve(np.full((2, 3), np.nan))).all()


def coverage(spreads, weights, repeats=10_000, trials=3):
    """How often the 95 % interval holds the true value, 0, of games with these spreads and weights."""
    rng = np.random.default_rng(1)
    one_game = [0] * len(spreads)  # spares the bootstrap over games, which does not touch this interval
    hits = 0
    for _ in range(repeats):
        samples = strata(*(rng.normal(0, spread, trials) for spread in spreads), weights=weights)
        low, high = estimate(samples, games=one_game).ci
        hits += low <= 0 <= high
    return hits / repeats


@pytest.mark.slow
@pytest.mark.parametrize("games", [1, 2, 4, 8, 20])
def test_the_interval_covers_the_truth_as_often_as_it_says(games):
    """Three trials a game, a challenge game in four, as in the whole suite."""
    assert 0.94 <= coverage([5.0] * games, [3.0 if at % 4 == 0 else 1.0 for at in range(games)]) <= 0.96


@pytest.mark.slow
@pytest.mark.parametrize("spreads", [[1.0, 1.0], [1.0] * 5, [2.0, 5.0, 8.0], [0.0, 1.0, 30.0], [2.0, 5.0, 8.0] * 6])
def test_with_other_spreads_and_weights_the_interval_errs_on_the_wide_side(spreads):
    assert 0.945 <= coverage(spreads, [1.0] * len(spreads)) <= 0.97
