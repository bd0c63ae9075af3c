"""A past moment as a hint: what was seen, what was done, what it brought."""

from __future__ import annotations

from evoplay.memory.blocks import Block
from evoplay.methods.render import clipped, number, one_line, quoted

LONGEST_STATE = 1_000
"""Characters of an observation that a hint shows."""
LEAST_SIMILAR = 0.1
"""Cosine similarity below which a moment is not like the present one at all."""


def moment_block(observation: str, action: str, brought: str, times: int = 1) -> Block:
    """State -> action -> what it brought, with how often where it was more than once."""
    said = f"> {one_line(action)}\n" if action else ""
    often = f" ({times} times)" if times > 1 else ""
    return Block(f"{quoted(clipped(observation, LONGEST_STATE))}{said}[{brought}]{often}\n\n")


def score_change(gain: float) -> str:
    """A change of the score in words."""
    return f"score {'+' if gain >= 0 else '-'}{number(abs(gain))}"
