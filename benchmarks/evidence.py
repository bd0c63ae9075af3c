"""The evidence store at the sizes it has to carry, and what 300 trials in one process leave behind."""

from __future__ import annotations

import gc
import os
import random
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.result import Result, median_of, timed
from evoplay.memory.evidence import EvidenceStore
from evoplay.memory.records import Step, step_id

TITLE = "The evidence store"
EPISODE = 100
SMALL, LARGE = 1_000, 10_000
QUERIES = 100
TRIALS = 300

_VOCABULARY = [f"{first}{last}" for first in ("lantern", "cellar", "river", "forge", "guest") for last in range(120)]


def measure() -> list[Result]:
    rng = random.Random(1)
    # Imports of Chroma and scikit-learn, and the client, are paid once a process.
    warm = _filled("warm", EPISODE, rng)
    warm.search("lantern")
    indexing = median_of(lambda: _filled("cell", EPISODE, rng).search("lantern"), 7)
    store = _filled("cell", SMALL, rng)
    at_small = _searching(store, rng, kind="step")
    store.add_steps(_steps("cell", SMALL, LARGE, rng))
    store.search("lantern")
    at_large = _searching(store, rng, kind="step")
    ids = [step.id for step in store.steps]
    for at, step in enumerate(ids):
        kind, status = ("rule", "item")[at % 2], ("hypothesis", "established")[at % 3 == 0]
        store.claim(kind=kind, text=_text(rng, 20), supports=[step], status=status)
    store.search("lantern", kind="rule", status="established")
    filtered = _searching(store, rng, kind="rule", status="established")
    store.close()
    return [
        Result(f"indexing an episode of {EPISODE} steps", indexing, 1.0, "s"),
        Result(f"search among {LARGE:,} steps, no filter", 1000 * at_large, 10, "ms"),
        Result(f"search among {LARGE:,} claims of {LARGE:,} steps, by kind and status", 1000 * filtered, 80, "ms"),
        Result(f"search, {LARGE:,} steps against {SMALL:,}", at_large / at_small, 2, "x"),
        Result(f"memory that {TRIALS} trials leave behind", _growth(rng), 100, "MB"),
    ]


def _growth(rng: random.Random) -> float:
    """Growth of the process over trials of 5 episodes of 40 steps, in MB, after the first 20 have warmed it up."""
    before = 0.0
    for trial in range(TRIALS + 20):
        cell = f"t{trial:04d}"
        store = EvidenceStore(cell, name=f"run-{cell}")
        for episode in range(1, 6):
            store.add_steps(_step(cell, episode, number, rng) for number in range(1, 41))
            store.claim(kind="rule", text=_text(rng, 20), supports=[step_id(cell, episode, 1)])
            store.search(_text(rng, 40))
        store.close()
        if trial == 20:
            gc.collect()
            before = _resident()
    gc.collect()
    return _resident() - before


def _searching(store: EvidenceStore, rng: random.Random, **filters: str) -> float:
    texts = [_text(rng, 60) for _ in range(QUERIES)]
    return median(timed(partial(store.search, text, **filters)) for text in texts)


def _filled(cell: str, count: int, rng: random.Random) -> EvidenceStore:
    store = EvidenceStore(cell)
    store.add_steps(_steps(cell, 0, count, rng))
    return store


def _steps(cell: str, start: int, end: int, rng: random.Random) -> list[Step]:
    return [_step(cell, 1 + at // EPISODE, 1 + at % EPISODE, rng) for at in range(start, end)]


def _step(cell: str, episode: int, number: int, rng: random.Random) -> Step:
    saw = f"{_text(rng, 60)}\nScore: {number}"
    return Step(step_id(cell, episode, number), episode, number, saw, ("wait",), "", "wait", "So.", True, 0, 0, False)


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_VOCABULARY, k=words))


def _resident() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
