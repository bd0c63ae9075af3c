"""What GemForge's texts reveal, fact by fact, and what they keep to themselves."""

import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.gemforge import COLLECTIBLES, MATERIALS, VALUES, Workshop, shown

ENV = "learn2play/gemforge"
BY_NAME = {shown(item): item for item in (*MATERIALS, *COLLECTIBLES)}


def counts(text, label):
    line = re.search(rf"^{label}: (.*)$", text, re.MULTILINE).group(1)
    return {BY_NAME[name]: int(count) for name, count in re.findall(r"([A-Z][a-zA-Z ]+?) (\d+)", line)}


def status_facts(text):
    """The five facts of a status block, read back."""
    crucible = re.search(r"^Crucible: (.*)$", text, re.MULTILINE).group(1)
    score, turns = re.search(r"^Score: (\d+) \| Steps taken: (\d+)$", text, re.MULTILINE).groups()
    return {
        "crucible": [] if crucible == "empty" else [BY_NAME[name] for name in crucible.split(", ")],
        "stock": counts(text, "Stock"),
        "collection": counts(text, "Collection"),
        "score": int(score),
        "turns": int(turns),
    }


def state(env):
    return {
        "crucible": env.crucible,
        "stock": env.stock,
        "collection": {item: count for item, count in env.collection.items() if count},
        "score": env.points(),
        "turns": env.turns,
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


def test_the_opening_tells_the_goal_and_the_state(env):
    text = env.reset(1).text
    assert status_facts(text) == state(env)
    for fact in ("six raw materials", "three steps", "joins two", "first tier", "second", "paid for out of stock"):
        assert fact in text
    for hidden in (*(shown(gem) for gem in VALUES), "slag", "alone", "maximum", str(env.reference(1).value)):
        assert hidden not in text


def test_status_shows_the_state_with_zeros_in_tier_order(env):
    play(env, *["add_salt", "fire"] * 5, "add_iron", "add_sulfur", "fire", "add_sulfur")
    text = env.step("status").text
    facts = status_facts(text)
    assert facts == state(env)
    assert facts["stock"]["salt"] == 0
    assert list(facts["collection"]) == ["zenith", "slag"]


def test_adding_names_the_item_and_the_contents_then_the_status(env):
    play(env, "add_iron")
    text = env.step("add_sulfur").text
    first, block = text.split("\n", 1)
    assert "Sulfur" in first
    assert "Iron, Sulfur" in first
    assert status_facts(block) == state(env)


def test_firing_tells_the_product_its_points_and_the_score(env):
    text = play(env, "add_iron", "add_sulfur", "fire").text
    first, block = text.split("\n", 1)
    assert "Zenith (+20)" in first
    assert "score is now 20" in first
    assert status_facts(block) == state(env)


def test_slag_reads_the_same_whatever_pair_or_lone_item_made_it():
    texts = set()
    for items in (["add_ash"], ["add_ash", "add_salt"], ["add_mercury", "add_sulfur"]):
        env = make(ENV)
        env.reset(1)
        texts.add(play(env, *items, "fire").text.split("\n")[0])
    assert len(texts) == 1
    assert "slag (+1)" in texts.pop()


def test_done_tells_why_and_the_final_score_without_status(env):
    text = play(env, "add_iron", "add_sulfur", "fire", "done").text
    assert "close the forge" in text
    assert "game is over" in text
    assert "Final score: 20" in text
    assert "Stock:" not in text


def test_exhaustion_shows_the_fire_first():
    env = make(ENV)
    env.reset(1)
    obs = play(env, *env.solution(1))
    fire, end = obs.text.split("\n")
    assert "Celestial Gem (+390)" in fire
    assert "nothing left" in end
    assert "Final score: 791" in end
    assert env.step("status").text == env.step("add_ash").text
    assert "over" in env.step("status").text
    assert not re.search(r"\d", env.step("status").text)


def test_a_refusal_names_the_text_and_the_available_actions(env):
    text = env.step("add_gold").text
    assert "'add_gold'" in text
    assert all(action in text for action in env.valid() if action != "status")
    assert "status" not in text
    assert "Stock:" not in text


def test_recipes_are_hidden_until_fired():
    """Two games that differ only in their recipes read the same until a fire."""
    one, other = make(ENV), make(ENV)
    pairs, gems = list(other.workshop.recipes), list(other.workshop.recipes.values())
    other.workshop = Workshop(other.workshop.stock, dict(zip(reversed(pairs), gems, strict=True)))
    for env in (one, other):
        env.reset(1)
    for action in ("status", "add_iron", "bogus", "add_sulfur", "status"):
        assert one.step(action) == other.step(action)
