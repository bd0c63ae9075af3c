"""The game of Castaway."""

from __future__ import annotations

from collections.abc import Mapping

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.castaway import texts
from evoplay.envs.learn2play.castaway.island import draw_island
from evoplay.envs.learn2play.castaway.rules import State, act, valid_actions
from evoplay.envs.learn2play.castaway.solver import best_line
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution


class Castaway(Game):
    """Actions: `explore`, `rest`, `go_<place>`, `gather`, `make_fire`, … (see the valid list); case matters."""

    spec = EnvSpec(
        id="learn2play/castaway",
        title="Castaway",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=168,
        seed=1,
        summary="Stay alive on an unknown island, explore it, and build a way off it.",
        about=(
            "A castaway on an unknown island has fifty-six stretches of time, five to a day, to look around, gather, "
            "make things, deal with what lives there and get away. What feeds and what harms, how things are made "
            "and where it is unwise to be can only be found out by trying. The island is the same in every "
            "episode, so a costly lesson is paid for once."
        ),
    )
    shared = ("island",)

    def build(self) -> None:
        self.island = draw_island(self.seed)

    def start(self, episode: int) -> str:
        self.state = State()
        self.last = ""
        return texts.opening_text(self.island, self.state)

    def play(self, action: str) -> Reply:
        act_name = action.strip()
        known = act_name in valid_actions(self.island, self.state)
        if self.state.done:
            return Reply("\n".join(filter(None, (texts.OVER, self.last, self._panel()))), known)
        if not known:
            self.last = texts.refusal(act_name)
            return Reply(f"{self.last}\n{self._panel()}", False)
        if act_name == "status":
            self.last = ""
            return Reply(self._panel())
        events = act(self.island, self.state, act_name)
        self.last = "\n".join([texts.tell(event, self.island, self.state) for event in events])
        return Reply(f"{self.last}\n{self._panel()}")

    def valid(self) -> list[str]:
        return valid_actions(self.island, self.state)

    def points(self) -> int:
        return self.state.score

    def shown_points(self) -> int:
        return self.points()

    def over(self) -> bool:
        return self.state.done

    def gloss(self, valid: list[str]) -> Mapping[str, str]:
        return {name: texts.GLOSSES[name] for name in valid if name in texts.GLOSSES}

    def solve(self, episode: int) -> Solution:
        return best_line(self.island)

    def _panel(self) -> str:
        return texts.panel(self.island, self.state)


ENV = Castaway
