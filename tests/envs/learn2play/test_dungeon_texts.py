"""What the Dungeon's texts reveal, fact by fact, what they keep to themselves, and its map and solver."""

import random
import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.dungeon.rules import draw_labyrinth
from evoplay.envs.learn2play.dungeon.solver import Walks, best_run
from evoplay.envs.learn2play.dungeon.texts import NAMES

ENV = "learn2play/dungeon"
BY_NAME = {name: item for item, name in NAMES.items()}


def rooms(shown):
    return [] if shown.startswith("none") else list(map(int, shown.split(", ")))


def room_facts(text):
    """A room's description, read back."""
    room, seen, exits = re.search(r"^Room (\d+) \((.*?)\)\. Exits: (.*?)\.$", text, re.MULTILINE).groups()
    return {
        "room": int(room),
        "revisit": {"you have been here before": True, "new to you": False}[seen],
        "exits": rooms(exits),
        "treasure": "treasure chamber" in text,
        "emptied": "already emptied" in text,
        "glow": "golden glow" in text,
        "key": "Bronze Key hangs" in text,
        "item": "something on the wall" in text,
        "exit": "breeze" in text,
        "quiet": "quiet and empty" in text,
    }


def status_facts(text):
    """The status block, read back, or None."""
    found = re.search(
        r"^Room (\d+) \| HP (\d+)/10 \| Torch (\d+) \| Gold (\d+) \| Turn (\d+)/50\nBag: (.*?)(?: \| Active: (.*))?$",
        text,
        re.MULTILINE,
    )
    if found is None:
        return None
    *numbers, bag, active = found.groups()
    return {
        "numbers": tuple(map(int, numbers)),
        "bag": [] if bag == "empty" else [BY_NAME[name] for name in bag.split(", ")],
        "active": [BY_NAME[f"{name} (?)"] for name in active.split(", ")] if active else [],
    }


def state(env):
    return {
        "numbers": (env.room, env.health, env.torch, env.gold, env.turns),
        "bag": env.bag,
        "active": sorted(env.active, reverse=True),
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


def walk(env, way, *more):
    return play(env, *(f"go_{room}" for room in way.split()), *more)


def test_the_opening_tells_the_torch_the_dark_and_the_first_room(env):
    text = env.reset(1).text
    for fact in ("Torch in hand", "What a room holds", "only a search"):
        assert fact in text
    assert room_facts(text) == dict.fromkeys(room_facts(text), False) | {"room": 0, "exits": [2, 5], "quiet": True}
    for hidden in ("18", "50", "HP", "score", "gold", "bonus", "treasure", "key", "trap", "monster", "beast", "turns"):
        assert hidden not in text.lower().replace("hp", "HP")
    assert env.reset(1).visible_score is None


def test_status_shows_the_state(env):
    walk(env, "2 4 15 18 6", "take")
    obs = env.step(" STATUS ")
    assert status_facts(obs.text) == state(env)
    assert status_facts(obs.text)["bag"] == ["torch_oil"]
    assert "Active" not in obs.text
    assert "Exits" not in obs.text
    assert obs.visible_score is None


def test_a_walk_tells_room_gold_danger_and_state(env):
    text = walk(env, "2").text
    assert room_facts(text)["exits"] == [4]
    assert "You gather 1 gold; you now carry 1." in text
    assert "beast springs at you: 1 damage, HP 9" in text
    assert status_facts(text) == state(env)
    text = walk(env, "4 15 18").text
    assert "trap snaps shut on you: 2 damage, HP 7" in text
    assert "gold; you now carry 3" in text
    again = walk(env, "15 18").text
    assert room_facts(again)["revisit"]
    assert "gold;" not in again
    assert "trap" not in again


def test_hints_of_rooms(env):
    facts = room_facts(walk(env, "2 4 15 18 6").text)
    assert facts["item"]
    assert not facts["quiet"]
    facts = room_facts(walk(env, "17").text)
    assert (facts["glow"], facts["key"], facts["treasure"]) == (True, True, False)
    play(env, "take")
    text = walk(env, "16").text
    assert (room_facts(text)["treasure"], room_facts(text)["emptied"]) == (True, False)
    assert "You gather 25 gold" in text
    assert "Key turns in the lock" in text
    facts = room_facts(walk(env, "17").text)
    assert (facts["glow"], facts["key"], facts["quiet"]) == (False, False, True)
    assert room_facts(walk(env, "7 14").text)["exit"]


def test_an_emptied_treasure_room_costs_another_key(env):
    walk(env, "2 4 15 18 6 17", "take", "go_16", "go_17")
    env.bag.append("key")
    text = walk(env, "16").text
    assert room_facts(text)["emptied"]
    assert "Key turns in the lock" in text
    assert env.bag == []
    assert "gather" not in text


def test_a_glow_needs_a_known_exit(env):
    env.room = 9
    assert not room_facts(env._enter())["glow"]
    play(env, "search")
    assert room_facts(env._enter())["glow"]


def test_a_locked_door_asks_for_a_key_and_costs_nothing(env):
    walk(env, "2 4 15 18 6 17")
    before = state(env)
    obs = env.step("go_16")
    assert "asks for a key" in obs.text
    assert "You stay in room 17" in obs.text
    assert status_facts(obs.text) is None
    assert state(env) == before
    assert obs.accepted


def test_search_shows_the_new_exits(env):
    text = walk(env, "5", "search").text
    assert re.search(r"uncover: (.*)\.", text).group(1) == "0, 19"
    assert status_facts(text) == state(env)
    assert "search" not in env.valid()
    assert room_facts(walk(env, "4 5").text)["exits"] == [0, 4, 15, 19]


@pytest.mark.parametrize("item", NAMES)
def test_taking_names_the_object(item):
    env = make(ENV)
    env.reset(1)
    env.room = next(room for room, held in env.labyrinth.items.items() if held == item)
    text = env.step("take").text
    assert text.startswith(f"You take it: {NAMES[item]}.")
    assert status_facts(text)["bag"] == [item]
    assert env.valid().count(f"use_{item}") == 1
    assert "take" not in env.valid()


def test_using_objects(env):
    env.bag, env.torch, env.health = ["torch_oil", "health_potion", "trap_boots", "monster_charm", "key", "key"], 13, 4
    assert env.valid().count("use_key") == 2
    assert "+5 light, 18 left" in env.step("use_torch_oil").text
    assert "+6 HP, HP 10" in env.step("use_health_potion").text
    assert "next trap will do you no damage" in env.step("use_trap_boots").text
    text = env.step("use_monster_charm").text
    assert "next monster will do you no damage" in text
    assert status_facts(text) == state(env)
    assert status_facts(text)["active"] == ["trap_boots", "monster_charm"]
    turns = env.turns
    text = env.step("use_key").text
    assert "by itself at a locked door" in text
    assert status_facts(text) == state(env)
    assert env.turns == turns == 4
    text = walk(env, "2").text
    assert "Beast Charm and slinks away" in text
    assert "damage" not in text
    text = walk(env, "4 15 18").text
    assert "Thick Boots; they take the blow" in text
    assert env.active == []


def test_a_used_key_goes_to_the_end_of_the_bag(env):
    env.bag = ["key", "torch_oil"]
    env.step("use_key")
    assert env.bag == ["torch_oil", "key"]


def test_ways_to_end(env):
    walk(env, "2")
    assert "1 gold" in env.step("retreat").text
    assert env.step("status").text == env.step("go_2").text == "This descent is over."
    assert env.valid() == []

    env.reset(1)
    walk(env, "2 4 15 18 6 17 7 14")
    gold = env.gold
    obs = env.step("exit")
    assert f"with {gold} gold, and 10 more" in obs.text
    assert f"{gold + 10} in all" in obs.text
    assert obs.visible_score == gold + 10

    env.reset(1)
    env.torch = 1
    text = walk(env, "2").text
    assert "torch gutters" in text
    assert "1 gold you carry" in text
    assert status_facts(text) is None

    env.reset(1)
    env.turns = 49
    assert "time below is up" in walk(env, "2").text
    assert env.points() == 1


@pytest.mark.parametrize(("gold", "left"), [(0, 0), (19, 0), (30, 11)])
def test_death_costs_gold(env, gold, left):
    env.health, env.gold = 1, gold
    text = walk(env, "2").text
    assert "20 gold is lost" in text
    assert f"Final score: {left}" in text
    assert env.points() == left


def test_the_torch_is_looked_at_before_the_wounds(env):
    env.health, env.torch, env.gold = 1, 1, 30
    text = walk(env, "2").text
    assert "torch gutters" in text
    assert "lost" not in text
    assert env.points() == 31


@pytest.mark.parametrize("junk", ["go_02", "go 2", "2", "", "use_key", "exit", "search"])
def test_a_refusal_names_the_text_and_some_actions(env, junk):
    before = state(env)
    obs = env.step(junk)
    assert f"'{junk}'" in obs.text
    assert not obs.accepted
    assert state(env) == before
    listed = obs.text.rpartition(": ")[2].rstrip(".").split(", ")
    assert listed == [action for action in env.valid() if action != "status"][:8]


def test_leaving_keeps_the_gold(env):
    walk(env, "2")
    obs = env.finish()
    assert obs.score == obs.visible_score == 1
    assert "1 gold" in obs.text


def test_contents_are_hidden_until_met():
    """Two games that differ only in what lies further on read the same until it is met."""
    one, other = make(ENV), make(ENV)
    lab = other.labyrinth
    other.labyrinth = lab._replace(
        exit=9, gold=(*lab.gold[:16], 20, *lab.gold[17:]), traps={18: 1}, monsters={2: 1}, items={6: "trap_boots"}
    )
    for env in (one, other):
        env.reset(1)
    for action in ("status", "go_2", "bogus", "go_4", "search", "go_15"):
        assert one.step(action) == other.step(action)


def test_items_on_the_wall_look_alike():
    texts = set()
    for item in ("torch_oil", "health_potion", "trap_boots", "monster_charm"):
        env = make(ENV)
        env.labyrinth = env.labyrinth._replace(items={5: item})
        env.reset(1)
        texts.add(env.step("go_5").text)
    assert len(texts) == 1


@pytest.mark.parametrize(("seed", "value"), [(1, 91), (2, 54), (7, 47), (11, 112)])
def test_other_seeds_are_solved(seed, value):
    labyrinth = draw_labyrinth(seed)
    plan = best_run(labyrinth)
    assert plan.proven
    assert plan.value == value == sum(labyrinth.gold) + 10


@pytest.mark.parametrize("seed", [164, 222, 251, 383, 437])
def test_runs_that_cannot_take_everything_score_what_is_claimed(seed):
    env = make(ENV, seed)
    found = env.solve(1)
    assert found.value < sum(env.labyrinth.gold) + 10
    env.reset(1)
    obs = play(env, *found.actions)
    assert obs.done
    assert obs.score == found.value


@pytest.mark.parametrize("seed", range(300, 304))
def test_no_run_beats_the_reference(seed):
    env, rng = make(ENV, seed), random.Random(seed)
    best = env.solve(1).value
    for _ in range(200):
        obs = env.reset(1)
        while not obs.done:
            useful = [action for action in obs.valid_actions if action not in ("status", "retreat", "use_key")]
            obs = env.step("exit" if "exit" in useful else rng.choice(useful or ["retreat"]))
        assert obs.score <= best


def test_the_bound_never_lies_below_what_a_run_finds():
    for seed in range(400, 410):
        labyrinth = draw_labyrinth(seed)
        assert Walks(labyrinth).bound(0, 0, 0) >= best_run(labyrinth).value


def test_the_labyrinth_of_the_official_seed():
    labyrinth = draw_labyrinth(2)
    assert (labyrinth.exit, labyrinth.treasures) == (14, {16})
    assert sorted(labyrinth.visible[12]) == [3, 14]
    assert sorted(labyrinth.hidden[12]) == [11, 19]
    assert labyrinth.depth == (0, 3, 1, 4, 2, 1, 4, 3, 4, 6, 5, 4, 3, 3, 4, 2, 5, 4, 3, 2)
    assert labyrinth.gold == (0, 2, 1, 1, 1, 0, 1, 0, 0, 2, 3, 0, 0, 2, 2, 0, 25, 2, 1, 1)
    assert labyrinth.traps == {1: 3, 10: 1, 13: 1, 17: 1, 18: 2}
    assert labyrinth.monsters == {2: 1, 8: 1, 9: 3, 12: 3}


@pytest.mark.parametrize(
    ("seed", "way_out", "treasures", "items"),
    [
        (7, 1, {3: 21}, {19: "key", 5: "torch_oil", 18: "health_potion", 12: "trap_boots", 4: "monster_charm"}),
        (
            11,
            9,
            {1: 28, 3: 30, 13: 25},
            {
                5: "key",
                15: "key",
                18: "key",
                14: "torch_oil",
                11: "health_potion",
                17: "trap_boots",
                8: "monster_charm",
            },
        ),
    ],
)
def test_labyrinths_of_other_seeds(seed, way_out, treasures, items):
    labyrinth = draw_labyrinth(seed)
    assert labyrinth.exit == way_out
    assert {room: labyrinth.gold[room] for room in labyrinth.treasures} == treasures
    assert labyrinth.items == items
