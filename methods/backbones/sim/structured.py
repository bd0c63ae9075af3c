"""Filling the typed fields of a structured call from the play that stands in its prompt.

The form is DSPy's chat format: `[[ ## field ## ]]` markers, a note of the type behind each placeholder. Nothing is
known of any particular call; a field is filled by its type and by what the words of its name ask for.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoplay.methods.backbones.sim.experience import rewards_of
from evoplay.methods.backbones.sim.guidance import AGAINST, FOR, read_advice
from evoplay.methods.backbones.sim.lessons import Lesson, lessons, quoted, score_of
from evoplay.methods.backbones.sim.transcript import Play, Scanner
from evoplay.methods.backbones.sim.words import tokens

MARKER = re.compile(r"^\[\[ ## (\w+) ## \]\][ \t]*", re.MULTILINE)
_PLACEHOLDER = re.compile(r"^\{(\w+)\}(?:[ \t]+# note: the value you produce (.*))?$")
_ABOUT = re.compile(r"^\d+\. `(\w+)` \((.*?)\): ?(.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*(?:\[?(\d+)[\].)»:]+)\s+(.*)$")
_ENTRY = re.compile(r"\[([^\[\]\s]*\d[^\[\]\s]*)\]\s+(.*)")
MOST_ITEMS = 3
Schema = Mapping[str, Any]
_IDS = frozenset({"id", "ids", "step", "steps", "links", "sources", "shows", "basis"})
_TITLES = frozenset({"title", "name", "label", "heading", "goal"})
_WHEN = frozenset({"condition", "when", "context", "situation"})
_EFFECT = frozenset({"effect", "outcome", "result", "prediction", "predicted"})
_BAD = frozenset(
    {"harmful", "avoid", "mistake", "mistakes", "failure", "contradicts", "contradicting", "against", "worst"}
)
_FOR_IT = frozenset({"supports", "supporting", "confirms", "shows", "favour"})
_AGAINST_IT = frozenset({"contradicts", "contradicting", "refutes", "opposes", "against"})
_TEXTS = frozenset(
    {"text", "statement", "content", "description", "insight", "lesson", "plan", "rule", "guide", "advice", "summary"}
    | {"body", "claim", "reasons", "why", "comparison", "mistake", "reflection", "strategy"}
)
_BEST = frozenset({"best", "which", "chosen", "winner"})
_CODE = frozenset({"code", "python", "program", "function", "source"})
_AGREE = frozenset({"agree", "agrees", "support", "supports", "confirm", "keep", "supporting"})
_NEW = frozenset({"add", "new", "append", "propose", "create", "insert"})


@dataclass(slots=True)
class Form:
    """A structured call as read: inputs with their texts, outputs with their type notes and descriptions."""

    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)


def is_form(text: str) -> bool:
    """Whether a prompt asks for marked fields."""
    return "[[ ## completed ## ]]" in text


def read_form(system: str, user: str) -> Form:
    """The fields of a structured call."""
    given = _sections(user)
    form = Form(about={name: desc for name, _, desc in _ABOUT.findall(system)})
    for name, body in _sections(system).items():
        line = body.strip().split("\n", 1)[0].strip()
        found = _PLACEHOLDER.match(line)
        if found is None or found[1] != name:
            continue
        if name in given:
            form.inputs[name] = given[name]
        else:
            form.outputs[name] = found[2] or ""
    return form


def _sections(text: str) -> dict[str, str]:
    # What is asked for stands behind the last field, in a line that quotes its markers.
    asked = text.rfind("`[[ ## completed ## ]]`")
    if asked >= 0:
        text = text[: text.rfind("\n", 0, asked) + 1]
    marks = list(MARKER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {mark[1]: text[mark.end() : end].strip("\n") for mark, end in zip(marks, ends, strict=True)}


def answer(system: str, user: str, rng: random.Random) -> str:
    """A reply with every output field filled."""
    form = read_form(system, user)
    filler = Filler(form, rng)
    parts = [f"[[ ## {name} ## ]]\n{filler.fill(name)}" for name in form.outputs]
    return "\n\n".join([*parts, "[[ ## completed ## ]]\n"])


class Filler:
    """Fills fields from what the inputs show."""

    def __init__(self, form: Form, rng: random.Random) -> None:
        self.form = form
        self.rng = rng
        self.plays: list[Play] = []
        for text in form.inputs.values():
            scanner = Scanner()
            scanner.feed(text)
            self.plays += [play for play in scanner.plays if play.moves]
        self.lessons = lessons(self.plays)
        self.listed = _numbered(form.inputs.values())
        self.entries = _entries(form.inputs.values())
        known = dict.fromkeys(move.action for play in self.plays for move in play.moves if move.action)
        self.known = tuple(known)
        self.success = self._success()

    def _success(self) -> bool:
        """Whether the last play shown ended at least as well as the others, and above nothing."""
        if not self.plays:
            return False
        scores = [score_of(play) for play in self.plays]
        return scores[-1] > 0 and scores[-1] >= max(scores)

    def fill(self, name: str) -> str:
        """The text of an output field."""
        note = self.form.outputs[name]
        about = self.form.about.get(name, "")
        if not note:
            return self._prose(name, about)
        if "True or False" in note:
            return str(self._truth(name))
        if "single int" in note:
            return str(int(self._number({}, name, None)))
        if "single float" in note:
            return f"{self._number({}, name, None):g}"
        if "one of:" in note:
            return self._option(note.split("one of:", 1)[1].strip().split("; "), None)
        at = note.find("{")
        if at >= 0:
            try:
                schema = json.loads(note[at:])
            except ValueError:
                return self._prose(name, about)
            value = self._value(schema, schema.get("$defs", {}), name, None, about)
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return self._prose(name, about)

    # --- values by schema -------------------------------------------------------------------------------------

    def _value(self, schema: Schema, defs: Schema, name: str, of: Lesson | None, about: str) -> Any:
        if "$ref" in schema:
            return self._value(defs.get(schema["$ref"].rpartition("/")[2], {}), defs, name, of, about)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._option([str(option) for option in schema["enum"]], of)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                options = [option for option in schema[union] if option.get("type") != "null"]
                return self._value(options[0], defs, name, of, about) if options else None
        if "allOf" in schema:
            return self._value(schema["allOf"][0], defs, name, of, about)
        kind = schema.get("type")
        about = schema.get("description", about)
        if kind == "array":
            return self._array(schema, defs, name, of, about)
        if kind == "object":
            return self._object(schema, defs, name, of, about)
        if kind == "boolean":
            return self._truth(name) if of is None else of.good
        if kind == "integer":
            return int(self._number(schema, name, of))
        if kind == "number":
            return self._number(schema, name, of)
        if kind == "null":
            return None
        return self._string(schema, name, of, about)

    def _array(self, schema: Schema, defs: Schema, name: str, of: Lesson | None, about: str) -> list[Any]:
        items = schema.get("items", {})
        if "prefixItems" in schema:
            return [self._value(item, defs, name, of, about) for item in schema["prefixItems"]]
        inner = items
        while "$ref" in inner:
            inner = defs.get(inner["$ref"].rpartition("/")[2], {})
        most = min(schema.get("maxItems", MOST_ITEMS), 20)
        if inner.get("type") in ("string", "integer") and "enum" not in inner and _asks(name, about, _IDS):
            found = self._ids(of, _asks(name, "", _BAD))
            if inner["type"] == "integer":
                return [int(last) for last in (re.findall(r"\d+", one)[-1:] for one in found) for last in last][:most]
            return found[: max(most, 5)]
        if inner.get("type") == "string" and of is not None and "enum" not in inner:
            return [f"`{action}`" if not _asks(name, about, {"action", "actions"}) else action for action in of.actions]
        keys = [frozenset(tokens(key)) for key in inner.get("properties", {})]
        if any(key & _FOR_IT for key in keys) and any(key & _AGAINST_IT for key in keys):
            return self._marks(inner, defs)
        chosen = self._chosen(name)
        if any(key & {"actions", "sequence"} for key in keys):
            # A run of actions to be repeated.
            chosen = [lesson for lesson in chosen if lesson.good and len(lesson.actions) > 1]
        if any(key & _WHEN for key in keys):
            # What stands under a condition is one move, not a whole line of them.
            chosen = [lesson for lesson in chosen if lesson.kind != "line"]
        if of is not None:
            chosen = [of]
        least = schema.get("minItems", 0)
        values = [self._value(items, defs, name, lesson, about) for lesson in chosen[:most]]
        while len(values) < least:
            values.append(self._value(items, defs, name, None, about))
        return values

    def _object(self, schema: Schema, defs: Schema, name: str, of: Lesson | None, about: str) -> dict[str, Any]:
        if of is None and self.lessons:
            of = self.lessons[0]
        properties = schema.get("properties", {})
        if not properties and isinstance(schema.get("additionalProperties"), Mapping):
            return {}
        return {
            key: self._value(value, defs, key, of, value.get("description", "")) for key, value in properties.items()
        }

    def _marks(self, schema: Schema, defs: Schema) -> list[dict[str, Any]]:
        """For each listed entry the moves that show it and those that show the opposite, where there are any."""
        out = []
        for entry, text in self.entries.items():
            shown, opposed = self._verdict(text)
            if not shown and not opposed:
                continue
            mark: dict[str, Any] = {}
            for key, value in schema.get("properties", {}).items():
                words = frozenset(tokens(key))
                if words & _FOR_IT:
                    mark[key] = shown
                elif words & _AGAINST_IT:
                    mark[key] = opposed
                elif value.get("type") == "string":
                    mark[key] = entry
                else:
                    mark[key] = self._value(value, defs, key, None, "")
            out.append(mark)
        return out

    def _verdict(self, text: str) -> tuple[list[str], list[str]]:
        """Ids of the moves that bear out a listed entry, and of those that speak against it."""
        shown: dict[str, None] = {}
        opposed: dict[str, None] = {}
        for advice in read_advice(text, self.known):
            size = len(advice.actions)
            for play in self.plays:
                rewards = rewards_of(play)
                for end in range(size, len(play.moves) + 1):
                    run = play.moves[end - size : end]
                    if tuple(move.action for move in run) != advice.actions or not run[-1].label:
                        continue
                    brought = sum(rewards[end - size : end])
                    fits = brought > 0 if advice.good else brought <= max(advice.worth or 0.0, 0.0)
                    (shown if fits else opposed)[_id_in(run[-1].label)] = None
        return [one for one in shown if one], [one for one in opposed if one and one not in shown]

    # --- simple values ----------------------------------------------------------------------------------------

    def _chosen(self, name: str) -> list[Lesson]:
        if _asks(name, "", _BAD):
            return [lesson for lesson in self.lessons if not lesson.good]
        return self.lessons

    def _truth(self, name: str) -> bool:
        return not self.success if _asks(name, "", _BAD) else self.success

    def _option(self, options: Sequence[str], of: Lesson | None) -> str:
        spelled = [frozenset(tokens(option)) for option in options]
        wanted = [_AGREE] if of is not None and self._listed_at(of) is not None else [_NEW]
        for words in wanted:
            for option, spelling in zip(options, spelled, strict=True):
                if spelling & words:
                    return option
        good = self.success if of is None else of.good
        for option, spelling in zip(options, spelled, strict=True):
            if spelling & ((FOR | {"success", "yes", "true"}) if good else (AGAINST | {"failure", "no", "false"})):
                return option
        return options[0]

    def _listed_at(self, of: Lesson) -> int | None:
        """The number under which the inputs already list what a lesson says."""
        for number, text in self.listed.items():
            for advice in read_advice(text, self.known):
                if advice.actions == of.actions and advice.good == of.good:
                    return number
        return None

    def _number(self, schema: Schema, name: str, of: Lesson | None) -> float:
        low: float | None = schema.get("minimum", schema.get("exclusiveMinimum"))
        high: float | None = schema.get("maximum")
        if low is not None and high is not None and low >= 0 and high <= 1:
            return low + (high - low) * (0.7 if of is None or of.times < 2 else 0.9)
        listed = self._listed_at(of) if of is not None else None
        if of is None and self.plays and _asks(name, "", _BEST):
            listed = max(range(len(self.plays)), key=lambda at: score_of(self.plays[at])) + 1
        seen = of.times if of is not None else len(self.plays[-1].moves) if self.plays else 1
        value = float(listed if listed is not None else seen)
        if low is not None:
            value = max(value, low)
        return min(value, high) if high is not None else value

    def _string(self, schema: Schema, name: str, of: Lesson | None, about: str) -> str:
        default = schema.get("default")
        if of is None:
            text = self._prose(name, about)
        elif _asks(name, "", _TITLES):
            text = of.short
        elif _asks(name, "", {"action"}):
            text = of.actions[-1]
        elif _asks(name, "", _WHEN):
            text = f"after {quoted(of.actions[:-1])}" if len(of.actions) > 1 else "always"
        elif _asks(name, "", _EFFECT):
            text = "ends" if of.kind == "ending" else f"score {of.last:+.4g}" if of.last else "no change"
        elif isinstance(default, str) and not _asks(name, "", _TEXTS):
            text = default
        elif _asks(name, about, {"id"}) and self.entries:
            text = next(iter(self.entries))
        elif _asks(name, "", _IDS):
            text = (self._ids(of, False) or [""])[0]
        else:
            text = of.sentence
        most = schema.get("maxLength")
        return text[:most] if most is not None else text

    def _ids(self, of: Lesson | None, bad: bool) -> list[str]:
        """The ids found above the moves that show a lesson."""
        labels = of.labels if of is not None else tuple(m.label for play in self.plays for m in play.moves if m.label)
        if bad:
            return []
        found = [one for one in map(_id_in, labels) if one]
        return list(dict.fromkeys(found))[-5:]

    def _prose(self, name: str, about: str) -> str:
        """A text: the lessons as sentences, or, where code is asked for, the code that was given."""
        if _asks(name, about, _CODE):
            for given, text in self.form.inputs.items():
                if set(tokens(given)) & set(tokens(name)) or "def " in text:
                    return text
            return ""
        chosen = self._chosen(name)
        if _asks(name, "", _TITLES):
            return chosen[0].short if chosen else "Nothing learned yet"
        if not chosen:
            return "Nothing in this play raised the score; try what has not been tried."
        return " ".join(lesson.sentence for lesson in chosen[:10])


def _asks(name: str, about: str, words: frozenset[str] | set[str]) -> bool:
    """Whether a field's name, or its description, holds one of these words."""
    return bool(set(tokens(name)) & words or set(tokens(about)) & words)


def _id_in(label: str) -> str:
    """The id at the end of a line above a move, "" if it has none."""
    word = label.split()[-1].strip(":.,;[]()") if label.split() else ""
    return word if re.search(r"\d", word) else ""


def _entries(texts: Iterable[str]) -> dict[str, str]:
    """What the inputs list under bracketed ids: id -> text."""
    out: dict[str, str] = {}
    for text in texts:
        for line in text.splitlines():
            if line and line[0] not in "|>[":
                for found in _ENTRY.finditer(line):
                    out.setdefault(found[1], found[2])
            elif line.startswith("[") and not line.endswith("]"):
                found_first = _ENTRY.match(line)
                if found_first:
                    out.setdefault(found_first[1], found_first[2])
    return out


def _numbered(texts: Iterable[str]) -> dict[int, str]:
    """Numbered lines of the inputs that are not a game's own words."""
    out: dict[int, str] = {}
    for text in texts:
        for line in text.splitlines():
            found = _NUMBERED.match(line)
            if found and not line.startswith(("|", ">")):
                out.setdefault(int(found[1]), found[2])
    return out
