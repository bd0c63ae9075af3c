"""The machinery all Learn2Play games share: resetting, stepping, settling, cloning, references.

A game is a subclass that holds its state in plain attributes and fills in the hooks; its rules are data tables and
pure functions of its own module, its sentences stand apart from both. No rule of any game lives here.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from evoplay.envs.base import (
    Env,
    EnvError,
    EpisodeMode,
    NoReference,
    Observation,
    Reference,
    check_episode,
    check_mode,
    check_seed,
)
from evoplay.envs.solutions import Solution, solution_for

LEFT = "You have left this game; it is over."
_ATOMS = (str, int, float, bool, bytes, type(None), frozenset)


class Reply(NamedTuple):
    """A game's answer to an action: the text, and whether the action was legal."""

    text: str
    accepted: bool = True


class Game(Env):
    """Base of the 20 games.

    Hooks: `build` (once, from the seed alone), `start` (an episode), `play` (an action), `valid`, `points`, `over`;
    where the game has them also `settle` (leaving early), `shown_points`, `gloss` and `solve`.

    `shared` names the attributes that never change after `build` (recipes, maps, tables): a clone keeps them by
    reference instead of copying them.
    """

    shared: ClassVar[tuple[str, ...]] = ()

    def __init__(self, seed: int | None = None, *, episode_mode: EpisodeMode = "reshuffled") -> None:
        self.seed = check_seed(seed, self.spec.seed)
        self.episode_mode = check_mode(episode_mode)
        self._started = False
        self._left = False
        self.build()

    # --- hooks ------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Draw what the seed alone decides. Called once, by the constructor."""

    @abstractmethod
    def start(self, episode: int) -> str:
        """Set up the state of this episode's instance (from 1) from scratch; give the opening text."""

    @abstractmethod
    def play(self, action: str) -> Reply:
        """Apply an action (any string, also after the end) and answer it."""

    @abstractmethod
    def valid(self) -> list[str]:
        """The listed actions at this moment, in the specified order (also after the end)."""

    @abstractmethod
    def points(self) -> float:
        """The raw score at this moment."""

    @abstractmethod
    def over(self) -> bool:
        """Whether the game itself has ended."""

    def settle(self) -> str:
        """The player leaves before the end: settle what the rules settle, give the closing text."""
        return LEFT

    def shown_points(self) -> float | None:
        """The score as far as the texts have shown it, else None."""
        return None

    def gloss(self, valid: list[str]) -> Mapping[str, str]:
        """English meaning of the listed actions whose identifier is not English."""
        return {}

    def solve(self, episode: int) -> Solution:
        """Run the specified solver for this episode's instance (no cache). Must not change the game's state."""
        raise NoReference(f"{self.spec.id} has no solver")

    # --- the contract -----------------------------------------------------------------------------------------

    def reset(self, episode: int = 1) -> Observation:
        text = self.start(self.instance(check_episode(episode)))
        self._started, self._left = True, False
        return self._observe(text, True)

    def step(self, action: str) -> Observation:
        if not isinstance(action, str):
            raise TypeError(f"an action is a string, not {type(action).__name__} ({action!r})")
        if not self._started:
            raise EnvError(f"{self.spec.id} has not been started: call reset(episode) before step(action)")
        if self._left:
            return self._observe(LEFT, False)
        text, accepted = self.play(action)
        return self._observe(text, accepted)

    def finish(self) -> Observation:
        if not self._started:
            raise EnvError(f"{self.spec.id} has not been started: call reset(episode) before finish()")
        text = LEFT if self._left or self.over() else self.settle()
        self._left = True
        return self._observe(text, True)

    def reference(self, episode: int = 1) -> Reference:
        found = self._solution(episode)
        return Reference(found.value, found.evidence, found.how)

    def solution(self, episode: int = 1) -> tuple[str, ...] | None:
        return self._solution(episode).actions

    def clone(self) -> Game:
        twin = object.__new__(type(self))
        mine, theirs = self.__dict__, twin.__dict__
        memo: dict[int, Any] = {}
        for name, value in mine.items():
            keep = name in self.shared or isinstance(value, _ATOMS)
            theirs[name] = value if keep else copy.deepcopy(value, memo)
        return twin

    def instance(self, episode: int) -> int:
        """The episode whose instance is played: always the first under "control" and in fixed games."""
        return 1 if self.spec.kind == "fixed" or self.episode_mode == "control" else episode

    # --- inner ------------------------------------------------------------------------------------------------

    def _solution(self, episode: int) -> Solution:
        instance = self.instance(check_episode(episode))
        return solution_for(self.spec, self.seed, instance, lambda: self.solve(instance))

    def _observe(self, text: str, accepted: bool) -> Observation:
        valid = [] if self._left else self.valid()
        return Observation(
            text=text,
            valid_actions=tuple(valid),
            accepted=accepted,
            score=self.points(),
            visible_score=self.shown_points(),
            done=self._left or self.over(),
            glosses=self.gloss(valid),
        )
