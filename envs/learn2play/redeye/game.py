"""RedEye, the game: prologue, loops, and the reference line."""

from __future__ import annotations

from collections.abc import Mapping

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.learn2play.redeye import texts
from evoplay.envs.learn2play.redeye.rules import BOARDING, NEVER_LISTED, WIN, act, listed_at, shortest_win
from evoplay.envs.solutions import Solution

FIRST_LATER = 3
"""From this episode on every opening is the same."""
SCORED = ("won", "failed", "one_end", "sunk")


class RedEye(Game):
    """Actions: `look`, `go_<place>`, five verbs for every person present, one for some places, `tell_crew`."""

    spec = EnvSpec(
        id="learn2play/redeye",
        title="RedEye",
        suite="learn2play",
        kind="fixed",
        challenge=True,
        episodes=10,
        max_steps=60,
        seed=2,
        summary="A ferry sinks every night; find out who does it and stop it. Episode 1 is an unscored prologue.",
        about=(
            "A night ferry goes down again and again, and the player is the only passenger who remembers. Six places, "
            "six people, thirty segments of time, and everything but the player's own memory starts afresh with each "
            "episode. The first episode is a prologue that cannot score."
        ),
    )
    shared = ("loop",)

    def instance(self, episode: int) -> int:
        """Prologue, second night or a later one; the seed and the mode change nothing."""
        return min(episode, FIRST_LATER)

    def start(self, episode: int) -> str:
        self.loop = BOARDING
        self.prologue = episode == 1
        return texts.PROLOGUE if self.prologue else f"{texts.opening(episode)}\n\n{texts.scene(self.loop)}"

    def play(self, action: str) -> Reply:
        command = action.strip().lower()
        if command in ("look", "status"):
            dozing = self.prologue and not self.loop.ended
            return Reply(texts.PROLOGUE if dozing else texts.scene(self.loop))
        if self.loop.ended:
            return Reply(texts.OVER, False)
        if self.prologue:
            self.loop = self.loop._replace(outcome="dozed")
            return Reply(texts.DOZED, command == "doze")
        done = act(self.loop, command)
        self.loop = done.loop
        return Reply(texts.answer(done), done.event not in NEVER_LISTED)

    def valid(self) -> list[str]:
        if self.loop.ended:
            return ["status"]
        return ["doze"] if self.prologue else list(listed_at(self.loop.place))

    def points(self) -> int:
        return self.loop.score

    def shown_points(self) -> int | None:
        return self.loop.score if self.loop.outcome in SCORED else None

    def over(self) -> bool:
        return self.loop.ended

    def settle(self) -> str:
        self.loop = self.loop._replace(outcome="left")
        return texts.LEFT

    def gloss(self, valid: list[str]) -> Mapping[str, str]:
        return {action: texts.LABELS[action] for action in valid}

    def solve(self, episode: int) -> Solution:
        if self.instance(episode) == 1:
            return Solution(0, "exact", "the prologue cannot score", ("doze",))
        return Solution(WIN, "exact", "breadth-first search for a shortest winning line", shortest_win())


ENV = RedEye
