"""What AdaExplore tells analysis in the `info` of its steps, checked where a log is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evoplay.evaluation.runlog import AGAIN, RunLogError
from evoplay.evaluation.shapes import LISTS, NUMBER, TEXT, Shape, fault_of, fields, or_null, shown, whole
from evoplay.memory.records import EpisodeRecord, StepRecord

SUITE = "adaexplore"
MANY = 1000
"""More batches or cases than any episode has."""
_FEW = whole(1, MANY)
_YES_OR_NO = Shape("true or false", frozenset((bool, int)), lambda value: value in (0, 1))
_DIRECTIONS = Shape(
    "an object of directions, 1 or -1", frozenset((dict,)), lambda value: all(one in (1, -1) for one in value.values())
)


_NUMBERS = Shape("a list of numbers", LISTS, lambda value: value and not any(map(NUMBER.fault, value)))


def _rows(value: Sequence[Any]) -> bool:
    return not any(_NUMBERS.fault(row) for row in value)


_ROWS = Shape("a list of lists of numbers", LISTS, _rows)
_UTILITIES = Shape(
    "a list of cases, a utility an action and one above the others",
    LISTS,
    lambda value: _rows(value) and all(max(row) > min(row) for row in value),
)
_CHOICES = Shape("a list of whole numbers from 0", LISTS, lambda value: not any(map(whole(0).fault, value)))
_ANSWERS = Shape("a list of true or false", LISTS, lambda value: not any(map(_YES_OR_NO.fault, value)))
EPISODE = fields(
    family=TEXT,
    task=TEXT,
    setting=TEXT,
    batches=_FEW,
    cases=_FEW,
    drift=or_null(_FEW),
    before=_DIRECTIONS,
    after=or_null(_DIRECTIONS),
)
_KINDS = {
    "probe": fields(cases=_ROWS, drifted=_YES_OR_NO),
    "next": fields(forced=_YES_OR_NO),
    "submit": fields(batch=_FEW, utilities=_UTILITIES, actions=_CHOICES, forced=_ANSWERS),
}


def told_by_adaexplore(facts: Any) -> bool:
    """Whether the `episode` of a step's info is that of an AdaExplore episode: another environment may tell its own."""
    return _episode_fault(facts) is None


def check_facts(records: Iterable[EpisodeRecord], where: object) -> None:
    """Raise RunLogError, naming `where` they are from, for episodes that do not tell what AdaExplore tells."""
    for record in records:
        if (wrong := _record_fault(record)) is not None:
            raise RunLogError(f"{where} is not AdaExplore's ({wrong}): {AGAIN}")


def _record_fault(record: EpisodeRecord) -> str | None:
    batches = MANY
    for step in record.steps:
        if "episode" in step.info:
            if (wrong := _episode_fault(step.info["episode"])) is not None:
                return f"the episode told by step {step.id} {wrong}"
            batches = step.info["episode"]["batches"]
    for step in record.steps:
        if (wrong := _step_fault(step, batches)) is not None:
            return f"what is told by step {step.id} {wrong}"
    return None


def _episode_fault(facts: Any) -> str | None:
    wrong = fault_of(facts, EPISODE)
    if wrong is None and facts["drift"] is not None:
        if not 2 <= facts["drift"] <= facts["batches"]:
            return f"has {facts['drift']} as 'drift', expected one of its {facts['batches']} batches, not the first"
        if facts["after"] is None:
            return "has null as 'after', expected the factors after its drift"
    return wrong


def _step_fault(step: StepRecord, batches: int) -> str | None:
    info: Mapping[str, Any] = step.info
    kind = info.get("kind")
    expected = _KINDS.get(kind) if isinstance(kind, str) else None
    if expected is None:
        return None
    wrong = fault_of(dict(info), expected)
    if wrong is None and kind == "submit":
        rows, chosen, forced = info["utilities"], info["actions"], info["forced"]
        if info["batch"] > batches:
            return f"has {info['batch']} as 'batch', expected one of {batches}"
        if not len(rows) == len(chosen) == len(forced):
            return (
                f"has {len(rows)} utilities, {len(chosen)} actions and {len(forced)} forced, expected as many of each"
            )
        for row, action in zip(rows, chosen, strict=True):
            if action >= len(row):
                return f"has {shown(action)} among its 'actions', expected less than {len(row)}"
    return wrong
