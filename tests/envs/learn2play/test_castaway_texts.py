"""Castaway: the drawn island, the arithmetic of its rules, and what its texts reveal and keep to themselves."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.castaway.data import (
    COMPONENTS,
    DANGERS,
    FIRE,
    FOODS,
    GOODS,
    MOST_POINTS,
    NAMES,
    PLACES,
    RESOURCES,
    TOOL,
    TORCH,
)
from evoplay.envs.learn2play.castaway.island import Creature, draw_island
from evoplay.envs.learn2play.castaway.rules import State, act, known_exits, valid_actions

ENV = "learn2play/castaway"
TOKENS = {english: token for token, english in NAMES.items()}
BEHAVIOURS = ("hostile", "guard", "skittish", "neutral")


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def put(env, place="海滩", **state):
    """Set the castaway down somewhere, the place explored unless told otherwise."""
    state.setdefault("explored", frozenset({place}))
    env.state = State(place=place, **state)
    return env


def island_with(env, **changes):
    env.island = dataclasses.replace(env.island, **changes)
    return env


def said(env, action):
    """The messages of a step, without the panel."""
    text = env.step(action).text
    return text[: text.index("[")].strip()


def panel_facts(text):
    block = text[text.rindex("\n[") + 1 if "\n[" in text else text.index("[") :]
    place, day, segment, light, turn = re.match(
        r"\[(.+?)\] Day (\d+), segment (\d)/5 \((day|night)\) \| Turn (\d+)/56", block
    ).groups()
    hp, food, score = re.search(r"^HP (\d+) \| Food (\d+) \| Score (\d+)$", block, re.MULTILINE).groups()
    gear = re.search(r"^Shelter and gear: (.*)$", block, re.MULTILINE).group(1)
    held = re.search(r"^Inventory: (.*)$", block, re.MULTILINE).group(1)
    exits = re.search(r"^Exits: (.*)$", block, re.MULTILINE)
    items = [] if held == "empty" else held.split(", ")
    return {
        "place": TOKENS[place], "day": int(day), "segment": int(segment), "night": light == "night",
        "turn": int(turn), "hp": int(hp), "food": int(food), "score": int(score),
        "fire": "a campfire burns here" in gear, "torch": "torch in hand" in gear, "tool": "tool in hand" in gear,
        "held": {TOKENS[i.rsplit(" ", 1)[0]]: int(i.rsplit(" ", 1)[1]) for i in items if i[-1].isdigit()},
        "parts": {TOKENS[i] for i in items if not i[-1].isdigit()},
        "exits": tuple(TOKENS[name] for name in exits.group(1).split(", ")) if exits else (),
    }  # fmt: skip


def state_facts(env):
    s = env.state
    return {
        "place": s.place, "day": s.day, "segment": s.segment + 1, "night": s.segment == 4, "turn": s.turn,
        "hp": s.hp, "food": s.food, "score": s.score, "fire": s.place in s.fires, "torch": TORCH in s.made,
        "tool": TOOL in s.made, "held": s.held, "parts": set(s.parts), "exits": known_exits(env.island, s),
    }  # fmt: skip


# --- the island -------------------------------------------------------------------------------------------------


def test_the_island_of_seed_1():
    island = draw_island(1)
    assert island.places == ("海滩", "洞穴", "废墟", "溪谷", "沼泽", "竹林", "密林")
    assert island.exits["竹林"] == ("废墟", "洞穴", "溪谷")
    assert island.exits["海滩"] == ("密林", "沼泽", "洞穴", "溪谷")
    assert island.resources["溪谷"] == ("燧石", "淡水", "藤")
    assert island.dangers == {"洞穴": "暗流", "沼泽": "蚊群", "竹林": "落石"}
    assert island.creatures == {"废墟": ("巨蟹", "guard"), "溪谷": ("野猪", "hostile"), "密林": ("猿群", "guard")}
    assert island.components == {"洞穴": "筏架", "密林": "船帆", "竹林": "罗盘", "废墟": "船舵"}
    assert (island.decoy, island.traps) == ("罗盘", {"沼泽": "collapse", "竹林": "night_place"})
    assert island.foods == {"浆果": "cook", "菌菇": "nourish", "贝类": "poison", "淡水": "nourish"}
    assert island.recipes == {
        FIRE: (("木头", 1), ("燧石", 1)), TORCH: (("木头", 2), ("燧石", 2)), TOOL: (("燧石", 2), ("藤", 1)),
    }  # fmt: skip


@given(seed=st.integers(0, 10**6))
def test_every_island_can_be_won(seed):
    island = draw_island(seed)
    assert len(island.places) == 7
    assert all(a in island.exits[b] for a in island.places for b in island.exits[a])
    assert island.foods["淡水"] == "nourish"
    assert "海滩" not in {*island.traps, *island.creatures, *island.dangers, *island.components}
    real = {place for place, part in island.components.items() if part != island.decoy}
    assert not any(kind != "night_ambush" and place in real for place, kind in island.traps.items())
    found = {item for held in island.resources.values() for item in held}
    assert all(item in found for recipe in island.recipes.values() for item, _ in recipe)
    assert {"木头", "燧石", "藤", "淡水"} <= found


def test_the_points_add_up():
    assert MOST_POINTS == 241


# --- rules ------------------------------------------------------------------------------------------------------


@given(turn=st.integers(0, 55), food=st.integers(0, 100), hp=st.integers(1, 100), fire=st.booleans())
def test_a_segment_of_rest(turn, food, hp, fire):
    island = draw_island(1)
    state = State(turn=turn, food=food, hp=hp, fires=frozenset({"海滩"} if fire else ()))
    act(island, state, "rest")
    rested = min(hp + (4 if turn % 5 == 4 and not fire else 16), 100)
    starved = 10 if food <= 6 else 0
    dark = 9 if (turn + 1) % 5 == 4 and not fire else 0
    assert state.hp == max(rested - starved - dark, 0)
    assert (state.turn, state.food) == (turn + 1, max(food - 6, 0))
    assert state.score == (6 if (turn + 1) % 5 == 0 else 0)
    assert state.done == (state.hp == 0 or turn == 55)


def test_the_day_is_paid_even_to_the_dead(env):
    put(env, turn=4, food=5, hp=1, made=frozenset({TORCH}))
    env.state.turn, env.state.hp = 9, 1
    island_with(env, foods={**env.island.foods, "贝类": "useless"})
    env.state.held = {"贝类": 1}
    text = said(env, "eat_贝类")
    assert env.state.done
    assert env.state.score == 6
    assert text.index("Day 2 is survived (+6)") < text.index("starving (HP -10)") < text.index("did not live through")


@pytest.mark.parametrize("trap_sprung", [False, True])
def test_a_trap_springs_once(env, trap_sprung):
    put(env, "沼泽", sprung=frozenset({"沼泽"}) if trap_sprung else frozenset())
    env.step("gather")
    assert env.state.hp == (100 if trap_sprung else 35)
    assert env.state.held == {"燧石": 3, "贝类": 3}


def test_listed_actions_come_in_their_order(env):
    put(env, "溪谷", held={"浆果": 1, "淡水": 2}, fires=frozenset({"溪谷"}))
    assert valid_actions(env.island, env.state) == [
        "status", "explore", "rest", "go_沼泽", "go_海滩", "go_竹林", "gather", "make_fire", "eat_浆果", "cook_浆果",
        "eat_淡水", "cook_淡水", "craft_火把", "craft_工具", "hunt", "flee", "scare", "feed",
    ]  # fmt: skip
    put(env, "溪谷", explored=frozenset())
    assert valid_actions(env.island, env.state) == [
        "status", "explore", "rest", "make_fire", "craft_火把", "craft_工具",
    ]  # fmt: skip
    assert valid_actions(env.island, put(env).state)[-1] == "craft_raft"


def test_every_foreign_action_has_a_gloss(env):
    put(env, "溪谷", held=dict.fromkeys(FOODS, 1), fires=frozenset({"溪谷"}))
    obs = env.step("status")
    assert set(obs.glosses) == {name for name in obs.valid_actions if not name.isascii()}
    assert obs.glosses["go_竹林"] == "go to the Bamboo Grove"
    assert obs.glosses["cook_淡水"] == "cook freshwater and eat it"


# --- the panel --------------------------------------------------------------------------------------------------


def test_the_opening_tells_the_goal_and_the_panel(env):
    text = env.reset(1).text
    assert panel_facts(text) == state_facts(env)
    for fact in ("alone", "Stay alive", "learn what this island is like", "a way off"):
        assert fact in text
    for hidden in ("raft", "decoy", "trap", "component", "recipe", "+"):
        assert hidden not in text


def test_the_panel_follows_every_action(env):
    for action in env.solution(1):
        obs = env.step(action)
        assert panel_facts(obs.text) == state_facts(env)
        assert obs.visible_score == obs.score
    assert "You escaped from the island. Final score: 241" in obs.text


def test_status_gives_the_panel_alone(env):
    put(env, "洞穴", explored=frozenset(), held={"木头": 2}, parts=frozenset({"罗盘"}), made=frozenset({TOOL}), turn=9)
    text = env.step("status").text
    assert text.startswith("[Cave]")
    assert panel_facts(text) == state_facts(env)
    assert "Exits" not in text


def test_the_decoy_looks_like_any_part(env):
    put(env, parts=frozenset(COMPONENTS))
    line = re.search(r"^Inventory: (.*)$", env.step("status").text, re.MULTILINE).group(1)
    assert line == "raft frame, sail, compass, rudder"


# --- events -----------------------------------------------------------------------------------------------------


def test_a_refusal_names_the_action_and_no_reason(env):
    obs = env.step(" go_竹林 ")
    assert not obs.accepted
    assert obs.text.split("\n")[0] == "You cannot do 'go_竹林' now."
    assert env.state == State()


def test_exploring(env):
    put(env, "废墟", explored=frozenset())
    text = said(env, "explore")
    for fact in ("Ruins", "(+4)", "mushroom, wood", "out of sight", "crab", "Cave, Bamboo Grove"):
        assert fact in text
    again = said(env, "explore")
    assert again == text.replace(" (+4)", "")
    assert "rudder" not in text
    put(env, "废墟", parts=frozenset({"船舵"}), driven=frozenset({"废墟"}))
    gone = said(env, "explore")
    assert "out of sight" not in gone
    assert "crab" not in gone


@pytest.mark.parametrize("danger", DANGERS)
def test_a_danger_is_named_with_a_hint(env, danger):
    island_with(env, dangers={"海滩": danger})
    text = said(env, "explore")
    assert DANGERS[danger].split()[-1] in text.lower()
    assert re.search("night|dark|prepar|sun is gone", text)


def test_arriving(env):
    text = said(env, "go_洞穴")
    assert "Cave" in text
    assert "not explored" in text
    assert "not explored" not in said(put(env, explored=frozenset({"洞穴"})), "go_洞穴")


def test_gathering(env):
    text = said(put(env, "竹林"), "gather")
    assert "compass" in text
    assert "part for the escape (+18)" in text
    assert "bone +3, mushroom +3" in text
    assert "crab" in said(put(env, "废墟"), "gather")
    assert env.state.held == {"菌菇": 3, "木头": 3}
    assert "rudder" not in env.step("status").text
    stuck = said(put(env, "洞穴"), "gather")
    assert "bulky" in stuck
    assert "tool" in stuck
    assert "frame" not in stuck
    assert "berry +3" in stuck
    fallen = said(put(env, "沼泽"), "gather")
    assert "Swamp gives way" in fallen
    assert "(HP -65)" in fallen
    assert "flint +3" in fallen
    dead = said(put(env, "沼泽", hp=65), "gather")
    assert "You have died: buried" in dead
    assert "flint" not in dead
    assert (env.state.turn, env.state.held) == (0, {})


def test_rest_tells_the_nominal_gain(env):
    assert said(env, "rest") == "You rest a while (HP +16)."
    assert "(HP +4)" in said(put(env, turn=4), "rest")


@pytest.mark.parametrize(("action", "good"), [("make_fire", FIRE), ("craft_火把", TORCH), ("craft_工具", TOOL)])
def test_making(env, action, good):
    rich = dict.fromkeys(RESOURCES, 5)
    text = said(put(env, held=dict(rich)), action)
    assert GOODS[good] in text
    assert "(+5)" in text
    assert ("shelter" in text) == (good == FIRE)
    assert "+5" not in said(put(env, held=dict(rich), made=frozenset({good})), action)
    failures = {said(put(env, held=held), action) for held in ({}, {"木头": 9}, {"燧石": 1})}
    assert len(failures) == 1
    assert "materials or the recipe" in failures.pop()
    assert env.state.turn == 1


def test_a_second_fire_is_refused_without_loss_of_time(env):
    put(env, fires=frozenset({"海滩"}))
    assert "burns here already" in said(env, "make_fire")
    assert env.state.turn == 0


@pytest.mark.parametrize(
    ("kind", "way", "effect"),
    [
        ("nourish", "eat", "food +30"), ("nourish", "cook", "food +30"), ("poison", "eat", "HP -25"),
        ("poison", "cook", "HP -25"), ("cook", "cook", "food +30"), ("cook", "eat", "HP -20"),
        ("useless", "eat", "does nothing"), ("useless", "cook", "does nothing"),
    ],
)  # fmt: skip
def test_meals(env, kind, way, effect):
    island_with(env, foods=dict.fromkeys(FOODS, kind))
    text = said(put(env, held={"浆果": 1}, fires=frozenset({"海滩"}), food=50), f"{way}_浆果")
    assert f"{'raw' if way == 'eat' else 'cooked'} berry" in text
    assert effect in text
    assert ("Cooked, perhaps" in text) == ((kind, way) == ("cook", "eat"))
    assert env.state.held == {}
    if "HP" in effect:
        assert "You have died: poisoned" in said(put(env, held={"浆果": 1}, hp=20, fires={"海滩"}), f"{way}_浆果")


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_creatures(env, behaviour):
    island_with(env, creatures={"海滩": Creature("毒蛇", behaviour)})
    hostile, tame = behaviour == "hostile", behaviour in ("skittish", "guard")
    texts = {
        "flee": said(put(env), "flee"),
        "scare": said(put(env), "scare"),
        "feed nothing": said(put(env), "feed"),
        "feed": said(put(env, held={"贝类": 1}), "feed"),
        "hunt bare": said(put(env), "hunt"),
        "hunt": said(put(env, made=frozenset({TOOL})), "hunt"),
    }
    assert all("snake" in text and behaviour not in text for text in texts.values())
    assert "away from" in texts["flee"]
    scared = "attacks you (HP -12)" if hostile else "runs off" if tame else "takes no notice"
    assert scared in texts["scare"]
    assert "nothing to feed" in texts["feed nothing"]
    assert ("stays" if hostile else "the way is clear") in texts["feed"]
    assert "your shellfish" in texts["feed"]
    assert "(HP -18)" in texts["hunt bare"]
    assert ("(HP -6)" in texts["hunt"]) == hostile
    assert "bone +1" in texts["hunt"]
    assert env.state.driven == {"海滩"}
    assert env.state.held == {"兽骨": 1}


def test_feeding_takes_berries_first(env):
    island_with(env, creatures={"海滩": Creature("毒蛇", "neutral")})
    assert "your berry" in said(put(env, held={"贝类": 1, "浆果": 1}), "feed")
    assert env.state.held == {"贝类": 1}


@pytest.mark.parametrize(("action", "gear", "cause"), [("scare", (), "snake"), ("hunt", (), "snake"),
                                                       ("hunt", (TOOL,), "wounds")])  # fmt: skip
def test_death_by_a_creature(env, action, gear, cause):
    island_with(env, creatures={"海滩": Creature("毒蛇", "hostile")})
    text = said(put(env, hp=5, made=frozenset(gear)), action)
    assert re.search(rf"You have died: .*{cause}", text)
    assert env.state.turn == 0
    assert ("bone" in text) == bool(gear)


def test_a_raft_that_fails_tells_every_reason_in_order(env):
    one, two, three = (frozenset(list(COMPONENTS)[:count]) for count in (1, 2, 3))
    assert said(put(env, parts=one), "craft_raft") == (
        "The raft will not hold. The material runs short. It takes a tool, and you have none. "
        "The parts are not all there."
    )
    tool = frozenset({TOOL})
    assert said(put(env, parts=two, held={"藤": 2}, made=tool), "craft_raft").endswith("The parts are not all there.")
    wrong = said(put(env, parts=three, held={"藤": 2}, made=tool), "craft_raft")
    assert wrong == "The raft will not hold. One of the parts simply does not belong to it."
    assert env.state.turn == 1
    short = said(put(env, parts=frozenset(COMPONENTS), held={"藤": 1}, made=tool), "craft_raft")
    assert short == "The raft will not hold. The material runs short."


def test_a_raft_that_holds(env):
    put(env, parts=frozenset(COMPONENTS), held={"藤": 3}, made=frozenset({TOOL}), turn=30)
    text = env.step("craft_raft").text
    assert "(+60)" in text
    assert "Final score: 60" in text
    assert env.state.turn == 30
    assert env.state.held == {"藤": 1}
    assert env.state.parts == {"罗盘"}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("danger", [None, "毒雾"])
def test_an_unprotected_night(env, behaviour, danger):
    island_with(env, creatures={"海滩": Creature("猿群", behaviour)}, dangers={"海滩": danger} if danger else {})
    text = said(put(env, turn=3), "flee")
    counts = behaviour in ("hostile", "guard")
    harm = 9 + 8 * counts + 6 * bool(danger)
    reasons = re.search(rf"unprotected \(HP -{harm}\): (.*)\.", text).group(1).split(", ")
    assert reasons == ["no firelight", *["the apes"] * counts, *["the toxic mist"] * bool(danger)]
    for safe in ({"fires": frozenset({"海滩"})}, {"made": frozenset({TORCH})}):
        assert "unprotected" not in said(put(env, turn=3, **safe), "flee")
        assert env.state.hp == 100


@pytest.mark.parametrize("safe", [False, True])
def test_night_traps_do_not_mind_fire(env, safe):
    kept = {"fires": frozenset({"海滩"})} if safe else {}
    harm = 70 if safe else 79
    island_with(env, traps={"海滩": "night_place"})
    text = said(put(env, turn=3, **kept), "rest")
    assert re.search(r"Beach .*\(HP -70\)\. A fire is no help", text)
    assert env.state.hp == 100 - harm
    island_with(env, traps={"海滩": "night_ambush"}, creatures={"海滩": Creature("海鸟", "neutral")})
    text = said(put(env, turn=3, **kept), "rest")
    assert re.search(r"seabird, so harmless.*\(HP -70\)\. A fire is no help", text)
    assert "HP -70" not in said(put(env, turn=3, driven=frozenset({"海滩"}), **kept), "rest")


def test_time_runs_out(env):
    text = env.step("status") and put(env, turn=55).step("rest").text
    assert "run out" in text
    assert "You did not escape" in text
    assert "Final score: 0" in text


def test_after_the_end_the_last_messages_are_shown_again(env):
    last = put(env, turn=55).step("rest").text
    assert env.valid() == ["status"]
    for action in ("status", "rest", "???"):
        text = env.step(action).text
        assert "over" in text.split("\n")[0]
        assert text.endswith(last)


# --- what stays hidden ------------------------------------------------------------------------------------------

HIDDEN = {
    "decoy": {"decoy": "船舵"},
    "traps": {"traps": {"废墟": "night_place", "密林": "collapse"}},
    "foods": {"foods": dict.fromkeys(FOODS, "useless")},
    "recipes": {"recipes": {FIRE: (("兽骨", 2),), TORCH: (("兽骨", 2),), TOOL: (("兽骨", 2),)}},
}


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_hidden_reads_the_same(hidden):
    one, other = make(ENV), make(ENV)
    island_with(other, **HIDDEN[hidden])
    for env in (one, other):
        env.reset(1)
    for action in ("explore", "go_洞穴", "explore", "gather", "go_竹林", "explore", "go_洞穴", "go_海滩", "craft_raft"):
        assert one.step(action) == other.step(action)


def test_behaviours_are_hidden_until_tried():
    seen = set()
    for behaviour in BEHAVIOURS[2:]:
        env = make(ENV)
        env.reset(1)
        island_with(env, creatures={place: Creature(c.name, behaviour) for place, c in env.island.creatures.items()})
        seen.add(tuple(env.step(action).text for action in ("go_密林", "explore", "flee", "feed", "rest")))
    assert len(seen) == 1


def test_no_place_is_named_by_its_token(env):
    for action in env.solution(1):
        text = env.step(action).text
        assert not any(token in text for token in PLACES)
