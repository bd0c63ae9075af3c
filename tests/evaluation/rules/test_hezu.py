"""The graders of Roommates: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

from evoplay.envs import make
from evoplay.envs.learn2play.hezu import draw_house, guests_of, pair_sum, partitions, trio_of
from evoplay.evaluation.rules.hezu import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/hezu"
HOUSE = draw_house(1)
GOOD = [trio for trio, value in HOUSE.special.items() if value > 0]
BAD = next(trio for trio, value in HOUSE.special.items() if value < 0)
PLACE = {kind: at for at, kind in enumerate(HOUSE.ring)}


class Arrangement:
    """A partition of an episode's guests as a grader sees it."""

    def __init__(self, guests, rooms):
        self.rooms = rooms
        self.trios = [trio_of([guests[guest] for guest in room]) for room in rooms]
        self.total = sum(HOUSE.harmony[trio] for trio in self.trios)
        self.pairs = sum(pair_sum(PLACE, trio) for trio in self.trios)

    def has(self, trio):
        return trio in self.trios

    def actions(self):
        return [f"assign_{g}_{room}" for room, held in enumerate(self.rooms, 1) for g in held] + ["move_in"]


def arrange(episode, wanted=lambda arrangement: True, key=lambda arrangement: arrangement.total):
    """The best arrangement among the wanted ones, as actions; None where there is none."""
    guests = guests_of(HOUSE, 7, 1, episode)
    able = [each for each in (Arrangement(guests, rooms) for rooms in partitions()) if wanted(each)]
    return max(able, key=key).actions() if able else None


def optimal_with(trio):
    """Episodes in which some optimal arrangement has the trio, with those actions."""
    found = {}
    for episode in range(1, 11):
        actions = arrange(episode, lambda each: each.has(trio) and each.total == 7)
        if actions:
            found[episode] = actions
    return found


def in_order(plans):
    """Ten scripts: those of `plans` (by episode), nothing in the other episodes."""
    return [plans.get(episode, []) for episode in range(1, 11)]


def got(rule, scripts):
    return grade(play_trial(ENV, scripts))[rule]


def without(*trios):
    return lambda each: not any(each.has(trio) for trio in trios)


def test_the_solver_shows_every_rule_but_that_of_the_bad_trio():
    assert grade(solver_trial(ENV, 10)) == {"T1": "S", "T2": "S", "T3": "S", "T4": "-", "T5": "S"}


def test_a_player_who_tries_the_bad_trio_once_shows_that_too():
    first = next(episode for episode in range(1, 11) if arrange(episode, lambda each: each.has(BAD)))
    env = make(ENV)
    scripts = [env.solution(episode) for episode in range(1, 11)]
    scripts[first - 1] = arrange(first, lambda each: each.has(BAD))
    assert grade(play_trial(ENV, scripts))["T4"] == "S"


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T5"):
        assert grades[rule, "S"] <= 1
        assert grades[rule, "-"] >= 16


def test_ring():
    good = [arrange(episode, without(*HOUSE.special), lambda each: each.pairs) for episode in range(1, 5)]
    poor = [arrange(episode, without(*HOUSE.special), lambda each: -each.pairs) for episode in range(1, 5)]
    assert got("T1", [[], [], good[2], good[3]]) == "S"
    assert got("T1", [[], [], good[2], poor[3]]) == "P"
    assert got("T1", [[], [], poor[2], poor[3]]) == "-"
    assert got("T1", [good[0], good[1], [], good[3]]) == "-"


def test_a_good_trio():
    trio = max(GOOD, key=lambda each: len(optimal_with(each)))
    with_it = optimal_with(trio)
    first, second, third, fourth = list(with_it)[:4]
    off = {episode: arrange(episode, without(trio)) for episode in with_it}
    start = {first: with_it[first]}
    assert got("T2", in_order(start | {second: with_it[second], third: with_it[third]})) == "S"
    assert got("T2", in_order(start | {second: with_it[second], third: off[third]})) == "S"
    assert got("T2", in_order(start | {second: with_it[second]})) == "P"
    assert got("T2", in_order(start | {second: with_it[second], third: off[third], fourth: off[fourth]})) == "P"
    assert got("T2", in_order(start | {second: off[second], third: off[third]})) == "-"
    assert got("T2", in_order(start)) == "-"


def test_both_good_trios():
    one, other = (optimal_with(trio) for trio in GOOD)
    plans, left = {}, list(range(1, 11))
    for options in (one, other, one, other):
        episode = next(each for each in left if each in options)
        left = [each for each in left if each > episode]
        plans[episode] = options[episode]
    assert got("T3", in_order(plans)) == "S"
    short = dict(list(plans.items())[:3])
    assert got("T3", in_order(short)) == "P"
    assert got("T3", in_order(dict(list(plans.items())[:2]))) == "-"


def test_the_bad_trio():
    able = {}
    for episode in range(1, 11):
        actions = arrange(episode, lambda each: each.has(BAD))
        if actions:
            able[episode] = actions
    first, second, third = list(able)[:3]
    off = {episode: arrange(episode, without(BAD)) for episode in able}
    start = {first: able[first]}
    assert got("T4", in_order(start | {second: off[second], third: off[third]})) == "S"
    assert got("T4", in_order(start | {second: off[second]})) == "P"
    assert got("T4", in_order(start | {second: off[second], third: able[third]})) == "-"
    assert got("T4", in_order({first: off[first], second: off[second]})) == "-"


def test_the_whole_model():
    best = [arrange(episode) for episode in range(1, 11)]
    near = [arrange(episode, lambda each: each.total == 6) for episode in range(1, 11)]
    far = [arrange(episode, lambda each: each.total <= 5) for episode in range(1, 11)]
    assert got("T5", [best[0], far[1], best[2]]) == "S"
    assert got("T5", [far[0], far[1], best[2]]) == "P"
    close = [episode for episode in range(1, 11) if near[episode - 1]][:3]
    assert got("T5", in_order({episode: near[episode - 1] for episode in close})) == "P"
    assert got("T5", in_order({episode: near[episode - 1] for episode in close[:2]})) == "-"
    assert got("T5", far[:3]) == "-"
