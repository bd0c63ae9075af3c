"""The game Mola Tea: actions in, views out."""

from __future__ import annotations

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.learn2play.mola_tea.rules import Week, draw_shop, parse
from evoplay.envs.learn2play.mola_tea.solver import solve
from evoplay.envs.learn2play.mola_tea.texts import OPENING, WEATHER, event_text, refusal_text, view
from evoplay.envs.solutions import Solution


class MolaTea(Game):
    """Actions: see the valid list; `develop` also takes four attributes in place of a card."""

    spec = EnvSpec(
        id="learn2play/mola_tea",
        title="Mola Tea",
        suite="learn2play",
        kind="reshuffled",
        challenge=True,
        episodes=10,
        max_steps=63,
        seed=1,
        summary="Run a tea shop for a week and find out what makes guests come back.",
        about=(
            "A small tea shop, seven days of three turns. Eight recipe cards wait to be developed, and there are "
            "tastings, campaigns, discounts, gifts, paid sets and stock to decide on, while five groups of guests each "
            "react in their own way. Cards, prices, names and guests change with every episode; how people behave does "
            "not, so what carries over is an understanding of them. Only the end of the week shows a score."
        ),
    )
    week: Week

    def start(self, episode: int) -> str:
        self.week = Week(*draw_shop(self.seed, episode))
        self.feedback = [WEATHER[self.week.shop.weather]]
        return f"{OPENING}\n\n{view(self.week, self.feedback, True)}"

    def play(self, action: str) -> Reply:
        week = self.week
        command = parse(action, week.shop)
        if week.end:
            return Reply(view(week, self.feedback, True), command is not None and command.verb == "status")
        if command is None:
            return self._refuse(refusal_text(None, week))
        if command.verb == "status":
            return Reply(view(week, self.feedback, True))
        if command.verb == "close_shop":
            return Reply(self.settle())
        refusal = week.refusal(command)
        if refusal is not None:
            return self._refuse(refusal_text(refusal, week))
        week.act(command)
        self.feedback = [event_text(event, week.shop) for event in week.events]
        return Reply(view(week, self.feedback, False))

    def settle(self) -> str:
        self.week.end = "closed"
        return view(self.week, self.feedback, True)

    def valid(self) -> list[str]:
        return self.week.actions()

    def points(self) -> int:
        return self.week.score() if self.week.end else 0

    def shown_points(self) -> int | None:
        return self.week.score() if self.week.end else None

    def over(self) -> bool:
        return bool(self.week.end)

    def solve(self, episode: int) -> Solution:
        return solve(self.seed, episode)

    def _refuse(self, line: str) -> Reply:
        self.feedback = [line]
        return Reply(view(self.week, self.feedback, False), False)
