"""Pieces of prompt text: rendered once, counted once, stored once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from evoplay.memory.tokens import count_tokens


def common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """How many leading items (of texts: characters) are equal, found by halving: prompts are long and mostly equal."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Block:
    """A piece of a prompt. Its text never changes; token count and content id are computed when first asked for.

    Parameters
    ----------
    text : the rendered text, ending in a newline.
    key : a name that stays the same over calls, by which a drop is remembered and recorded ("" : cannot be dropped).
    priority : of two blocks that can be dropped, the lower one goes first; ties: the earlier one.
    cacheable : the text will stand at the same place in later calls.
    parts : the pieces the text is made of, of which middle ones may be left out when the whole does not fit.
    """

    __slots__ = ("_id", "_ids", "_size", "_tokens", "cacheable", "key", "parts", "priority", "text")

    def __init__(
        self,
        text: str,
        *,
        key: str = "",
        priority: float = 0.0,
        cacheable: bool = False,
        parts: Sequence[Block] = (),
    ) -> None:
        self.text = text
        self.key = key
        self.priority = priority
        self.cacheable = cacheable
        self.parts = tuple(parts)
        self._tokens = -1
        self._size = -1
        self._id = ""
        self._ids: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Block], *, key: str = "", priority: float = 0.0, cacheable: bool = True) -> Block:
        """One block of several, whose tokens are the sum of theirs."""
        pieces = tuple(parts)
        text = "".join(piece.text for piece in pieces)
        return cls(text, key=key, priority=priority, cacheable=cacheable, parts=pieces)

    def with_priority(self, priority: float) -> Block:
        """The same block at another priority, sharing what was already computed."""
        twin = Block(self.text, key=self.key, priority=priority, cacheable=self.cacheable, parts=self.parts)
        twin._tokens, twin._size, twin._id, twin._ids = self._tokens, self._size, self._id, self._ids
        return twin

    @property
    def size(self) -> int:
        """Bytes of the text: an upper bound of its tokens that costs nothing to know."""
        if self._size < 0:
            self._size = sum(part.size for part in self.parts) if self.parts else len(self.text.encode())
        return self._size

    @property
    def tokens(self) -> int:
        """Tokens of the text (for a joined block, the sum over its parts)."""
        if self._tokens < 0:
            self._tokens = sum(part.tokens for part in self.parts) if self.parts else count_tokens(self.text)
        return self._tokens

    @property
    def id(self) -> str:
        """Content address: equal texts have equal ids."""
        if not self._id:
            self._id = blake2b(self.text.encode(), digest_size=12).hexdigest()
        return self._id

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of its parts, its own where it has none."""
        if not self._ids:
            self._ids = tuple(part.id for part in self.parts) if self.parts else (self.id,)
        return self._ids

    def __repr__(self) -> str:
        return f"Block({self.text[:40]!r}, key={self.key!r})"
