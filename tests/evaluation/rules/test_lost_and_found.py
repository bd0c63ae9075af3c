"""The graders of Lost and Found: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.lost_and_found.data import FINDER, MIMIC, OWNER
from evoplay.evaluation.rules.lost_and_found import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/lost_and_found"
FULL = ("look", "detail", "relationship", "timeline", "relevant", "return")


def script(number, *plans):
    """The actions of an episode, one plan a case."""
    env = make(ENV)
    env.reset(number)
    actions = []
    for case, plan in zip(env.shift.cases, plans, strict=False):
        owner, finder, mimic = (case.claimant(role) for role in (OWNER, FINDER, MIMIC))
        forms = {
            "look": "inspect item privately",
            "open": "open item publicly",
            "detail": f"interview {owner} about concealed_detail privately",
            "public detail": f"interview {owner} about concealed_detail publicly",
            "mimic detail": f"interview {mimic} about concealed_detail privately",
            "relationship": f"interview {owner} about relationship publicly",
            "timeline": f"interview {owner} about loss_timeline publicly",
            "relevant": f"check {case.relevant[0]}",
            "decoy": f"check {case.decoy[0]}",
            "return": f"return item to {owner}",
            "misreturn": f"return item to {finder}",
            "store": "store item",
        }
        actions += [forms[step] for step in plan]
    return actions


def graded(rule, *episodes):
    """The grade of a rule for a trial; an episode is a list of plans, one a case."""
    trial = play_trial(ENV, [script(number, *plans) for number, plans in enumerate(episodes, start=1)])
    return grade(trial)[rule]


STORE = ("store",)
STORED = [STORE] * 3


def test_the_solver_shows_every_rule_but_meets_no_temptation():
    grades = grade(solver_trial(ENV))
    assert grades == {"T1": "S", "T2": "S", "T3": "S", "T4": "P", "T5": "S", "T6": "S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "S"] <= 1, grades


def test_public_words():
    clean, spoilt = ("detail", "return"), ("open", "detail", "return")
    assert graded("T1", STORED, [clean, clean, STORE]) == "S"
    assert graded("T1", STORED, [("public detail", "return"), STORE, STORE]) == "S"
    assert graded("T1", [spoilt] * 3, [clean] * 3) == "S"
    assert graded("T1", STORED, [clean, spoilt, STORE]) == "P"
    assert graded("T1", STORED, [clean, ("open", "store"), STORE]) == "P"
    assert graded("T1", STORED, [spoilt, ("return",), clean]) == "-"
    assert graded("T1", STORED, STORED) == "-"


def test_three_proofs():
    two_parts = ("look", "detail", "relationship", "return")
    assert graded("T2", STORED, [FULL, FULL, STORE]) == "S"
    assert graded("T2", [FULL, STORE, STORE], STORED) == "P"
    assert graded("T2", STORED, [two_parts, two_parts, STORE]) == "P"
    assert graded("T2", STORED, [two_parts, STORE, STORE]) == "-"


def test_verification():
    checked, unchecked = ("look", "relevant", "return"), ("look", "return")
    assert graded("T3", STORED, [checked, ("open", "relevant", "misreturn"), STORE]) == "S"
    assert graded("T3", STORED, [checked, unchecked, STORE]) == "P"
    assert graded("T3", STORED, [checked, STORE, STORE]) == "P"
    assert graded("T3", STORED, [checked, unchecked, unchecked]) == "-"


def test_the_right_detail():
    sound, unsound = ("look", "detail", "return"), ("look", "misreturn")
    # The mimic has something to say once the owner has said it aloud.
    tempting = ("look", "public detail", "mimic detail", "return")
    assert graded("T4", STORED, [tempting, sound, STORE]) == "S"
    assert graded("T4", STORED, [sound, sound, STORE]) == "P"
    assert graded("T4", STORED, [tempting, unsound, STORE]) == "P"
    assert graded("T4", STORED, [sound, unsound, unsound]) == "-"
    assert graded("T4", STORED, [("detail", "return"), STORE, STORE]) == "-"


@pytest.mark.parametrize(
    ("plans", "expected"),
    [
        ([("relevant", "store"), ("relevant", "store"), ("decoy", "store")], "S"),
        ([("relevant", "store"), ("relevant", "decoy", "store"), STORE], "S"),
        ([("relevant", "store"), STORE, STORE], "P"),
        ([("relevant", "store"), ("decoy", "store"), STORE], "-"),
        (STORED, "-"),
    ],
)
def test_records(plans, expected):
    assert graded("T5", STORED, plans) == expected


def test_time_and_risk():
    slow = ("look", *["relationship"] * 7, "return")
    assert graded("T6", STORED, [("return",), ("return",), STORE]) == "S"
    assert graded("T6", STORED, [slow, ("return",), STORE]) == "P"
    assert graded("T6", STORED, [("return",), STORE, STORE]) == "P"
    assert graded("T6", STORED, [("return",), ("misreturn",), STORE]) == "-"
    assert graded("T6", STORED, [("return",), ("return",)]) == "-"


def test_a_shift_cut_short_counts_as_closed_by_force():
    assert graded("T6", STORED, [("return",), ("return",), ("look",)]) == "-"
