"""Steps a second and the generation of instances, game by game."""

from __future__ import annotations

import random
import time

from benchmarks.result import Result
from evoplay.envs import make
from evoplay.envs.learn2play import GAMES

TITLE = "The games"
SECONDS = 1.0
SEARCHING: frozenset[str] = frozenset()
"""Games of which a step itself searches."""


def measure() -> list[Result]:
    return [result for game in GAMES for result in (_steps(game), _generation(game))]


def _steps(game: str) -> Result:
    """Random play over the listed actions; only the time inside step() counts."""
    env, rng = make(f"learn2play/{game}"), random.Random(1)
    spent, steps, episode = 0.0, 0, 0
    while spent < SECONDS:
        episode += 1
        obs = env.reset(episode % 10 + 1)
        for _ in range(env.spec.max_steps):
            if obs.done or not obs.valid_actions:
                break
            action = rng.choice(obs.valid_actions)
            start = time.perf_counter()
            obs = env.step(action)
            spent += time.perf_counter() - start
            steps += 1
    return Result(f"{game}: steps", steps / spent, None if game in SEARCHING else 20_000, "steps/s", least=True)


def _generation(game: str) -> Result:
    """The slowest of ten instances, the official one among them."""
    slowest = 0.0
    for seed in (None, 1, 3, 5, 7, 11, 23, 42, 101, 2024):
        start = time.perf_counter()
        make(f"learn2play/{game}", seed).reset(2)
        slowest = max(slowest, time.perf_counter() - start)
    return Result(f"{game}: slowest instance of ten", slowest, 1.0 if game == "modelkeeper_expert" else 3.0, "s")
