"""What a run has spent, and the limits at which it stops."""

from __future__ import annotations

import threading

from evoplay.methods.backbones.base import LimitReached, Usage


class Spending:
    """Money and tokens spent, by all threads together.

    Parameters
    ----------
    max_usd, max_tokens : where the run stops; None: no limit. Calls under way when a limit is reached are finished and
        counted, so a run may pass its limit by what its concurrent calls cost.
    """

    def __init__(self, max_usd: float | None = None, max_tokens: int | None = None) -> None:
        self.max_usd = max_usd
        self.max_tokens = max_tokens
        self.usd = 0.0
        self.tokens = 0
        self._lock = threading.Lock()

    def add(self, usage: Usage, usd: float | None) -> None:
        """Count a call (or, on resuming, what the run had spent before)."""
        with self._lock:
            self.usd += usd or 0.0
            self.tokens += usage.total

    def check(self) -> None:
        """Raises LimitReached when a limit is used up; called before every call."""
        if self.max_usd is not None and self.usd >= self.max_usd:
            raise LimitReached(
                f"the limit of {self.max_usd:g} USD is used up ({self.usd:.4f} spent): resume with a higher --max-usd"
            )
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise LimitReached(
                f"the limit of {self.max_tokens:,} tokens is used up ({self.tokens:,} spent): "
                "resume with a higher --max-tokens"
            )
