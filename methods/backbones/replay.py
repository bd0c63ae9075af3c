"""`replay/DIR`: the answers of an earlier run, keyed by request. What was never asked is an error, never a guess."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from evoplay.methods.backbones.base import Backbone, BackboneError, CallFailed, Completion, Message

_COMPARED = 20_000
"""Characters of a request's end that are compared when the nearest one is looked for."""
_CANDIDATES = 200


def request_key(messages: Sequence[Message], purpose: str, seed: int) -> str:
    """The content address of a request: purpose, seed, and every message's role and text. 32 hex digits."""
    digest = blake2b(json.dumps([purpose, seed]).encode(), digest_size=16)
    for message in messages:
        content = message.content.encode(errors="replace")
        digest.update(f"\0{message.role}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call as it was made: key, purpose, seed, messages (or how to get them), answer, place."""

    key: str
    purpose: str
    seed: int
    messages: Sequence[Message] | Callable[[], Sequence[Message]]
    completion: Completion
    where: str = ""

    def prompt(self) -> Sequence[Message]:
        """The messages, read when they are asked for."""
        return self.messages() if callable(self.messages) else self.messages


class ReplayBackbone(Backbone):
    """Recorded answers, with the usage and price they had then. Of a request made twice the later answer counts.

    Raises BackboneError where nothing was recorded.
    """

    simulated = False
    free = True

    def __init__(self, recorded: Iterable[Recorded], name: str = "replay") -> None:
        self.name = name
        self._answers = {call.key: call for call in recorded}
        if not self._answers:
            raise BackboneError(f"'{name}': no call is recorded there: give the folder of a run that was played")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        seed: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        where: str = "",
    ) -> Completion:
        call = self._answers.get(request_key(messages, purpose, seed))
        if call is None:
            raise CallFailed(self._miss(messages, purpose, seed, where), kind="replay_miss", fatal=True)
        return call.completion

    def _miss(self, messages: Sequence[Message], purpose: str, seed: int, where: str) -> str:
        """What was asked, and how the nearest recorded request differs from it."""
        said = f"{where or purpose}: this request was not recorded ({len(self._answers)} calls are)"
        near = self._nearest(messages, purpose, seed, where)
        if near is None:
            return said
        differences = [
            f"{what} {there!r} there, {here!r} here"
            for what, there, here in (("purpose", near.purpose, purpose), ("seed", near.seed, seed))
            if there != here
        ]
        place, there, here = _first_difference(_text(near.prompt()), _text(messages))
        if there != here:
            differences.append(f"from character {place} of the messages on {there!r} there, {here!r} here")
        return f"{said}; the nearest is {near.where or near.key}: {'; '.join(differences)}"

    def _nearest(self, messages: Sequence[Message], purpose: str, seed: int, where: str) -> Recorded | None:
        def likeness(call: Recorded) -> tuple[bool, bool, bool]:
            return (call.purpose == purpose, bool(where) and call.where == where, call.seed == seed)

        # Comparing texts is slow: only those alike in what costs nothing to compare.
        likely = sorted(self._answers.values(), key=likeness, reverse=True)[:_CANDIDATES]
        matcher = difflib.SequenceMatcher(autojunk=False)
        matcher.set_seq2(_lines(messages))
        here = _text(messages)
        ratios: list[float] = []
        for call in likely:
            matcher.set_seq1(_lines(call.prompt()))
            ratios.append(matcher.ratio())
        alike = [call for call, ratio in zip(likely, ratios, strict=True) if ratio == max(ratios)]
        return max(
            alike, key=lambda call: (_first_difference(_text(call.prompt()), here)[0], call.seed == seed), default=None
        )


def _lines(messages: Sequence[Message]) -> list[str]:
    return _text(messages)[-_COMPARED:].splitlines()


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def _first_difference(there: str, here: str, shown: int = 60) -> tuple[int, str, str]:
    """Where two texts part, and what follows in each."""
    place = next((at for at, (a, b) in enumerate(zip(there, here, strict=False)) if a != b), min(len(there), len(here)))
    return place, there[place : place + shown], here[place : place + shown]
