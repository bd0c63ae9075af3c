"""Rule discovery: what trials show of each hidden rule, graded S (complete), P (partial), - (none)."""

from __future__ import annotations

from typing import Any

from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.rules.grades import Grade, best_grade, grader_of
from evoplay.memory.records import TrialRecord


def discovery(run: LoadedRun) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """`{env: {contender: {"T1": {"grade", "S", "trials", "by_trial", "cells"}}}}` for every environment that has criteria.

    `grade` is the best over the trials, `S` the number of trials with complete evidence; `by_trial` has the
    grade of each trial, `cells` which trials these are.
    """
    grid: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    for cell in run.cells:
        grader = grader_of(cell.env_id)
        episodes = [record for record in run.episodes_of(cell) if record.error is None]
        if grader is None or not episodes:
            continue
        mode = run.info["config"]["episode_mode"]
        grades = grader(TrialRecord(cell.env_id, cell.seed, episodes, mode, cell.path))
        row = grid.setdefault(cell.env_id, {}).setdefault(cell.contender, {})
        for rule, grade in grades.items():
            entry = row.setdefault(rule, {"grade": "-", "S": 0, "trials": 0, "by_trial": [], "cells": []})
            best: Grade = best_grade(entry["grade"], grade)
            entry["grade"] = best
            entry["S"] += grade == "S"
            entry["trials"] += 1
            entry["by_trial"].append(grade)
            entry["cells"].append(cell)
    return grid
