"""A search index over vectors. It holds nothing that could not be made again.

Small indexes are searched exactly. From a thousand items on, Chroma in memory finds candidates (HNSW), which are ranked
exactly. Chroma alone would not do for the small ones: it puts the items of a batch into its graph in an order that
differs from run to run, so that of thirty items now and then one is not found; a trial that goes on after a stop would
then see other things than one played in one go. Larger indexes are fed item by item, which takes some milliseconds
each, for the same reason.

All in-memory clients that Chroma hands out share one database, which keeps the memory of what was deleted. So every
index has a database of its own: trials cannot see one another, and what one took is free when it is over.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evoplay.memory.embeddings import similarities

if TYPE_CHECKING:
    from evoplay.memory.embeddings import Vectors

EXACT = 1_000
"""From so many items on candidates come from Chroma."""
CANDIDATES = 64
"""Fetched from Chroma at least; the exact ranking is among them."""
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_construction": 100, "ef_search": 100, "num_threads": 1}}

Where = Mapping[str, Collection[str]]
"""Metadata an item must have: for each field the values allowed."""


class VectorIndex:
    """Vectors of length 1 with an id and metadata, searched by cosine similarity.

    `name` is the collection's in Chroma: 3 to 512 letters, digits, dots, dashes and underscores.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: dict[str, int] = {}
        self._ids: list[str] = []
        self._metadata: list[Mapping[str, str]] = []
        self._vectors: Any = None
        self._graph: Graph | None = None

    def put(self, ids: Sequence[str], vectors: Vectors, metadata: Sequence[Mapping[str, str]] | None = None) -> None:
        """Add items, or replace those of the same id."""
        if not ids:
            return
        rows = [self._row(one) for one in ids]
        self._reserve(len(self._ids), vectors.shape[1])
        self._vectors[rows] = vectors
        for row, told in zip(rows, metadata or [{}] * len(rows), strict=True):
            self._metadata[row] = told
        if self._graph is not None:
            self._feed(rows)

    def nearest(self, vector: Any, k: int, where: Where | None = None) -> list[tuple[str, float]]:
        """Up to `k` ids with their similarity (-1 to 1), most similar first; of equals the one put in last."""
        rows = self._candidates(vector, k, where)
        if not rows:
            return []
        scores = similarities(self._vectors[rows], vector)
        ranked = sorted(zip(scores, rows, strict=True), reverse=True)
        return [(self._ids[row], score) for score, row in ranked[:k]]

    def close(self) -> None:
        """Free what Chroma holds."""
        if self._graph is not None:
            self._graph.close()
            self._graph = None

    def _candidates(self, vector: Any, k: int, where: Where | None) -> Sequence[int]:
        if len(self._ids) < EXACT:
            return [row for row, told in enumerate(self._metadata) if where is None or _fits(told, where)]
        if self._graph is None:
            self._graph = Graph(self.name)
            self._feed(range(len(self._ids)))
        found = self._graph.nearest(vector, min(max(k, CANDIDATES), len(self._ids)), where)
        return [self._rows[one] for one in found]

    def _feed(self, rows: Sequence[int]) -> None:
        assert self._graph is not None
        for row in rows:
            self._graph.put(self._ids[row], self._vectors[row], self._metadata[row])

    def _row(self, one: str) -> int:
        if one not in self._rows:
            self._rows[one] = len(self._ids)
            self._ids.append(one)
            self._metadata.append({})
        return self._rows[one]

    def _reserve(self, count: int, dimensions: int) -> None:
        import numpy as np

        have = 0 if self._vectors is None else len(self._vectors)
        if count > have:
            larger = np.zeros((max(count, 2 * have), dimensions), dtype=np.float32)
            if have:
                larger[:have] = self._vectors
            self._vectors = larger


class Graph:
    """One collection of an in-memory Chroma that nothing else in the process shares."""

    def __init__(self, name: str) -> None:
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
        from chromadb.api import ServerAPI
        from chromadb.api.models.Collection import Collection as Chromas
        from chromadb.config import Settings, System

        system = System(Settings(anonymized_telemetry=False, is_persistent=False))
        # Chroma finds the implementation of the interface it is asked for.
        api = system.instance(ServerAPI)  # type: ignore[type-abstract]
        system.start()
        self._stop = weakref.finalize(self, system.stop)
        model = api.create_collection(name, configuration=_CONFIGURATION)  # type: ignore[arg-type]
        # Without a function of its own: Chroma's default one would download a model.
        self._collection = Chromas(client=api, model=model, embedding_function=None)

    def put(self, one: str, vector: Any, metadata: Mapping[str, str]) -> None:
        """Add an item, or replace it."""
        self._collection.upsert(ids=[one], embeddings=[vector], metadatas=[dict(metadata)] if metadata else None)
        # Chroma puts items into its graph when it is next asked, all that have come by then in an order of its own.
        self._collection.query(query_embeddings=[vector], n_results=1, include=[])

    def nearest(self, vector: Any, k: int, where: Where | None) -> list[str]:
        """The ids of about the `k` nearest items."""
        filters: list[Any] = [{name: {"$in": sorted(values)}} for name, values in (where or {}).items()]
        found = self._collection.query(
            query_embeddings=[vector],
            n_results=k,
            where=None if not filters else filters[0] if len(filters) == 1 else {"$and": filters},
            include=[],
        )
        return list(found["ids"][0])

    def close(self) -> None:
        """Free what it holds; it is of no use any more."""
        self._stop()


def _fits(metadata: Mapping[str, str], where: Where) -> bool:
    return all(metadata.get(name) in values for name, values in where.items())
