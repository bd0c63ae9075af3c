"""What a player asks for: text actions and tool calls, read and checked. Nothing is played here.

A text action is `probe JSON`, `next`, `submit a2 a0 ...` or `calc EXPRESSION`; a tool call is the tool's name followed
by its arguments as a JSON object. Everything is bounded: an action longer than `PLAY.max_action` is not read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from evoplay.envs.adaexplore.blueprints import Constraint, FieldSpec
from evoplay.envs.adaexplore.config import ACTIONS, PLAY, WORLD

_WORDS = {
    "probe": "probe",
    "probe_batch": "probe",
    "next": "next",
    "request_next_batch": "next",
    "submit": "submit",
    "submit_action_batch": "submit",
    "calc": "calc",
    "calculator": "calc",
}
_HEAD = re.compile(r"\s*([A-Za-z_]+)[:\s]*(.*?)\s*\Z", re.DOTALL)
SLACK = 1e-9


class CallError(ValueError):
    """An action that cannot be used: what was wrong and what was expected.

    `partial` holds the usable part of a submission, case by case (None where there is none).
    """

    def __init__(self, message: str, partial: Sequence[str | None] = ()) -> None:
        super().__init__(message)
        self.partial = tuple(partial)


@dataclass(frozen=True, slots=True)
class Call:
    """A readable action: what it does ("probe", "next", "submit", "calc") and its argument, unchecked."""

    kind: str
    argument: Any = None


def tools() -> tuple[Mapping[str, Any], ...]:
    """The four tools as JSON schemas, in the form chat interfaces and MCP understand."""
    case = {"type": "object", "additionalProperties": {"type": "number"}}
    cases = {"type": "array", "minItems": 1, "maxItems": PLAY.probes_per_call, "items": case}
    actions = {"type": "array", "minItems": WORLD.cases, "maxItems": WORLD.cases}
    return (
        _tool(
            "probe_batch",
            f"In an exploration window: try out made-up cases, each with a value for every field, and see what each "
            f"of the four actions would be worth. Up to {PLAY.probes_per_call} cases a call and "
            f"{PLAY.probes_per_window} a window.",
            {"cases": cases},
        ),
        _tool("request_next_batch", "Close the exploration window and see the next evaluation batch.", {}),
        _tool(
            "submit_action_batch",
            "In an evaluation batch: one action for each case, in case order.",
            {"actions": {**actions, "items": {"type": "string", "enum": list(ACTIONS)}}},
        ),
        _tool(
            "calculator",
            "At any time: arithmetic with numbers, + - * / ** ( ), min, max, abs, sqrt, log, exp, mean.",
            {"expression": {"type": "string"}},
        ),
    )


def _tool(name: str, description: str, properties: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def tool_text(name: str, arguments: Mapping[str, Any]) -> str:
    """The text action a tool call stands for. Never fails: what makes no sense is refused where it is played."""
    try:
        return f"{name} {json.dumps(dict(arguments))}"
    except (TypeError, ValueError, RecursionError):
        return f"{name} with unreadable arguments"


def read_call(action: str) -> Call:
    """Which call an action is. Raises CallError if it is none."""
    if len(action) > PLAY.max_action:
        _fail(f"the action has {len(action)} characters; at most {PLAY.max_action} are read")
    found = _HEAD.match(action)
    word = found[1].lower() if found else ""
    if found is None or word not in _WORDS:
        _fail(f"'{shown(action)}' is not an action; expected probe, next, submit or calc")
    kind, rest = _WORDS[word], found[2]
    as_tool = word not in ("probe", "next", "submit", "calc")
    if kind == "next":
        if rest not in ("", "{}"):
            _fail(f"next stands alone; '{shown(rest)}' came after it")
        return Call("next")
    if as_tool or (rest.startswith("{") and kind in ("submit", "calc")):
        key = {"probe": "cases", "submit": "actions", "calc": "expression"}[kind]
        arguments = _json(rest, f'{{"{key}": ...}}')
        if not isinstance(arguments, dict) or set(arguments) != {key}:
            _fail(f"{word} takes an object with '{key}' alone; got {shown(arguments)}")
        return Call(kind, arguments[key])
    if kind == "probe":
        return Call(kind, _json(rest, 'probe {"field": value, ...} or a list of such cases'))
    if kind == "submit":
        if rest.startswith("["):
            return Call(kind, _json(rest, "submit a2 a0 ..."))
        return Call(kind, [word for word in re.split(r"[\s,;]+", rest) if word])
    return Call(kind, rest)


def check_probe(
    argument: object, fields: Sequence[FieldSpec], constraints: Sequence[Constraint], left: int
) -> list[tuple[float, ...]]:
    """The cases of a probe call in column order. Raises CallError; `left` is what the window still allows."""
    cases = [argument] if isinstance(argument, Mapping) else argument
    if not isinstance(cases, list) or not cases:
        _fail(f"probe takes a case or a list of cases; got {shown(argument)}")
    if len(cases) > PLAY.probes_per_call:
        _fail(f"{len(cases)} cases in one call; at most {PLAY.probes_per_call} are taken")
    if len(cases) > left:
        _fail(f"{len(cases)} cases, but {left} of {PLAY.probes_per_window} probes are left in this window")
    return [_case(case, number, fields, constraints) for number, case in enumerate(cases, start=1)]


def _case(
    case: object, number: int, fields: Sequence[FieldSpec], constraints: Sequence[Constraint]
) -> tuple[float, ...]:
    if not isinstance(case, Mapping):
        _fail(f"case {number} is {shown(case)}; expected an object with a number for each field")
    names = [spec.name for spec in fields]
    unknown = [name for name in case if name not in names]
    if unknown:
        _fail(f"case {number} has the unknown field {shown(unknown[0])}; the fields are {', '.join(names)}")
    missing = [name for name in names if name not in case]
    if missing:
        _fail(f"case {number} lacks {', '.join(missing)}; every field needs a value")
    values: dict[str, float] = {}
    for spec in fields:
        value = case[spec.name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            _fail(f"case {number}: {spec.name} is {shown(value)}; expected a number")
        if not spec.low <= value <= spec.high:
            _fail(
                f"case {number}: {spec.name} is {shown(value)}; "
                f"expected {number_text(spec.low)} to {number_text(spec.high)}"
            )
        values[spec.name] = float(value)
    for constraint in constraints:
        total = math.fsum(coefficient * values[name] for name, coefficient in constraint.terms)
        if total > constraint.at_most + SLACK:
            _fail(f"case {number} breaks a limit: {formula(constraint)} is needed, and the left side is {total:.6g}")
    return tuple(values[name] for name in names)


def check_submission(argument: object, count: int) -> list[int]:
    """Action numbers of a submission. Raises CallError, with the usable part of it."""
    if not isinstance(argument, list):
        _fail(f"submit takes {count} actions; got {shown(argument)}")
    words = [word.lower() if isinstance(word, str) else None for word in argument]
    partial = [word if word in ACTIONS else None for word in words][:count]
    for number, (word, given) in enumerate(zip(words, argument, strict=True), start=1):
        if word not in ACTIONS:
            raise CallError(f"action {number} is {shown(given)}; expected one of {', '.join(ACTIONS)}", partial)
    if len(words) != count:
        raise CallError(f"{len(words)} actions for {count} cases; expected one for each case, in case order", partial)
    return [ACTIONS.index(str(word)) for word in words]


def check_expression(argument: object) -> str:
    """The expression of a calculation. Raises CallError for anything but a string."""
    if not isinstance(argument, str):
        _fail(f"calc takes an expression; got {shown(argument)}")
    return argument


def formula(constraint: Constraint) -> str:
    """A constraint as a player reads it: `2 * a - b <= 10`."""
    parts = []
    for name, coefficient in constraint.terms:
        size = number_text(abs(coefficient))
        term = name if size == "1" else f"{size} * {name}"
        parts.append(f"{'-' if coefficient < 0 else '+'} {term}")
    text = " ".join(parts).removeprefix("+ ")
    return f"{text} <= {number_text(constraint.at_most)}"


def number_text(value: float) -> str:
    """A number without a needless decimal point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def shown(value: object) -> str:
    """A value a player gave, cut to what fits in a sentence."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    text = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[:200].split()))
    return text if len(text) <= 60 else f"{text[:57]}..."


def _json(text: str, expected: str) -> Any:
    if not text:
        _fail(f"nothing follows; expected {expected}")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except CallError:
        raise
    except RecursionError:
        _fail(f"the JSON is nested too deeply; expected {expected}")
    except ValueError as error:
        _fail(f"this is not valid JSON ({str(error)[:80]}); expected {expected}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _fail(f"'{shown(twice)}' is given twice; expected every field once")
    return found


def _refuse_constant(name: str) -> NoReturn:
    _fail(f"{name} is not a number a field can have")


def _fail(message: str) -> NoReturn:
    raise CallError(message)
