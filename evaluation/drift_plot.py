"""Curves around the drift as a small SVG, drawn without a plotting library: CA by batch, batch 0 the last before it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from evoplay.evaluation.exploration import Explored, aligned_curve

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 120, 16, 44
COLOURS = ("#0b6e99", "#c4551a", "#3d7a37", "#8a3d8f", "#555555", "#b08900")
Point = tuple[int, float, float, float]
"""Batch counted from the drift, mean CA, and its 95 % interval."""


def curve_svg(groups: Mapping[str, Sequence[Explored]]) -> str:
    """An SVG with one line and its 95 % band for each group of episodes.

    Batches that only some episodes have (the drift does not come at the same batch everywhere) are left out, so that
    every point is a mean over the same episodes. Raises ValueError where no group has a drift.
    """
    curves = {name: points for name, episodes in groups.items() if (points := curve_points(episodes))}
    if not curves:
        raise ValueError("no episode with a drift: give runs of AdaExplore in a setting that has one")
    xs = [point[0] for points in curves.values() for point in points]
    lows = [point[2] for points in curves.values() for point in points]
    low_x, high_x = min(xs), max(xs)
    low_y = min(0, 20 * math.floor(min(lows) / 20))

    def x_of(value: float) -> float:
        return LEFT + (value - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT)

    def y_of(value: float) -> float:
        return TOP + (100 - value) / (100 - low_y) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><title>Calibrated accuracy around the drift</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    ]
    for value in range(low_y, 101, 20):
        y = y_of(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#333333">{value}</text>')
    for value in range(low_x, high_x + 1):
        parts.append(
            f'<text x="{x_of(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#333333">{value}</text>'
        )
    drift = x_of(0.5)
    parts.append(f'<path d="M{drift:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#333333" stroke-dasharray="4 4"/>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle" fill="#333333">'
        f"batch, 0 is the last before the drift; calibrated accuracy in %, 95 % intervals</text>"
    )
    ends = _apart([y_of(points[-1][1]) for points in curves.values()])
    for number, ((name, points), end) in enumerate(zip(curves.items(), ends, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        upper = [f"{x_of(x):.1f} {y_of(min(high, 100)):.1f}" for x, _, _, high in points]
        lower = [f"{x_of(x):.1f} {y_of(low):.1f}" for x, _, low, _ in reversed(points)]
        line = "L".join(f"{x_of(x):.1f} {y_of(mean):.1f}" for x, mean, _, _ in points)
        parts.append(f'<path d="M{"L".join([*upper, *lower])}Z" fill="{colour}" fill-opacity="0.15"/>')
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{end + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def curve_points(episodes: Sequence[Explored]) -> list[Point]:
    """The curve of a group of episodes over the batches that all of them with a drift have."""
    count = sum(bool(episode.aligned()) for episode in episodes)
    points = []
    for offset, value in aligned_curve(episodes).items():
        if value["n"] == count:
            low, high = value["ci"] or (value["mean"], value["mean"])
            points.append((int(offset), value["mean"], low, high))
    return points


def _apart(heights: Sequence[float], gap: float = 14.0) -> list[float]:
    """Heights of labels, moved down where they would cover each other."""
    placed = list(heights)
    last = -math.inf
    for at in sorted(range(len(heights)), key=lambda at: heights[at]):
        last = placed[at] = max(heights[at], last + gap)
    return placed
