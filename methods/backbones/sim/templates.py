"""Filling actions that stand for many: blanks such as `<name>`, and JSON objects whose values can be varied.

Names and ranges come from the text: a range is two numbers behind a name, a name is what begins a line of a list.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any

_BLANK = re.compile(r"<[^<>\s][^<>]*>")
_OBJECT = re.compile(r"\{.*\}")
_ITEM = re.compile(r"^\s*(?:[-*•]\s+)?(?:[^\W\d]\w*\s+)?([\w.-]*\w)\s*[:.)=(]\s")
_BARE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def fill(action: str, lines: Sequence[str], rng: random.Random) -> str:
    """An action with its blanks filled, and the numbers of its JSON object varied one at a time."""
    if "<" in action:
        names = _names(lines)
        if names:
            action = _BLANK.sub(lambda blank: rng.choice(names), action)
    found = _OBJECT.search(action)
    if found is None:
        return action
    try:
        value = json.loads(found[0])
    except ValueError:
        return action
    if not isinstance(value, dict):
        return action
    varied = json.dumps(_varied(value, lines, rng), ensure_ascii=False)
    return action[: found.start()] + varied + action[found.end() :]


def _names(lines: Sequence[str]) -> list[str]:
    """What begins the lines that say something of it, the latest first."""
    found = (_ITEM.match(line) for line in reversed(lines))
    return list(dict.fromkeys(match[1] for match in found if match))


def _varied(value: dict[str, Any], lines: Sequence[str], rng: random.Random) -> dict[str, Any]:
    """A JSON object with one of its numbers moved to an end of its range, or anywhere in it."""
    numeric = [key for key, held in value.items() if isinstance(held, int | float) and not isinstance(held, bool)]
    rng.shuffle(numeric)
    for key in numeric:
        span = range_of(key, lines)
        if span is not None:
            low, high = span
            drawn = rng.choice((low, high, rng.uniform(low, high)))
            whole = isinstance(value[key], int) and low.is_integer() and high.is_integer()
            return {**value, key: round(drawn) if whole else round(drawn, 2)}
    return value


def range_of(name: str, lines: Sequence[str]) -> tuple[float, float] | None:
    """The first two numbers behind a name in the first line that names it, if they rise."""
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)(.*)")
    for line in lines:
        found = named.search(line)
        if found is None or "{" in line:
            continue
        ends = [float(number) for number in _BARE.findall(found[1])[:2]]
        if len(ends) == 2 and ends[0] < ends[1]:
            return ends[0], ends[1]
    return None


def filled_form(question: str, lines: Sequence[str], rng: random.Random) -> str | None:
    """An answer to a question that shows the JSON form of its answer; None if it shows none.

    Names in the form are replaced by names that JSON objects in the text have, as many as there are or one more.
    """
    found = _OBJECT.search(question)
    if found is None:
        return None
    try:
        form = json.loads(found[0])
    except ValueError:
        return None
    names: dict[str, None] = {}
    for line in lines:
        shown = _OBJECT.search(line)
        if shown is not None:
            try:
                value = json.loads(shown[0])
            except ValueError:
                continue
            if isinstance(value, dict):
                names.update(dict.fromkeys(value))
    return json.dumps(_named(form, list(names), rng), ensure_ascii=False)


def _named(form: Any, names: Sequence[str], rng: random.Random) -> Any:
    if not isinstance(form, dict):
        return form
    if any(isinstance(value, dict) for value in form.values()):
        return {key: _named(value, names, rng) for key, value in form.items()}
    if not names:
        return form
    values = list(form.values())
    size = min(len(names), len(form) + rng.randrange(2))
    return {name: rng.choice(values) for name in rng.sample(list(names), size)}
