"""What a run would take, before it starts: calls and tokens from a short simulated run, USD by the price table.

Two simulated trials of a few episodes are played for every environment and method; what grows with the history is
continued along its line over the episodes, the rest by its mean. Replies are counted as the simulated ones, which are
short: a model that thinks aloud writes more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evoplay.evaluation.config import RunConfig, make_config
from evoplay.evaluation.load import LoadedRun, load
from evoplay.evaluation.recorded import calls_with_messages
from evoplay.evaluation.runlog import Cell
from evoplay.memory.blocks import common_prefix
from evoplay.methods.backbones.base import Usage
from evoplay.methods.backbones.prices import Price, PriceTable

SIMULATED = "sim/learner"
SAMPLED = 3
"""Episodes that are played of each trial."""
TRIALS = 2


@dataclass(slots=True)
class Estimate:
    """What a method would take in a whole run: calls, tokens, and the share of input that a cache could serve."""

    calls: float = 0.0
    input: float = 0.0
    cacheable: float = 0.0
    output: float = 0.0

    def add(self, other: Estimate, times: float = 1.0) -> None:
        self.calls += times * other.calls
        self.input += times * other.input
        self.cacheable += times * other.cacheable
        self.output += times * other.output

    def usd(self, price: Price | None) -> tuple[float, float] | None:
        """USD with every cacheable token read from a cache, and with none; None where there is no price."""
        if price is None:
            return None
        plain = Usage(input=round(self.input), output=round(self.output))
        cached = Usage(input=round(self.input), output=round(self.output), cached=round(self.cacheable))
        # Per call, not per sum: the tiers of long prompts are those of one call.
        calls = max(round(self.calls), 1)
        return tuple(  # type: ignore[return-value]
            calls * price.usd(Usage(u.input // calls, u.output // calls, u.cached // calls)) for u in (cached, plain)
        )


@dataclass(slots=True)
class Forecast:
    """The estimates of a run's methods, and what each named model would cost."""

    methods: dict[str, Estimate] = field(default_factory=dict)
    prices: dict[str, Price | None] = field(default_factory=dict)
    episodes: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "simulated_with": SIMULATED,
            "episodes": self.episodes,
            "methods": {
                name: {
                    "calls": round(found.calls),
                    "input": round(found.input),
                    "cacheable": round(found.cacheable),
                    "output": round(found.output),
                    "usd": {model: found.usd(price) for model, price in self.prices.items()},
                }
                for name, found in self.methods.items()
            },
        }


def forecast(config: RunConfig, models: list[str] | None = None) -> Forecast:
    """Estimate a run. `models` to price it for (default: the run's own backbone)."""
    from evoplay.evaluation.runner import Run
    from evoplay.methods.backbones.registry import open_backbone

    named = models or [config.backbone]
    table = PriceTable(config.prices)
    found = Forecast(prices={model: table.price(model) for model in named})
    with tempfile.TemporaryDirectory() as folder:
        settings = config.model_dump() | {
            "backbone": SIMULATED,
            "trials": TRIALS,
            "out": str(Path(folder) / "estimate"),
        }
        whole = {cell: Run(config, open_backbone(SIMULATED)).planned(cell) for cell in config.cells()}
        settings |= {"episodes": min(SAMPLED, *whole.values()), "env_seeds": None, "max_usd": None, "max_tokens": None}
        sample = make_config(settings)
        run = Run(sample, open_backbone(SIMULATED))
        run.execute(run.prepare())
        loaded = load(sample.out)
        seeds = len(config.env_seeds or [0])
        for cell in loaded.cells:
            episodes = next(count for other, count in whole.items() if other.env_id == cell.env_id)
            found.episodes += episodes * seeds * config.trials if cell.trial == 1 else 0
            estimate = found.methods.setdefault(cell.contender, Estimate())
            if not cell.contender.startswith("policy/"):
                estimate.add(_continued(loaded, cell, episodes), times=seeds * config.trials / TRIALS)
    return found


def _continued(run: LoadedRun, cell: Cell, episodes: int) -> Estimate:
    """A trial of so many episodes: calls an episode by their mean, tokens a call along their line."""
    by_episode: dict[int, Estimate] = {}
    last: dict[str, str] = {}
    for event, messages in calls_with_messages(run.log_of(cell).events()):
        text = "".join(message.content for message in messages)
        usage: Mapping[str, Any] = event.get("usage", {})
        tokens = usage.get("input", 0)
        same = common_prefix(text, last.get(event["purpose"], "")) / max(len(text), 1)
        last[event["purpose"]] = text
        entry = by_episode.setdefault(event["episode"], Estimate())
        entry.add(Estimate(1, tokens, tokens * same, usage.get("output", 0)))
    played = [by_episode[number] for number in sorted(by_episode)]
    # Episodes differ in length by chance; what grows with the history is the prompt of a call.
    calls = float(np.mean([entry.calls for entry in played])) if played else 0.0
    whole = Estimate(calls=calls * episodes)
    for name in ("input", "cacheable", "output"):
        a_call = np.array([getattr(entry, name) / entry.calls for entry in played])
        setattr(whole, name, calls * float(_along_the_line(a_call, episodes).sum()))
    return whole


def _along_the_line(values: np.ndarray[Any, np.dtype[np.float64]], episodes: int) -> np.ndarray[Any, Any]:
    """Values continued linearly to so many episodes, never below the smallest that was seen."""
    if len(values) == 0:
        return np.zeros(episodes)
    t = np.arange(1, len(values) + 1)
    slope, start = np.polyfit(t, values, 1) if len(values) > 1 else (0.0, values[0])
    line = start + slope * np.arange(1, episodes + 1)
    continued: np.ndarray[Any, Any] = np.concatenate([values[:episodes], line[len(values) :]])
    line_above: np.ndarray[Any, Any] = np.maximum(continued, values.min())
    return line_above


def print_forecast(found: Forecast) -> None:
    """The table, and what it rests on."""
    from rich.console import Console

    from evoplay.evaluation.terminal import PLAIN_WIDTH, plain_table

    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, PLAIN_WIDTH)
    caption = f"{found.episodes:,} episodes in all, from a short run of {SIMULATED} (simulated)"
    table = plain_table(caption, "method", "calls", "input tokens", "cacheable", "output tokens")
    for name, estimate in found.methods.items():
        table.add_row(
            name, *(f"{round(getattr(estimate, key)):,}" for key in ("calls", "input", "cacheable", "output"))
        )
    console.print(table)
    for model, price in found.prices.items():
        console.print(
            f"{model}: {price if price is not None else 'unpriced; give a table with --prices'}", soft_wrap=True
        )
        if price is not None:
            table = plain_table(None, "method", "USD, all cacheable cached", "USD, nothing cached")
            for name, estimate in found.methods.items():
                table.add_row(name, *(f"{usd:,.2f}" for usd in estimate.usd(price) or ()))
            console.print(table)
