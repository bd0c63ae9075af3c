"""Learning curves with bands, frozen memory, transfer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .reading import NAN, Run
from .scores import Estimate, by_trial, estimate, mean_of, numbers, z_rows


def at_ten_points(values: list[float]) -> list[float]:
    """Values of scored episodes at ten points from the first to the last, interpolated; what is missing is bridged."""
    there = [(at, value) for at, value in enumerate(values) if not math.isnan(value)]
    if not there:
        return [NAN] * 10
    points = np.linspace(0, len(values) - 1, 10)
    return list(np.interp(points, [at for at, _ in there], [value for _, value in there]))


def curve(run: Run, contender: str) -> list[float]:
    """Mean z over trials at ten points of progress, weighted over games."""
    games = {game: at_ten_points([mean_of(column) for column in z_rows(run, contender, game).T]) for game in run.games}
    return weighted(run, games)


def weighted(run: Run, games: dict[tuple[str, int], list[float]]) -> list[float]:
    """The weighted mean over the games that have one, point by point."""
    there = [game for game in games if not math.isnan(games[game][0])]
    whole = sum(run.weight(game) for game in there)
    if not there:
        return [NAN] * 10
    return [sum(run.weight(game) / whole * games[game][point] for game in there) for point in range(10)]


def bands(run: Run, contender: str) -> list[tuple[float, float] | None]:
    """Intervals along a curve, from every trial's own curve point by point."""
    by_game = {game: np.array([at_ten_points(list(row)) for row in z_rows(run, contender, game)]) for game in run.games}
    return [estimate(run, {game: list(curves[:, point]) for game, curves in by_game.items()}).ci for point in range(10)]


def frozen(run: Run, contender: str) -> dict[str, Estimate]:
    """Mean z while learning and with frozen memory, and the change."""
    after = run.info["config"]["freeze_after"]
    parts: dict[str, dict[tuple[str, int], list[float]]] = {"learning": {}, "frozen": {}, "change": {}}
    for game in run.games:
        late = np.array(numbers(run, game)) > after
        rows = z_rows(run, contender, game)
        parts["learning"][game] = [mean_of(row[~late]) for row in rows]
        parts["frozen"][game] = [mean_of(row[late]) for row in rows]
        parts["change"][game] = [
            new - old for new, old in zip(parts["frozen"][game], parts["learning"][game], strict=True)
        ]
    return {name: estimate(run, samples) for name, samples in parts.items()}


def transfer(control: Run, reshuffled: Run, contender: str) -> dict[str, Any]:
    """LS of both conditions and the drop, in all and by game."""
    same, new = by_trial(control, contender, "ls"), by_trial(reshuffled, contender, "ls")
    choices = {"all": list(same)} | {env: [(env, seed)] for env, seed in same}
    found = {}
    for name, games in choices.items():
        one, other = {game: same[game] for game in games}, {game: new[game] for game in games}
        found[name] = {
            "control": estimate(control, one),
            "reshuffled": estimate(control, other),
            "drop": estimate(control, one, other),
        }
    return found
