"""What a trial of Haunted Inn shows of the hidden rules (T1-T5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evoplay.envs import make
from evoplay.envs.learn2play.hauntedinn import CROWD, Guest, HauntedInn, House, Origins, fled_from, origins_of
from evoplay.evaluation.rules.grades import Grade, Grades, best_grade, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

FEWEST_SEATED = 4
"""A night with fewer guests than this says nothing."""


@dataclass(frozen=True)
class Night:
    """How an episode stood when it was settled, or when it broke off."""

    house: House
    queue: tuple[Guest, ...]
    seats: tuple[Guest | None, ...]
    settled: bool
    score: float
    reference: float

    @property
    def seated(self) -> list[Guest]:
        return [guest for guest in self.seats if guest is not None]

    @property
    def opened(self) -> bool:
        return self.settled and len(self.seated) >= FEWEST_SEATED

    @property
    def origins(self) -> Origins:
        return origins_of(self.house, self.seats)

    @property
    def fled(self) -> frozenset[int]:
        return fled_from(self.seats, self.origins.any)

    @property
    def stayed(self) -> int:
        return len(self.seated) - len(self.fled)


@dataclass(frozen=True)
class Rule:
    """How one taboo is looked for in a night: did it fire, was there a chance of it, was it tried harmlessly."""

    fired: Callable[[Night], bool]
    chance: Callable[[Night], bool]
    harmless: Callable[[Night], bool]


def night_of(env: HauntedInn, record: EpisodeRecord) -> Night:
    """An episode's last arrangement, by playing its actions again."""
    env.reset(record.episode)
    for step in record.steps:
        env.step(step.action)
    reference = env.reference(record.episode).value
    return Night(env.house, env.guests, tuple(env.seats()), env.settled, record.score or 0, reference)


def grade(trial: TrialRecord) -> Grades:
    """T1 feature taboo, T2 adjacency, T3 count, T4 panic stops at a vacant room, T5 rules carried to new guests."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, HauntedInn)
    nights = [night_of(env, record) for record in trial.episodes]
    return {
        "T1": _taboo(nights, FEATURE),
        "T2": _taboo(nights, NEIGHBOURS),
        "T3": _taboo(nights, COUNT),
        "T4": _panic(nights),
        "T5": _mastery(nights),
    }


def _pair_seated(night: Night) -> bool:
    types = [guest.type for guest in night.seated]
    one, other = night.house.neighbours
    return types.count(one) >= 2 if one == other else one in types and other in types


def _crowd_waits(night: Night) -> bool:
    return sum(guest.type == night.house.crowd for guest in night.queue) >= CROWD


def _matching_seated_elsewhere(night: Night) -> bool:
    return any(
        guest is not None and guest.bears(night.house.trait) and feature != night.house.feature
        for feature, guest in zip(night.house.features, night.seats, strict=True)
    )


FEATURE = Rule(
    fired=lambda night: bool(night.origins.feature),
    chance=lambda night: any(guest.bears(night.house.trait) for guest in night.queue),
    harmless=_matching_seated_elsewhere,
)
NEIGHBOURS = Rule(fired=lambda night: bool(night.origins.neighbours), chance=_pair_seated, harmless=_pair_seated)
COUNT = Rule(fired=lambda night: bool(night.origins.crowd), chance=_crowd_waits, harmless=_crowd_waits)


def _taboo(nights: Sequence[Night], rule: Rule) -> Grade:
    first = next((at for at, night in enumerate(nights) if night.settled and rule.fired(night)), None)
    if first is None:
        return graded(False, sum(night.opened and rule.harmless(night) for night in nights) >= 3)
    chances = [rule.fired(night) for night in nights[first + 1 :] if night.opened and rule.chance(night)]
    times = sum(chances)
    if times == 0:
        return graded(len(chances) >= 2, len(chances) == 1)
    return graded(False, len(chances) >= 3 and 3 * times <= len(chances))


def _gap_between_the_two(night: Night) -> bool:
    one, other = night.house.neighbours
    occupied = [(room, guest.type) for room, guest in enumerate(night.seats) if guest is not None]
    return any(
        {left, right} == {one, other} and second - first > 1 for (first, left), (second, right) in pairwise(occupied)
    )


def _panic(nights: Sequence[Night]) -> Grade:
    shown = next((at for at, night in enumerate(nights) if night.settled and night.fled - night.origins.any), None)
    if shown is None:
        return "-"
    later = [night for night in nights[shown + 1 :] if night.opened]
    stayed = max((night.stayed for night in later if night.origins.any), default=0)
    return best_grade(graded(stayed >= 3, stayed >= 1), graded(False, sum(map(_gap_between_the_two, later)) >= 2))


def _mastery(nights: Sequence[Night]) -> Grade:
    last = nights[-4:]
    best = sum(night.score == night.reference for night in last)
    share = sum(night.score for night in last) / sum(night.reference for night in last)
    return graded(best >= 3, best >= 1 or share >= 0.85)
