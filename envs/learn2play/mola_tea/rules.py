"""The rules of Mola Tea: drawing a shop, playing a turn, settling a week. No sentence is made here.

Every random draw of an episode comes from one generator, the choice of a wording included: an event carries the
number of its wording, and `texts` has exactly as many wordings as are drawn from here.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, NamedTuple

from evoplay.envs.learn2play.mola_tea.data import (
    ATTRIBUTES,
    BARGAIN,
    CARD_DISTANCES,
    CARDS,
    CASH_FLOOR,
    CLUES_PER_ROLE,
    COST_RANGES,
    CREDIT_CAP,
    DISCOUNT_PERCENT,
    GIFT_UNITS,
    GROUP_NAMES,
    GROUP_SIZE,
    GROUPS,
    HOUSE_NAMES,
    LAUNCH_STOCK,
    MAX_TURNS,
    MERCHANDISE,
    POOL_SIZE,
    PRODUCTS,
    REGULAR,
    RESTOCKS,
    ROLES,
    SAMPLE_CUPS,
    SHARER,
    SLOTS,
    START_CASH,
    START_MERCH,
    TASTER,
    TURNS_A_DAY,
    WEATHERS,
    WINDOW,
)

Recipe = tuple[str, ...]
LAUNCHED, SEEDED, BACK, CONFIRMED, TRENDING, TIRED = ("launched", "seeded", "back", "confirmed", "trending", "tired")
PUSHES = frozenset({"sample", "feature", "discount", "gift", "bundle"})
PUSH_WEIGHT = {"feature": 1, "sample": 1, "gift": 2, "bundle": 1}
MILESTONES = {"return": 50, "confirmation": 90, "spread": 160, "bundle": 70}

# --- the shop ---------------------------------------------------------------------------------------------------


class Card(NamedTuple):
    """A recipe card: its id, the drink it makes, its four attributes, in how many it differs from the house drink."""

    card: str
    product: str
    recipe: Recipe
    distance: int


@dataclass(frozen=True, slots=True)
class Shop:
    """What an episode draws before play; never changed afterwards."""

    house: Recipe
    house_name: str
    house_price: int
    house_cost: int
    costs: Mapping[str, int]
    markup: int
    weather: int
    cards: tuple[Card, ...]
    groups: Mapping[str, str]
    roles: Mapping[str, str]
    merch_costs: Mapping[str, int]

    def __deepcopy__(self, memo: dict[int, Any]) -> Shop:
        return self

    def group_of(self, role: str) -> str:
        """The id of the group with this role."""
        return next(group for group, own in self.roles.items() if own == role)


def stable(text: str) -> int:
    """A number from a text, the same everywhere."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def draw_shop(seed: int, episode: int) -> tuple[Shop, random.Random]:
    """The shop of an episode, and the generator that goes on to serve its play."""
    rng = random.Random(stable(f"mola_tea:{seed}:{episode}"))
    pools = [rng.sample(values, POOL_SIZE) for values in ATTRIBUTES]
    house = tuple(rng.choice(pool) for pool in pools)
    house_name = rng.choice(HOUSE_NAMES)
    price = rng.randint(7, 9) * 100
    house_cost = price - rng.choice((150, 200, 250))
    costs = {name: rng.randint(low, high) * 100 for name, low, high in COST_RANGES}
    markup = rng.randint(4, 7) * 100
    weather = rng.randrange(WEATHERS)
    cards = _draw_cards(rng, pools, house)
    groups = dict(zip(GROUPS, rng.sample(GROUP_NAMES, len(GROUPS)), strict=True))
    merch = rng.sample(list(MERCHANDISE), 2)
    merch_costs = {item: rng.randint(2, 5) * 100 for item in merch}
    roles = _roles(seed, episode)
    return (
        Shop(house, house_name, price, house_cost, costs, markup, weather, cards, groups, roles, merch_costs),
        rng,
    )


def _draw_cards(rng: random.Random, pools: list[list[str]], house: Recipe) -> tuple[Card, ...]:
    drawn: list[tuple[Recipe, int]] = []
    for distance in CARD_DISTANCES:
        while True:
            recipe = list(house)
            for place in rng.sample(range(4), distance):
                recipe[place] = rng.choice([value for value in pools[place] if value != house[place]])
            if all(tuple(recipe) != known for known, _ in drawn):
                break
        drawn.append((tuple(recipe), distance))
    rng.shuffle(drawn)
    products = rng.sample(PRODUCTS, len(CARDS))
    return tuple(
        Card(card, product, recipe, distance)
        for card, product, (recipe, distance) in zip(CARDS, products, drawn, strict=True)
    )


_ROLE_ORDERS = tuple(permutations(ROLES))


def _roles(seed: int, episode: int) -> dict[str, str]:
    order = _ROLE_ORDERS[(stable(f"mola_tea:roles:{seed}") + 37 * episode) % len(_ROLE_ORDERS)]
    return dict(zip(GROUPS, order, strict=True))


# --- commands ---------------------------------------------------------------------------------------------------


class Command(NamedTuple):
    """An action read: its verb and what it names ("" where it names nothing)."""

    verb: str
    drink: str = ""
    group: str = ""
    merch: str = ""
    level: str = ""
    card: str = ""


class Refusal(NamedTuple):
    """Why a command is refused, with the name or number the message needs."""

    reason: str
    name: str = ""
    number: int = 0


_EXACT = {
    "hold": "hold",
    "restore_classic": "restore_classic",
    "restore classic": "restore_classic",
    "inspect customers": "inspect",
    "status": "status",
    "close_shop": "close_shop",
    "close shop": "close_shop",
}
_LEVELS = {"small": "small", "mild": "small", "deep": "deep"}


def parse(action: str, shop: Shop) -> Command | None:
    """The command an action means, or None where it means nothing."""
    text = action.strip().lower()
    if text in _EXACT:
        return Command(_EXACT[text])
    match text.split():
        case ["develop", card]:
            return Command("develop", card=card)
        case ["develop", base, flavor, texture, temperature]:
            recipe = (base, flavor, texture, temperature)
            return Command("develop", card=next((card.card for card in shop.cards if card.recipe == recipe), ""))
        case ["launch", drink]:
            return Command("launch", drink)
        case ["sample", drink, group]:
            return Command("sample", drink, group)
        case ["feature", drink]:
            return Command("feature", drink)
        case ["discount", drink, level] if level in _LEVELS:
            return Command("discount", drink, level=_LEVELS[level])
        case ["gift", merch, drink, group]:
            return Command("gift", drink, group, merch)
        case ["bundle", drink, merch]:
            return Command("bundle", drink, merch=merch)
        case ["restock", drink, level] if level in RESTOCKS:
            return Command("restock", drink, level=level)
    return None


# --- a week -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Drink:
    """A developed drink. Everything from `stage` on matters once it is launched, and none of it is ever shown."""

    product: str
    recipe: Recipe
    viable: bool
    price: int
    unit_cost: int
    stock: int = 0
    stage: str = LAUNCHED
    confirm_deadline: int = 0
    spread_deadline: int = 0
    wave: int = 0
    spoilt: bool = False
    credited: int = 0
    milestones: set[str] = field(default_factory=set)
    samples: dict[str, int] = field(default_factory=dict)
    deltas: list[int] = field(default_factory=list)
    last_push: tuple[str, int] = ("", 0)


class Event(NamedTuple):
    """Something the player is told of: kind, number of the wording, and what the line may name."""

    kind: str
    variant: int = 0
    drink: str = ""
    group: str = ""
    merch: str = ""
    number: int = 0


class Ledger(NamedTuple):
    """A closed day."""

    day: int
    orders: int
    gross: int
    ingredients: int
    promotion: int
    cash: int
    events: tuple[Event, ...]


class Sale(NamedTuple):
    """A sale noted by an action, to be carried out after the house has sold."""

    drink: Drink
    demand: int
    price: int
    credited: bool = False


class Week:
    """The state of an episode."""

    def __init__(self, shop: Shop, rng: random.Random) -> None:
        self.shop, self.rng = shop, rng
        self.turn = 0
        self.end = ""
        self.cash, self.gross, self.spending = START_CASH, 0, 0
        self.prototypes: dict[str, Drink] = {}
        self.launched: dict[str, Drink] = {}
        self.developed: set[str] = set()
        self.members = dict.fromkeys(GROUPS, GROUP_SIZE)
        self.regulars = shop.group_of(REGULAR)
        self.merch = dict.fromkeys(shop.merch_costs, START_MERCH)
        self.menu_pressure = self.waste = self.lost = 0
        self.inspections = 0
        self.clues = dict.fromkeys(GROUPS, 0)
        self.events: list[Event] = []
        self.ledger: Ledger | None = None
        self.ledger_fresh = False
        self._open_day()

    # --- what may be done -----------------------------------------------------------------------------------------

    def refusal(self, command: Command) -> Refusal | None:
        """The first reason against a command, or None where it may be done."""
        verb = command.verb
        if verb == "develop":
            return self._against_developing(command.card)
        if verb == "launch":
            if command.drink not in self.prototypes:
                return Refusal("prototypes")
            return Refusal("launch places") if len(self.launched) >= SLOTS else None
        if not command.drink:
            return None
        drink = self.launched.get(command.drink)
        if drink is None:
            return Refusal("launched")
        if verb == "restock":
            return None
        if verb == "sample" and drink.stock < SAMPLE_CUPS:
            return Refusal("cups", drink.product)
        if drink.stock <= 0:
            return Refusal("out of stock", drink.product)
        if command.group and not self.members.get(command.group):
            return Refusal("groups")
        if command.merch:
            if command.merch not in self.merch:
                return Refusal("merchandise")
            if self.merch[command.merch] < (GIFT_UNITS if verb == "gift" else 1):
                return Refusal("units", command.merch, self.merch[command.merch])
        return None

    def _against_developing(self, card: str) -> Refusal | None:
        if len(self.prototypes) >= SLOTS:
            return Refusal("prototype places")
        if len(self.launched) >= SLOTS:
            return Refusal("launch places")
        if card not in CARDS:
            return Refusal("cards")
        return Refusal("developed", card) if card in self.developed else None

    def actions(self) -> list[str]:
        """What may be done, listed."""
        if self.end:
            return ["status"]
        found = ["inspect customers"]
        if len(self.launched) < SLOTS:
            if len(self.prototypes) < SLOTS:
                found += [f"develop {card}" for card in CARDS if card not in self.developed]
            found += [f"launch {product}" for product in self.prototypes]
        groups = [group for group, members in self.members.items() if members]
        for product, drink in self.launched.items():
            if drink.stock >= SAMPLE_CUPS:
                found += [f"sample {product} {group}" for group in groups]
            if drink.stock > 0:
                found += [f"feature {product}", f"discount {product} small", f"discount {product} deep"]
                for item, units in self.merch.items():
                    if units >= GIFT_UNITS:
                        found += [f"gift {item} {product} {group}" for group in groups]
                    if units >= 1:
                        found.append(f"bundle {product} {item}")
            found += (f"restock {product} small", f"restock {product} large")
        found += ("restore_classic", "hold", "status", "close_shop")
        return found

    # --- a turn ---------------------------------------------------------------------------------------------------

    def act(self, command: Command) -> None:
        """Play a turn with a command that `refusal` lets pass. The order of the parts is part of the rules."""
        self.turn += 1
        self.events = []
        self.ledger_fresh = False
        sale = _ACTIONS[command.verb](self, command)
        returning = self._returning(command)
        self._sell_house(2 if command.verb == "restore_classic" else 0)
        if sale is not None:
            self._sell(*sale)
        for drink in self.launched.values():
            self._walk_in(drink)
        for drink in returning:
            self._return(drink)
        for drink in self.launched.values():
            if drink.stage in (TRENDING, TIRED):
                self._tire(drink, command)
        if self.menu_pressure >= 4:
            self._lose_regular()
            self.menu_pressure -= 1
            self._tell("lost", 8)
        self.day_events += self.events
        if self.turn % TURNS_A_DAY == 0:
            self._close_day()
        if self.turn >= MAX_TURNS:
            self.end = "week"
        elif self.cash < CASH_FLOOR:
            self.end = "insolvent"

    def _returning(self, command: Command) -> list[Drink]:
        """Drinks whose tasters may come back this turn: those left alone."""
        pushed = command.drink if command.verb in PUSHES else ""
        return [
            drink
            for drink in self.launched.values()
            if drink.product != pushed
            and (drink.stage == SEEDED or (drink.stage == BACK and self.turn > drink.confirm_deadline))
        ]

    def _sell_house(self, extra: int) -> None:
        regulars = self.members[self.regulars]
        demand = 3 + (regulars + 1) // 2 + self.rng.choice((-1, 0, 0, 0, 1)) + extra
        orders = max(0, demand)
        self._earn(orders * self.shop.house_price, orders)
        self._buy(orders * self.shop.house_cost)

    def _sell(self, drink: Drink, demand: int, price: int, credited: bool = False) -> int:
        """Sell cups as far as the stock goes; gives how many were sold."""
        if demand <= 0:
            return 0
        sold = min(demand, drink.stock)
        drink.stock -= sold
        self._earn(sold * price, sold)
        if credited:
            drink.credited = min(CREDIT_CAP, drink.credited + sold)
        if demand > sold:
            self._tell("stockout", 6)
        return sold

    def _walk_in(self, drink: Drink) -> None:
        randint = self.rng.randint
        if drink.wave == self.turn or drink.stage == TRENDING:
            demand = randint(5, 9) if drink.wave == self.turn else randint(2, 4)
            price = drink.price * 85 // 100 if drink.spoilt else drink.price
            self._sell(drink, demand, price, not drink.spoilt)
        else:
            self._sell(drink, randint(0, 3 if drink.stage == TIRED else 2), drink.price)

    def _return(self, drink: Drink) -> None:
        if self._sell(drink, self.rng.randint(1, 2), drink.price, True):
            drink.stage = BACK
            drink.confirm_deadline = self.turn + WINDOW
            drink.milestones.add("return")
            self._tell("return", 8, drink=drink.product)

    def _tire(self, drink: Drink, command: Command) -> None:
        verb = command.verb
        delta = -1 if verb in ("hold", "restore_classic") else 0
        if command.drink == drink.product:
            delta = (1 if command.level == "small" else 2) if verb == "discount" else PUSH_WEIGHT.get(verb, 0)
        drink.deltas = [*drink.deltas[-2:], delta]
        same_push = delta > 0 and drink.last_push == (verb, self.turn - 1)
        if delta > 0:
            drink.last_push = (verb, self.turn)
        if drink.stage == TRENDING:
            if same_push or max(0, sum(drink.deltas)) >= 4:
                drink.stage = TIRED
                self._tell("tired", 8)
        elif delta > 0:
            self._lose_regular()
            self._tell("tired", 8)

    # --- bookkeeping ----------------------------------------------------------------------------------------------

    def _tell(self, kind: str, wordings: int = 0, *, drink: str = "", group: str = "", merch: str = "") -> None:
        variant = self.rng.randrange(wordings) if wordings else 0
        self.events.append(Event(kind, variant, drink, group, merch))

    def _earn(self, amount: int, orders: int) -> None:
        self.cash += amount
        self.gross += amount
        self.day_gross += amount
        self.day_orders += orders

    def _buy(self, amount: int) -> None:
        """Pay for ingredients."""
        self.cash -= amount
        self.spending += amount
        self.day_ingredients += amount

    def _promote(self, amount: int) -> None:
        """Pay for anything but ingredients."""
        self.cash -= amount
        self.spending += amount
        self.day_promotion += amount

    def _lose_regular(self) -> None:
        if self.members[self.regulars] > 0:
            self.members[self.regulars] -= 1
            self.lost += 1

    def _open_day(self) -> None:
        self.day_orders = self.day_gross = self.day_ingredients = self.day_promotion = 0
        self.day_events: list[Event] = []

    def _close_day(self) -> None:
        self.ledger = Ledger(
            self.turn // TURNS_A_DAY,
            self.day_orders,
            self.day_gross,
            self.day_ingredients,
            self.day_promotion,
            self.cash,
            tuple(self.day_events[-3:]),
        )
        self.ledger_fresh = True
        self._open_day()

    # --- the actions ----------------------------------------------------------------------------------------------

    def _inspect(self, command: Command) -> None:
        for step in range(3):
            group = GROUPS[(self.inspections + step) % len(GROUPS)]
            self.events.append(Event("clue", self.clues[group] % CLUES_PER_ROLE, group=group))
            self.clues[group] += 1
        self.inspections += 3

    def _hold(self, command: Command) -> None:
        self.menu_pressure = max(0, self.menu_pressure - 1)
        self._tell("hold")

    def _restore(self, command: Command) -> None:
        self.menu_pressure = max(0, self.menu_pressure - 2)
        self._tell("restore")

    def _develop(self, command: Command) -> None:
        card = self.shop.cards[CARDS.index(command.card)]
        self._promote(self.shop.costs["develop"])
        price = self.rng.randint(8, 11) * 100
        unit_cost = self.rng.choice((250, 275, 300, 325, 350, 375, 400))
        self.developed.add(card.card)
        self.prototypes[card.product] = Drink(card.product, card.recipe, card.distance == 1, price, unit_cost)
        self._tell("develop", drink=card.product)

    def _launch(self, command: Command) -> Sale:
        drink = self.launched[command.drink] = self.prototypes.pop(command.drink)
        self._promote(self.shop.costs["launch"])
        self._buy(LAUNCH_STOCK * drink.unit_cost)
        drink.stock = LAUNCH_STOCK
        self.menu_pressure += 1
        self._tell("launch", 8)
        return Sale(drink, self.rng.randint(1, 4), drink.price)

    def _sample(self, command: Command) -> Sale | None:
        drink, role = self.launched[command.drink], self.shop.roles[command.group]
        self._promote(self.shop.costs["sample"])
        drink.stock -= SAMPLE_CUPS
        count = drink.samples[command.group] = drink.samples.get(command.group, 0) + 1
        if role == TASTER and drink.viable and drink.stage == LAUNCHED:
            drink.stage = SEEDED
            self._tell("tasting", drink=drink.product, group=command.group)
            return None
        if role == BARGAIN:
            demand = self.rng.randint(2, 5)
            self._tell("rush", 6)
            self.waste += count > 1
            return Sale(drink, demand, drink.price)
        self._tell("friendly", group=command.group)
        return Sale(drink, self.rng.randint(0, 1), drink.price)

    def _feature(self, command: Command) -> Sale:
        drink = self.launched[command.drink]
        self._promote(self.shop.costs["feature"])
        self.menu_pressure += 1
        if drink.stage == BACK and self.turn <= drink.confirm_deadline:
            drink.stage = CONFIRMED
            drink.spread_deadline = self.turn + WINDOW
            drink.milestones.add("confirmation")
            demand = self.rng.randint(2, 4)
            self._tell("confirmation", 8, drink=drink.product)
            return Sale(drink, demand, drink.price, True)
        if drink.stage == TRENDING:
            self._tell("crowd", drink=drink.product)
            return Sale(drink, self.rng.randint(3, 5), drink.price, True)
        self._tell("curious")
        return Sale(drink, self.rng.randint(1, 3), drink.price)

    def _discount(self, command: Command) -> Sale:
        drink = self.launched[command.drink]
        self._promote(self.shop.costs[command.level])
        self.menu_pressure += 1
        if command.level == "deep" and drink.stage in (LAUNCHED, SEEDED, BACK):
            drink.spoilt = True
        demand = self.rng.randint(2, 5)
        self._tell("rush", 6)
        return Sale(drink, demand, drink.price * (100 - DISCOUNT_PERCENT[command.level]) // 100)

    def _gift(self, command: Command) -> Sale | None:
        drink, role = self.launched[command.drink], self.shop.roles[command.group]
        self._promote(self.shop.costs["gift"])
        self.merch[command.merch] -= GIFT_UNITS
        self.menu_pressure += 1
        if drink.stage == CONFIRMED and self.turn <= drink.spread_deadline and role == SHARER:
            drink.stage = TRENDING
            drink.wave = self.turn + 1
            drink.milestones.add("spread")
            self._tell("spread", 8, drink=drink.product, merch=command.merch)
            return None
        self.waste += 1
        sale = Sale(drink, self.rng.randint(1, 3), drink.price) if role == BARGAIN else None
        self._tell("freebie", 6, merch=command.merch)
        return sale

    def _bundle(self, command: Command) -> None:
        drink, trending = self.launched[command.drink], self.launched[command.drink].stage == TRENDING
        self._promote(self.shop.costs["bundle"])
        self.menu_pressure += 1
        demand = self.rng.randint(4, 7) if trending else self.rng.randint(0, 2)
        sold = min(demand, drink.stock, self.merch[command.merch])
        drink.stock -= sold
        self.merch[command.merch] -= sold
        markup = self.shop.markup
        each = drink.price * 90 // 100 + markup // 2 if drink.spoilt else drink.price + markup
        self._earn(sold * each, sold)
        self._promote(sold * self.shop.merch_costs[command.merch])
        if demand > sold:
            self._tell("stockout", 6)
        if trending and sold > 0:
            drink.milestones.add("bundle")
            self._tell("sets", drink=drink.product, merch=command.merch)
            return
        self.waste += sold <= 1
        self._tell("no sets")

    def _restock(self, command: Command) -> None:
        drink, cups = self.launched[command.drink], RESTOCKS[command.level]
        self._buy(cups * drink.unit_cost)
        drink.stock += cups
        self.events.append(Event("restock", drink=drink.product, number=cups))

    # --- the end --------------------------------------------------------------------------------------------------

    def discarded(self) -> int:
        """What the unsold stock of new drinks has cost."""
        return sum(drink.stock * drink.unit_cost for drink in self.launched.values())

    def worth(self) -> float:
        """The score if the week ended now, before it is clamped and rounded."""
        net = (self.gross - self.spending) / 100
        drinks = self.launched.values()
        total = 120 + max(-180, min(320, 0.8 * net))
        for milestone, points in MILESTONES.items():
            total += points * sum(milestone in drink.milestones for drink in drinks)
        total += 8 * sum(drink.credited for drink in drinks)
        total += 10 * self.members[self.regulars]
        total -= 18 * self.lost
        total -= self.discarded() / 100
        return total - 45 * self.waste

    def score(self) -> int:
        """The score if the week ended now."""
        return round(max(0.0, min(1000.0, self.worth())))


_ACTIONS: dict[str, Callable[[Week, Command], Sale | None]] = {
    "inspect": Week._inspect,
    "hold": Week._hold,
    "restore_classic": Week._restore,
    "develop": Week._develop,
    "launch": Week._launch,
    "sample": Week._sample,
    "feature": Week._feature,
    "discount": Week._discount,
    "gift": Week._gift,
    "bundle": Week._bundle,
    "restock": Week._restock,
}
