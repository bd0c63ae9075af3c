"""What a method is: the hooks, what they are given, and what they give back.

A method decides one thing: what of past episodes reaches the next prompt. It never drives an environment, never
builds a whole prompt and never calls a model directly; the loop, the actor and the services it is given do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from evoplay.memory.blocks import Block
from evoplay.memory.claims import Claim, Statement
from evoplay.memory.records import Episode, Step

if TYPE_CHECKING:
    from evoplay.methods.services import Services


class MethodError(ValueError):
    """A method or an option that cannot be used; the message names it, what was expected and the fix."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is known when an episode begins.

    opening : the opening observation. episode, episodes : t of T, from 1. budget_tokens : what a prompt may hold.
    """

    opening: str
    episode: int
    episodes: int
    budget_tokens: int


@dataclass(frozen=True, slots=True)
class View:
    """What is known when an action is due: the task, this episode's past steps, and the present observation.

    `score` is the visible one (None where the game does not show it); `step` counts from 1; `max_steps` is the cap.
    """

    task: Task
    steps: Sequence[Step]
    observation: str
    valid_actions: tuple[str, ...]
    score: float | None
    step: int
    max_steps: int


@dataclass(frozen=True, slots=True)
class Context:
    """What a method adds to the prompt, in the order it will stand there.

    guidance : derived advice, before everything else. history : past episodes, before the present one.
    hints : what is fetched for this very step, after the present episode's steps.
    """

    guidance: Sequence[Block] = ()
    history: Sequence[Block] = ()
    hints: Sequence[Block] = ()


EMPTY = Context()


@dataclass(frozen=True, slots=True)
class Option:
    """One constructor option of a method as users see it: name, default, meaning."""

    name: str
    default: Any
    meaning: str = ""


class Method:
    """Base of all methods: up to four hooks, settings in the constructor, state as plain data.

    Class attributes
    ----------------
    name : how users ask for it. carries : one line, what it carries over. paper : where it comes from.
    needs : texts the runner has to supply as constructor arguments of the same name ("rules", "other_history").
    """

    name: ClassVar[str]
    carries: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()

    services: Services
    frozen: bool = False
    """Set by the loop under `--freeze-after`: nothing may be learned any more."""
    planned: int = 1
    """Set by the loop before anything else: how many episodes the trial has."""
    budget_tokens: int = 0
    """Likewise: what a prompt may hold, 0 for no limit."""
    rollouts: int = 1
    """How many times each episode is played; of several, `choose` picks the one that is kept as the episode."""
    rolled_out: Sequence[Episode] = ()
    """Set by the loop before `end_episode` where an episode was played several times: all that did not fail."""

    @classmethod
    def needed(cls, options: Mapping[str, Any]) -> Sequence[str]:
        """Which of `needs` have to be supplied with these options."""
        return cls.needs

    @property
    def reading_tokens(self) -> int:
        """What the transcripts in one structured call may take, 0 for no limit: the rest is for what is asked."""
        return self.budget_tokens * 3 // 4

    @property
    def guidance_tokens(self) -> int:
        """What derived texts may take in a prompt, 0 for no limit: the actor drops history, never guidance."""
        return self.budget_tokens // 4

    def attach(self, services: Services) -> None:
        """Called once before the trial with the model, the evidence store and the event sink."""
        self.services = services

    def begin_episode(self, task: Task) -> None:
        """An episode is about to begin."""

    def context(self, view: View) -> Context:
        """What stands in the prompt for the next action besides the present episode."""
        return EMPTY

    def observe(self, step: Step) -> None:
        """A step has been made."""

    def end_episode(self, episode: Episode) -> None:
        """An episode is over (never called for a failed one). Model calls belong here."""

    def choose(self, rollouts: Sequence[Episode]) -> int:
        """Which of several rollouts of the same episode is kept, from 0. A model call belongs here."""
        return 0

    def state(self) -> Mapping[str, Any]:
        """What was learned, as JSON data; written to the run log after every episode."""
        return {}

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        """Go on after `episodes` with the `state` that was logged after the last of them."""

    # --- for analysis; methods without rules of their own leave these as they are -------------------------------

    def rules(self) -> Sequence[Claim] | None:
        """The claims now held as rules; None for a method that holds no such thing."""
        return None

    def shown_rules(self) -> Sequence[Claim]:
        """The claims that prompts of the episode in hand showed as rules (asked before `end_episode`)."""
        return self.rules() or ()

    def plant(self, statement: Statement) -> Claim:
        """Hold a statement as if it had been learned, in the form and the place of a rule; the claim it became.

        Called between two episodes, after `end_episode`. The evidence store wants evidence: link it to
        `store.latest(statement.action, count)`.
        """
        raise MethodError(f"method '{self.name}' holds no rules: nothing can be planted in it")


@dataclass(slots=True)
class Success:
    """Which past episodes count as successes (by score: at least the best of the earlier ones, and above 0).

    The first episode is labelled in retrospect, when the second is over: a success if no later score was better.
    """

    scores: list[float] = field(default_factory=list)

    def add(self, score: float) -> bool:
        """Record a final score; whether it is a success seen from now."""
        best = max(self.scores, default=None)
        self.scores.append(score)
        return score > 0 and (best is None or score >= best)

    def labels(self) -> list[bool | None]:
        """The label of every recorded episode; the first has none (None) until there is a second."""
        out: list[bool | None] = []
        for at, score in enumerate(self.scores):
            if at == 0:
                out.append(None if len(self.scores) == 1 else score > 0 and score >= self.scores[1])
            else:
                out.append(score > 0 and score >= max(self.scores[:at]))
        return out
