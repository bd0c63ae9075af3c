"""The graders of Primordial Soup: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.evaluation.rules.primordialsoup import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/primordialsoup"
BEST = list(make(ENV).solution(1))


def script(short):
    """Actions from a short form: letters are additions, r reacts, s synthesizes, ! submits, . asks for the status."""
    other = {"r": "react", "s": "synthesize", "!": "submit", ".": "status"}
    return [other.get(sign, f"add_{sign.lower()}") for sign in short.replace(" ", "")]


L1 = "CEr"
BOTH = "CEEDr"
MURKY = "AFr"
WEAK = "Br!"
STRONG = "BBr!"
LATE = "B" * 5 + "A" * 3 + "F" * 6 + "D" * 6 + "E" * 6 + "C" * 3 + "AAA!"
MIDDLE = "CEBrEs!"
CALM = "CErs!"
TOP = "CEr CEr CEEDBBr s Es s"
CLUMSY = "CEr CEr CEEDBBr A s A s Es s"


def graded(*scripts):
    return grade(play_trial(ENV, [script(text) for text in scripts]))


def test_the_solver_shows_what_takes_no_penalty():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "S", "T3": "S", "T4": "S", "T5": "S", "T6": "-"}


def test_a_player_who_learns_shows_every_rule():
    grades = grade(play_trial(ENV, [script(LATE), script(CLUMSY), BEST, BEST, BEST]))
    assert set(grades.values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5"):
        assert grades[rule, "S"] <= 1
    assert grades["T6", "S"] <= 4


@pytest.mark.parametrize(
    ("rule", "scripts", "expected"),
    [
        ("T1", [WEAK, STRONG, STRONG], "S"),
        ("T1", [WEAK, STRONG, "!", STRONG], "S"),
        ("T1", [WEAK, STRONG, WEAK], "P"),
        ("T1", [WEAK, STRONG], "P"),
        ("T1", [WEAK, STRONG, "r!", STRONG], "P"),
        ("T1", [STRONG, WEAK, WEAK], "-"),
        ("T1", [L1, L1, L1], "-"),
        ("T2", [WEAK, MIDDLE, MIDDLE], "S"),
        ("T2", [WEAK, MIDDLE, CALM], "P"),
        ("T2", [WEAK, "Br CEBr Es!", MIDDLE], "P"),
        ("T2", [WEAK, "Br CEBr Es!", "CErs BrEs!"], "-"),
        ("T2", [MIDDLE, WEAK, L1], "-"),
        ("T3", ["!", BOTH + L1], "S"),
        ("T3", ["!", BOTH + L1 + MURKY], "P"),
        ("T3", ["!", BOTH + L1 + "A"], "P"),
        ("T3", ["!", BOTH + MURKY + MURKY], "-"),
        ("T3", [BOTH + L1, L1], "-"),
        ("T4", [MIDDLE, MIDDLE], "S"),
        ("T4", [MIDDLE, "s" + MIDDLE], "P"),
        ("T4", [MIDDLE, CALM], "-"),
        ("T4", [MIDDLE], "-"),
        ("T5", [TOP, TOP], "S"),
        ("T5", [TOP, "s" + TOP], "P"),
        ("T5", [TOP], "P"),
        ("T5", [MIDDLE, MIDDLE], "-"),
        ("T6", [LATE, L1, "!"], "S"),
        ("T6", [LATE, L1, LATE], "P"),
        ("T6", [LATE, LATE], "-"),
        ("T6", [LATE], "-"),
        ("T6", [L1, L1], "-"),
    ],
)
def test_each_rule(rule, scripts, expected):
    assert graded(*scripts)[rule] == expected


def test_status_and_unknown_words_are_no_turns():
    noisy = [part for action in BEST for part in ("status", "bogus", action)]
    assert grade(play_trial(ENV, [noisy] * 3)) == grade(play_trial(ENV, [BEST] * 3))
