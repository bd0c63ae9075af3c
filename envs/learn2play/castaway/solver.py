"""Beam search for a line that scores every point there is."""

from __future__ import annotations

from typing import NamedTuple

from evoplay.envs.learn2play.castaway.data import (
    BEACH,
    BERRY,
    COOK,
    DAY,
    FIRE,
    FOODS,
    GOODS,
    HOSTILE,
    MAX_TURNS,
    MOST_POINTS,
    NOURISH,
    SEGMENTS,
    SHELLFISH,
    TOOL,
    TORCH,
    VINE,
    VINE_FOR_RAFT,
)
from evoplay.envs.learn2play.castaway.island import Island
from evoplay.envs.learn2play.castaway.rules import (
    State,
    act,
    can_make,
    creature_here,
    known_exits,
    part_here,
    raft_faults,
)
from evoplay.envs.solutions import Solution

WIDTHS = (60, 300, 1000, 3000)
"""Beams tried one after the other while the upper bound is not reached."""
ENOUGH, ENOUGH_FOOD = 5, 6
HUNGRY, STARVED, WEAK = 76, 12, 30
LAST_DAY = 50

Line = tuple["Line", str] | None


class Node(NamedTuple):
    """A state and the actions that led to it, newest first."""

    state: State
    line: Line


def best_line(island: Island) -> Solution:
    """The best line found; proven best where it takes every point of every source."""
    best = Node(State(), None)
    for width in WIDTHS:
        found = _beam(island, width)
        if found.state.score > best.state.score:
            best = found
        if best.state.score == MOST_POINTS:
            break
    actions: list[str] = []
    line = best.line
    while line:
        line, action = line
        actions.append(action)
    proven = best.state.score == MOST_POINTS
    how = "beam search; the line takes all points there are" if proven else "best line of a beam search"
    return Solution(best.state.score, "exact" if proven else "partial", how, tuple(reversed(actions)))


def _beam(island: Island, width: int) -> Node:
    distances = _distances(island)
    layer, best = [Node(State(), None)], Node(State(), None)
    while layer:
        merged: dict[object, Node] = {}
        for node in layer:
            for action in _offers(island, node.state):
                state = node.state.copy()
                act(island, state, action)
                if state.score > best.state.score:
                    best = Node(state, (node.line, action))
                    if state.score == MOST_POINTS:
                        return best
                if state.done:
                    continue
                key = _key(state)
                other = merged.get(key)
                if other is None or other.state.hp + other.state.food < state.hp + state.food:
                    merged[key] = Node(state, (node.line, action))
        ranked = sorted(merged.values(), key=lambda node: _rank(island, node.state, distances), reverse=True)
        layer = ranked[:width]
    return best


def _offers(island: Island, state: State) -> list[str]:
    """The actions worth a try."""
    here = state.place
    explored = here in state.explored
    offers = ["rest"] if explored else ["explore", "rest"]
    offers += [f"go_{place}" for place in known_exits(island, state)]
    if explored and (part_here(island, state) or any(_short(state, item) for item in island.resources[here])):
        offers.append("gather")
    if here not in state.fires and len(state.fires) < 2 and can_make(island, state, FIRE):
        offers.append("make_fire")
    offers += [f"craft_{good}" for good in (TORCH, TOOL) if good not in state.made and can_make(island, state, good)]
    if state.food <= HUNGRY:
        offers += _meals(island, state)
    creature = creature_here(island, state) if explored else None
    if creature:
        if creature.behaviour != HOSTILE:
            offers.append("scare")
            if BERRY in state.held or SHELLFISH in state.held:
                offers.append("feed")
        if TOOL in state.made:
            offers.append("hunt")
    if here == BEACH and _raft_time(state) and not raft_faults(island, state):
        offers.append("craft_raft")
    return offers


def _short(state: State, item: str) -> bool:
    return state.held.get(item, 0) < (ENOUGH_FOOD if item in FOODS else ENOUGH)


def _meals(island: Island, state: State) -> list[str]:
    meals = []
    for food in FOODS:
        if food in state.held:
            if island.foods[food] == NOURISH:
                meals.append(f"eat_{food}")
            elif island.foods[food] == COOK and state.place in state.fires:
                meals.append(f"cook_{food}")
    return meals


def _raft_time(state: State) -> bool:
    late = state.turn >= MAX_TURNS - 1 or (state.turn >= LAST_DAY and state.segment == 0)
    return late or state.food <= STARVED or state.hp <= WEAK


def _key(state: State) -> object:
    held = tuple(sorted((item, min(count, 6)) for item, count in state.held.items()))
    return (
        state.place, state.turn, state.explored, held, state.fires, state.driven, state.sprung, state.made, state.parts,
    )  # fmt: skip


def _rank(island: Island, state: State, distances: dict[str, dict[str, int]]) -> float:
    """How promising a state is: points beside those of the calendar, and means to make more."""
    value = float(state.score - DAY * (state.turn // SEGMENTS))
    needed: dict[str, int] = {VINE: VINE_FOR_RAFT}
    for good in GOODS:
        if good not in state.made:
            for item, count in island.recipes[good]:
                needed[item] = needed.get(item, 0) + count
    value += 0.8 * sum(min(state.held.get(item, 0), count) for item, count in needed.items())
    value += 4 * sum(place in island.components for place in state.driven)
    value += 0.15 * min(state.hp, 60) + 0.15 * min(state.food, 60)
    good_food = sum(
        state.held.get(food, 0) for food in FOODS
        if island.foods[food] == NOURISH or (island.foods[food] == COOK and state.fires)
    )  # fmt: skip
    value += 0.5 * min(good_food, 4)
    return value - 0.3 * _way_to_go(island, state, distances[state.place])


def _way_to_go(island: Island, state: State, far: dict[str, int]) -> int:
    unexplored = [far[place] for place in island.places if place not in state.explored]
    if unexplored:
        return min(unexplored)
    if state.parts.issuperset(island.real):
        return far[BEACH]
    return min(far[place] for place, part in island.components.items() if part not in state.parts)


def _distances(island: Island) -> dict[str, dict[str, int]]:
    table = {}
    for start in island.places:
        far, todo = {start: 0}, [start]
        for place in todo:
            for q in island.exits[place]:
                if q not in far:
                    far[q] = far[place] + 1
                    todo.append(q)
        table[start] = far
    return table
