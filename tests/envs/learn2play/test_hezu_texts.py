"""What Roommates' texts reveal, fact by fact, what they keep to themselves, and its rules on their own."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.hezu import (
    QUALITIES,
    TYPES,
    WORST,
    best_total,
    draw_guests,
    draw_house,
    guests_of,
    partitions,
    quality,
    target_of,
    totals,
    trio_of,
)

ENV = "learn2play/hezu"
GUEST = re.compile(rf"(\d) ({'|'.join(TYPES)})")
ROOM = re.compile(r"^Room (\d) \((\d)/3\): (.*)$", re.MULTILINE)
HOME = re.compile(r"^Room (\d): (.+)\. It is (.+): harmony ([+-]\d+)$", re.MULTILINE)
TOTAL = re.compile(r"^Total harmony: ([+-]\d+)$", re.MULTILINE)


def guests_in(text):
    return [(int(number), kind) for number, kind in GUEST.findall(text)]


def facts(text):
    """A view, read back."""
    line = re.search(r"^Guests: (.+)$", text, re.MULTILINE).group(1)
    left = re.search(r"^Without a room: (.+)$", text, re.MULTILINE)
    rooms = {int(room): (int(count), guests_in(held)) for room, count, held in ROOM.findall(text)}
    return {"guests": guests_in(line), "rooms": rooms, "unplaced": guests_in(left.group(1)) if left else []}


def state(env):
    def named(numbers):
        return [(number, env.guests[number]) for number in numbers]

    return {
        "guests": named(range(9)),
        "rooms": {room: (len(held), named(held)) for room, held in env.rooms().items()},
        "unplaced": named(number for number in range(9) if number not in env.room_of),
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


def tells_the_commands(text):
    facts = ("assign_<guest>_<room>", "0-8", "1-3", "move_in", "three guests in every room")
    return all(fact in text for fact in facts)


def test_the_opening_tells_the_task_and_the_state(env):
    text = env.reset(1).text
    assert facts(text) == state(env)
    assert tells_the_commands(text)
    assert "letting agent" in text
    assert "nine guests" in text
    assert "three triple rooms" in text
    for hidden in ("ring", "trio", "harmony", "score", "maximum", "turn", "+", "friend"):
        assert hidden not in text


def test_status_repeats_the_view_alone(env):
    opening = env.reset(1).text
    assert opening.endswith(env.step(" status ").text)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100), st.randoms())
def test_every_move_shows_its_outcome_and_the_state(seed, rng):
    env = make(ENV, seed)
    obs = env.reset(2)
    for _ in range(30):
        action = rng.choice(obs.valid_actions)
        placed = len(env.room_of)
        obs = env.step(action)
        if obs.done:
            break
        assert facts(obs.text) == state(env)
        assert tells_the_commands(obs.text)
        assert obs.visible_score is None
        first = obs.text.split("\n", 1)[0]
        if action.startswith("assign_"):
            _, guest, room = action.split("_")
            assert first == f"Guest {guest} takes a bed in room {room}."
        elif action == "move_in":
            assert placed < 9
            assert "Not everybody has a bed yet" in first


def test_refusals_name_their_reason_and_change_nothing(env):
    play(env, "assign_0_1", "assign_1_1", "assign_2_1")
    view = env.step("status").text
    reasons = {
        "assign_": "write assign_",
        "assign_1": "write assign_",
        "assign_1_2_3": "write assign_",
        "assign_x_1": "write assign_",
        "assign__2": "write assign_",
        "assign_1.0_2": "write assign_",
        "assign_9_1": "numbered 0 to 8",
        "assign_-1_2": "numbered 0 to 8",
        "assign_0_4": "numbered 0 to 8",
        "assign_0_0": "numbered 0 to 8",
        "assign_0_1": "Guest 0 is in room 1 already",
        "assign_+2_01": "Guest 2 is in room 1 already",
        "assign_5_1": "Room 1 is full",
        "ASSIGN_0_1": "no command",
        "assign 0 1": "no command",
        "Move_In": "no command",
        "": "no command",
    }
    for action, reason in reasons.items():
        obs = env.step(action)
        assert not obs.accepted
        first, rest = obs.text.split("\n", 1)
        assert reason in first
        assert rest == view
    assert env.step("move_in").text.split("\n", 1)[1] == view


def test_numbers_are_read_as_whole_numbers(env):
    for action in ("assign_00_1", "assign_+1_2", "assign_ 2_3", "assign_-0_2"):
        assert env.step(action).accepted
    assert env.room_of == {0: 2, 1: 2, 2: 3}


def test_a_moved_guest_keeps_the_old_rank(env):
    play(env, "assign_5_1", "assign_3_2", "assign_4_2", "assign_5_2")
    assert env.rooms()[2] == [5, 3, 4]
    assert [number for number, _ in facts(env.step("status").text)["rooms"][2][1]] == [5, 3, 4]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100), st.permutations(range(9)))
def test_the_settlement_tells_every_room_and_the_total_and_no_more(seed, order):
    env = make(ENV, seed)
    env.reset(1)
    play(env, *(f"assign_{guest}_{at // 3 + 1}" for at, guest in enumerate(order)))
    obs = env.step("move_in")
    homes = HOME.findall(obs.text)
    total = 0
    for (room, held, word, harmony), at in zip(homes, (0, 3, 6), strict=True):
        assert int(room) == at // 3 + 1
        assert guests_in(held) == [(guest, env.guests[guest]) for guest in order[at : at + 3]]
        assert int(harmony) == env.house.harmony[trio_of([env.guests[guest] for guest in order[at : at + 3]])]
        assert word == quality(int(harmony))
        total += int(harmony)
    assert int(TOTAL.search(obs.text).group(1)) == total == obs.score == obs.visible_score
    assert obs.done
    assert not ROOM.search(obs.text)
    assert "assign_" not in obs.text
    for action in ("status", "move_in", "junk"):
        after = env.step(action)
        assert facts(after.text) == state(env)
        assert not TOTAL.search(after.text)
        assert after.score == total


def test_the_five_quality_words():
    assert [quality(h) for h in (7, 3)] == [QUALITIES[0][1]] * 2
    assert [quality(h) for h in (2, 1)] == [QUALITIES[1][1]] * 2
    assert quality(0) == QUALITIES[2][1]
    assert [quality(h) for h in (-1, -2)] == [QUALITIES[3][1]] * 2
    assert [quality(h) for h in (-3, -7)] == [WORST] * 2
    assert len({quality(h) for h in range(-7, 8)}) == 5


def test_who_gets_on_is_hidden_until_they_move_in(env):
    """Two games that differ only in ring and trios read the same until the settlement."""
    other = make(ENV)
    other.reset(1)
    other.house = draw_house(7)
    assert other.house != env.house
    for action in ("status", "assign_3_2", "assign_8_2", "move_in", "junk", "assign_3_1"):
        assert env.step(action) == other.step(action)


@pytest.mark.parametrize(
    ("seed", "ring", "special", "target"),
    [
        (
            1,
            "Extrovert, Homebody, Foodie, Night Owl, Neat Freak",
            ["Night Owl, Extrovert, Homebody", "Foodie, Foodie, Neat Freak", "Foodie, Neat Freak, Homebody"],
            7,
        ),
        (
            7,
            "Foodie, Night Owl, Homebody, Neat Freak, Extrovert",
            ["Foodie, Night Owl, Night Owl", "Homebody, Homebody, Homebody", "Foodie, Extrovert, Extrovert"],
            10,
        ),
        (
            11,
            "Extrovert, Night Owl, Neat Freak, Foodie, Homebody",
            ["Foodie, Neat Freak, Extrovert", "Foodie, Night Owl, Neat Freak", "Night Owl, Night Owl, Night Owl"],
            6,
        ),
    ],
)
def test_houses_of_known_seeds(seed, ring, special, target):
    house = draw_house(seed)
    assert house.ring == tuple(ring.split(", "))
    assert house.special == dict(zip((tuple(trio.split(", ")) for trio in special), (5, 5, -5), strict=True))
    assert target_of(house, seed) == target


@pytest.mark.parametrize(
    ("episode", "attempt", "guests"),
    [
        (
            1,
            "",
            "Night Owl, Foodie, Neat Freak, Homebody, Night Owl, Neat Freak, Extrovert, Neat Freak, Extrovert",
        ),
        (
            2,
            "-try2",
            "Foodie, Foodie, Foodie, Foodie, Homebody, Neat Freak, Extrovert, Extrovert, Homebody",
        ),
        (
            3,
            "-try4",
            "Neat Freak, Homebody, Homebody, Extrovert, Night Owl, Night Owl, Night Owl, Neat Freak, Foodie",
        ),
    ],
)
def test_guests_of_the_official_seed(episode, attempt, guests):
    house = draw_house(1)
    assert guests_of(house, 7, 1, episode) == tuple(guests.split(", "))
    assert draw_guests(f"1-round-{episode - 1}{attempt}") == tuple(guests.split(", "))


def test_there_are_280_partitions():
    assert len(partitions()) == len({frozenset(map(frozenset, part)) for part in partitions()}) == 280


@given(st.integers(0, 10**6))
def test_harmony_follows_the_ring_and_the_special_trios(seed):
    house = draw_house(seed)
    for trio, worth in house.harmony.items():
        pairs = worth - house.special.get(trio_of(trio), 0)
        assert -2 <= pairs <= 2
        assert worth == house.harmony[trio_of(trio)]
    for at, kind in enumerate(house.ring):
        friend, foe = house.ring[(at + 1) % 5], house.ring[(at + 2) % 5]
        assert house.harmony[kind, kind, friend] - house.special.get(trio_of((kind, kind, friend)), 0) == 2
        assert house.harmony[kind, kind, foe] - house.special.get(trio_of((kind, kind, foe)), 0) == -2


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_the_plan_is_the_best_partition(seed, episode):
    env = make(ENV, seed)
    env.reset(episode)
    found = env.solve(episode)
    assert found.value == best_total(env.house, env.guests) == max(totals(env.house, env.guests))
    assert play(env, *found.actions).score == found.value
