"""The page: sections, charts and tables as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any, TextIO

from evoplay.evaluation.report.contents import Beside, Contents, Group, Section
from evoplay.evaluation.report.figures import Chart, Style
from evoplay.evaluation.report.table import Table, body_html, head_html, number_html
from evoplay.evaluation.report.transcripts import packed, payload, trial_payload

FOLD = 60
"""A folded table of more rows is packed and unfolded when asked for: the page opens sooner."""
DASHES = {"solid": "", "dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "9 4", "longdashdot": "9 3 2 3"}
MARKS = {
    "circle": '<circle cx="14" cy="7" r="4"/>',
    "circle-open": '<circle cx="14" cy="7" r="3.2" fill="none" stroke="currentColor" stroke-width="1.6"/>',
    "square": '<path d="M10 3h8v8h-8z"/>',
    "diamond": '<path d="M14 2l5 5-5 5-5-5z"/>',
    "triangle-up": '<path d="M14 2l5 9H9z"/>',
    "triangle-down": '<path d="M14 12l5-9H9z"/>',
    "cross": '<path d="M12.5 2.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z"/>',
    "x": '<path d="M10.500 3.500l7 7m0-7l-7 7" stroke="currentColor" stroke-width="2.4"/>',
    "pentagon": '<path d="M14 2l5 3.800-1.900 5.700h-6.200L9 5.800z"/>',
}  # fmt: skip


def write_page(contents: Contents, out: TextIO) -> None:
    """Write the page. A trial at a time: what it holds is not put together in memory."""
    material = contents.material
    plotly, script = _plotly(), _asset("report.js")
    title = f"{material.run.path.name} · evoplay report"
    out.write(
        f"<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n<title>{html.escape(title)}</title>\n"
        '<meta name=viewport content="width=device-width,initial-scale=1">\n'
        '<meta name=color-scheme content="light dark">\n'
        # Nothing is fetched, and no script in it runs but the page's own and Plotly's; tools that drive a page need to
        # evaluate theirs.
        f"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src {_hash(plotly)} "
        f"{_hash(script)} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:\">\n"
        f'<link rel=icon href="data:,">\n<style>{_asset("report.css")}</style></head>\n<body>\n'
    )
    out.write("<a class=skip href=#content>Skip to the content</a>\n")
    out.write(_navigation(contents))
    out.write(f"<main id=content tabindex=-1>\n{_header(contents)}")
    figures: dict[str, Any] = {}
    for section in contents.sections:
        out.write(_section(section, figures))
    out.write(_trials(contents))
    out.write("</main>\n")
    out.write(f'<script type="application/json" id=figures>{_json(figures)}</script>\n')
    out.write(_script("plotly", packed(plotly)))
    out.write(f"<script>{script}</script>\n")
    for table in contents.tables:
        out.write(_script(f"csv-{table.name}", packed(table.csv())))
    # Last, so that the page is there before its largest part has been read.
    for cell in material.run.cells:
        out.write(_script(f"trial-{cell.id}", trial_payload(material.run, cell)))
    out.write("</body></html>\n")


@cache
def _asset(name: str) -> str:
    file = resources.files("evoplay.evaluation.report").joinpath("assets", name)
    return file.read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(script.encode('utf-8')).digest()).decode('ascii')}'"


def _json(data: Any) -> str:
    """JSON that can stand in a script element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _script(name: str, data: str) -> str:
    """Packed data; a browser passes over scripts of a type that it cannot run."""
    return f'<script type="application/gzip" id="{name}">{data}</script>\n'


# --- frame ----------------------------------------------------------------------------------------------------------


def _navigation(contents: Contents) -> str:
    places = [(section.id, section.title) for section in contents.sections] + [("transcripts", "Transcripts")]
    items = "".join(f"<li><a href=#{place}>{html.escape(title)}</a></li>" for place, title in places)
    return f"<nav aria-label=Contents><details id=toc><summary>Contents</summary><ul>{items}</ul></details></nav>\n"


def _header(contents: Contents) -> str:
    material = contents.material
    badge = ""
    if material.run.simulated:
        badge = (
            "<p class=badge><b>Simulated backbone.</b> The scores below come from a simulated learner that is not a "
            "language model; they show how the methods work, not how good they are with one.</p>"
        )
    facts = []
    for at, (fact, _) in enumerate(contents.overview.rows):
        facts.append(
            f"<div><dt>{html.escape(str(fact))}</dt><dd>{number_html(contents.overview, at, 'value')}</dd></div>"
        )
    name = html.escape(material.run.path.name)
    return f"<header><h1>{name}</h1>{badge}<dl class=facts>{''.join(facts)}</dl></header>\n"


def _section(section: Section, figures: dict[str, Any]) -> str:
    parts = []
    for part in section.parts:
        if isinstance(part, str):
            parts.append(f"<p>{html.escape(part)}</p>")
        elif isinstance(part, Chart):
            parts.append(_chart(part, figures))
        elif isinstance(part, Group):
            # A heat map wants the whole width.
            few = "grid two" if len(part.charts) <= 4 else "grid"
            kind = "grid wide" if any(chart.least for chart in part.charts) else few
            inside = "".join(_chart(chart, figures, small=True) for chart in part.charts)
            parts.append(
                f"<div class=group>{_keys(part.keys, part.charts[0].off)}<div class='{kind}'>{inside}</div></div>"
            )
        elif isinstance(part, Beside):
            parts.append(f"<div class=beside>{''.join(_table(table) for table in part.tables)}</div>")
        else:
            parts.append(_table(part))
    folded = "".join(_folded(table) for table in section.folded)
    lead = f"<p>{html.escape(section.lead)}</p>" if section.lead else ""
    return (
        f"<section id={section.id} tabindex=-1><h2>{html.escape(section.title)}</h2>{lead}\n"
        f"{chr(10).join(parts)}\n{folded}</section>\n"
    )


# --- charts and tables ----------------------------------------------------------------------------------------------


def _chart(chart: Chart, figures: dict[str, Any], *, small: bool = False) -> str:
    figures[chart.name] = {**chart.figure, "off": list(chart.off)}
    heading = "h4" if small else "h3"
    least = f"min-width:{chart.least}px;" if chart.least else ""
    return (
        f"<figure class=chart id='chart-{chart.name}'><{heading}>{html.escape(chart.title)}</{heading}>"
        f"{_keys(chart.keys, chart.off)}<div class=frame{' tabindex=0' if chart.least else ''}>"
        f'<div class=plot data-figure="{chart.name}" role=img aria-label="{html.escape(chart.says, quote=True)}" '
        f'style="{least}height:{chart.height}px"></div></div></figure>'
    )


def _keys(keys: Mapping[str, Style], off: Sequence[str]) -> str:
    """A legend whose entries switch their series off and on."""
    items = []
    for name, style in keys.items():
        colour = style.colour.removeprefix("@")
        dash = DASHES.get(style.dash, "")
        line = f'<path d="M1 7h26" stroke="currentColor" stroke-width="2" stroke-dasharray="{dash}" fill="none"/>'
        swatch = f'<svg viewBox="0 0 28 14" class="c-{colour}" aria-hidden=true>{line}{MARKS[style.symbol]}</svg>'
        said = html.escape(name, quote=True)
        state = "false" if name in off else "true"
        items.append(f'<button type=button class=key data-series="{said}" aria-pressed={state}>{swatch}{said}</button>')
    return (
        f"<div class=keys role=group aria-label='Series: press to hide or show'>{''.join(items)}</div>" if items else ""
    )


def _table(table: Table) -> str:
    title = html.escape(table.title, quote=True)
    return (
        f'<div class=sheet><div class=scroll tabindex=0 role=region aria-label="{title}">'
        f'<table data-table="{table.name}"><caption>{title}</caption>{head_html(table)}'
        f"{body_html(table)}</table></div>{_foot(table)}</div>"
    )


def _folded(table: Table) -> str:
    title = f"{html.escape(table.title)} <span class=quiet>({len(table.rows):,} rows)</span>"
    if len(table.rows) <= FOLD:
        return f"<details class=fold><summary>{title}</summary>{_table(table)}</details>\n"
    name = f"table-{table.name}"
    closed = f'<details class=fold data-load="{name}"><summary>{title}</summary></details>\n'
    return closed + _script(name, payload(_table(table)))


def _foot(table: Table) -> str:
    note = f"{html.escape(table.note)} " if table.note else ""
    return f'<p class=note>{note}<button type=button class=csv data-csv="{table.name}">{table.name}.csv</button></p>'


# --- transcripts ----------------------------------------------------------------------------------------------------


def _trials(contents: Contents) -> str:
    """The list of trials, by game; each opens its claims and transcripts."""
    groups = "".join(_games(contents))
    return (
        "<section id=transcripts tabindex=-1><h2>Transcripts</h2>\n"
        "<p>Every episode with its score changes, and every claim with the steps behind it; unpacked from this file "
        "when opened.</p>\n<p class=filter><label>Show trials with <input id=filter type=search "
        "placeholder='method or game' autocomplete=off></label> <span id=shown role=status></span></p>\n"
        f"{groups}<noscript><p>Charts and transcripts need JavaScript.</p></noscript></section>\n"
    )


def _games(contents: Contents) -> Iterator[str]:
    table, cells = contents.trials, contents.material.run.cells
    state = " open" if len(cells) <= FOLD else ""
    games: dict[str, list[int]] = {}
    for row, cell in enumerate(cells):
        games.setdefault(contents.material.played(cell), []).append(row)
    for game, rows in games.items():
        items = []
        for row in sorted(rows, key=lambda at: contents.material.contenders.index(cells[at].contender)):
            cell = cells[row]
            best, claims = number_html(table, row, "best"), number_html(table, row, "claims")
            failed = table.rows[row][table.at("failed")]
            lost = f" · <b class=bad>{number_html(table, row, 'failed')} failed</b>" if failed else ""
            told = f" · {claims} claims" if table.rows[row][table.at("claims")] else ""
            words = html.escape(f"{game} {cell.contender} trial {cell.trial}".lower(), quote=True)
            items.append(
                f'<details class=trial id="{cell.id}" data-load="trial-{cell.id}" data-words="{words}" tabindex=-1>'
                f"<summary><b>{html.escape(cell.contender)}</b> · trial {number_html(table, row, 'trial')} · "
                f"best {best} %"
                f"{told}{lost}</summary></details>"
            )
        yield f"<details class=game{state}><summary>{html.escape(game)}</summary>{''.join(items)}</details>\n"
