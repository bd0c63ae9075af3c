"""The graders of Haunted Inn: complete, partial and no evidence, on play made for it (seed 2).

Seed 2: lanterns are taboo in the mirror room (8), actors beside scholars, and three actors or more.
"""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.hauntedinn import LANTERN, draw_guests, draw_house
from evoplay.evaluation.rules.hauntedinn import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/hauntedinn"
HOUSE = draw_house(2)


def seat(episode, rooms):
    """The queue of an episode seated by a function (guest, number) -> room or None, then the night."""
    guests = draw_guests(2, episode)
    chosen = [rooms(guest, number) for number, guest in enumerate(guests)]
    return [f"room_{room}" if room else "turn_away" for room in chosen] + ["open"]


def packed(episode):
    """Everybody in the order of the queue, with a lantern bearer in the mirror room where one comes."""
    guests = draw_guests(2, episode)
    bearer = next((number for number, guest in enumerate(guests) if guest.lantern), None)
    free = iter(range(1, 8) if bearer is not None else range(1, 9))
    return seat(episode, lambda guest, number: 8 if number == bearer else next(free, None))


def solved(episode):
    return make(ENV).solution(episode)


def test_the_check_values_of_the_seed():
    assert (HOUSE.feature, HOUSE.trait, HOUSE.neighbours, HOUSE.crowd) == (
        "mirror",
        LANTERN,
        ("actor", "scholar"),
        "actor",
    )


def test_the_solver_breaks_no_taboo_and_so_shows_only_mastery():
    assert grade(solver_trial(ENV, 10)) == {"T1": "P", "T2": "P", "T3": "-", "T4": "-", "T5": "S"}


def test_a_player_who_errs_once_and_then_knows_shows_the_taboos():
    """In this house only the second queue holds a crowd of actors: the count taboo gets no later chance."""
    later = [solved(episode) for episode in range(2, 11)]
    got = grade(play_trial(ENV, [crowded_actors(1), *later]))
    assert got["T2"] == got["T5"] == "S"
    got = grade(play_trial(ENV, [packed(1), *later]))
    assert got["T1"] == got["T5"] == "S"


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    assert sum(count for (_, got), count in grades.items() if got == "S") <= 3
    assert sum(count for (_, got), count in grades.items() if got == "-") >= 85


def crowded_actors(episode):
    """All actors and scholars in a row from room 1, the others after them."""
    guests = draw_guests(2, episode)
    order = sorted(range(len(guests)), key=lambda number: guests[number].type not in ("actor", "scholar"))
    return seat(episode, lambda guest, number: order.index(number) + 1)


def lanterns_outside(episode):
    return seat(episode, lambda guest, number: number + 1 if number < 7 else None)


def episodes_with(test):
    return [episode for episode in range(1, 11) if test(draw_guests(2, episode))]


def in_order(plans):
    """Ten scripts: those of `plans` (by episode), nothing in the other episodes."""
    return [plans.get(episode, []) for episode in range(1, 11)]


def test_feature_taboo():
    bearers = episodes_with(lambda guests: any(guest.lantern for guest in guests))
    first, second, third, fourth = bearers[:4]
    fire = {first: packed(first)}
    assert grade(play_trial(ENV, in_order(fire | {e: lanterns_outside(e) for e in (second, third)})))["T1"] == "S"
    assert grade(play_trial(ENV, in_order(fire | {second: lanterns_outside(second)})))["T1"] == "P"
    mixed = fire | {second: packed(second), third: lanterns_outside(third), fourth: lanterns_outside(fourth)}
    assert grade(play_trial(ENV, in_order(mixed)))["T1"] == "P"
    assert grade(play_trial(ENV, in_order(fire | {e: packed(e) for e in (second, third)})))["T1"] == "-"
    assert grade(play_trial(ENV, in_order({e: lanterns_outside(e) for e in bearers[:3]})))["T1"] == "P"
    assert grade(play_trial(ENV, in_order({e: lanterns_outside(e) for e in bearers[:2]})))["T1"] == "-"


def apart(episode):
    """One actor and one scholar at the ends of the row, up to two of the others between them."""
    guests = draw_guests(2, episode)
    ends = {"actor": 1, "scholar": 7}
    middle = iter((4, 5))

    def room(guest, number):
        return ends.pop(guest.type, None) if guest.type in ("actor", "scholar") else next(middle, None)

    assert len(guests) >= 4
    return seat(episode, room)


def test_adjacency_taboo():
    def both(guests):
        types = Counter(guest.type for guest in guests)
        return types["actor"] and types["scholar"] and types.total() - types["actor"] - types["scholar"] >= 2

    first, second, third = episodes_with(both)[:3]
    fire = {first: crowded_actors(first)}
    assert grade(play_trial(ENV, in_order(fire | {second: apart(second), third: apart(third)})))["T2"] == "S"
    assert grade(play_trial(ENV, in_order(fire | {second: apart(second)})))["T2"] == "P"
    assert grade(play_trial(ENV, in_order(fire | {second: crowded_actors(second)})))["T2"] == "-"


def no_actors(episode):
    free = iter(range(1, 9))
    return seat(episode, lambda guest, number: None if guest.type == "actor" else next(free))


@pytest.fixture(scope="module")
def crowds():
    """A seed and three of its episodes whose queues hold a crowd, with at least four others."""
    for seed in range(200):
        house = draw_house(seed)
        found = [
            episode
            for episode in range(1, 11)
            if sum(guest.type == house.crowd for guest in draw_guests(seed, episode)) == 3
            and len(draw_guests(seed, episode)) >= 7
        ]
        if len(found) >= 3:
            return seed, house.crowd, found[:3]
    raise AssertionError("no such seed")


def test_count_taboo(crowds):
    seed, crowd, (first, second, third) = crowds

    def everybody(episode):
        count = len(draw_guests(seed, episode))
        return [f"room_{room}" for room in range(1, count + 1)] + ["open"]

    def without(episode):
        free = iter(range(1, 9))
        return [
            "turn_away" if guest.type == crowd else f"room_{next(free)}" for guest in draw_guests(seed, episode)
        ] + ["open"]

    def got(plans):
        return grade(play_trial(ENV, in_order(plans), seed))["T3"]

    fire = {first: everybody(first)}
    assert got(fire | {second: without(second), third: without(third)}) == "S"
    assert got(fire | {second: without(second)}) == "P"
    assert got(fire | {second: everybody(second)}) == "-"
    assert got({first: without(first), second: without(second), third: without(third)}) == "P"


def test_panic():
    def behind(episode, kept):
        """A lantern bearer in room 8, and `kept` others from room 1 with a gap before it, one more in room 7."""
        guests = draw_guests(2, episode)
        bearer = next(number for number, guest in enumerate(guests) if guest.lantern)
        quiet = [n for n, guest in enumerate(guests) if n != bearer and guest.type not in ("actor",)]
        places = dict(zip(quiet, [*range(1, kept + 1), 7, 6, 5][: max(kept + 1, 3)], strict=False)) | {bearer: 8}
        return seat(episode, lambda guest, number: places.get(number))

    able = episodes_with(lambda guests: any(g.lantern for g in guests) and sum(g.type != "actor" for g in guests) >= 6)
    first, second = able[:2]
    assert grade(play_trial(ENV, in_order({first: packed(first), second: behind(second, 3)})))["T4"] == "S"
    assert grade(play_trial(ENV, in_order({first: packed(first), second: behind(second, 1)})))["T4"] == "P"
    assert grade(play_trial(ENV, in_order({first: packed(first), second: packed(second)})))["T4"] == "-"


def test_mastery():
    assert grade(play_trial(ENV, [["open"], *(solved(n) for n in (2, 3, 4))]))["T5"] == "S"
    assert grade(play_trial(ENV, [["open"], ["open"], ["open"], solved(4)]))["T5"] == "P"
    assert grade(play_trial(ENV, [["open"]] * 4))["T5"] == "-"
