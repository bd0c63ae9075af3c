"""What resembles a text most, among things of a method's own: similarity by the evidence store's embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from evoplay.memory.evidence import EvidenceStore

T = TypeVar("T")


def most_similar(store: EvidenceStore, text: str, things: Sequence[T], keys: Sequence[str], k: int) -> list[T]:
    """Up to `k` things whose keys resemble a text most, most similar first; of equals the latest (last) first."""
    scores = store.similarities(text, keys)
    order = sorted(range(len(things)), key=lambda at: (-scores[at], -at))
    return [things[at] for at in order[:k]]
