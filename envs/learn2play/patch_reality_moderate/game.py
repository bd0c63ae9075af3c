"""The game of Patch Reality."""

from __future__ import annotations

from evoplay.envs.base import EnvError, EnvSpec, EpisodeMode
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.learn2play.patch_reality_moderate import texts
from evoplay.envs.learn2play.patch_reality_moderate.rules import Run, act, draw, score, turns_used, valid_actions
from evoplay.envs.learn2play.patch_reality_moderate.solver import best_line
from evoplay.envs.solutions import Solution


class PatchReality(Game):
    """Actions: `observe <object>`, `diagnose <axis>=<option>`, `patch <object>.<property> <change>`, `audit`, `wait`, …

    `resets` chooses the instance: that of an object which has been reset so many times. Official play is `resets=1`
    in every episode; others vary the turn limits and the costs of the first level's patches.
    """

    spec = EnvSpec(
        id="learn2play/patch_reality_moderate",
        title="Patch Reality",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=171,
        seed=1,
        summary="Inspect flaws in reality, diagnose where they come from, and repair them with the least damage.",
        about=(
            "Eight times something in the world is not as it should be: a coin, a cup, a key, a record. Each flaw is "
            "looked at, diagnosed by source, type and strategy, and patched, on a small budget of attention and time; "
            "what a repair costs later, and to whom, is seldom written on it. Resources and anchors are carried from "
            "level to level. The levels are the same in every episode, so a costly lesson is paid for once."
        ),
    )
    shared = ("drawn",)

    def __init__(self, seed: int | None = None, *, episode_mode: EpisodeMode = "reshuffled", resets: int = 1) -> None:
        if isinstance(resets, bool) or not isinstance(resets, int) or resets < 1:
            raise EnvError(f"resets {resets!r} is not a whole number from 1 up: official play is resets=1")
        self.resets = resets
        super().__init__(seed, episode_mode=episode_mode)

    def build(self) -> None:
        self.drawn = draw(self.seed, self.resets)

    def instance(self, episode: int) -> int:
        """The instance depends on the resets alone."""
        return self.resets

    def start(self, episode: int) -> str:
        self.run = Run()
        self.score_told = False
        return texts.opening(self.drawn, self.run)

    def play(self, action: str) -> Reply:
        before = self.run.number
        events = act(self.drawn, self.run, action)
        first = events[0].kind
        self.score_told = first == "status"
        return Reply(texts.answer(self.drawn, self.run, before, events), first not in ("refused", "over"))

    def valid(self) -> list[str]:
        return valid_actions(self.run)

    def points(self) -> int:
        return score(self.run)

    def shown_points(self) -> int | None:
        return score(self.run) if self.score_told or self.run.ended else None

    def over(self) -> bool:
        return self.run.ended

    def turns_used(self) -> int:
        """Turns the campaign has taken so far."""
        return turns_used(self.run)

    def solve(self, episode: int) -> Solution:
        return best_line(self.drawn)


ENV = PatchReality
