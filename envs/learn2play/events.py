"""What rules hand to texts where a game keeps the two apart: events."""

from __future__ import annotations

from typing import NamedTuple


class Event(NamedTuple):
    """Something that happened: its kind, what it concerns, a number (or index), and further tokens or reasons."""

    kind: str
    what: str = ""
    amount: int = 0
    more: tuple[str, ...] = ()
