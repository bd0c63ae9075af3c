"""The best game a cat could play that knew the rules and all coming chance."""

from __future__ import annotations

from evoplay.envs.base import NoReference
from evoplay.envs.solutions import Solution

HOW = "exhaustive search with bounds over the seed's stream of random numbers"


def best_game(seed: int) -> Solution:
    """The best final score of a seed and a game that reaches it (needs numpy)."""
    try:
        from evoplay.envs.learn2play.catnip.search import best_line
    except ImportError as missing:
        raise NoReference(f"no reference for this seed: the search needs {missing.name}; install it") from missing
    value, actions = best_line(seed)
    return Solution(value, "exact", HOW, actions)
