"""A search index over vectors, on Chroma in memory. It holds nothing that could not be made again.

All in-memory clients that Chroma hands out share one database, which keeps the memory of what was deleted. So every
trial has a database of its own: trials cannot see one another, and what one took is free when it is over.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoplay.memory.embeddings import Vectors

BATCH = 1000
"""Items handed to Chroma at once."""
# One thread, so that the graph depends on the order of the items only.
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_construction": 100, "ef_search": 100, "num_threads": 1}}


class Database:
    """An in-memory Chroma that nothing else in the process shares."""

    def __init__(self) -> None:
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
        from chromadb.api import ServerAPI
        from chromadb.config import Settings, System

        system = System(Settings(anonymized_telemetry=False, is_persistent=False))
        # Chroma finds the implementation of the interface it is asked for.
        self._api = system.instance(ServerAPI)  # type: ignore[type-abstract]
        system.start()
        self._stop = weakref.finalize(self, system.stop)

    def index(self, name: str) -> VectorIndex:
        """A new, empty index; Chroma wants names of 3 to 512 letters, digits, dots, dashes and underscores."""
        from chromadb.api.models.Collection import Collection

        model = self._api.create_collection(name, configuration=_CONFIGURATION)  # type: ignore[arg-type]
        # Without a function of its own: Chroma's default one would download a model.
        return VectorIndex(Collection(client=self._api, model=model, embedding_function=None))

    def close(self) -> None:
        """Free what it holds; its indexes are of no use any more."""
        self._stop()


class VectorIndex:
    """Vectors of length 1 with an id and metadata, searched by cosine similarity (HNSW, so nearly exact)."""

    def __init__(self, collection: Any) -> None:
        self._collection = collection
        self._size = 0

    def put(self, ids: Sequence[str], vectors: Vectors, metadata: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Add items, or replace those of the same id."""
        for start in range(0, len(ids), BATCH):
            part = slice(start, start + BATCH)
            self._collection.upsert(
                ids=list(ids[part]),
                embeddings=vectors[part],
                metadatas=None if metadata is None else [dict(one) for one in metadata[part]],
            )
        self._size = self._collection.count()

    def nearest(self, vector: Any, k: int, where: Mapping[str, Any] | None = None) -> list[tuple[str, float]]:
        """Up to `k` ids with their similarity (-1 to 1), most similar first; `where` as Chroma filters metadata."""
        if not self._size:
            return []
        found = self._collection.query(
            query_embeddings=[vector],
            n_results=min(k, self._size),
            where=None if where is None else dict(where),
            include=["distances"],
        )
        # Rounded, because the last digits depend on the order of summation.
        return [
            (key, round(1.0 - float(distance), 5))
            for key, distance in zip(found["ids"][0], found["distances"][0], strict=True)
        ]
