"""Packing a prompt: append-only, within the budget, whole episodes dropped first, drops remembered and recorded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs.base import Observation
from evoplay.memory.blocks import Block
from evoplay.methods.actor import SLACK, SYSTEM, Actor
from evoplay.methods.base import Context, Task, View

OBSERVATION = Observation("Now.", ("left", "right"), glosses={"left": "to the left"})


def view(step=1, episode=4):
    return View(Task("Begin.", episode, 5, 1000), (), "Now.", OBSERVATION.valid_actions, None, step, 60)


def history(sizes):
    """One block an episode, of so many words."""
    return [
        Block.joined([Block("word " * 10 + "\n") for _ in range(size // 10)], key=f"episode {number}", priority=number)
        for number, size in enumerate(sizes, start=1)
    ]


def prompt(actor, blocks, steps=2, **where):
    episode = [Block("opening\n"), *(Block(f"step {number}\n") for number in range(steps))]
    return actor.prompt(Context(history=blocks), episode, OBSERVATION, view(**where))


def test_order_and_tail():
    made = Actor().prompt(
        Context([Block("guidance\n")], history([20]), [Block("hint\n")]), [Block("opening\n")], OBSERVATION, view()
    )
    system, user = made.messages()
    assert system.content == SYSTEM.text
    at = [
        user.content.index(word) for word in ("guidance", "word", "opening", "hint", "- left  (to the left)", "step 1")
    ]
    assert at == sorted(at)
    assert user.content[: user.cacheable].endswith("opening\n")


def test_hidden_actions_are_not_listed():
    made = Actor(hide_actions=True).prompt(Context(), [Block("opening\n")], OBSERVATION, view())
    assert "- left" not in made.messages()[1].content


def test_whole_episodes_go_first_lowest_priority_first_down_to_the_slack():
    actor = Actor(budget_tokens=900)
    made = prompt(actor, history([300, 300, 300]))
    assert [drop.key for drop in made.drops] == ["episode 1", "episode 2"]
    assert made.tokens <= SLACK * 900
    again = prompt(actor, history([300, 300, 300]), step=2)
    assert not again.drops
    assert again.user[0].key == "episode 3"


def test_priority_decides_what_stays():
    blocks = history([300, 300, 300])
    blocks[0] = blocks[0].with_priority(9)
    made = prompt(Actor(budget_tokens=900), blocks)
    assert made.user[0].key == "episode 1"


def test_an_episode_too_long_by_itself_loses_its_middle():
    actor = Actor(budget_tokens=600)
    made = prompt(actor, history([1000]))
    assert made.tokens <= 600
    assert "steps left out" in made.messages()[1].content
    assert made.drops[0].key == "episode 1"
    assert not prompt(actor, history([1000]), step=2).drops


def test_the_present_episode_keeps_its_opening_and_its_latest_steps():
    actor = Actor(budget_tokens=400)
    made = prompt(actor, [], steps=200)
    text = made.messages()[1].content
    assert made.tokens <= 400
    assert "opening" in text
    assert "step 199" in text
    assert "step 3\n" not in text


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60).map(lambda tens: 10 * tens), max_size=6),
    steps=st.integers(1, 80),
    budget=st.integers(500, 3000),
)
def test_the_budget_holds_and_nothing_is_dropped_without_need(sizes, steps, budget):
    actor = Actor(budget_tokens=budget)
    made = prompt(actor, history(sizes), steps=steps)
    assert made.tokens <= budget
    free = prompt(Actor(), history(sizes), steps=steps)
    assert bool(made.drops) == (free.tokens > budget)


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 30).map(lambda tens: 10 * tens), min_size=1, max_size=6),
    budget=st.integers(600, 1500),
)
def test_a_prompt_extends_the_last_one_except_where_something_was_dropped(sizes, budget):
    actor = Actor(budget_tokens=budget)
    last = ""
    for steps in range(1, 30):
        made = prompt(actor, history(sizes), steps=steps, step=steps)
        user = made.messages()[1]
        stable = user.content[: user.cacheable]
        if not made.drops:
            assert stable.startswith(last)
        last = stable
