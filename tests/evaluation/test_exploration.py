"""The figures of exploration and drift, on episodes written out by hand, and on played ones."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.evaluation.exploration import (
    FIGURES,
    Case,
    Explored,
    Probed,
    Scores,
    calibrated_accuracy,
    changes,
    exact_accuracy,
    exploration_figures,
    explored,
    mean_interval,
    set_scores,
    summary,
)
from evoplay.memory.records import AsideRecord, EpisodeRecord, StepRecord
from evoplay.methods.backbones.policy import open_policy
from evoplay.methods.naive import Naive

from .trials import play

FOUR = (1.0, 0.6, 0.2, -0.2)
BEFORE, AFTER = {"a": 1, "b": -1, "c": 1}, {"a": -1, "d": 1, "c": 1}


def test_the_worked_example():
    assert exact_accuracy(FOUR, 1) == 0
    assert calibrated_accuracy(FOUR, 1) == pytest.approx(100 * (0.6 - 0.4) / (1.0 - 0.4))
    assert calibrated_accuracy(FOUR, 1) == pytest.approx(33.33, abs=0.005)


def test_the_best_action_and_ties_count_in_full():
    assert exact_accuracy(FOUR, 0) == calibrated_accuracy(FOUR, 0) == 100
    assert exact_accuracy((0.75, 0.75, 0.25, -0.25), 1) == 100
    assert calibrated_accuracy(FOUR, 3) == pytest.approx(-100)


def test_equal_utilities_are_refused():
    with pytest.raises(ValueError, match="expected one action better"):
        calibrated_accuracy((0.5,) * 4, 0)


@given(st.floats(-1, 1))
def test_a_uniform_choice_is_expected_to_score_nothing(score):
    values = [1 - abs(score - centre) for centre in (-0.75, -0.25, 0.25, 0.75)]
    assert sum(calibrated_accuracy(values, action) for action in range(4)) == pytest.approx(0, abs=1e-9)
    best = sum(exact_accuracy(values, action) for action in range(4))
    # Ties lie only at the boundaries between actions.
    assert best == 100 or (best == 200 and min(abs(score - edge) for edge in (-0.5, 0, 0.5)) < 1e-8)


def episode(**changes):
    made = Explored("additive", "finance/x", "default", 4, 2, 3, BEFORE, AFTER)
    made.cases = [Case(1 + at // 2, FOUR, 0, False) for at in range(8)]
    made.replies = {"before": '{"factors": {"a": "+", "b": "-", "c": "+"}}', "end": '{"factors": {"a": "+"}}'}
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_unanswered_cases_count_nothing_and_are_counted():
    short = episode(cases=[Case(1, FOUR, 0, False), Case(1, FOUR, 1, True)])
    assert short.planned == 8
    assert short.unanswered == 6
    assert short.forced == 1
    assert short.ea == 100 / 8
    assert short.ca == pytest.approx((100 + 100 / 3) / 8)
    assert short.ca_by_batch() == pytest.approx([(100 + 100 / 3) / 2, 0, 0, 0])


def test_probes_are_distinct_by_case_and_side_of_the_drift():
    probes = [Probed((1.0,), False), Probed((1.0,), False), Probed((2.0,), False), Probed((3.0,), False)]
    probes += [Probed((1.0,), True), Probed((1.0,), True), Probed((9.0,), True), Probed((3.0,), True)]
    made = episode(probes=probes)
    assert made.unique_probes == 6
    assert made.reprobes == 2
    assert made.reprobe_rate == pytest.approx(2 / 3)
    assert episode().reprobes == 0
    assert episode().reprobe_rate is None


def test_no_drift_no_reprobes():
    still = episode(drift=None, after=None, probes=[Probed((1.0,), False)] * 2)
    assert still.reprobes is None
    assert still.unique_probes == 1
    assert still.change_scores() is None
    assert still.aligned() == {}
    assert list(still.assessments()) == ["end"]
    assert still.factor_scores() == Scores(100.0, pytest.approx(100 / 3), 50.0)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (BEFORE, AFTER, {("removed", "b"), ("added", "d"), ("reversed", "a")}),
        ({}, {}, set()),
        (BEFORE, BEFORE, set()),
        ({}, {"a": 1}, {("added", "a")}),
        ({"a": 1}, {}, {("removed", "a")}),
        ({"a": 1}, {"a": -1}, {("reversed", "a")}),
        ({"a": 1}, {"a": 0}, {("reversed", "a")}),
        ({"a": 1, "b": 1}, {"b": -1, "c": 1}, {("removed", "a"), ("reversed", "b"), ("added", "c")}),
    ],
)
def test_changes_between_two_assessments(first, second, found):
    assert changes(first, second) == found


@pytest.mark.parametrize(
    ("predicted", "truth", "found"),
    [
        (set("abc"), set("abc"), (100, 100, 100)),
        (set("ab"), set("abcd"), (100, 50, 200 / 3)),
        (set("abxy"), set("abc"), (50, 200 / 3, 400 / 7)),
        (set("xy"), set("abc"), (0, 0, 0)),
        (set(), set("abc"), (0, 0, 0)),
    ],
)
def test_agreement_of_sets(predicted, truth, found):
    scores = set_scores(predicted, truth)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(found)


def answers(before, end):
    return episode(replies={"before": before, "end": end})


def test_recognition_is_the_mean_of_both_assessments():
    full = answers('{"factors": {"a": "+", "b": "-", "c": "+"}}', '{"factors": {"a": "-", "d": "+", "c": "+"}}')
    assert full.factor_scores().f1 == full.change_scores().f1 == full.direction_accuracy == 100
    half = answers('{"factors": {"a": "+", "b": "-", "c": "+"}}', '{"factors": {"x": "+"}}')
    assert half.factor_scores().f1 == 50
    # Said: a, b and c removed, x added; true: b removed, d added, a reversed.
    assert half.change_scores() == set_scores(
        {("removed", "a"), ("removed", "b"), ("removed", "c"), ("added", "x")},
        {("removed", "b"), ("added", "d"), ("reversed", "a")},
    )
    assert half.direction_accuracy == 100


def test_directions_count_only_where_the_factor_is_right():
    some = answers('{"factors": {"a": "-", "b": "-", "z": "+"}}', '{"factors": {"d": "+"}}')
    assert some.direction_accuracy == pytest.approx(200 / 3)
    assert answers('{"factors": {}}', '{"factors": {}}').direction_accuracy is None


def test_replacement_seen_and_reversal_missed():
    part = answers('{"factors": {"a": "+", "b": "-", "c": "+"}}', '{"factors": {"a": "+", "d": "+", "c": "+"}}')
    assert (part.change_scores().precision, part.change_scores().recall) == pytest.approx((100, 200 / 3))


def test_unreadable_and_missing_answers_are_empty_and_counted():
    odd = answers("I would rather not say", None)
    assert odd.unreadable == 2
    assert odd.factor_scores().f1 == odd.change_scores().f1 == 0
    assert episode(replies={}).unreadable == 2
    assert answers('{"factors": {}}', '{"factors": {}}').unreadable == 0


def test_an_episode_that_ended_before_the_drift_knows_no_change():
    early = episode(cases=[Case(1, FOUR, 0, False)] * 2)
    assert not early.reached_drift
    assert early.change_scores() is None
    assert early.reprobes is None
    assert list(early.assessments()) == ["end"]
    assert early.assessments()["end"][1] == BEFORE


def test_the_curve_is_counted_from_the_drift():
    cases = [Case(1 + at // 2, FOUR, action, False) for at, action in enumerate((0, 0, 0, 0, 3, 3, 0, 1))]
    made = episode(cases=cases)
    assert made.aligned() == pytest.approx({-1: 100, 0: 100, 1: -100, 2: 100 * (1 + 1 / 3) / 2})
    assert made.loss_at_drift == pytest.approx(200)
    assert made.recovery == pytest.approx((-100 + 200 / 3) / 2 - 100)


def test_means_have_intervals_from_three_values():
    assert mean_interval([]) == {"mean": None, "sd": None, "ci": None, "n": 0}
    assert mean_interval([2.0, None]) == {"mean": 2.0, "sd": None, "ci": None, "n": 1}
    found = mean_interval([1.0, 2.0, 3.0])
    assert found["ci"] == pytest.approx([2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5])


def test_a_summary_reports_what_was_forced_or_left_out():
    forced = episode(cases=[Case(1, FOUR, 0, True)], forced_windows=2, replies={})
    found = summary([episode(), forced])
    assert found["forced_cases"] == 1
    assert found["forced_windows"] == 2
    assert found["unanswered_cases"] == 7
    assert found["unreadable_assessments"] == 1
    assert found["episodes"] == 2
    assert found["change_f1"]["n"] == 1
    assert found["aligned_ca"]["0"]["n"] == 1
    assert set(FIGURES) < set(found)


# --- from play -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_policy():
    found = {}
    for name in ("oracle", "random", "prior"):
        backbone = open_policy(name).for_trial()
        found[name] = play(make("adaexplore/finance/card-fraud"), Naive(), backbone, episodes=3)[0]
    return found


def test_records_of_the_oracle(by_policy):
    for record in by_policy["oracle"]:
        made = explored(record)
        assert made.ca == record.score == 100.0
        assert made.ea == 100.0
        assert made.factor_scores().f1 == made.change_scores().f1 == made.direction_accuracy == 100
        assert made.loss_at_drift == 0
        assert (made.unique_probes, made.reprobes, made.unanswered, made.forced, made.unreadable) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", ["random", "prior"])
def test_the_score_of_an_episode_is_its_ca(by_policy, name):
    for record in by_policy[name]:
        assert explored(record).ca == pytest.approx(record.score)


def test_a_report_has_the_six_figures_and_the_families(by_policy):
    found = exploration_figures(by_policy["oracle"])
    assert [found[name]["mean"] for name in FIGURES] == [100, 100, 0, 0, 100, 100]
    families = found["exploration"]["families"]
    assert sum(part["episodes"] for part in families.values()) == 3
    assert found["exploration"]["left_at_once"] == 0


def test_other_suites_have_no_such_figures():
    records = play(make("learn2play/gemforge"), Naive(), open_policy("random").for_trial(), episodes=1)[0]
    assert exploration_figures(records) == {}


def test_probes_defaults_and_answers_are_taken_from_records():
    env, rng = make("adaexplore/finance/card-fraud"), random.Random(3)
    obs = env.reset(1)
    record = EpisodeRecord(1, obs.text)
    probe = obs.valid_actions[0]
    while not obs.done:
        window = not env._state.open
        if window and env._state.batch in (1, 12) and env._state.probes == 0:
            action = probe
        elif window:
            action = "next"
        else:
            action = "nonsense" if env._state.batch == 2 else env.random_action(rng)
        number = len(record.steps) + 1
        for aside in obs.asides:
            record.asides.append(AsideRecord(aside.id, 1, number, aside.question, '{"factors": {"card_age": "-"}}'))
        after = env.step(action)
        record.steps.append(
            StepRecord(
                f"c/e01/s{number:03}", 1, number, obs.text, (), action, action, after.text, after.accepted, obs.score,
                after.score, None, None, after.done, info=after.info,
            )
        )  # fmt: skip
        obs = after
    record.score = obs.score
    made = explored(record)
    assert made.ca == pytest.approx(record.score)
    assert made.unique_probes == 2
    assert made.reprobes == 1
    assert made.forced == 5
    assert [case.chosen for case in made.cases if case.forced] == [0] * 5
    assert made.replies == {"before": '{"factors": {"card_age": "-"}}'}
    assert made.unreadable == 1
    record.error = "rate_limit: no"
    assert explored(record) is None
