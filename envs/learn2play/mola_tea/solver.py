"""Plans for a week of Mola Tea that know what is hidden: one drink by the book, two drinks, and a search around them.

A score is clamped to 1000, so a plan that reaches it cannot be beaten.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from evoplay.envs.learn2play.mola_tea.data import CARDS, MAX_TURNS, SHARER, TASTER
from evoplay.envs.learn2play.mola_tea.rules import Card, Shop, Week, draw_shop, parse
from evoplay.envs.solutions import Solution

CLAMP = 1000
SEARCH_PLANS = 40_000
"""Plans tried around the best script before the search gives up (about half a minute)."""


class Play:
    """A week played by a plan; refused actions are left out of the line."""

    def __init__(self, seed: int, episode: int) -> None:
        self.week = Week(*draw_shop(seed, episode))
        self.line: list[str] = []

    def do(self, action: str) -> None:
        command = parse(action, self.week.shop)
        if command is None or self.week.end or self.week.refusal(command) is not None:
            return
        self.week.act(command)
        self.line.append(action)

    def rest(self) -> None:
        """A turn of calm: the classics while the menu is restless, else nothing."""
        self.do("restore_classic" if self.week.menu_pressure >= 2 else "hold")


def near_cards(shop: Shop) -> list[Card]:
    """The two cards one attribute away from the house drink."""
    return [card for card in shop.cards if card.distance == 1]


def one_drink(seed: int, episode: int) -> Play:
    """The plain script: one drink through all its stages, then stock and calm."""
    play = Play(seed, episode)
    week, shop = play.week, play.week.shop
    card = near_cards(shop)[0]
    name = card.product
    merch = min(shop.merch_costs, key=lambda item: shop.merch_costs[item])
    taster, sharer = shop.group_of(TASTER), shop.group_of(SHARER)

    def restock_below(cups: int, otherwise: str = "", size: str = "small") -> None:
        if week.launched[name].stock < cups:
            play.do(f"restock {name} {size}")
        elif otherwise:
            play.do(otherwise)

    play.do(f"develop {card.card}")
    play.do(f"launch {name}")
    restock_below(3)
    play.do(f"sample {name} {taster}")
    play.do(f"restock {name} large")
    restock_below(1)
    play.do(f"feature {name}")
    restock_below(1)
    play.do(f"gift {merch} {name} {sharer}")
    restock_below(14, "hold", "large")
    restock_below(1)
    play.do(f"bundle {name} {merch}")
    while not week.end:
        if week.launched[name].stock < 3 and week.turn < 19:
            play.do(f"restock {name} small")
        else:
            play.rest()
    return play


def two_drink_plans(shop: Shop) -> Iterator[list[str]]:
    """Scripts that take both near cards through their stages one after the other, in either order."""
    first_card, second_card = near_cards(shop)
    cheap, dear = sorted(shop.merch_costs, key=lambda item: shop.merch_costs[item])
    taster, sharer = shop.group_of(TASTER), shop.group_of(SHARER)
    for cards in ((first_card, second_card), (second_card, first_card)):
        for items in ((cheap, dear), (dear, cheap)):
            plan: list[str] = []
            for card, merch in zip(cards, items, strict=True):
                name = card.product
                plan += [
                    f"develop {card.card}",
                    f"launch {name}",
                    f"sample {name} {taster}",
                    f"restock {name} small",
                    f"feature {name}",
                    f"gift {merch} {name} {sharer}",
                    "hold",
                    f"bundle {name} {merch}",
                    "restore_classic",
                ]
            yield [*plan, "hold", "hold", "hold"]


def played(seed: int, episode: int, plan: Iterable[str]) -> Play:
    """A plan played to the end of the week."""
    play = Play(seed, episode)
    for action in plan:
        play.do(action)
    while not play.week.end:
        play.rest()
    return play


def _alphabet(shop: Shop) -> list[str]:
    taster, sharer = shop.group_of(TASTER), shop.group_of(SHARER)
    actions = ["hold", "restore_classic"]
    for card in near_cards(shop):
        name = card.product
        actions += [f"develop {card.card}", f"launch {name}", f"sample {name} {taster}", f"feature {name}"]
        actions += [f"restock {name} small", f"restock {name} large"]
        for merch in shop.merch_costs:
            actions += [f"gift {merch} {name} {sharer}", f"bundle {name} {merch}"]
    return actions


def _changed(line: list[str], alphabet: list[str], rng: random.Random) -> list[str]:
    """The line with one to three small changes."""
    line = list(line)
    changes: tuple[Callable[[int], None], ...] = (
        lambda at: line.insert(at, rng.choice(alphabet)),
        lambda at: line.__setitem__(at, rng.choice(alphabet)),
        lambda at: line.insert(rng.randrange(len(line)), line.pop(at)),
        lambda at: line.__delitem__(at),
    )
    for _ in range(rng.randint(1, 3)):
        rng.choice(changes)(rng.randrange(len(line)))
    return line[: MAX_TURNS + 4]


def two_drinks(seed: int, episode: int, plans: int = SEARCH_PLANS) -> Play:
    """The best week found with two drinks: the scripts first, then small changes of the best one (hill climbing)."""
    shop, _ = draw_shop(seed, episode)
    best: Play | None = None
    for plan in two_drink_plans(shop):
        play = played(seed, episode, plan)
        if best is None or play.week.worth() > best.week.worth():
            best = play
        if best.week.score() >= CLAMP:
            return best
    assert best is not None
    rng, alphabet = random.Random(len(CARDS)), _alphabet(shop)
    for _ in range(plans):
        play = played(seed, episode, _changed(best.line, alphabet, rng))
        if play.week.worth() >= best.week.worth():
            best = play
        if best.week.score() >= CLAMP:
            break
    return best


def solve(seed: int, episode: int) -> Solution:
    """The best plan known for an instance; exact where it reaches the clamp."""
    lower, best = one_drink(seed, episode), two_drinks(seed, episode)
    if lower.week.score() > best.week.score():
        best = lower
    value, script = best.week.score(), f"the one-drink script scores {lower.week.score()}"
    if value >= CLAMP:
        how = f"a plan with two drinks, searched; 1000 is the clamp ({script})"
        return Solution(value, "exact", how, tuple(best.line))
    how = f"best plan found with two drinks, the clamp of 1000 not reached ({script})"
    return Solution(value, "partial", how, tuple(best.line))
