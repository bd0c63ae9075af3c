"""expel carries over a voted list of insights, and similar successful episodes as examples.

Zhao et al. 2023, «ExpeL: LLM Agents Are Experiential Learners», arXiv:2308.10144.

After each episode: if it and its best opposite make a success and a failure, a critique of the pair; of every 8
successes, and at the end of the trial of those left, a critique together. A critique is at most 4 operations on the
numbered list (see `methods.insights`).

Settings
--------
max_insights : how many insights there should be (20); the list is full when it holds 5 more.
success_batch : how many successes are critiqued together (8).
k : how many successful episodes are shown, those whose opening observation is most similar (2).
example_tokens : what they may take (0: a quarter of the prompt's budget); beyond it the shortest come first.
judge : what a success is: "score", "llm", or "reference" (for analysis only).

Calls: 1-2 an episode (`insight`; `judge` with judge="llm").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evoplay.memory.blocks import Block
from evoplay.memory.claims import Claim, Statement
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Task, View
from evoplay.methods.guidance import listed, numbered
from evoplay.methods.insights import ADDED, Insight, is_full, voted
from evoplay.methods.options import whole
from evoplay.methods.pool import Judged, Pool, ReferenceOf
from evoplay.methods.render import episode_blocks
from evoplay.methods.similar import most_similar
from evoplay.methods.transcripts import evidence, transcript

KIND = "insight"
HEADING = "Insights from earlier episodes, those with the most agreement first:"
FULL = "The list is full: REMOVE what is weak or repeated rather than to ADD."
ROOM = "There is room for more."


class Expel(Judged):
    """Insights voted on by critiques, and examples of success."""

    name = "expel"
    carries = "a voted list of insights, and similar successful episodes as examples"
    paper = "Zhao et al. 2023, arXiv:2308.10144"

    def __init__(
        self,
        max_insights: int = 20,
        success_batch: int = 8,
        k: int = 2,
        example_tokens: int = 0,
        judge: str = "score",
        reference_of: ReferenceOf | None = None,
    ) -> None:
        super().__init__(judge, reference_of)
        self.max_insights = whole(self.name, "max_insights", max_insights)
        self.success_batch = whole(self.name, "success_batch", success_batch)
        self.k = whole(self.name, "k", k, 0)
        self.example_tokens = whole(self.name, "example_tokens", example_tokens, 0)
        self.critiqued: tuple[int, ...] = ()
        """Successes that have had their critique together, by number of the episode."""
        self.shown = Context()

    # --- what reaches the prompt ------------------------------------------------------------------------------

    def begin_episode(self, task: Task) -> None:
        insights = listed(HEADING, [insight.text for insight in self.insights()], self.guidance_tokens)
        self.shown = Context(guidance=insights, history=self.examples(task))

    def context(self, view: View) -> Context:
        return self.shown

    def examples(self, task: Task) -> list[Block]:
        """The most similar successful episodes in full; shortest first where they exceed what they may take."""
        won = self.pool.of(True)
        near = most_similar(self.services.store, task.opening, won, [one.opening for one in won], self.k)
        blocks = [
            Block.joined(
                episode_blocks(one, self.planned), key=f"episode {one.episode} as an example in {task.episode}"
            )
            for one in near
        ]
        room = self.example_tokens or self.guidance_tokens
        if room and sum(block.tokens for block in blocks) > room:
            shortest = sorted(blocks, key=lambda block: block.tokens)
            blocks = [
                block for at, block in enumerate(shortest) if sum(one.tokens for one in shortest[: at + 1]) <= room
            ]
        return blocks

    # --- what is learned --------------------------------------------------------------------------------------

    def end_episode(self, episode: Episode) -> None:
        pool = self.labelled(episode)
        before = self.insights()
        now, critiqued = list(before), self.critiqued
        due = self.successes_due(pool)
        pair = self.pair(pool)
        # At most two calls an episode: where a judge was asked, the rarer critique comes before the pair's.
        if pair is not None and not (due and self.judge.kind == "llm"):
            now = self.compare_pair(*pair, now)
        if due:
            now = self.compare_successes(due, now)
            critiqued = (*critiqued, *(one.episode for one in due))
        self.write(before, now)
        self.pool, self.critiqued = pool, critiqued

    def pair(self, pool: Pool) -> tuple[Episode, Episode] | None:
        """A success and a failure: the newest episode against the best of the opposite kind (the latest of equals)."""
        newest, label = pool.episodes[-1], pool.labels()[-1]
        opposite = pool.of(not label) if label is not None else []
        if not opposite:
            return None
        best = max(opposite, key=lambda one: (one.score or 0.0, one.episode))
        return (newest, best) if label else (best, newest)

    def successes_due(self, pool: Pool) -> list[Episode]:
        """The successes to critique together: a whole batch, or at the end of the trial those left."""
        left = [one for one in pool.of(True) if one.episode not in self.critiqued]
        last = pool.episodes[-1].episode >= self.planned
        return left if left and (last or len(left) >= self.success_batch) else []

    def compare_pair(self, success: Episode, failure: Episode, insights: Sequence[Insight]) -> list[Insight]:
        """The list after the critique of a success and a failure."""
        from evoplay.methods.signatures.expel import ComparePair

        half = self.reading_tokens // 2
        told: dict[str, Any] = {
            "success": transcript([success], self.planned, half),
            "failure": transcript([failure], self.planned, half),
        }
        return self.critique(ComparePair, told, [success, failure], insights)

    def compare_successes(self, successes: Sequence[Episode], insights: Sequence[Insight]) -> list[Insight]:
        """The list after the critique of several successes."""
        from evoplay.methods.signatures.expel import CompareSuccesses

        told: dict[str, Any] = {"successes": transcript(successes, self.planned, self.reading_tokens)}
        return self.critique(CompareSuccesses, told, successes, insights)

    def critique(
        self, signature: Any, told: dict[str, Any], episodes: Sequence[Episode], insights: Sequence[Insight]
    ) -> list[Insight]:
        """Ask for operations on the list and apply them."""
        if not any(one.steps for one in episodes):
            return list(insights)
        said = self.services.structured.ask(
            signature,
            purpose="insight",
            insights=numbered(insight.text for insight in insights) or "(none so far)",
            room=FULL if is_full(insights, self.max_insights) else ROOM,
            **told,
        )
        operations = [(one, evidence(one.steps.root, episodes)) for one in said.operations]
        return voted(insights, operations, self.max_insights)

    # --- the list, as it stands in the store ------------------------------------------------------------------

    def insights(self) -> list[Insight]:
        """The insights, those with the most agreement first, of equals the older."""
        claims = sorted(self.services.store.claims(KIND, status="active"), key=lambda claim: -claim.data["count"])
        return [Insight(one.text, one.data["count"], one.id, one.supports, one.contradicts) for one in claims]

    def write(self, before: Sequence[Insight], now: Sequence[Insight]) -> None:
        """Bring the store to the list as it is now."""
        store = self.services.store
        old, left = {insight.claim: insight for insight in before}, {insight.claim for insight in now}
        with store.atomic():
            for insight in before:
                if insight.claim not in left:
                    store.retract(insight.claim, "voted out")
            for insight in now:
                told: dict[str, Any] = {"text": insight.text, "data": {"count": insight.count}}
                told |= {"supports": insight.supports, "contradicts": insight.contradicts}
                if not insight.claim:
                    store.claim(kind=KIND, **told)
                elif insight != old[insight.claim]:
                    store.revise(insight.claim, **told)

    def rules(self) -> Sequence[Claim]:
        return [self.services.store.get(insight.claim) for insight in self.insights()]

    def plant(self, statement: Statement) -> Claim:
        store = self.services.store
        supports = store.latest(statement.action, 1)
        return store.claim(kind=KIND, supports=supports, data={"count": ADDED}, **asdict(statement))

    def state(self) -> dict[str, Any]:
        return {**super().state(), "critiqued": list(self.critiqued)}

    def restore(self, state: Any, episodes: Sequence[Episode]) -> None:
        super().restore(state, episodes)
        self.critiqued = tuple(state.get("critiqued", ()))
