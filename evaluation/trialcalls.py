"""The backbone as a method's services hand it out: every call logged and counted like the actor's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evoplay.evaluation.recorder import Recorder
from evoplay.methods.backbones.base import Backbone, CallFailed, Completion, Message


class LoggedBackbone(Backbone):
    """Wraps the trial's backbone; `where` gives the episode and step a call belongs to."""

    def __init__(self, inner: Backbone, recorder: Recorder, where: Callable[[], tuple[int, int]]) -> None:
        self.inner = inner
        self.recorder = recorder
        self.where = where
        self.name = inner.name
        self.context_window = inner.context_window
        self.reply_tokens = inner.reply_tokens
        self.simulated = inner.simulated
        self.free = inner.free

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
        episode, step = self.where()
        try:
            completion = self.inner.complete(
                messages,
                purpose=purpose,
                seed=seed,
                tools=tools,
                temperature=temperature,
                max_tokens=max_tokens,
                where=where,
            )
        except CallFailed as failure:
            self.recorder.call_failed(messages, purpose, seed, episode, step, failure)
            raise
        self.recorder.called(messages, purpose, seed, episode, step, completion)
        return completion
