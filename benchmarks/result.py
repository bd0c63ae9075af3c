"""What a benchmark reports, and how it is shown."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Result(NamedTuple):
    """A measured value with its limit; `least` says that the limit is a lower one."""

    name: str
    value: float
    limit: float | None
    unit: str
    least: bool = False

    @property
    def ok(self) -> bool:
        if self.limit is None:
            return True
        return self.value >= self.limit if self.least else self.value <= self.limit

    @property
    def bound(self) -> str:
        return "" if self.limit is None else f"{'≥' if self.least else '≤'} {self.limit:g}"


def timed(action: Callable[[], object]) -> float:
    """Wall seconds of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_of(action: Callable[[], object], repeats: int = 5) -> float:
    """Median wall seconds of an action."""
    return statistics.median(timed(action) for _ in range(repeats))


def machine() -> str:
    """What was measured on: processor, cores, Python."""
    import os

    name = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def table(results: Iterable[Result]) -> str:
    """Results as a Markdown table."""
    rows = ["| what | measured | limit | |", "|---|---:|---:|---|"]
    rows += [
        f"| {result.name} | {result.value:,.4g} {result.unit} | {result.bound} | {'' if result.ok else 'not reached'} |"
        for result in results
    ]
    return "\n".join(rows)
