"""The graders of RedEye: complete, partial and no evidence, on play made for it."""

from collections import Counter

from evoplay.evaluation.rules.redeye import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/redeye"
WIN = [
    "talk_caller",
    "talk_backpacker",
    "go_dining",
    "talk_capped",
    "search",
    "go_platform",
    "ask_ground",
    "go_firstclass",
    "confront_suit",
    "go_vestibule",
    "talk_graycoat",
    "talk_graycoat",
    "talk_graycoat",
    "comfort_graycoat",
    "disarm",
]
EXPOSE = WIN[:9]
TRUST = WIN[:14]
STORY = ["go_vestibule", *["talk_graycoat"] * 3]
EARLY_COMFORT = ["go_vestibule", "comfort_graycoat"]
ACCUSE_CALLER = ["confront_caller"]
NO_RADIO = [action for action in WIN if action != "ask_ground"]
BLIND = [action for action in WIN if action != "talk_capped"]
ALONE = ["go_vestibule", "disarm"]
WAIT = TRUST + ["tell_crew"] * 30


def graded(rule, *nights):
    """The grade of a rule on a trial of these scored episodes, after the prologue."""
    return grade(play_trial(ENV, [["doze"], *nights]))[rule]


def test_the_solver_shows_everything():
    assert grade(solver_trial(ENV, 4)) == dict.fromkeys(("T1", "T2", "T3", "T4", "T5", "T6"), "S")


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number, 10)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "-"] >= 19


def test_the_prologue_says_nothing():
    assert set(grade(play_trial(ENV, [WIN])).values()) == {"-"}


def test_accusing():
    assert graded("T1", EXPOSE, ACCUSE_CALLER, EXPOSE) == "S"
    assert graded("T1", ACCUSE_CALLER, EXPOSE, []) == "S"
    assert graded("T1", EXPOSE, ACCUSE_CALLER) == "P"
    assert graded("T1", EXPOSE[:5]) == "P"
    assert graded("T1", ACCUSE_CALLER, EXPOSE[:2]) == "-"
    assert graded("T1", [*EXPOSE[:5], "confront_capped"]) == "-"


def test_the_ally():
    hold = ["go_vestibule", "restrain_graycoat"]
    assert graded("T2", hold, STORY, TRUST) == "S"
    assert graded("T2", hold, STORY) == "P"
    assert graded("T2", [*STORY, "confront_graycoat"]) == "-"
    assert graded("T2", TRUST, hold) == "-"
    assert graded("T2", STORY[:3]) == "-"


def test_order():
    assert graded("T3", EARLY_COMFORT, TRUST) == "S"
    assert graded("T3", TRUST, EARLY_COMFORT) == "P"
    assert graded("T3", EARLY_COMFORT, EXPOSE) == "P"
    assert graded("T3", EARLY_COMFORT, EARLY_COMFORT, EXPOSE) == "-"
    assert graded("T3", EXPOSE, EARLY_COMFORT) == "-"


def test_the_radio():
    evidence = ["go_dining", "search"]
    call = [*evidence, "go_platform", "ask_ground"]
    assert graded("T4", call, call, evidence) == "S"
    assert graded("T4", evidence, call, []) == "S"
    assert graded("T4", call, evidence) == "P"
    assert graded("T4", evidence, ["go_platform", "ask_ground"]) == "-"


def test_the_device():
    look = ["go_vestibule", "examine_graycoat"]
    assert graded("T5", NO_RADIO) == "S"
    assert graded("T5", ALONE, look) == "P"
    assert graded("T5", BLIND, look) == "P"
    assert graded("T5", look, ALONE) == "-"


def test_the_complete_line():
    assert graded("T6", ALONE, WIN, WIN, []) == "S"
    assert graded("T6", WIN, ALONE) == "P"
    assert graded("T6", WAIT) == "P"
    assert graded("T6", NO_RADIO) == "-"
