"""How contenders play, apart from what they score: repetition, recovery, refusals, variety, length.

Pure functions over records. Source: Learn2Play Bench (2026), behavioural statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.runlog import Cell
from evoplay.memory.records import EpisodeRecord


def levenshtein(one: Sequence[str], other: Sequence[str]) -> int:
    """Edit distance of two action sequences (insert, delete, replace cost 1)."""
    if not one or not other:
        return len(one) or len(other)
    names = {action: number for number, action in enumerate(dict.fromkeys([*one, *other]))}
    there = np.array([names[action] for action in other])
    row = np.arange(len(there) + 1)
    for number, action in enumerate(one, start=1):
        # Replacing and deleting first; inserting is a running minimum over the row.
        best = np.minimum(row[1:] + 1, row[:-1] + (there != names[action]))
        row = np.concatenate(([number], best))
        row = np.minimum.accumulate(row - np.arange(len(row))) + np.arange(len(row))
    return int(row[-1])


def similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """1 - edit distance / length of the longer; 1 for two empty sequences."""
    longest = max(len(one), len(other))
    return 1.0 if longest == 0 else 1 - levenshtein(one, other) / longest


def adjacent_similarity(episodes: Sequence[EpisodeRecord]) -> float | None:
    """Mean similarity of the actions of adjacent episodes; None where no two adjacent ones were played whole."""
    pairs = [similarity(a.actions, b.actions) for a, b in pairwise(episodes) if a.error is None and b.error is None]
    return float(np.mean(pairs)) if pairs else None


def recoveries(z: Sequence[float | None]) -> tuple[int, int]:
    """(new bests right after a setback, setbacks): a setback is a score below the one before, not in the last episode.

    Episodes that failed break the comparison: a pair with one of them counts for nothing.
    """
    setbacks = found = 0
    for at in range(1, len(z) - 1):
        before, here, after = z[at - 1], z[at], z[at + 1]
        if before is None or here is None or after is None or not here < before:
            continue
        setbacks += 1
        found += after > max(value for value in z[: at + 1] if value is not None)
    return found, setbacks


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Behaviour of a contender.

    similarity : mean over trials of adjacent-episode action similarity (published: humans 0.54, agents 0.66).
    recovery : share of setbacks followed by a new best, in percent (published: humans 33.3, agents 21.8).
    setbacks : how many there were. refused : share of refused actions, in percent. distinct : distinct actions a trial.
    steps : mean steps an episode.
    """

    similarity: float | None
    recovery: float | None
    setbacks: int
    refused: float | None
    distinct: float | None
    steps: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def behaviour(run: LoadedRun, contender: str, env_id: str | None = None) -> Behaviour:
    """Behaviour over all trials of a contender, of one environment where one is named."""
    return behaviour_of(run, [c for c in run.cells_of(contender) if env_id in (None, c.env_id)])


def behaviour_of(run: LoadedRun, cells: Sequence[Cell]) -> Behaviour:
    """Behaviour over some trials; of one trial, `distinct` is its own."""
    similarities: list[float] = []
    distinct: list[int] = []
    lengths: list[int] = []
    found = setbacks = refused = actions = 0
    for cell in cells:
        episodes = run.episodes_of(cell)
        alike = adjacent_similarity(episodes)
        if alike is not None:
            similarities.append(alike)
        recovered, met = recoveries([normalised(run, cell, record) for record in episodes])
        found, setbacks = found + recovered, setbacks + met
        steps = [step for record in episodes for step in record.steps]
        refused += sum(not step.accepted for step in steps)
        actions += len(steps)
        distinct.append(len({step.action for step in steps}))
        lengths += [len(record.steps) for record in episodes if record.error is None]
    return Behaviour(
        similarity=_mean(similarities),
        recovery=100 * found / setbacks if setbacks else None,
        setbacks=setbacks,
        refused=100 * refused / actions if actions else None,
        distinct=_mean(distinct),
        steps=_mean(lengths),
    )


def normalised(run: LoadedRun, cell: Any, record: EpisodeRecord) -> float | None:
    """z of an episode; None where it failed or has no reference, or where the reference is 0."""
    reference = run.reference(cell, record.episode)
    return 100 * record.score / reference if record.score is not None and reference else None


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
