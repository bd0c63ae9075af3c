"""The graders of Ecosphere: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs.learn2play.ecosphere.rules import SPECIES
from evoplay.evaluation.rules.ecosphere import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/ecosphere"


def stocked(*counts):
    return [f"add_{species}" for species, count in zip(SPECIES, counts, strict=True) for _ in range(count)] + ["seal"]


BEST = stocked(10, 9, 2, 2, 2, 0, 1, 8)
MINNOW = stocked(10, 9, 2, 2, 2, 1, 0, 8)
TWO_NEWTS = stocked(10, 6, 2, 2, 2, 0, 2, 0)
POISONED = stocked(10, 8, 2, 0, 2, 0, 1, 0)
OUTCOMPETED = stocked(10, 9, 2, 2, 0, 0, 0, 8)
HUNGRY = stocked(10, 0, 2, 2, 2, 0, 1, 8)
SPARSE = stocked(8, 8, 2, 2, 2, 0, 1, 8)
CROWDED = stocked(10, 9, 4, 2, 2, 0, 1, 0)
UNSEALED = ["add_moss"]
EMPTY = ["seal"]


def test_the_solver_shows_what_takes_no_failure():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "S", "T3": "S", "T4": "-", "T5": "-"}


def test_a_player_who_learns_shows_every_rule():
    grades = grade(play_trial(ENV, [POISONED, OUTCOMPETED, MINNOW, BEST, BEST, BEST]))
    assert grades == {"T1": "S", "T2": "S", "T3": "S", "T4": "S", "T5": "S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5"):
        assert grades[rule, "S"] <= 1


@pytest.mark.parametrize(
    ("rule", "scripts", "expected"),
    [
        ("T1", [POISONED, BEST, BEST], "S"),
        ("T1", [BEST, BEST, BEST], "S"),
        ("T1", [POISONED, BEST, EMPTY], "P"),
        ("T1", [POISONED, BEST, POISONED], "P"),
        ("T1", [POISONED, POISONED, POISONED], "-"),
        ("T1", [POISONED], "-"),
        ("T1", [BEST, BEST, EMPTY], "-"),
        ("T2", [EMPTY, MINNOW, BEST], "S"),
        ("T2", [EMPTY, HUNGRY, BEST], "P"),
        ("T2", [BEST, EMPTY, UNSEALED], "-"),
        ("T2", [OUTCOMPETED, HUNGRY], "-"),
        ("T3", [EMPTY, OUTCOMPETED, BEST], "S"),
        ("T3", [EMPTY, SPARSE, BEST], "P"),
        ("T3", [EMPTY, SPARSE, CROWDED], "-"),
        ("T4", [OUTCOMPETED, BEST, BEST], "S"),
        ("T4", [OUTCOMPETED, BEST, OUTCOMPETED], "P"),
        ("T4", [BEST, BEST, OUTCOMPETED], "-"),
        ("T5", [MINNOW, OUTCOMPETED, BEST, BEST, BEST], "S"),
        ("T5", [MINNOW, OUTCOMPETED, MINNOW, BEST], "P"),
        ("T5", [MINNOW, OUTCOMPETED, MINNOW, UNSEALED], "P"),
        ("T5", [BEST, MINNOW, MINNOW, TWO_NEWTS], "-"),
        ("T5", [BEST, BEST, BEST], "-"),
    ],
)
def test_each_rule(rule, scripts, expected):
    assert grade(play_trial(ENV, scripts))[rule] == expected


def test_a_jar_sealed_by_the_last_step_counts():
    full = [*BEST[:-1], *["remove_microbe", "add_microbe"] * 3]
    assert len(full) == 40
    assert grade(play_trial(ENV, [full, full, full])) == grade(play_trial(ENV, [BEST, BEST, BEST]))
