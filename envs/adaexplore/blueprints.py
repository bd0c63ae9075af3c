"""Blueprints: what an expert wrote about a task, as data, and the rules a blueprint must keep.

A blueprint is a TOML file `blueprints/<domain>/<task>.toml`. Its shape (see `parse_blueprint`):

    title, role, scenario   texts
    actions                 four texts, by rising intervention strength
    fields                  {name, meaning, unit, range, draw, decimals, directions, reversal}
    constraints             {terms, at_most, why}: sum of coefficient * field <= at_most
    replacements            {fields, why}: two fields of which one may take over from the other

`draw` is a distribution: ["uniform"], ["normal", mean, sd] (truncated to the range), ["triangular", mode],
["log_uniform"] or ["grid", step] (multiples of the step, equally likely). `directions` says which way a field may
act as a factor: "+", "-", "+-" or "" (never); "+-" needs `reversal`, the reason why the direction may turn.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from evoplay.envs.adaexplore.config import ACTIONS
from evoplay.envs.base import EnvError

MIN_FIELDS, MAX_FIELDS = 12, 24
MIN_CONSTRAINTS, MAX_CONSTRAINTS = 2, 8
MIN_REPLACEMENTS, MAX_REPLACEMENTS = 6, 40
MAX_TEXT, MAX_SCENARIO = 200, 900
MAX_SHARED_NAMES = 3
BINDING = (0.05, 0.60)
"""A constraint must be broken by a share of free draws between these: neither idle nor nearly impossible."""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f{}<>`\\\[\]|]|https?:|www\.")
_TELLING = re.compile(
    r"\b(ignore|disregard|instructions?|prompt|assistant|probe|submit|hidden|factors?|drift|lexicographic|"
    r"conjunctive|disjunctive|additive|a[0-3])\b",
    re.IGNORECASE,
)
_KEYS = {
    "field": {"name", "meaning", "unit", "range", "draw", "decimals", "directions", "reversal"},
    "constraint": {"terms", "at_most", "why"},
    "replacement": {"fields", "why"},
}
_DRAWS = {"uniform": 0, "normal": 2, "triangular": 1, "log_uniform": 0, "grid": 1}


class BlueprintError(EnvError):
    """A blueprint that breaks a rule; the message names the place, the value and what was expected."""


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A numeric field: `draw` is its distribution, `decimals` its rounding, `directions` a subset of (1, -1)."""

    name: str
    meaning: str
    unit: str
    low: float
    high: float
    draw: tuple[str, tuple[float, ...]]
    decimals: int
    directions: tuple[int, ...]
    reversal: str = ""


@dataclass(frozen=True, slots=True)
class Constraint:
    """Sum of coefficient * field <= at_most, with the reason."""

    terms: tuple[tuple[str, float], ...]
    at_most: float
    why: str

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.terms)


@dataclass(frozen=True, slots=True)
class Replacement:
    """Two fields of which one may take over from the other when the rule drifts."""

    fields: tuple[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A task as an expert described it."""

    domain: str
    task: str
    title: str
    role: str
    scenario: str
    actions: tuple[str, ...]
    fields: tuple[FieldSpec, ...]
    constraints: tuple[Constraint, ...]
    replacements: tuple[Replacement, ...]

    def field(self, name: str) -> FieldSpec:
        return next(spec for spec in self.fields if spec.name == name)

    def constraints_among(self, names: Sequence[str]) -> tuple[Constraint, ...]:
        """The constraints that speak of these fields only."""
        return tuple(constraint for constraint in self.constraints if constraint.names <= set(names))


@cache
def load_blueprint(domain: str, task: str) -> Blueprint:
    """The blueprint of a built-in task, validated (structure; see `sampling.binding_faults` for the rest)."""
    file = resources.files("evoplay.envs.adaexplore").joinpath("blueprints", domain, f"{task}.toml")
    return parse_blueprint(domain, task, tomllib.loads(file.read_text(encoding="utf-8")))


def parse_blueprint(domain: str, task: str, data: Mapping[str, Any]) -> Blueprint:
    """A blueprint from parsed TOML or JSON. Raises BlueprintError for the first rule that it breaks."""
    reader = _Reader(f"{domain}/{task}")
    actions = reader.texts(data, "actions", len(ACTIONS), len(ACTIONS))
    fields = tuple(reader.field(entry) for entry in reader.entries(data, "fields", MIN_FIELDS, MAX_FIELDS))
    names = [spec.name for spec in fields]
    reader.check(len(set(names)) == len(names), "fields", names, "every name once")
    constraints = tuple(
        reader.constraint(entry, names)
        for entry in reader.entries(data, "constraints", MIN_CONSTRAINTS, MAX_CONSTRAINTS)
    )
    by_name = {spec.name: spec for spec in fields}
    replacements = tuple(
        reader.replacement(entry, by_name)
        for entry in reader.entries(data, "replacements", MIN_REPLACEMENTS, MAX_REPLACEMENTS)
    )
    pairs = {frozenset(pair.fields) for pair in replacements}
    reader.check(len(pairs) == len(replacements), "replacements", len(replacements), "every pair once")
    reversible = [spec.name for spec in fields if len(spec.directions) == 2]
    reader.check(len(reversible) >= 2, "fields", reversible, "at least two fields that may act in both directions")
    eligible = sum(bool(spec.directions) for spec in fields)
    reader.check(eligible >= 6, "fields", eligible, "at least six fields that may be a factor")
    return Blueprint(
        domain,
        task,
        reader.text(data, "title", MAX_TEXT),
        reader.text(data, "role", MAX_TEXT),
        reader.text(data, "scenario", MAX_SCENARIO),
        actions,
        fields,
        constraints,
        replacements,
    )


def shared_names(first: Blueprint, second: Blueprint) -> set[str]:
    """Field names two blueprints have in common; at most MAX_SHARED_NAMES are allowed."""
    return {spec.name for spec in first.fields} & {spec.name for spec in second.fields}


class _Reader:
    """Typed access to untrusted data, with errors that name the place."""

    def __init__(self, where: str) -> None:
        self.where = where

    def check(self, holds: bool, place: str, value: object, expected: str) -> None:
        if not holds:
            raise BlueprintError(f"blueprint {self.where}, {place}: {str(value)[:80]!r}; expected {expected}")

    def entries(self, data: Mapping[str, Any], key: str, least: int, most: int) -> list[Mapping[str, Any]]:
        found = data.get(key)
        self.check(isinstance(found, list), key, found, "a list")
        entries: list[Any] = found or []
        self.check(least <= len(entries) <= most, key, f"{len(entries)} entries", f"{least} to {most}")
        kind = key.removesuffix("s")
        for entry in entries:
            self.check(isinstance(entry, Mapping), key, entry, "a table")
            extra = set(entry) - _KEYS[kind]
            self.check(not extra, key, sorted(map(str, extra)), f"only {', '.join(sorted(_KEYS[kind]))}")
        return entries

    def text(self, data: Mapping[str, Any], key: str, most: int = MAX_TEXT) -> str:
        found = data.get(key)
        self.check(isinstance(found, str) and 0 < len(found.strip()) <= most, key, found, f"1 to {most} characters")
        text = str(found).strip()
        self.check(not _FORBIDDEN.search(text), key, text, "plain words on one line, without brackets or links")
        self.check(not _TELLING.search(text), key, text, "words about the task, not about the game or its player")
        return text

    def texts(self, data: Mapping[str, Any], key: str, least: int, most: int) -> tuple[str, ...]:
        found = data.get(key)
        self.check(isinstance(found, list) and least <= len(found) <= most, key, found, f"a list of {least} texts")
        return tuple(self.text({key: entry}, key) for entry in found or [])

    def number(self, value: object, place: str) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e9
        self.check(good and math.isfinite(float(value)), place, value, "a number within ±1e9")  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]

    def numbers(self, value: object, place: str, count: int) -> tuple[float, ...]:
        good = isinstance(value, list) and len(value) == count
        self.check(good, place, value, f"{count} numbers")
        return tuple(self.number(entry, place) for entry in value)  # type: ignore[attr-defined]

    def field(self, entry: Mapping[str, Any]) -> FieldSpec:
        name = entry.get("name")
        good = isinstance(name, str) and 3 <= len(name) <= 40 and _NAME.fullmatch(name) is not None
        self.check(good, "name", name, "3 to 40 of a-z, 0-9 and single underscores, a letter first")
        name = str(name)
        # The words of a name are shown too.
        self.text({name: name.replace("_", " ")}, name)
        low, high = self.numbers(entry.get("range"), f"{name}.range", 2)
        self.check(low < high, f"{name}.range", (low, high), "low < high")
        decimals = entry.get("decimals")
        good = isinstance(decimals, int) and not isinstance(decimals, bool) and 0 <= decimals <= 4
        self.check(good, f"{name}.decimals", decimals, "0 to 4")
        places = int(str(decimals))
        for end in (low, high):
            self.check(round(end, places) == end, f"{name}.range", end, f"at most {places} decimals")
        self.check((high - low) * 10**places >= 4, f"{name}.range", (low, high), "at least 5 different values")
        directions = entry.get("directions")
        self.check(directions in ("", "+", "-", "+-"), f"{name}.directions", directions, "one of '', '+', '-', '+-'")
        both = directions == "+-"
        self.check(both == ("reversal" in entry), f"{name}.reversal", directions, "a reason exactly where it is '+-'")
        return FieldSpec(
            name,
            self.text(entry, "meaning"),
            self.text(entry, "unit", 40),
            low,
            high,
            self.draw(entry.get("draw"), name, low, high),
            places,
            tuple(1 if sign == "+" else -1 for sign in str(directions)),
            self.text(entry, "reversal") if both else "",
        )

    def draw(self, found: object, name: str, low: float, high: float) -> tuple[str, tuple[float, ...]]:
        place = f"{name}.draw"
        good = isinstance(found, list) and bool(found) and isinstance(found[0], str) and found[0] in _DRAWS
        self.check(good, place, found, f"a list that starts with one of {', '.join(_DRAWS)}")
        given: list[Any] = found if isinstance(found, list) else []
        kind = str(given[0])
        values = self.numbers(given[1:], place, _DRAWS[kind])
        if kind == "normal":
            mean, sd = values
            self.check(low <= mean <= high, place, mean, "a mean inside the range")
            self.check((high - low) / 50 <= sd <= 2 * (high - low), place, sd, "a spread of 2 to 200 % of the range")
        elif kind == "triangular":
            self.check(low <= values[0] <= high, place, values[0], "a mode inside the range")
        elif kind == "log_uniform":
            self.check(low > 0, place, low, "a range above 0")
        elif kind == "grid":
            step = values[0]
            good = step > 0 and 4 <= (high - low) / step <= 1000 and abs((high - low) / step % 1) < 1e-9
            self.check(good, place, step, "a step that divides the range into 4 to 1000 parts")
        return kind, values

    def constraint(self, entry: Mapping[str, Any], names: Sequence[str]) -> Constraint:
        terms = entry.get("terms")
        good = isinstance(terms, Mapping) and 2 <= len(terms) <= 4 and all(name in names for name in terms)
        self.check(good, "constraints.terms", terms, "coefficients of two to four fields of this blueprint")
        table: Mapping[str, Any] = terms if isinstance(terms, Mapping) else {}
        pairs = tuple((name, self.number(value, name)) for name, value in table.items())
        self.check(all(value for _, value in pairs), "constraints.terms", terms, "coefficients other than 0")
        return Constraint(pairs, self.number(entry.get("at_most"), "constraints.at_most"), self.text(entry, "why"))

    def replacement(self, entry: Mapping[str, Any], fields: Mapping[str, FieldSpec]) -> Replacement:
        pair = entry.get("fields")
        good = isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1]
        good = good and all(isinstance(name, str) and name in fields and fields[name].directions for name in pair or [])
        self.check(good, "replacements.fields", pair, "two different fields that may be factors")
        first, second = pair  # type: ignore[misc]
        return Replacement((first, second), self.text(entry, "why"))
