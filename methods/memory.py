"""memory carries over everything: all earlier episodes of the trial, oldest first, every observation, action and score.

The baseline that clever compression has to beat (Learn2Play Bench: MEMORY). The text of an earlier episode never
changes once written, so every prompt is a prefix-extension of the last one and provider prompt caching applies.

Settings: `keep`, what stays when the token budget would overflow. Whole episodes go, the one kept least first:
"best" (default) the oldest first, the best-scoring one last of all; "recent" the oldest first; "spread" the one whose
score is nearest to that of another kept one, so that a spread of scores stays. No calls beyond the actor's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Method, MethodError, Task, View
from evoplay.methods.render import episode_blocks

POLICIES = ("best", "recent", "spread")


class Memory(Method):
    """The full raw history of the trial."""

    name = "memory"
    carries = "the full raw history of the trial"
    paper = "Learn2Play Bench (2026), MEMORY"

    def __init__(self, keep: str = "best") -> None:
        if keep not in POLICIES:
            raise MethodError(f"memory: keep={keep!r} is unknown: use one of {', '.join(POLICIES)}")
        self.keep = keep
        self.episodes = 1
        self.blocks: list[Block] = []
        self.scores: list[float] = []

    def begin_episode(self, task: Task) -> None:
        self.episodes = task.episodes

    def context(self, view: View) -> Context:
        return Context(history=self.blocks)

    def end_episode(self, episode: Episode) -> None:
        self._add(episode)
        ranks = keep_order(self.scores, self.keep)
        self.blocks = [block.with_priority(rank) for block, rank in zip(self.blocks, ranks, strict=True)]

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.episodes = state.get("episodes", self.planned)
        for episode in episodes:
            self.end_episode(episode)

    def state(self) -> Mapping[str, Any]:
        return {"episodes": self.episodes}

    def _add(self, episode: Episode) -> None:
        blocks = episode_blocks(episode, self.episodes)
        self.blocks.append(Block.joined(blocks, key=f"episode {episode.episode}"))
        self.scores.append(episode.score or 0.0)


def keep_order(scores: Sequence[float], policy: str) -> list[int]:
    """For each episode its rank in being kept: 0 is the first to go."""
    order = list(range(len(scores)))
    if policy == "best" and scores:
        best = max(order, key=lambda at: (scores[at], at))
        order = [at for at in order if at != best] + [best]
    elif policy == "spread":
        order = _spread_order(scores)
    ranks = [0] * len(scores)
    for rank, at in enumerate(order):
        ranks[at] = rank
    return ranks


def _spread_order(scores: Sequence[float]) -> list[int]:
    """Always the episode whose score is nearest to another kept one goes next (ties: the oldest)."""
    kept, order = list(range(len(scores))), []
    while len(kept) > 1:

        def crowding(at: int) -> float:
            return min(abs(scores[at] - scores[other]) for other in kept if other != at)

        nearest = min(kept, key=lambda at: (crowding(at), at))
        kept.remove(nearest)
        order.append(nearest)
    return order + kept
