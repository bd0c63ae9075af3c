"""Slots: what of an episode is fixed before anything is drawn, so that rejecting candidates cannot bias it.

Episode `index` of a split cycles through the four families, then the domains, then a domain's tasks; one round of 64
holds every task with every family once. Over four rounds each of them has every drift position once. Factor counts
alternate from round to round.
"""

from __future__ import annotations

from dataclasses import dataclass

from evoplay.envs.adaexplore import TASKS
from evoplay.envs.adaexplore.config import FAMILIES, SPLITS, WORLD, Family
from evoplay.envs.base import EnvError

ROUND = 64
_DRIFT_ORDER = ((0, 2, 1, 3), (2, 0, 3, 1))


@dataclass(frozen=True, slots=True)
class Slot:
    """The fixed part of an episode. `drift` is the first batch under the new rule, counted from 1."""

    split: str
    index: int
    domain: str
    task: str
    family: Family
    factors: int
    drift: int


def slot(split: str, index: int) -> Slot:
    """Slot `index` (from 0) of a split. The same formula serves every split; its length is not checked."""
    domains = tuple(TASKS)
    family, domain, task = index % 4, index // 4 % 4, index // 16 % 4
    return make_slot(split, index, domains[domain], TASKS[domains[domain]][task], FAMILIES[family], index // ROUND)


def make_slot(split: str, index: int, domain: str, task: str, family: Family, turn: int) -> Slot:
    """The slot of a task and family in round `turn`.

    Factor count and drift position must not go together: which count a round starts with, and which positions come
    in even rounds, change with task, domain and family by different bits.
    """
    number = FAMILIES.index(family)
    domain_number, task_number = list(TASKS).index(domain), TASKS[domain].index(task)
    few, many = WORLD.factor_counts
    count = (few, many)[(turn + task_number + domain_number + number) % 2]
    position = _DRIFT_ORDER[number // 2][(turn + 2 * (number % 2)) % 4]
    return Slot(split, index, domain, task, family, count, WORLD.drift_batches[0] + position)


def split_slots(split: str) -> list[Slot]:
    """All slots of a split. Raises EnvError for a split there is not."""
    if split not in SPLITS:
        raise EnvError(f"split {split!r} is unknown: use one of {', '.join(SPLITS)}")
    return [slot(split, index) for index in range(SPLITS[split])]
