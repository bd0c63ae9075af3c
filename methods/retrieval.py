"""retrieval carries over the most similar past steps: what was done in moments like this one, and what it brought.

The baseline that full histories and distilled rules have to beat; no paper.

Settings
--------
k : how many past steps are shown at each step (3), most similar first, duplicates merged with a count.
min_similarity : cosine similarity of the observations that a past step must reach (0.1).

Calls: none beyond the actor's; one embedding a step.
"""

from __future__ import annotations

from dataclasses import dataclass

from evoplay.memory.blocks import Block
from evoplay.memory.evidence import STEP
from evoplay.memory.records import Episode, Step
from evoplay.methods.base import Context, Method, View
from evoplay.methods.moments import LEAST_SIMILAR, moment_block, score_change
from evoplay.methods.options import real, whole

HEADING = "Similar moments of earlier episodes, most similar first: what was seen, done, and what it brought."
REPEATS = 20
"""Steps looked at for each one shown, so that merging duplicates leaves enough."""


class Retrieval(Method):
    """The most similar past steps, looked up at each step."""

    name = "retrieval"
    carries = "the k most similar past steps"

    def __init__(self, k: int = 3, min_similarity: float = LEAST_SIMILAR) -> None:
        self.k = whole(self.name, "k", k)
        self.min_similarity = real(self.name, "min_similarity", min_similarity, -1.0, 1.0)

    def context(self, view: View) -> Context:
        moments = self.similar(view.observation)
        if not moments:
            return Context()
        return Context(hints=(Block(f"\n{HEADING}\n"), *(moment.block() for moment in moments)))

    def similar(self, observation: str) -> list[Moment]:
        """The most similar past steps, those alike merged."""
        store = self.services.store
        if not store.steps:
            return []
        hits = store.search(observation, kind=STEP, k=self.k * REPEATS, min_similarity=self.min_similarity)
        merged: dict[tuple[str, str, str], Moment] = {}
        for hit in hits:
            assert hit.step is not None
            step = hit.step
            moment = merged.setdefault((step.observation, step.action, change_of(step)), Moment(step))
            moment.times += 1
        return list(merged.values())[: self.k]

    def end_episode(self, episode: Episode) -> None:
        self.services.store.add_steps(episode.steps)


@dataclass(slots=True)
class Moment:
    """A past step, and how often it happened so."""

    step: Step
    times: int = 0

    def block(self) -> Block:
        """State -> action -> score change."""
        return moment_block(self.step.observation, self.step.action, change_of(self.step), self.times)


def change_of(step: Step) -> str:
    """What a step brought, in words."""
    if not step.accepted:
        return "refused"
    if step.score_before is None or step.score_after is None:
        return "score not shown"
    return score_change(step.gain)
