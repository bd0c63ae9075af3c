"""reflexion carries over the last 3 verbal reflections: after each episode the backbone writes a new plan.

Shinn et al. 2023, «Reflexion: Language Agents with Verbal Reinforcement Learning», arXiv:2303.11366.

Settings
--------
window : how many reflections stand in the prompt, and how many earlier plans the backbone sees (3).
reflect_on : "all" episodes (default: a scored game has no failure flag) or only a "failure" by score; the first
    episode's label is known when the second is over, and its reflection is made then.

Calls: 1 an episode (`reflect`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evoplay.memory.claims import Claim, Statement
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Method, Task, View
from evoplay.methods.guidance import listed
from evoplay.methods.options import one_of, whole
from evoplay.methods.pool import Pool
from evoplay.methods.transcripts import evidence, transcript

KIND = "reflection"
HEADING = "Your plans from reflecting on earlier episodes, oldest first:"


class Reflexion(Method):
    """Plans made by reflecting on each episode, in a sliding window."""

    name = "reflexion"
    carries = "the last 3 verbal reflections"
    paper = "Shinn et al. 2023, arXiv:2303.11366"

    def __init__(self, window: int = 3, reflect_on: str = "all") -> None:
        self.window = whole(self.name, "window", window)
        self.reflect_on = one_of(self.name, "reflect_on", reflect_on, ("all", "failure"))
        self.pool = Pool()
        self.shown = Context()

    def begin_episode(self, task: Task) -> None:
        self.shown = Context(guidance=listed(HEADING, [claim.text for claim in self.held()], self.guidance_tokens))

    def context(self, view: View) -> Context:
        return self.shown

    def end_episode(self, episode: Episode) -> None:
        self.services.store.add_steps(episode.steps)
        pool = self.pool.grown(episode)
        about = self.to_reflect_on(pool)
        if about is not None and about.steps:
            self.reflect(about)
        self.pool = pool

    def to_reflect_on(self, pool: Pool) -> Episode | None:
        """The episode whose turn it is: the last one, or one that has just turned out a failure."""
        if self.reflect_on == "all":
            return pool.episodes[-1]
        failed = [episode for episode, success in pool.newly_labelled() if not success]
        return failed[-1] if failed else None

    def reflect(self, episode: Episode) -> None:
        """Ask for the mistake and a new plan, and hold the plan."""
        from evoplay.methods.signatures.reflexion import Reflect

        said = self.services.structured.ask(
            Reflect,
            purpose="reflect",
            transcript=transcript([episode], self.planned, self.reading_tokens),
            plans=[claim.text for claim in self.held()],
        )
        if said.plan.strip():
            self.hold(evidence(said.steps.root, [episode]), text=said.plan.strip())

    def held(self) -> list[Claim]:
        """The reflections in the window, oldest first."""
        return self.services.store.claims(KIND, status="active")[-self.window :]

    def hold(self, supports: Sequence[str], **said: Any) -> Claim:
        """Put a reflection into the window; the one that leaves it is held no longer."""
        store, held = self.services.store, self.held()
        with store.atomic():
            for claim in held[: len(held) + 1 - self.window]:
                store.retract(claim.id, f"left the window of {self.window} reflections")
            return store.claim(kind=KIND, supports=supports, **said)

    def rules(self) -> Sequence[Claim]:
        return self.held()

    def plant(self, statement: Statement) -> Claim:
        return self.hold(self.services.store.latest(statement.action, 1), **asdict(statement))

    def state(self) -> Mapping[str, Any]:
        return self.pool.state()

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.pool = Pool.restored(state, episodes)
