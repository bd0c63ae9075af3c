"""The graders of Catnip Singularity: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.evaluation.rules.catnip import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/catnip"
WARNED = ["a", "purr", "purr"]
TO_THE_CEO = ["exit"] * 5


@pytest.fixture(scope="module")
def line():
    return list(make(ENV).solution(1))


def test_the_solver_shows_every_rule_but_that_of_repeats():
    """It never sees the warning of a repeat."""
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "-", "T3": "S", "T4": "S", "T5": "S", "T6": "S"}


def test_a_player_who_repeats_once_and_then_knows_shows_every_rule(line):
    assert set(grade(play_trial(ENV, [WARNED, line, line, line, line])).values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T3", "T4", "T5"):
        assert grades[rule, "-"] == 20
    assert sum(count for (_, got), count in grades.items() if got == "S") <= 2


def test_tastes():
    fit = ["a", "knead", "exit", "purr", "exit", "stare", "exit", "purr", "exit", "knead"]
    unfit = ["a", "purr", "exit", "stare", "exit", "purr", "exit", "knead", "exit", "purr"]
    assert grade(play_trial(ENV, [fit, fit]))["T1"] == "S"
    assert grade(play_trial(ENV, [fit, fit, [*fit[:3], "stare", "exit", "purr"]]))["T1"] == "P"
    assert grade(play_trial(ENV, [fit, fit[:4]]))["T1"] == "P"
    assert grade(play_trial(ENV, [fit, unfit]))["T1"] == "-"
    assert grade(play_trial(ENV, [fit]))["T1"] == "-"
    assert grade(play_trial(ENV, [unfit, unfit, fit]))["T1"] == "-"


def test_repeats():
    careful = ["a", "purr", "look", "purr", "knead", "purr", "knead", "purr", "knead"]
    careless = ["a", "purr", "purr", "knead", "knead", "purr", "purr"]
    assert grade(play_trial(ENV, [WARNED, careful, careful]))["T2"] == "S"
    assert grade(play_trial(ENV, [WARNED, careful, [*careful, "knead"]]))["T2"] == "P"
    assert grade(play_trial(ENV, [WARNED, careful]))["T2"] == "P"
    assert grade(play_trial(ENV, [WARNED, ["a", "look"]]))["T2"] == "-"
    assert grade(play_trial(ENV, [WARNED, careless, careless, careless]))["T2"] == "-"
    assert grade(play_trial(ENV, [careful] * 4))["T2"] == "-"


def test_an_early_end(line):
    # The same game without a person left at once.
    stay = [action if action != "exit" else "knead" for action in line]
    assert grade(play_trial(ENV, [line, line, line]))["T3"] == "S"
    assert grade(play_trial(ENV, [line, line]))["T3"] == "P"
    assert grade(play_trial(ENV, [line, stay]))["T3"] == "-"
    assert grade(play_trial(ENV, [["a", "purr"], line]))["T3"] == "-"


def test_the_pay_off(line):
    wrong = [*line[:-1], "convert b"]
    assert grade(play_trial(ENV, [line, line, line]))["T4"] == "S"
    assert grade(play_trial(ENV, [line, line]))["T4"] == "P"
    assert grade(play_trial(ENV, [line, line, wrong]))["T4"] == "-"
    assert grade(play_trial(ENV, [line]))["T4"] == "-"


def test_suspicion(line):
    thrown_out = ["c", *["scratch", "stare"] * 8]
    assert grade(play_trial(ENV, [thrown_out, line, line]))["T5"] == "S"
    assert grade(play_trial(ENV, [thrown_out, line]))["T5"] == "P"
    assert grade(play_trial(ENV, [thrown_out, line, thrown_out]))["T5"] == "-"
    assert grade(play_trial(ENV, [line]))["T5"] == "-"


def test_condition():
    tire = ["d", "knead", "knead", "knead"]
    fresh = ["e", "knead", "look", "knead", "look", "knead", "look", "knead", "look", "knead", "look", "knead"]
    refreshed = [*fresh, "use salmon treat", "exit", "scratch", "stare", "use energy drink", "purr"]
    assert grade(play_trial(ENV, [tire, refreshed, ["a"]]))["T6"] == "S"
    assert grade(play_trial(ENV, [tire, ["a", "knead"]]))["T6"] == "P"
    assert grade(play_trial(ENV, [tire, ["d", *["knead", "look"] * 6]]))["T6"] == "-"
    assert grade(play_trial(ENV, [["a", "purr"]]))["T6"] == "-"
