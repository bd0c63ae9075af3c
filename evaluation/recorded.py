"""Reading the calls of a run back: the prompts as they were sent, for replaying and for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evoplay.evaluation.recorder import Event
from evoplay.evaluation.runlog import read_events
from evoplay.memory.blocks import common_prefix
from evoplay.methods.backbones.base import Completion, Message, Role, ToolCall, Usage
from evoplay.methods.backbones.replay import Recorded, request_key


def calls_with_messages(events: Iterable[Event]) -> Iterator[tuple[Event, list[Message]]]:
    """Every call of a trial with the messages it sent, put together from the stored blocks."""
    blocks: dict[str, str] = {}
    last: list[str] = []
    for event in events:
        if event["type"] == "block":
            blocks[event["id"]] = event["text"]
        elif event["type"] == "call" and "prompt" in event:
            prompt = event["prompt"]
            last = last[: prompt["keep"]] + prompt["add"]
            texts = [blocks[block] for block in last]
            system, user = texts[: prompt["system"]], texts[prompt["system"] :]
            yield event, [Message("system", "".join(system)), Message("user", "".join(user))]
        elif event["type"] == "call":
            roles: list[tuple[Role, str]] = [(role, block) for role, block in event["messages"]]
            yield event, [Message(role, blocks[block]) for role, block in roles]


def calls_with_prefix(events: Iterable[Event]) -> Iterator[tuple[Event, int, int]]:
    """Every call of a trial with the characters of its prompt, and how many lead that of the last call of its purpose:
    what a cache could serve."""
    last: dict[str, str] = {}
    for event, messages in calls_with_messages(events):
        text, purpose = "\x00".join(message.content for message in messages), event["purpose"]
        yield event, len(text), common_prefix(text, last.get(purpose, ""))
        last[purpose] = text


def recorded_calls(folder: Path) -> Iterator[Recorded]:
    """The answered calls of all trials of a run's folder."""
    for path in sorted((folder / "cells").rglob("*.jsonl")):
        for event, messages in calls_with_messages(read_events(path)):
            if event.get("reply") is not None:
                purpose, seed = event["purpose"], event["seed"]
                yield Recorded(
                    key=request_key(messages, purpose, seed),
                    purpose=purpose,
                    seed=seed,
                    messages=_again(path, event["n"]),
                    completion=_completion(event),
                    where=f"{path.relative_to(folder)} episode {event['episode']} step {event['step']}",
                )


def _again(path: Path, number: int) -> Callable[[], Sequence[Message]]:
    """Reads a call's messages when they are asked for: a run's prompts together would fill the memory."""

    def read() -> Sequence[Message]:
        return next(messages for event, messages in calls_with_messages(read_events(path)) if event["n"] == number)

    return read


def _completion(event: Event) -> Completion:
    usage: dict[str, Any] = {**event.get("usage", {})}
    usage["flags"] = tuple(usage.get("flags", ()))
    return Completion(
        text=event["reply"],
        usage=Usage(**usage),
        usd=event.get("usd"),
        seconds=event.get("seconds", 0.0),
        model=event.get("model", ""),
        tool_calls=tuple(ToolCall(call["name"], call["arguments"]) for call in event.get("tool_calls", ())),
    )
