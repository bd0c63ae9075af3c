"""The index: found is what is nearest, the same items in the same order find the same, and nothing leaks."""

import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.memory import index
from evoplay.memory.embeddings import Hashing, similarities, unit_rows
from evoplay.memory.index import Graph, VectorIndex

TEXTS = ["a lantern", "a kettle"]
VECTORS = Hashing().embed(TEXTS)


@pytest.fixture
def by_chroma(monkeypatch):
    """Every index asks Chroma, however small it is."""
    monkeypatch.setattr(index, "EXACT", 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 12))
def test_small_indexes_find_the_nearest_exactly(seed, count, k):
    rng = np.random.default_rng(seed)
    vectors = unit_rows(rng.normal(size=(count, 8)))
    told = [{"kind": "ab"[at % 2], "status": "xyz"[at % 3]} for at in range(count)]
    found = VectorIndex("steps")
    half = count // 2
    for part in (slice(0, half), slice(half, None)):
        found.put([str(at) for at in range(count)][part], vectors[part], told[part])
    asked = unit_rows(rng.normal(size=(1, 8)))[0]
    scores = {str(at): round(float(vectors[at] @ asked), 5) for at in range(count)}
    hits = found.nearest(asked, k)
    assert len(hits) == min(k, count)
    assert [score for _, score in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:k], abs=2e-5)
    allowed = [score for at, score in scores.items() if told[int(at)]["kind"] == "a" and told[int(at)]["status"] != "x"]
    some = found.nearest(asked, k, {"kind": ["a"], "status": ["y", "z"]})
    assert [score for _, score in some] == pytest.approx(sorted(allowed, reverse=True)[:k], abs=2e-5)


def test_of_equals_the_latest_comes_first_and_what_was_replaced_is_gone():
    found = VectorIndex("steps")
    found.put(["a", "b", "c"], VECTORS[[0, 0, 1]])
    assert [key for key, _ in found.nearest(VECTORS[0], 2)] == ["b", "a"]
    found.put(["b"], VECTORS[[1]], [{"kind": "x"}])
    assert [key for key, _ in found.nearest(VECTORS[0], 1)] == ["a"]
    assert found.nearest(VECTORS[0], 9, {"kind": ["x"]}) == [("b", pytest.approx(VECTORS[0] @ VECTORS[1], abs=1e-4))]


MANY = """
import hashlib
import numpy as np
from evoplay.memory.embeddings import similarities, unit_rows
vectors = unit_rows(np.random.default_rng(5).random((300, 512), dtype=np.float32) - np.float32(0.4))
print(hashlib.sha256(repr([similarities(vectors, one) for one in vectors]).encode()).hexdigest())
"""


def test_similarities_are_the_same_on_every_processor():
    """Of 90,000, some lie so near to a rounding's edge that another order of summation would tell."""
    found = set()
    for kernel in ("Haswell", "Prescott", "SkylakeX"):
        env = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        run = subprocess.run([sys.executable, "-c", MANY], env=env, capture_output=True, text=True, check=False)
        if run.returncode != -signal.SIGILL:
            assert run.returncode == 0, run.stderr
            found.add(run.stdout)
    assert len(found) == 1


def test_similarities_of_nothing_and_of_many():
    assert similarities(VECTORS[:0], VECTORS[0]) == []
    many = unit_rows(np.random.default_rng(1).normal(size=(700, 16)))
    assert similarities(many, many[3]) == pytest.approx((many @ many[3]).tolist(), abs=1e-5)


def test_chroma_finds_what_the_exact_search_finds(monkeypatch):
    words = ("lantern", "river", "ghost", "iron", "salt", "kettle", "parrot", "stairs")
    texts = [f"{word} of the {other} {number}" for number in range(3) for word in words for other in words]
    vectors, asked = Hashing().embed(texts), Hashing().embed(["salt river", "ghost iron 2", "the old stairs"])
    told = [{"kind": "ab"[at % 2]} for at in range(len(texts))]

    def found(part):
        items = VectorIndex("steps")
        for start in range(0, len(texts), part):
            here = slice(start, start + part)
            items.put([str(at) for at in range(len(texts))[here]], vectors[here], told[here])
            items.nearest(asked[0], 1)
        items.put(["7"], vectors[[8]], [{"kind": "b"}])
        hits = [items.nearest(vector, 5, where) for vector in asked for where in (None, {"kind": ["a"]})]
        items.close()
        return hits

    exactly = found(len(texts))
    monkeypatch.setattr(index, "EXACT", 40)
    # At once, as when a trial goes on after a stop, or bit by bit.
    assert [found(part) for part in (len(texts), 50, 17)] == [exactly] * 3


def test_an_index_that_was_closed_is_made_again(by_chroma):
    items = VectorIndex("steps")
    items.put(TEXTS, VECTORS)
    before = items.nearest(VECTORS[0], 2)
    items.close()
    items.close()
    assert items.nearest(VECTORS[0], 2) == before


def test_indexes_of_one_name_share_nothing_and_go_alone(by_chroma):
    first, second = VectorIndex("steps"), VectorIndex("steps")
    first.put(TEXTS, VECTORS)
    second.put(["more"], VECTORS[:1])
    assert [key for key, _ in first.nearest(VECTORS[1], 9)] == ["a kettle", "a lantern"]
    assert [key for key, _ in second.nearest(VECTORS[1], 9)] == ["more"]
    first.close()
    assert [key for key, _ in second.nearest(VECTORS[1], 9)] == ["more"]


def test_graphs_collected_in_other_threads_while_others_are_made_block_nothing(by_chroma):
    done = []

    def use():
        for _ in range(4):
            items = VectorIndex("steps")
            items.put(TEXTS, VECTORS)
            assert items.nearest(VECTORS[0], 1) == [("a lantern", 1.0)]
            del items
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

    graph = Graph("not-yours")
    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
    assert "not-yours" not in [collection.name for collection in client.list_collections()]
    graph.close()
