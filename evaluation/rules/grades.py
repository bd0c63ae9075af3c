"""What all rule-discovery graders share: grades, the play of a trial read back, the registry of graders.

A grader is a module `evaluation/rules/<game>.py` with a function `grade(trial) -> {"T1": "S", ...}`, pure over the
trial's record; it may build the game to know the hidden instance and never looks at what a method remembered.
"""

from __future__ import annotations

import importlib
import importlib.util
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Literal

from evoplay.memory.records import TrialRecord

Grade = Literal["S", "P", "-"]
Grades = Mapping[str, Grade]
Grader = Callable[[TrialRecord], Grades]


def graded(complete: bool, partial: bool) -> Grade:
    """S where the evidence is complete, else P where it is partial, else -."""
    return "S" if complete else "P" if partial else "-"


def grader_of(env_id: str) -> Grader | None:
    """The grader of an environment, or None where there is none."""
    name = f"evoplay.evaluation.rules.{env_id.rpartition('/')[2]}"
    if not env_id.startswith("learn2play/") or importlib.util.find_spec(name) is None:
        return None
    grader: Grader = importlib.import_module(name).grade
    return grader


def criteria_of(env_id: str) -> Mapping[str, str]:
    """What the criteria of an environment are about, `{"T1": words}`; empty where it has none."""
    return _criteria().get(env_id.rpartition("/")[2], {}) if env_id.startswith("learn2play/") else {}


@cache
def _criteria() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("criteria.toml").read_text(encoding="utf-8"))


def best_grade(first: Grade, second: Grade) -> Grade:
    """The better of two grades."""
    return min(first, second, key="SP-".index)
