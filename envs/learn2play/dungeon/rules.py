"""The labyrinth of a seed: its rooms, passages and contents, and the numbers the rules are made of."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

ROOMS = 20
TORCH, HEALTH, MAX_TURNS = 18, 10, 50
EXIT_BONUS, DEATH_PENALTY = 10, 20
OIL_GAIN, POTION_GAIN = 8, 10
OIL, POTION, BOOTS, CHARM, KEY = "torch_oil", "health_potion", "trap_boots", "monster_charm", "key"
LAID_OUT = (OIL, POTION, BOOTS, CHARM)
"""The single items, in the order they are laid out."""


class Labyrinth(NamedTuple):
    """What a seed decides. Passages go both ways; each direction is visible or concealed on its own."""

    visible: tuple[frozenset[int], ...]
    hidden: tuple[frozenset[int], ...]
    depth: tuple[int, ...]
    exit: int
    treasures: frozenset[int]
    gold: tuple[int, ...]
    traps: Mapping[int, int]
    monsters: Mapping[int, int]
    items: Mapping[int, str]


def draw_labyrinth(seed: int) -> Labyrinth:
    """The instance of a seed. The order of the draws, and of the sets they run over, is part of the rules."""
    rng = random.Random(seed)
    passages = _passages(rng)
    depth = _depths(passages)
    inner = range(1, ROOMS)
    deep = [room for room in inner if depth[room] >= 4]
    way_out = rng.choice(deep or list(inner))
    visible, hidden = _concealed(rng, passages)

    candidates = [room for room in deep if room != way_out]
    rng.shuffle(candidates)
    treasures = candidates[: min(rng.randint(1, 3), len(candidates))]

    plain = [room for room in inner if room != way_out and room not in treasures]
    candidates = [room for room in plain if depth[room] >= 2]
    traps = rng.sample(candidates, min(5, len(candidates)))
    candidates = [room for room in plain if room not in traps]
    monsters = rng.sample(candidates, min(4, len(candidates)))

    candidates = [room for room in plain if 2 <= depth[room] <= 6 and room not in traps and room not in monsters]
    rng.shuffle(candidates)
    items = dict(zip(candidates, LAID_OUT, strict=False))
    candidates = [room for room in plain if 1 <= depth[room] <= 5 and room not in items]
    rng.shuffle(candidates)
    items.update(dict.fromkeys(candidates[: len(treasures)], KEY))

    gold, trap_damage, monster_damage = [], {}, {}
    for room in range(ROOMS):
        gold.append(_gold(rng, room, depth[room], room in treasures))
        if room in traps:
            trap_damage[room] = rng.randint(1, 3)
        if room in monsters:
            monster_damage[room] = rng.randint(1, 3)
    return Labyrinth(
        tuple(map(frozenset, visible)),
        tuple(map(frozenset, hidden)),
        tuple(depth),
        way_out,
        frozenset(treasures),
        tuple(gold),
        trap_damage,
        monster_damage,
        items,
    )


def _passages(rng: random.Random) -> list[set[int]]:
    """The undirected passages: one thread through all rooms, then six to eight short cuts."""
    thread: list[tuple[int, int]] = []
    visited, stack = {0}, [0]
    while stack:
        left = [room for room in range(ROOMS) if room not in visited]
        if not left:
            stack.pop()
            continue
        room = rng.choice(left)
        visited.add(room)
        thread.append((stack[-1], room))
        stack.append(room)
    adjacent: list[set[int]] = [set() for _ in range(ROOMS)]
    for a, b in thread:
        adjacent[a].add(b)
        adjacent[b].add(a)
    apart = [(a, b) for a in range(ROOMS) for b in range(a + 1, ROOMS) if b not in adjacent[a]]
    rng.shuffle(apart)
    for a, b in apart[: rng.randint(6, 8)]:
        adjacent[a].add(b)
        adjacent[b].add(a)
    return adjacent


def _depths(adjacent: list[set[int]]) -> list[int]:
    depth = {0: 0}
    queue = deque([0])
    while queue:
        room = queue.popleft()
        for other in adjacent[room]:
            if other not in depth:
                depth[other] = depth[room] + 1
                queue.append(other)
    return [depth[room] for room in range(ROOMS)]


def _concealed(rng: random.Random, adjacent: list[set[int]]) -> tuple[list[set[int]], list[set[int]]]:
    """Each direction of each passage, visible or hidden. Draws run over sets in the order Python iterates them."""
    ways: list[set[int]] = [set() for _ in range(ROOMS)]
    for a in range(ROOMS):
        for b in list(adjacent[a]):
            if b not in ways[a]:
                ways[a].add(b)
                ways[b].add(a)
    visible: list[set[int]] = [set() for _ in range(ROOMS)]
    hidden: list[set[int]] = [set() for _ in range(ROOMS)]
    for room in range(ROOMS):
        for other in ways[room]:
            (hidden if rng.random() < 0.2 else visible)[room].add(other)
    if not visible[0]:
        first = next(iter(hidden[0]))
        hidden[0].remove(first)
        visible[0].add(first)
    return visible, hidden


def _gold(rng: random.Random, room: int, depth: int, treasure: bool) -> int:
    if treasure:
        return rng.randint(20, 30)
    if room == 0:
        return 0
    if depth <= 2:
        return rng.choice((0, 0, 0, 1))
    if depth <= 4:
        return rng.choice((0, 0, 1, 2))
    return rng.choice((0, 1, 2, 3))
