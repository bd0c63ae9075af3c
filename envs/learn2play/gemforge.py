"""GemForge: a crucible, six raw materials, and recipes nobody wrote down. Fixed: every episode is the same stock.

Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

MATERIALS = ("sulfur", "mercury", "salt", "iron", "ash", "vitriol")
TIER1 = ("amber", "jade", "zenith", "opal", "ruby")
TIER2 = ("crystal", "prism", "apex", "solaris")
TIER3 = ("nova", "celestial")
SLAG = "slag"
TIERS = (MATERIALS, TIER1, TIER2)
"""Ingredients by the tier they belong to; an item's tier is the crucible's mode while it lies in it."""
TIER_OF = {item: tier for tier, items in enumerate(TIERS) for item in items}
VALUES = {
    "amber": 5, "jade": 10, "zenith": 20, "opal": 8, "ruby": 15,
    "crystal": 40, "prism": 65, "apex": 90, "solaris": 130,
    "nova": 260, "celestial": 390,
    SLAG: 1,
}  # fmt: skip
COLLECTIBLES = (*TIER1, *TIER2, *TIER3, SLAG)
CRUCIBLE_SIZE = 2
NOMINAL_TURNS = 300

Pair = frozenset[str]


# --- rules ------------------------------------------------------------------------------------------------------


class Workshop(NamedTuple):
    """What a seed decides: the stock of each material and the product of each pair that makes one."""

    stock: Mapping[str, int]
    recipes: Mapping[Pair, str]


def draw_workshop(seed: int) -> Workshop:
    """The instance of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    stock = {material: rng.randint(4, 5) for material in MATERIALS}
    recipes: dict[Pair, str] = {}
    for ingredients, products in ((MATERIALS, TIER1), (TIER1, TIER2), (TIER2, TIER3)):
        pairs, gems = list(combinations(ingredients, 2)), list(products)
        rng.shuffle(pairs)
        rng.shuffle(gems)
        recipes.update({frozenset(pair): gem for pair, gem in zip(pairs, gems, strict=False)})
    return Workshop(stock, recipes)


def can_act(stock: Mapping[str, int], collection: Mapping[str, int]) -> bool:
    """Whether an empty crucible could still take two different items of one tier."""
    held = (stock, collection, collection)
    return any(sum(count[item] > 0 for item in tier) >= 2 for tier, count in zip(TIERS, held, strict=True))


def worth(collection: Mapping[str, int]) -> int:
    """Points of a collection: count times value; raw materials and the crucible's contents count nothing."""
    return sum(VALUES[item] * count for item, count in collection.items() if count)


class Plan(NamedTuple):
    """How often each recipe is made, and the value of it all."""

    value: int
    made: Mapping[str, int]


Amounts = Iterator[tuple[tuple[int, ...], Counter[str]]]


def _amounts(pairs: Sequence[tuple[str, str]], stock: Mapping[str, int]) -> Amounts:
    """All ways to make each pair so-and-so often within the stock, with what they use up."""
    limits = [range(min(stock[a], stock[b]) + 1) for a, b in pairs]
    for counts in product(*limits):
        used: Counter[str] = Counter()
        for (a, b), count in zip(pairs, counts, strict=True):
            used[a] += count
            used[b] += count
        if all(used[item] <= stock[item] for item in used):
            yield counts, used


def best_plan(workshop: Workshop) -> Plan:
    """Exact optimum over how often each recipe of each tier is made (enumeration)."""
    by_tier: list[list[tuple[str, tuple[str, str]]]] = [[], [], []]
    for pair, gem in workshop.recipes.items():
        a, b = sorted(pair)
        by_tier[TIER_OF[a]].append((gem, (a, b)))
    (names1, pairs1), (names2, pairs2), (names3, pairs3) = (
        ([gem for gem, _ in tier], [pair for _, pair in tier]) for tier in by_tier
    )
    total = sum(workshop.stock.values())
    best = Plan(-1, {})
    for counts1, _ in _amounts(pairs1, workshop.stock):
        surplus = total - 2 * sum(counts1)
        # A planned pair kept in stock keeps the game alive while every surplus unit is fired alone.
        slag = surplus if any(counts1) else max(surplus - 1, 0)
        gems1 = dict.fromkeys(TIER1, 0) | dict(zip(names1, counts1, strict=True))
        for counts2, used1 in _amounts(pairs2, gems1):
            gems2 = dict.fromkeys(TIER2, 0) | dict(zip(names2, counts2, strict=True))
            left1 = sum(VALUES[gem] * (gems1[gem] - used1[gem]) for gem in TIER1)
            for counts3, used2 in _amounts(pairs3, gems2):
                left2 = sum(VALUES[gem] * (gems2[gem] - used2[gem]) for gem in TIER2)
                top = sum(VALUES[gem] * count for gem, count in zip(names3, counts3, strict=True))
                value = top + left2 + left1 + slag
                if value > best.value:
                    made = gems1 | gems2 | dict(zip(names3, counts3, strict=True))
                    best = Plan(value, made)
    return best


def plan_actions(workshop: Workshop, plan: Plan) -> list[str]:
    """The plan as play: surplus units alone first, then the recipes tier by tier."""
    pair_of = {gem: sorted(pair) for pair, gem in workshop.recipes.items()}
    left = Counter(workshop.stock)
    for gem in TIER1:
        for material in pair_of[gem]:
            left[material] -= plan.made.get(gem, 0)
    actions: list[str] = []
    for material in MATERIALS:
        actions += [f"add_{material}", "fire"] * left[material]
    for tier in (TIER1, TIER2, TIER3):
        for made in range(max(plan.made.get(gem, 0) for gem in tier)):
            for first, second in (pair_of[gem] for gem in tier if plan.made.get(gem, 0) > made):
                actions += [f"add_{first}", f"add_{second}", "fire"]
    return actions


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "The forge is yours. On the shelves stand six raw materials; what they may become is for you to find out. Work "
    "goes in three steps, and each step joins two ingredients of the tier below: raw materials, then gems of the "
    "first tier, then gems of the second. Nobody has written down what goes with what, and every trial is paid for "
    "out of stock."
)
NAMES = {"nova": "Nova Crystal", "celestial": "Celestial Gem"}
BEFORE_FIRE = (
    "The powders hiss and run together.",
    "The gems soften at the edges and flow into one.",
    "White light stands over the crucible, and the two stones are gone.",
)
GAME_OVER = "The fire is out and the game is over."


def shown(item: str) -> str:
    """The name a player reads for an item."""
    return NAMES.get(item, item.capitalize())


def listing(items: Sequence[str]) -> str:
    return ", ".join(shown(item) for item in items) if items else "empty"


def status_text(crucible: Sequence[str], stock: Mapping[str, int], collection: Mapping[str, int], turns: int) -> str:
    held = [f"{shown(item)} {collection[item]}" for item in COLLECTIBLES if collection[item]]
    return (
        f"Crucible: {listing(crucible)}\n"
        f"Stock: {', '.join(f'{shown(material)} {stock[material]}' for material in MATERIALS)}\n"
        f"Collection: {', '.join(held) if held else 'nothing yet'}\n"
        f"Score: {worth(collection)} | Steps taken: {turns}"
    )


def fired_text(tier: int, gem: str, score: int) -> str:
    if gem == SLAG:
        outcome = f"Nothing comes of it but slag (+{VALUES[SLAG]})."
    else:
        outcome = f"Out of the fire you lift {shown(gem)} (+{VALUES[gem]})."
    return f"{BEFORE_FIRE[tier]} {outcome} Your score is now {score}."


def end_text(reason: str, score: int) -> str:
    return f"{reason} The game is over. Final score: {score}."


def refusal_text(action: str, valid: Sequence[str]) -> str:
    return f"The forge does not know what to do with '{action}'. Available now: {', '.join(valid)}."


# --- the game ---------------------------------------------------------------------------------------------------


class GemForge(Game):
    """Actions: `add_<item>`, `fire`, `done`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/gemforge",
        title="GemForge",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=210,
        seed=1,
        summary="Craft gems from raw materials by recipes nobody wrote down.",
        about=(
            "Six raw materials stand on the shelves of a forge. Two of them make a gem, two gems make a finer one, "
            "two of those a masterpiece, if they are the right two; a wrong pair burns to slag and the stock is gone. "
            "Every episode begins with the same shelves, so what one episode finds out the next can use."
        ),
    )
    shared = ("workshop",)

    def build(self) -> None:
        self.workshop = draw_workshop(self.seed)

    def start(self, episode: int) -> str:
        self.stock = dict(self.workshop.stock)
        self.collection = dict.fromkeys(COLLECTIBLES, 0)
        self.crucible: list[str] = []
        self.turns = 0
        self.ended = False
        return f"{OPENING}\n\n{self._status()}"

    def play(self, action: str) -> Reply:
        if self.ended:
            return Reply(GAME_OVER, False)
        act = action.strip().lower()
        if act == "status":
            return Reply(self._status())
        valid = self.valid()
        if act not in valid:
            return Reply(refusal_text(action, [name for name in valid if name != "status"]), False)
        self.turns += 1
        if act == "done":
            self.ended = True
            return Reply(end_text("You bank the fire and close the forge.", self.points()))
        if act == "fire":
            return Reply(self._fire())
        return Reply(self._add(act.removeprefix("add_")))

    def valid(self) -> list[str]:
        if self.ended:
            return []
        adds: list[str] = []
        if len(self.crucible) < CRUCIBLE_SIZE:
            for tier, items in enumerate(TIERS):
                if self.crucible and TIER_OF[self.crucible[0]] != tier:
                    continue
                held = self.stock if tier == 0 else self.collection
                adds += [f"add_{item}" for item in items if held[item] > 0 and item not in self.crucible]
        return ["status", "done", *adds, *(["fire"] if self.crucible else [])]

    def points(self) -> int:
        return worth(self.collection)

    def shown_points(self) -> int:
        return self.points()

    def over(self) -> bool:
        return self.ended

    def solve(self, episode: int) -> Solution:
        plan = best_plan(self.workshop)
        how = "enumeration of how often each recipe of each tier is made"
        return Solution(plan.value, "exact", how, tuple(plan_actions(self.workshop, plan)))

    def _status(self) -> str:
        return status_text(self.crucible, self.stock, self.collection, self.turns)

    def _add(self, item: str) -> str:
        (self.stock if TIER_OF[item] == 0 else self.collection)[item] -= 1
        self.crucible.append(item)
        return f"You put {shown(item)} into the crucible, which now holds {listing(self.crucible)}.\n{self._status()}"

    def _fire(self) -> str:
        tier = TIER_OF[self.crucible[0]]
        gem = self.workshop.recipes.get(frozenset(self.crucible), SLAG)
        self.collection[gem] += 1
        self.crucible = []
        text = fired_text(tier, gem, self.points())
        if can_act(self.stock, self.collection):
            return f"{text}\n{self._status()}"
        self.ended = True
        return f"{text}\n{end_text('There is nothing left that could be joined.', self.points())}"


ENV = GemForge
