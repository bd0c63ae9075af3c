"""An index that nobody holds any more goes without taking a lock: the collector may find it at any moment."""

import threading

from evoplay.memory import index
from evoplay.memory.embeddings import Hashing
from evoplay.memory.index import VectorIndex


def names():
    return [collection.name for collection in index._shared_client().list_collections()]


def test_an_index_collected_while_another_is_being_made_blocks_nothing():
    first = VectorIndex("release-first")
    first.put(["a"], Hashing().embed(["a text"]))
    with index._lock:
        collected = threading.Thread(target=first._release)
        collected.start()
        collected.join(10)
        assert not collected.is_alive()
    second = VectorIndex("release-second")
    assert "release-first" not in names()
    second.close()
    assert "release-second" not in names()


def test_a_later_index_of_the_same_name_stays():
    first = VectorIndex("release-twice")
    second = VectorIndex("release-twice")
    second.put(["a"], Hashing().embed(["a text"]))
    first.close()
    assert second.nearest(Hashing().embed(["a text"])[0], 1) == [("a", 1.0)]
    second.close()
