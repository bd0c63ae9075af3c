"""What the lines of a trial's file have to hold: checked when they are written and when they are read.

Only fields that a reader uses are asked for. Events of a type that is not named here (a method's own, a later
version's) may hold anything, and so may further fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evoplay.evaluation.shapes import (
    ANY,
    FLAG,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    WHOLE,
    Fields,
    Shape,
    fault_of,
    fields,
    list_of,
    numbers,
    one_of,
    optional,
    or_null,
    shown,
    whole,
)

COUNT = whole(0)
NUMBERED = whole(1)

_USAGE = fields(
    input=optional(COUNT),
    output=optional(COUNT),
    cached=optional(COUNT),
    cache_write=optional(COUNT),
    reasoning=optional(COUNT),
    source=optional(TEXT),
    flags=optional(TEXTS),
)
_PROMPT = fields(system=COUNT, keep=COUNT, add=TEXTS)
_TOOL_CALLS = list_of(fields(name=TEXT, arguments=OBJECT), "a list of tool calls with name and arguments")
_PAIRS = Shape(
    "a list of pairs of a role and a block",
    TEXTS.types,
    lambda value: all(TEXTS.types >= {one.__class__} and len(one) == 2 and not TEXTS.fault(one) for one in value),
)
_STEP = fields(
    id=TEXT,
    episode=NUMBERED,
    step=NUMBERED,
    call=or_null(COUNT),
    action=TEXT,
    accepted=FLAG,
    outcome=TEXT,
    valid=TEXTS,
    score=NUMBER,
    visible=or_null(NUMBER),
    done=FLAG,
    seconds=numbers(2),
    score_before=optional(NUMBER),
    visible_before=optional(or_null(NUMBER)),
    retained=optional(or_null(TEXT)),
    outcome_retained=optional(or_null(TEXT)),
    notes=optional(TEXTS),
    info=optional(OBJECT),
)
_ASIDE = fields(id=TEXT, episode=NUMBERED, step=NUMBERED, question=TEXT, reply=or_null(TEXT))
_FINISHED = fields(
    episode=NUMBERED,
    score=or_null(NUMBER),
    closing=TEXT,
    seconds=NUMBER,
    capped=optional(FLAG),
    left=optional(FLAG),
    error=optional(or_null(TEXT)),
)
EVENTS: Mapping[str, Fields] = {
    "opened": fields(
        schema=ANY,
    ),
    "resumed": fields(
        keep_until=optional(COUNT),
    ),
    "episode_started": fields(episode=NUMBERED, opening=TEXT, opening_retained=optional(or_null(TEXT))),
    "block": fields(id=TEXT, text=TEXT),
    "call": fields(
        n=COUNT,
        purpose=TEXT,
        episode=COUNT,
        step=COUNT,
        seed=WHOLE,
        reply=or_null(TEXT),
        usage=optional(OBJECT),
        usd=optional(or_null(NUMBER)),
        seconds=optional(NUMBER),
        model=optional(TEXT),
        attempts=optional(COUNT),
        retries=optional(TEXTS),
        failed=optional(or_null(TEXT)),
        tool_calls=optional(_TOOL_CALLS),
        prompt=optional(OBJECT),
        messages=optional(_PAIRS),
    ),
    "step": _STEP,
    "aside": _ASIDE,
    "rollout": fields(episode=NUMBERED, rollout=NUMBERED, event=OBJECT),
    "claim": fields(
        op=one_of("claim", "support", "contradict", "revise", "mark", "retract"),
        claim=TEXT,
        episode=COUNT,
        why=optional(TEXT),
    ),
    "rules": fields(episode=NUMBERED, shown=TEXTS, held=TEXTS),
    "planted": fields(episode=NUMBERED, claim=or_null(TEXT)),
    "drop": fields(episode=COUNT, step=COUNT, key=TEXT, tokens=COUNT, parts=COUNT, reason=TEXT),
    "error": fields(what=TEXT, kind=TEXT, episode=COUNT, step=COUNT, message=TEXT),
    "episode_finished": _FINISHED,
    "episode_closed": fields(episode=NUMBERED, state=OBJECT),
}
_TOLD = fields(
    scope=optional(TEXT),
    status=optional(TEXT),
    condition=optional(TEXT),
    action=optional(TEXT),
    effect=optional(TEXT),
    key=optional(TEXT),
    supports=optional(TEXTS),
    contradicts=optional(TEXTS),
    data=optional(OBJECT),
)
_LINKED = fields(steps=TEXTS)
_MARKED = fields(status=TEXT)
OPERATIONS: Mapping[str, Fields] = {
    "claim": fields(_TOLD, kind=TEXT, text=TEXT),
    "support": _LINKED,
    "contradict": _LINKED,
    "revise": fields(_TOLD, text=optional(TEXT)),
    "mark": _MARKED,
    "retract": _MARKED,
}
"""What a claim event holds besides, by its operation."""
_ROLLED = ("step", "aside", "episode_finished")


def fault(event: Any) -> str | None:
    """What is wrong with an event by itself, in words; None if nothing is."""
    if event.__class__ is not dict:
        return f"it is {shown(event)}, expected an object with a 'type'"
    kind = event.get("type")
    if kind.__class__ is not str:
        return "it has no 'type', expected a text" if kind is None else f"its 'type' is {shown(kind)}, expected a text"
    expected = EVENTS.get(kind)
    if expected is None:
        return None
    wrong = fault_of(event, expected)
    if wrong is None and (more := _MORE.get(kind)) is not None:
        wrong = more(event)
    return None if wrong is None else f"the {kind} {wrong}"


def _call_fault(event: Mapping[str, Any]) -> str | None:
    usage, prompt = event.get("usage"), event.get("prompt")
    if usage and (wrong := fault_of(usage, _USAGE)) is not None:
        return f"has a usage that {wrong}"
    if prompt is not None:
        wrong = fault_of(prompt, _PROMPT)
        return None if wrong is None else f"has a prompt that {wrong}"
    return None if "messages" in event else "has no 'prompt' and no 'messages', expected one of them"


def _finish_fault(event: Mapping[str, Any]) -> str | None:
    if event["score"] is None and event.get("error") is None:
        return "has null as 'score', expected a number where there is no 'error'"
    return None


def _rollout_fault(event: Mapping[str, Any]) -> str | None:
    inner = event["event"]
    if inner.get("type") not in _ROLLED:
        return f"has {shown(inner.get('type'))} as the 'type' of its event, expected one of {', '.join(_ROLLED)}"
    wrong = fault(inner)
    return None if wrong is None else f"has an event of which {wrong}"


_MORE = {
    "call": _call_fault,
    "claim": lambda event: fault_of(event, OPERATIONS[event["op"]]),
    "episode_finished": _finish_fault,
    "rollout": _rollout_fault,
}


class BadLine(ValueError):
    """A line that is no event; the message says what is wrong with it."""


class LineCheck:
    """Checks the lines of one trial's file, in order: each by itself, and that the blocks its calls name are there."""

    def __init__(self) -> None:
        self.number = 0
        """Of the line that was read last, from 1."""
        self._blocks: set[str] = set()
        self._prompt = 0

    def read(self, line: bytes) -> dict[str, Any]:
        """The event of a line. Raises BadLine."""
        self.number += 1
        try:
            event = json.loads(line)
            wrong = fault(event) or self._reference_fault(event)
        except json.JSONDecodeError as error:
            wrong = f"no JSON: {error.msg} at character {error.pos + 1}"
        except UnicodeDecodeError as error:
            wrong = f"no UTF-8 at byte {error.start + 1}"
        except (ValueError, RecursionError) as error:
            wrong = f"no JSON that can be read: {error}"
        if wrong is not None:
            raise BadLine(wrong)
        found: dict[str, Any] = event
        return found

    def _reference_fault(self, event: Mapping[str, Any]) -> str | None:
        kind = event["type"]
        if kind == "block":
            self._blocks.add(event["id"])
        elif kind == "call":
            prompt = event.get("prompt")
            if prompt is None:
                return self._missing([block for _, block in event["messages"]])
            if prompt["keep"] > self._prompt:
                return f"the call keeps {prompt['keep']} blocks of a prompt of {self._prompt}"
            self._prompt = prompt["keep"] + len(prompt["add"])
            if prompt["system"] > self._prompt:
                return f"the call has {prompt['system']} blocks of the system's in a prompt of {self._prompt}"
            return self._missing(prompt["add"])
        return None

    def _missing(self, named: list[str]) -> str | None:
        missing = next((block for block in named if block not in self._blocks), None)
        return None if missing is None else f"the call names the block {shown(missing)}, which is in no line before it"
