"""An estimate as it is printed: figures rounded to what can be known of them, and what they rest on."""

from __future__ import annotations

import math

from rich.console import Console

from evoplay.evaluation.estimate import FREE, Estimate, Forecast, Part
from evoplay.evaluation.terminal import PLAIN_WIDTH, plain_table
from evoplay.methods.backbones.prices import Price

ALL = "all"
ABREAST = 3
"""Models a table of USD has beside each other."""


def print_forecast(found: Forecast) -> None:
    """Calls and tokens by method and what they cost, a table for each window that the prompts do not fit into."""
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, PLAIN_WIDTH)
    for part in found.parts:
        rows = dict(part.methods)
        if len(rows) > 1:
            rows[ALL] = part.all
        _print_tokens(console, found, part, rows)
        _print_usd(console, part, rows)


def _print_tokens(console: Console, found: Forecast, part: Part, rows: dict[str, Estimate]) -> None:
    table = plain_table(None, "method", "simulated", "calls", "input tokens", "cacheable", "output tokens")
    for name, estimate in rows.items():
        figures = (estimate.calls, estimate.input, estimate.cacheable, estimate.output)
        rests = f"{estimate.simulated:,} of {estimate.planned:,}" if estimate.planned else "-"
        table.add_row(name, rests, *(rounded(figure, estimate.digits, whole=True) for figure in figures))
    console.print(table)
    rests, whole = f"played in advance by {found.simulated_with} (simulated)", part.all
    if whole.simulated < whole.planned:
        rests = f"{whole.simulated:,} of them {rests}, the others continued; figures rounded to what that can tell"
    console.print(f"{part.episodes:,} episodes, {rests}", soft_wrap=True, highlight=False)
    if found.without:
        console.print(f"without the calls of {found.without}", soft_wrap=True, highlight=False)
    within = "" if len(found.parts) == 1 else f"in the window of {', '.join(part.prices)}: "
    longest = f"{part.longest:,.0f}" if part.all.digits == 3 else rounded(part.longest, 2, whole=True)
    console.print(f"{within}longest prompt {longest} tokens", soft_wrap=True, highlight=False)


def _print_usd(console: Console, part: Part, rows: dict[str, Estimate]) -> None:
    for model, price in part.prices.items():
        said = "free" if price is FREE else price or "unpriced; give a table with --prices"
        console.print(f"{model}: {said}", soft_wrap=True, highlight=False)
    priced = [model for model, price in part.prices.items() if price is not None and price is not FREE]
    for at in range(0, len(priced), ABREAST):
        some = priced[at : at + ABREAST]
        table = plain_table(None, "method", *some)
        for name, estimate in rows.items():
            table.add_row(name, *(_span(estimate, part.prices[model]) for model in some))
        console.print(table)
    if priced:
        console.print("USD: all that is cacheable read from a cache - nothing cached", soft_wrap=True, highlight=False)


def _span(estimate: Estimate, price: Price | None) -> str:
    """What a method costs, from the best case to the worst; one figure where they do not differ."""
    ends = [rounded(end, estimate.digits) for end in estimate.usd(price) or ()]
    return " - ".join(dict.fromkeys(ends))


def rounded(value: float, digits: int, *, whole: bool = False) -> str:
    """A figure to so many significant digits, thousands apart; one that counts things has no decimals (`whole`)."""
    if not value:
        return "0"
    near = float(f"{value:.{digits - 1}e}")
    places = digits - 1 - math.floor(math.log10(abs(near)))
    return f"{near:,.{0 if whole else max(places, 0)}f}"
