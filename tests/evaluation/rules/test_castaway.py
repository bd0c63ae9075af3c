"""The graders of Castaway: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.evaluation.rules.castaway import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/castaway"
NIGHT_TRAP = ["explore", "go_洞穴", "explore", "go_竹林"]
COLLAPSE = ["explore", "go_沼泽", "explore", "gather"]
POISON = ["explore", "gather", "eat_贝类"]
GOOD_MEAL = ["explore", "go_密林", "explore", "gather", "eat_菌菇"]


@pytest.fixture(scope="module")
def line():
    return list(make(ENV).solution(1))


def rests(count):
    return ["rest"] * count


def raft_at(line, turn):
    """The solver's line with its waiting cut, so that the raft is made at a turn in between."""
    tail = len(line) - 1
    while line[tail - 1] in ("rest", "eat_菌菇") and tail > turn:
        tail -= 1
    return [*line[:tail], "craft_raft"]


def test_the_solver_shows_every_rule_it_ever_meets():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "S", "T3": "-", "T4": "-", "T5": "S", "T6": "S"}


def test_a_player_who_learns_shows_every_rule(line):
    trial = play_trial(ENV, [NIGHT_TRAP, [*COLLAPSE, "go_海滩", "gather", "eat_贝类"], line, line, line])
    assert set(grade(trial).values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T6"):
        assert grades[rule, "-"] == 20
    assert sum(count for (_, got), count in grades.items() if got == "S") <= 6


def test_the_odd_part(line):
    assert grade(play_trial(ENV, [line, line, line]))["T1"] == "S"
    assert grade(play_trial(ENV, [line, line]))["T1"] == "P"
    assert grade(play_trial(ENV, [line, ["craft_raft"]]))["T1"] == "-"
    assert grade(play_trial(ENV, [line, ["craft_raft", "rest"], line]))["T1"] == "P"


def test_a_failed_raft_that_names_a_wrong_part_counts_as_learned(line):
    before_all_parts = line.index("go_密林")
    short = [*line[:before_all_parts], "craft_raft"]
    trial = play_trial(ENV, [short, line, line])
    assert "does not belong" in trial.episodes[0].steps[-1].outcome
    assert grade(trial)["T1"] == "S"


def test_recipes(line):
    assert grade(play_trial(ENV, [line, line, line]))["T2"] == "S"
    assert grade(play_trial(ENV, [line, line]))["T2"] == "P"
    assert grade(play_trial(ENV, [line, ["make_fire", *line], ["craft_火把"]]))["T2"] == "-"


def test_the_night_trap():
    hit = NIGHT_TRAP + rests(1)
    inside_by_day = [*NIGHT_TRAP[:3], "rest", "rest", *NIGHT_TRAP[3:], "explore", "go_洞穴"]
    away = rests(6)
    assert grade(play_trial(ENV, [hit, inside_by_day]))["T3"] == "S"
    assert grade(play_trial(ENV, [hit, away, away]))["T3"] == "P"
    assert grade(play_trial(ENV, [hit, hit, away]))["T3"] == "P"
    assert grade(play_trial(ENV, [hit, hit, inside_by_day]))["T3"] == "-"
    assert grade(play_trial(ENV, [hit, away]))["T3"] == "-"
    assert grade(play_trial(ENV, [away] * 3))["T3"] == "-"


def test_the_collapse():
    away = ["explore", *rests(20)]
    assert grade(play_trial(ENV, [COLLAPSE, away, away]))["T4"] == "S"
    assert grade(play_trial(ENV, [COLLAPSE, away, ["rest"]]))["T4"] == "P"
    assert grade(play_trial(ENV, [COLLAPSE, away, away, COLLAPSE]))["T4"] == "-"
    assert grade(play_trial(ENV, [away, away, away]))["T4"] == "-"


def test_food():
    fed = GOOD_MEAL + rests(12)
    assert grade(play_trial(ENV, [POISON, fed]))["T5"] == "S"
    assert grade(play_trial(ENV, [POISON, rests(15)]))["T5"] == "P"
    assert grade(play_trial(ENV, [POISON, ["rest"]]))["T5"] == "-"
    assert grade(play_trial(ENV, [POISON, fed, POISON]))["T5"] == "P"
    assert grade(play_trial(ENV, [POISON, rests(15), POISON, POISON]))["T5"] == "-"
    assert grade(play_trial(ENV, [GOOD_MEAL, fed]))["T5"] == "S"
    assert grade(play_trial(ENV, [GOOD_MEAL, rests(15)]))["T5"] == "-"
    assert grade(play_trial(ENV, [POISON, fed, POISON, POISON]))["T5"] == "-"
    assert grade(play_trial(ENV, [rests(15), rests(15)]))["T5"] == "-"


def test_waiting(line):
    early = raft_at(line, 36)
    assert grade(play_trial(ENV, [line, line]))["T6"] == "S"
    assert grade(play_trial(ENV, [line]))["T6"] == "P"
    assert grade(play_trial(ENV, [early]))["T6"] == "-"
    middle = [*early[:-1], *rests(10), "craft_raft"]
    assert grade(play_trial(ENV, [early, middle]))["T6"] == "P"
    assert grade(play_trial(ENV, [middle, early]))["T6"] == "-"
