"""Behaviour, spending and rule discovery, by hand and against independent computation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.evaluation.behaviour import adjacent_similarity, behaviour, levenshtein, recoveries, similarity
from evoplay.evaluation.discovery import discovery
from evoplay.evaluation.load import load
from evoplay.evaluation.publications import method_rows, published
from evoplay.evaluation.spending import cache_shares, equal_spend, frontier, spend_by_purpose, unpriced
from evoplay.memory.records import EpisodeRecord

from .test_cli import evoplay  # noqa: F401


def slow_distance(one, other):
    """The recursion of the definition."""
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return slow_distance(one[1:], other[1:])
    return 1 + min(slow_distance(one[1:], other), slow_distance(one, other[1:]), slow_distance(one[1:], other[1:]))


ACTIONS = st.lists(st.sampled_from("abc"), max_size=6)


@given(ACTIONS, ACTIONS)
def test_edit_distance_is_that_of_the_definition(one, other):
    assert levenshtein(one, other) == slow_distance(one, other)


@given(ACTIONS, ACTIONS)
def test_similarity_is_symmetric_and_between_0_and_1(one, other):
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert (similarity(one, other) == 1) == (one == other)


def test_adjacent_similarity_by_hand():
    def played(*actions):
        record = EpisodeRecord(1, "")
        record.steps = [type("S", (), {"action": action})() for action in actions]
        return record

    episodes = [played("a", "b", "c", "d"), played("a", "b", "c", "e"), played("a")]
    assert adjacent_similarity(episodes) == pytest.approx((0.75 + 0.25) / 2)
    assert adjacent_similarity(episodes[:1]) is None
    episodes[1].error = "the call failed"
    assert adjacent_similarity(episodes) is None


@pytest.mark.parametrize(
    ("z", "found"),
    [
        ([10, 5, 20], (1, 1)),
        ([10, 5, 10], (0, 1)),
        ([10, 5], (0, 0)),
        ([10, 10, 20], (0, 0)),
        ([30, 10, 20, 15, 40], (1, 2)),
        ([10, None, 20], (0, 0)),
        ([10, 5, None], (0, 0)),
    ],
)
def test_new_bests_after_setbacks(z, found):
    assert recoveries(z) == found


def test_the_frontier_by_hand():
    points = {"a": (10, 1), "b": (20, 2), "c": (15, 3), "d": (20, 2.5), "e": (5, None), "f": (10, 1)}
    assert frontier(points) == ["a", "b", "f"]


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_nothing_beats_the_frontier(points):
    best = frontier(points)
    assert best
    for name in points:
        score, cost = points[name]
        beaten = any(s >= score and c <= cost and (s, c) != (score, cost) for s, c in points.values())
        assert (name in best) != beaten


@pytest.fixture
def run(evoplay, tmp_path):  # noqa: F811
    contenders = ["--method", "memory", "--method", "policy/solver"]
    evoplay(
        "run", "--env", "learn2play/poisoner", *contenders, "--episodes", 3, "--trials", 2, "--out", tmp_path / "r",
        "--backbone", "sim/learner",
    )  # fmt: skip
    return load(tmp_path / "r")


def test_figures_of_a_run_are_those_of_its_tables(run):
    steps = run.steps
    for contender in run.contenders:
        found = behaviour(run, contender)
        mine = steps[steps["contender"] == contender]
        assert found.refused == pytest.approx(100 * (~mine["accepted"].astype(bool)).mean())
        assert found.distinct == pytest.approx(mine.groupby("trial")["action"].nunique().mean())
        assert found.steps == pytest.approx(mine.groupby(["trial", "episode"]).size().mean())


def test_discovery_of_a_run(run):
    grid = discovery(run)["learn2play/poisoner"]
    assert grid["policy/solver"]["T5"] == {"grade": "S", "S": 2, "trials": 2, "by_trial": ["S", "S"]}
    assert set(grid["memory"]) == {"T1", "T2", "T3", "T4", "T5", "T6"}


def test_spending_adds_up(run):
    calls = run.calls
    for contender in run.contenders:
        mine = calls[calls["contender"] == contender]
        rows = spend_by_purpose(run, contender)
        assert sum(row["calls"] for row in rows.values()) == len(mine)
        assert sum(row["input"] + row["output"] for row in rows.values()) == (mine["input"] + mine["output"]).sum()
        curve = equal_spend(run, contender)
        assert curve[-1]["spend"] == pytest.approx((mine["input"] + mine["output"]).sum() / 2)
        assert [point["best"] for point in curve] == sorted(point["best"] for point in curve)


@pytest.mark.parametrize(
    ("usd", "failed", "tokens", "unknown"),
    [
        (0.1, None, 9, False),
        (None, None, 9, True),
        (None, "timeout", 0, False),
        (None, "cut", 9, True),
        (0.0, "cut", 9, False),
    ],
)
def test_what_has_no_known_price(usd, failed, tokens, unknown):
    assert unpriced({"usd": usd, "failed": failed, "input": tokens, "output": 0}) is unknown


def test_predicted_and_billed_cache(run):
    shares = cache_shares(run, "memory")
    assert 0.5 < shares["predicted"] < 1
    assert shares["billed"] is None


def test_published_figures_name_their_backbones():
    rows = method_rows()
    assert {row["backbone"] for row in rows} >= {"Claude Opus 5", "Kimi K3"}
    assert {"method": "memory", "max": 63.3, "mean": 48.0, "lg": 16.9, "ls": 4.69, "backbone": "Kimi K3"} in rows
    assert published("adaexplore")["source"].startswith("AdaExploreBench")
