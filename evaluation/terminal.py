"""What the terminal shows of a run: the table, the learning curves, what is missing, and live progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from evoplay.evaluation.recorder import Event
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.summary import said_of_gaps, said_of_unscored

BARS = "▁▂▃▄▅▆▇█"
PLAIN_WIDTH = 110
"""Columns to use where the output is no terminal."""


def spread(figure: Mapping[str, Any], *, signed: bool = False) -> str:
    """A figure as `12.3 ± 1.4`, n/a where there is none."""
    if figure["mean"] is None:
        return "n/a"
    sign = "+" if signed else ""
    value = f"{figure['mean']:{sign}.1f}" if not signed else f"{figure['mean']:+.2f}"
    return value if figure["sd"] is None else f"{value} ± {figure['sd']:.{2 if signed else 1}f}"


def interval(ci: Sequence[float] | None) -> str:
    """An interval as `[-0.3, 1.2]`, n/a below three trials."""
    return "n/a" if ci is None else f"[{ci[0]:.2f}, {ci[1]:.2f}]"


def sparkline(curve: Sequence[float | None], top: float) -> str:
    """A curve as one character a point, from 0 to `top`."""
    out = []
    for value in curve:
        level = 0 if value is None or top <= 0 else int(max(0.0, min(1.0, value / top)) * (len(BARS) - 1) + 0.5)
        out.append(" " if value is None else BARS[level])
    return "".join(out)


def money(report: Mapping[str, Any]) -> str:
    return "unpriced" if report["usd"] is None else f"{report['usd']:.4f}" if report["usd"] else "0"


def print_report(console: Console, report: Mapping[str, Any]) -> None:
    """The table, the differences to the baseline, what it cost, the curves, and everything that is missing."""
    name = f"{report['backbone']}{' (simulated backbone)' if report['simulated'] else ''}"
    if not console.is_terminal:
        console.width = max(console.width, PLAIN_WIDTH)
    console.print(f"{report['run']} · {name}", highlight=False, markup=False)
    _print_scores(console, report)
    _print_pairs(console, report)
    _print_costs(console, report)
    _print_curves(console, report)
    planned = sum(row["planned"] for row in report["methods"].values())
    if said := said_of_gaps(report["unplayed"], planned):
        console.print(said, highlight=False)
    for said in said_of_unscored(report):
        console.print(said, highlight=False)
    for game in report["unnormalised"]:
        console.print(f"no reference, left out of the figures: {game}")


def plain_table(caption: str | None, *heads: str) -> Table:
    """An unframed table; text columns to the left, numbers to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    for head in heads:
        left = head in ("method", "game")
        table.add_column(head, justify="left" if left else "right", no_wrap=head != "method")
    return table


def print_published(console: Console) -> None:
    """The published rows of methods, with their backbones: beside ours, never in one ranking."""
    from evoplay.evaluation.publications import method_rows, published

    if not console.is_terminal:
        console.width = max(console.width, PLAIN_WIDTH)
    source = published("learn2play")["source"]
    console.print(f"published, on other backbones: no ranking with the rows above. {source}", soft_wrap=True)
    table = plain_table("percent of the reference score", "method", "backbone")
    for head in ("Max", "Mean", "LG", "LS"):
        table.add_column(head, justify="right")
    for row in method_rows():
        figures = f"{row['max']:.1f}", f"{row['mean']:.1f}", f"{row['lg']:+.1f}", f"{row['ls']:+.2f}"
        table.add_row(row["method"], row["backbone"], *figures)
    console.print(table)


def _print_scores(console: Console, report: Mapping[str, Any]) -> None:
    caption = "percent of the reference score; mean ± standard deviation over trials"
    table = plain_table(caption, "method", "Max", "Mean", "LG", "LS", "LS, 95 %")
    for method, row in report["methods"].items():
        table.add_row(
            method,
            spread(row["max"]),
            spread(row["mean"]),
            spread(row["lg"], signed=True),
            spread(row["ls"], signed=True),
            interval(row["ls"]["ci"]),
        )
    console.print(table)


def _print_costs(console: Console, report: Mapping[str, Any]) -> None:
    table = plain_table("what it took", "method", "episodes", "failed", "capped", "calls", "tokens", "USD")
    for method, row in report["methods"].items():
        left = row["planned"] - row["episodes"] - row["missing"]
        table.add_row(
            method,
            f"{row['episodes']}{f' ({left} to go)' if left else ''}",
            str(row["missing"]),
            str(row["capped"]),
            f"{row['calls']:,}",
            f"{row['tokens']:,}",
            money(row),
        )
    console.print(table)


def _print_pairs(console: Console, report: Mapping[str, Any]) -> None:
    if not report["pairs"] or all(pair["ls"]["mean"] is None for pair in report["pairs"].values()):
        return
    caption = f"differences to {report['baseline']}; p by Holm; games won-lost-tied by Mean"
    table = plain_table(caption, "method", "Mean", "95 %", "LS", "95 %", "p (LS)", "games")
    for name, pair in report["pairs"].items():
        mean, ls = pair["mean"], pair["ls"]
        if mean["mean"] is None or ls["mean"] is None:
            continue
        table.add_row(
            name.removesuffix(f" - {report['baseline']}"),
            f"{mean['mean']:+.1f}",
            interval(mean["ci"]),
            f"{ls['mean']:+.2f}",
            interval(ls["ci"]),
            "n/a" if ls["p_holm"] is None else f"{ls['p_holm']:.3f}",
            f"{mean['won']}-{mean['lost']}-{mean['tied']}",
        )
    console.print(table)


def _print_curves(console: Console, report: Mapping[str, Any]) -> None:
    curves = {method: row["curve"] for method, row in report["methods"].items()}
    values = [value for curve in curves.values() for value in curve if value is not None]
    if not values:
        return
    top = max(100.0, *values)
    width = max(len(method) for method in curves)
    console.print("learning curves, first to last episode (percent of the reference score)")
    for method, curve in curves.items():
        known = [value for value in curve if value is not None]
        ends = f"{known[0]:6.1f} → {known[-1]:5.1f}" if known else "   n/a"
        console.print(f"  {method:{width}}  {sparkline(curve, top)}  {ends}", highlight=False)


class Live:
    """Live progress of a run: a bar where there is a terminal, plain lines else."""

    def __init__(self, console: Console, episodes: int, kept: int) -> None:
        self.console = console
        self.plain = not console.is_terminal
        self.total, self.done = episodes, kept
        self.tokens = 0
        self.usd = 0.0
        self.started = time.monotonic()
        self.progress: Progress | None = None
        self.task: TaskID | None = None
        self._next = self.started + 5
        if not self.plain:
            self.progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self.task = self.progress.add_task("episodes", total=episodes, completed=kept)

    def __enter__(self) -> Live:
        if self.progress is not None:
            self.progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.progress is not None:
            self.progress.stop()

    def hear(self, cell: Cell, event: Event) -> None:
        """Take an event of a trial."""
        kind = event["type"]
        if kind == "call":
            usage = event.get("usage", {})
            self.tokens += usage.get("input", 0) + usage.get("output", 0)
            self.usd += event.get("usd") or 0.0
            for line in event.get("retries", ()):
                self._say(f"retried: {line}")
        elif kind == "error":
            self._say(f"failed: {cell} episode {event['episode']} ({event['what']}): {event['message']}")
        elif kind == "broken":
            self._say(f"cannot go on: {cell}: {event['message']}")
        elif kind == "episode_finished":
            self.done += 1
            self._finished(cell, event)

    def _finished(self, cell: Cell, event: Event) -> None:
        score = "failed" if event.get("error") else f"score {event['score']:g}"
        line = f"{cell} episode {event['episode']}: {score}"
        if self.progress is not None and self.task is not None:
            spent = f"{self.tokens:,} tokens, {self.usd:.4f} USD"
            self.progress.update(self.task, completed=self.done, description=f"{line} · {spent}")
            return
        now = time.monotonic()
        if now >= self._next or self.done == self.total:
            self._next = now + 5
            left = (now - self.started) / max(self.done, 1) * (self.total - self.done)
            self._say(
                f"{self.done}/{self.total} episodes, {self.tokens:,} tokens, {self.usd:.4f} USD, {left:.0f} s left"
            )

    def _say(self, line: str) -> None:
        if self.progress is not None:
            self.progress.console.print(line, highlight=False, markup=False)
        else:
            print(line, file=sys.stderr, flush=True)
