"""A search index over vectors, on Chroma in memory. It holds nothing that could not be made again.

All in-memory Chroma clients of a process share their data, so there is one client, and every collection has a name of
its own: whoever opens an index under a name finds it empty, whatever a run of the same name left behind.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoplay.memory.embeddings import Vectors

BATCH = 1000
"""Items handed to Chroma at once."""
# One thread, so that the graph depends on the order of the items only.
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_construction": 100, "ef_search": 100, "num_threads": 1}}

_client: Any = None
_lock = threading.Lock()
_gone: deque[tuple[str, Any]] = deque()
"""Names and ids of collections nobody uses any more. A finalizer may run anywhere, so it takes no lock: it only says so
here, and who next holds the lock deletes them."""


class VectorIndex:
    """Vectors of length 1 with an id and metadata, searched by cosine similarity (HNSW, so nearly exact).

    `name` must be unlike that of any other index in use in this process.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        client = _shared_client()
        with _lock:
            _sweep()
            _delete(client, name)
            self._collection = client.create_collection(name, embedding_function=None, configuration=_CONFIGURATION)
            self._size = 0
        self._release = weakref.finalize(self, _gone.append, (name, self._collection.id))

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

    def close(self) -> None:
        """Free what the index holds."""
        self._release()
        with _lock:
            _sweep()


def _shared_client() -> Any:
    global _client
    with _lock:
        if _client is None:
            os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
            import chromadb
            from chromadb.config import Settings

            try:
                _client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
            except ValueError:
                # Someone else in this process opened Chroma with settings of theirs, which then hold for all.
                _client = chromadb.EphemeralClient()
        return _client


def _sweep() -> None:
    """Delete what is gone, unless its name now belongs to a later collection. To be called with the lock held."""
    while _gone:
        name, collection = _gone.popleft()
        try:
            same = _client.get_collection(name, embedding_function=None).id == collection
        except Exception:  # noqa: BLE001  (Chroma's own errors differ from version to version; gone is gone)
            continue
        if same:
            _delete(_client, name)


def _delete(client: Any, name: str) -> None:
    if name in [collection.name for collection in client.list_collections()]:
        client.delete_collection(name)
