"""A backbone that says what a test tells it to say, and remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evoplay.methods.backbones.base import Backbone, CallFailed, Completion, Message, Usage
from evoplay.methods.services import Services

Reply = str | Completion | Exception
Script = Iterable[Reply] | Callable[[Sequence[Message], str], Reply]


@dataclass(frozen=True, slots=True)
class Call:
    """What the backbone was asked."""

    messages: tuple[Message, ...]
    purpose: str
    seed: int
    where: str
    temperature: float | None
    max_tokens: int | None

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(message.content for message in self.messages)


class ScriptedBackbone(Backbone):
    """Answers from a list, in order, or from a function of (messages, purpose). An exception in it is raised.

    A list that is used up fails the call with kind "scripted". `calls` holds every call made.
    """

    free = True
    context_window = 128_000

    def __init__(self, script: Script, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[Call] = []
        self._answer = script if callable(script) else None
        self._replies = None if callable(script) else iter(script)
        self._lock = threading.Lock()

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
        with self._lock:
            self.calls.append(Call(tuple(messages), purpose, seed, where, temperature, max_tokens))
            reply = None if self._replies is None else next(self._replies, None)
        if self._answer is not None:
            reply = self._answer(messages, purpose)
        if reply is None:
            raise CallFailed(f"the script has no reply to call {len(self.calls)} ({purpose})", kind="scripted")
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        usage = Usage(sum(len(message.content) for message in messages) // 4, len(reply) // 4, source="counted")
        return Completion(reply, usage, usd=0.0, model=self.name)


def fields(**values: object) -> str:
    """A reply in DSPy's chat format: `fields(lessons='["a"]')`."""
    return "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in {**values, "completed": ""}.items())


def services_of(
    backbone: Backbone, events: list[Mapping[str, Any]] | None = None, store: Callable[[], Any] | None = None
) -> Services:
    """The services of a trial called "test" over a backbone; events go to the list."""
    sink = (lambda event: None) if events is None else events.append
    return Services("test", backbone, sink, lambda episode, step, purpose: hash_of(episode, step, purpose), store)


def hash_of(episode: int, step: int, purpose: str) -> int:
    """A seed that tells calls apart and is the same in every process."""
    return episode * 1_000_000 + step * 1000 + sum(purpose.encode()) % 1000
