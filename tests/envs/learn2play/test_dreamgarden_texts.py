"""What DreamGarden's texts reveal, fact by fact, what they keep to themselves, and its rules as arithmetic."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play import dreamgarden
from evoplay.envs.learn2play.dreamgarden import (
    COUNT,
    CREATURES,
    MAX_TURNS,
    TURN_ACTIONS,
    Search,
    draw_dream,
    next_populations,
    replay,
    resonance,
)

ENV = "learn2play/dreamgarden"
ROW = re.compile(r"^(.+?) +value +([-+]?\d+) \| +(\d+) +\((=|[-+]\d+)\) \[([#.]{20})\]$", re.MULTILINE)


def status_facts(text):
    """The status block, read back, or None."""
    head = re.search(r"^Turn (\d+) of 18 \| Total (-?\d+)$", text, re.MULTILINE)
    if head is None:
        return None
    rows = ROW.findall(text)
    return {
        "turns": int(head.group(1)),
        "total": int(head.group(2)),
        "names": tuple(row[0] for row in rows),
        "values": tuple(int(row[1]) for row in rows),
        "populations": tuple(int(row[2]) for row in rows),
        "changes": tuple(0 if row[3] == "=" else int(row[3]) for row in rows),
        "bars": tuple(row[4].count("#") for row in rows),
    }


def turn_facts(text):
    first = text.split("\n")[0]
    points, change, mark = re.search(r"Points this turn: ([-+]\d+)\. Resonance: ([-+]?\d+) \((\w+)\)\.", first).groups()
    return next(name for name in TURN_ACTIONS if name in first), int(points), int(change), mark


def state(env):
    shown = tuple(map(round, env.populations))
    return {
        "turns": env.turns,
        "total": env.total,
        "names": CREATURES,
        "values": env.dream.values,
        "populations": shown,
        "bars": tuple(round(number / 5) for number in shown),
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


def test_the_opening_tells_the_aim_and_the_state(env):
    obs = env.reset(1)
    facts = status_facts(obs.text)
    assert facts.pop("changes") == (0,) * COUNT
    assert facts == state(env)
    assert obs.visible_score == 0
    for fact in ("vague impulses", "Five kinds", "high a resonance", "value times its population", "up to 35"):
        assert fact in obs.text
    for hidden in ("throb", "eclipse", "decay", "15", "0.2", "link", "delay", str(env.reference(1).value)):
        assert hidden not in obs.text


def test_every_turn_tells_action_points_change_and_state(env):
    before, resonance_before = tuple(map(round, env.populations)), 140.0
    for action in [*TURN_ACTIONS, *TURN_ACTIONS[:4] * 3]:
        total = env.total
        obs = env.step(f" {action.upper()} ")
        facts, shown = status_facts(obs.text), tuple(map(round, env.populations))
        change = resonance(env.dream, env.populations) - resonance_before
        mark = "up" if change > 0.5 else "down" if change < -0.5 else "flat"
        assert turn_facts(obs.text) == (action, env.total - total, round(change), mark)
        assert facts.pop("changes") == tuple(new - old for new, old in zip(shown, before, strict=True))
        assert facts == state(env)
        assert obs.visible_score == env.total
        before, resonance_before = shown, resonance(env.dream, env.populations)


def test_the_last_turn_tells_the_final_total(env):
    obs = play(env, *env.solution(1))
    assert obs.done
    assert obs.text.endswith("Final total: 5367.")
    assert status_facts(obs.text)["turns"] == 18
    assert "Final" not in env.step("status").text


def test_status_keeps_the_changes_of_the_last_turn(env):
    block = play(env, "throb").text.split("\n", 1)[1]
    assert env.step("status").text == env.step("status").text == block


def test_score_tells_total_and_turn_only(env):
    play(env, "throb", "wait")
    for _ in range(2):
        obs = env.step(" Score ")
        assert obs.text == f"Total {env.total} after turn {env.turns} of 18."
        assert obs.accepted
        play(env, *["wait"] * 16)
    assert "score" not in env.valid()


@pytest.mark.parametrize("junk", ["throb 2", "3", "", "done"])
def test_an_unknown_text_is_named_and_costs_nothing(env, junk):
    obs = env.step(junk)
    assert f"'{junk}'" in obs.text
    assert "No turn was used" in obs.text
    assert status_facts(obs.text) is None
    assert (obs.accepted, obs.done, env.turns) == (False, False, 0)


def test_after_the_end_everything_shows_the_state(env):
    play(env, *["throb"] * 18)
    total = env.total
    for text in ("throb", "bogus", "status", ""):
        obs = env.step(text)
        assert status_facts(obs.text)["total"] == total
        assert obs.done
    assert env.valid() == [*TURN_ACTIONS, "status"]


def test_leaving_keeps_the_running_total(env):
    total = play(env, "throb", "eclipse").score
    assert env.finish().score == total > 0


def test_hidden_parts_do_not_show():
    """Two dreams that differ only in impulses, links and fractions read the same at the same state."""
    one, other = make(ENV), make(ENV)
    other.dream = other.dream._replace(
        pushes=tuple(reversed(other.dream.pushes)), links=((), *other.dream.links[1:]), trap=0
    )
    assert one.reset(1) == other.reset(1)
    one.populations, other.populations = [20.2] * COUNT, [19.9] * COUNT
    for action in ("status", "score", "bogus"):
        assert one.step(action) == other.step(action)


@pytest.mark.parametrize(
    ("seed", "parts", "noise", "impulses"),
    [
        (1, (1, 0, 4, 3, 2), (4, 3, -1.0), ("eclipse", "throb", "tide", "whisper")),
        (7, (2, 1, 3, 0, 4), (1, 0, -1.0), ("throb", "tide", "eclipse", "whisper")),
        (11, (3, 4, 1, 0, 2), (4, 1, 1.0), ("throb", "whisper", "tide", "eclipse")),
    ],
)
def test_dreams_of_seeds(seed, parts, noise, impulses):
    dream = draw_dream(seed)
    assert (dream.first, dream.last, dream.foe, dream.source, dream.relay) == parts
    assert (noise[0], noise[2]) in dream.links[noise[1]]
    assert sum(map(len, dream.links)) == 3
    chosen = (dream.feeder, dream.starter, dream.trap, dream.suppressor)
    assert tuple(dreamgarden.STIMULI[stimulus] for stimulus in chosen) == impulses


@pytest.mark.parametrize(
    ("action", "total"), [("throb", 3127), ("whisper", 2156), ("tide", -50), ("eclipse", 3081), ("wait", 1647)]
)
def test_constant_play(action, total):
    assert replay(draw_dream(1), [TURN_ACTIONS.index(action)] * MAX_TURNS) == total


populations = st.lists(st.floats(0, 100), min_size=COUNT, max_size=COUNT)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), old=populations, action=st.integers(0, 4))
def test_a_turn_is_simultaneous_and_bounded(seed, old, action):
    dream = draw_dream(seed)
    new = next_populations(dream, old, action)
    for creature in range(COUNT):
        link = sum(weight * old[origin] for origin, weight in dream.links[creature]) / 5
        expected = 0.8 * old[creature] + dream.pushes[action][creature] + link
        assert new[creature] == pytest.approx(min(100, max(0, expected)), abs=1e-9)
    assert -105 <= resonance(dream, new) <= 350


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), line=st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_the_bound_covers_every_continuation(seed, line):
    np = pytest.importorskip("numpy")
    dream = draw_dream(seed)
    bound = Search(dream)._rest(np.full((COUNT, 1), 20.0), len(line))
    assert replay(dream, line) <= bound[0] + 1e-9


def test_the_search_plays_what_it_promises():
    for seed in (0, 4, 9):
        dream = draw_dream(seed)
        total, line = Search(dream).best_line()
        assert replay(dream, line) == total
