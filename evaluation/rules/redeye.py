"""What a trial of RedEye shows of the hidden rules (T1-T6), over its scored episodes (from the second on)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from evoplay.envs.learn2play.redeye.rules import ALLY, BOARDING, CLUES_NEEDED, WIN, Act, Loop, act
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

FIRST_SCORED = 2
STORY_LAYER = 2
ALMOST = 80
FAILED_CONFRONT = ("wrong_person", "no_evidence", "too_vague")
CONFRONT = ("exposed", "exposed_again", *FAILED_CONFRONT)
FAILED_DISARM = ("disarm_alone", "disarm_blind")
TRUSTED_DISARM = ("won", "one_end")


class Night(NamedTuple):
    """A scored episode: what happened in order, and how the loop stood at the end."""

    acts: tuple[Act, ...]
    last: Loop

    def has(self, events: Collection[str]) -> bool:
        return any(done.event in events for done in self.acts)

    def first(self, events: Collection[str]) -> int | None:
        return next((at for at, done in enumerate(self.acts) if done.event in events), None)

    @property
    def story_at(self) -> int | None:
        """Where the ally told what had happened to him."""
        return next(
            (
                at
                for at, done in enumerate(self.acts)
                if done.event == "told" and done.person == ALLY and done.layer == STORY_LAYER
            ),
            None,
        )

    @property
    def hostile_at(self) -> int | None:
        """Where the ally was accused or held down."""
        return next(
            (
                at
                for at, done in enumerate(self.acts)
                if done.event == "restrained_ally" or (done.event == "wrong_person" and done.person == ALLY)
            ),
            None,
        )


def night(record: EpisodeRecord) -> Night:
    """An episode by the rules, from its actions (the game draws nothing)."""
    loop, acts = BOARDING, []
    for step in record.steps:
        command = step.action.strip().lower()
        if loop.ended or command in ("look", "status"):
            continue
        acts.append(act(loop, command))
        loop = acts[-1].loop
    return Night(tuple(acts), loop)


def grade(trial: TrialRecord) -> Grades:
    """T1 accusing, T2 who the ally is, T3 order, T4 the radio, T5 the device, T6 the complete line."""
    nights = [night(record) for record in trial.episodes if record.episode >= FIRST_SCORED]
    return {
        "T1": _accusing(nights),
        "T2": _ally(nights),
        "T3": _order(nights),
        "T4": _radio(nights),
        "T5": _device(nights),
        "T6": _line(nights),
    }


def _those(nights: Sequence[Night], events: Collection[str]) -> list[int]:
    """Which nights have one of these events."""
    return [at for at, one in enumerate(nights) if one.has(events)]


def _accusing(nights: Sequence[Night]) -> Grade:
    right, wrong = _those(nights, ("exposed",)), _those(nights, FAILED_CONFRONT)
    ready = any(one.last.evidence and len(one.last.clues) >= CLUES_NEEDED and not one.has(CONFRONT) for one in nights)
    complete = len(right) >= 2 or (len(right) == 1 and all(at <= right[0] for at in wrong))
    return graded(complete, bool(right) or ready)


def _ally(nights: Sequence[Night]) -> Grade:
    heard = next((at for at, one in enumerate(nights) if one.story_at is not None), None)
    if heard is None:
        return "-"
    hostile_later = any(one.hostile_at is not None for one in nights[heard + 1 :])
    told, hostile = nights[heard].story_at, nights[heard].hostile_at
    hostile_same = told is not None and hostile is not None and hostile > told
    trusted = bool(_those(nights, ("trusted",)))
    return graded(trusted and not hostile_later, not (hostile_later or hostile_same))


def _order(nights: Sequence[Night]) -> Grade:
    right, early = _those(nights, ("trusted",)), _those(nights, ("comfort_early",))
    complete = bool(right) and all(at <= right[-1] for at in early)
    confronted = _those(nights, ("exposed",))
    learned = len(early) == 1 and any(at > early[0] for at in confronted)
    return graded(complete, bool(right) or learned)


def _radio(nights: Sequence[Night]) -> Grade:
    called = _those(nights, ("radio_called",))
    ready = [at for at, one in enumerate(nights) if one.last.evidence]
    return graded(len(called) >= 2 or (bool(called) and called[-1] == ready[-1]), bool(called))


def _device(nights: Sequence[Night]) -> Grade:
    complete = bool(_those(nights, TRUSTED_DISARM))
    failed = _those(nights, FAILED_DISARM)
    known = [at for at, one in enumerate(nights) if one.last.device]
    return graded(complete, bool(failed) and any(at > failed[0] for at in known))


def _line(nights: Sequence[Night]) -> Grade:
    scores = [one.last.score for one in nights]
    won = [at for at, score in enumerate(scores) if score == WIN]
    complete = bool(won) and all(not one.last.ended for one in nights[won[-1] + 1 :])
    return graded(complete, bool(won) or ALMOST in scores)
