"""The game of Catnip Singularity."""

from __future__ import annotations

import random

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.catnip import texts
from evoplay.envs.learn2play.catnip.rules import State, advance, normalised, score, valid_actions
from evoplay.envs.learn2play.catnip.solver import best_game
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution


class Catnip(Game):
    """Actions: a type of cat first, then `purr`, `scratch`, `play`, `stare`, `knead`, `use <item>`, `convert`, …"""

    spec = EnvSpec(
        id="learn2play/catnip",
        title="Catnip Singularity",
        suite="learn2play",
        kind="fixed",
        challenge=True,
        episodes=10,
        max_steps=72,
        seed=1,
        summary="A cat wins over six people in twenty turns, for a world of catnip.",
        about=(
            "Mittens the cat has twenty turns to win over six people, one after the other, by acting like a cat. Each "
            "of them has tastes, nerves and a temper of which only hints are shown, and each pays for being won over "
            "with one of three rewards. How far to go with whom, what to take and when to move on has to be found "
            "out. Every episode begins the same way, and chance repeats itself."
        ),
    )

    def start(self, episode: int) -> str:
        # A new generator for every episode: each has the same random stream.
        self.state = State(random.Random(self.seed))
        self.result = ""
        return f"{texts.INTRO}\n\n{texts.screen(self.state, '', [])}"

    def play(self, action: str) -> Reply:
        text = normalised(action)
        state = self.state
        if state.done:
            return Reply(texts.screen(state, self.result, []), text in valid_actions(state))
        outcome = advance(state, text)
        self.result = "\n".join([texts.tell(event, state) for event in outcome.events])
        return Reply(texts.screen(state, self.result, outcome.warnings), outcome.accepted)

    def valid(self) -> list[str]:
        return valid_actions(self.state)

    def points(self) -> int:
        return score(self.state)

    def shown_points(self) -> int:
        return self.points()

    def over(self) -> bool:
        return self.state.done

    def solve(self, episode: int) -> Solution:
        return best_game(self.seed)


ENV = Catnip
