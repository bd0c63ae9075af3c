"""What a trial of GemForge shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evoplay.envs import make
from evoplay.envs.learn2play.gemforge import MATERIALS, SLAG, TIER1, TIER2, TIER3, VALUES, shown
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_MADE = re.compile(r"Out of the fire you lift (.+?) \(\+")
_BY_NAME = {shown(gem): gem for gem in VALUES}


@dataclass(frozen=True)
class Fire:
    """One firing: which episode, what lay in the crucible, what came out (read from the observation)."""

    episode: int
    items: frozenset[str]
    product: str

    @property
    def tier(self) -> int:
        return next(tier for tier, names in enumerate((MATERIALS, TIER1, TIER2)) if self.items & set(names))


def fires(episode: EpisodeRecord) -> Iterator[Fire]:
    """The firings of an episode, from its accepted actions and their outcomes."""
    crucible: set[str] = set()
    for step in episode.steps:
        act = step.action.strip().lower()
        if not step.accepted:
            continue
        if act.startswith("add_"):
            crucible.add(act.removeprefix("add_"))
        elif act == "fire":
            made = _MADE.search(step.outcome)
            yield Fire(episode.episode, frozenset(crucible), _BY_NAME[made.group(1)] if made else SLAG)
            crucible = set()


def grade(trial: TrialRecord) -> Grades:
    """T1 recipes reused, T2 failed pairs dropped, T3 tier 2, T4 tier 3, T5 lone items, T6 planning by value."""
    by_episode = {episode.episode: list(fires(episode)) for episode in trial.episodes}
    pairs = {number: [fire for fire in fired if len(fire.items) == 2] for number, fired in by_episode.items()}
    every = [fire for number in sorted(pairs) for fire in pairs[number]]
    return {
        "T1": _reuse(pairs.items()),
        "T2": _failed_pairs(every),
        "T3": _second_tier(pairs.values()),
        "T4": _third_tier(pairs),
        "T5": _lone_items(by_episode, every),
        "T6": _planning(trial),
    }


def _reuse(pairs: Iterable[tuple[int, list[Fire]]]) -> Grade:
    def opening(fired: list[Fire], count: int) -> list[str]:
        made = [fire.product for fire in fired if fire.tier == 0][:count]
        return made if len(made) == count and SLAG not in made else []

    later = [fired for number, fired in pairs if number >= 2]
    complete = any(len(set(opening(fired, 4))) >= 3 for fired in later)
    return graded(complete, any(opening(fired, 2) for fired in later))


def _failed_pairs(every: list[Fire]) -> Grade:
    failed = [fire.items for fire in every if fire.product == SLAG]
    repeats = len(failed) - len(set(failed))
    known = len(set(failed)) >= 5
    return graded(known and repeats == 0, known and repeats <= 2)


def _second_tier(episodes: Iterable[list[Fire]]) -> Grade:
    complete, seen = False, set[tuple[frozenset[str], int]]()
    for fired in episodes:
        joined = [fire for fire in fired if fire.tier == 1]
        made = {fire.product for fire in joined} - {SLAG}
        complete = complete or (len(made) >= 2 and sum(fire.product == SLAG for fire in joined) <= 1)
        seen |= {(fire.items, fire.episode) for fire in joined if fire.product != SLAG}
    by_pair = [items for items, _ in seen]
    return graded(complete, len(by_pair) > len(set(by_pair)))


def _third_tier(pairs: dict[int, list[Fire]]) -> Grade:
    top = {number: [fire for fire in fired if fire.tier == 2] for number, fired in pairs.items()}
    made = sorted(number for number, fired in top.items() if any(fire.product in TIER3 for fire in fired))
    clean = any(all(fire.product != SLAG for fire in top[number]) for number in made[1:])
    return graded(clean, bool(made))


def _lone_items(by_episode: dict[int, list[Fire]], every: list[Fire]) -> Grade:
    needed = frozenset().union(*(fire.items for fire in every if fire.product != SLAG))
    complete = partial = False
    for fired in by_episode.values():
        last_pair = max((at for at, fire in enumerate(fired) if len(fire.items) == 2), default=0)
        lone = [(at, fire) for at, fire in enumerate(fired) if len(fire.items) == 1 and fire.tier == 0]
        partial = partial or bool(lone)
        complete = complete or sum(at < last_pair and not fire.items & needed for at, fire in lone) >= 5
    return graded(complete, partial)


def _planning(trial: TrialRecord) -> Grade:
    env = make(trial.env_id, trial.seed)
    best = max((episode.score or 0) / env.reference(episode.episode).value for episode in trial.episodes)
    return graded(best >= 0.8, best >= 0.5)
