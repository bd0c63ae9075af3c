"""How a signature's fields are written into a prompt and read out of a reply: DSPy's chat format, made robust.

Inputs are text nobody vouches for (games, models): field markers in them are defused, so that they cannot pose as
fields. Replies may be anything: whatever cannot be read raises Unreadable with a line that a model can act on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

from dspy.adapters.chat_adapter import ChatAdapter
from dspy.adapters.utils import apply_output_field_defaults, format_field_value, parse_value

from evoplay.methods.backbones.base import Message

MAX_REPLY = 60_000
"""Characters; a longer reply is no answer to any of our signatures."""
MAX_REPAIRED = 6_000
"""Characters of JSON that is not quite JSON and may still be understood; the time that takes grows with the square."""
MAX_DEPTH = 60
"""Brackets nested deeper than this are no data of ours either."""

_OPENING = re.compile(r"\[\[(?=\s*##)")
_HEADER = re.compile(r"^[\s>*_`#-]*\[\[\s*##\s*(?P<name>\w+)\s*##\s*\]\][\s*_`:]*(?P<rest>.*)$")
_FENCED = re.compile(r"\A\s*```[\w+-]*[ \t]*\n(?P<body>.*?)\n?[ \t]*```\s*\Z", re.DOTALL)


class Unreadable(ValueError):
    """A reply that does not hold the fields it should; the message says what is wrong, in a line."""


def defused(text: str) -> str:
    """A text in which nothing looks like a field marker of DSPy's chat format."""
    return _OPENING.sub("[ [", text)


class FieldFormat(ChatAdapter):  # type: ignore[misc]  # DSPy is not typed
    """DSPy's chat format with defused inputs and a reader that fails in one way only."""

    def messages(self, signature: Any, inputs: Mapping[str, Any]) -> list[Message]:
        """The prompt of a call."""
        # Not `format`: it would turn markers of DSPy's own media types, which a game's text may hold, into attachments.
        system = self.format_system_message(signature)
        user = self.format_user_message_content(signature, dict(inputs), main_request=True)
        return [Message("system", _sendable(system)), Message("user", _sendable(user))]

    def repair(self, signature: Any, reply: str, problem: str) -> list[Message]:
        """What is appended to a prompt whose reply could not be read: that reply, what was wrong, what is expected."""
        structure = self.format_field_structure(signature)
        expected = structure[structure.find(f"[[ ## {next(iter(signature.output_fields))} ## ]]") :]
        ask = (
            f"Your last reply could not be read: {problem}\n"
            f"Answer once more, in full, in exactly this form and with nothing else:\n\n{expected}"
        )
        return [Message("assistant", _sendable(reply) or "(empty reply)"), Message("user", _sendable(ask))]

    def read(self, signature: Any, reply: str) -> dict[str, Any]:
        """The output fields of a reply, in their types. Raises Unreadable and nothing else."""
        # What a reasoning model thinks aloud is not its answer.
        text = reply.rpartition("</think>")[2].strip()
        if not text:
            raise Unreadable("it is empty")
        if len(text) > MAX_REPLY:
            raise Unreadable(f"it has {len(text):,} characters; {MAX_REPLY:,} are allowed")
        raw = _sections(text, signature.output_fields) or _json_fields(text, signature.output_fields)
        if not raw:
            names = ", ".join(f"[[ ## {name} ## ]]" for name in signature.output_fields)
            raise Unreadable(f"none of the fields {names} stands in it")
        fields: dict[str, Any] = {}
        for name, value in raw.items():
            fields[name] = _typed(name, value, signature.output_fields[name].annotation)
        fields = apply_output_field_defaults(signature, fields)
        missing = [name for name in signature.output_fields if name not in fields]
        if missing:
            raise Unreadable(f"the field {', '.join(f'[[ ## {name} ## ]]' for name in missing)} is missing")
        return fields

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """DSPy's hook for reading a reply."""
        return self.read(signature, completion)

    def format_user_message_content(
        self, signature: Any, inputs: dict[str, Any], prefix: str = "", suffix: str = "", main_request: bool = False
    ) -> str:
        """DSPy's rendering of the inputs, with markers defused."""
        pieces = [prefix]
        for name, info in signature.input_fields.items():
            if name in inputs:
                pieces.append(f"[[ ## {name} ## ]]\n{defused(str(format_field_value(info, inputs[name])))}")
        if main_request:
            pieces.append(self.user_message_output_requirements(signature))
        pieces.append(suffix)
        return "\n\n".join(pieces).strip()


def _sendable(text: str) -> str:
    return text.encode(errors="replace").decode()


def _sections(text: str, outputs: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a reply in chat format. Of a field that comes twice the first counts, as in DSPy."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header is None:
            current.append(line)
            continue
        current = [header["rest"]] if header["rest"] else []
        if header["name"] in outputs:
            found.setdefault(header["name"], current)
    return {name: _unfenced("\n".join(lines).strip()) for name, lines in found.items()}


def _json_fields(text: str, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a reply that is a JSON object, as models give when they know better."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or _too_deep(text):
        return {}
    try:
        data = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {name: data[name] for name in outputs if name in data}


def _unfenced(value: str) -> str:
    fenced = _FENCED.match(value)
    if fenced is not None:
        return fenced["body"]
    # A fence around the whole reply ends in its last field.
    return value.removesuffix("```").rstrip() if value.count("```") == 1 else value


def _typed(name: str, value: Any, annotation: Any) -> Any:
    if annotation is str and not isinstance(value, str):
        if value is None:
            raise Unreadable(f"the field [[ ## {name} ## ]] is null")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and not _takes_text(annotation):
        if _too_deep(value):
            raise Unreadable(f"the field [[ ## {name} ## ]] is nested more than {MAX_DEPTH} deep")
        value = _strict(name, value)
    try:
        return parse_value(value, annotation)
    except Exception as error:  # the reply is a stranger's and so are the errors of those who parse it
        raise Unreadable(f"the field [[ ## {name} ## ]] is not of its type: {_short(error)}") from error


def _takes_text(annotation: Any) -> bool:
    return annotation is str or (get_origin(annotation) in (Union, UnionType) and str in get_args(annotation))


def _strict(name: str, value: str) -> Any:
    """A JSON array or object as data; any other value, and short JSON with mistakes in it, as the text it is."""
    problem = "it is no JSON"
    if value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError as error:
            problem = str(error)
    if len(value) > MAX_REPAIRED:
        raise Unreadable(f"the field [[ ## {name} ## ]] is not of its type: {problem}")
    return value


def _too_deep(text: str) -> bool:
    depth = 0
    for char in text:
        if char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif char in "]}":
            depth = max(depth - 1, 0)
    return False


def _short(error: Exception) -> str:
    details = getattr(error, "errors", None)
    if callable(details):
        first = details()[0]
        at = ".".join(str(part) for part in first.get("loc", ()))
        return f"{at + ': ' if at else ''}{first.get('msg', error)}"[:300]
    return " ".join(str(error).split())[:300] or type(error).__name__
