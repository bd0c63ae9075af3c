"""The loop with its log, and what memory costs a step."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.result import Result
from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.recorded import calls_with_messages
from evoplay.evaluation.runner import Run
from evoplay.memory.tokens import count_tokens
from evoplay.methods.backbones.base import Backbone, Completion, Message
from evoplay.methods.backbones.registry import open_backbone

TITLE = "The loop and memory"
GEM = "learn2play/gemforge"


class Clocked(Backbone):
    """Plays long episodes and notes when it is called and when it has answered."""

    name = "clocked"
    free = True

    def __init__(self) -> None:
        self.calls: list[tuple[str, float, float]] = []

    def complete(self, messages: Sequence[Message], *, purpose: str, seed: int, **how: Any) -> Completion:
        came = time.perf_counter()
        _, _, listed = messages[-1].content.rpartition("Actions to choose from:")
        actions = [line[2:] for line in listed.splitlines() if line.startswith("- ")]
        rng = random.Random(seed)
        # Neither leaving early nor looking only: the episodes are as long as the game lets them be.
        action = rng.choice([action for action in actions if action not in ("done", "status")])
        episode = listed.partition("of episode ")[2].partition(".")[0]
        self.calls.append((episode, came, time.perf_counter()))
        return Completion(f"Action: {action}", usd=0.0)

    def own_times(self) -> Mapping[str, list[float]]:
        """By episode, the seconds between an answer and the next call: all that is not the backbone."""
        found: dict[str, list[float]] = {}
        for (before, _, answered), (episode, came, _) in zip(self.calls, self.calls[1:], strict=False):
            if before == episode:
                found.setdefault(episode, []).append(came - answered)
        return found


def measure() -> list[Result]:
    return [_steps_a_second(), *_memory()]


def _run(out: Path, backbone: Backbone, **settings: Any) -> float:
    config = make_config(
        {"env": GEM, "backbone": backbone.name, "trials": 1, "concurrency": 1, "out": str(out)} | settings
    )
    run = Run(config, backbone)
    histories = run.prepare()
    start = time.perf_counter()
    run.execute(histories)
    return time.perf_counter() - start


def _steps_a_second() -> Result:
    rates = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "r"
            seconds = _run(out, open_backbone("policy/random"), method="naive", episodes=600)
            run = load(out)
            rates.append(sum(len(r.steps) for cell in run.cells for r in run.episodes_of(cell)) / seconds)
    return Result("full loop with log, policy/random on gemforge", max(rates), 3000, "steps/s", least=True)


def _memory() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        out, backbone = Path(folder) / "r", Clocked()
        _run(out, backbone, method="memory", episodes=10)
        own = {episode: statistics.median(times) * 1000 for episode, times in backbone.own_times().items()}
        run = load(out)
        events = list(run.log_of(run.cells[0]).events())
        share = _prefix_share(events)
    return [
        Result("memory's own time a step in episode 10, median", own["10"], 2, "ms"),
        Result("the same against episode 2", own["10"] / own["2"], 1.5, "times"),
        Result("memory's input tokens that extend the last prompt", 100 * share, 95, "%", least=True),
    ]


def _prefix_share(events: list[Mapping[str, Any]]) -> float:
    """Share of all input tokens that stand as a prefix in the prompt before."""
    total = shared = 0
    last = ""
    for _, messages in calls_with_messages(dict(event) for event in events):
        text = "".join(message.content for message in messages)
        same = next(
            (at for at, (a, b) in enumerate(zip(text, last, strict=False)) if a != b), min(len(text), len(last))
        )
        whole = count_tokens(text)
        total += whole
        shared += whole - count_tokens(text[same:])
        last = text
    return shared / total
