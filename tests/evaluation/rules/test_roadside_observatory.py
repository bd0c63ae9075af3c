"""The graders of Roadside Observatory: complete, partial and no evidence, on play made for it (seed 2)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.roadside_observatory.data import (
    CLUE,
    COLLECTOR,
    DRIVER,
    HIKER,
    MECHANIC,
    RANGER,
    TOKEN,
)
from evoplay.evaluation.rules.roadside_observatory import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/roadside_observatory"


def graded(rule, kind, *plans):
    """The grade of a rule; each episode walks up to the person of a kind, and plays a plan there."""
    scripts = []
    env = make(ENV)
    for number, plan in enumerate(plans, start=1):
        env.reset(number)
        road = env.journey.road
        at = next(place for place, one in enumerate(road.places) if one.kind == kind)
        visit = ["visit landmark"] if "visit" in plan else []
        way = ["walk main road", *visit, *["walk main road"] * (at - 1)]
        forms = {"clue": f"show item {road.items[CLUE]}", "token": f"show item {road.items[TOKEN]}"}
        scripts.append(way + [forms.get(step, step) for step in plan if step != "visit"])
    return grade(play_trial(ENV, scripts))[rule]


NOTHING = ()


def test_the_solver_shows_every_rule():
    assert set(grade(solver_trial(ENV)).values()) == {"S"}


def test_random_play_shows_no_rule_whole():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number, 10)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "S"] == 0, grades
    for rule in ("T2", "T5", "T6"):
        assert grades[rule, "P"] <= 4, grades


GOOD = {
    MECHANIC: ("T1", ("observe person", "offer help", "ask ride")),
    RANGER: ("T2", ("rest", "rest", "observe person", "ask trail", "ask shortcut")),
    HIKER: ("T3", ("listen", "share supply")),
    COLLECTOR: ("T4", ("visit", "tell story")),
    DRIVER: ("T5", ("question detail", "accept offer")),
}
OTHER_GOOD = {
    MECHANIC: ("inspect vehicle", "ask route"),
    RANGER: ("rest", "rest", "ask weather", "ask shortcut"),
    HIKER: ("observe person", "trade cash", "listen"),
    COLLECTOR: ("visit", "observe person", "token"),
    DRIVER: ("refuse offer", "question detail", "accept offer"),
}
MUDDLED = {
    MECHANIC: ("observe person", "ask ride", "offer help", "ask route"),
    RANGER: ("rest", "rest", "ask shortcut", "ask weather", "ask shortcut"),
    HIKER: ("listen", "ask item", "share supply"),
    COLLECTOR: ("visit", "listen", "tell story"),
    DRIVER: ("observe person", "refuse offer", "question detail", "accept offer"),
}
FAILED = {
    MECHANIC: ("ask ride", "offer help", "ask ride"),
    RANGER: ("ask shortcut",),
    HIKER: ("listen", "ask route"),
    COLLECTOR: ("tell story",),
    DRIVER: ("accept offer",),
}


@pytest.mark.parametrize("kind", GOOD)
def test_each_person(kind):
    rule, good = GOOD[kind]
    other, muddled, failed = OTHER_GOOD[kind], MUDDLED[kind], FAILED[kind]
    assert graded(rule, kind, failed, good, other) == "S"
    assert graded(rule, kind, good, muddled) == "P"
    assert graded(rule, kind, good, failed) == "P"
    assert graded(rule, kind, good) == "P"
    assert graded(rule, kind, failed, failed) == "-"
    assert graded(rule, kind, NOTHING, failed) == "-"


def test_an_unverified_offer_spoils_the_episode():
    _, good = GOOD[DRIVER]
    spoilt = ("accept offer", "refuse offer", "question detail", "accept offer")
    assert graded("T5", DRIVER, good, spoilt) == "P"


def test_tired_talk_is_not_clean():
    env = make(ENV)
    scripts = []
    for number in (1, 2):
        env.reset(number)
        at = next(place for place, one in enumerate(env.journey.road.places) if one.kind == RANGER)
        way = ["walk scenic trail"] * at + ["forage"] * 8
        scripts.append([*way, "ask weather", "ask shortcut", "rest", "rest", "rest", "ask weather", "ask shortcut"])
    assert grade(play_trial(ENV, scripts))["T2"] == "P"


def dome(number, ending):
    """An episode by the solver's line up to the dome, with another ending."""
    env = make(ENV)
    line = list(env.solution(number)[:-1])
    env.reset(number)
    clue = f"show item {env.journey.road.items[CLUE]}"
    return line + [clue if step == "clue" else step for step in ending]


def test_the_dome():
    good, observed, plain = ("clue",), ("observe person", "clue"), ("ask route",)
    assert grade(play_trial(ENV, [dome(1, plain), dome(2, good), dome(3, good)]))["T6"] == "S"
    assert grade(play_trial(ENV, [dome(1, good), dome(2, observed)]))["T6"] == "P"
    tired = ["forage"] * 7 + ["clue"]
    assert grade(play_trial(ENV, [dome(1, tired)]))["T6"] == "P"
    assert grade(play_trial(ENV, [dome(1, plain), dome(2, plain)]))["T6"] == "-"


def test_who_is_met_without_a_word_counts_as_met():
    rule, good = GOOD[MECHANIC]
    assert graded(rule, MECHANIC, good, good, NOTHING) == "P"
