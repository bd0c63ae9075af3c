"""From what happens in the loop to events: one JSON object each, in the order things happened.

Prompts are stored as content-addressed blocks, written once; a call names the blocks that are new since the call
before it, so that long prompts do not multiply. The recorder knows the schema, not where events go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evoplay.memory.blocks import Block, common_prefix
from evoplay.memory.claims import Claim
from evoplay.memory.records import AsideRecord, EpisodeRecord, StepRecord
from evoplay.methods.actor import Drop, Prompt
from evoplay.methods.backbones.base import CallFailed, Completion, Message, Usage

Event = dict[str, Any]
Write = Callable[[Sequence[Event]], None]


class Recorder:
    """Writes a trial's events.

    Parameters
    ----------
    write : takes the events that belong together, in order.
    calls, known : number of calls and ids of the blocks already logged (on resuming).
    """

    def __init__(self, write: Write, *, calls: int = 0, known: set[str] | None = None) -> None:
        self._write = write
        self.calls = calls
        self._known = set(known or ())
        self._last: list[str] = []
        self.rollout = 0
        """Which of several rollouts of an episode is played (0: none); its steps are wrapped in rollout events."""
        self.listen: Callable[[Event], None] | None = None
        """Also told of every event, for live progress."""

    def note(self, event: Mapping[str, Any]) -> None:
        """Write an event of someone else's (the evidence store's, a method's)."""
        self.emit(dict(event))

    def emit(self, *events: Event) -> None:
        """Write events as they are."""
        self._write(events)
        if self.listen is not None:
            for event in events:
                self.listen(event)

    def episode_started(self, record: EpisodeRecord) -> None:
        event: Event = {"type": "episode_started", "episode": record.episode, "at": _now(), "opening": record.opening}
        if record.opening_retained is not None:
            event["opening_retained"] = record.opening_retained
        self.emit(event)

    def stepped(self, step: StepRecord) -> None:
        event: Event = {
            "type": "step",
            "id": step.id,
            "episode": step.episode,
            "step": step.step,
            "call": step.call,
            "action": step.action,
            "accepted": step.accepted,
            "outcome": step.outcome,
            "valid": step.valid_actions,
            "score": step.score_after,
            "visible": step.visible_after,
            "done": step.done,
            "seconds": [round(part, 6) for part in step.seconds],
        }
        for name in ("retained", "outcome_retained"):
            if getattr(step, name) is not None:
                event[name] = getattr(step, name)
        if step.notes:
            event["notes"] = step.notes
        if step.info:
            event["info"] = dict(step.info)
        if step.step == 1:
            event["score_before"], event["visible_before"] = step.score_before, step.visible_before
        self._played(event)

    def called(
        self,
        messages: Sequence[Message],
        purpose: str,
        seed: int,
        episode: int,
        step: int,
        completion: Completion,
        prompt: Prompt | None = None,
    ) -> None:
        """A call and its answer. With `prompt` its blocks are stored as they are, else each message is one block."""
        events, event = self._call_event(messages, purpose, seed, episode, step, prompt)
        event |= {
            "reply": completion.text,
            "usage": _usage(completion.usage),
            "usd": completion.usd,
            "seconds": round(completion.seconds, 6),
            "model": completion.model,
        }
        if completion.attempts > 1:
            event["attempts"], event["retries"] = completion.attempts, completion.retries
        if completion.tool_calls:
            event["tool_calls"] = [asdict(call) for call in completion.tool_calls]
        self.emit(*events, event)

    def call_failed(
        self,
        messages: Sequence[Message],
        purpose: str,
        seed: int,
        episode: int,
        step: int,
        failure: CallFailed,
        prompt: Prompt | None = None,
    ) -> None:
        """A call that gave no completion."""
        events, event = self._call_event(messages, purpose, seed, episode, step, prompt)
        event |= {"reply": None, "failed": failure.kind, "error": str(failure), "attempts": failure.attempts}
        event |= {"usage": _usage(failure.usage or Usage()), "usd": failure.usd, "retries": failure.retries}
        self.emit(*events, event)

    def failed(self, what: str, failure: Exception, episode: int, step: int) -> None:
        """Something was lost to a failed call: an episode ("act"), a memory update ("memory"), an aside."""
        kind = getattr(failure, "kind", type(failure).__name__)
        self.emit(
            {"type": "error", "what": what, "kind": kind, "episode": episode, "step": step, "message": str(failure)}
        )

    def dropped(self, drops: Sequence[Drop], episode: int, step: int) -> None:
        for drop in drops:
            self.emit({"type": "drop", "episode": episode, "step": step, **asdict(drop)})

    def asided(self, aside: AsideRecord) -> None:
        self._played({"type": "aside", **asdict(aside)})

    def episode_finished(self, record: EpisodeRecord) -> None:
        event: Event = {
            "type": "episode_finished",
            "episode": record.episode,
            "at": _now(),
            "score": record.score,
            "steps": len(record.steps),
            "closing": record.closing,
            "seconds": round(record.seconds, 6),
        }
        for name in ("capped", "left"):
            if getattr(record, name):
                event[name] = True
        if record.error is not None:
            event["error"] = record.error
        self._played(event)

    def kept(self, record: EpisodeRecord) -> None:
        """One of several rollouts becomes the episode: its steps once more, as the episode's own."""
        for step in record.steps:
            self.stepped(step)
        for aside in record.asides:
            self.asided(aside)

    def _played(self, event: Event) -> None:
        """An event of play; that of a rollout is wrapped, so that who reads episodes passes it over."""
        if self.rollout:
            event = {"type": "rollout", "episode": event["episode"], "rollout": self.rollout, "event": event}
        self.emit(event)

    def rules(self, episode: int, shown: Sequence[Claim], held: Sequence[Claim]) -> None:
        """Which claims the episode's prompts showed as rules, and which the method holds as rules after it."""
        ids = {"shown": [claim.id for claim in shown], "held": [claim.id for claim in held]}
        self.emit({"type": "rules", "episode": episode, **ids})

    def episode_closed(self, episode: int, state: Mapping[str, Any]) -> None:
        """The method has taken the episode in; `state` is what it learned so far."""
        self.emit({"type": "episode_closed", "episode": episode, "state": dict(state)})

    def _call_event(
        self, messages: Sequence[Message], purpose: str, seed: int, episode: int, step: int, prompt: Prompt | None
    ) -> tuple[list[Event], Event]:
        self.calls += 1
        event: Event = {
            "type": "call",
            "n": self.calls,
            "purpose": purpose,
            "episode": episode,
            "step": step,
            "seed": seed,
        }
        if self.rollout:
            event["rollout"] = self.rollout
        if prompt is None:
            blocks = [Block(message.content) for message in messages]
            event["messages"] = [[message.role, block.id] for message, block in zip(messages, blocks, strict=True)]
        else:
            whole = (*prompt.system, *prompt.user)
            ids = [part for block in whole for part in block.part_ids]
            kept = common_prefix(self._last, ids)
            blocks = [part for block in whole for part in block.parts or (block,)][kept:]
            event["prompt"] = {"system": len(prompt.system), "keep": kept, "add": ids[kept:], "tail": prompt.tail}
            self._last = ids
        new: list[Event] = []
        for block in blocks:
            if block.id not in self._known:
                self._known.add(block.id)
                new.append({"type": "block", "id": block.id, "text": block.text})
        return new, event


def _usage(usage: Usage) -> Event:
    """Token counts that are not 0, with who counted."""
    counts = {name: getattr(usage, name) for name in ("input", "output", "cached", "cache_write", "reasoning")}
    event: Event = {name: count for name, count in counts.items() if count}
    if usage.source != "none":
        event["source"] = usage.source
    if usage.flags:
        event["flags"] = usage.flags
    return event


def _now() -> float:
    return round(time.time(), 3)
