"""What a trial of Roommates shows of the hidden rules (T1-T5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evoplay.envs import make
from evoplay.envs.learn2play.hezu import Guests, Hezu, House, Trio, partitions, trio_of
from evoplay.evaluation.rules.grades import Grade, Grades, best_grade, graded
from evoplay.memory.records import TrialRecord


@dataclass(frozen=True)
class Settlement:
    """A settled episode: its guests and the three trios that moved in."""

    episode: int
    house: House
    guests: Guests
    trios: tuple[Trio, ...]

    @property
    def total(self) -> int:
        return sum(self.house.harmony[trio] for trio in self.trios)

    @property
    def bonus(self) -> int:
        return special_sum(self.house, self.trios)

    def allows(self, trio: Trio) -> bool:
        """Whether these guests could form the trio."""
        return not Counter(trio) - Counter(self.guests)

    def arrangements(self) -> Iterator[tuple[Trio, ...]]:
        """The trios of every partition of the guests."""
        for partition in partitions():
            yield tuple(trio_of([self.guests[guest] for guest in room]) for room in partition)

    def best_pairs(self) -> int:
        """The largest sum of pair values among the partitions with the same sum of special trios."""
        return max(
            sum(self.house.harmony[trio] for trio in trios) - self.bonus
            for trios in self.arrangements()
            if special_sum(self.house, trios) == self.bonus
        )

    def optimal_trios(self) -> frozenset[Trio]:
        """Every trio that some optimal partition contains."""
        worth = {trios: sum(self.house.harmony[trio] for trio in trios) for trios in self.arrangements()}
        best = max(worth.values())
        return frozenset(trio for trios, value in worth.items() if value == best for trio in trios)


def special_sum(house: House, trios: Iterable[Trio]) -> int:
    return sum(house.special.get(trio, 0) for trio in trios)


def settlements(trial: TrialRecord) -> tuple[Hezu, list[Settlement]]:
    """The settled episodes of a trial, by playing its actions again."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, Hezu)
    found = []
    for record in trial.episodes:
        env.reset(record.episode)
        for step in record.steps:
            env.step(step.action)
        if env.over():
            trios = tuple(trio_of([env.guests[guest] for guest in room]) for room in env.rooms().values())
            found.append(Settlement(record.episode, env.house, env.guests, trios))
    return env, found


def grade(trial: TrialRecord) -> Grades:
    """T1 ring of likes and dislikes, T2 a trio worth +5, T3 both of them, T4 a trio worth -5, T5 the whole model."""
    env, settled = settlements(trial)
    half = {record.episode for record in trial.episodes[len(trial.episodes) // 2 :]}
    liked = [_reuse(settled, trio) for trio, value in env.house.special.items() if value > 0]
    return {
        "T1": _ring([settlement for settlement in settled if settlement.episode in half]),
        "T2": _best(reuse.grade for reuse in liked),
        "T3": graded(
            all(reuse.again for reuse in liked),
            any(reuse.again for reuse in liked) and all(reuse.occurred for reuse in liked),
        ),
        "T4": _best(_avoided(settled, trio) for trio, value in env.house.special.items() if value < 0),
        "T5": _model(env, settled[-3:]),
    }


def _best(grades: Iterable[Grade]) -> Grade:
    best: Grade = "-"
    for got in grades:
        best = best_grade(best, got)
    return best


def _ring(settled: Sequence[Settlement]) -> Grade:
    if len(settled) < 2:
        return "-"
    close = sum(each.total - each.bonus >= each.best_pairs() - 1 for each in settled)
    return graded(4 * close >= 3 * len(settled), 2 * close >= len(settled))


@dataclass(frozen=True)
class Reuse:
    """Whether a good trio occurred, and in which later episodes where it was part of an optimum it was formed."""

    occurred: bool
    formed: tuple[bool, ...]

    @property
    def again(self) -> bool:
        return any(self.formed)

    @property
    def grade(self) -> Grade:
        return graded(len(self.formed) >= 2 and sum(self.formed) >= len(self.formed) - 1, self.again)


def _reuse(settled: Sequence[Settlement], trio: Trio) -> Reuse:
    first = next((at for at, each in enumerate(settled) if trio in each.trios), None)
    if first is None:
        return Reuse(False, ())
    return Reuse(True, tuple(trio in each.trios for each in settled[first + 1 :] if trio in each.optimal_trios()))


def _avoided(settled: Sequence[Settlement], trio: Trio) -> Grade:
    first = next((at for at, each in enumerate(settled) if trio in each.trios), None)
    if first is None:
        return "-"
    later = [trio in each.trios for each in settled[first + 1 :] if each.allows(trio)]
    return graded(len(later) >= 2 and not any(later), len(later) == 1 and not any(later))


def _model(env: Hezu, last: Sequence[Settlement]) -> Grade:
    gaps = [env.reference(each.episode).value - each.total for each in last]
    return graded(gaps.count(0) >= 2, 0 in gaps or (len(gaps) == 3 and max(gaps) <= 1))
