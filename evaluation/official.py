"""Writing the shipped solutions of the official seeds: `python -m evoplay.evaluation.official GAME...`.

Solves every episode of the official seed anew (no cache) and writes `envs/learn2play/official/<game>.json`.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import evoplay.envs.learn2play as suite
from evoplay.envs import make
from evoplay.envs.learn2play.game import Game

EPISODES = 10
"""Transfer plays ten episodes of every re-shuffled game."""


def solve_official(name: str) -> dict[str, object]:
    """The content of a game's data file, computed."""
    env = make(f"learn2play/{name}")
    assert isinstance(env, Game)
    instances = range(1, env.instance(EPISODES) + 1)
    episodes = {str(number): asdict(env.solve(number)) for number in instances}
    return {"rules_version": env.spec.rules_version, "seed": env.seed, "episodes": episodes}


def main(names: list[str]) -> None:
    folder = Path(suite.__file__).parent / "official"
    for name in names or suite.GAMES:
        start = time.perf_counter()
        data = solve_official(name)
        (folder / f"{name}.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
        print(f"{name}: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
