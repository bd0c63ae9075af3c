"""From what a user writes (`memory:keep=recent`, `file.py:Class`) to a method and its options."""

from __future__ import annotations

import difflib
import importlib
import inspect
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any

from evoplay.envs.plugins import is_path, load_from_path
from evoplay.methods.base import Method, MethodError

BUILTIN = {
    "naive": "evoplay.methods.naive:Naive",
    "memory": "evoplay.methods.memory:Memory",
    "placebo": "evoplay.methods.controls:Placebo",
    "told": "evoplay.methods.controls:Told",
    "evidence": "evoplay.methods.evidence:Evidence",
    "best-episode": "evoplay.methods.controls:BestEpisode",
    "reflexion": "evoplay.methods.reflexion:Reflexion",
    "expel": "evoplay.methods.expel:Expel",
    "awm": "evoplay.methods.awm:Awm",
    "reasoningbank": "evoplay.methods.reasoningbank:ReasoningBank",
    "retrieval": "evoplay.methods.retrieval:Retrieval",
    "evotest": "evoplay.methods.evotest:EvoTest",
}
"""The methods that come with evoplay, imported only when asked for."""


_registered: dict[str, type[Method]] = {}


def register(kind: type[Method]) -> None:
    """Make a class, one defined in a notebook above all, known under its `name`; a later one replaces an earlier."""
    _registered[kind.name] = kind


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """A method with its options; `label` is how tables and folders name it."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        said = ",".join(f"{key}={_said(value)}" for key, value in self.options.items())
        return f"{self.name}:{said}" if said else self.name

    def build(self, **supplied: Any) -> Method:
        """A new instance; `supplied` are the texts it `needs`. Raises MethodError for a bad option."""
        kind = find_method(self.name)
        check_options(self.name, kind, self.options)
        try:
            return kind(**supplied, **self.options)
        except MethodError:
            raise
        except Exception as error:  # a user's own constructor: reported as theirs
            raise MethodError(f"method '{self.label}' cannot be made: {type(error).__name__}: {error}") from error


def parse_methods(text: str) -> list[MethodSpec]:
    """`name:option=value,...` as specs: one for each combination of list-valued options (`k=[1,3]`)."""
    name, options = _split(text.strip())
    choices = [[(key, one) for one in value] if isinstance(value, list) else [(key, value)] for key, value in options]
    specs = [MethodSpec(name, dict(combination)) for combination in itertools.product(*choices)]
    for spec in specs:
        check_options(name, find_method(name), spec.options)
    return specs


def method_names() -> list[str]:
    """Every method that can be named without a path."""
    return [*BUILTIN, *sorted((set(_entry_points()) | set(_registered)) - set(BUILTIN))]


def find_method(name: str) -> type[Method]:
    """The class of a method. Raises MethodError naming the nearest ones."""
    if name in _registered:
        return _registered[name]
    if is_path(name):
        try:
            found = load_from_path(name, Method)
        except ValueError as error:
            raise MethodError(str(error)) from error
    elif name in BUILTIN:
        module, _, attribute = BUILTIN[name].partition(":")
        found = getattr(importlib.import_module(module), attribute)
    elif name in _entry_points():
        found = _entry_points()[name].load()
    else:
        near = difflib.get_close_matches(name, method_names(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(method_names())}"
        raise MethodError(f"no method is called '{name}': {hint}")
    kind: type[Method] = found
    return kind


def check_options(name: str, kind: type[Method], options: Mapping[str, Any]) -> None:
    """Raises MethodError for an option the constructor does not take."""
    known = [key for key in inspect.signature(kind).parameters if key not in kind.needs]
    for key in options:
        if key not in known:
            have = f"its options are {', '.join(known)}" if known else "it has no options"
            raise MethodError(f"method '{name}' has no option '{key}': {have}")


def _split(text: str) -> tuple[str, list[tuple[str, Any]]]:
    name, colon, said = text.partition(":")
    if name.endswith(".py"):
        attribute, colon, said = said.partition(":")
        name = f"{name}:{attribute}"
    if colon and not said:
        raise MethodError(f"'{text}' ends in a colon: write name or name:option=value")
    options = []
    for part in re.findall(r"(?:\[[^\]]*\]|[^,\[])+", said):
        key, equals, value = part.partition("=")
        if not equals:
            raise MethodError(f"'{part}' in '{text}' is no option: write name:option=value,option=value")
        options.append((key.strip(), _value(value.strip())))
    return name, options


def _value(text: str) -> Any:
    """A value as JSON where it is JSON, else as a list of such in brackets, else as text."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    if text.startswith("[") and text.endswith("]"):
        return [_value(part.strip()) for part in text[1:-1].split(",")]
    return {"True": True, "False": False, "None": None}.get(text, text)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    return {point.name: point for point in metadata.entry_points(group="evoplay.methods")}
