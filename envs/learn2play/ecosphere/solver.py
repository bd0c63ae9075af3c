"""The best stocking of an ecology: every stocking the budget and the steps allow, simulated many at a time.

Two cuts that lose nothing: a plant nobody in the jar eats is left out, and microbes beyond those that keep a jar from
ever being poisoned change nothing, so more of them need no run of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from evoplay.envs.base import NoReference
from evoplay.envs.learn2play.ecosphere import rules
from evoplay.envs.learn2play.ecosphere.rules import (
    ANIMALS,
    BUDGET,
    CARNIVORES,
    COSTS,
    HERBIVORES,
    MAX_TURNS,
    PLANT_LIMIT,
    PRODUCERS,
    SPECIES,
    Ecology,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

BATCH = 16384
"""Stockings simulated at once: few enough to stay in the processor's cache."""


class Best(NamedTuple):
    """The best score and the stocking that reaches it."""

    score: int
    stock: dict[str, int]


def best_stocking(ecology: Ecology) -> Best:
    """The best of all stockings of at most 40 units within the budget; the first found on ties."""
    try:
        import numpy
    except ImportError as error:
        raise NoReference("no reference for this seed without numpy, which the search needs: install it") from error
    best = Best(0, dict.fromkeys(SPECIES, 0))
    prices = numpy.array([COSTS[species] for species in SPECIES[:-1]])
    for batch in _batches(_stockings(ecology)):
        affordable = numpy.minimum(BUDGET - batch @ prices, MAX_TURNS - batch.sum(axis=1))
        clean = Batch(ecology, batch, None)
        clean.pass_days()
        needed = clean.microbes_needed(int(affordable.max()))
        enough = needed <= affordable
        best = _better(best, clean.scores()[enough], numpy.column_stack([batch, needed])[enough])
        # Fewer microbes than needed: poison falls on these jars, and each number of microbes is a run of its own.
        fewer = numpy.arange(int(needed.max()) + 1) < numpy.minimum(needed, affordable + 1)[:, None]
        rows, microbes = numpy.nonzero(fewer)
        for jars in _batches(numpy.column_stack([batch[rows], microbes])):
            poisoned = Batch(ecology, jars[:, :-1], jars[:, -1])
            poisoned.pass_days()
            best = _better(best, poisoned.scores(), jars)
    return best


def _batches(stockings: Integers) -> Iterator[Integers]:
    return (stockings[at : at + BATCH] for at in range(0, len(stockings), BATCH))


def _stockings(ecology: Ecology) -> Integers:
    """All stockings without microbes that hold animals, plants nobody eats left out, in the order of species."""
    import numpy

    def grid(limits: list[int]) -> Integers:
        axes = numpy.indices([limit + 1 for limit in limits])
        return axes.reshape(len(limits), -1).T

    animals = grid([BUDGET // COSTS[species] for species in ANIMALS])
    prices = numpy.array([COSTS[species] for species in ANIMALS])
    spent = animals @ prices
    animals = animals[(spent > 0) & (spent <= BUDGET)]
    parts = []
    for counts in product(range(PLANT_LIMIT + 1), repeat=len(PRODUCERS)):
        price = sum(COSTS[plant] * count for plant, count in zip(PRODUCERS, counts, strict=True))
        fits = (animals @ prices + price <= BUDGET) & (animals.sum(axis=1) + sum(counts) <= MAX_TURNS)
        for plant, count in zip(PRODUCERS, counts, strict=True):
            if count:
                eaters = [ANIMALS.index(species) for species in ecology.eaters(plant)]
                fits &= animals[:, eaters].sum(axis=1) > 0
        chosen = animals[fits]
        parts.append(numpy.column_stack([numpy.tile(counts, (len(chosen), 1)), chosen]))
    found: Integers = numpy.concatenate(parts)
    return found


def _better(best: Best, scores: Integers, stockings: Integers) -> Best:
    if not len(scores) or scores.max() <= best.score:
        return best
    at = int(scores.argmax())
    return Best(int(scores[at]), dict(zip(SPECIES, map(int, stockings[at]), strict=True)))


class Batch:
    """Many jars at once: one array a quantity, the steps of a day as in the rules, in the same order of operations.

    `microbes` None leaves poison out and notes what each day adds to the waste.
    """

    def __init__(self, ecology: Ecology, stockings: Integers, microbes: Integers | None) -> None:
        import numpy

        self.np = numpy
        self.ecology = ecology
        self.size = self.count = len(stockings)
        self.rows = numpy.arange(self.count)
        columns = dict(zip(SPECIES, stockings.T, strict=False))
        self.population: dict[str, Floats] = {species: columns[species].astype(float) for species in ANIMALS}
        self.capacity = {plant: columns[plant] * float(ecology.capacity[plant]) for plant in PRODUCERS}
        self.flow = {plant: rules.FLOW_SHARE * self.capacity[plant] for plant in PRODUCERS}
        self.buffer = {plant: self.capacity[plant].copy() for plant in PRODUCERS}
        self.low_days = {plant: numpy.zeros(self.count, dtype=numpy.int8) for plant in PRODUCERS}
        self.alive = {plant: self.capacity[plant] > 0 for plant in PRODUCERS}
        self.hunger = {species: numpy.zeros(self.count, dtype=numpy.int8) for species in ANIMALS}
        self.cleared = None if microbes is None else microbes * rules.CLEARED_PER_MICROBE
        self.waste = numpy.zeros(self.count)
        self.dead = numpy.zeros(self.count)
        self.additions: list[tuple[Floats, Floats]] = []

    def pass_days(self) -> None:
        np = self.np
        with np.errstate(divide="ignore", invalid="ignore"):
            for _ in range(rules.DAYS):
                self.dead = np.zeros(self.count)
                grazed = {plant: self.alive[plant].copy() for plant in PRODUCERS}
                for plant in PRODUCERS:
                    self._graze(plant, grazed[plant])
                nothing = np.zeros(self.count)
                for species in HERBIVORES:
                    unfed = (self.population[species] > 0) & ~grazed[self.ecology.diet[species][0]]
                    if unfed.any():
                        self._starve(species, unfed, nothing, rules.HERBIVORE_GRACE)
                for species in CARNIVORES:
                    self._hunt(species)
                self._poison()
                self._drop_dead()

    def scores(self) -> Integers:
        np = self.np
        total = np.zeros(self.count)
        for species in HERBIVORES:
            count = np.rint(self.population[species])
            beyond = rules.BEYOND * np.maximum(0, count - rules.SATURATION)
            total += rules.HERBIVORE_VALUE * (np.minimum(count, rules.SATURATION) + beyond)
        for species in CARNIVORES:
            total += rules.CARNIVORE_VALUE * np.rint(self.population[species])
        scores: Integers = np.zeros(self.size, dtype=np.int64)
        scores[self.rows] = np.rint(total)
        return scores

    def microbes_needed(self, most: int) -> Integers:
        """The fewest microbes that keep each jar from ever being poisoned; `most` + 1 where not even `most` do."""
        np = self.np
        least, needed = np.zeros(self.count, dtype=np.int64), np.full(self.count, most + 1)
        while (least < needed).any():
            middle = (least + needed) // 2
            cleared = middle * rules.CLEARED_PER_MICROBE
            waste, safe = np.zeros(self.count), np.ones(self.count, dtype=bool)
            for dead, living in self.additions:
                waste = np.maximum(0.0, waste + dead + living - cleared)
                safe &= waste <= rules.POISON_ABOVE
            needed, least = np.where(safe, middle, needed), np.where(safe, least, middle + 1)
            least = np.minimum(least, needed)
        found: Integers = needed
        return found

    def _drop_dead(self) -> None:
        """Go on without the jars no animal lives in any more, once they are the greater part: they score nothing."""
        np = self.np
        living = np.logical_or.reduce([self.population[species] > 0 for species in ANIMALS])
        if self.cleared is None or 2 * np.count_nonzero(living) > self.count:
            return
        self.rows, self.count = self.rows[living], int(np.count_nonzero(living))
        self.waste, self.cleared = self.waste[living], self.cleared[living]
        for quantity in (
            self.population,
            self.capacity,
            self.flow,
            self.buffer,
            self.low_days,
            self.alive,
            self.hunger,
        ):
            for name, values in quantity.items():
                quantity[name] = values[living]

    def _graze(self, plant: str, grazed: Flags) -> None:
        np, ratio, population = self.np, self.ecology.ratio, self.population
        eaters = self.ecology.eaters(plant)
        if not eaters:
            return
        demands = {species: population[species] * ratio[species] for species in eaters}
        wanted = np.zeros(self.count)
        for demand in demands.values():
            wanted += demand
        left = self.flow[plant].copy()
        for species in eaters:
            count, demand = population[species], demands[species]
            eating = grazed & (count > 0)
            fed = eating & (demand <= left)
            growth = 1 - demand / left
            grown = np.minimum(rules.CROWD, count + rules.HERBIVORE_GROWTH * count * growth)
            population[species] = np.where(fed & (count >= rules.BREEDING), grown, count)
            self.hunger[species][fed] = 0
            unfed = eating & ~fed
            if unfed.any():
                self._starve(species, unfed, left, rules.HERBIVORE_GRACE)
            left = np.where(fed, left - demand, np.where(unfed, 0.0, left))
        self._regrow(plant, grazed, wanted)

    def _regrow(self, plant: str, grazed: Flags, wanted: Floats) -> None:
        np = self.np
        old, capacity, flow = self.buffer[plant], self.capacity[plant], self.flow[plant]
        regrown = np.minimum(capacity, old + self.ecology.regrowth[plant] * old * (1 - old / capacity))
        buffer = np.where(wanted > flow, old - (wanted - flow), regrown)
        low = grazed & (buffer <= rules.COLLAPSE_AT)
        self.buffer[plant] = np.where(grazed, np.where(low, np.maximum(0.0, buffer), buffer), old)
        self.low_days[plant] = np.where(low, self.low_days[plant] + 1, 0).astype(np.int8)
        self.alive[plant] = grazed & (self.low_days[plant] < rules.COLLAPSE_DAYS)

    def _hunt(self, species: str) -> None:
        np, population, ratio = self.np, self.population, self.ecology.ratio[species]
        count = population[species]
        hunting = count > 0
        if not hunting.any():
            return
        prey = self.ecology.diet[species]
        exposed = {other: np.maximum(0.0, population[other] - rules.REFUGE) for other in prey}
        within_reach = np.zeros(self.count)
        for reach in exposed.values():
            within_reach += reach
        catch = within_reach * rules.CATCH_SHARE
        eaten = np.minimum(count * ratio, catch)
        struck = hunting & (within_reach > 0)
        for other in prey:
            left = np.maximum(0.0, population[other] - eaten * (exposed[other] / within_reach))
            population[other] = np.where(struck, left, population[other])
        sustained = catch / ratio
        fed = hunting & (sustained >= count - rules.NEARLY)
        grown = np.minimum(rules.CROWD, count + rules.CARNIVORE_GROWTH * count * (1 - count / sustained))
        population[species] = np.where(fed & (count >= 1) & (sustained > 0), grown, count)
        self.hunger[species][fed] = 0
        self._starve(species, hunting & ~fed, catch, rules.CARNIVORE_GRACE)

    def _starve(self, species: str, unfed: Flags, food: Floats, grace: int) -> None:
        np = self.np
        self.hunger[species] += unfed
        cut = unfed & (self.hunger[species] >= grace)
        if not cut.any():
            return
        count, kept = self.population[species], food / self.ecology.ratio[species]
        self.dead += np.where(cut, np.maximum(0.0, count - kept), 0.0)
        self.population[species] = np.where(cut, np.where(kept < 1, 0.0, kept), count)

    def _poison(self) -> None:
        np, population = self.np, self.population
        living = np.zeros(self.count)
        for species in ANIMALS:
            living += population[species]
        living *= rules.WASTE_PER_HEAD
        if self.cleared is None:
            self.additions.append((self.dead, living))
            return
        self.waste = np.maximum(0.0, self.waste + self.dead + living - self.cleared)
        rate = np.minimum(rules.POISON_MOST, rules.POISON_RATE * (self.waste - rules.POISON_ABOVE))
        poisoned = self.waste > rules.POISON_ABOVE
        if not poisoned.any():
            return
        for species in ANIMALS:
            count = population[species]
            left = count - count * rate
            population[species] = np.where(poisoned, np.where(left < 1, 0.0, left), count)
