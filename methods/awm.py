"""awm carries over induced workflows: sub-routines of successful episodes, with what varies in them as variables.

Wang et al. 2024, «Agent Workflow Memory», arXiv:2409.07429; the online variant.

After each episode judged a success (the first one in retrospect) the backbone induces workflows from all successful
episodes so far, invalid steps removed, one for each distinct sequence of actions. The new list replaces the old one,
only if it parses.

Settings
--------
judge : what a success is: "score", "llm", or "reference" (for analysis only).

Calls: 1 an episode with a success (`induce`), and with judge="llm" 1 an episode (`judge`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evoplay.memory.claims import Claim
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Task, View
from evoplay.methods.guidance import listed
from evoplay.methods.pool import Judged, Pool, ReferenceOf
from evoplay.methods.transcripts import evidence, transcript

if TYPE_CHECKING:
    from evoplay.methods.signatures.awm import Workflow

KIND = "workflow"
HEADING = "Workflows that succeeded in earlier episodes:"


class Awm(Judged):
    """Workflows induced from successes."""

    name = "awm"
    carries = "induced workflows"
    paper = "Wang et al. 2024, arXiv:2409.07429"

    def __init__(self, judge: str = "score", reference_of: ReferenceOf | None = None) -> None:
        super().__init__(judge, reference_of)
        self.shown = Context()

    def begin_episode(self, task: Task) -> None:
        self.shown = Context(guidance=listed(HEADING, [claim.text for claim in self.workflows()], self.guidance_tokens))

    def context(self, view: View) -> Context:
        return self.shown

    def end_episode(self, episode: Episode) -> None:
        pool = self.labelled(episode)
        if any(success for _, success in pool.newly_labelled()):
            sources = distinct(pool)
            if sources:
                self.replace(self.induce(sources), sources)
        self.pool = pool

    def induce(self, episodes: Sequence[Episode]) -> list[Workflow]:
        """The workflows of some episodes."""
        from evoplay.methods.signatures.awm import Induce

        text = transcript(episodes, self.planned, self.reading_tokens)
        said = self.services.structured.ask(Induce, purpose="induce", episodes=text)
        workflows: list[Workflow] = said.workflows.root
        return workflows

    def replace(self, workflows: Sequence[Workflow], sources: Sequence[Episode]) -> None:
        """Put new workflows in the place of the old ones; one that is word for word the same stays."""
        store, old = self.services.store, self.workflows()
        new = {written(one): evidence(one.steps.root, sources) for one in workflows}
        with store.atomic():
            for claim in old:
                if claim.text not in new:
                    store.retract(claim.id, "replaced by newly induced workflows")
            for text, supports in new.items():
                same = next((claim for claim in old if claim.text == text), None)
                if same is not None:
                    store.support(same.id, supports)
                else:
                    store.claim(kind=KIND, text=text, supports=supports)

    def workflows(self) -> list[Claim]:
        """The workflows now held, in the order they were first induced."""
        return self.services.store.claims(KIND, status="active")


def distinct(pool: Pool) -> list[Episode]:
    """The successful episodes without the steps the game refused, the latest of those with the same actions."""
    valid = [replace(one, steps=tuple(step for step in one.steps if step.accepted)) for one in pool.of(True)]
    latest = {tuple(one.actions): one for one in valid if one.steps}
    return sorted(latest.values(), key=lambda one: one.episode)


def written(workflow: Workflow) -> str:
    """A workflow as it stands in the prompt: its description, then its actions, one a line."""
    actions = [" ".join(action.split()) for action in workflow.actions if action.strip()]
    return "\n".join((" ".join(workflow.description.split()), *(f"-> {action}" for action in actions)))
