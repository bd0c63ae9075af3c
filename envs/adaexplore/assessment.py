"""Assessments: what an agent says the factors are, asked outside the episode."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BEFORE, END = "before", "end"
"""Ids of the two assessments: just before the drift, and at the end."""
_MOST = 50
_SIGNS = {
    **dict.fromkeys(("+", "+1", "1", "positive", "pos", "up", "increasing", "increase", "higher", "plus"), 1),
    **dict.fromkeys(("-", "-1", "−", "−1", "negative", "neg", "down", "decreasing", "decrease", "lower", "minus"), -1),
}
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


def read_assessment(reply: str | None) -> dict[str, int] | None:
    """Named factors with their directions (+1, -1; 0 where none is readable), or None for an unreadable reply.

    Taken is the last JSON object in the reply that has the key "factors": an object {name: direction} or a list of
    {"field": name, "direction": direction}. Names are kept as given: one that is no field counts as a wrong factor.
    """
    if reply is None:
        return None
    text = _THINKING.sub("", reply[:100_000])
    factors = None
    for data in _objects(text):
        if "factors" in data:
            factors = data["factors"]
    if isinstance(factors, Mapping):
        pairs = list(factors.items())
    elif isinstance(factors, list):
        pairs = [pair for entry in factors if (pair := _pair(entry)) is not None]
        if factors and not pairs:
            return None
    else:
        return None
    return {str(name).strip()[:100]: _sign(value) for name, value in pairs[:_MOST]}


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand in a text, outermost ones only, in order."""
    decoder = json.JSONDecoder()
    found, at = [], text.find("{")
    tried = 0
    while at >= 0 and tried < 200:
        tried += 1
        try:
            data, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(data, dict):
                found.append(data)
        at = text.find("{", end)
    return found


def _pair(entry: object) -> tuple[str, object] | None:
    if isinstance(entry, str):
        return entry, None
    if isinstance(entry, Mapping):
        name = entry.get("field", entry.get("name", entry.get("factor")))
        if isinstance(name, str):
            return name, entry.get("direction", entry.get("sign"))
    return None


def _sign(value: object) -> int:
    if isinstance(value, Mapping):
        value = value.get("direction", value.get("sign"))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return 0
    if not isinstance(value, str):
        return (value > 0) - (value < 0)
    return _SIGNS.get(value.strip().lower(), 0)


def write_assessment(directions: Mapping[str, int]) -> str:
    """An answer in the form that is asked for."""
    return json.dumps({"factors": {name: "+" if sign > 0 else "-" for name, sign in directions.items()}})
