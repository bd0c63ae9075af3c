"""memory: append-only rendering, what stays when room is short, restoring from the log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.memory import tokens
from evoplay.methods.backbones.policy import open_policy
from evoplay.methods.base import MethodError, Task, View
from evoplay.methods.memory import Memory, keep_order
from tests.evaluation.trials import play
from tests.scripted import ScriptedBackbone


def cautious(messages, purpose):
    """Plays the first listed action that is not status or done."""
    listed = messages[-1].content.rpartition("Actions to choose from:")[2]
    actions = [line[2:] for line in listed.splitlines() if line.startswith("- ")]
    return f"Action: {next(action for action in actions if action not in ('status', 'done'))}"


def test_every_prompt_extends_the_last_one():
    backbone = ScriptedBackbone(cautious)
    play(make("learn2play/gemforge"), Memory(), backbone, episodes=3)
    last = ""
    for call in backbone.calls:
        user = call.messages[-1]
        stable = user.content[: user.cacheable]
        assert stable.startswith(last)
        last = stable
    assert last.count("=== Episode") == 3
    assert last.count("final score") == 2


def test_all_of_an_episode_is_there():
    backbone = ScriptedBackbone(cautious)
    records, _ = play(make("learn2play/gemforge"), Memory(), backbone, episodes=2)
    text = backbone.calls[-1].messages[-1].content
    for step in records[0].steps:
        assert f"> {step.action}\n" in text
        assert all(f"| {line}\n" in text for line in step.outcome.splitlines())
    assert f"final score {records[0].score}" in text


def test_an_eleventh_episode_neither_renders_nor_counts_the_first_ten_again(monkeypatch):
    method = Memory()
    records, _ = play(make("learn2play/poisoner"), Memory(), open_policy("random"), episodes=11)
    episodes = [record.view() for record in records]
    method.begin_episode(Task("", 11, 11, 10_000))
    for episode in episodes[:10]:
        method.end_episode(episode)
    before = [(id(block.text), block.tokens) for block in method.blocks]
    counted = []
    monkeypatch.setattr(
        "evoplay.memory.blocks.count_tokens", lambda text: counted.append(text) or tokens.count_tokens(text)
    )
    rendered = []
    real = __import__("evoplay.methods.render", fromlist=["x"]).episode_blocks
    monkeypatch.setattr("evoplay.methods.memory.episode_blocks", lambda *args: rendered.append(args[0]) or real(*args))
    method.end_episode(episodes[10])
    assert [(id(block.text), block.tokens) for block in method.blocks[:10]] == before
    assert counted == []
    assert rendered == [episodes[10]]
    assert method.blocks[10].tokens > 0
    assert len(counted) == len(method.blocks[10].parts)


def test_restoring_gives_the_same_prompt():
    records, _ = play(make("learn2play/poisoner"), Memory(), open_policy("random"), episodes=4)
    whole, again = Memory(), Memory()
    for episode in (record.view() for record in records):
        whole.begin_episode(Task("", episode.episode, 4, 1))
        whole.end_episode(episode)
    again.restore(whole.state(), [record.view() for record in records])
    here = View(Task("", 5, 5, 1), (), "", (), None, 1, 60)
    assert [(b.text, b.priority) for b in again.context(here).history] == [
        (b.text, b.priority) for b in whole.context(here).history
    ]


def test_keep_policies():
    scores = [5, 50, 20, 10]
    assert keep_order(scores, "recent") == [0, 1, 2, 3]
    assert keep_order(scores, "best") == [0, 3, 1, 2]
    # 5 and 10 are nearest: the older goes; then 20, the older of 20 and 10; then 50.
    assert keep_order(scores, "spread") == [0, 2, 1, 3]


@given(st.lists(st.floats(0, 100), max_size=8), st.sampled_from(["best", "recent", "spread"]))
def test_every_episode_has_its_rank(scores, policy):
    assert sorted(keep_order(scores, policy)) == list(range(len(scores)))


@given(st.lists(st.integers(0, 100), min_size=1, max_size=8))
def test_the_best_episode_goes_last(scores):
    ranks = keep_order(scores, "best")
    assert scores[ranks.index(max(ranks))] == max(scores)


def test_an_unknown_policy_is_refused():
    with pytest.raises(MethodError, match="keep='all' is unknown: use one of best, recent, spread"):
        Memory(keep="all")
