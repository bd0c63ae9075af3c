"""The grid of rule discovery from its grades, and claims counted."""

from __future__ import annotations

from collections import Counter

from .reading import Run


def grid_cell(grades: list[str]) -> tuple[str, int]:
    """The best grade over the trials, and the number of trials with S."""
    best = next((grade for grade in "SP" if grade in grades), "−")
    return best, grades.count("S")


def claim_counts(run: Run, contender: str) -> Counter[str]:
    """How many claims a contender made, by kind."""
    events = [event for trial in run.of(contender) for event in trial.events if event["type"] == "claim"]
    return Counter(event["kind"] for event in events if event["op"] == "claim")
