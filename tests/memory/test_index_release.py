"""A database that nobody holds any more goes at once, at whatever moment the collector finds it, and alone."""

import gc
import threading

from evoplay.memory.embeddings import Hashing
from evoplay.memory.index import Database

TEXTS = ["a lantern", "a kettle"]
VECTORS = Hashing().embed(TEXTS)


def filled(name="steps"):
    database = Database()
    index = database.index(name)
    index.put(TEXTS, VECTORS)
    return database, index


def test_databases_share_nothing_and_go_alone():
    one, first = filled()
    other, second = filled()
    second.put(["more"], VECTORS[:1])
    assert [key for key, _ in first.nearest(VECTORS[1], 9)] == ["a kettle", "a lantern"]
    one.close()
    one.close()
    assert len(second.nearest(VECTORS[0], 9)) == 3
    other.close()


def test_databases_collected_in_other_threads_while_indexes_are_made_block_nothing():
    done = []

    def use():
        for _ in range(5):
            _, index = filled()
            assert index.nearest(VECTORS[0], 1) == [("a lantern", 1.0)]
            del index, _
            gc.collect()
        done.append(True)

    threads = [threading.Thread(target=use, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert done == [True] * 4


def test_the_client_that_chroma_hands_out_to_others_sees_nothing_of_it():
    import chromadb
    from chromadb.config import Settings

    database, _ = filled("not-yours")
    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
    assert "not-yours" not in [collection.name for collection in client.list_collections()]
    database.close()
