"""A table with typed columns: the one object that is written as CSV and shown in the page.

How a number looks is decided here and nowhere else; where its value comes from is not known here.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Value = str | int | float | None
Form = Literal["plain", "spread", "range"]
MISSING = "n/a"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in the CSV, its heading, and for numbers the decimals and whether a plus is written.

    p : the numbers are p-values: one that would round to 0 is shown as below the least that can be shown.
    """

    name: str
    title: str = ""
    digits: int | None = None
    signed: bool = False
    p: bool = False

    @property
    def numeric(self) -> bool:
        return self.digits is not None

    def text(self, value: Value) -> str:
        """A value as the page shows it."""
        if value is None:
            return MISSING
        if self.digits is None or isinstance(value, str):
            return str(value)
        if self.p and value < 10**-self.digits:
            return f"< {10**-self.digits:.{self.digits}f}"
        # A value that rounds to nothing has no sign.
        rounded = round(value, self.digits)
        sign = "+" if self.signed and rounded else ""
        return f"{rounded or 0:{sign},.{self.digits}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of the page, of one or two of the table's: `54.2`, `54.2 ± 3.1` (spread) or `[50.1, 58.3]` (range)."""

    title: str
    columns: tuple[str, ...]
    form: Form = "plain"


@dataclass(slots=True)
class Table:
    """Rows of values.

    name : of the CSV file. title, note : shown above and below. rows : aligned with `columns`.
    shown : the columns of the page, in order (default: all of `columns`).
    links : a column's values lead to these places in the page. classes : how a column's values look, by value.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: list[tuple[Value, ...]] = field(default_factory=list)
    note: str = ""
    shown: Sequence[Shown] | None = None
    links: Mapping[str, Callable[[Value], str]] = field(default_factory=dict)
    classes: Mapping[str, Callable[[Value], str]] = field(default_factory=dict)

    def at(self, name: str) -> int:
        """The place of a column."""
        return next(number for number, column in enumerate(self.columns) if column.name == name)

    def column(self, name: str) -> list[Value]:
        """The values of a column."""
        at = self.at(name)
        return [row[at] for row in self.rows]

    def add(self, values: Mapping[str, Any]) -> None:
        """Append a row by column names; what is not named is missing."""
        self.rows.append(tuple(values.get(column.name) for column in self.columns))

    @property
    def views(self) -> Sequence[Shown]:
        return self.shown or [Shown(column.title or column.name, (column.name,)) for column in self.columns]

    def csv(self) -> str:
        """The table as CSV: a head, numbers in full precision, missing values empty."""
        out = io.StringIO()
        writer = csv.writer(out)  # with \r\n at line ends: a text with either in it is then quoted
        writer.writerow([column.name for column in self.columns])
        writer.writerows([["" if value is None else value for value in row] for row in self.rows])
        return out.getvalue()


def spread_columns(name: str, title: str, digits: int = 1, *, signed: bool = False) -> list[Column]:
    """The columns of a figure with its standard deviation and interval: NAME, NAME_sd, NAME_low, NAME_high."""
    ends = (("", ""), ("_sd", ", sd"), ("_low", ", 95 % from"), ("_high", ", to"))
    return [Column(name + end, title + said, digits, signed and end != "_sd") for end, said in ends]


def spread_values(name: str, figure: Mapping[str, Any]) -> dict[str, Value]:
    """A figure given as {"mean", "sd", "ci"} for the columns of `spread_columns`."""
    low, high = figure.get("ci") or (None, None)
    return {name: figure["mean"], f"{name}_sd": figure.get("sd"), f"{name}_low": low, f"{name}_high": high}


def write_csvs(tables: Iterable[Table], folder: Path) -> None:
    """Every table as `NAME.csv`. A file of an earlier report that is no longer written is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for table in tables:
        path = folder / f"{table.name}.csv"
        path.write_text(table.csv(), encoding="utf-8", newline="")
        written.add(path)
    for old in set(folder.glob("*.csv")) - written:
        old.unlink()


# --- as HTML --------------------------------------------------------------------------------------------------------


def head_html(table: Table) -> str:
    """The `<thead>`."""
    cells = []
    for view in table.views:
        numeric = table.columns[table.at(view.columns[0])].numeric
        cells.append(f"<th scope=col{' class=n' if numeric else ''}>{html.escape(view.title)}</th>")
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def body_html(table: Table) -> str:
    """The `<tbody>`: every shown value carries the name of its column, so that it can be found in the CSV."""
    plan = [(view, [(table.at(name), table.columns[table.at(name)]) for name in view.columns]) for view in table.views]
    rows = []
    for values in table.rows:
        cells = [_cell(table, view, columns, values, first=at == 0) for at, (view, columns) in enumerate(plan)]
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    return f"<tbody>{''.join(rows)}</tbody>"


def _cell(
    table: Table, view: Shown, columns: list[tuple[int, Column]], values: tuple[Value, ...], *, first: bool
) -> str:
    at, column = columns[0]
    value = values[at]
    kind = "n" if column.numeric else ""
    if column.name in table.classes:
        kind = f"{kind} {table.classes[column.name](value)}".strip()
    opening = f"<th scope=row{_class(kind)}" if first else f"<td{_class(kind)}"
    closing = "</th>" if first else "</td>"
    if len(columns) == 1:
        text = html.escape(column.text(value))
        if column.name in table.links and value is not None:
            place = html.escape(table.links[column.name](value), quote=True)
            text = f'<a href="#{place}">{text}</a>'
        return f'{opening} data-column="{column.name}">{text}{closing}'
    parts = [f'<span data-column="{c.name}">{html.escape(c.text(values[place]))}</span>' for place, c in columns]
    if value is None:
        return f"{opening}>{parts[0]}{closing}"
    if view.form == "range":
        return f"{opening}>[{parts[0]}, {parts[1]}]{closing}"
    if values[columns[1][0]] is None:
        return f"{opening}>{parts[0]}{closing}"
    return f"{opening}>{parts[0]} ± {parts[1]}{closing}"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def number_html(table: Table, row: int, name: str) -> str:
    """A value of a table for running text; it says where it comes from."""
    column = table.columns[table.at(name)]
    value = html.escape(column.text(table.rows[row][table.at(name)]))
    return f'<span data-table="{table.name}" data-row="{row}" data-column="{name}">{value}</span>'
