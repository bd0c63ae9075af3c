"""What a trial of Lost and Found shows of the hidden rules (T1-T6). Each episode is played again to see what it hid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evoplay.envs import make
from evoplay.envs.learn2play.lost_and_found import LostAndFound
from evoplay.envs.learn2play.lost_and_found.data import FINDER, MIMIC
from evoplay.envs.learn2play.lost_and_found.rules import (
    CLOSING,
    CORRECT,
    HEARD,
    KNOWN,
    WRONG,
    Case,
    Decision,
    Desk,
)
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

LONGEST = 8
"""Turns a case may take when time is shared well."""


class Closed(NamedTuple):
    """A case as it was when it ended; `recipient` is "" where nothing was returned."""

    case: Case
    desk: Desk
    decision: Decision
    recipient: str

    @property
    def unspoilt(self) -> bool:
        """Whether the recipient was asked for the detail before the marker was public, and the item never opened."""
        public = self.desk.first_public.get("concealed")
        asked = [
            one.turn
            for one in self.desk.interviews
            if one.claimant == self.recipient and one.topic == "concealed_detail"
        ]
        return not self.desk.opened and any(public is None or public >= turn for turn in asked)

    @property
    def looked_at(self) -> bool:
        return self.desk.inspected or self.desk.opened

    @property
    def verified(self) -> bool:
        """Whether the item had been looked at and the relevant record checked."""
        return self.looked_at and self.case.relevant[0] in self.desk.checked

    @property
    def sound(self) -> bool:
        """Whether the recipient had described the marker without a pause, and the item showed it."""
        return self.looked_at and any(
            one.claimant == self.recipient and one.kind == KNOWN and one.fact == "concealed"
            for one in self.desk.interviews
        )

    @property
    def tempted(self) -> bool:
        """Whether a finder or mimic had a detail to offer and did not get the item."""
        return any(
            one.claimant != self.recipient
            and one.topic == "concealed_detail"
            and one.kind in (KNOWN, HEARD)
            and self.case.roles[one.claimant] in (FINDER, MIMIC)
            for one in self.desk.interviews
        )


def look(env: LostAndFound, record: EpisodeRecord) -> list[Closed]:
    """Play an episode again; the cases as they ended."""
    env.reset(record.episode)
    shift = env.shift
    closed: list[Closed] = []

    def note(desk: Desk, recipient: str) -> None:
        for number in range(len(closed), len(shift.decisions)):
            decision = shift.decisions[number]
            closed.append(Closed(shift.cases[number], desk, decision, recipient))
            desk, recipient = Desk(), ""

    for action in record.actions:
        desk, act = shift.desk, action.strip().lower()
        env.step(action)
        note(desk, act.removeprefix("return item to ") if act.startswith("return item to ") else "")
    desk = shift.desk
    env.finish()
    note(desk, "")
    return closed


def grade(trial: TrialRecord) -> Grades:
    """T1 public words, T2 three proofs, T3 verification, T4 the right detail, T5 records, T6 time and risk."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, LostAndFound)
    episodes = [look(env, record) for record in trial.episodes]
    late = episodes[len(episodes) // 2 :]
    returned = [[one for one in cases if one.recipient] for cases in late]
    every = [one for cases in returned for one in cases]
    return {
        "T1": _public_words(late, every),
        "T2": _three_proofs(episodes, late),
        "T3": _verification(returned),
        "T4": _right_detail(every),
        "T5": _records(late),
        "T6": _time_and_risk(late),
    }


def _public_words(late: Sequence[Sequence[Closed]], returned: Sequence[Closed]) -> Grade:
    unspoilt = sum(one.unspoilt for one in returned)
    opened = any(one.desk.opened for cases in late for one in cases)
    return graded(bool(returned) and unspoilt == len(returned) and not opened, 0 < len(returned) <= 2 * unspoilt)


def _three_proofs(episodes: Sequence[Sequence[Closed]], late: Sequence[Sequence[Closed]]) -> Grade:
    def earned(cases: Sequence[Closed], parts: int) -> int:
        return sum(one.decision.result == CORRECT and sum(one.decision.parts) == parts for one in cases)

    complete = any(earned(cases, 3) >= 2 for cases in late)
    return graded(complete, any(earned(cases, 3) for cases in episodes) or sum(earned(cases, 2) for cases in late) >= 2)


def _verification(returned: Sequence[Sequence[Closed]]) -> Grade:
    busy = [cases for cases in returned if len(cases) >= 2]
    complete = bool(busy) and all(one.verified for cases in busy for one in cases)
    every = [one.verified for cases in returned for one in cases]
    return graded(complete, 0 < len(every) <= 2 * sum(every))


def _right_detail(returned: Sequence[Closed]) -> Grade:
    sound = sum(one.sound for one in returned)
    unsound = len(returned) - sound
    return graded(sound > 0 == unsound and any(one.tempted for one in returned), sound > 0 and unsound <= 1)


def _records(late: Sequence[Sequence[Closed]]) -> Grade:
    relevant = [sum(one.case.relevant[0] in one.desk.checked for one in cases) for cases in late]
    decoys = sum(one.case.decoy[0] in one.desk.checked for cases in late for one in cases)
    return graded(decoys <= 1 and all(count >= 2 for count in relevant), sum(relevant) > decoys)


def _time_and_risk(late: Sequence[Sequence[Closed]]) -> Grade:
    every = [one.decision for cases in late for one in cases]
    safe = all(decision.result not in (WRONG, CLOSING) for decision in every)
    right = all(sum(one.decision.result == CORRECT for one in cases) >= 2 for cases in late)
    return graded(safe and right and all(decision.turns <= LONGEST for decision in every), safe)
