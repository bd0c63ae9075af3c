"""Runs of the simulated learner for its tests: trials, slopes, and wrappers that rename, reword or replace."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evoplay.envs import make
from evoplay.envs.base import Env, Observation, Reference
from evoplay.evaluation.loop import Trial, run_trial
from evoplay.evaluation.recorder import Recorder
from evoplay.evaluation.seeds import SeedOf
from evoplay.memory.records import Episode, EpisodeRecord
from evoplay.methods.backbones.base import Backbone, Completion, Message
from evoplay.methods.backbones.sim import SimLearner
from evoplay.methods.base import Method
from evoplay.methods.memory import Memory

RUN_SEED = 101


def play(
    env: Env | str, method: Method, backbone: Backbone, *, trial: int = 0, episodes: int = 5, run_seed: int = RUN_SEED
) -> list[EpisodeRecord]:
    """One trial; what depends on chance depends on run seed and trial only."""
    return run_trial(
        Trial(
            env=make(env) if isinstance(env, str) else env,
            method=method,
            backbone=backbone.for_trial(),
            cell=f"cell/{trial}",
            episodes=episodes,
            seed_of=SeedOf(run_seed, f"cell/{trial}"),
            recorder=Recorder(lambda events: None),
        )
    )


def scores(records: Sequence[EpisodeRecord]) -> list[float]:
    assert all(record.error is None for record in records)
    return [float(record.score or 0) for record in records]


def level(env: str, method: Callable[[int], Method], backbone: Backbone, *, trials: int, episodes: int) -> float:
    """Mean score of the episodes after the first, over some trials."""
    found = [scores(play(env, method(n), backbone, trial=n, episodes=episodes))[1:] for n in range(trials)]
    return sum(map(sum, found)) / sum(map(len, found))


class Renamed(Env):
    """Another game with every word of its texts and actions replaced, one to one; numbers and marks stay."""

    def __init__(self, inner: Env, seed: int) -> None:
        self.inner, self.seed = inner, inner.seed
        self.spec = inner.spec
        self._rng = random.Random(seed)
        self._new: dict[str, str] = {}
        self._old: dict[str, str] = {}

    def reset(self, episode: int = 1) -> Observation:
        return self._seen(self.inner.reset(episode))

    def step(self, action: str) -> Observation:
        return self._seen(self.inner.step(_WORD.sub(lambda word: self._old.get(word[0], word[0]), action)))

    def finish(self) -> Observation:
        return self._seen(self.inner.finish())

    def reference(self, episode: int = 1) -> Reference:
        return self.inner.reference(episode)

    def rename(self, text: str) -> str:
        return _WORD.sub(lambda word: self._word(word[0]), text)

    def _seen(self, observation: Observation) -> Observation:
        return replace(
            observation,
            text=self.rename(observation.text),
            valid_actions=tuple(self.rename(action) for action in observation.valid_actions),
        )

    def _word(self, word: str) -> str:
        low = word.lower()
        if low not in self._new:
            new = low
            while new in self._old or new == low:
                new = "".join(self._rng.choice("bcdfghjklmnpqrstvwxz") for _ in range(self._rng.randint(3, 9)))
            self._new[low], self._old[new] = new, low
        new = self._new[low]
        return new.capitalize() if word[0].isupper() else new


_WORD = re.compile(r"[^\W\d_]+")


class Reworded(Backbone):
    """A backbone that is shown the prompt under other headings."""

    simulated = True

    def __init__(self, inner: Backbone) -> None:
        self.name, self.inner = inner.name, inner

    def for_trial(self) -> Reworded:
        return Reworded(self.inner.for_trial())

    def complete(self, messages: Sequence[Message], **call: Any) -> Completion:
        return self.inner.complete([self._other(message) for message in messages], **call)

    @staticmethod
    def _other(message: Message) -> Message:
        stable, end = message.content[: message.cacheable], message.content[message.cacheable :]
        stable, end = reworded(stable), reworded(end)
        return Message(message.role, stable + end, len(stable))


_WORDINGS = (
    (re.compile(r"^=== Episode (\d+) of (\d+) ===$", re.MULTILINE), r"## Attempt \1 / \2"),
    (re.compile(r"^\[score (\S+) \((\S+)\)\]$", re.MULTILINE), r"[points now: \1, that is \2]"),
    (re.compile(r"^\[score (\S+)\]$", re.MULTILINE), r"[points now: \1]"),
    (re.compile(r"^\[end of episode, final score (\S+)\]$", re.MULTILINE), r"[attempt over with \1 points]"),
    (re.compile(r"^Actions to choose from:$", re.MULTILINE), r"What you can do:"),
    (
        re.compile(r"^This is step (\d+) of episode (\d+)\. What do you do\?$", re.MULTILINE),
        r"Attempt \2, move \1. Now?",
    ),
)


def reworded(text: str) -> str:
    for pattern, other in _WORDINGS:
        text = pattern.sub(other, text)
    return text


class Elsewhere(Memory):
    """Memory, but the history it shows is another trial's."""

    def __init__(self, others: Sequence[Episode]) -> None:
        super().__init__()
        self.others = others

    def end_episode(self, episode: Episode) -> None:
        super().end_episode(self.others[len(self.blocks)])


def elsewhere(env: str, env_seed: int, trial: int, episodes: int) -> Elsewhere:
    """Memory with the history of a trial on another seed of the game."""
    records = play(
        make(env, seed=env_seed), Memory(), SimLearner(), trial=trial, episodes=episodes, run_seed=RUN_SEED + 1
    )
    return Elsewhere([record.view() for record in records])
