"""Calls, tokens and USD, cache shares, the frontier, equal spend, losses."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from .progress import at_ten_points, weighted
from .reading import NAN, Run
from .scores import mean_of, present, z_rows

KINDS = ("input", "cached", "cache_write", "output", "reasoning")


def tokens(call: dict[str, Any], kind: str) -> int:
    """Tokens of a call; fresh is input that was neither read from nor written to a cache."""
    usage = call["usage"]
    if kind == "fresh":
        return usage.get("input", 0) - usage.get("cached", 0) - usage.get("cache_write", 0)
    if kind == "total":
        return usage.get("input", 0) + usage.get("output", 0)
    return usage.get(kind, 0)


def unpriced(call: dict[str, Any]) -> bool:
    """A call whose price nobody knows; one that failed and used nothing has cost nothing."""
    return call["usd"] is None and (not call.get("failed") or tokens(call, "total") > 0)


def usd(calls: list[dict[str, Any]]) -> float | None:
    """What calls cost; None where a price is not known."""
    return None if any(map(unpriced, calls)) else math.fsum(call["usd"] or 0 for call in calls)


def spent(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Calls, tokens by kind, USD and seconds of some calls."""
    summed = {kind: sum(tokens(call, kind) for call in calls) for kind in (*KINDS, "fresh", "total")}
    return summed | {
        "calls": len(calls),
        "failed": sum(bool(call.get("failed")) for call in calls),
        "unpriced": sum(map(unpriced, calls)),
        "usd": usd(calls),
        "seconds": math.fsum(call.get("seconds", 0) for call in calls),
    }


def calls_of(run: Run, contender: str) -> list[dict[str, Any]]:
    return [call for trial in run.of(contender) for call in trial.calls]


def by_purpose(run: Run, contender: str) -> dict[str, dict[str, Any]]:
    """What a contender spent, purpose by purpose, with calls an episode."""
    groups = defaultdict(list)
    for call in calls_of(run, contender):
        groups[call["purpose"]].append(call)
    count = sum(len(trial.episodes) for trial in run.of(contender))
    return {
        purpose: spent(calls) | {"calls_an_episode": len(calls) / count if count else None}
        for purpose, calls in groups.items()
    }


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    end = min(len(one), len(other))
    return next((at for at in range(end) if one[at] != other[at]), end)


def cache_shares(run: Run, contender: str) -> dict[str, float | None]:
    """Percent of the input that repeats the start of the trial's call before it, and of what providers say was cached.

    The first is in characters; a call is compared with the last one of its purpose.
    """
    same = whole = 0
    for trial in run.of(contender):
        before: dict[str, str] = {}
        for purpose, text in trial.prompts:
            last = before.get(purpose, "")
            same += shared(text, last)
            whole += len(text)
            before[purpose] = text
    reported = [call for call in calls_of(run, contender) if call["usage"].get("source") == "provider"]
    taken = sum(tokens(call, "input") for call in reported)
    return {
        "predicted": 100 * same / whole if whole else None,
        "billed": 100 * sum(tokens(call, "cached") for call in reported) / taken if taken else None,
    }


def an_episode(run: Run, contender: str) -> dict[str, float | None]:
    """Calls, tokens and USD a finished episode."""
    count = sum(len(trial.episodes) for trial in run.of(contender))
    found = spent(calls_of(run, contender))
    return {
        "calls": found["calls"] / count if count else None,
        "tokens": found["total"] / count if count else None,
        "usd": found["usd"] / count if count and found["usd"] is not None else None,
    }


def frontier(points: dict[str, tuple[float | None, float | None]]) -> set[str]:
    """Those to which no other is at least as good and as cheap, and better in one. Unpriced ones are not on it."""
    there = {name: point for name, point in points.items() if None not in point}
    return {
        name
        for name, (score, cost) in there.items()
        if not any(s >= score and c <= cost and (s, c) != (score, cost) for s, c in there.values())
    }


def equal_spend(run: Run, contender: str, unit: str) -> list[dict[str, float]] | None:
    """Spend so far, best so far and score at ten points of progress: means over trials, weighted over games.

    Spend is that of all calls up to the end of an episode. None where a call is unpriced. Trials without a score are
    left out.
    """
    if unit == "usd" and any(map(unpriced, calls_of(run, contender))):
        return None
    parts: dict[str, dict[tuple[str, int], list[float]]] = {"spend": {}, "best": {}, "z": {}}
    for game in run.games:
        lines: dict[str, list[list[float]]] = {name: [] for name in parts}
        for trial, row in zip(run.of(contender, game), z_rows(run, contender, game), strict=True):
            if np.isnan(row).all():
                continue
            price = [(call["usd"] or 0) if unit == "usd" else tokens(call, "total") for call in trial.calls]
            upto = [
                math.fsum(cost for call, cost in zip(trial.calls, price, strict=True) if call["episode"] <= number)
                for number in trial.scored
            ]
            lines["spend"].append(at_ten_points(upto))
            lines["best"].append(at_ten_points(best_so_far(list(row))))
            lines["z"].append(at_ten_points(list(row)))
        for name, curves in lines.items():
            parts[name][game] = [mean_of(column) for column in zip(*curves, strict=True)]
    rows = zip(*(weighted(run, parts[name]) for name in parts), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]


def best_so_far(z: list[float]) -> list[float]:
    """The best z up to each episode; missing as long as none has been scored."""
    return [max(present(z[: at + 1]), default=NAN) for at in range(len(z))]


def losses(run: Run, contender: str) -> dict[str, int]:
    """What was lost, capped, left or dropped."""
    trials = run.of(contender)
    episodes = [episode for trial in trials for episode in trial.episodes]
    events = [event for trial in trials for event in trial.events]
    calls = calls_of(run, contender)
    drops = [event for event in events if event["type"] == "drop"]
    return {
        "planned": sum(run.info["envs"][trial.env]["episodes"] for trial in trials),
        "played": len(episodes),
        "failed": sum(episode.failed for episode in episodes),
        "capped": sum(episode.capped for episode in episodes),
        "left": sum(episode.left for episode in episodes),
        "failed_calls": sum(bool(call.get("failed")) for call in calls),
        "lost_updates": sum(event["type"] == "error" and event["what"] == "memory" for event in events),
        "retried": sum(call.get("attempts", 1) > 1 for call in calls),
        "flagged": sum(bool(call["usage"].get("flags")) for call in calls),
        "drops": len(drops),
        "dropped_tokens": sum(event["tokens"] for event in drops),
    }
