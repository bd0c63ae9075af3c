"""The most gold a run can carry out, with the run that does it: best-first search over what the walk has seen.

Turns are left out of the search (a run of at most 26 moves hardly ever fills 50 turns), so whatever a passed room
offers is taken and every concealed passage counts as known; objects are used at the last moment that helps. What comes
out bounds every run from above. The line of play is then written with the searches and objects it needs, and is
accepted only if it fits into the turns there are, which makes it exact.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from evoplay.envs.learn2play.dungeon.rules import (
    BOOTS,
    CHARM,
    EXIT_BONUS,
    HEALTH,
    KEY,
    MAX_TURNS,
    OIL,
    OIL_GAIN,
    POTION,
    POTION_GAIN,
    ROOMS,
    TORCH,
    Labyrinth,
)

FAR = 99


class Label(NamedTuple):
    """Where a walk stands: `seen` is the mask of rooms entered that hold anything; the flags say what is used up."""

    room: int
    seen: int
    health: int = HEALTH
    boots: bool = False
    charm: bool = False
    potion: bool = False
    keys: int = 0


class Node(NamedTuple):
    """A label with the number of moves made and the node it was reached from."""

    label: Label
    moves: int
    parent: Node | None

    def path(self) -> list[Label]:
        labels = [] if self.parent is None else self.parent.path()
        return [*labels, self.label]


class Plan(NamedTuple):
    """A solved labyrinth; `proven` is False where a better walk was found that the turns do not allow."""

    value: int
    actions: list[str]
    proven: bool


class Walks:
    """All walks through a labyrinth: their continuations and an optimistic bound on what they may still find."""

    def __init__(self, labyrinth: Labyrinth) -> None:
        self.labyrinth = labyrinth
        self.ways = [sorted(labyrinth.visible[room] | labyrinth.hidden[room]) for room in range(ROOMS)]
        self.distance = [self._distances(room) for room in range(ROOMS)]
        place = {item: room for room, item in labyrinth.items.items() if item != KEY}
        holding = (labyrinth.items, labyrinth.traps, labyrinth.monsters)
        kept = [room for room in range(1, ROOMS) if labyrinth.gold[room] or any(room in rooms for rooms in holding)]
        self.bit = [1 << kept.index(room) if room in kept else 0 for room in range(ROOMS)]
        self.oil_room = place.get(OIL)
        self.found = {item: self.bit[place[item]] if item in place else 0 for item in (OIL, POTION, BOOTS, CHARM)}
        self.purse = sorted((room for room in range(ROOMS) if labyrinth.gold[room]), key=lambda r: -labyrinth.gold[r])
        self._rest: dict[tuple[int, int, int], int] = {}

    def _distances(self, start: int) -> list[int]:
        distance = [FAR] * ROOMS
        distance[start] = 0
        queue = deque([start])
        while queue:
            room = queue.popleft()
            for other in self.ways[room]:
                if distance[other] == FAR:
                    distance[other] = distance[room] + 1
                    queue.append(other)
        return distance

    def gold(self, seen: int) -> int:
        return sum(self.labyrinth.gold[room] for room in self.purse if seen & self.bit[room])

    def limit(self, seen: int) -> int:
        """Moves until the torch is out, with the oil if it has been found (used late enough, it adds all it holds)."""
        return TORCH + OIL_GAIN if seen & self.found[OIL] else TORCH

    def bound(self, room: int, seen: int, moves: int) -> int:
        """Gold that may still be had at most: the largest heaps within reach, one move each, exit bonus included."""
        known = self._rest.get((room, seen, moves))
        if known is not None:
            return known
        limit = self.limit(seen)
        if self.oil_room is not None and moves + self.distance[room][self.oil_room] < TORCH:
            limit = TORCH + OIL_GAIN
        left = limit - moves
        here, out = self.distance[room], self.distance[self.labyrinth.exit]
        lost, lost_count, leaving, leaving_count = 0, 0, EXIT_BONUS, 0
        for other in self.purse:
            if seen & self.bit[other]:
                continue
            if here[other] <= left and lost_count < left:
                lost += self.labyrinth.gold[other]
                lost_count += 1
            if here[other] + out[other] < left and leaving_count < left - 1:
                leaving += self.labyrinth.gold[other]
                leaving_count += 1
        best = max(lost, leaving) if out[room] < left else lost
        self._rest[room, seen, moves] = best
        return best

    def moves(self, label: Label, last: bool) -> Iterator[Label]:
        """The labels one move leads to. On the last move (torch out) wounds no longer count."""
        labyrinth = self.labyrinth
        for room in self.ways[label.room]:
            keys = label.keys
            if room in labyrinth.treasures:
                if not keys:
                    continue
                keys -= 1
            bit = self.bit[room]
            if not bit or label.seen & bit:
                yield label._replace(room=room, keys=keys)
                continue
            keys += labyrinth.items.get(room) == KEY
            entered = label._replace(room=room, seen=label.seen | bit, keys=keys)
            if room in labyrinth.traps:
                yield from self._struck(entered, labyrinth.traps[room], last)
                if label.seen & self.found[BOOTS] and not label.boots:
                    yield entered._replace(boots=True)
            elif room in labyrinth.monsters:
                yield from self._struck(entered, labyrinth.monsters[room], last)
                if label.seen & self.found[CHARM] and not label.charm:
                    yield entered._replace(charm=True)
            else:
                yield entered

    def _struck(self, label: Label, damage: int, last: bool) -> Iterator[Label]:
        if last or label.health > damage:
            yield label._replace(health=label.health - damage)
        elif label.seen & self.found[POTION] and not label.potion:
            healed = min(HEALTH, label.health + POTION_GAIN)
            yield label._replace(health=healed - damage, potion=True)

    def line(self, path: list[Label]) -> list[str]:
        """The actions of a walk: its moves with the searches and the objects it needs, and the way it ends."""
        labyrinth, actions = self.labyrinth, list[str]()
        end = path[-1]
        wanted = {BOOTS: end.boots, CHARM: end.charm, POTION: end.potion, OIL: len(path) > TORCH}
        taking = {item for item, used in wanted.items() if used}
        keys = sum(label.room in labyrinth.treasures for label in path[1:])
        known, taken, torch, oil = set[int](), set[int](), TORCH, False
        for before, after in pairwise(path):
            room = before.room
            item = labyrinth.items.get(room)
            if room not in taken and (item in taking or (item == KEY and keys)):
                actions.append("take")
                taken.add(room)
                keys -= item == KEY
                oil = oil or item == OIL
            if after.room not in labyrinth.visible[room] and room not in known:
                actions.append("search")
                known.add(room)
            if oil and torch <= TORCH - OIL_GAIN:
                actions.append(f"use_{OIL}")
                torch, oil = torch + OIL_GAIN, False
            actions += [
                f"use_{name}"
                for name, was, is_used in (
                    (POTION, before.potion, after.potion),
                    (BOOTS, before.boots, after.boots),
                    (CHARM, before.charm, after.charm),
                )
                if is_used and not was
            ]
            actions.append(f"go_{after.room}")
            torch -= 1
        if torch:
            actions.append("exit" if end.room == labyrinth.exit else "retreat")
        return actions


def best_run(labyrinth: Labyrinth) -> Plan:
    """The best run of a labyrinth (see the module's text)."""
    walks = Walks(labyrinth)
    best, missed = Plan(0, ["retreat"], True), 0
    start = Label(0, 0)
    queue = [(-walks.bound(0, 0, 0), 0, 0, Node(start, 0, None))]
    kept: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    pushed = 0
    while queue and -queue[0][0] > best.value:
        node = heapq.heappop(queue)[3]
        label, moves = node.label, node.moves
        if _dominated(kept.setdefault((label.room, label.seen), []), label, moves):
            continue
        gold = walks.gold(label.seen)
        ends = [(gold + (EXIT_BONUS if label.room == labyrinth.exit else 0), node)]
        last = moves + 1 == walks.limit(label.seen)
        for after in walks.moves(label, last):
            follower, value = Node(after, moves + 1, node), walks.gold(after.seen)
            if last:
                ends.append((value, follower))
                continue
            bound = value + walks.bound(after.room, after.seen, moves + 1)
            if bound > best.value:
                pushed += 1
                heapq.heappush(queue, (-bound, moves - 2 * after.seen.bit_count(), pushed, follower))
        for value, end in ends:
            if value > best.value:
                actions = walks.line(end.path())
                if len(actions) <= MAX_TURNS:
                    best = Plan(value, actions, True)
                else:
                    missed = max(missed, value)
    return best._replace(proven=missed <= best.value)


def _dominated(kept: list[tuple[int, ...]], label: Label, moves: int) -> bool:
    """Whether an earlier walk to this room, having seen the same, is at least as well off; else this one is kept."""
    costs = (moves, -label.health, label.boots, label.charm, label.potion, -label.keys)
    for other in kept:
        if all(a <= b for a, b in zip(other, costs, strict=True)):
            return True
    kept.append(costs)
    return False
