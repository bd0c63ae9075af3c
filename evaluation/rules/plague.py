"""What a trial of Plague Doctor shows of the hidden rules (T1-T6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.envs import make
from evoplay.envs.learn2play.plague import WORST, Plague, villager_number
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord


@dataclass(frozen=True)
class Deed:
    """A villager moved into or out of a cell: when, and what the doctor could see then."""

    step: int
    day: int
    villager: int
    severity: int
    between_sick: bool


@dataclass
class Course:
    """How an episode went."""

    carriers: frozenset[int]
    locked: list[Deed] = field(default_factory=list)
    freed: list[Deed] = field(default_factory=list)
    both_locked: int | None = None
    """The first day on which both carriers were in a cell at once."""
    avoidable: int = 0
    """Deaths in nights after a day whose action points were left over or spent on someone less ill."""

    @property
    def first_two(self) -> frozenset[int]:
        """The first two villagers quarantined."""
        return frozenset(list(dict.fromkeys(deed.villager for deed in self.locked))[:2])

    @property
    def carriers_freed(self) -> list[Deed]:
        return [deed for deed in self.freed if deed.villager in self.carriers]

    def soon_locked_again(self, freed: Deed) -> bool:
        again = [deed for deed in self.locked if deed.villager == freed.villager and deed.step > freed.step]
        return any(deed.day - freed.day <= 2 for deed in again)


def course_of(env: Plague, record: EpisodeRecord) -> Course:
    """An episode's course, by playing its actions again; who left early let the rest die unattended."""
    env.reset(record.episode)
    course = Course(frozenset(env.street.carriers))
    wasted = False
    for step in record.steps:
        day, points, deed = env.day, env.action_points, _deed(env, step.action, step.step)
        living, locked = env.street.alive.count(True), list(env.street.quarantined)
        accepted = env.step(step.action).accepted
        wasted = wasted or (accepted and deed is not None and deed.severity < WORST)
        if env.day > day:
            ended = step.action.strip() == "end_day"
            wasted = wasted or (ended and points > 0) or env.day > day + 1
            course.avoidable += (living - env.street.alive.count(True)) * wasted
            wasted = False
        if accepted and deed is not None:
            verb = step.action.strip().partition("_")[0]
            {"quarantine": course.locked, "release": course.freed}.get(verb, []).append(deed)
            locked[deed.villager] = {"quarantine": True, "release": False}.get(verb, locked[deed.villager])
        if course.both_locked is None and all(locked[carrier] for carrier in course.carriers):
            course.both_locked = day
    living = env.street.alive.count(True)
    env.finish()
    course.avoidable += living - env.street.alive.count(True)
    return course


def _deed(env: Plague, action: str, step: int) -> Deed | None:
    villager = villager_number(action.strip().partition("_")[2])
    if villager is None:
        return None
    severity = env.street.severity
    before, after = severity[max(villager - 2, 0) : villager], severity[villager + 1 : villager + 3]
    return Deed(step, env.day, villager, severity[villager], any(before) and any(after))


def grade(trial: TrialRecord) -> Grades:
    """T1 the sources, T2 growing reach, T3 the sick do not spread, T4 no release, T5 worst first, T6 search anew."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, Plague)
    courses = [course_of(env, record) for record in trial.episodes]
    later = courses[len(courses) // 2 :]
    return {
        "T1": _sources(courses, later),
        "T2": _early(courses),
        "T3": _sick_left_free(later),
        "T4": _kept_in(later),
        "T5": _worst_first(courses[-2:]),
        "T6": _search(courses[2:]),
    }


def _sources(courses: Sequence[Course], later: Sequence[Course]) -> Grade:
    exact = sum(course.first_two == course.carriers for course in later)
    hit = sum(bool(course.first_two & course.carriers) for course in courses)
    return graded(exact >= 2, hit >= 2)


def _early(courses: Sequence[Course]) -> Grade:
    days = [course.both_locked for course in courses]
    last = days[-2:]
    early = len(last) == 2 and all(day is not None and day <= 3 for day in last)
    return graded(early, any(day is not None and day <= 6 for day in days))


def _sick_left_free(later: Sequence[Course]) -> Grade:
    if not all(course.locked for course in later):
        return "-"
    sick = sum(deed.severity > 0 for course in later for deed in course.locked)
    return graded(sick == 0, sick == 1)


def _kept_in(later: Sequence[Course]) -> Grade:
    if sum(course.both_locked is not None for course in later) < 2:
        return "-"
    freed = [(course, deed) for course in later for deed in course.carriers_freed]
    return graded(not freed, len(freed) == 1 and all(course.soon_locked_again(deed) for course, deed in freed))


def _worst_first(last: Sequence[Course]) -> Grade:
    avoidable = sum(course.avoidable for course in last)
    return graded(avoidable == 0, avoidable <= 2)


def _search(courses: Sequence[Course]) -> Grade:
    found = 0
    for course in courses:
        first = course.locked[0] if course.locked else None
        found += first is not None and first.day >= 2 and first.severity == 0 and first.between_sick
    return graded(bool(courses) and found == len(courses), len(courses) >= 2 and found == len(courses) - 1)
