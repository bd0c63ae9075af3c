"""What Poisoner's texts reveal, fact by fact, what they keep to themselves, and its rules on their own."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.poisoner import (
    FEATURES,
    Law,
    accepted,
    draw_law,
    draw_menu,
    matches,
    score_of,
)

ENV = "learn2play/poisoner"
HEAD = re.compile(r"^Banquet (\d) of 3\. Doses fed so far: (\d) of 3\.$", re.MULTILINE)
DISH = re.compile(r"^(\d): (.+)$", re.MULTILINE)
SERVED = re.compile(r"^You serve dish (\d) \((.+?)\)\. (.+?\.) Doses fed: (\d) of 3\.$", re.MULTILINE)
END = re.compile(r"Final score: (\d+) \((\d) of 3 doses\)\.")


def dish_of(text):
    words = text.split(", ")
    assert len(words) == len(FEATURES)
    return tuple((yes, no).index(word) == 0 for word, (yes, no) in zip(words, FEATURES, strict=True))


def bits(menu):
    return " ".join("".join(str(int(has)) for has in dish) for dish in menu)


def facts(text):
    """A banquet, read back."""
    banquet, hits = map(int, HEAD.search(text).groups())
    dishes = DISH.findall(text)
    assert [int(number) for number, _ in dishes] == list(range(8))
    return {"banquet": banquet, "hits": hits, "menu": tuple(dish_of(words) for _, words in dishes)}


def state(env):
    return {"banquet": env.banquet + 1, "hits": env.hits, "menu": env.menus[env.banquet]}


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def tells_the_rule(text):
    return all(
        fact in text
        for fact in ("poisoned already", "choose the one", "to his taste he eats it", "lost", "all three banquets")
    )


def test_the_opening_tells_the_banquet_the_menu_and_the_aim(env):
    text = env.reset(1).text
    assert facts(text) == state(env) == {"banquet": 1, "hits": 0, "menu": env.menus[0]}
    assert tells_the_rule(text)
    for hidden in ("five", "require", "always", "never changes", "episode", "score"):
        assert hidden not in text
    assert env.step("status").text == text


def test_refusals_name_their_reason_and_show_the_banquet_again(env):
    view = env.step("status").text
    reasons = {
        "serve_": "serve_0 to serve_7",
        "serve_x": "serve_0 to serve_7",
        "serve_1.0": "serve_0 to serve_7",
        "serve_8": "no dish 8",
        "serve_-1": "no dish -1",
        "SERVE_0": "'SERVE_0'",
        "serve 3": "'serve 3'",
        "": "''",
        "STATUS": "'STATUS'",
        "3": "'3'",
    }
    for action, reason in reasons.items():
        obs = env.step(action)
        assert not obs.accepted
        first, rest = obs.text.split("\n", 1)
        assert reason in first
        assert rest == view


@pytest.mark.parametrize(("action", "number"), [("serve_+1", 1), (" serve_03 ", 3), ("serve_ 2", 2), ("serve_1_7", 1)])
def test_numbers_are_read_as_whole_numbers_up_to_the_next_underscore(env, action, number):
    menu = env.menus[0]
    served = SERVED.search(env.step(action).text)
    assert (int(served.group(1)), dish_of(served.group(2))) == (number, menu[number])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 500), st.integers(1, 10), st.lists(st.integers(0, 7), min_size=3, max_size=3))
def test_every_serving_tells_dish_verdict_and_doses(seed, episode, numbers):
    env = make(ENV, seed)
    env.reset(episode)
    hits = 0
    for banquet, number in enumerate(numbers):
        dish = env.menus[banquet][number]
        eaten = accepted(env.law, dish)
        hits += eaten
        obs = env.step(f"serve_{number}")
        shown, words, outcome, doses = SERVED.search(obs.text).groups()
        assert (int(shown), dish_of(words), int(doses)) == (number, dish, hits)
        assert ("eats it" in outcome) is eaten
        assert ("waves it away" in outcome) is not eaten
        assert obs.score == score_of(hits)
        if banquet < 2:
            assert facts(obs.text.split("\n", 1)[1]) == state(env)
            assert tells_the_rule(obs.text)
            assert obs.visible_score is None
            assert not END.search(obs.text)
    score, doses = map(int, END.search(obs.text).groups())
    assert (score, doses) == (score_of(hits), hits)
    assert ("the king dies" in obs.text) is (hits == 3)
    assert obs.done
    assert obs.visible_score == score
    for action in ("status", "serve_1", "junk"):
        text = env.step(action).text
        assert f"{hits} of 3" in text
        assert len(text) < 80


def test_a_dish_that_just_misses_reads_like_one_that_misses_everything():
    texts = set()
    for wanted in (1, 0):
        env = make(ENV)
        env.reset(1)
        dish = env.menus[0][0]
        env.law = Law(
            tuple((feature, dish[feature] if wanted and feature else not dish[feature]) for feature in range(5))
        )
        assert matches(env.law, dish) == (4 if wanted else 0)
        texts.add(env.step("serve_0").text)
    assert len(texts) == 1


def test_the_law_of_the_official_seed():
    names = {names[0]: feature for feature, names in enumerate(FEATURES)}
    wanted = {"sweet": False, "crispy": False, "fragrant": True, "meaty": True, "spicy": True}
    assert draw_law(2).wanted == tuple((names[name], value) for name, value in wanted.items())


@pytest.mark.parametrize(
    ("episode", "banquet", "menu", "good"),
    [
        (1, 0, "11011111 10101000 10111001 01100100 10100000 01101110 11001100 01011111", [5]),
        (1, 1, "10010111 00101000 00101010 01101110 11010010 01100010 10111001 00001100", [3, 5]),
        (1, 2, "00111011 01111110 01111000 00000110 11011001 01010010 11111010 01101000", [1]),
        (2, 0, "01101110 10111001 01110111 01010001 10100111 10111010 11001101 00111111", [0]),
    ],
)
def test_menus_of_the_official_seed(episode, banquet, menu, good):
    law = draw_law(2)
    drawn = draw_menu(law, 2, episode, banquet)
    assert bits(drawn) == menu
    assert [number for number, dish in enumerate(drawn) if accepted(law, dish)] == good


@given(st.integers(-(10**6), 10**9), st.integers(1, 20), st.integers(0, 2))
def test_every_menu_holds_a_good_dish_and_a_near_miss(seed, episode, banquet):
    law = draw_law(seed)
    assert len({feature for feature, _ in law.wanted}) == 5
    assert {5, 4} <= {matches(law, dish) for dish in draw_menu(law, seed, episode, banquet)}
