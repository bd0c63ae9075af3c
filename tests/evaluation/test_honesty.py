"""That the advantage of a structured method comes from what it derived: taken away, it is gone. Simulated backbone."""

import statistics

import pytest

from evoplay.envs import make
from evoplay.evaluation.loop import run_trial
from evoplay.methods.backbones.registry import open_backbone
from evoplay.methods.base import Context
from evoplay.methods.registry import MethodSpec

from .trials import make_trial

GAME, OTHER = "learn2play/gemforge", "learn2play/hauntedinn"
TRIALS = 8


def play(method, env_id, cell, backbone="sim/learner"):
    """One trial; what depends on chance depends on the cell only, so that methods meet the same chance."""
    return run_trial(make_trial(make(env_id), method, open_backbone(backbone), [], 5, cell=cell))


def built(name, change=None):
    """A method, its context passed through `change(view, context)`."""
    method = MethodSpec(name).build()
    if change is not None:
        inner = method.context
        method.context = lambda view: change(view, inner(view))
    return method


def level(records):
    """Mean score of the episodes in which something could have been carried over."""
    return statistics.mean(record.score or 0 for record in records[1:])


def with_another_trial_s_text(name, cell):
    """A trial in which the method's text is that of the same method's trial on another game."""
    seen = {}

    def keep(view, context):
        seen.setdefault(view.task.episode, context)
        return context

    play(built(name, keep), OTHER, f"{cell} elsewhere")
    return play(built(name, lambda view, context: seen.get(view.task.episode, Context())), GAME, cell)


@pytest.fixture(scope="module")
def naive():
    return statistics.mean(level(play(built("naive"), GAME, f"c{trial}")) for trial in range(TRIALS))


@pytest.mark.parametrize("name", ["reflexion", "expel", "reasoningbank", "evotest", "evidence"])
def test_another_trial_s_text_takes_the_advantage_away(name, naive):
    own = statistics.mean(level(play(built(name), GAME, f"c{trial}")) for trial in range(TRIALS))
    foreign = statistics.mean(level(with_another_trial_s_text(name, f"c{trial}")) for trial in range(TRIALS))
    assert own > naive
    assert foreign - naive < 0.25 * (own - naive)


@pytest.mark.parametrize("name", ["reflexion", "awm", "reasoningbank", "evotest", "retrieval"])
def test_a_learner_that_obeys_nothing_plays_as_with_naive(name):
    backbone = "sim/learner?obey=0"
    for trial in range(2):
        plain = [record.actions for record in play(built("naive"), GAME, f"o{trial}", backbone)]
        assert [record.actions for record in play(built(name), GAME, f"o{trial}", backbone)] == plain


@pytest.mark.parametrize("name", ["expel", "evidence"])
def test_what_shows_whole_episodes_besides_is_naive_when_these_are_not_recalled_either(name):
    backbone = "sim/learner?obey=0&recall=0"
    plain = [record.actions for record in play(built("naive"), GAME, "o", backbone)]
    assert [record.actions for record in play(built(name), GAME, "o", backbone)] == plain
