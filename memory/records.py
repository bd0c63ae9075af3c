"""What is remembered of play: the full record (for logs, metrics and graders) and the views methods may see.

A record holds everything that happened, the true score included. A view holds only what a player could know: visible
scores, observations in their retained form, and the final score once the episode has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


def step_id(cell: str, episode: int, step: int) -> str:
    """The id of a step, `cell/e03/s017`; episodes and steps are counted from 1."""
    return f"{cell}/e{episode:02d}/s{step:03d}"


@dataclass(slots=True)
class StepRecord:
    """One action and what it led to.

    Parameters
    ----------
    id : `cell/e03/s017`.
    episode, step : numbers from 1.
    observation : what the player saw before acting.
    valid_actions : the actions listed with it.
    reply : the backbone's raw reply; `action` is what was given to the environment.
    outcome : the observation after the action.
    accepted : whether the environment took the action as legal.
    score_before, score_after : true scores; visible_before, visible_after : as far as the text shows them, else None.
    done : the episode ended with this step.
    retained : what later prompts show in place of this step; outcome_retained : likewise of the outcome.
    seconds : wall time of the backbone's call and of the environment's step.
    call : number of the backbone call in the trial's log; notes : remarks of the parser.
    info : facts the environment gave for analysis with the outcome.
    """

    id: str
    episode: int
    step: int
    observation: str
    valid_actions: tuple[str, ...]
    reply: str
    action: str
    outcome: str
    accepted: bool
    score_before: float
    score_after: float
    visible_before: float | None
    visible_after: float | None
    done: bool
    retained: str | None = None
    outcome_retained: str | None = None
    seconds: tuple[float, float] = (0.0, 0.0)
    call: int | None = None
    notes: tuple[str, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)

    def view(self) -> Step:
        """What a method may see of this step once it is past."""
        masked = self.retained is not None
        return Step(
            id=self.id,
            episode=self.episode,
            step=self.step,
            observation=self.observation if self.retained is None else self.retained,
            valid_actions=() if masked else self.valid_actions,
            reply="" if masked else self.reply,
            action="" if masked else self.action,
            outcome=self.outcome if self.outcome_retained is None else self.outcome_retained,
            accepted=self.accepted,
            score_before=self.visible_before,
            score_after=self.visible_after,
            done=self.done,
            masked=masked,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A past step as methods see it; scores are the visible ones. `masked`: `observation` stands for all of it."""

    id: str
    episode: int
    step: int
    observation: str
    valid_actions: tuple[str, ...]
    reply: str
    action: str
    outcome: str
    accepted: bool
    score_before: float | None
    score_after: float | None
    done: bool
    masked: bool = False

    @property
    def gain(self) -> float:
        """Change of the visible score; 0 where either side is not shown."""
        if self.score_before is None or self.score_after is None:
            return 0.0
        return self.score_after - self.score_before


@dataclass(frozen=True, slots=True)
class AsideRecord:
    """A question the environment asked outside the episode; `reply` is None where the call failed."""

    id: str
    episode: int
    step: int
    question: str
    reply: str | None


@dataclass(slots=True)
class EpisodeRecord:
    """A whole episode. `score` is the final raw score, None where the episode failed.

    `opening` and `closing` are the first and last observations; `capped` says that the step limit settled it, `left`
    that finish() was called; `error` is why it failed. `instance` is the episode whose instance was played.
    """

    episode: int
    opening: str
    steps: list[StepRecord] = field(default_factory=list)
    score: float | None = None
    closing: str = ""
    capped: bool = False
    left: bool = False
    error: str | None = None
    opening_retained: str | None = None
    seconds: float = 0.0
    asides: list[AsideRecord] = field(default_factory=list)

    @property
    def actions(self) -> list[str]:
        return [step.action for step in self.steps]

    def view(self) -> Episode:
        """What a method may see of this episode once it is over."""
        return Episode(
            episode=self.episode,
            opening=self.opening if self.opening_retained is None else self.opening_retained,
            steps=tuple(step.view() for step in self.steps),
            score=self.score,
            closing=self.closing,
        )


@dataclass(frozen=True, slots=True)
class Episode:
    """A finished episode as methods see it; `score` is its final score, None where the episode failed."""

    episode: int
    opening: str
    steps: tuple[Step, ...]
    score: float | None
    closing: str = ""

    @property
    def actions(self) -> list[str]:
        return [step.action for step in self.steps]


@dataclass(slots=True)
class TrialRecord:
    """All episodes of one trial on one environment: what metrics and graders read."""

    env_id: str
    seed: int
    episodes: Sequence[EpisodeRecord]
    episode_mode: str = "reshuffled"
    cell: str = ""
