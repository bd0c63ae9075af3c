"""reasoningbank carries over distilled memory items: those of the past experience most like the present episode.

Ouyang et al. 2025, «ReasoningBank: Scaling Agent Self-Evolving with Reasoning Memory», arXiv:2509.25140.

After each episode: success or failure; from a success why it worked, from a failure what would prevent it, as at most 3
items (title, description, content), which are appended. Before each episode the k experiences whose opening observation
is most similar are looked up, and their items stand in the prompt.

Settings
--------
k : how many experiences are looked up (1). max_items : how many items an experience gives at most (3).
matts_k : more than 1 runs memory-aware test-time scaling: so many rollouts of each episode on clones of the
    environment, the best by self-judgement is the episode, and items are extracted by contrast among all of them (1).
judge : what a success is: "score", "llm", or "reference" (for analysis only).

Calls: 2 an episode at most: `extract`, and `judge` with judge="llm" or several rollouts. By score the first episode's
label is known when the second is over, and both have their extraction then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evoplay.memory.claims import Claim, Statement
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Task, View
from evoplay.methods.guidance import listed
from evoplay.methods.options import whole
from evoplay.methods.pool import Judged, ReferenceOf
from evoplay.methods.similar import most_similar
from evoplay.methods.transcripts import evidence, transcript

if TYPE_CHECKING:
    from evoplay.methods.signatures.reasoningbank import Item

KIND = "item"
HEADING = "Memory items from the most relevant past experience:"


class ReasoningBank(Judged):
    """A bank of memory items, looked up by similarity."""

    name = "reasoningbank"
    carries = "the most relevant distilled memory items"
    paper = "Ouyang et al. 2025, arXiv:2509.25140"

    def __init__(
        self,
        k: int = 1,
        max_items: int = 3,
        matts_k: int = 1,
        judge: str = "score",
        reference_of: ReferenceOf | None = None,
    ) -> None:
        super().__init__(judge, reference_of)
        self.k = whole(self.name, "k", k, 0)
        self.max_items = whole(self.name, "max_items", max_items)
        self.rollouts = whole(self.name, "matts_k", matts_k)
        self.relevant: list[Claim] = []
        self.shown = Context()

    # --- what reaches the prompt ------------------------------------------------------------------------------

    def begin_episode(self, task: Task) -> None:
        self.relevant = self.lookup(task.opening)
        self.shown = Context(guidance=listed(HEADING, [claim.text for claim in self.relevant], self.guidance_tokens))

    def context(self, view: View) -> Context:
        return self.shown

    def lookup(self, opening: str) -> list[Claim]:
        """The items of the k experiences most similar to an opening observation (the latest of equals first)."""
        experiences: dict[int, list[Claim]] = {}
        for claim in self.rules():
            experiences.setdefault(claim.data["episode"], []).append(claim)
        groups = list(experiences.values())
        near = most_similar(self.services.store, opening, groups, [group[0].key for group in groups], self.k)
        return [claim for group in near for claim in group]

    # --- what is learned --------------------------------------------------------------------------------------

    def choose(self, rollouts: Sequence[Episode]) -> int:
        """The best of several rollouts by self-judgement. Raises StructuredFailed for one that does not exist."""
        from evoplay.methods.signatures.reasoningbank import Best
        from evoplay.methods.structured import StructuredFailed

        share = self.reading_tokens // len(rollouts)
        tries = [f"Try {at}\n{self.told(one, share, False)}" for at, one in enumerate(rollouts, start=1)]
        said = self.services.structured.ask(Best, purpose="judge", tries="\n\n".join(tries))
        if not 1 <= said.best <= len(rollouts):
            raise StructuredFailed("judge", f"there is no try {said.best} among {len(rollouts)}", str(said.best))
        return int(said.best) - 1

    def end_episode(self, episode: Episode) -> None:
        if len(self.rolled_out) > 1:
            self.services.store.add_steps(episode.steps)
            pool = self.pool.grown(episode)
            extracted = [(episode, self.from_rollouts(episode))]
        else:
            pool = self.labelled(episode)
            extracted = [(one, self.from_one(one, success)) for one, success in pool.newly_labelled()]
        store = self.services.store
        with store.atomic():
            for one, items in extracted:
                for item in items[: self.max_items]:
                    text = written(item)
                    if text and one.steps:
                        links = evidence(item.steps.root, [one])
                        store.claim(
                            kind=KIND, text=text, supports=links, key=one.opening, data={"episode": one.episode}
                        )
        self.pool = pool

    def from_one(self, episode: Episode, success: bool) -> list[Item]:
        """The items of a success, or of a failure."""
        from evoplay.methods.signatures.reasoningbank import FromFailure, FromSuccess

        signature = FromSuccess if success else FromFailure
        return self.ask(signature, transcript=self.told(episode, self.reading_tokens))

    def from_rollouts(self, kept: Episode) -> list[Item]:
        """The items of a comparison. Only the kept rollout is in the record, so only its steps have labels."""
        from evoplay.methods.signatures.reasoningbank import ByContrast

        others = [one for one in self.rolled_out if one != kept]
        share = self.reading_tokens // max(len(self.rolled_out), 1)
        texts = [self.told(one, share, False) for one in others]
        return self.ask(ByContrast, kept=self.told(kept, share), others="\n\n".join(texts) or "(all were the same)")

    def ask(self, signature: Any, **told: Any) -> list[Item]:
        """A call of the extraction."""
        items: list[Item] = self.services.structured.ask(signature, purpose="extract", **told).memory_items
        return items

    def told(self, episode: Episode, budget_tokens: int, labels: bool = True) -> str:
        """An episode as text."""
        return transcript([episode], self.planned, budget_tokens, labels=labels)

    # --- for analysis -----------------------------------------------------------------------------------------

    def rules(self) -> Sequence[Claim]:
        return self.services.store.claims(KIND, status="active")

    def shown_rules(self) -> Sequence[Claim]:
        return self.relevant

    def plant(self, statement: Statement) -> Claim:
        """The statement becomes an item of the latest experience."""
        store = self.services.store
        bank = self.rules()
        key, number = (bank[-1].key, bank[-1].data["episode"]) if bank else (store.steps[0].observation, 0)
        links: dict[str, Any] = {"supports": store.latest(statement.action, 1), "key": key, "data": {"episode": number}}
        return store.claim(kind=KIND, **links, **asdict(statement))


def written(item: Item) -> str:
    """An item as it stands in the prompt; empty if it says nothing."""
    title, description, content = (" ".join(part.split()) for part in (item.title, item.description, item.content))
    return "\n".join(part for part in (title, description, content) if part) if content else ""
