"""Which episode comes when: the streams of episodes a trial plays."""

from __future__ import annotations

import random
from functools import cache, lru_cache

from evoplay.envs.adaexplore.config import FAMILIES, Family, Stream
from evoplay.envs.adaexplore.exchange import read_file
from evoplay.envs.adaexplore.generation import Episode, episode_for, with_new_cases
from evoplay.envs.adaexplore.slots import Slot, make_slot, split_slots
from evoplay.envs.base import EnvError


def episode_of(
    domain: str,
    task: str,
    seed: int,
    number: int,
    stream: Stream,
    *,
    split: str = "eval",
    family: Family | None = None,
    file: str | None = None,
) -> Episode:
    """Episode `number` (from 1) of a task's stream.

    "mixed" plays the task's episodes of the split in a fixed shuffled order; "same_rule" keeps the first of them, its
    drift included, and draws new cases from episode 2 on; "same_family" draws a new instance of one family each time.
    Raises EnvError beyond the end of "mixed", and for a family with another stream.
    """
    if family is not None and (stream != "same_family" or family not in FAMILIES):
        raise EnvError(f"family {family!r} with stream {stream!r}: use one of {', '.join(FAMILIES)} with same_family")
    if stream == "same_family":
        chosen = family or order(domain, task, seed, "eval")[0].family
        return episode_for(
            make_slot("same_family", _family_index(chosen, number), domain, task, chosen, number - 1), seed
        )
    episodes = _from_file(domain, task, file) if file is not None else None
    count = len(episodes) if episodes is not None else len(order(domain, task, seed, split))
    wanted = 1 if stream == "same_rule" else number
    if wanted > count:
        raise EnvError(
            f"episode {number} of {domain}/{task}: the stream 'mixed' has {count}; play fewer, or take the stream "
            f"same_family, which has no end"
        )
    first = (
        episodes[wanted - 1]
        if episodes is not None
        else episode_for(order(domain, task, seed, split)[wanted - 1], seed)
    )
    if stream == "same_rule" and number > 1:
        return _new_cases(first, seed, number)
    return first


@cache
def order(domain: str, task: str, seed: int, split: str) -> tuple[Slot, ...]:
    """The task's slots of a split in the order of the stream "mixed"."""
    slots = [slot for slot in split_slots(split) if (slot.domain, slot.task) == (domain, task)]
    random.Random(f"{seed}/{split}/{domain}/{task}").shuffle(slots)
    return tuple(slots)


def _family_index(family: Family, number: int) -> int:
    """Distinct for every family and episode, so that their random streams are."""
    return FAMILIES.index(family) + len(FAMILIES) * (number - 1)


@lru_cache(maxsize=64)
def _new_cases(first: Episode, seed: int, number: int) -> Episode:
    return with_new_cases(first, seed, number)


@cache
def _from_file(domain: str, task: str, file: str) -> tuple[Episode, ...]:
    found = tuple(episode for episode in read_file(file) if (episode.slot.domain, episode.slot.task) == (domain, task))
    if not found:
        raise EnvError(f"{file} holds no episode of {domain}/{task}: generate it with that task, or leave `file` out")
    return found
