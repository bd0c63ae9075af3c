"""The ecology of a seed, and the thirty days a sealed jar lives through.

The order of every floating-point operation is part of the rules: a starved population eats exactly what there is, and
whether that counts as fed on the next day is decided by the last bit.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

PRODUCERS = ("moss", "algae")
HERBIVORES = ("snail", "shrimp", "daphnia")
CARNIVORES = ("minnow", "newt")
DECOMPOSER = "microbe"
ANIMALS = (*HERBIVORES, *CARNIVORES)
SPECIES = (*PRODUCERS, *ANIMALS, DECOMPOSER)
COSTS = {"moss": 4, "algae": 4, "snail": 8, "shrimp": 8, "daphnia": 8, "minnow": 18, "newt": 18, "microbe": 1}
BUDGET = 150
PLANT_LIMIT = 10
MAX_TURNS = 40
DAYS = 30

FLOW_SHARE, COLLAPSE_AT, COLLAPSE_DAYS = 0.5, 2.0, 3
HERBIVORE_GROWTH, CARNIVORE_GROWTH = 0.7, 0.6
HERBIVORE_GRACE, CARNIVORE_GRACE = 3, 6
BREEDING, CROWD = 2, 80.0
REFUGE, CATCH_SHARE, NEARLY = 5.0, 0.4, 1e-9
WASTE_PER_HEAD, CLEARED_PER_MICROBE = 1.0, 9.0
POISON_ABOVE, POISON_RATE, POISON_MOST = 12.0, 0.012, 0.60
HERBIVORE_VALUE, CARNIVORE_VALUE, SATURATION, BEYOND = 4, 20, 18, 0.2

NO_FOOD, STARVED, OUTCOMPETED = "no_food", "starved", "outcompeted"
OVERGRAZED, TOXIFIED = "overgrazed", "toxified"

Stock = Mapping[str, int]


class Ecology(NamedTuple):
    """What a seed decides. `rank` lists the herbivores, the dominant one first; `diet` gives what each animal eats."""

    diet: Mapping[str, tuple[str, ...]]
    rank: tuple[str, ...]
    ratio: Mapping[str, int]
    capacity: Mapping[str, int]
    regrowth: Mapping[str, float]

    def eaters(self, plant: str) -> list[str]:
        """The herbivores that eat a plant, the dominant one first."""
        return [species for species in self.rank if self.diet[species] == (plant,)]


class Death(NamedTuple):
    """The end of a species."""

    day: int
    species: str
    cause: str


class Outcome(NamedTuple):
    """A jar after its days: rounded populations from day 0 on, deaths in order, and the score."""

    days: tuple[Mapping[str, int], ...]
    deaths: tuple[Death, ...]
    score: int

    @property
    def final(self) -> Mapping[str, int]:
        return self.days[-1]


def draw_ecology(seed: int) -> Ecology:
    """The instance of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    diet: dict[str, tuple[str, ...]] = {species: (rng.choice(PRODUCERS),) for species in HERBIVORES}
    rank = list(HERBIVORES)
    rng.shuffle(rank)
    for species in CARNIVORES:
        diet[species] = tuple(rng.sample(HERBIVORES, rng.choice((1, 1, 2))))
    contested = next(plant for plant in PRODUCERS if sum(diet[species] == (plant,) for species in HERBIVORES) >= 2)
    dominant = next(species for species in rank if diet[species] == (contested,))
    diet[rng.choice(CARNIVORES)] = (dominant,)
    ratio = {species: rng.choice((2, 3, 4)) for species in HERBIVORES}
    ratio |= {species: rng.choice((2, 3)) for species in CARNIVORES}
    capacity = {plant: rng.choice((12, 18, 24)) for plant in PRODUCERS}
    regrowth = {plant: rng.choice((1.2, 1.4, 1.6)) for plant in PRODUCERS}
    return Ecology(diet, tuple(rank), ratio, capacity, regrowth)


def cost(stock: Stock) -> int:
    return sum(COSTS[species] * count for species, count in stock.items())


def score_of(final: Mapping[str, int]) -> int:
    """Points of the final, rounded counts."""
    total = 0.0
    for species in HERBIVORES:
        count = final[species]
        if count >= 1:
            total += HERBIVORE_VALUE * (min(count, SATURATION) + BEYOND * max(0, count - SATURATION))
    for species in CARNIVORES:
        total += CARNIVORE_VALUE * final[species]
    return round(total)


def simulate(ecology: Ecology, stock: Stock) -> Outcome:
    """Seal a jar and let its days pass."""
    jar = _Jar(ecology, stock)
    days = [jar.rounded()]
    for day in range(1, DAYS + 1):
        jar.pass_day(day)
        days.append(jar.rounded())
    return Outcome(tuple(days), tuple(jar.deaths), score_of(days[-1]))


class _Jar:
    """The state of a sealed jar."""

    def __init__(self, ecology: Ecology, stock: Stock) -> None:
        self.ecology = ecology
        self.microbes = stock[DECOMPOSER]
        self.population = {species: float(stock[species]) for species in ANIMALS}
        self.capacity = {plant: float(min(stock[plant], PLANT_LIMIT) * ecology.capacity[plant]) for plant in PRODUCERS}
        self.flow = {plant: FLOW_SHARE * self.capacity[plant] for plant in PRODUCERS}
        self.buffer = dict(self.capacity)
        self.low_days = dict.fromkeys(PRODUCERS, 0)
        self.collapsed: set[str] = set()
        self.hunger = dict.fromkeys(ANIMALS, 0)
        self.waste = 0.0
        self.dead = 0.0
        self.deaths: list[Death] = []
        self.eaters = {plant: ecology.eaters(plant) for plant in PRODUCERS}

    def rounded(self) -> dict[str, int]:
        plants = {plant: 0 if plant in self.collapsed else round(self.buffer[plant]) for plant in PRODUCERS}
        animals = {species: round(count) for species, count in self.population.items()}
        return {**plants, **animals, DECOMPOSER: self.microbes}

    def pass_day(self, day: int) -> None:
        self.dead = 0.0
        grazed = [plant for plant in PRODUCERS if plant not in self.collapsed and self.capacity[plant] > 0]
        for plant in grazed:
            self._graze(day, plant)
        for species in HERBIVORES:
            if self.population[species] > 0 and self.ecology.diet[species][0] not in grazed:
                self._starve(day, species, 0.0, HERBIVORE_GRACE, NO_FOOD)
        for species in CARNIVORES:
            if self.population[species] > 0:
                self._hunt(day, species)
        self._poison(day)

    def _graze(self, day: int, plant: str) -> None:
        ratio, population = self.ecology.ratio, self.population
        eaters = [species for species in self.eaters[plant] if population[species] > 0]
        wanted = 0.0
        for species in eaters:
            wanted += population[species] * ratio[species]
        left, preceded = self.flow[plant], False
        for species in eaters:
            count = population[species]
            demand = count * ratio[species]
            if demand > left:
                self._starve(day, species, left, HERBIVORE_GRACE, OUTCOMPETED if preceded else STARVED)
                left = 0.0
                continue
            self.hunger[species] = 0
            growth = 1 - demand / left if left else 0.0
            if count >= BREEDING:
                population[species] = min(CROWD, count + HERBIVORE_GROWTH * count * growth)
            left -= demand
            preceded = True
        self._regrow(day, plant, wanted)

    def _regrow(self, day: int, plant: str, wanted: float) -> None:
        buffer, capacity, flow = self.buffer[plant], self.capacity[plant], self.flow[plant]
        if wanted > flow:
            buffer -= wanted - flow
        else:
            buffer = min(capacity, buffer + self.ecology.regrowth[plant] * buffer * (1 - buffer / capacity))
        if buffer <= COLLAPSE_AT:
            buffer = max(0.0, buffer)
            self.low_days[plant] += 1
            if self.low_days[plant] >= COLLAPSE_DAYS:
                self.collapsed.add(plant)
                self.deaths.append(Death(day, plant, OVERGRAZED))
        else:
            self.low_days[plant] = 0
        self.buffer[plant] = buffer

    def _hunt(self, day: int, species: str) -> None:
        population, ratio = self.population, self.ecology.ratio[species]
        prey = [other for other in self.ecology.diet[species] if population[other] > 0]
        exposed = {other: max(0.0, population[other] - REFUGE) for other in prey}
        within_reach = 0.0
        for other in prey:
            within_reach += exposed[other]
        catch = within_reach * CATCH_SHARE
        count = population[species]
        eaten = min(count * ratio, catch)
        if within_reach > 0:
            for other in prey:
                population[other] = max(0.0, population[other] - eaten * (exposed[other] / within_reach))
        sustained = catch / ratio
        if sustained < count - NEARLY:
            self._starve(day, species, catch, CARNIVORE_GRACE, STARVED if catch > 0 else NO_FOOD)
            return
        self.hunger[species] = 0
        if count >= 1 and sustained > 0:
            population[species] = min(CROWD, count + CARNIVORE_GROWTH * count * (1 - count / sustained))

    def _starve(self, day: int, species: str, food: float, grace: int, cause: str) -> None:
        self.hunger[species] += 1
        if self.hunger[species] < grace:
            return
        kept = food / self.ecology.ratio[species]
        self.dead += max(0.0, self.population[species] - kept)
        self.population[species] = kept
        if kept < 1:
            self.population[species] = 0.0
            self.deaths.append(Death(day, species, cause))

    def _poison(self, day: int) -> None:
        living = 0.0
        for species in ANIMALS:
            living += self.population[species]
        self.waste = max(0.0, self.waste + self.dead + living * WASTE_PER_HEAD - self.microbes * CLEARED_PER_MICROBE)
        if self.waste <= POISON_ABOVE:
            return
        rate = min(POISON_MOST, POISON_RATE * (self.waste - POISON_ABOVE))
        for species in ANIMALS:
            count = self.population[species]
            if count > 0:
                count -= count * rate
                if count < 1:
                    count = 0.0
                    self.deaths.append(Death(day, species, TOXIFIED))
                self.population[species] = count
