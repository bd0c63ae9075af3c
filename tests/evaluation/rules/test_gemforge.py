"""The graders of GemForge: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.gemforge import MATERIALS
from evoplay.evaluation.rules.gemforge import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/gemforge"


def join(*items):
    return [f"add_{item}" for item in items] + ["fire"]


@pytest.fixture(scope="module")
def recipes():
    """Ingredients by product, of the official seed."""
    return {gem: sorted(pair) for pair, gem in make(ENV).workshop.recipes.items()}


@pytest.fixture(scope="module")
def slag_pairs():
    known = make(ENV).workshop.recipes
    return [(a, b) for i, a in enumerate(MATERIALS) for b in MATERIALS[i + 1 :] if frozenset((a, b)) not in known]


def test_the_solver_shows_every_rule_but_that_of_failed_pairs():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "-", "T3": "S", "T4": "S", "T5": "S", "T6": "S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T3", "T4", "T6"):
        assert grades[rule, "S"] <= 1


def test_reuse(recipes, slag_pairs):
    gems = list(recipes)
    good = [action for gem in gems[:4] for action in join(*recipes[gem])]
    assert grade(play_trial(ENV, [[], good]))["T1"] == "S"
    assert grade(play_trial(ENV, [[], good[:6] + join(*slag_pairs[0])]))["T1"] == "P"
    assert grade(play_trial(ENV, [good, join(*slag_pairs[0])]))["T1"] == "-"


def test_failed_pairs(slag_pairs):
    five = [join(*pair) for pair in slag_pairs[:5]]
    one_each = [five[0] + five[1], five[2] + five[3], five[4]]
    assert grade(play_trial(ENV, one_each))["T2"] == "S"
    assert grade(play_trial(ENV, [*one_each, five[0] + five[1]]))["T2"] == "P"
    assert grade(play_trial(ENV, [*one_each, five[0] + five[1], five[0]]))["T2"] == "-"
    assert grade(play_trial(ENV, one_each[:2]))["T2"] == "-"


def made(recipes, *gems):
    """Actions that make gems with everything they need."""
    actions = []
    for gem in gems:
        for part in recipes[gem]:
            if part in recipes:
                actions += made(recipes, part)
        actions += join(*recipes[gem])
    return actions


def test_second_tier(recipes):
    assert grade(play_trial(ENV, [made(recipes, "apex", "prism")]))["T3"] == "S"
    assert grade(play_trial(ENV, [made(recipes, "apex")] * 2))["T3"] == "P"
    assert grade(play_trial(ENV, [made(recipes, "apex")]))["T3"] == "-"


def test_third_tier(recipes):
    top = made(recipes, "celestial")
    assert grade(play_trial(ENV, [top, top]))["T4"] == "S"
    assert grade(play_trial(ENV, [top]))["T4"] == "P"
    assert grade(play_trial(ENV, [made(recipes, "apex")]))["T4"] == "-"


def test_lone_items(recipes):
    alone = join("ash") * 5
    assert grade(play_trial(ENV, [alone + join(*recipes["zenith"])]))["T5"] == "S"
    assert grade(play_trial(ENV, [join(*recipes["zenith"]) + join("ash")]))["T5"] == "P"
    assert grade(play_trial(ENV, [join(*recipes["zenith"])]))["T5"] == "-"


def test_planning(recipes):
    assert grade(play_trial(ENV, [made(recipes, "celestial", "nova")]))["T6"] == "S"
    assert grade(play_trial(ENV, [join("ash") * 5 + join("salt") + made(recipes, "celestial")]))["T6"] == "P"
    assert grade(play_trial(ENV, [made(recipes, "apex")]))["T6"] == "-"
