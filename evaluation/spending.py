"""Score against what it cost: cumulative spend, the frontier, and how much of the input a cache could serve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoplay.evaluation.behaviour import normalised
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.recorded import calls_with_messages


def frontier(points: Mapping[str, tuple[float | None, float | None]]) -> list[str]:
    """The names to which no other is at least as good (score) and as cheap (cost), and better in one of the two.

    `points` are (score, cost); one without a score or a price is never on the frontier.
    """
    known = {name: (s, c) for name, (s, c) in points.items() if s is not None and c is not None}
    return [
        name
        for name, (score, cost) in known.items()
        if not any(
            other != name and s >= score and c <= cost and (s > score or c < cost) for other, (s, c) in known.items()
        )
    ]


def equal_spend(run: LoadedRun, contender: str, unit: str = "tokens") -> list[dict[str, float]]:
    """Mean best-so-far and mean z of a contender against cumulative spend, reflection calls counted.

    unit : "tokens" or "usd". One point an episode number: `spend` (mean over trials, cumulative), `z`, `best`.
    Empty where a call has no known price.
    """
    by_episode: dict[int, list[tuple[float, float, float]]] = {}
    for cell in run.cells:
        if cell.contender != contender:
            continue
        costs: dict[int, float] = {}
        for call in run.calls_of(cell):
            if unit == "usd" and call["usd"] is None and call["failed"] is None:
                return []
            price = (call["usd"] or 0.0) if unit == "usd" else call["input"] + call["output"]
            costs[call["episode"]] = costs.get(call["episode"], 0.0) + price
        spent = best = 0.0
        for record in run.episodes_of(cell):
            spent += costs.get(record.episode, 0.0)
            z = normalised(run, cell, record)
            if z is not None:
                best = max(best, z)
                by_episode.setdefault(record.episode, []).append((spent, z, best))
    return [
        {"episode": number, **dict(zip(("spend", "z", "best"), map(float, np.mean(rows, axis=0)), strict=True))}
        for number, rows in sorted(by_episode.items())
    ]


def cache_shares(run: LoadedRun, contender: str) -> dict[str, float | None]:
    """Shares of all input: `predicted` that extends the trial's call before, `billed` as read from a cache.

    `billed` is None where no provider reported usage. The predicted share is of characters, call against call of the
    same purpose.
    """
    total = shared = billed = reported = 0
    for cell in run.cells:
        if cell.contender != contender:
            continue
        last: dict[str, str] = {}
        for event, messages in calls_with_messages(run.log_of(cell).events()):
            text = "\x00".join(message.content for message in messages)
            same = _common(text, last.get(event["purpose"], ""))
            last[event["purpose"]] = text
            total += len(text)
            shared += same
            usage = event.get("usage", {})
            if usage.get("source") == "provider":
                billed += usage.get("cached", 0)
                reported += usage.get("input", 0)
    return {
        "predicted": shared / total if total else None,
        "billed": billed / reported if reported else None,
    }


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def spend_by_purpose(run: LoadedRun, contender: str) -> dict[str, dict[str, Any]]:
    """Calls, tokens by kind and USD of a contender, a purpose a row, and the means an episode."""
    rows: dict[str, dict[str, Any]] = {}
    kinds = ("input", "cached", "cache_write", "output", "reasoning")
    episodes = sum(len(run.episodes_of(cell)) for cell in run.cells if cell.contender == contender)
    for cell in run.cells:
        if cell.contender != contender:
            continue
        for call in run.calls_of(cell):
            row = rows.setdefault(call["purpose"], {"calls": 0, **dict.fromkeys(kinds, 0), "usd": 0.0, "seconds": 0.0})
            row["calls"] += 1
            row["seconds"] += call["seconds"]
            for kind in kinds:
                row[kind] += call[kind]
            if call["usd"] is None and call["failed"] is None:
                row["usd"] = None
            elif row["usd"] is not None:
                row["usd"] += call["usd"] or 0.0
    for row in rows.values():
        row["calls_an_episode"] = row["calls"] / episodes if episodes else None
    return rows
