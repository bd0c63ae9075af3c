"""The graders of Butterfly Garden: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter
from itertools import combinations

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.butterfly import cross, matches
from evoplay.evaluation.rules.butterfly import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/butterfly"


def script(episode, wish, crosses=6):
    """A player who knows the laws and makes, cross by cross, what `wish(env, parents, child)` ranks highest."""
    env = make(ENV)
    env.reset(episode)
    actions = []
    for _ in range(crosses):
        pairs = combinations(env.garden, 2)
        ranked = {
            pair: wish(env, [env.garden[name] for name in pair], cross(env.laws, *(env.garden[name] for name in pair)))
            for pair in pairs
        }
        one, other = max(ranked, key=ranked.get)
        steps = [f"pick_{one}", f"pick_{other}", "mate"]
        for action in steps:
            env.step(action)
        actions += steps
    return actions


def trial(*wishes, crosses=6):
    return play_trial(ENV, [script(number, wish, crosses) for number, wish in enumerate(wishes, start=1)])


def wanting(trait, hit):
    """Crosses parents of whom one has the wanted trait, and whose child has it, or not."""

    def wish(env, parents, child):
        wanted = getattr(env.round.target, trait)
        mixed = len({getattr(look, trait) for look in parents}) == 2 and wanted in {
            getattr(look, trait) for look in parents
        }
        return mixed and (getattr(child, trait) == wanted) == hit

    return wish


def mean_size(env, parents, child):
    target = env.round.target.size
    return child.size == target and all(look.size != target for look in parents)


def no_mean_size(env, parents, child):
    return not mean_size(env, parents, child)


def bare(env, parents, child):
    """Loses the pattern of patterned parents."""
    return child.antenna == env.laws.suppressor and any(look.pattern for look in parents)


def near(env, parents, child):
    """Greedy by match, new looks first."""
    return (matches(child, env.round.target), not env.bred[child])


def idle(env, parents, child):
    return -matches(child, env.round.target)


def stale(env, parents, child):
    """Greedy until the wanted look is there, then the same cross for ever."""
    return (matches(child, env.round.target), env.bred[child])


def test_the_solver_shows_the_laws_but_needs_few_mean_sizes():
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "S", "T3": "P", "T4": "S", "T5": "S", "T6": "S"}


def test_random_play_never_shows_planning():
    """Chance often breeds a strong antenna or a middle size, so only the laws of planning stay clean."""
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    assert grades["T5", "-"] == grades["T6", "-"] == 20
    assert grades["T2", "-"] >= 15
    assert grades["T1", "S"] <= 3
    assert grades["T3", "S"] <= 3


@pytest.mark.parametrize(("rule", "trait"), [("T1", "antenna"), ("T2", "color")])
def test_dominance(rule, trait):
    right, wrong = wanting(trait, True), wanting(trait, False)
    assert grade(trial(wrong, wrong, right, right, right))[rule] == "S"
    assert grade(trial(right, right, wrong, wrong, wrong))[rule] == "-"
    assert grade(trial(right, right))[rule] == "-"


def test_dominance_needs_enough_cases():
    right = wanting("color", True)
    some = [script(number, right, 2) for number in (3, 4)]
    assert grade(play_trial(ENV, [[], [], *some]))["T2"] == "P"
    assert grade(play_trial(ENV, [[], [], some[0]]))["T2"] == "-"


def test_sizes():
    assert grade(trial(idle, idle, mean_size, mean_size, mean_size))["T3"] == "S"
    assert grade(trial(idle, idle, no_mean_size, no_mean_size, mean_size))["T3"] == "P"
    assert grade(trial(mean_size, mean_size, *[no_mean_size] * 3))["T3"] == "-"


def test_the_suppressing_antenna():
    assert grade(trial(bare, bare, near, near, near, near))["T4"] == "S"
    assert grade(trial(bare, bare, near))["T4"] == "P"
    assert grade(trial(near, near, bare, bare, bare))["T4"] == "-"
    assert grade(trial(near, near))["T4"] == "-"


def test_repeats():
    solved = [make(ENV).solution(number) for number in range(1, 6)]
    assert grade(play_trial(ENV, solved))["T5"] == "S"
    assert grade(play_trial(ENV, solved[:3]))["T5"] == "P"
    assert grade(trial(near, near, stale, stale, stale))["T5"] == "-"


def test_the_wanted_look_early():
    solved = [make(ENV).solution(number) for number in range(1, 6)]
    assert grade(play_trial(ENV, [[], [], *solved[2:]]))["T6"] == "S"
    assert grade(play_trial(ENV, [[], [], solved[2]]))["T6"] == "P"
    assert grade(play_trial(ENV, solved[:2]))["T6"] == "-"
