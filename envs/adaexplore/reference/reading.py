"""What a prompt says: the fields, the limits, the probes made, the batches played. Text in, facts out."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import numpy as np

from evoplay.envs.adaexplore.dynamics import Array

_BAR = re.compile(r"^\| ?", re.MULTILINE)
_START = re.compile(r"^Assignment: ", re.MULTILINE)
_FIELD = re.compile(r"^- (\w+): (-?[\d.]+) to (-?[\d.]+) ")
_LIMIT = re.compile(r"^- (.+) <= (-?[\d.]+) \(")
_TERM = re.compile(r"(?P<sign>[-+]?)\s*(?:(?P<size>[\d.]+) \* )?(?P<name>[a-z]\w*)")
_PROBED = re.compile(r"^(\{.*\}) -> ([-\d. ]+)$")
_LEFT = re.compile(r"^This window allows (\d+) more cases")
_WINDOW = re.compile(r"Exploration window (\d+) of (\d+) is open; (\d+) cases can be probed")
_OPEN = re.compile(r"Batch (\d+) of (\d+) is open\.")
_CASE = re.compile(r"^case (\d+): (\{.*\})$")
_CLOSED = re.compile(r"Batch (\d+) is closed\. Utilities of your choices: ([-\d. ]+?)\. ")
_FORCED = re.compile(r"Every window needs probes of at least (\d+) different cases")
_QUESTION = "A question outside the episode"


@dataclass(frozen=True, slots=True)
class Probe:
    """A probed case in the window it was probed in: values by column, utilities as shown."""

    window: int
    case: tuple[float, ...]
    utilities: tuple[float, ...]


@dataclass(slots=True)
class Situation:
    """The facts of the present episode.

    names, low, high : the fields. limits : rows (coefficients..., bound) of coefficients @ case <= bound.
    probes : in order. closed : utilities of each closed batch, in order. window : the present one, or the open batch's.
    left : cases the window still allows. cases : of the open batch (None in a window). least : probes a window needs.
    asked : whether the text ends with a question outside the episode. key : the opening, for seeding.
    """

    names: list[str] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    limits: list[list[float]] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    closed: list[tuple[float, ...]] = field(default_factory=list)
    window: int = 1
    left: int = 0
    cases: list[tuple[float, ...]] | None = None
    least: int = 0
    asked: bool = False
    key: str = ""

    def normalised(self, cases: list[tuple[float, ...]]) -> Array:
        """Cases in [-1, 1] by field, shape (n, fields)."""
        low, high = np.asarray(self.low), np.asarray(self.high)
        values = np.asarray(cases, dtype=np.float64).reshape(len(cases), len(self.names))
        return np.asarray(2.0 * (values - low) / (high - low) - 1.0)

    def legal(self, cases: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which cases (field units, shape (n, fields)) keep ranges and limits."""
        good = np.all((cases >= np.asarray(self.low)) & (cases <= np.asarray(self.high)), axis=1)
        for *coefficients, bound in self.limits:
            # Column by column: a product of matrices would sum in an order that the processor decides.
            total = np.zeros(len(cases))
            for column, coefficient in enumerate(coefficients):
                total = total + coefficient * cases[:, column]
            good &= total <= bound + 1e-9
        return np.asarray(good)


def read(text: str) -> Situation:
    """The present episode's facts in a prompt: everything from the last opening on."""
    text = _BAR.sub("", text)
    starts = [found.start() for found in _START.finditer(text)]
    present = text[starts[-1] :] if starts else text
    facts = Situation(key=present[: present.find("\n\nHow an action is valued")])
    section = ""
    for line in present.splitlines():
        if line.startswith("A case is described by"):
            section = "fields"
        elif line.startswith("Every case keeps these limits"):
            section = "limits"
        elif not line.strip():
            section = ""
        elif section == "fields" and (found := _FIELD.match(line)):
            facts.names.append(found[1])
            facts.low.append(float(found[2]))
            facts.high.append(float(found[3]))
        elif section == "limits" and (found := _LIMIT.match(line)):
            facts.limits.append(_limit(found[1], float(found[2]), facts.names))
        else:
            _event(facts, line)
    facts.asked = _QUESTION in present
    return facts


def _limit(left: str, bound: float, names: list[str]) -> list[float]:
    row = [0.0] * len(names)
    for term in _TERM.finditer(left):
        size = float(term["size"] or 1) * (-1 if term["sign"] == "-" else 1)
        row[names.index(term["name"])] = size
    return [*row, bound]


def _event(facts: Situation, line: str) -> None:
    if found := _PROBED.match(line):
        values = json.loads(found[1])
        case = tuple(float(values[name]) for name in facts.names)
        facts.probes.append(Probe(facts.window, case, tuple(float(value) for value in found[2].split())))
    elif found := _LEFT.match(line):
        facts.left = int(found[1])
    elif found := _CASE.match(line):
        if facts.cases is not None and int(found[1]) == len(facts.cases) + 1:
            values = json.loads(found[2])
            facts.cases.append(tuple(float(values[name]) for name in facts.names))
    elif found := _FORCED.search(line):
        facts.least = int(found[1])
    if found := _CLOSED.search(line):
        facts.closed.append(tuple(float(value) for value in found[2].split()))
        facts.cases = None
    if found := _OPEN.search(line):
        facts.window = int(found[1])
        facts.cases = []
    if found := _WINDOW.search(line):
        facts.window, facts.left = int(found[1]), int(found[3])
        facts.cases = None
