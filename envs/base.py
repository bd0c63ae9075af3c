"""What an environment is: the contracts every game, suite and user's own environment keeps.

Nothing here knows of agents, prompts, methods or logs. An environment takes strings and gives strings, is
deterministic in (seed, episode, actions), owns its random generator, never reads the clock and can be cloned.
"""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

Kind = Literal["fixed", "reshuffled"]
Evidence = Literal["exact", "partial", "estimated"]
EpisodeMode = Literal["reshuffled", "control"]
EPISODE_MODES: tuple[EpisodeMode, ...] = ("reshuffled", "control")


class EnvError(ValueError):
    """A wrong use of an environment; the message names the value, what was expected and the fix."""


class NoReference(LookupError):
    """The reference score of this seed cannot be computed here, and none is guessed."""


@dataclass(frozen=True, slots=True)
class EnvSpec:
    """What is known of an environment without playing it.

    Parameters
    ----------
    id : registry id, `suite/name`.
    title : the name a person reads.
    suite : the benchmark it belongs to.
    kind : "fixed" (every episode is the same instance) or "reshuffled" (the instance changes with the episode).
    challenge : a challenge game weighs 3 in aggregates and is played for 10 episodes.
    episodes : episodes of a trial by the published protocol.
    max_steps : steps after which the loop settles an episode (three times the solver's longest line, at least 60).
    seed : the official seed.
    summary : one line for lists.
    about : one paragraph for documents; reveals no hidden rule.
    languages : language codes of the texts.
    rules_version : raised when a change of rules would change a score; runs of different versions are not merged.
    """

    id: str
    title: str
    suite: str
    kind: Kind
    challenge: bool
    episodes: int
    max_steps: int
    seed: int
    summary: str
    about: str = ""
    languages: tuple[str, ...] = ("en",)
    rules_version: int = 1


@dataclass(frozen=True, slots=True)
class Aside:
    """A question the environment asks outside the episode.

    The loop asks it on a copy of the context and hands the reply to `Env.answer`; it never enters later prompts.
    """

    id: str
    question: str


@dataclass(frozen=True, slots=True)
class Observation:
    """What the player sees after `reset`, `step` or `finish`.

    Parameters
    ----------
    text : what the player reads.
    valid_actions : the listed actions, in the order the rules give; the env may accept more than it lists.
    accepted : whether the last action was legal (True after a reset).
    score : the true score at this moment, for metrics only.
    visible_score : the score as far as the texts have shown it, else None; all that prompts and methods see.
    done : the episode is over.
    retained : when set, what every later prompt shows in place of the whole step that answers this observation
        (observation, reply and action).
    asides : questions to ask outside the episode, before the next action.
    glosses : English meaning of listed actions whose identifier is not English.
    info : facts for analysis (never shown to a method).
    """

    text: str
    valid_actions: tuple[str, ...] = ()
    accepted: bool = True
    score: float = 0
    visible_score: float | None = None
    done: bool = False
    retained: str | None = None
    asides: tuple[Aside, ...] = ()
    glosses: Mapping[str, str] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """The score that normalises an episode: `value` in raw points, how sure it is, and how it was found."""

    value: float
    evidence: Evidence
    how: str


class Player(Protocol):
    """A reference agent that needs no language model: it reads a prompt's text as a model would."""

    def act(self, text: str, rng: random.Random) -> str:
        """The next action."""

    def assess(self, text: str, rng: random.Random) -> str:
        """The answer to a question outside the episode."""


class Env(ABC):
    """One environment, one seed. `reset(t)` gives exactly episode t, whatever was played before.

    Subclasses set `spec` and take `seed` (None: the official one) as first constructor argument.
    """

    spec: ClassVar[EnvSpec]
    seed: int
    tools: Sequence[Mapping[str, Any]] = ()
    """JSON schemas of the actions as callable tools, for backbones with tool calling (none: text actions only)."""

    @abstractmethod
    def reset(self, episode: int = 1) -> Observation:
        """Start episode `episode` (from 1) and give its opening observation."""

    @abstractmethod
    def step(self, action: str) -> Observation:
        """Play one action. An illegal one is answered, never raised; anything but a string is a TypeError."""

    @abstractmethod
    def finish(self) -> Observation:
        """Settle the episode as if the player left now; the observation is done and carries the final score."""

    @abstractmethod
    def reference(self, episode: int = 1) -> Reference:
        """Reference score of an episode. Raises NoReference where none can be had for this seed."""

    def solution(self, episode: int = 1) -> Sequence[str] | None:
        """The solver's action line for an episode from its start, or None where the solver builds no line."""
        return None

    def answer(self, aside: str, reply: str) -> None:
        """Take the reply to the aside with this id."""
        raise EnvError(f"{self.spec.id} asked nothing: there is no aside '{aside}'")

    def tool_action(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text action that a tool call stands for."""
        raise EnvError(f"{self.spec.id} offers no tools: there is no tool '{name}'")

    def player(self, name: str) -> Player | None:
        """The reference agent of this name, or None where the environment has none."""
        return None

    def clone(self) -> Env:
        """An independent copy that goes on exactly as this one would."""
        return copy.deepcopy(self)


def check_seed(seed: object, official: int) -> int:
    """The seed to use: the official one for None, else an int. Raises EnvError for anything else (bool included)."""
    if seed is None:
        return official
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise EnvError(
            f"seed {seed!r} is not an integer: give a whole number, or none for the official one ({official})"
        )
    return seed


def check_episode(episode: object) -> int:
    """An episode number, counted from 1. Raises EnvError otherwise."""
    if isinstance(episode, bool) or not isinstance(episode, int) or episode < 1:
        raise EnvError(f"episode {episode!r} is not a whole number from 1 up: episodes are counted from 1")
    return episode


def check_mode(mode: object) -> EpisodeMode:
    """An episode mode. Raises EnvError naming the two there are."""
    for known in EPISODE_MODES:
        if mode == known:
            return known
    raise EnvError(f"episode_mode {mode!r} is unknown: use one of {', '.join(EPISODE_MODES)}")
