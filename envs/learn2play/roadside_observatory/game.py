"""The game Roadside Observatory: actions in, views out."""

from __future__ import annotations

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.learn2play.roadside_observatory.rules import Journey, draw_road, informed_journey
from evoplay.envs.learn2play.roadside_observatory.texts import DOES_NOT_FIT, MOOD, OPENING, event_text, view
from evoplay.envs.solutions import Solution

BEST = 1000


class RoadsideObservatory(Game):
    """Actions: see the valid list; runs of blanks and upper case do not matter."""

    spec = EnvSpec(
        id="learn2play/roadside_observatory",
        title="Roadside Observatory",
        suite="learn2play",
        kind="reshuffled",
        challenge=True,
        episodes=10,
        max_steps=60,
        seed=2,
        summary="Travel to a mountain observatory and find out how to deal with the people on the way.",
        about=(
            "A comet will soon be gone, and the observatory lies nine stretches of road away. There are 28 turns for "
            "walking, riding, resting, and for the people at the stops, each of whom can help, in a way of their own. "
            "Names, places and the order of people change with every episode; what kinds of people there are, and "
            "how to be with them, does not. The end alone tells what the journey was worth."
        ),
    )

    def start(self, episode: int) -> str:
        self.journey = Journey(draw_road(self.seed, episode))
        self.feedback = MOOD
        return f"{OPENING}\n\n{self._view()}"

    def play(self, action: str) -> Reply:
        act = " ".join(action.split()).lower()
        journey = self.journey
        if act == "status":
            return Reply(self._view())
        if journey.ended:
            return Reply(self._view(), False)
        if act not in journey.actions():
            self.feedback = DOES_NOT_FIT
            return Reply(self._view(), False)
        journey.act(act)
        self.feedback = " ".join([event_text(event) for event in journey.events])
        return Reply(self._view())

    def settle(self) -> str:
        self.journey.ended = True
        return self._view()

    def valid(self) -> list[str]:
        return self.journey.actions()

    def points(self) -> int:
        return self.journey.score() if self.journey.ended else 0

    def shown_points(self) -> int | None:
        return self.journey.score() if self.journey.ended else None

    def over(self) -> bool:
        return self.journey.ended

    def solve(self, episode: int) -> Solution:
        journey, line = informed_journey(draw_road(self.seed, episode))
        value = journey.score()
        how = "policy that knows each person's kind; 1000 is the clamp"
        return Solution(value, "exact" if value == BEST else "partial", how, tuple(line))

    def _view(self) -> str:
        return view(self.journey, self.feedback)
