"""What Primordial Soup's texts reveal, fact by fact, what they keep to themselves, and its rules as arithmetic."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.primordialsoup import (
    COMPOUNDS,
    MIDDLE,
    MOLECULES,
    PRIMARY,
    TURN_ACTIONS,
    Search,
    draw_spring,
    score_of,
)

ENV = "learn2play/primordialsoup"


def counts(shown):
    return {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", shown)}


def status_facts(text):
    """The status block, read back, or None."""
    found = re.search(
        r"^Stock: (.*)\nSoup: (.*)\nCatalyst concentration: (\d)\nMolecules: (.*)\nScore: (\d+) \| Turn (\d+)/50$",
        text,
        re.MULTILINE,
    )
    if found is None:
        return None
    stock, soup, level, molecules, score, turns = found.groups()
    assert (soup == "empty") == (not counts(soup))
    levels = {} if molecules == "none" else dict(part.split(": ") for part in molecules.split("; "))
    for name, held in levels.items():
        assert all(label.startswith(name) for label in counts(held))
    return {
        "stock": counts(stock),
        "soup": counts(soup),
        "level": int(level),
        "molecules": {label: count for held in levels.values() for label, count in counts(held).items()},
        "score": int(score),
        "turns": int(turns),
    }


def state(env):
    molecules = {label: count for label, count in env.molecules.items() if count}
    return {
        "stock": env.stock,
        "soup": {name: count for name, count in env.soup.items() if count} | molecules,
        "level": env.level,
        "molecules": molecules,
        "score": env.points(),
        "turns": env.turns,
    }


def settlement_facts(text):
    return {
        "counts": [tuple(map(int, found)) for found in re.findall(r"^L\d: (\d+) x (\d+) points$", text, re.MULTILINE)],
        "bonus": int(re.search(r"^Bonus for catalysis: \+(\d)$", text, re.MULTILINE).group(1)),
        "penalty": re.search(r"^Penalty for late turns: (\d+\.\d)$", text, re.MULTILINE).group(1),
        "score": int(re.search(r"^Final score: (\d+)", text, re.MULTILINE).group(1)),
        "turns": int(re.search(r"Turns used: (\d+)$", text, re.MULTILINE).group(1)),
        "closing": text.rsplit("\n", 1)[1],
    }


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, short):
    """Letters are additions, r reacts, s synthesizes, ! submits."""
    other = {"r": "react", "s": "synthesize", "!": "submit"}
    for sign in short.replace(" ", ""):
        obs = env.step(other.get(sign, f"add_{sign.lower()}"))
    return obs


def feedback(obs):
    return obs.text.split("\n")[0]


def test_the_opening_tells_the_scene_and_the_state(env):
    obs = env.reset(1)
    facts = status_facts(obs.text)
    assert facts == state(env)
    assert list(facts["stock"]) == list(COMPOUNDS)
    assert obs.visible_score == 0
    for fact in ("hot spring", "sea floor", "six substances", "A to F", "life"):
        assert fact in obs.text
    for hidden in ("a catalyst", "L1", "points", "bonus", "penalty", "30", "pair", "submit", "110"):
        assert hidden not in obs.text


def test_every_turn_is_told_with_the_state_after_it(env):
    for sign in "CE r A CE r B r EDr s Bs":
        if sign == " ":
            continue
        obs = play(env, sign)
        assert status_facts(obs.text) == state(env)
        assert obs.visible_score == env.points()
    assert status_facts(env.step(" STATUS ").text) == state(env)


def test_adding(env):
    assert re.search(r"unit of C; 2 left", feedback(play(env, "C")))
    turns = env.turns
    assert "stock of C is used up" in feedback(play(env, "CCC"))
    assert (env.turns, env.soup["C"]) == (turns + 3, 3)
    assert "add_c" in env.valid()


def test_reacting_on_nothing_keeps_the_level(env):
    assert feedback(play(env, "r")) == "The hollow is empty; nothing happens."
    play(env, "CE BB r")
    assert env.level == 2
    env.molecules["L1a"] = 0
    assert feedback(play(env, "r")) == "The hollow is empty; nothing happens."
    assert (env.level, env.bonus) == (2, True)


@pytest.mark.parametrize(
    ("before", "said", "level"),
    [
        ("B", "catalyst spreads, its concentration is 1 now, but there is no other substance", 1),
        ("BBBB", "catalyst spreads, its concentration is 3 now", 3),
        ("AF", "turns murky, and nothing forms", 0),
        ("AFB", "turns murky, and nothing forms", 1),
        ("CE", "one primary molecule forms", 0),
        ("CEEDBB", "2 primary molecules form", 2),
        ("CED", "one primary molecule forms", 0),
        ("CE r", "turns murky", 0),
    ],
)
def test_reacting(env, before, said, level):
    text = feedback(play(env, f"{before} r"))
    assert said in text
    assert str(level) in text
    assert env.level == level
    assert env.soup["B"] == 0
    assert "B" not in text


def test_a_shared_substance_goes_to_the_earlier_recipe(env):
    play(env, "CED r")
    assert (env.molecules["L1a"], env.molecules["L1b"], env.soup["D"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", "too calm"),
        ("CE r E", "too calm"),
        ("CE B r E", "product of the middle level"),
        ("CEED B r", "product of the middle level"),
        ("B r", "does not combine"),
        ("AF B r", "does not combine"),
    ],
)
def test_synthesizing(env, before, said):
    assert said in feedback(play(env, f"{before} s"))


def test_the_top_needs_the_stronger_catalysis(env):
    env.molecules |= {"L2a": 1, "L2b": 1}
    assert "catalysis is too weak" in feedback(play(env, "B r s"))
    assert "product of the top level" in feedback(play(env, "BB r s"))
    assert env.molecules == {**dict.fromkeys(MOLECULES, 0), "L3": 1}


def test_at_the_weaker_level_a_middle_product_comes_first(env):
    env.molecules |= {"L2a": 1, "L2b": 1, "L1a": 1}
    assert "product of the middle level" in feedback(play(env, "B r E s"))
    assert env.molecules["L2a"] == 2


CLOSINGS = {"L3": "copy itself", "L2": "not yet alive", "L1": "drift apart", "": "lifeless"}


@pytest.mark.parametrize(
    ("molecules", "rank"),
    [({}, ""), ({"L1a": 2, "L1b": 1}, "L1"), ({"L1a": 1, "L2b": 2}, "L2"), ({"L2a": 1, "L3": 1}, "L3")],
)
@pytest.mark.parametrize(("bonus", "turns"), [(False, 3), (True, 30), (True, 33)])
def test_the_account_of_a_run(env, molecules, rank, bonus, turns):
    env.molecules |= molecules
    env.bonus, env.turns = bonus, turns
    obs = play(env, "!")
    assert feedback(obs) == "You hand in what has come about."
    facts = settlement_facts(obs.text)
    held = [sum(count for label, count in molecules.items() if label.startswith(name)) for name in ("L1", "L2", "L3")]
    assert facts["counts"] == list(zip(held, (10, 25, 80), strict=True))
    assert facts["bonus"] == 5 * bonus
    assert facts["penalty"] == f"{max(0, turns + 1 - 30) / 2:.1f}"
    assert facts["score"] == obs.score == env.points()
    assert facts["turns"] == turns + 1
    assert CLOSINGS[rank] in facts["closing"]
    assert status_facts(obs.text) is None
    assert obs.done


def test_the_turn_limit_ends_the_run_after_the_action(env):
    env.turns = 48
    assert not play(env, "B").done
    obs = play(env, "r")
    assert "catalyst spreads" in feedback(obs)
    assert "limit of 50 turns" in obs.text.split("\n")[1]
    assert settlement_facts(obs.text)["penalty"] == "10.0"


def test_after_the_end(env):
    play(env, "!")
    assert env.step("status").text == env.step("react").text
    assert not env.step("status").accepted
    assert env.valid() == []


@pytest.mark.parametrize("junk", ["add_g", "add_a 2", "3", "", "mix"])
def test_a_refusal_lists_the_actions_without_status(env, junk):
    obs = env.step(junk)
    assert f"'{junk}'" in obs.text
    assert ", ".join(TURN_ACTIONS) in obs.text
    assert "status" not in obs.text
    assert (obs.accepted, env.turns) == (False, 0)
    assert env.valid() == [*TURN_ACTIONS, "status"]


def test_leaving_keeps_the_score(env):
    play(env, "CE r")
    assert env.finish().score == 10


def test_catalyst_and_recipes_are_hidden_until_they_work():
    """Two springs that differ in catalyst and recipes read the same while nothing comes of them."""
    one, other = make(ENV), make(ENV)
    other.spring = one.spring._replace(catalyst="C", primary={"L1a": ("B", "E")}, middle={"L2a": ("L1a", "D")})
    for env in (one, other):
        env.reset(1)
    for action in ("add_a", "add_f", "react", "synthesize", "add_b", "add_c", "add_e", "status", "bogus"):
        assert one.step(action) == other.step(action)


@pytest.mark.parametrize(
    ("seed", "catalyst", "stock", "primary", "middle"),
    [
        (1, "B", (3, 5, 3, 6, 6, 6), {"L1a": "CE", "L1b": "ED"}, {"L2a": "L1a E", "L2b": "L1b L1a"}),
        (7, "C", (4, 6, 3, 3, 3, 5), {"L1a": "BA", "L1b": "EB"}, {"L2a": "L1a L1b", "L2b": "L1b E"}),
        (11, "D", (6, 6, 4, 4, 6, 4), {"L1a": "AC", "L1b": "AE"}, {"L2a": "L1a L1b", "L2b": "L1b A"}),
    ],
)
def test_springs_of_seeds(seed, catalyst, stock, primary, middle):
    spring = draw_spring(seed)
    assert spring.catalyst == catalyst
    assert tuple(spring.stock.values()) == stock
    assert spring.primary == {label: tuple(pair) for label, pair in primary.items()}
    assert spring.middle == {label: tuple(pair.split()) for label, pair in middle.items()}
    assert spring.top == ("L2a", "L2b")


@pytest.mark.parametrize(
    ("molecules", "bonus", "turns", "score"),
    [
        ({"L3": 1, "L2b": 1}, True, 30, 110),
        ({"L3": 1, "L2b": 1}, True, 31, 109),
        ({"L3": 1, "L2b": 1}, True, 32, 109),
        ({"L1a": 1}, False, 50, 0),
        ({}, False, 50, 0),
        ({"L1a": 1, "L1c": 2}, False, 31, 29),
    ],
)
def test_the_score_is_cut_to_a_whole_number(molecules, bonus, turns, score):
    assert score_of(molecules, bonus, turns) == score


@pytest.mark.parametrize(("seed", "score"), [(7, 115), (11, 110), (2, 190), (4, 165), (10, 169)])
def test_other_seeds_are_solved_by_real_runs(seed, score):
    env = make(ENV, seed)
    found = env.solve(1)
    env.reset(1)
    for action in found.actions:
        obs = env.step(action)
    assert found.value == obs.score == score
    assert obs.done


@pytest.mark.parametrize("seed", [501, 505, 510, 513, 518, 532, 545, 575])
def test_runs_reckon_with_recipes_that_share_a_substance(seed):
    env = make(ENV, seed)
    found = env.solve(1)
    env.reset(1)
    for action in found.actions:
        obs = env.step(action)
    assert obs.score == found.value


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_springs_are_well_formed(seed):
    spring = draw_spring(seed)
    used = {name for pair in (*spring.primary.values(), *spring.middle.values()) for name in pair}
    assert spring.catalyst not in used
    assert list(spring.primary) == list(PRIMARY[: len(spring.primary)])
    assert list(spring.middle) == list(MIDDLE[: len(spring.middle)])
    assert all(3 <= count <= 6 for count in spring.stock.values())


@pytest.mark.parametrize("seed", [1, 7, 30])
def test_no_run_beats_the_reference(seed):
    env, rng = make(ENV, seed), random.Random(seed)
    best = Search(env.spring).best_run()[0]
    for _ in range(300):
        obs = env.reset(1)
        length = rng.randint(10, 29)
        while env.turns < length:
            obs = env.step(rng.choice(TURN_ACTIONS[:-1]))
        assert obs.score <= best
