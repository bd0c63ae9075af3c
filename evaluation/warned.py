"""Warnings about runs: `RunWarning` in Python, one line on standard error from the command line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class RunWarning(UserWarning):
    """Something about a run that its figures do not show: other rules, episodes not played yet."""


@contextmanager
def as_lines() -> Iterator[None]:
    """While it holds, a RunWarning is one line on standard error; others are shown as ever."""
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
            if issubclass(category, RunWarning):
                print(f"evoplay: {message}", file=sys.stderr)
            else:
                before(message, category, *rest, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", RunWarning)
        yield
