"""The graders of Mola Tea: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter
from itertools import cycle

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.mola_tea.data import SHARER, TASTER
from evoplay.evaluation.rules.mola_tea import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/mola_tea"
GOOD = ("develop", "launch", "sample", "restock", "feature", "gift", "hold", "bundle")


def words(number):
    """What the actions of an episode name: the near card, a far one, groups by role, merchandise."""
    env = make(ENV)
    env.reset(number)
    shop = env.week.shop
    near, second = [card for card in shop.cards if card.distance == 1]
    far = next(card for card in shop.cards if card.distance == 4)
    merch = list(shop.merch_costs)
    return near, second, far, shop.group_of(TASTER), shop.group_of(SHARER), merch


def script(number, plan, which="near"):
    near, second, far, taster, sharer, merch = words(number)
    card = {"near": near, "second": second, "far": far}[which]
    name = card.product
    forms = {
        "develop": f"develop {card.card}",
        "launch": f"launch {name}",
        "sample": f"sample {name} {taster}",
        "missample": f"sample {name} {sharer}",
        "restock": f"restock {name} small",
        "feature": f"feature {name}",
        "gift": f"gift {merch[0]} {name} {sharer}",
        "misgift": f"gift {merch[0]} {name} {taster}",
        "bundle": f"bundle {name} {merch[1]}",
        "discount": f"discount {name} small",
        "hold": "hold",
    }
    return [forms[step] for step in plan]


def trial(*plans, which="near"):
    """One episode a plan, from episode 1."""
    return play_trial(ENV, [script(number, plan, which) for number, plan in enumerate(plans, start=1)])


@pytest.mark.parametrize("episodes", [3, 10])
def test_the_solver_shows_every_rule(episodes):
    assert set(grade(solver_trial(ENV, episodes)).values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number, 10)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "S"] <= 1, grades


def test_one_change():
    good, other = script(1, GOOD[:1]), script(3, GOOD[:1], "far")
    two, three = script(2, GOOD[:1]), script(3, GOOD[:1])
    assert grade(play_trial(ENV, [good, two, three]))["T1"] == "S"
    assert grade(play_trial(ENV, [good, two, other]))["T1"] == "P"
    assert grade(play_trial(ENV, [good, [], other]))["T1"] == "-"
    assert grade(play_trial(ENV, [good, two, three, [], []]))["T1"] == "-"


def test_tasters_first():
    right, wrong = GOOD[:3], ("develop", "launch", "missample", "sample")
    assert grade(trial(right, right, right))["T2"] == "S"
    assert grade(trial(right, wrong, right))["T2"] == "P"
    assert grade(trial(right, wrong, wrong))["T2"] == "-"


def test_leaving_alone():
    right, pushed = GOOD[:4], (*GOOD[:3], "feature")
    assert grade(trial(right, right, right))["T3"] == "S"
    assert grade(trial(right, right, pushed))["T3"] == "P"
    assert grade(trial(right, pushed, GOOD[:3]))["T3"] == "-"


def test_timing():
    right, no_gift, wrong_gift = GOOD[:6], GOOD[:5], (*GOOD[:5], "misgift", "gift")
    assert grade(trial(right, right, GOOD[:2]))["T4"] == "S"
    assert grade(trial(right, GOOD[:2], GOOD[:2]))["T4"] == "P"
    assert grade(trial(no_gift, wrong_gift, GOOD[:2]))["T4"] == "P"
    assert grade(trial(no_gift, GOOD[:3], GOOD[:2]))["T4"] == "-"


def test_measure():
    calm = (*GOOD[:6], "hold")
    loud = (*GOOD[:6], "restock", "restock", "discount", "discount")
    assert grade(trial(calm, calm, loud))["T5"] == "S"
    assert grade(trial(calm, loud, loud))["T5"] == "P"
    assert grade(trial(loud, loud, loud))["T5"] == "-"


def test_sets_and_a_second_drink():
    sets = (*GOOD[:6], "restock", "bundle")
    both = script(1, sets) + script(1, ("develop", "launch", "sample", "restock", "hold"), "second")
    assert grade(play_trial(ENV, [both]))["T6"] == "S"
    assert grade(trial(sets))["T6"] == "P"
    assert grade(trial(GOOD[:6]))["T6"] == "-"


def test_refused_actions_and_looks_do_not_count():
    near, _, _, taster, _, _ = words(1)
    junk = cycle(["status", "feature nothing", "hm"])
    noisy = [[part for action in script(number, GOOD[:4]) for part in (action, next(junk))] for number in (1, 2, 3)]
    assert grade(play_trial(ENV, noisy))["T3"] == "S"
    assert near.distance == 1
    assert taster
