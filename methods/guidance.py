"""How derived texts stand in a prompt: under a heading of ours, indented, so that none of them can pose as one.

What a model derived may quote a game that imitates headings; only the heading itself begins at the margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evoplay.memory.blocks import Block
from evoplay.methods.render import clipped

INDENT = "   "
LONGEST_ENTRY = 2_000
LONGEST_TEXT = 8_000
LEAST = 120
"""Characters of a derived text that are shown however short room is."""
CHARACTERS = 3
"""Characters a token holds, on the safe side for English."""


def numbered(texts: Iterable[str], longest: int = LONGEST_ENTRY) -> str:
    """Texts as a numbered list from 1, each on as many indented lines as it has."""
    return "".join(f"{at}. {_hanging(text, longest)}" for at, text in enumerate(texts, start=1))


def listed(heading: str, texts: Sequence[str], room_tokens: int = 0) -> tuple[Block, ...]:
    """A block with a numbered list under a heading; none where there is nothing to list.

    room_tokens : about what the list may take (0: no limit); texts longer than their share are cut.
    """
    if not texts:
        return ()
    longest = _longest(LONGEST_ENTRY, room_tokens // len(texts), room_tokens)
    return (Block(f"{heading}\n{numbered(texts, longest)}\n", cacheable=True),)


def told(heading: str, text: str, room_tokens: int = 0) -> tuple[Block, ...]:
    """A block with a text under a heading; none where it is empty."""
    if not text.strip():
        return ()
    longest = _longest(LONGEST_TEXT, room_tokens, room_tokens)
    return (Block(f"{heading}\n{INDENT}{_hanging(text, longest)}\n", cacheable=True),)


def _longest(most: int, share_tokens: int, room_tokens: int) -> int:
    return max(min(most, share_tokens * CHARACTERS), LEAST) if room_tokens else most


def _hanging(text: str, longest: int) -> str:
    lines = [line.rstrip() for line in clipped(text.strip(), longest).splitlines() if line.strip()]
    return f"\n{INDENT}".join(lines) + "\n"
