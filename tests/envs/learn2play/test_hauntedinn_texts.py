"""What Haunted Inn's texts reveal, fact by fact, what they keep to themselves, and its rules on their own."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.hauntedinn import (
    FEATURE_NAMES,
    ROOMS,
    TYPES,
    Guest,
    House,
    best_plan,
    draw_guests,
    draw_house,
    fled_from,
    guest_text,
    origins_of,
    revenue,
)

ENV = "learn2play/hauntedinn"
BY_FEATURE = {name: feature for feature, name in FEATURE_NAMES.items()}
ROOM = re.compile(r"^Room (\d) \((.+)\): (.+)$", re.MULTILINE)
DOOR = re.compile(r"^At the door: (.+), pays (\d+)\. Guests left in the queue: (\d+)$", re.MULTILINE)
guests = st.builds(Guest, st.sampled_from(TYPES), st.booleans())
seats = st.lists(st.none() | guests, min_size=ROOMS, max_size=ROOMS)
houses = st.builds(draw_house, st.integers(0, 10**6))


def guest_of(text):
    return Guest(text.removesuffix(" with a lantern"), text.endswith(" with a lantern"))


def facts(text):
    """A situation, read back."""
    door = DOOR.search(text)
    rooms = {
        int(number): (BY_FEATURE[feature], None if held == "vacant" else guest_of(held))
        for number, feature, held in ROOM.findall(text)
    }
    return {
        "round": int(re.search(r"^Round (\d+)$", text, re.MULTILINE).group(1)),
        "rooms": rooms,
        "door": (guest_of(door.group(1)), int(door.group(2)), int(door.group(3))) if door else None,
        "takings": int(re.search(r"^Takings so far: (\d+)$", text, re.MULTILINE).group(1)),
    }


def state(env):
    waiting = [env.guests[number] for number in env.waiting]
    return {
        "round": env.episode,
        "rooms": dict(enumerate(zip(env.house.features, env.seats(), strict=True), start=1)),
        "door": (waiting[0], waiting[0].fee, len(waiting)) if waiting else None,
        "takings": env.points(),
    }


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def test_the_opening_tells_the_goal_and_the_situation(env):
    text = env.reset(1).text
    assert facts(text) == state(env)
    for fact in ("eight rooms", "turn them away", "`open`", "haunted", "fee", "never change", "other guests"):
        assert fact in text
    for hidden in ("empty_", "three", "panic", "adjacent", "30, ", "vacant room"):
        assert hidden not in text
    assert text.endswith(env.step("status").text)


def test_seating_turning_away_and_calling_back_show_the_situation(env):
    for action in ("room_3", "turn_away", " ROOM_8 ", "status"):
        text = env.step(action).text
        assert facts(text) == state(env)
        assert "room_N" in text
        assert "turn_away" in text
    text = env.step("empty_8").text
    first, rest = text.split("\n", 1)
    assert "room 8" in first
    assert facts(rest) == state(env)
    assert facts(rest)["door"][0] == env.guests[2]


def test_a_guest_called_back_stands_before_those_who_wait(env):
    play(env, "room_1", "room_2", "empty_1", "empty_2")
    assert env.waiting == [1, 0, *range(2, len(env.guests))]


def test_with_nobody_left_the_texts_point_to_open(env):
    text = play(env, *["turn_away"] * len(env.guests)).text
    assert facts(text)["door"] is None
    assert "`open`" in text
    assert "turn_away" not in text
    for action in ("turn_away", "room_1", "room_99"):
        obs = env.step(action)
        assert not obs.accepted
        assert "`open`" in obs.text


def test_refusals_name_their_reason_and_nothing_else(env):
    play(env, "room_2")
    reasons = {
        "room_9": "no such room",
        "room_": "no such room",
        "room_1 extra": "no such room",
        "room_1.0": "no such room",
        "empty_0": "no such room",
        "empty_x": "no such room",
        "room_ +2": "Room 2 is taken",
        "room_02": "Room 2 is taken",
        "empty_1": "Room 1 is already empty",
        "dance": "room_1 to room_8, turn_away, open",
        "3": "room_1 to room_8, turn_away, open",
        "": "room_1 to room_8, turn_away, open",
    }
    before = state(env)
    for action, reason in reasons.items():
        obs = env.step(action)
        assert not obs.accepted
        assert reason in obs.text
        assert not ROOM.search(obs.text)
        assert state(env) == before


def test_room_numbers_are_read_as_whole_numbers(env):
    for action in ("room_ 5", "room_+6", "room_07", "room_0_3"):
        assert env.step(action).accepted
    assert [room + 1 for room, guest in enumerate(env.rooms) if guest is not None] == [3, 5, 6, 7]


def test_a_quiet_night_tells_the_takings(env):
    obs = play(env, *env.solution(1))
    assert "quiet night" in obs.text
    assert "Takings: 200" in obs.text
    assert "round is over" in obs.text
    assert obs.done
    assert obs.score == obs.visible_score == 200


def fled_lines(text):
    return [
        (int(room), BY_FEATURE[feature], guest_of(guest), "started here" in why)
        for room, feature, guest, why in re.findall(r"^Room (\d) \((.+)\): (.+) fled; (.+)\.$", text, re.MULTILINE)
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 500), st.integers(1, 10), st.randoms())
def test_the_night_lists_who_fled_from_where_and_why(seed, episode, rng):
    env = make(ENV, seed)
    env.reset(episode)
    while env.waiting:
        env.step(rng.choice([action for action in env.valid() if action.startswith("room_")]))
    held = env.seats()
    origins = origins_of(env.house, held).any
    fled = fled_from(held, origins)
    obs = env.step("open")
    assert fled_lines(obs.text) == [
        (room + 1, env.house.features[room], held[room], room in origins) for room in sorted(fled)
    ]
    assert f"Takings: {revenue(held, fled)}" in obs.text
    after = env.step("status").text
    assert facts(after) == state(env)
    assert facts(after)["takings"] == obs.score
    assert "room_N" not in after
    over = env.step("open")
    assert not over.accepted
    assert "over" in over.text


def test_taboos_and_the_guests_behind_the_first_are_hidden(env):
    """Two games that differ only in what is hidden read the same until the night."""
    other = make(ENV)
    other.reset(1)
    other.house = env.house._replace(feature="dark", trait="merchant", neighbours=("child", "child"), crowd="crone")
    other.guests = (env.guests[0], *reversed(env.guests[1:]))
    for action in ("status", "empty_1", "junk"):
        assert env.step(action) == other.step(action)
    for game in (env, other):
        play(game, "room_1", "turn_away", "room_3")
    assert guest_text(env.guests[3]) != guest_text(other.guests[3])
    env.guests, other.guests = (env.guests[0],) * 8, (env.guests[0],) * 8
    assert env.step("room_4") == other.step("room_4")


def test_which_taboo_fired_is_hidden():
    held = [None] * ROOMS
    held[0] = Guest("child", True)
    texts = set()
    for trait in ("child", "lantern"):
        env = make(ENV)
        env.reset(1)
        env.house = House(("mirror", *["plain"] * 7), "mirror", trait, ("actor", "actor"), "actor")
        env.guests, env.waiting, env.rooms = (Guest("child", True),), [], [0, *[None] * 7]
        texts.add(env.step("open").text)
    assert len(texts) == 1
    assert "started here" in texts.pop()


@pytest.mark.parametrize(
    ("seed", "features", "taboos"),
    [
        (2, "plain shrine plain window dark plain plain mirror", ("mirror", "lantern", ("actor", "scholar"), "actor")),
        (7, "plain plain dark plain mirror shrine window plain", ("window", "lantern", ("actor", "merchant"), "actor")),
        (11, "window mirror dark plain shrine plain plain plain", ("mirror", "scholar", ("actor", "crone"), "actor")),
    ],
)
def test_houses_of_known_seeds(seed, features, taboos):
    house = draw_house(seed)
    assert house.features == tuple(features.split())
    assert house[1:] == taboos


@given(houses, seats)
def test_panic_empties_whole_rows_and_nothing_else(house, held):
    origins = origins_of(house, held).any
    fled = fled_from(held, origins)
    rows, row = [], []
    for room, guest in enumerate([*held, None]):
        if guest is None:
            rows.append(row)
            row = []
        else:
            row.append(room)
    assert fled == {room for row in rows if origins & set(row) for room in row}


@settings(deadline=None)
@given(houses, st.integers(0, 10**6), st.integers(1, 10), seats)
def test_no_seating_beats_the_plan(house, seed, episode, held):
    queue = draw_guests(seed, episode)
    plan = best_plan(house, queue)
    assert not origins_of(house, plan.seats).any
    assert revenue(plan.seats, frozenset()) == plan.value
    come = list(queue)
    for room, guest in enumerate(held):
        if guest in come:
            come.remove(guest)
        else:
            held[room] = come.pop() if guest is not None and come else None
    assert revenue(held, fled_from(held, origins_of(house, held).any)) <= plan.value
