"""The graders of SynergyCorp: complete, partial and no evidence, on play made for it (seed 2)."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.synergycorp import ACTIONS, MODALITY, knowing_action
from evoplay.evaluation.rules.synergycorp import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/synergycorp"


def script(episode, choose, turns=30):
    """The actions of a player who sees the game's state."""
    env = make(ENV)
    env.reset(episode)
    actions = []
    while not env.ended and len(actions) < turns:
        actions.append(choose(env))
        env.step(actions[-1])
    return actions


def knowing(env):
    return knowing_action(env.grammar, env.boss, env.standing)


def stubborn(env):
    """Does what the first boss's lover would do least: the same action for ever."""
    return "overtime"


def blind(env):
    """Never repeats, never uses taboo or combo, ignores what is shown."""
    actions = ("grab_mic", "spread_rumor")
    return actions[env.turns % 2]


def breaching(times):
    """Knows everything, yet breaks the taboo on its first `times` chances."""

    def choose(env):
        grammar = env.grammar
        if env.demerits < times and grammar.taboo_trait in env.boss.traits and not env.standing.previous:
            return grammar.taboo_action
        return knowing(env)

    return choose


def trial(*choices):
    return play_trial(ENV, [script(number, choose) for number, choose in enumerate(choices, start=1)])


@pytest.fixture(scope="module")
def taboo_bosses():
    """How many bosses who show the taboo trait a knowing player meets, by episode."""

    def count(episode):
        met = set()

        def choose(env):
            if env.grammar.taboo_trait in env.boss.traits:
                met.add(env.promoted)
            return knowing(env)

        script(episode, choose)
        return len(met)

    return {episode: count(episode) for episode in range(1, 6)}


def test_the_solver_shows_every_rule_but_repeats_where_it_pays():
    """It meets the taboo by never breaking it, which is partial evidence."""
    assert grade(solver_trial(ENV)) == {"T1": "S", "T2": "P", "T3": "P", "T4": "S", "T5": "S", "T6": "S"}


def test_a_player_who_knows_the_rules_shows_them():
    grades = grade(trial(breaching(1), knowing, knowing, knowing, knowing))
    assert grades == {"T1": "S", "T2": "S", "T3": "S", "T4": "S", "T5": "S", "T6": "S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    assert [grades[rule, "S"] for rule in ("T1", "T2", "T3", "T4", "T5", "T6")] == [0, 3, 0, 0, 0, 0]
    assert all(grades[rule, "P"] <= 1 for rule in ("T4", "T5", "T6"))


def test_traits():
    assert grade(trial(blind, blind, knowing, knowing, knowing))["T1"] == "S"
    assert grade(trial(stubborn, stubborn, knowing, stubborn, stubborn))["T1"] == "P"
    assert grade(trial(knowing, knowing, stubborn, stubborn, stubborn))["T1"] == "-"


def test_repetition():
    def lapses(every):
        return lambda env: env.standing.previous or "overtime" if env.turns % every == 1 else blind(env)

    assert grade(trial(stubborn, blind, blind, blind))["T2"] == "S"
    assert grade(trial(blind, blind, blind, lapses(15)))["T2"] == "S"
    assert grade(trial(blind, lapses(8), lapses(15)))["T2"] == "P"
    assert grade(trial(blind, blind, blind, stubborn))["T2"] == "-"
    assert grade(play_trial(ENV, [["grab_mic", "overtime"] * 7] * 3))["T2"] == "-"


def test_taboo(taboo_bosses):
    assert sum(taboo_bosses.values()) >= 5
    assert grade(trial(knowing, breaching(1), knowing, knowing, knowing))["T3"] == "S"
    assert grade(trial(knowing, knowing, knowing))["T3"] == "P"
    assert grade(trial(breaching(2), knowing, knowing, knowing, knowing))["T3"] == "P"
    assert grade(trial(*[breaching(1)] * 5))["T3"] == "-"


def test_combo():
    assert grade(trial(*[knowing] * 4))["T4"] == "S"
    assert grade(trial(blind, knowing))["T4"] == "P"
    assert grade(trial(blind, blind))["T4"] == "-"


def test_drift():
    def misses(env):
        """Knows everything but that the boss has turned."""
        loved = env.boss.preference
        return next(act for act in ACTIONS if MODALITY[act] == loved and act != env.standing.previous)

    assert grade(trial(*[knowing] * 5))["T5"] == "S"
    assert grade(trial(misses, misses, misses, misses, knowing))["T5"] == "P"
    assert grade(trial(*[misses] * 5))["T5"] == "-"


def test_the_whole():
    assert grade(trial(knowing, knowing, knowing))["T6"] == "S"
    assert grade(trial(knowing, knowing, blind))["T6"] == "P"
    assert grade(trial(blind, blind, blind))["T6"] == "-"
