"""Trials continued to their end: what grows goes on growing, what is full stays full, and chance is no growth."""

import random

import pytest

from evoplay.evaluation.growth import continued
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.taken import Calls, Taken

CALLS = 20


def cell(number):
    return Cell(f"suite/game-{number}", 1, "method", 1)


def episode(carried, calls=CALLS, learned=0):
    """An episode of so many calls, the prompts of which begin with 500 tokens and what was carried over."""
    first = 500 + carried
    inside = 100 * calls * (calls - 1) / 2
    play = Calls(calls, calls * first + inside, 100 * calls, 15 * calls)
    return Taken(play, Calls(1, learned, learned, 50) if learned else Calls(), first, first + 100 * (calls - 1))


def continued_from(trials, done, episodes, **limits):
    """The trials of a method, of which so many first episodes were simulated, continued; and what they really took."""
    begun = {cell(number): rows[: done[number]] for number, rows in enumerate(trials)}
    return continued(begun, dict.fromkeys(begun, episodes), **limits), [rows[:episodes] for rows in trials]


def total(trials, name="input"):
    return sum(getattr(part, name) for rows in trials for one in rows for part in (one.play, one.learn))


def test_what_was_simulated_stays_as_it_is():
    trials = [[episode(900 * at) for at in range(6)] for _ in range(3)]
    found, real = continued_from(trials, [6, 6, 6], 6)
    assert list(found.values()) == real
    found, real = continued_from(trials, [6, 2, 3], 6)
    assert [rows[:2] for rows in found.values()] == [rows[:2] for rows in real]
    assert [len(rows) for rows in found.values()] == [6, 6, 6]


def test_growth_goes_on_and_chance_is_no_growth():
    rng = random.Random(1)
    lengths = [rng.randint(10, 30) for _ in range(64)]
    growing = [[episode(900 * at, lengths[at + 16 * number]) for at in range(16)] for number in range(4)]
    found, real = continued_from(growing, [6] * 4, 16)
    assert total(found.values()) == pytest.approx(total(real), rel=0.15)
    flat = [[episode(rng.randint(0, 20), lengths[at + 16 * number]) for at in range(16)] for number in range(4)]
    found, real = continued_from(flat, [6] * 4, 16)
    assert total(found.values()) == pytest.approx(total(real), rel=0.15)
    seen = max(one.first for rows in flat for one in rows[:6])
    assert max(one.first for rows in found.values() for one in rows) <= seen


def test_what_fills_up_is_seen_where_one_trial_was_played_to_its_end():
    full = [[episode(size * min(at, 6)) for at in range(16)] for size in (400, 600, 900)]
    found, real = continued_from(full, [16, 2, 2], 16)
    assert total(found.values()) == pytest.approx(total(real), rel=0.35)
    assert [rows[7].first for rows in found.values()] == [rows[15].first for rows in found.values()]


def test_games_that_differ_are_told_from_chance():
    """Games of 5 to 60 calls an episode: each in its own proportion. Games alike but for chance: all by the mean."""
    differ = [[episode(300 * at, calls) for at in range(10)] for calls in (20, 5, 60, 10, 40)]
    found, real = continued_from(differ, [10, 2, 2, 2, 2], 10)
    for mine, truth in zip(found.values(), real, strict=True):
        assert total([mine], "calls") == pytest.approx(total([truth], "calls"), rel=0.05)
    rng = random.Random(3)
    alike = [[episode(0, rng.randint(10, 40)) for _ in range(10)] for _ in range(20)]
    found, real = continued_from(alike, [10] * 6 + [2] * 14, 10)
    assert total(found.values(), "calls") == pytest.approx(total(real, "calls"), rel=0.1)


def test_prompts_stay_within_the_budget():
    growing = [[episode(2000 * at) for at in range(20)]]
    (rows,) = continued_from(growing, [6], 20, budget=16_000)[0].values()
    assert max(one.play.input / one.play.calls for one in rows) <= 16_000
    assert max(one.longest for one in rows) <= 16_000
    (free,) = continued_from(growing, [6], 20)[0].values()
    assert free[-1].first == pytest.approx(growing[0][-1].first)


def test_after_a_freeze_nothing_is_learned_and_nothing_grows():
    frozen = [[episode(900 * min(at, 8), learned=3000 if at < 8 else 0) for at in range(16)] for _ in range(2)]
    for done in (5, 11):
        found, real = continued_from(frozen, [done] * 2, 16, freeze_after=8)
        assert total(found.values()) == pytest.approx(total(real))
        assert total(found.values(), "calls") == total(real, "calls")


def test_trials_of_other_lengths_are_another_matter():
    begun = {cell(0): [episode(0)] * 5, cell(1): [episode(0)] * 2, cell(2): [episode(0, 40)] * 10}
    found = continued(begun, {cell(0): 5, cell(1): 5, cell(2): 10})
    assert [len(rows) for rows in found.values()] == [5, 5, 10]
    assert total([found[cell(1)]], "calls") == 5 * CALLS
