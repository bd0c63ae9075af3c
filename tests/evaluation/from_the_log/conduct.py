"""Behaviour, from the actions."""

from __future__ import annotations

import math
from itertools import pairwise

from .reading import Episode, Trial
from .scores import known, mean_of


def distance(one: list[str], other: list[str]) -> int:
    """Levenshtein's: the fewest insertions, deletions and replacements."""
    costs = {(at, 0): at for at in range(len(one) + 1)} | {(0, at): at for at in range(len(other) + 1)}
    for a, mine in enumerate(one, 1):
        for b, yours in enumerate(other, 1):
            costs[a, b] = min(costs[a - 1, b] + 1, costs[a, b - 1] + 1, costs[a - 1, b - 1] + (mine != yours))
    return costs[len(one), len(other)]


def played(trial: Trial) -> list[Episode]:
    """The episodes that did not fail."""
    return [episode for episode in trial.episodes if not episode.failed]


def actions(episode: Episode) -> list[str]:
    return [step["action"] for step in episode.steps]


def similarity(trial: Trial) -> float:
    """Mean over neighbouring episodes of 1 − distance / length of the longer; one that failed is no whole episode."""
    found = []
    for one, other in pairwise(played(trial)):
        if other.number == one.number + 1:
            longer = max(len(one.steps), len(other.steps))
            found.append(1 - distance(actions(one), actions(other)) / longer if longer else 1.0)
    return mean_of(found)


def setbacks(trial: Trial) -> tuple[int, int]:
    """Scores below the one before, and how many of them a new best followed at once."""
    last = trial.scored[-1] if trial.scored else 0
    z = {episode.number: episode.z for episode in trial.episodes if not math.isnan(episode.z)}
    all_of_them = [t for t in z if t - 1 in z and t + 1 in z and t < last and z[t] < z[t - 1]]
    return sum(z[t + 1] > max(z[i] for i in z if i <= t) for t in all_of_them), len(all_of_them)


def behaviour(trials: list[Trial]) -> dict[str, float | None]:
    """Behaviour of some trials: similarity and distinct actions a trial, the rest over all of their steps or episodes.

    Actions of failed episodes were taken all the same; their lengths say nothing.
    """
    steps = [step for trial in trials for episode in trial.episodes for step in episode.steps]
    recovered, fell = (sum(part) for part in zip(*map(setbacks, trials), strict=True))
    distinct = [len({action for episode in trial.episodes for action in actions(episode)}) for trial in trials]
    lengths = [len(episode.steps) for trial in trials for episode in played(trial)]
    return {
        "similarity": known(mean_of([similarity(trial) for trial in trials])),
        "recovery": 100 * recovered / fell if fell else None,
        "setbacks": fell,
        "refused": 100 * sum(not step["accepted"] for step in steps) / len(steps) if steps else None,
        "distinct": sum(distinct) / len(distinct),
        "steps": known(mean_of(lengths)),
    }
