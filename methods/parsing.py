"""Reading the action out of a model's reply. What is legal is the environment's to say, not the parser's."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

EXPECTED = (
    "No action could be read in your last reply. Answer with one line of the form\n"
    "Action: <the action>\n"
    "and nothing after it."
)
# The label may be bold or quoted, with an ASCII or full-width colon, in any case; "Action 1:" and "Next action:" count.
_LABELLED = re.compile(
    r"^[\s>*_`#-]*(?:(?:my|next|chosen|final|the)\s+)?action(?:\s*\d+)?[*_`]*\s*[:：=][*_`]*\s*(?P<action>.*?)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"```[a-zA-Z]*\n(?P<body>.*?)(?:```|\Z)", re.DOTALL)
_LONGEST_BARE = 200


@dataclass(frozen=True, slots=True)
class Extraction:
    """The action found (None: nothing readable) and remarks, such as further actions that were not played."""

    action: str | None
    notes: tuple[str, ...] = ()


def extract_action(reply: str) -> Extraction:
    """The first action of a reply: a labelled line, JSON, a code block, or a bare action; in this order."""
    # What a reasoning model thinks aloud is not its answer.
    text = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL).strip()
    if not text:
        return Extraction(None)
    labelled = [_undecorated(match["action"]) for match in _LABELLED.finditer(text)]
    found = [action for action in labelled if action]
    if not found:
        found = _from_json(text) or _from_fence(text) or _from_bare(text)
    if not found:
        return Extraction(None)
    notes = (f"{len(found) - 1} further actions were not played: {', '.join(found[1:6])}",) if len(found) > 1 else ()
    return Extraction(found[0], notes)


def _undecorated(action: str) -> str:
    """An action without the markdown or quotes wrapped around it."""
    action = action.strip()
    for mark in ("**", "__", "`", '"', "'", "*"):
        if len(action) > 2 * len(mark) and action.startswith(mark) and action.endswith(mark):
            action = action[len(mark) : -len(mark)].strip()
    return action.strip("`").removesuffix("**").strip()


def _from_json(text: str) -> list[str]:
    fenced = _FENCE.search(text)
    body = fenced["body"] if fenced else text
    start, end = body.find("{"), body.rfind("}")
    if start < 0 or end < start:
        return []
    try:
        data = json.loads(body[start : end + 1])
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict):
        return []
    named = {str(key).lower(): value for key, value in data.items()}
    value = named.get("action", named.get("actions"))
    values = value if isinstance(value, list) else [value]
    return [item.strip() for item in values if isinstance(item, str) and item.strip()]


def _from_fence(text: str) -> list[str]:
    fenced = _FENCE.search(text)
    return [line.strip() for line in fenced["body"].splitlines() if line.strip()] if fenced else []


def _from_bare(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and len(lines[0]) <= _LONGEST_BARE and not _LABELLED.fullmatch(lines[0]):
        action = _undecorated(lines[0].removeprefix("> "))
        return [action] if action else []
    return []
