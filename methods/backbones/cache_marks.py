"""Marks for providers that cache a prompt's prefix only where the request says so (`cache_control`).

Such a cache is looked up at the ends of content blocks. A prompt that grows by a few lines at every step is therefore
cut at places that depend on its text alone: the blocks of one call are the first blocks of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evoplay.methods.backbones.base import Message

CHUNK = 4096
"""Characters of a block; about the least that providers cache (1,024 tokens)."""
_MARKS = 4
"""Marks a request may hold."""


def plain(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as the chat protocol has them, without marks."""
    return [{"role": message.role, "content": message.content} for message in messages]


def marked(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages whose stable prefix is cut into blocks, the last of which carries the mark."""
    out: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for message in messages:
        cuts = stable_cuts(message.content, message.cacheable)
        if not cuts:
            out.append({"role": message.role, "content": message.content})
            continue
        starts = [0, *cuts]
        pieces = [message.content[start:end] for start, end in zip(starts, [*cuts, None], strict=True)]
        blocks = [{"type": "text", "text": piece} for piece in pieces if piece]
        marks.append(blocks[len(cuts) - 1])
        out.append({"role": message.role, "content": blocks})
    for block in marks[-_MARKS:]:
        block["cache_control"] = {"type": "ephemeral"}
    return out


def stable_cuts(text: str, stable: int) -> list[int]:
    """Where to cut a text whose first `stable` characters stay: after the first line end past every CHUNK characters.

    A text that is stable as a whole is cut at its end too. Blank blocks, which providers refuse, never come out.
    """
    cuts: list[int] = []
    at = 0
    while True:
        end = text.find("\n", at + CHUNK - 1, stable)
        if end < 0:
            break
        at = end + 1
        cuts.append(at)
    if stable >= len(text) > at:
        cuts.append(len(text))
        at = len(text)
    if cuts and at < len(text) and not text[at:].strip():
        cuts.pop()
    return [cut for cut, start in zip(cuts, [0, *cuts], strict=False) if text[start:cut].strip()]
