"""The charts of a report, each made of one of its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evoplay.evaluation.report.figures import (
    COLOURS,
    Chart,
    Figure,
    Style,
    axis,
    bars,
    bars_of_columns,
    dots,
    end_labels,
    escaped,
    heat,
    known,
    label_room,
    layout,
    lines,
    logarithmic,
    names_axis,
    pick,
    rows_of,
    sides,
    styles_of,
    y_range,
)
from evoplay.evaluation.report.material import is_policy
from evoplay.evaluation.report.scores import NAMES, SIGNED
from evoplay.evaluation.report.table import Table

SCORE = "score, % of the reference"
Styles = Mapping[str, Style]


def styles(contenders: Sequence[str], baseline: str) -> dict[str, Style]:
    """How the contenders look."""
    return styles_of(contenders, [name for name in contenders if is_policy(name) or name == baseline])


def towering(table: Table) -> list[str]:
    """Ceilings so far above all methods that a chart with them would flatten the rest: drawn when asked for."""
    best: dict[str, float] = {}
    for name, value in zip(table.column("method"), table.column("z"), strict=True):
        best[str(name)] = max(best.get(str(name), 0.0), *known([value]), 0.0)
    others = max((value for name, value in best.items() if not is_policy(name)), default=0.0)
    return [name for name, value in best.items() if is_policy(name) and others and value > 1.5 * others]


def curves(table: Table, looks: Styles, off: Sequence[str]) -> Chart:
    """The challenge-weighted learning curves."""
    span = y_range(table, "z", _without(table, off))
    ends = _ends(table, "z")
    figure = {
        "data": lines(table, "progress", "z", "method", looks, hover="progress %{x:.2f}: %{y:.1f} %"),
        "layout": layout(
            axis("progress, first to last scored episode", range=[-0.02, 1.02], tickformat=".1f"),
            axis(SCORE, range=span),
            annotations=end_labels([end for end in ends if end[0] not in off], looks, span, 460),
            margin={"r": label_room(name for name, _ in ends)},
        ),
    }
    says = "; ".join(f"{name} ends at {y:.0f} %" for name, y in ends)
    return Chart(
        "curves", "Learning curves", table, figure, f"Learning curves: {says}.", 460, _present(table, looks), off
    )


def game_curves(table: Table, looks: Styles, off: Sequence[str]) -> list[Chart]:
    """A small chart of learning curves for every game."""
    charts = []
    for at, game in enumerate(dict.fromkeys(map(str, table.column("game")))):
        rows = rows_of(table, "game", game)
        figure = {
            "data": lines(table, "episode", "z", "method", looks, rows=rows, hover="episode %{x}: %{y:.1f} %"),
            "layout": layout(
                axis("episode", dtick=1 if len({*pick(table, "episode", rows)}) <= 6 else 2),
                axis("score, %", range=y_range(table, "z", [at for at in _without(table, off) if at in set(rows)])),
                margin={"l": 44, "r": 8, "t": 8, "b": 38},
            ),
        }
        charts.append(Chart(f"game_curves_{at}", game, table, figure, f"Learning curves on {game}.", 230, off=off))
    return charts


def intervals(table: Table, looks: Styles) -> list[Chart]:
    """Every figure with its interval, a chart a figure."""
    names = [str(name) for name in table.column("method")]
    charts = []
    for metric, title in NAMES.items():
        rows = list(range(len(table.rows)))
        low, high = f"{metric}_low", f"{metric}_high"
        unit = "points an episode" if metric == "ls" else "points" if metric == "lg" else "% of the reference"
        marks = dots(table, "method", metric, looks, rows=rows, low=low, high=high, unit=unit)
        figure = {"data": [marks], "layout": layout(axis(f"{title}, {unit}"), names_axis(names), shapes=_zero(metric))}
        charts.append(Chart(f"methods_{metric}", title, table, figure, f"{title} with 95 % intervals.", _tall(names)))
    return charts


def differences(table: Table, looks: Styles, baseline: str) -> list[Chart]:
    """Differences of the methods to the baseline with intervals; filled where Holm's p is below 0.05."""
    charts = []
    for title in ("Mean", "LS"):
        rows = [at for at in rows_of(table, "metric", title) if not is_policy(str(table.rows[at][table.at("method")]))]
        p = dict(zip(rows, pick(table, "p_holm", rows), strict=True))
        hollow = [row for row in rows if (value := p[row]) is None or float(value) >= 0.05]
        names = [str(name) for name in pick(table, "method", rows)]
        unit = "points an episode" if title == "LS" else "points"
        marks = dots(table, "method", "difference", looks, rows=rows, low="low", high="high", hollow=hollow, unit=unit)
        figure = {
            "data": [marks],
            "layout": layout(axis(f"difference of {title}, {unit}"), names_axis(names), shapes=_zero("ls")),
        }
        says = f"Differences of {title} to {baseline} with 95 % intervals."
        charts.append(
            Chart(f"differences_{title.lower()}", f"{title} less that of {baseline}", table, figure, says, _tall(names))
        )
    return charts


def heat_maps(table: Table, contenders: Sequence[str]) -> list[Chart]:
    """Max and LS by game and contender."""
    games = list(dict.fromkeys(map(str, table.column("game"))))
    shown = [name for name in contenders if name in set(table.column("method"))]
    charts = []
    for metric, unit in (("max", "Max, % of the reference"), ("ls", "LS, points an episode")):
        trace = heat(table, "method", "game", metric, shown, games, diverging=metric == "ls")
        figure = {
            "data": [trace],
            "layout": layout(
                {"side": "top", "automargin": True, "title": {"text": ""}, "showgrid": False, "tickangle": -30},
                {"autorange": "reversed", "automargin": True, "title": {"text": ""}, "showgrid": False},
                margin={"l": 10, "t": 10, "r": 10, "b": 10},
            ),
        }
        says = f"Heat map of {NAMES[metric]} by game and method; the values are in the cells."
        height = 110 + 30 * len(games)
        charts.append(Chart(f"heat_{metric}", unit, table, figure, says, height, least=190 + 58 * len(shown)))
    return charts


def frontier(table: Table, looks: Styles, unit: str) -> Chart:
    """Max against spend an episode, the frontier as a step line, contenders without a price apart."""
    column, word = (f"{unit}_an_episode", {"tokens": "tokens", "usd": "USD"}[unit])
    rows = [at for at, row in enumerate(table.rows) if not is_policy(str(row[0])) and row[table.at("max")] is not None]
    priced = [at for at in rows if table.rows[at][table.at(column)] is not None]
    free = [at for at in rows if at not in priced]
    best = [at for at in priced if table.rows[at][table.at(f"frontier_{unit}")] == "yes"]
    span = _padded(known(pick(table, "max", rows)))
    spend = known(pick(table, column, priced))
    log = bool(spend) and min(spend) > 0 and max(spend) > 6 * min(spend)
    data = [_steps(table, column, best)] if len(best) > 1 else []
    data += [_points(table, looks, column, priced, best, span, log)] if priced else []
    x = axis(f"{word} an episode{' (log scale)' if log else ''}", domain=[0, 0.84 if free else 1])
    x |= logarithmic(spend) if log else {"rangemode": "tozero"}
    frame = layout(x, axis("Max, % of the reference", range=span), margin={"r": 20})
    if free:
        data.append(_points(table, looks, column, free, [], span, log=False) | {"xaxis": "x2"})
        frame["xaxis2"] = {"domain": [0.88, 1], "type": "category", "showgrid": False, "title": {"text": ""}}
        frame["shapes"] = [{"type": "rect", "xref": "paper", "yref": "paper", "x0": 0.87, "x1": 1, "y0": 0, "y1": 1}]
        frame["shapes"][0] |= {"fillcolor": "@line/0.4", "line": {"width": 0}, "layer": "below"}
    on = ", ".join(str(table.rows[at][0]) for at in best) or "none"
    says = f"Max against {word} an episode; on the frontier: {on}."
    chosen = {name: look for name, look in looks.items() if not is_policy(name)}
    return Chart(f"frontier_{unit}", f"Max against {word}", table, {"data": data, "layout": frame}, says, 420, chosen)


def equal_spend(table: Table, looks: Styles, word: str) -> Chart:
    """Best so far against what was spent so far."""
    rows = [at for at, row in enumerate(table.rows) if not is_policy(str(row[0]))]
    spend = [value for value in known(pick(table, "spend", rows)) if value > 0]
    log = bool(spend) and max(spend) > 20 * min(spend)
    data = lines(
        table, "spend", "best", "method", looks, rows=rows, band=False, hover=f"%{{x:,}} {word}: best %{{y:.1f}} %"
    )
    x = axis(
        f"{word} spent so far, mean of a trial{' (log scale)' if log else ''}", **(logarithmic(spend) if log else {})
    )
    figure = {"data": data, "layout": layout(x, axis("best so far, %", rangemode="tozero"), margin={"r": 20})}
    shown = {str(table.rows[at][0]) for at in rows}
    keys = {name: look for name, look in looks.items() if name in shown}
    return Chart(
        table.name, f"Best score against {word}", table, figure, f"Best score so far against {word} spent.", 400, keys
    )


def tokens(table: Table) -> Chart:
    """Tokens by purpose, stacked."""
    rows = [at for at, row in enumerate(table.rows) if not is_policy(str(row[0]))]
    parts = list(dict.fromkeys(str(value) for value in pick(table, "purpose", rows)))
    looks = {name: Style(f"@s{at % COLOURS}", symbol="square") for at, name in enumerate(parts)}
    names = list(dict.fromkeys(str(value) for value in pick(table, "method", rows)))
    figure = {
        "data": bars(table, "method", "total", "purpose", parts, looks),
        "layout": layout(axis("tokens, input and output"), names_axis(names), barmode="stack"),
    }
    return Chart("tokens", "Tokens by purpose", table, figure, "Tokens by method and purpose.", _tall(names), looks)


def cache(table: Table, contenders: Sequence[str]) -> Chart:
    """Predicted and billed cache shares."""
    looks = {"predicted": Style("@s0", symbol="circle"), "billed": Style("@s1", symbol="square")}
    names = [name for name in contenders if not is_policy(name)]
    rows = [at for at, row in enumerate(table.rows) if str(row[0]) in set(names)]
    data = []
    for part, look in looks.items():
        trace = dots(table, "method", part, dict.fromkeys(names, look), rows=rows, unit=f"% {part}")
        data.append(trace | {"name": part, "legendgroup": part})
    figure = {"data": data, "layout": layout(axis("share of input, %", range=[-3, 103]), names_axis(names))}
    return Chart("cache", "Cached input", table, figure, "Predicted and billed cache shares.", _tall(names), looks)


def behaviour(table: Table, published: Table, looks: Styles) -> list[Chart]:
    """Action similarity and new bests after setbacks, beside the published values."""
    names = [str(name) for name in table.column("method")]
    charts = []
    for column, title in (
        ("similarity", "Similarity of adjacent episodes"),
        ("recovery", "New best after a setback, %"),
    ):
        rows = list(range(len(table.rows)))
        marks = dots(table, "method", column, looks, rows=rows)
        frame = layout(axis(title, rangemode="tozero"), names_axis(names), shapes=[], annotations=[], margin={"t": 38})
        for at, row in enumerate(published.rows):
            value = row[published.at(column)]
            line = {"dash": ("dash", "dot")[at], "color": "@ink", "width": 1.5}
            frame["shapes"].append(
                {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": value, "x1": value, "line": line}
            )
            text = str(row[0]).removesuffix(", published")
            frame["annotations"].append(
                {"text": text, "x": value, "y": 1.0, "yref": "paper", "yanchor": "bottom", "showarrow": False}
                | {"font": {"size": 11, "color": "@ink"}, "yshift": 14 * (at % 2)}
            )
        says = f"{title} by method; lines: published values of humans and agents."
        charts.append(
            Chart(f"behaviour_{column}", title, table, {"data": [marks], "layout": frame}, says, _tall(names))
        )
    return charts


def rules(table: Table) -> Chart:
    """How many rules each contender showed completely, partly, not."""
    names = [str(name) for name in table.column("method")]
    looks = {"complete": Style("@s2", symbol="square"), "partial": Style("@s5", symbol="square")}
    looks["none"] = Style("@line", symbol="square")
    figure = {
        "data": bars_of_columns(table, "method", looks),
        "layout": layout(axis("rules of all games, best grade over trials"), names_axis(names), barmode="stack"),
    }
    return Chart("rules_methods", "Rules discovered", table, figure, "Rules by grade and method.", _tall(names), looks)


def quality(table: Table) -> Chart:
    """Claims held as rules at the end: true, false, unchecked."""
    names = [str(name) for name in table.column("method")]
    looks = {"true": Style("@s0", symbol="square"), "false": Style("@s1", symbol="square")}
    looks["unchecked"] = Style("@line", symbol="square")
    figure = {
        "data": bars_of_columns(table, "method", looks),
        "layout": layout(axis("claims held as rules at the end"), names_axis(names), barmode="stack"),
    }
    return Chart("memory_quality", "Truth of rules", table, figure, "Rules held, by truth.", _tall(names), looks)


def transfer(table: Table) -> Chart:
    """LS in both conditions over all games."""
    rows = rows_of(table, "game", "all games")
    names = [str(name) for name in pick(table, "method", rows)]
    looks = {"control": Style("@s0", symbol="circle"), "reshuffled": Style("@s1", symbol="square")}
    lines_of = [f"{name} · {part}" for name in names for part in looks]
    data = []
    for part, look in looks.items():
        low, high = f"{part}_low", f"{part}_high"
        trace = dots(
            table,
            "method",
            part,
            dict.fromkeys(names, look),
            rows=rows,
            low=low,
            high=high,
            unit="points",
            suffix=f" · {part}",
        )
        trace["error_x"]["color"] = f"{look.colour}/0.6"
        data.append(trace | {"name": part, "legendgroup": part})
    figure = {"data": data, "layout": layout(axis("LS, points an episode"), names_axis(lines_of), shapes=_zero("ls"))}
    return Chart(
        "transfer", "LS by condition", table, figure, "LS with and without re-shuffling.", _tall(lines_of), looks
    )


def drift(curve: Table, looks: Styles) -> Chart:
    """CA by batch around the drift."""
    span = y_range(curve, "ca", range(len(curve.rows)))
    figure = {
        "data": lines(curve, "batch", "ca", "method", looks, hover="batch %{x}: CA %{y:.1f} %"),
        "layout": layout(
            axis("batch, 0 is the last before the drift", dtick=1),
            axis("calibrated accuracy, %", range=span),
            shapes=[
                {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 0.5, "x1": 0.5}
                | {"line": {"color": "@ink", "dash": "dot", "width": 1}}
            ],
        ),
    }
    says = "Calibrated accuracy by batch; the dotted line is the drift."
    return Chart("adaexplore_curve", "Accuracy around the drift", curve, figure, says, 400, _present(curve, looks))


def exploration(table: Table, looks: Styles) -> list[Chart]:
    """EA, CA and recognition with intervals."""
    names = [str(name) for name in table.column("method")]
    titles = {"ca": "CA, %", "unique_probes": "unique probes", "factor_f1": "factor F1, %", "change_f1": "change F1, %"}
    charts = []
    for column, title in titles.items():
        rows = list(range(len(table.rows)))
        marks = dots(table, "method", column, looks, rows=rows, low=f"{column}_low", high=f"{column}_high")
        figure = {"data": [marks], "layout": layout(axis(title), names_axis(names))}
        charts.append(Chart(f"adaexplore_{column}", title, table, figure, f"{title} by method.", _tall(names)))
    return charts


def published_curves(table: Table) -> Chart:
    """The published learning curves."""
    names = list(dict.fromkeys(map(str, table.column("method"))))
    looks = styles_of(names, ["naive"])
    span = y_range(table, "z", range(len(table.rows)))
    ends = _ends(table, "z")
    figure = {
        "data": lines(table, "progress", "z", "method", looks, band=False, hover="progress %{x:.2f}: %{y:.1f} %"),
        "layout": layout(
            axis("progress, first to last scored episode", range=[-0.02, 1.02]),
            axis(SCORE, range=span),
            annotations=end_labels(ends, looks, span, 400),
            margin={"r": label_room(name for name, _ in ends)},
        ),
    }
    title = "Published learning curves, Claude Opus 5"
    return Chart("published_curves", title, table, figure, f"{title}.", 400, looks)


def published_costs(table: Table) -> Chart:
    """Published score and cost, a colour a backbone."""
    backbones = list(dict.fromkeys(map(str, table.column("backbone"))))
    looks = styles_of(backbones)
    data: list[Figure] = []
    for name in backbones:
        rows = rows_of(table, "backbone", name)
        data.append(
            {"type": "scatter", "mode": "markers", "name": escaped(name), "legendgroup": name}
            | {"x": pick(table, "usd", rows), "y": pick(table, "max", rows)}
            | {"text": [escaped(one) for one in pick(table, "system", rows)]}
            | {"marker": {"size": 9, "color": looks[name].colour, "symbol": looks[name].symbol}}
            | {"hovertemplate": f"%{{text}} · {escaped(name)}<br>%{{x}} USD, Max %{{y:.1f}} %<extra></extra>"}
            | {"meta": {"kind": "points", "x": "usd", "y": "max", "rows": rows, "series": name}}
        )
    x = axis("USD an episode (log scale)", **logarithmic(known(table.column("usd"))))
    figure = {"data": data, "layout": layout(x, axis("Max, %"), margin={"r": 20})}
    says = "Published Max against USD an episode, by backbone."
    return Chart("published_costs", "Published score and cost", table, figure, says, 420, looks)


# --- parts of charts ------------------------------------------------------------------------------------------------


def _points(
    table: Table, looks: Styles, column: str, rows: Sequence[int], best: Sequence[int], span: Sequence[float], log: bool
) -> Figure:
    names = [str(name) for name in pick(table, "method", rows)]
    y = known(pick(table, "max", rows))
    spent = known(pick(table, column, rows))
    scaled = [math.log10(value) if log else value for value in spent] or [0.0]
    low, high = (min(scaled) if log else 0.0), max(scaled)
    # Without a price all stand in the one place of their own strip.
    x: list[float] | list[str] = spent or ["no known price"] * len(rows)
    places = [(value - low) / ((high - low) or 1.0) for value in scaled] if spent else [0.5] * len(rows)
    marks = [(a, (b - span[0]) / (span[1] - span[0]), n) for a, b, n in zip(places, y, names, strict=True)]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": x,
        "y": y,
        "text": [f" {escaped(name)} " for name in names],
        "textposition": sides(marks),
        "textfont": {"size": 12},
        "cliponaxis": False,
        "marker": {
            "size": 11,
            "symbol": [looks[name].symbol.removesuffix("-open") for name in names],
            "color": [looks[n].colour if row in best else "@paper" for row, n in zip(rows, names, strict=True)],
            "line": {"width": 2, "color": [looks[name].colour for name in names]},
        },
        "hovertemplate": "%{text}<br>%{x:,}: Max %{y:.1f} %<extra></extra>",
        "meta": {"kind": "points", "y": "max", "x": column, "rows": list(rows)},
    }


def _steps(table: Table, column: str, best: Sequence[int]) -> Figure:
    rows = sorted(best, key=lambda at: float(table.rows[at][table.at(column)] or 0))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": pick(table, column, rows),
        "y": pick(table, "max", rows),
        "line": {"shape": "hv", "dash": "dot", "color": "@soft", "width": 1.5},
        "hoverinfo": "skip",
        "meta": {"kind": "frontier", "x": column, "y": "max", "rows": rows},
    }


def _without(table: Table, names: Sequence[str]) -> list[int]:
    """The rows of all other methods; all rows where that leaves none."""
    rows = [at for at, name in enumerate(table.column("method")) if name not in names]
    return rows or list(range(len(table.rows)))


def _ends(table: Table, column: str) -> list[tuple[str, float]]:
    """The last value of each method's line."""
    last: dict[str, float] = {}
    for name, value in zip(table.column("method"), table.column(column), strict=True):
        if isinstance(value, int | float):
            last[str(name)] = float(value)
    return list(last.items())


def _present(table: Table, looks: Styles) -> dict[str, Style]:
    there = set(map(str, table.column("method")))
    return {name: look for name, look in looks.items() if name in there}


def _zero(metric: str) -> list[Figure]:
    """A line at no change, for figures that have a sign."""
    if metric not in SIGNED:
        return []
    line = {"color": "@soft", "width": 1}
    return [{"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 0, "x1": 0, "line": line, "layer": "below"}]


def _padded(values: Sequence[float]) -> list[float]:
    low, high = min([0.0, *values]), max(values, default=0.0)
    room = (high - low) or 1.0
    return [low - 0.05 * room, high + 0.12 * room]


def _tall(names: Sequence[str], each: int = 26) -> int:
    return 90 + each * len(names)
