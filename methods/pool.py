"""The episodes a method has taken in, with their success labels: what the published methods call «success».

Not visible to the agent in a scored game, so the default label comes from the scores alone (`methods.base.Success`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evoplay.memory.records import Episode
from evoplay.methods.base import Method, MethodError, Success
from evoplay.methods.options import one_of
from evoplay.methods.transcripts import transcript

JUDGES = ("score", "llm", "reference")
"""Who says what a success is: the trial's own scores, the backbone, or (for analysis only) the reference score."""
REACHED = 90.0
"""Per cent of the reference score that count as a success under `judge="reference"`."""
ReferenceOf = Callable[[int], float | None]
"""The reference score of an episode, None where there is none."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Episodes in the order they were taken in; `said` are a judge's labels, one each, or none for labels by score."""

    episodes: tuple[Episode, ...] = ()
    said: tuple[bool, ...] = ()

    def grown(self, episode: Episode, said: bool | None = None) -> Pool:
        """The pool with one more episode."""
        return Pool((*self.episodes, episode), self.said if said is None else (*self.said, said))

    def labels(self) -> list[bool | None]:
        """Success or not of each episode, None while it cannot be said."""
        if self.said:
            return list(self.said)
        success = Success()
        for episode in self.episodes:
            success.add(episode.score or 0.0)
        return success.labels()

    def of(self, label: bool) -> list[Episode]:
        """The successes, or the failures, in order."""
        return [episode for episode, one in zip(self.episodes, self.labels(), strict=True) if one is label]

    def newly_labelled(self) -> list[tuple[Episode, bool]]:
        """Episodes whose label became known with the last one: the last one, and before it the first in retrospect."""
        labels = self.labels()
        before = Pool(self.episodes[:-1], self.said[:-1]).labels() if self.episodes else []
        known = zip(self.episodes, labels, [*before, None], strict=True)
        return [(episode, now) for episode, now, then in known if now is not None and then is None]

    def state(self) -> dict[str, Any]:
        """What was taken in, as JSON data."""
        return {"taken": [episode.episode for episode in self.episodes], "said": list(self.said)}

    @classmethod
    def restored(cls, state: Mapping[str, Any], episodes: Sequence[Episode]) -> Pool:
        """The pool of a `state`, from the episodes played."""
        taken = set(state.get("taken", ()))
        return cls(tuple(one for one in episodes if one.episode in taken), tuple(state.get("said", ())))


class Judge:
    """Labels an episode where the scores are not to. Raises MethodError for an unknown judge."""

    def __init__(self, method: str, judge: str, reference_of: ReferenceOf | None) -> None:
        self.kind = one_of(method, "judge", judge, JUDGES)
        if self.kind == "reference" and reference_of is None:
            raise MethodError(f"{method}: judge=reference needs the reference scores: give reference_of")
        self._reference_of = reference_of

    def label(self, method: Method, episode: Episode) -> bool | None:
        """Success or not; None where the scores say. `judge="llm"` is a call with the purpose `judge`."""
        if self.kind == "reference":
            assert self._reference_of is not None
            value = self._reference_of(episode.episode)
            return bool(value) and 100.0 * (episode.score or 0.0) / (value or 1.0) >= REACHED
        if self.kind == "llm":
            from evoplay.methods.signatures.judge import Judge as Asked

            text = transcript([episode], method.planned, method.reading_tokens)
            return bool(method.services.structured.ask(Asked, purpose="judge", transcript=text).success)
        return None


class Judged(Method):
    """Base of the methods that tell successes from failures: option `judge`, and the episodes taken in so far.

    `reference_of` is supplied by the runner with `judge="reference"` only: it leaks the scale, so results made with it
    are for analysis; the option stands in the method's label.
    """

    needs = ("reference_of",)

    def __init__(self, judge: str, reference_of: ReferenceOf | None) -> None:
        self.judge = Judge(self.name, judge, reference_of)
        self.pool = Pool()

    @classmethod
    def needed(cls, options: Mapping[str, Any]) -> Sequence[str]:
        return cls.needs if options.get("judge") == "reference" else ()

    def labelled(self, episode: Episode) -> Pool:
        """The pool with this episode and its label; what is kept of it is the caller's to assign, when all is well."""
        self.services.store.add_steps(episode.steps)
        return self.pool.grown(episode, self.judge.label(self, episode))

    def state(self) -> Mapping[str, Any]:
        return self.pool.state()

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.pool = Pool.restored(state, episodes)
