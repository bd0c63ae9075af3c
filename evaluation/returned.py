"""What the hooks of a method have to return: checked where it comes in, so that a wrong one is told in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.evaluation.runlog import plain
from evoplay.evaluation.shapes import shown
from evoplay.memory.blocks import Block
from evoplay.memory.claims import Claim
from evoplay.methods.base import Context

PLACES = ("guidance", "history", "hints")


def fault(hook: str, value: Any, arguments: Sequence[Any] = ()) -> str | None:
    """What is wrong with the value that a hook returned when called with `arguments`, and the fix; None if nothing."""
    if hook == "context":
        return _context(value)
    if hook == "state":
        return _state(value)
    if hook == "choose":
        count = len(arguments[0])
        if isinstance(value, int) and 0 <= value < count:
            return None
        return f"returned {_shown(value)}: return the place of one of the {count} rollouts, 0 to {count - 1}"
    if hook in ("rules", "shown_rules"):
        if (value is None and hook == "rules") or (_is_list(value) and all(isinstance(one, Claim) for one in value)):
            return None
        return f"returned {_shown(value)}: return a list of claims of the evidence store"
    if hook == "plant" and not isinstance(value, Claim):
        return f"returned {_shown(value)}: return the claim that was made in the evidence store"
    return None


def _context(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, Context):
        return (
            f"returned {_shown(value)}: return a Context of blocks, such as "
            'evoplay.Context(guidance=[Block("a line of text\\n")])'
        )
    for place in PLACES:
        blocks = getattr(value, place)
        if not _is_list(blocks):
            return f"returned a Context whose {place} is {_shown(blocks)}: give a list of Block"
        for block in blocks:
            if not isinstance(block, Block):
                return f"returned a Context with {_shown(block)} in its {place}: wrap each text as Block(text)"
            text: Any = block.text
            if not isinstance(text, str):
                return f"returned a Context with a Block of {_shown(text)} in its {place}: give it a text"
    return None


def _state(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return f'returned {_shown(value)}: return a dict of JSON data, such as {{"score": 3}}'
    try:
        json.dumps(dict(value), default=plain)
    except (TypeError, ValueError, RecursionError) as error:
        return f"returned what is no JSON data ({error}): use dicts with texts as keys, lists, texts, numbers, None"
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _shown(value: Any) -> str:
    """A value with its type, on one line."""
    if value is None:
        return "None"
    return f"the {type(value).__name__} {shown(value)}"
