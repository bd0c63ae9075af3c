"""Rule discovery: what trials show of each hidden rule, graded S (complete), P (partial), - (none)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.rules.grades import Grade, Grades, best_grade, grader_of
from evoplay.evaluation.runlog import Cell
from evoplay.memory.records import TrialRecord


def grades_by_trial(run: LoadedRun) -> dict[Cell, Grades]:
    """The grades of every trial that has a finished episode and an environment with criteria.

    Trials of a game whose rules are other ones now are left out: graders know today's game.
    """
    graded: dict[Cell, Grades] = {}
    for cell in run.cells:
        grader = None if cell.env_id in run.changed_rules else grader_of(cell.env_id)
        episodes = [record for record in run.episodes_of(cell) if record.error is None]
        if grader is not None and episodes:
            mode = run.info["config"]["episode_mode"]
            graded[cell] = grader(TrialRecord(cell.env_id, cell.seed, episodes, mode, cell.path))
    return graded


def discovery(
    run: LoadedRun, graded: Mapping[Cell, Grades] | None = None
) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """`{env: {contender: {"T1": {"grade", "S", "trials", "by_trial"}}}}` for every environment that has criteria.

    `grade` is the best over the trials, `S` the number of trials with complete evidence. `graded` are the grades of
    the trials, where they are known already.
    """
    grid: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    for cell, grades in (grades_by_trial(run) if graded is None else graded).items():
        row = grid.setdefault(cell.env_id, {}).setdefault(cell.contender, {})
        for rule, grade in grades.items():
            entry = row.setdefault(rule, {"grade": "-", "S": 0, "trials": 0, "by_trial": []})
            best: Grade = best_grade(entry["grade"], grade)
            entry["grade"] = best
            entry["S"] += grade == "S"
            entry["trials"] += 1
            entry["by_trial"].append(grade)
    return grid
