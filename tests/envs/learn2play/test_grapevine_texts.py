"""What Grapevine's texts reveal, fact by fact, what they keep to themselves, and its rules as arithmetic."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play import grapevine
from evoplay.envs.learn2play.grapevine import CITIZENS, COUNT, Network, Reach, draw_network, judge, spread

ENV = "learn2play/grapevine"


def numbers(shown):
    return [] if shown == "none" else [CITIZENS.index(name) for name in shown.split()]


def planning_facts(text):
    """What a view before the release shows, read back."""
    row = re.search(r"^Citizens: (.*)$", text, re.MULTILINE).group(1).split()
    sources = re.search(r"^Sources: (.*)$", text, re.MULTILINE).group(1)
    used, budget = re.search(r"^Budget: (\d)/(\d)$", text, re.MULTILINE).groups()
    return {
        "citizens": "".join(name.strip("[]") for name in row),
        "marked": [name[1] for name in row if name.startswith("[")],
        "sources": numbers(sources),
        "budget": (int(used), int(budget)),
    }


def result_facts(text):
    waves = re.findall(r"^Wave (\d+): ([A-Z ]+|none)(?: \(your sources\))?$", text, re.MULTILINE)
    assert [int(number) for number, _ in waves] == list(range(len(waves)))
    unmoved = re.search(r"^Unmoved: (.*)$", text, re.MULTILINE).group(1)
    total = re.search(r"Convinced: (\d+) of 20", text).group(1)
    return {"waves": [numbers(shown.strip()) for _, shown in waves], "total": int(total), "unmoved": numbers(unmoved)}


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def test_the_opening_tells_the_goal_and_the_empty_choice(env):
    text = env.reset(1).text
    facts = {"citizens": CITIZENS, "marked": [], "sources": [], "budget": (0, 3)}
    assert planning_facts(text) == facts
    for fact in (
        "twenty citizens",
        "up to three",
        "seed_X",
        "release",
        "waves",
        "convinced",
        "one release",
        "best trio",
    ):
        assert fact in text
    for hidden in ("12", "turn", "add", "weight", "threshold", "16", "team"):
        assert hidden not in text


@pytest.mark.parametrize(
    ("before", "action", "said", "accepted"),
    [
        ((), "seed_J", "won over J", True),
        ((), "  seed_ j ", "won over J", True),
        (("seed_J",), "seed_j", "J is one of your sources already", False),
        (("seed_A", "seed_B", "seed_C"), "seed_D", "budget is spent", False),
        (("seed_A", "seed_B", "seed_C"), "seed_A", "A is one of your sources already", False),
        (("seed_A", "seed_B", "seed_C"), "seed_zz", "No citizen is called 'zz'", False),
        ((), "seed_", "No citizen is called ''", False),
        (("seed_J",), "unseed_J", "dropped J", True),
        ((), "unseed_J", "J is not one of your sources", False),
        ((), "unseed_77", "77 is not one of your sources", False),
        ((), "SEED_A", "'SEED_A'", False),
        ((), "sing a song", "'sing a song'", False),
        ((), "", "''", False),
    ],
)
def test_every_action_is_answered_over_the_present_choice(env, before, action, said, accepted):
    obs = play(env, *before, action)
    assert said in obs.text.split("\n")[0]
    assert obs.accepted is accepted
    facts = planning_facts(obs.text)
    assert facts["sources"] == env.sources
    assert facts["marked"] == [CITIZENS[number] for number in sorted(env.sources)]
    assert facts["budget"] == (len(env.sources), 3)
    assert obs.visible_score is None


def test_sources_are_listed_in_the_order_of_choice(env):
    assert planning_facts(play(env, "seed_Q", "seed_B").text)["sources"] == numbers("Q B")
    assert env.valid()[-4:] == ["unseed_Q", "unseed_B", "release", "status"]
    assert env.valid()[0] == "seed_A"
    assert "seed_B" not in env.valid()


def test_status_repeats_the_last_message_until_another_replaces_it(env):
    said = play(env, "seed_J").text
    assert env.step("status").text == said
    assert "sing" in play(env, "sing", "status").text
    assert "sing" not in env.reset(2).text


def test_a_release_shows_the_waves_the_total_and_the_unmoved(env):
    obs = play(env, *env.solution(1))
    facts = result_facts(obs.text)
    assert facts["waves"] == spread(env.network, [int(number) for number in facts["waves"][0]])
    assert facts["total"] == obs.visible_score == obs.score == 16
    assert sorted(facts["unmoved"] + [citizen for wave in facts["waves"] for citizen in wave]) == list(range(COUNT))
    assert "won over" not in obs.text
    assert env.step("status").text == env.step("seed_A").text == obs.text
    assert env.valid() == ["status"]


def test_an_empty_release_scores_nothing(env):
    obs = env.step("release")
    assert result_facts(obs.text) == {"waves": [[]], "total": 0, "unmoved": list(range(COUNT))}
    assert obs.done


def test_everyone_convinced_leaves_none_unmoved():
    waves = [[0, 1, 2], list(range(3, COUNT))]
    assert result_facts(grapevine.result_text(waves))["unmoved"] == []


def test_the_twelfth_choice_releases_by_itself(env):
    for number in range(11):
        assert not env.step(("seed_J", "unseed_J")[number % 2]).done
    play(env, "nonsense", "status")
    obs = env.step("seed_J" if 9 not in env.sources else "seed_bogus")
    assert obs.done
    assert result_facts(obs.text)["waves"][0] == numbers("J")


def test_leaving_before_a_release_scores_nothing(env):
    play(env, "seed_J", "seed_O")
    assert env.finish().score == 0


def test_the_network_is_hidden_until_released():
    one, other = make(ENV, 1), make(ENV, 7)
    assert one.reset(1) == other.reset(1)
    for action in ("seed_J", "status", "bogus", "unseed_A", "seed_Q"):
        assert one.step(action) == other.step(action)


def test_spreads_that_end_alike_read_alike():
    """Two towns with other ties, weights and heads, but the same waves."""
    nobody = ((),) * (COUNT - 2)
    one = Network((((1, 1),), (), *nobody), (1,) * COUNT)
    other = Network((((1, 2), (5, 1)), (), *nobody), (2,) * COUNT)
    assert grapevine.result_text(spread(one, [1])) == grapevine.result_text(spread(other, [1]))


def drawn(seed):
    """How many candidates are judged until the network of a seed is kept."""
    rng, count = random.Random(seed), 0
    kept = draw_network(seed)
    while True:
        count += 1
        if grapevine.draw_candidate(rng) == kept:
            return count


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 9), (7, 24), (11, 82), (3, 155), (5, 28), (23, 7), (101, 46), (2024, 5)]
)
def test_candidates_until_the_network_is_found(seed, count):
    assert drawn(seed) == count


@pytest.mark.parametrize(("seed", "best"), [(7, 16), (11, 16), (3, 16), (5, 16), (23, 19), (101, 17), (2024, 16)])
def test_best_trio_of_other_seeds(seed, best):
    assert make(ENV, seed).solve(1).value == best


def test_the_network_of_seed_7():
    network = draw_network(7)
    assert network.thresholds == tuple(map(int, "24412112444221444212"))
    assert sum(map(len, network.incoming)) == 45
    assert network.incoming[CITIZENS.index("G")] == ((0, 1), (7, 2), (10, 1), (11, 2), (13, 1))
    reach = Reach(network)
    assert [mask.bit_count() for mask in reach.single] == list(map(int, "44213134234513312211"))
    shown = [grapevine.letters(wave) for wave in spread(network, reach.best_trio()[1])]
    assert shown == ["J O Q", "F R T", "D M", "L", "G H P", "C E", "N S"]


def test_the_strongest_three_make_a_weak_team():
    reach = Reach(draw_network(1))
    together = 0
    for citizen in reach.strongest():
        together |= 1 << citizen
    assert reach.grown(together).bit_count() == 7


def test_a_rank_prefers_what_meets_the_wish():
    rank = judge(draw_network(1))
    assert rank.meets
    assert rank > grapevine.Judgement(False, 15, 20)


ties = st.dictionaries(st.integers(0, 19), st.integers(1, 2), max_size=4).map(lambda found: tuple(found.items()))
networks = st.builds(Network, st.tuples(*[ties] * COUNT), st.tuples(*[st.integers(1, 4)] * COUNT))


@settings(max_examples=60, deadline=None)
@given(network=networks, trio=st.sets(st.integers(0, 19), max_size=3), more=st.integers(0, 19))
def test_reach_is_where_the_waves_end_and_never_shrinks(network, trio, more):
    reach = Reach(network)

    def end(sources):
        return sum(1 << citizen for wave in spread(network, sources) for citizen in wave)

    assert reach.grown(sum(1 << citizen for citizen in trio)) == end(trio)
    assert end(trio) & ~end(trio | {more}) == 0


@settings(max_examples=15, deadline=None)
@given(network=networks)
def test_best_trio_is_that_of_plain_enumeration(network):
    best, trio = Reach(network).best_trio()
    assert sum(map(len, spread(network, trio))) == best
    rng = random.Random(0)
    for _ in range(60):
        assert sum(map(len, spread(network, rng.sample(range(COUNT), 3)))) <= best
