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


def numbered(texts: Iterable[str]) -> str:
    """Texts as a numbered list from 1, each on as many indented lines as it has."""
    return "".join(f"{at}. {_hanging(text, LONGEST_ENTRY)}" for at, text in enumerate(texts, start=1))


def listed(heading: str, texts: Sequence[str]) -> tuple[Block, ...]:
    """A block with a numbered list under a heading; none where there is nothing to list."""
    return (Block(f"{heading}\n{numbered(texts)}\n", cacheable=True),) if texts else ()


def told(heading: str, text: str) -> tuple[Block, ...]:
    """A block with a text under a heading; none where it is empty."""
    return (Block(f"{heading}\n{INDENT}{_hanging(text, LONGEST_TEXT)}\n", cacheable=True),) if text.strip() else ()


def _hanging(text: str, longest: int) -> str:
    lines = [line.rstrip() for line in clipped(text.strip(), longest).splitlines() if line.strip()]
    return f"\n{INDENT}".join(lines) + "\n"
