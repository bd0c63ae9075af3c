"""The reference agents, as players: a prompt's text and a random generator in, an action or an assessment out.

`designed`, `sentinel` and `prior` see the text alone. `random` and `oracle` are given the environment: the one to draw
actions that are legal, the other because it knows the rule.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from evoplay.envs.adaexplore.assessment import write_assessment
from evoplay.envs.adaexplore.config import PLAY, WORLD
from evoplay.envs.adaexplore.reference.experimenter import SENTINELS, Experimenter, probe_action
from evoplay.envs.adaexplore.reference.reading import Situation, read
from evoplay.envs.base import Player

if TYPE_CHECKING:
    from evoplay.envs.adaexplore.env import AdaExplore


class RandomPlayer:
    """Uniform actions, no probes of its own; a random set of factors with random directions as assessment."""

    def __init__(self, env: AdaExplore) -> None:
        self.env = env

    def act(self, text: str, rng: random.Random) -> str:
        return self.env.random_action(rng)

    def assess(self, text: str, rng: random.Random) -> str:
        names = read(text).names
        chosen = rng.sample(names, min(rng.choice(WORLD.factor_counts), len(names)))
        return write_assessment({name: rng.choice((1, -1)) for name in chosen})


class PriorPlayer:
    """The middle actions in turn, no probes but those that are asked for, no factor named."""

    def act(self, text: str, rng: random.Random) -> str:
        facts = read(text)
        if facts.cases is None:
            return first_probes(facts) or "next"
        return "submit " + " ".join(("a1", "a2")[number % 2] for number in range(len(facts.cases)))

    def assess(self, text: str, rng: random.Random) -> str:
        return write_assessment({})


class OraclePlayer:
    """Knows the rule in force."""

    def __init__(self, env: AdaExplore) -> None:
        self.env = env

    def act(self, text: str, rng: random.Random) -> str:
        return self.env.best_action()

    def assess(self, text: str, rng: random.Random) -> str:
        return write_assessment(self.env.rule_asked().directions)


class ExperimentingPlayer:
    """A textbook experimenter; `sentinels` fixed re-probes in every window (0: it reacts to a drop in utility)."""

    def __init__(self, sentinels: int) -> None:
        self.mind = Experimenter(sentinels)

    def act(self, text: str, rng: random.Random) -> str:
        return self.mind.act(text)

    def assess(self, text: str, rng: random.Random) -> str:
        return self.mind.assess(text)


def first_probes(facts: Situation) -> str | None:
    """A probe of as many cases as the window still needs, from the centre outwards; None if it needs none."""
    here = {probe.case for probe in facts.probes if probe.window == facts.window}
    if len(here) >= facts.least:
        return None
    cases = [case for case in Experimenter().basics(facts) if case not in here]
    return probe_action(facts, cases[: min(facts.least - len(here), PLAY.probes_per_call)])


PLAYERS: Mapping[str, tuple[Callable[[AdaExplore], Player], str]] = {
    "random": (RandomPlayer, "uniform actions, no probes: the floor"),
    "prior": (lambda _: PriorPlayer(), "the middle actions in turn, no probes"),
    "designed": (lambda _: ExperimentingPlayer(0), "a textbook experimenter that reacts to a drop in utility"),
    "sentinel": (lambda _: ExperimentingPlayer(SENTINELS), "the same with fixed re-probes in every window"),
    "oracle": (OraclePlayer, "knows the rule: the ceiling"),
}
"""By name: how to make the player for an environment, and one line about it."""
