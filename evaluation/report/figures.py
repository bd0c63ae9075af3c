"""Kinds of charts as Plotly data: lines with bands, dots with intervals, heat maps, scatters, stacked bars.

Every mark comes from a row of a table, and each trace says from which (`meta`). Colours are names that the page
replaces by those of its theme: `@s0`...`@s7` for series, `@ink`, `@soft`, `@line`, scales `@sequential`, `@diverging`;
`@s0/0.2` is the same, transparent.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoplay.evaluation.report.table import Table, Value

Figure = dict[str, Any]
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "pentagon")
COLOURS = len(SYMBOLS)


@dataclass(frozen=True, slots=True)
class Style:
    """How a series looks everywhere in the report: colour, line, mark; colour is never the only difference."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


def styles_of(names: Iterable[str], quiet: Iterable[str] = ()) -> dict[str, Style]:
    """A style for each name: the baseline and floors and ceilings (`quiet`) in grey, the others in colours."""
    found: dict[str, Style] = {}
    dashes = iter(("dash", "dot", "dashdot", "longdash", "longdashdot"))
    quiet = set(quiet)
    coloured = 0
    for name in names:
        if name in quiet:
            found[name] = Style("@soft", next(dashes, "dot"), "circle-open")
        else:
            turn, at = divmod(coloured, COLOURS)
            found[name] = Style(f"@s{at}", ("solid", "dash", "dot")[min(turn, 2)], SYMBOLS[at])
            coloured += 1
    return found


@dataclass(slots=True)
class Chart:
    """A chart: its figure, the table it shows, what it says to who cannot see it.

    keys : the series its legend names. off : those not drawn until they are asked for.
    least : width in pixels below which it scrolls inside its frame.
    """

    name: str
    title: str
    table: Table
    figure: Figure
    says: str
    height: int = 400
    keys: Mapping[str, Style] = field(default_factory=dict)
    off: Sequence[str] = ()
    least: int = 0


def escaped(text: object) -> str:
    """A text that Plotly shows as it is: it would read tags."""
    return html.escape(str(text), quote=False)


def axis(title: str, **more: Any) -> Figure:
    return {"title": {"text": title}, "zeroline": False, **more}


def layout(x: Figure, y: Figure, **more: Any) -> Figure:
    return {"xaxis": x, "yaxis": y, "showlegend": False, **more}


def known(values: Iterable[Value]) -> list[float]:
    """The numbers among values."""
    return [float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]


def rows_of(table: Table, column: str, value: Value) -> list[int]:
    """The rows in which a column has a value."""
    at = table.at(column)
    return [number for number, row in enumerate(table.rows) if row[at] == value]


def pick(table: Table, column: str, rows: Sequence[int]) -> list[Value]:
    at = table.at(column)
    return [table.rows[row][at] for row in rows]


def lines(
    table: Table,
    x: str,
    y: str,
    series: str,
    styles: Mapping[str, Style],
    *,
    rows: Sequence[int] | None = None,
    band: bool = True,
    marks: bool = True,
    hover: str = "",
) -> list[Figure]:
    """A line for each series, with a band from the columns `low` to `high` where there are any."""
    bands: list[Figure] = []
    drawn: list[Figure] = []
    chosen = range(len(table.rows)) if rows is None else rows
    by_name: dict[str, list[int]] = {}
    for row, name in zip(chosen, pick(table, series, list(chosen)), strict=True):
        by_name.setdefault(str(name), []).append(row)
    for name, mine in by_name.items():
        style = styles[name]
        known_rows = [row for row, value in zip(mine, pick(table, y, mine), strict=True) if value is not None]
        if not known_rows:
            continue
        common = {"type": "scatter", "name": escaped(name), "legendgroup": name}
        if band:
            ends = list(zip(known_rows, pick(table, "low", known_rows), pick(table, "high", known_rows), strict=True))
            ends = [end for end in ends if end[1] is not None and end[2] is not None]
            if len(ends) > 1:
                at = pick(table, x, [row for row, _, _ in ends])
                bands.append(
                    common
                    | {"x": [*at, *reversed(at)], "y": [*(e[1] for e in ends), *(e[2] for e in reversed(ends))]}
                    | {
                        "fill": "toself",
                        "fillcolor": f"{style.colour}/0.15",
                        "mode": "lines",
                        "hoverinfo": "skip",
                    }
                    | {"line": {"width": 0}, "meta": {"kind": "band", "series": name}}
                )
        drawn.append(
            common
            | {"x": pick(table, x, known_rows), "y": pick(table, y, known_rows)}
            | {"mode": "lines+markers" if marks else "lines"}
            | {"line": {"color": style.colour, "width": 2, "dash": style.dash}}
            | {"marker": {"color": style.colour, "size": 6, "symbol": style.symbol}}
            | {"hovertemplate": f"{escaped(name)}<br>{hover}<extra></extra>"}
            | {"meta": {"kind": "line", "series": name, "x": x, "y": y, "rows": known_rows}}
        )
    return [*bands, *drawn]


def y_range(table: Table, column: str, rows: Sequence[int]) -> list[float]:
    """A range from 0 or below that shows a column's values in some rows; bands that would flatten them are cut."""
    values = known(pick(table, column, rows)) or [0.0]
    low, high = min(0.0, *values), max(0.0, *values)
    room = (high - low) or 1.0
    bands = {
        name: known(pick(table, name, rows)) for name in ("low", "high") if name in {c.name for c in table.columns}
    }
    low = max(min([low, *bands.get("low", [])]), low - 0.15 * room)
    high = min(max([high, *bands.get("high", [])]), high + 0.25 * room)
    return [low - 0.04 * room, high + 0.06 * room]


def logarithmic(values: Sequence[float]) -> Figure:
    """A logarithmic axis over positive values, with ticks at 1, 2 and 5."""
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1, 2, 5) if last - first <= 4 else (1,)
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    low, high = min(values) / 1.15, max(values) * 1.15
    ticks = [tick for tick in ticks if low <= tick <= high]
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [short(tick) for tick in ticks],
    }


def short(value: float) -> str:
    """A round number in few characters: 200k, 5M, 0.05."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def end_labels(
    ends: Sequence[tuple[str, float]], styles: Mapping[str, Style], span: Sequence[float], height: int
) -> list[Figure]:
    """Names at the right end of lines, moved apart where they would cover each other."""
    gap = (span[1] - span[0]) * 15 / max(height - 80, 100)
    placed: list[list[Any]] = []
    for name, y in sorted(ends, key=lambda end: end[1]):
        placed.append([name, max(y, placed[-1][1] + gap) if placed else y])
    over = placed[-1][1] - span[1] if placed else 0
    if over > 0:
        top = span[1]
        for label in reversed(placed):
            label[1] = top = min(label[1], top)
            top -= gap
    return [
        {"text": escaped(name), "x": 1, "xref": "paper", "xanchor": "left", "xshift": 6, "y": y, "yref": "y"}
        | {"showarrow": False, "font": {"color": styles[name].colour, "size": 12}, "name": "label", "series": name}
        for name, y in placed
    ]


def label_room(names: Iterable[str]) -> int:
    """Pixels that names take at the right of a chart."""
    return 16 + 7 * min(26, max((len(name) for name in names), default=0))


def dots(
    table: Table,
    label: str,
    value: str,
    styles: Mapping[str, Style],
    *,
    rows: Sequence[int],
    low: str | None = None,
    high: str | None = None,
    hollow: Iterable[int] = (),
    unit: str = "",
    suffix: str = "",
) -> Figure:
    """A mark a row, with the interval of the columns `low` and `high` as a whisker. `suffix` is added to its name."""
    rows = [row for row, found in zip(rows, pick(table, value, rows), strict=True) if found is not None]
    names = [str(name) for name in pick(table, label, rows)]
    values = known(pick(table, value, rows))
    trace: Figure = {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": [escaped(name + suffix) for name in names],
        "cliponaxis": False,
        "marker": {
            "size": 9,
            "line": {"width": 2, "color": [styles[name].colour for name in names]},
            "color": ["@paper" if row in set(hollow) else styles[n].colour for row, n in zip(rows, names, strict=True)],
            "symbol": [styles[name].symbol.removesuffix("-open") for name in names],
        },
        "hovertemplate": f"%{{y}}<br>%{{x:.2f}} {unit}<extra></extra>",
        "meta": {"kind": "dots", "x": value, "label": label, "rows": rows},
    }
    if low is not None and high is not None:
        lows, highs = pick(table, low, rows), pick(table, high, rows)
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "array": [0 if h is None else float(h) - v for h, v in zip(highs, values, strict=True)],
            "arrayminus": [0 if x is None else v - float(x) for x, v in zip(lows, values, strict=True)],
            "color": "@soft",
            "thickness": 1.5,
            "width": 4,
        }
    return trace


def names_axis(names: Sequence[str]) -> Figure:
    """An axis of names, the first at the top."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": [escaped(name) for name in reversed(names)],
        "range": [-0.6, len(names) - 0.4],
        "automargin": True,
        "title": {"text": ""},
        "showgrid": False,
    }


def bars(
    table: Table, label: str, value: str, part: str, parts: Sequence[str], styles: Mapping[str, Style]
) -> list[Figure]:
    """Stacked bars, a bar a name and a colour a part (the values of a column)."""
    traces = []
    for name in parts:
        rows = rows_of(table, part, name)
        traces.append(_bar(table, label, value, rows, name, styles[name]))
    return traces


def bars_of_columns(table: Table, label: str, parts: Mapping[str, Style]) -> list[Figure]:
    """Stacked bars, a bar a row and a colour a column."""
    return [_bar(table, label, name, list(range(len(table.rows))), name, style) for name, style in parts.items()]


def _bar(table: Table, label: str, value: str, rows: list[int], name: str, style: Style) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "name": escaped(name),
        "legendgroup": name,
        "x": pick(table, value, rows),
        "y": [escaped(one) for one in pick(table, label, rows)],
        "marker": {"color": style.colour, "line": {"color": "@paper", "width": 1}},
        "hovertemplate": f"%{{y}}, {escaped(name)}: %{{x:,}}<extra></extra>",
        "meta": {"kind": "bars", "series": name, "x": value, "label": label, "rows": rows},
    }


def heat(table: Table, x: str, y: str, value: str, xs: Sequence[str], ys: Sequence[str], *, diverging: bool) -> Figure:
    """A heat map with its values written in the cells."""
    column = table.columns[table.at(value)]
    place = {(str(row[table.at(x)]), str(row[table.at(y)])): at for at, row in enumerate(table.rows)}
    rows = [[place.get((one, other)) for one in xs] for other in ys]
    z = [[None if at is None else table.rows[at][table.at(value)] for at in line] for line in rows]
    values = known(one for line in z for one in line) or [0.0]
    reach = max(abs(one) for one in values) or 1.0
    return {
        "type": "heatmap",
        "x": [escaped(one) for one in xs],
        "y": [escaped(one) for one in ys],
        "z": z,
        "text": [["" if one is None else column.text(one) for one in line] for line in z],
        "texttemplate": "%{text}",
        "colorscale": "@diverging" if diverging else "@sequential",
        "zmin": -reach if diverging else min(0.0, *values),
        "zmax": reach if diverging else max(100.0, *values),
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
        "colorbar": {"thickness": 10, "len": 1, "outlinewidth": 0},
        "meta": {"kind": "heat", "z": value, "rows": rows},
    }


def sides(points: Sequence[tuple[float, float, str]], size: tuple[float, float] = (640.0, 300.0)) -> list[str]:
    """Where each point's name fits: the first side on which it covers neither a point nor another name.

    points : (x, y) from 0 to 1 in the plot, and the name. size : of the plot in pixels.
    """
    taken = [(x * size[0] - 6, y * size[1] - 6, x * size[0] + 6, y * size[1] + 6) for x, y, _ in points]
    chosen = []
    for x, y, name in points:
        at, up, wide = x * size[0], y * size[1], 7.0 * len(name)
        boxes = {
            "top center": (at - wide / 2, up + 7, at + wide / 2, up + 21),
            "bottom center": (at - wide / 2, up - 21, at + wide / 2, up - 7),
            "middle right": (at + 8, up - 7, at + 8 + wide, up + 7),
            "middle left": (at - 8 - wide, up - 7, at - 8, up + 7),
        }
        free = [
            side for side, box in boxes.items() if box[0] > -10 and box[2] < size[0] + 10 and not _covers(box, taken)
        ]
        side = free[0] if free else "top center"
        taken.append(boxes[side])
        chosen.append(side)
    return chosen


def _covers(box: tuple[float, ...], taken: Sequence[tuple[float, ...]]) -> bool:
    return any(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken)
