"""What a trial of Butterfly Garden shows of the hidden laws (T1-T6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from evoplay.envs import make
from evoplay.envs.learn2play.butterfly import PLAIN, Butterfly, Laws, Look, matches
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

FIRST_LATE = 3
"""Episodes from this one on show what has been learned."""
EARLY_CROSS = 4


class Cross(NamedTuple):
    """One cross: when, of whom, with what child; `new` among the offspring, `after` an exact child was there."""

    episode: int
    number: int
    target: Look
    parents: tuple[Look, Look]
    child: Look
    new: bool
    after: bool

    @property
    def match(self) -> int:
        return matches(self.child, self.target)


def crosses(env: Butterfly, record: EpisodeRecord) -> list[Cross]:
    """The crosses of an episode, played again."""
    env.reset(record.episode)
    found: list[Cross] = []
    for step in record.steps:
        made, after = env.crosses, env.exact_made
        parents = [env.garden[name] for name in env.selected]
        env.step(step.action)
        if env.crosses > made:
            child = env.garden[env.next_id - 1]
            new = env.bred[child] == 1
            one, other = parents
            found.append(Cross(record.episode, env.crosses, env.round.target, (one, other), child, new, after))
    return found


def grade(trial: TrialRecord) -> Grades:
    """T1 antennae, T2 colors, T3 sizes, T4 the suppressing antenna, T5 points of repeats, T6 the wanted look early."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, Butterfly)
    late = [cross for record in trial.episodes if record.episode >= FIRST_LATE for cross in crosses(env, record)]
    strong = [cross for cross in late if cross.target.antenna != env.laws.weakest]
    return {
        "T1": _dominance(strong, lambda look: look.antenna),
        "T2": _dominance(late, lambda look: look.color),
        "T3": _sizes(late),
        "T4": _suppressor(env.laws, late),
        "T5": _repeats(late),
        "T6": _early(late),
    }


def _shared(hits: Sequence[bool], complete: tuple[float, int], partial: tuple[float, int]) -> Grade:
    """By share and least number of cases."""
    share = sum(hits) / len(hits) if hits else 0.0

    def reached(level: tuple[float, int]) -> bool:
        return share >= level[0] and len(hits) >= level[1]

    return graded(reached(complete), reached(partial))


def _dominance(late: Iterable[Cross], trait: Callable[[Look], int]) -> Grade:
    hits = []
    for cross in late:
        one, other = map(trait, cross.parents)
        wanted = trait(cross.target)
        if one != other and wanted in (one, other):
            hits.append(trait(cross.child) == wanted)
    return _shared(hits, (0.9, 6), (0.75, 4))


def _sizes(late: Iterable[Cross]) -> Grade:
    hits = [
        cross.episode
        for cross in late
        if cross.child.size == cross.target.size and all(look.size != cross.target.size for look in cross.parents)
    ]
    return graded(len(hits) >= 4 and len(set(hits)) >= 2, len(hits) >= 2)


def _suppressor(laws: Laws, late: Iterable[Cross]) -> Grade:
    patterned = [
        cross
        for cross in late
        if cross.target.pattern != PLAIN and any(look.pattern != PLAIN for look in cross.parents)
    ]
    episodes = len({cross.episode for cross in patterned})
    lost = sum(cross.child.antenna == laws.suppressor for cross in patterned)
    return graded(lost <= 1 and episodes >= 3, 0 < episodes >= lost)


def _repeats(late: Iterable[Cross]) -> Grade:
    return _shared([cross.new and cross.match >= 3 for cross in late if cross.after], (0.8, 6), (0.5, 3))


def _early(late: Iterable[Cross]) -> Grade:
    early = {cross.episode for cross in late if cross.match == 4 and cross.number <= EARLY_CROSS}
    return graded(len(early) >= 3, bool(early))
