"""The game Lost and Found: actions in, the counter's answers out."""

from __future__ import annotations

import re

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.learn2play.lost_and_found import texts
from evoplay.envs.learn2play.lost_and_found.data import LATE_TOPICS, MAX_TURNS, PRIVATE, TOPICS
from evoplay.envs.learn2play.lost_and_found.rules import Shift, draw_cases, full_knowledge_line
from evoplay.envs.solutions import Solution

_INTERVIEW = re.compile(rf"interview (claimant_[a-d]) about ({'|'.join((*TOPICS, *LATE_TOPICS))}) (publicly|privately)")
_RETURN = re.compile(r"return item to (claimant_[a-d])")
_ISOLATE = re.compile(r"isolate (claimant_[a-d])")
_CHECK = re.compile(r"check (\S+)")


class LostAndFound(Game):
    """Actions: see the valid list; the office takes some it does not list (a question put twice, for one)."""

    spec = EnvSpec(
        id="learn2play/lost_and_found",
        title="Lost and Found",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=1,
        summary="Find out whose the lost things are, at a counter where everybody listens.",
        about=(
            "One shift at the lost-property desk of a park: three items, and four people for each who say it is "
            "theirs. Items can be inspected, people asked aloud or aside, sent out of hearing, and a few records "
            "looked up, all within 24 turns. Items, people and records change with every episode; how people come to "
            "know what they say does not. Only the closing report tells what the shift was worth."
        ),
    )

    def start(self, episode: int) -> str:
        self.shift = Shift(draw_cases(self.seed, episode))
        opening = texts.case_text(self.shift.case, 1)
        return f"{texts.OPENING}\n\n{opening}\n\n{texts.resources_text(self.shift)}"

    def play(self, action: str) -> Reply:
        act = action.strip().lower()
        shift = self.shift
        if shift.ended:
            return Reply(texts.report_text(shift), act == "status")
        if act == "status":
            return Reply(texts.status_text(shift))
        if act in ("close_office", "close office"):
            return Reply(self.settle())
        refusal = self._refusal(act)
        if refusal:
            return Reply(f"{texts.REFUSALS[refusal]}\n{texts.resources_text(shift)}", False)
        shift.begin_turn()
        lines = [self._apply(act)]
        if not shift.ended and shift.turn >= MAX_TURNS:
            shift.close()
            lines.append(texts.CLOSING_TIME)
        lines.append(texts.report_text(shift) if shift.ended else texts.resources_text(shift))
        return Reply("\n".join(lines))

    def settle(self) -> str:
        self.shift.close()
        return texts.report_text(self.shift)

    def valid(self) -> list[str]:
        return self.shift.actions()

    def points(self) -> int:
        return self.shift.score() if self.shift.ended else 0

    def shown_points(self) -> int | None:
        return self.shift.score() if self.shift.ended else None

    def over(self) -> bool:
        return self.shift.ended

    def solve(self, episode: int) -> Solution:
        line = full_knowledge_line(draw_cases(self.seed, episode))
        twin = type(self)(self.seed)
        twin.reset(episode)
        for action in line:
            obs = twin.step(action)
        how = "full-information policy that takes all three proofs in six turns a case; 1000 is the clamp"
        return Solution(obs.score, "exact", how, tuple(line))

    def _refusal(self, act: str) -> str:
        """The reason against an action, or "" where it may be done."""
        shift, desk = self.shift, self.shift.desk
        if act == "inspect item privately":
            return "inspect" if desk.inspected or shift.privacy <= 0 else ""
        if act == "open item publicly":
            return "opened" if desk.opened else ""
        if act == "inspect recovery_tag":
            return "tag" if desk.tag_seen else ""
        if act == "release isolated claimant":
            return "" if desk.isolated else "nobody"
        if act == "store item" or _RETURN.fullmatch(act):
            return ""
        if _ISOLATE.fullmatch(act):
            return "" if shift.isolation > 0 else "isolation"
        asked = _INTERVIEW.fullmatch(act)
        if asked:
            return "privacy" if asked[3] == PRIVATE and shift.privacy <= 0 else ""
        check = _CHECK.fullmatch(act)
        return self._against_checking(check[1]) if check else "unknown"

    def _against_checking(self, record: str) -> str:
        shift, case = self.shift, self.shift.case
        if shift.checks <= 0:
            return "checks"
        if record not in (case.relevant[0], case.decoy[0]):
            return "other case"
        return "checked" if record in shift.desk.checked else ""

    def _apply(self, act: str) -> str:
        """Do an action that nothing speaks against; gives what it shows."""
        shift, case, desk = self.shift, self.shift.case, self.shift.desk
        if act == "inspect item privately":
            shift.inspect()
            return texts.inspected_text(case)
        if act == "open item publicly":
            shift.open()
            return texts.opened_text(case, shift.listeners())
        if act == "inspect recovery_tag":
            desk.tag_seen = True
            return texts.tag_text(case)
        if act == "release isolated claimant":
            freed, desk.isolated = desk.isolated, ""
            return texts.released_text(case, freed)
        if act == "store item":
            return self._decide("", texts.stored_text(case))
        verb, _, rest = act.partition(" ")
        if verb == "return":
            claimant = rest.removeprefix("item to ")
            return self._decide(claimant, texts.returned_text(case, claimant))
        if verb == "isolate":
            before = desk.isolated
            shift.isolate(rest)
            return texts.isolated_text(case, rest, before)
        if verb == "check":
            shift.check(rest)
            return texts.checked_text(case, rest)
        claimant, _, topic, mode = rest.split(" ")
        return texts.interview_text(case, shift.ask(claimant, topic, mode))

    def _decide(self, recipient: str, text: str) -> str:
        self.shift.decide(recipient)
        if self.shift.ended:
            return text
        return f"{text}\n\n{texts.case_text(self.shift.case, len(self.shift.decisions) + 1)}\n"
