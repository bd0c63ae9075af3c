"""Checking the options a method is made with: one line naming the value, what was expected and the fix."""

from __future__ import annotations

from collections.abc import Sequence

from evoplay.methods.base import MethodError


def whole(method: str, option: str, value: object, least: int = 1) -> int:
    """A whole number of at least `least`. Raises MethodError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MethodError(f"{method}: {option}={value!r} is no whole number from {least} up: give one")
    return value


def real(method: str, option: str, value: object, low: float, high: float) -> float:
    """A number from `low` to `high`. Raises MethodError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise MethodError(f"{method}: {option}={value!r} is out of range: give a number from {low:g} to {high:g}")
    return float(value)


def one_of(method: str, option: str, value: object, known: Sequence[str]) -> str:
    """One of some words. Raises MethodError naming them."""
    for word in known:
        if value == word:
            return word
    raise MethodError(f"{method}: {option}={value!r} is unknown: use one of {', '.join(known)}")
