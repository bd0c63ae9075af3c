"""The voted list of insights of ExpeL: operations on it, in their order, as pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

MOST_OPERATIONS = 4
"""So many operations of one critique count."""
BEYOND = 5
"""The list is full when it holds so many more than it should."""
ADDED = 2
"""The count of a new insight."""
AGREED = 1
REMOVED = 1
REMOVED_WHEN_FULL = 3
ORDER = ("REMOVE", "AGREE", "EDIT", "ADD")


@dataclass(frozen=True, slots=True)
class Insight:
    """An insight with its votes. `claim` is its id in the store ("" : not there yet); links are ids of steps."""

    text: str
    count: int
    claim: str = ""
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


class Voted(Protocol):
    """An operation as read, with the steps it rests on."""

    @property
    def operation(self) -> str: ...
    @property
    def number(self) -> int | None: ...
    @property
    def insight(self) -> str: ...


def is_full(insights: Sequence[Insight], most: int) -> bool:
    """Whether a list meant for `most` insights is full."""
    return len(insights) >= most + BEYOND


def voted(insights: Sequence[Insight], operations: Sequence[tuple[Voted, Sequence[str]]], most: int) -> list[Insight]:
    """The list after a critique: its first operations, each with its steps, in the order REMOVE, AGREE, EDIT, ADD.

    Numbers are those of the list as it was shown. What a count of 0 is left of disappears; the list is sorted by count.
    """
    full = is_full(insights, most)
    now = list(insights)
    kept = operations[:MOST_OPERATIONS]
    for kind in ORDER:
        for operation, steps in kept:
            if operation.operation == kind:
                _apply(now, operation, tuple(steps), full, len(insights))
    return sorted((insight for insight in now if insight.count > 0), key=lambda insight: -insight.count)


def _apply(now: list[Insight], operation: Voted, steps: tuple[str, ...], full: bool, shown: int) -> None:
    text = " ".join(operation.insight.split())
    if operation.operation == "ADD":
        if words(text) and not any(restates(text, insight.text) for insight in now):
            now.append(Insight(text, ADDED, supports=steps))
        return
    at = (operation.number or 0) - 1
    if operation.operation == "EDIT":
        same = next((other for other, insight in enumerate(now) if words(insight.text) == words(text)), None)
        if same is not None:
            now[same] = _agreed(now[same], steps)
        elif 0 <= at < shown and words(text):
            now[at] = replace(_agreed(now[at], steps), text=text)
    elif 0 <= at < shown:
        now[at] = _agreed(now[at], steps) if operation.operation == "AGREE" else _opposed(now[at], steps, full)


def _agreed(insight: Insight, steps: tuple[str, ...]) -> Insight:
    against = tuple(step for step in insight.contradicts if step not in steps)
    supports = tuple(dict.fromkeys((*insight.supports, *steps)))
    return replace(insight, count=insight.count + AGREED, supports=supports, contradicts=against)


def _opposed(insight: Insight, steps: tuple[str, ...], full: bool) -> Insight:
    less = REMOVED_WHEN_FULL if full else REMOVED
    supports = tuple(step for step in insight.supports if step not in steps)
    against = tuple(dict.fromkeys((*insight.contradicts, *steps)))
    return replace(insight, count=insight.count - less, supports=supports, contradicts=against)


def words(text: str) -> tuple[str, ...]:
    """The words of a text, by which two are the same."""
    return tuple(re.findall(r"\w+", text.casefold()))


def restates(text: str, known: str) -> bool:
    """Whether a text says no more than what is known, or all of it once more."""
    said, have = words(text), words(known)
    return any(said[at : at + len(have)] == have for at in range(len(said) - len(have) + 1))
