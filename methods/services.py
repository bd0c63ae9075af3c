"""What the loop lends a method: structured model calls, the evidence store, the event sink; made when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evoplay.methods.backbones.base import Backbone

if TYPE_CHECKING:
    from evoplay.memory.evidence import EvidenceStore
    from evoplay.methods.structured import Structured

Sink = Callable[[Mapping[str, Any]], None]
"""Takes an event (a JSON-able mapping with a "type") for the run log."""


class Services:
    """The model, the store and the log, as a method sees them.

    Parameters
    ----------
    cell : id of the trial, the prefix of its step ids.
    backbone : the trial's backbone, wrapped so that every call is logged and counted.
    sink : where events go.
    seed_of : the seed of a call from (episode, step, purpose).
    store_factory : makes the trial's evidence store.
    """

    def __init__(
        self,
        cell: str,
        backbone: Backbone,
        sink: Sink,
        seed_of: Callable[[int, int, str], int],
        store_factory: Callable[[], EvidenceStore] | None = None,
    ) -> None:
        self.cell = cell
        self.backbone = backbone
        self.emit = sink
        self.seed_of = seed_of
        self.episode = 0
        """The episode now played or just ended; the loop keeps it, as it does `step` (0 before the first)."""
        self.step = 0
        self._store_factory = store_factory
        self._store: EvidenceStore | None = None
        self._structured: Structured | None = None

    @property
    def store(self) -> EvidenceStore:
        """The trial's evidence store."""
        if self._store is None:
            if self._store_factory is None:
                raise RuntimeError(f"{self.cell} was started without an evidence store")
            self._store = self._store_factory()
        return self._store

    @property
    def structured(self) -> Structured:
        """Typed model calls (DSPy signatures) over the trial's backbone."""
        if self._structured is None:
            from evoplay.methods.structured import Structured

            self._structured = Structured(self)
        return self._structured

    def close(self) -> None:
        """The trial is over: free what the store's index holds."""
        if self._store is not None:
            self._store.close()
