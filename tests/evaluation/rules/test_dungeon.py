"""The graders of the Dungeon: complete, partial and no evidence, on play made for it (seed 2)."""

from collections import Counter

import pytest

from evoplay.evaluation.rules.dungeon import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/dungeon"


def ways(rooms):
    return [f"go_{room}" for room in rooms.split()]


TO_KEY = ways("2 4 15 18 6 17")
TREASURE = [*TO_KEY, "take", "go_16"]
SLOW = [*ways("5 4 15 5 15"), *ways("18 6 17"), "take", "go_16"]
LOCKED = [*TO_KEY, "go_16"]
OUT = [*ways("2 4 15 18 6 17 7 14"), "exit"]
UNCOVER = ["go_5", "search", "go_19"]
IDLE = ["go_5", "search", "go_4"]
DARK = ways("5 4 5 4 5 4 5 4 5 4 5 4 5 4 5 4 5 4")
OILED = [*ways("2 4 15 18 6"), "take", *ways("17 6 17"), "use_torch_oil", "retreat"]
EARLY_OIL = [*ways("2 4 15 18 6"), "take", "use_torch_oil", "retreat"]


def graded(*scripts):
    return grade(play_trial(ENV, scripts))


def booted():
    """To the boots, back to the trap of room 17 with the boots on."""
    return ["go_5", "search", *ways("19 7"), "take", "use_trap_boots", "go_17"]


def charmed():
    """To the charm, on to the beast of room 12 with it on."""
    return ["go_5", "search", *ways("19 12 3"), "take", "use_monster_charm", *ways("12 14 7 17 6 18 1 8")]


def test_the_solver_shows_what_takes_no_failure_and_no_guard():
    grades = grade(solver_trial(ENV))
    assert grades == {"T1": "-", "T2": "-", "T3": "S", "T4": "S", "T5": "-", "T6": "S"}


def test_a_player_who_learns_shows_every_rule():
    scouted = [*SLOW, *ways("17 7 14 12"), "retreat"]
    beaten = [*ways("2 4 1 8"), "retreat"]
    full = [*booted(), "take", "go_16", *ways("17 7 14"), "exit"]
    grades = graded([*LOCKED, "retreat"], scouted, beaten, [*charmed(), "retreat"], full, full, full)
    assert set(grades.values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T5", "T6"):
        assert grades[rule, "S"] <= 1


@pytest.mark.parametrize(
    ("rule", "scripts", "expected"),
    [
        ("T1", [LOCKED, TREASURE], "S"),
        ("T1", [LOCKED, []], "P"),
        ("T1", [LOCKED, [*LOCKED, "take", "go_16"]], "P"),
        ("T1", [LOCKED, LOCKED], "-"),
        ("T1", [LOCKED], "-"),
        ("T1", [TREASURE, TREASURE], "-"),
        ("T2", [SLOW, TREASURE, TREASURE], "S"),
        ("T2", [SLOW, TREASURE, SLOW], "P"),
        ("T2", [TREASURE, TREASURE], "-"),
        ("T3", [UNCOVER, UNCOVER, UNCOVER], "S"),
        ("T3", [IDLE, UNCOVER, IDLE], "P"),
        ("T3", [UNCOVER, IDLE, IDLE], "-"),
        ("T3", [UNCOVER, [], []], "-"),
        ("T4", [DARK, OILED, OILED], "S"),
        ("T4", [[], OILED, []], "S"),
        ("T4", [DARK, EARLY_OIL, OILED], "P"),
        ("T4", [DARK, DARK, OILED], "P"),
        ("T4", [DARK, DARK, DARK], "-"),
        ("T5", [[*ways("5 4 15 18 6 17")], booted()], "P"),
        ("T5", [booted(), []], "-"),
        ("T6", [OUT, OUT, OUT], "S"),
        ("T6", [OUT, OUT, []], "P"),
        ("T6", [OUT, [], []], "-"),
        ("T6", [[], [], OUT], "-"),
    ],
)
def test_each_rule(rule, scripts, expected):
    assert graded(*scripts)[rule] == expected
