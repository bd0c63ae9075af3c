"""Published figures of the two benchmarks, to be shown beside ours: never in one ranking, always with backbones."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def published(benchmark: str) -> dict[str, Any]:
    """The published tables of "learn2play" or "adaexplore", with their source named under `source`."""
    file = resources.files("evoplay.evaluation").joinpath("published", f"{benchmark}.json")
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def method_rows() -> list[dict[str, Any]]:
    """Published figures of methods, one row each: method, backbone, max, mean, lg, ls."""
    board = published("learn2play")["leaderboard"]
    backbones = {"methods_opus5": "Claude Opus 5", "methods_kimik3": "Kimi K3", "methods_gpt5mini": "GPT-5 Mini"}
    return [
        dict(zip(("method", "max", "mean", "lg", "ls"), row, strict=True)) | {"backbone": backbone}
        for table, backbone in backbones.items()
        for row in board.get(table, ())
    ]
