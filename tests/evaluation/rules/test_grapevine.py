"""The graders of Grapevine: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter
from itertools import combinations

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.grapevine import CITIZENS, spread
from evoplay.evaluation.rules.grapevine import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/grapevine"


def choose(sources):
    return [*(f"seed_{name}" for name in sources), "release"]


def played(*sets):
    return grade(play_trial(ENV, [choose(sources) for sources in sets]))


@pytest.fixture(scope="module")
def convinced():
    """Everyone a set of letters convinces, on the official seed."""
    network = make(ENV).network

    def found(sources):
        waves = spread(network, [CITIZENS.index(name) for name in sources])
        return frozenset(CITIZENS[citizen] for wave in waves for citizen in wave)

    return found


@pytest.fixture(scope="module")
def by_score(convinced):
    """Trios by the number they convince."""
    trios = {}
    for trio in combinations(CITIZENS, 3):
        trios.setdefault(len(convinced(trio)), []).append("".join(trio))
    return trios


def test_the_solver_shows_every_rule_but_those_of_learning():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "S", "T3": "S", "T4": "-", "T5": "S", "T6": "-"}


def climb(convinced):
    """Trios that climb to the best one source at a time, from a poor start."""
    best = "".join(action[-1] for action in make(ENV).solution(1)[:3])
    others = [name for name in CITIZENS if name not in best]
    for x, y, z in combinations(others, 3):
        path = [x + y + z, best[0] + y + z, best[:2] + z, best, best]
        scores = [len(convinced(trio)) for trio in path]
        outside = not set(path[2]) <= convinced(path[1]) and not set(path[2]) <= convinced(path[0])
        if scores[0] <= scores[1] <= scores[2] <= scores[3] and outside and sum(scores[:2]) * 0.75 <= scores[3]:
            return path
    raise AssertionError("no such climb")


def test_a_player_who_learns_shows_every_rule(convinced):
    assert set(played(*climb(convinced)).values()) == {"S"}


def test_random_play_shows_little_of_what_takes_knowledge():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T2", "T3", "T4"):
        assert grades[rule, "S"] <= 2


def test_repeats(by_score):
    good, bad, worse, worst = by_score[12][0], by_score[6][0], by_score[5][0], by_score[4][0]
    assert played(good, bad, worse, good)["T1"] == "S"
    assert played(good, bad, worse, bad)["T1"] == "P"
    assert played(good, bad, bad, bad)["T1"] == "-"
    assert played(good, bad, worse)["T1"] == "-"
    assert played(good, bad, worse, worst)["T1"] == "S"


def test_three_sources():
    assert played("A", "ABC", "ABD", "ABE")["T2"] == "S"
    assert played("ABC", "ABC", "AB", "ABE")["T2"] == "P"
    assert played("A", "B", "C", "ABC", "ABD", "ABE", "ABF")["T2"] == "P"
    assert played("A", "B", "CD", "ABC", "ABD", "ABE", "ABF")["T2"] == "-"
    assert played("ABC")["T2"] == "-"


def test_joint_effects(by_score):
    assert played(by_score[14][0])["T3"] == "S"
    assert played(by_score[11][0])["T3"] == "P"
    assert played(by_score[10][0])["T3"] == "-"


def test_comparisons(by_score):
    top = by_score[16][0]
    rest = [name for name in CITIZENS if name not in top]
    swaps = [top[:2] + name for name in rest[:3]]
    assert played(top, *swaps)["T4"] == "S"
    assert played(top, swaps[0], top[:2])["T4"] == "P"
    assert played(top, "".join(rest[:3]))["T4"] == "-"


def test_closure(by_score, convinced):
    top = by_score[16][0]
    inside = sorted(convinced(top) - set(top))
    outside = sorted(set(CITIZENS) - convinced(top))
    assert played(top, top, top[:2] + outside[0], top)["T5"] == "S"
    assert played(top, top, "".join(inside[:3]), top)["T5"] == "P"
    assert played(top, top, "".join(inside[:3]), "".join(inside[3:6]))["T5"] == "-"
    assert grade(play_trial(ENV, [[], []]))["T5"] == "-"


def test_kept(by_score):
    low, middle, high = by_score[6][0], by_score[8][0], by_score[9][0]
    assert played(low, low, high)["T6"] == "S"
    assert played(low, high, middle)["T6"] == "P"
    assert played(high, high, low)["T6"] == "-"
