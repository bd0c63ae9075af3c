"""The graders of Patch Reality: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.patch_reality_moderate.data import LEVELS
from evoplay.envs.learn2play.patch_reality_moderate.solver import ROUTE, level_line
from evoplay.evaluation.rules.patch_reality_moderate import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/patch_reality_moderate"
RULES = ("T1", "T2", "T3", "T4", "T5", "T6")


def line(**changes):
    """The best line with other actions in some levels (`l6=[...]`)."""
    actions = []
    for number, (level, looks) in enumerate(zip(LEVELS, ROUTE, strict=True), start=1):
        actions += changes.get(f"l{number}", level_line(level, looks))
    return actions


def level(number):
    return list(level_line(LEVELS[number - 1], ROUTE[number - 1]))


def waits(number):
    return ["wait"] * (LEVELS[number - 1].fatal - 1)


def clumsy():
    """A first episode with a fault, needless audits and patches that have a hidden bill."""
    third = [*level(3)[:-1], "patch lighting.angle soften", "audit", "patch lighting.angle soften", level(3)[-1]]
    return line(l3=["dance", *third], l6=["audit security_log", *level(6)])


def graded(rule, *episodes):
    return grade(play_trial(ENV, episodes))[rule]


def test_the_solver_shows_what_needs_no_earlier_fault():
    """Nothing is learnt about suspicion, bills or faults where the first episode had none of them."""
    grades = {"T1": "S", "T2": "S", "T3": "-", "T4": "S", "T5": "-", "T6": "-"}
    assert grade(solver_trial(ENV)) == grades


def test_a_player_who_learns_shows_every_rule():
    assert grade(play_trial(ENV, [clumsy(), *[line()] * 4])) == dict.fromkeys(RULES, "S")


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    assert all(grades[rule, "-"] >= 17 for rule in RULES), grades
    assert sum(grades[rule, "S"] for rule in RULES) <= 3, grades


def wrong_first(number):
    other = next(o for o in LEVELS[number - 1].options["source"] if o != LEVELS[number - 1].right["source"])
    return [f"diagnose source={other}", *level(number)]


@pytest.mark.parametrize(("wrong", "got"), [((), "S"), ((3,), "S"), ((3, 5, 8), "P"), ((3, 5, 6, 8), "-")])
def test_diagnoses(wrong, got):
    second = line(**{f"l{number}": wrong_first(number) for number in wrong})
    assert graded("T1", line(), second) == got
    assert graded("T1", second) == "-"


@pytest.mark.parametrize(("skipped", "got"), [((), "S"), ((2,), "P"), ((2, 7), "P"), ((2, 5, 7), "-")])
def test_evidence(skipped, got):
    second = line(**{f"l{number}": waits(number) for number in skipped})
    assert graded("T2", line(), second) == got


def test_a_patch_refused_for_its_evidence_spoils_the_episode():
    asked = [*level(3)[:1], *level(3)[3:], *level(3)[1:3], level(3)[-1]]
    assert graded("T2", line(), line(l3=asked)) == "-"
    assert graded("T2", line(), line(l3=["patch lighting.angle", *level(3)])) == "S"
    bypass = [a for a in level(4) if not a.startswith("audit")]
    assert graded("T2", line(), line(l4=[*bypass[:-1], f"{bypass[-1]} FOR"])) == "P"


def test_few_audits():
    many = line(l6=["audit security_log", *level(6)])
    assert graded("T3", many, line()) == "S"
    assert graded("T3", line(l4=["audit hospital_ledger", *level(4)]), line()) == "S"
    assert graded("T3", line(l6=["audit security_log"] * 2 + level(6)), many) == "P"
    assert graded("T3", many, line(l2=waits(2))) == "-"
    assert graded("T3", line(), many) == "-"


def test_two_layers():
    first, second = level(6)[-2:]
    assert graded("T4", line(), line(l6=[*level(6)[:-2], second, first])) == "S"
    assert graded("T4", line(), line(l6=[*level(6)[:-2], first, "audit", second])) == "S"
    assert graded("T4", line(), line(l6=[*level(6)[:-2], first, "wait", second])) == "P"
    assert graded("T4", line()) == "P"
    assert graded("T4", line(l6=waits(6)), line(l6=waits(6))) == "-"


def test_hidden_bills():
    assert graded("T5", clumsy(), line(), line()) == "S"
    assert graded("T5", line(), clumsy(), line(), line()) == "S"
    assert graded("T5", clumsy(), line()) == "P"
    assert graded("T5", clumsy(), line(), clumsy()) == "-"
    assert graded("T5", line(), line(), line()) == "-"


def test_invalid_input():
    noisy, faulty = line(l3=["dance"] * 3 + level(3)), line(l1=["dance", *level(1)])
    assert graded("T6", noisy, line(), line()) == "S"
    assert graded("T6", noisy, faulty, line()) == "P"
    assert graded("T6", noisy, line()) == "P"
    assert graded("T6", faulty, faulty, line()) == "-"
    assert graded("T6", line(), line(), line()) == "-"


def test_episodes_that_broke_off_early_do_not_count():
    short = [action for number in range(1, 4) for action in level(number)]
    assert set(grade(play_trial(ENV, [clumsy(), short, short])).values()) <= {"-", "P"}
    assert graded("T1", clumsy(), short, line()) == "S"
    assert make(ENV).spec.max_steps >= 3 * len(line())
