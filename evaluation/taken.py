"""What the episodes of a trial took, read from its log: calls, tokens, and what of the input extends no prompt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evoplay.evaluation.recorded import calls_with_prefix
from evoplay.evaluation.recorder import Event

PLAY = ("act", "aside")
"""Purposes of the calls that hold the actor's prompt; the others are a method's own."""


@dataclass(slots=True)
class Calls:
    """Calls of one kind: how many, and their tokens. `fresh` is the input that extends no earlier prompt."""

    calls: float = 0.0
    input: float = 0.0
    fresh: float = 0.0
    output: float = 0.0


@dataclass(slots=True)
class Taken:
    """What an episode took: the calls that `play` it, and the method's own, which `learn` from it.

    first : input of its first call, which holds what was carried over and next to nothing of the episode itself.
    longest : input of its longest call.
    """

    play: Calls = field(default_factory=Calls)
    learn: Calls = field(default_factory=Calls)
    first: float = 0.0
    longest: float = 0.0


def taken(events: Iterable[Event]) -> list[Taken]:
    """What each finished episode of a trial took, in order, from the events of its log."""
    found: list[Taken] = []
    for event, length, same in calls_with_prefix(events):
        while len(found) < event["episode"]:
            found.append(Taken())
        purpose, usage = event["purpose"], event.get("usage", {})
        tokens = usage.get("input", 0)
        entry = found[event["episode"] - 1]
        part = entry.play if purpose in PLAY else entry.learn
        if purpose == "act" and not part.calls:
            entry.first = tokens
        part.calls += 1
        part.input += tokens
        part.fresh += tokens * (1 - same / max(length, 1))
        part.output += usage.get("output", 0)
        entry.longest = max(entry.longest, tokens)
    return found
