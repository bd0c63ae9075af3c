"""Many trials at once against a server that takes its time."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from benchmarks.result import Result
from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.registry import open_backbone
from tests.server import served

TITLE = "Concurrent trials against a slow server"


def measure() -> list[Result]:
    return [
        Result("64 trials, answers in 1 s, against the ideal time", _ratio(64, 1.0), 1.25, "times"),
        Result("16 trials, answers in 200 ms, against the ideal time", _ratio(16, 0.2), 1.4, "times"),
    ]


def _ratio(trials: int, latency: float) -> float:
    """Wall time over the ideal: the longest trial's calls one after the other."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with served(latency=latency) as url, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "r"
        config = make_config(
            {"env": "learn2play/gemforge", "method": "memory", "backbone": "openai/stub", "api_base": url}
            | {"episodes": 1, "trials": trials, "max_steps": 15, "concurrency": trials, "out": str(out)}
        )
        backbone = open_backbone("openai/stub", api_base=url, concurrency=trials)
        # The first call imports the library, which takes seconds and is no part of this.
        from evoplay.methods.backbones.base import Message

        backbone.complete([Message("user", "Actions to choose from:\n- wait\n")], purpose="check", seed=0)
        run = Run(config, backbone)
        histories = run.prepare()
        start = time.perf_counter()
        outcome = run.execute(histories)
        seconds = time.perf_counter() - start
        assert outcome.exit_code == 0, outcome.lines()
        loaded = load(out)
        longest = max(sum(1 for _ in loaded.calls_of(cell)) for cell in loaded.cells)
    return seconds / (longest * latency)
