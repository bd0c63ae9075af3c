"""Score against what it cost: cumulative spend, the frontier, and how much of the input a cache could serve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoplay.evaluation.behaviour import normalised
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.metrics import CHALLENGE_WEIGHT, POINTS, Array
from evoplay.evaluation.recorded import calls_with_prefix
from evoplay.evaluation.runlog import Cell


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


def unpriced(call: Mapping[str, Any]) -> bool:
    """Whether nobody knows what a call cost. One that failed and used nothing has cost nothing."""
    return call["usd"] is None and (call["failed"] is None or call["input"] + call["output"] > 0)


def equal_spend(run: LoadedRun, contender: str, unit: str = "tokens") -> list[dict[str, float]]:
    """Best-so-far and score of a contender against cumulative spend, reflection calls counted.

    unit : "tokens" or "usd". Ten points of normalised `progress`, as of learning curves: `spend` (cumulative), `best`
    so far and `z` are means over trials, then weighted means over games. So games of five and of ten episodes stand in
    every point, and `spend` and `best` never fall. Empty where a call has no known price.
    """
    by_game: dict[tuple[str, int], list[Array]] = {}
    for cell in run.cells_of(contender):
        spent = _spent(run, cell, unit)
        if spent is None:
            return []
        rows = _progress(run, cell, spent)
        if len(rows):
            by_game.setdefault((cell.env_id, cell.seed), []).append(rows)
    if not by_game:
        return []
    seeds = {env_id: sum(one == env_id for one, _ in by_game) for env_id, _ in by_game}
    challenge = {env_id: run.info["envs"][env_id]["challenge"] for env_id in seeds}
    weights = np.array([(CHALLENGE_WEIGHT if challenge[env_id] else 1.0) / seeds[env_id] for env_id, _ in by_game])
    games = np.array([np.mean(trials, axis=0) for trials in by_game.values()])
    points = np.tensordot(weights / weights.sum(), games, axes=1)
    return [
        {"progress": float(at), **dict(zip(("spend", "best", "z"), map(float, point), strict=True))}
        for at, point in zip(np.linspace(0, 1, POINTS), points, strict=True)
    ]


def _spent(run: LoadedRun, cell: Cell, unit: str) -> dict[int, float] | None:
    """What each episode of a trial cost; None where a price is not known."""
    costs: dict[int, float] = {}
    for call in run.calls_of(cell):
        if unit == "usd" and unpriced(call):
            return None
        price = (call["usd"] or 0.0) if unit == "usd" else call["input"] + call["output"]
        costs[call["episode"]] = costs.get(call["episode"], 0.0) + price
    return costs


def _progress(run: LoadedRun, cell: Cell, spent: Mapping[int, float]) -> Array:
    """Cumulative spend, best so far and z at ten points of progress; shape (10, 3), (0, 3) without a score.

    A failed episode has cost something and scored nothing: the best stays, z is taken from its neighbours.
    """
    rows: list[tuple[float, float, float]] = []
    total, best = 0.0, np.nan
    for record in run.episodes_of(cell):
        total += spent.get(record.episode, 0.0)
        if not run.reference(cell, record.episode):
            continue
        z = normalised(run, cell, record)
        best = best if z is None else float(np.fmax(best, z))
        rows.append((total, best, np.nan if z is None else z))
    found = np.array(rows, dtype=float).reshape(-1, 3)
    there = ~np.isnan(found[:, 2])
    if not there.any():
        return np.empty((0, 3))
    at, points = np.linspace(0, 1, len(found)), np.linspace(0, 1, POINTS)
    if len(found) == 1:
        return np.repeat(found, POINTS, axis=0)
    scored = ~np.isnan(found[:, 1])
    columns = [np.interp(points, at, found[:, 0]), np.interp(points, at[scored], found[scored, 1])]
    columns.append(np.interp(points, at[there], found[there, 2]))
    return np.stack(columns, axis=1)


def cache_shares(run: LoadedRun, contender: str) -> dict[str, float | None]:
    """Shares of all input: `predicted` that extends the trial's call before, `billed` as read from a cache.

    `billed` is None where no provider reported usage. The predicted share is of characters, call against call of the
    same purpose.
    """
    total = shared = billed = reported = 0
    for cell in run.cells_of(contender):
        for event, length, same in calls_with_prefix(run.log_of(cell).events()):
            total += length
            shared += same
            usage = event.get("usage", {})
            if usage.get("source") == "provider":
                billed += usage.get("cached", 0)
                reported += usage.get("input", 0)
    return {
        "predicted": shared / total if total else None,
        "billed": billed / reported if reported else None,
    }


def spend_by_purpose(run: LoadedRun, contender: str) -> dict[str, dict[str, Any]]:
    """Calls, tokens by kind and USD of a contender, a purpose a row, and the means an episode."""
    rows: dict[str, dict[str, Any]] = {}
    kinds = ("input", "cached", "cache_write", "output", "reasoning")
    episodes = sum(len(run.episodes_of(cell)) for cell in run.cells_of(contender))
    for cell in run.cells_of(contender):
        for call in run.calls_of(cell):
            row = rows.setdefault(call["purpose"], {"calls": 0, **dict.fromkeys(kinds, 0), "usd": 0.0, "seconds": 0.0})
            row["calls"] += 1
            row["seconds"] += call["seconds"]
            for kind in kinds:
                row[kind] += call[kind]
            if unpriced(call):
                row["usd"] = None
            elif row["usd"] is not None:
                row["usd"] += call["usd"] or 0.0
    for row in rows.values():
        row["calls_an_episode"] = row["calls"] / episodes if episodes else None
    return rows
