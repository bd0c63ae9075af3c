"""Butterfly Garden: what its texts reveal and keep, the laws, the points, and how rounds are chosen."""

import random
import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.butterfly import (
    COLORS,
    FIRST_POINTS,
    MOST_COST,
    TRAITS,
    Look,
    Round,
    acceptable,
    best_crosses,
    child_points,
    choose_round,
    cross,
    draw_laws,
    draw_round,
    exact_bonus,
    matches,
    stronger_color,
    synthesis_cost,
)

ENV = "learn2play/butterfly"
LOOKS = st.builds(Look, *(st.integers(0, len(names) - 1) for names in TRAITS))
HIDDEN = ("strength", "strong", "ring", "suppress", "salt", "reference", "439", "bonus", "novelty", "cost", "goes on")


def look_of(words):
    return Look(*(names.index(word) for names, word in zip(TRAITS, words.split(", "), strict=True)))


def board_facts(text):
    """Everything a board shows, read back."""
    animals = {}
    for name, look, match, rest in re.findall(r"^#(\d+) ([^|]+?) \| (\d)/4(.*)$", text, re.MULTILINE):
        animals[int(name)] = (look_of(look), int(match), "founder" in rest, "picked" in rest)
    crosses, size, selected = re.search(
        r"^Crosses: (\d)/6 \| Garden: (\d+)/18 \| Set apart: (.*)$", text, re.M
    ).groups()
    best, score = re.search(r"^Best match so far: (\d)/4 \| Score: (\d+)$", text, re.MULTILINE).groups()
    return {
        "target": look_of(re.search(r"^Wanted: (.*)$", text, re.MULTILINE).group(1)),
        "crosses": int(crosses),
        "size": int(size),
        "selected": [int(name) for name in re.findall(r"#(\d+)", selected)],
        "animals": animals,
        "best": int(best),
        "score": int(score),
        "over": "over. Final score" in text,
    }


def state(env):
    target = env.round.target
    return {
        "target": target,
        "crosses": env.crosses,
        "size": len(env.garden),
        "selected": env.selected,
        "animals": {
            name: (look, matches(look, target), name < 8, name in env.selected) for name, look in env.garden.items()
        },
        "best": env.best_match,
        "score": env.points(),
        "over": env.ended,
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


# --- texts ------------------------------------------------------------------------------------------------------


def test_the_opening_tells_the_goal_and_the_board(env):
    text = env.reset(1).text
    assert board_facts(text) == state(env)
    for fact in ("as near to it as you can", "chance has no part", "marked and stay for good", "remains within reach"):
        assert fact in text
    assert not any(word in text for word in HIDDEN)


def test_boards_show_the_state_whenever_they_are_shown(env):
    rng = random.Random(3)
    obs = env.reset(2)
    while not obs.done:
        action = rng.choice(obs.valid_actions)
        obs = env.step(action)
        if action == "mate" or action.startswith("release"):
            assert board_facts(obs.text) == state(env)
        else:
            assert "\n" not in obs.text
        assert board_facts(env.step("status").text) == state(env)
    assert f"Final score: {obs.score}" in obs.text


def test_a_cross_tells_the_child_its_match_and_its_points(env):
    first = play(env, "pick_1", "pick_4", "mate").text.split("\n")[0]
    assert re.search(r"Cross 1: #8 hatches, .*? It matches \d/4", first)
    assert look_of(re.search(r"hatches, (.*?)\. It", first).group(1)) == env.garden[8]
    again = play(env, "pick_4", "pick_1", "mate").text.split("\n")[0]
    assert "not bred before" in first
    assert "already bred" in again
    assert f"+{FIRST_POINTS[matches(env.garden[8], env.round.target)]} points" in first


def test_the_first_exact_child_tells_its_bonus_and_that_it_goes_on(env):
    exact = []
    for action in env.solution(1):
        text = env.step(action).text
        if "4/4" in text.split("\n")[0] and "hatches" in text:
            exact.append(text.split("\n")[0])
    assert len(exact) == 1
    assert "Cross 3" in exact[0]
    assert "+181 points, 36 of them" in exact[0]
    assert "round goes on" in exact[0]
    assert "last cross" in text
    assert board_facts(text)["over"]


def test_short_messages_show_no_board(env):
    first = env.step("pick_3").text
    assert "#3" in first
    assert "one more" in first
    texts = {
        "clear": "Nothing is set apart",
        "pick_99": "no butterfly '99'",
        "pick_" + "9" * 5000: "no butterfly",
        "breed": "'breed'",
        "1": "'1'",
        "target": "Wanted: ",
    }
    for command, said in texts.items():
        assert said in env.step(command).text
        assert "\n" not in env.step(command).text
    play(env, "pick_3")
    assert "#3 is set apart already" in env.step("pick_03").text
    assert "#3 is set apart already" in env.step("pick_\uff10\uff10\uff13").text
    assert "#3 and #5" in env.step("pick_5").text
    assert "already" in env.step("pick_6").text
    assert look_of(env.step(" Target ").text.removeprefix("Wanted: ")) == env.round.target


@pytest.mark.parametrize("command", ["mate", "release_0", "release_50", "release_x", "release_-1", "release_²"])
def test_a_refused_cross_or_release_gives_the_reason_and_the_board(env, command):
    obs = env.step(command)
    assert not obs.accepted
    assert board_facts(obs.text) == state(env)
    assert not obs.text.startswith("Wanted")


def test_leaving_and_playing_on_show_the_last_board(env):
    play(env, "pick_1", "pick_4", "mate")
    left = env.finish()
    assert board_facts(left.text)["over"]
    assert f"Final score: {left.score}" in left.text


def test_calls_of_every_kind_count_for_the_stop(env):
    for _ in range(600):
        obs = env.step("nonsense")
    assert not obs.done
    obs = env.step("pick_1")
    assert obs.done
    assert not env.selected
    assert board_facts(obs.text)["over"]
    assert board_facts(env.step("pick_1").text)["over"]


def test_listed_actions_in_order(env):
    obs = play(env, "pick_1", "pick_4", "mate", "pick_2")
    others = [f"pick_{name}" for name in (0, 1, 3, 4, 5, 6, 7, 8)]
    assert obs.valid_actions == (*others, "clear", "release_8")
    assert env.step("pick_8").valid_actions == ("clear", "mate", "release_8")


def test_released_ids_are_never_used_again_and_best_match_stays(env):
    play(env, *env.solution(1)[:9])
    assert env.best_match == 4
    made = env.next_id
    play(env, *[f"release_{name}" for name in range(8, made)], "pick_1", "pick_2", "mate")
    assert made in env.garden
    assert env.best_match == 4


def test_laws_are_hidden_until_a_cross():
    """Two gardens that differ only in their laws read the same until a cross."""
    one, other = make(ENV), make(ENV)
    other.laws = draw_laws(99)
    for env in (one, other):
        env.reset(1)
    for action in ("pick_1", "target", "pick_2", "status"):
        assert one.step(action) == other.step(action)


# --- laws and points --------------------------------------------------------------------------------------------


@given(st.integers(0, 50), LOOKS, LOOKS)
def test_a_pair_has_one_child_whatever_the_order(seed, one, other):
    laws = draw_laws(seed)
    child = cross(laws, one, other)
    assert child == cross(laws, other, one)
    assert laws.strength[child.antenna] == max(laws.strength[one.antenna], laws.strength[other.antenna])
    assert child.size == -(-(one.size + other.size) // 2)
    assert child.pattern == (0 if child.antenna == laws.suppressor else max(one.pattern, other.pattern))


@given(st.integers(0, 50), st.integers(0, 6))
def test_each_color_beats_three_and_loses_to_three(seed, color):
    laws = draw_laws(seed)
    place = laws.ring.index(color)
    for step in range(1, 7):
        other = laws.ring[(place - step) % len(COLORS)]
        assert stronger_color(laws, color, other) == (color if step <= 3 else other)


def test_points():
    table = [[child_points(match, seen) for match in range(5)] for seen in range(6)]
    assert table == [
        [0, 5, 22, 59, 145],
        [0, 1, 4, 12, 30],
        [0, 1, 1, 3, 8],
        [0, 1, 1, 1, 2],
        [0, 1, 1, 1, 1],
        [0, 1, 1, 1, 1],
    ]
    assert [exact_bonus(crosses) for crosses in range(1, 7)] == [60, 48, 36, 24, 12, 0]


# --- rounds and the solver --------------------------------------------------------------------------------------


def test_the_official_laws_and_rounds():
    laws = draw_laws(1)
    assert laws == ((2, 0, 3, 1), (6, 5, 3, 2, 4, 1, 0), 1)
    rounds = [
        ("5332", "3233 0000 0211 0242 5103 2341 1040 6110"),
        ("3212", "6310 5142 4340 6131 6000 3033 6203 5043"),
    ]
    for episode, (target, founders) in enumerate(rounds, start=1):
        assert choose_round(1, episode) == (digits(target), tuple(map(digits, founders.split())))


def digits(text):
    return Look(*map(int, text))


@given(st.integers(0, 200), st.integers(0, 12), st.integers(0, 40))
def test_no_founder_is_near_the_wanted_look(seed, index, salt):
    round_ = draw_round(draw_laws(seed), seed, index, salt)
    assert len(round_.founders) == 8
    assert all(matches(look, round_.target) <= 1 for look in round_.founders)


def relaxed_cost(laws, round_):
    """The cost by plain relaxation: sweep all pairs until nothing gets cheaper."""
    costs = dict.fromkeys(round_.founders, 0)
    multiple = {look for look, times in Counter(round_.founders).items() if times > 1}
    for _ in range(9):
        changed, looks = False, list(costs)
        for at, one in enumerate(looks):
            for other in looks[at:]:
                if one == other and one not in multiple:
                    continue
                child, cost = cross(laws, one, other), costs[one] + costs[other] + 1
                if cost < costs.get(child, 99):
                    costs[child], changed = cost, True
                    multiple.add(child)
        if not changed:
            break
    cost = costs.get(round_.target)
    return cost if cost is not None and cost <= MOST_COST else None


@pytest.mark.parametrize("seed", range(4))
def test_cost_by_levels_is_the_relaxed_cost(seed):
    laws = draw_laws(seed)
    for salt in range(6):
        round_ = draw_round(laws, seed, 0, salt)
        cost = relaxed_cost(laws, round_)
        assert synthesis_cost(laws, round_) == cost
        assert acceptable(laws, round_) == (cost is not None and cost >= 2)


def test_twins_among_the_founders_can_be_crossed():
    laws = draw_laws(1)
    twin = Look(0, 2, 1, laws.suppressor)
    round_ = Round(twin._replace(pattern=0), (twin, twin))
    assert synthesis_cost(laws, round_) == relaxed_cost(laws, round_) == 1
    assert synthesis_cost(laws, Round(round_.target, (twin, Look(1, 1, 4, 0)))) is None


@pytest.mark.parametrize(
    ("seed", "values"), [(3, [378, 390]), (5, [439, 451]), (23, [439, 439]), (101, [447, 488]), (2024, [415, 439])]
)
def test_known_references(seed, values):
    laws = draw_laws(seed)
    assert [best_crosses(laws, choose_round(seed, episode))[0] for episode in (1, 2)] == values


def test_no_line_of_three_last_crosses_beats_the_solver():
    """From the solver's third cross on, every way to go on is tried."""
    env = make(ENV)
    env.reset(1)
    play(env, *env.solution(1)[:9])
    assert env.exact_made

    def best(garden, bred, left):
        if not left:
            return 0
        found = 0
        for child in {cross(env.laws, one, other) for one, other in combinations(garden, 2)}:
            points = child_points(matches(child, env.round.target), bred.count(child))
            found = max(found, points + best([*garden, child], [*bred, child], left - 1))
        return found

    bred = list(env.bred.elements())
    assert env.points() + best(list(env.garden.values()), bred, 3) == env.reference(1).value
