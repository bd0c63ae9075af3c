"""The graders of DreamGarden: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.evaluation.rules.dreamgarden import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/dreamgarden"
FEED, START, TRAP, SUPPRESS = "eclipse", "throb", "tide", "whisper"
BEST = list(make(ENV).solution(1))
IDLE = ["wait"] * 18


def swapped(line, *changes):
    """A line with other impulses at some turns (from 1)."""
    line = list(line)
    for turn, action in changes:
        line[turn - 1] = action
    return line


def test_the_solver_shows_every_rule():
    assert set(grade(solver_trial(ENV)).values()) == {"S"}


def test_other_seeds_have_other_parts():
    assert grade(solver_trial(ENV, seed=7))["T6"] == "S"
    assert grade(solver_trial(ENV, seed=7))["T1"] == "S"


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T6"):
        assert grades[rule, "S"] <= 2
    assert grades["T5", "S"] <= 5


STARTS = [(1, START), (5, START), (12, START)]


@pytest.mark.parametrize(
    ("rule", "scripts", "expected"),
    [
        ("T1", [[TRAP] * 18, [TRAP] * 18, IDLE, IDLE], "S"),
        ("T1", [IDLE, IDLE, swapped(IDLE, (4, TRAP)), IDLE], "P"),
        ("T1", [IDLE, IDLE, swapped(IDLE, (4, TRAP), (5, TRAP)), IDLE], "-"),
        ("T1", [IDLE, IDLE], "-"),
        ("T2", [IDLE, swapped(IDLE, *STARTS), swapped(IDLE, *STARTS)], "S"),
        ("T2", [IDLE, swapped(IDLE, *STARTS), IDLE], "P"),
        ("T2", [swapped(IDLE, *STARTS), IDLE, IDLE], "-"),
        ("T2", [IDLE, swapped(IDLE, *STARTS, (17, START)), IDLE], "-"),
        ("T2", [IDLE, swapped(IDLE, (1, START), (10, START), (12, START)), IDLE], "-"),
        ("T3", [BEST, BEST], "S"),
        ("T3", [BEST, [FEED] * 4 + ["wait"] * 14], "-"),
        ("T3", [BEST, [FEED, FEED, FEED, FEED, "wait", FEED]], "P"),
        ("T3", [BEST, [FEED] * 18], "-"),
        ("T4", [BEST, BEST], "S"),
        ("T4", [IDLE, BEST], "P"),
        ("T4", [BEST, [SUPPRESS] * 18], "P"),
        ("T4", [[SUPPRESS] * 18, [FEED] * 18], "-"),
        ("T5", [BEST, IDLE], "S"),
        ("T5", [IDLE, BEST[:12]], "P"),
        ("T5", [IDLE, IDLE], "-"),
        ("T6", [BEST, IDLE], "S"),
        ("T6", [swapped(BEST, (1, "wait")), IDLE], "P"),
        ("T6", [BEST, IDLE, IDLE], "-"),
    ],
)
def test_each_rule(rule, scripts, expected):
    assert grade(play_trial(ENV, scripts))[rule] == expected


def test_populations_are_those_on_show_before_the_turn():
    noisy = [action for turn in BEST for action in ("score", "bogus", turn)]
    assert grade(play_trial(ENV, [noisy, noisy, noisy])) == grade(play_trial(ENV, [BEST, BEST, BEST]))
