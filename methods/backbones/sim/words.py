"""Words, numbers and actions as the simulated learner sees them: equal or not, earlier or later, never spelled."""

from __future__ import annotations

import re
from functools import lru_cache

TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
"""A word or a number; an identifier such as `ab_cd7` is the three tokens ab, cd and 7."""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in order, in lower case."""
    return tuple(TOKEN.findall(text.lower()))


@lru_cache(maxsize=20_000)
def masked(line: str) -> str:
    """A line with every number replaced by one mark, so that lines that differ in numbers only are equal."""
    return _DIGITS.sub("#", line)


@lru_cache(maxsize=5_000)
def numbers(text: str) -> tuple[float, ...]:
    """The numbers of a text, with their signs."""
    return tuple(float(found) for found in NUMBER.findall(text))


@lru_cache(maxsize=5_000)
def signs(text: str) -> tuple[bool, ...]:
    """For each number of a text whether it carries a sign."""
    return tuple(found[0] in "+-" for found in NUMBER.findall(text))


def head(action: str) -> str:
    """What an action shares with its like: its first token if it has more than one, else all of it."""
    parts = tokens(action)
    return parts[0] if len(parts) > 1 else action


def tail(action: str) -> tuple[str, ...]:
    """What tells an action from its like: the tokens after the first."""
    return tokens(action)[1:]
