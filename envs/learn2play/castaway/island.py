"""Drawing the island of a seed; the order of the draws is part of the rules."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from evoplay.envs.learn2play.castaway.data import (
    AMBUSH,
    BEACH,
    BERRY,
    COLLAPSE,
    COMPONENTS,
    COOK,
    CREATURES,
    DANGERS,
    FIRE,
    FLINT,
    FOODS,
    GUARD,
    HOSTILE,
    MUSHROOM,
    NEUTRAL,
    NIGHT_PLACE,
    NOURISH,
    PLACES,
    POISON,
    RESOURCES,
    SHELLFISH,
    SKITTISH,
    TOOL,
    TORCH,
    USELESS,
    VINE,
    WATER,
    WOOD,
)

Recipe = tuple[tuple[str, int], ...]


class Creature(NamedTuple):
    """An animal and how it takes to people."""

    name: str
    behaviour: str


@dataclass(frozen=True, slots=True)
class Island:
    """All that a seed decides. Maps go by place unless their name says otherwise; `exits` are sorted."""

    places: tuple[str, ...]
    exits: Mapping[str, tuple[str, ...]]
    resources: Mapping[str, tuple[str, ...]]
    dangers: Mapping[str, str]
    creatures: Mapping[str, Creature]
    components: Mapping[str, str]
    decoy: str
    traps: Mapping[str, str]
    foods: Mapping[str, str]
    """Class of each food."""
    recipes: Mapping[str, Recipe]
    """Ingredients of each good."""

    @property
    def real(self) -> tuple[str, ...]:
        """The three components a raft is made of."""
        return tuple(part for part in COMPONENTS if part != self.decoy)


def draw_island(seed: int) -> Island:
    """The island of a seed."""
    rng = random.Random(seed)
    pool = [place for place in PLACES if place != BEACH]
    rng.shuffle(pool)
    places = [BEACH, *pool[:6]]
    others = places[1:]
    near = _draw_paths(rng, places)
    resources = _draw_resources(rng, places)
    danger_places = rng.sample(others, rng.randint(2, 3))
    dangers = dict(zip(danger_places, _shuffled(rng, DANGERS), strict=False))
    creature_places = rng.sample(others, rng.randint(2, 3))
    animals = _shuffled(rng, CREATURES)
    creatures = {
        place: Creature(animal, rng.choice([HOSTILE, SKITTISH, NEUTRAL]))
        for place, animal in zip(creature_places, animals, strict=False)
    }
    foods = _draw_foods(rng)
    recipes = _draw_recipes(rng, {item for held in resources.values() for item in held})
    decoy = _shuffled(rng, COMPONENTS)[0]
    components = dict(zip(_shuffled(rng, others), COMPONENTS, strict=False))
    for place in sorted(components, key=lambda place: list(COMPONENTS).index(components[place])):
        if components[place] != decoy and place in creatures and rng.random() < 0.6:
            creatures[place] = Creature(creatures[place].name, GUARD)
    exits = {place: tuple(sorted(near[place])) for place in places}
    real_places = {place for place, part in components.items() if part != decoy}
    traps = _draw_traps(rng, exits, resources, dangers, creatures, recipes, real_places)
    return Island(
        tuple(places), exits, resources, dangers, creatures, components, decoy, traps, foods, recipes
    )  # fmt: skip


def _shuffled(rng: random.Random, items: Iterable[str]) -> list[str]:
    mixed = list(items)
    rng.shuffle(mixed)
    return mixed


def _draw_paths(rng: random.Random, places: list[str]) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {place: set() for place in places}

    def join(a: str, b: str) -> None:
        near[a].add(b)
        near[b].add(a)

    for at in range(1, len(places)):
        join(places[at], places[rng.randrange(0, at)])
    extra = [(a, b) for a in places for b in places if a < b and b not in near[a]]
    rng.shuffle(extra)
    for a, b in extra:
        if len(near[a]) < 3 and len(near[b]) < 3 and rng.random() < 0.5:
            join(a, b)
    for place in places:
        if len(near[place]) < 2:
            free = [q for q in places if q != place and len(near[q]) < 3 and q not in near[place]]
            if free:
                join(place, rng.choice(free))
    return near


def _draw_resources(rng: random.Random, places: list[str]) -> dict[str, tuple[str, ...]]:
    found = {place: rng.sample(list(RESOURCES), rng.randint(1, 2)) for place in places}
    for item in (WOOD, FLINT, VINE, WATER):
        if not any(item in held for held in found.values()):
            found[rng.choice(places[1:])].append(item)
    return {place: tuple(held) for place, held in found.items()}


def _draw_foods(rng: random.Random) -> dict[str, str]:
    rest = [NOURISH, COOK, POISON, USELESS]
    rng.shuffle(rest)
    assigned = [NOURISH, COOK, POISON, rng.choice(rest)]
    rng.shuffle(assigned)
    foods = dict(zip(FOODS, assigned, strict=True))
    foods[WATER] = NOURISH
    picked = [BERRY, MUSHROOM, SHELLFISH]
    present = {foods[item] for item in picked}
    for kind in (COOK, NOURISH, POISON):
        if kind not in present:
            foods[rng.choice(picked)] = kind
    return foods


def _draw_recipes(rng: random.Random, available: Collection[str]) -> dict[str, Recipe]:
    recipes: dict[str, Recipe] = {}
    for good, base in ((FIRE, [WOOD, FLINT]), (TORCH, [WOOD]), (TOOL, [FLINT])):
        # The shuffle happens even where the base is complete.
        remaining = _shuffled(rng, [item for item in sorted(available) if item not in base])
        ingredients = (base + remaining)[:2]
        recipes[good] = tuple((item, rng.randint(1, 2)) for item in ingredients)
    return recipes


def _draw_traps(
    rng: random.Random,
    exits: Mapping[str, tuple[str, ...]],
    resources: Mapping[str, tuple[str, ...]],
    dangers: Mapping[str, str],
    creatures: Mapping[str, Creature],
    recipes: Mapping[str, Recipe],
    real_places: Collection[str],
) -> dict[str, str]:
    essential = {item for recipe in recipes.values() for item, _ in recipe} | {WOOD, FLINT, VINE, WATER}
    traps: dict[str, str] = {}
    inland = sorted(place for place in exits if place != BEACH)

    def strands(place: str) -> bool:
        """Whether a trap here would leave an essential resource without any safe place."""
        return any(
            all(q in traps for q, held in resources.items() if q != place and item in held)
            for item in resources[place]
            if item in essential
        )

    def open_to_traps(place: str) -> bool:
        return not strands(place) and not _is_corridor(place, exits, real_places)

    ambush = [
        p for p in inland if p in creatures and creatures[p].behaviour == NEUTRAL and open_to_traps(p)
    ]  # fmt: skip
    night = [p for p in inland if p not in creatures and p not in real_places and open_to_traps(p)]
    if ambush and night:
        by_creature = rng.random() < 0.5
    else:
        by_creature = bool(ambush)
    if ambush or night:
        traps[rng.choice(ambush if by_creature else night)] = AMBUSH if by_creature else NIGHT_PLACE
    for _ in range(1 if traps else 2):
        free = [p for p in inland if p not in traps and p not in real_places and not strands(p)]
        if not free:
            break
        calm = [p for p in free if p not in dangers]
        traps[rng.choice(calm or free)] = COLLAPSE
    return traps


def _is_corridor(place: str, exits: Mapping[str, tuple[str, ...]], real_places: Collection[str]) -> bool:
    """Whether some real component elsewhere is out of reach of the beach without this place."""
    reached, todo = {BEACH}, [BEACH]
    while todo:
        for q in exits[todo.pop()]:
            if q != place and q not in reached:
                reached.add(q)
                todo.append(q)
    return any(q != place and q not in reached for q in real_places)
