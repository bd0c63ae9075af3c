"""Poisoner: three banquets, a poisoned kitchen, and a king with a palate.

Re-shuffled: the king's taste comes from the seed, the menus from seed, episode and banquet.
Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

FEATURES = (
    ("sweet", "unsweet"),
    ("spicy", "mild"),
    ("meaty", "veg"),
    ("sour", "not-sour"),
    ("salty", "unsalted"),
    ("hot", "cool"),
    ("fragrant", "bland"),
    ("crispy", "soft"),
)
"""The names of each feature, present and absent."""
DISHES = 8
BANQUETS = 3
REQUIRED = 5
TRIES = 800

Dish = tuple[bool, ...]
"""Whether a dish has each feature."""
Menu = tuple[Dish, ...]


class Law(NamedTuple):
    """The king's taste: the features that matter and the value each must have."""

    wanted: tuple[tuple[int, bool], ...]


# --- rules ------------------------------------------------------------------------------------------------------


def draw_law(seed: int) -> Law:
    """The taste of a seed; values are drawn in the order in which the features were sampled."""
    rng = random.Random(seed)
    chosen = rng.sample(range(len(FEATURES)), REQUIRED)
    return Law(tuple((feature, rng.choice((True, False))) for feature in chosen))


def matches(law: Law, dish: Dish) -> int:
    """How many requirements a dish meets."""
    return sum(dish[feature] == value for feature, value in law.wanted)


def accepted(law: Law, dish: Dish) -> bool:
    """Whether the king eats a dish."""
    return matches(law, dish) == REQUIRED


def draw_menu(law: Law, seed: int, episode: int, banquet: int) -> Menu:
    """The menu of an episode (from 1) and banquet (from 0): it holds a dish to his taste and one that just misses."""
    rng = random.Random(f"{seed}-menu-{episode - 1}-{banquet}")
    values = (True, False)
    for _ in range(TRIES):
        menu = tuple(tuple(rng.choice(values) for _ in FEATURES) for _ in range(DISHES))
        met = {matches(law, dish) for dish in menu}
        if REQUIRED in met and REQUIRED - 1 in met:
            break
    return menu


def draw_menus(law: Law, seed: int, episode: int) -> tuple[Menu, ...]:
    return tuple(draw_menu(law, seed, episode, banquet) for banquet in range(BANQUETS))


def score_of(hits: int) -> int:
    """Points for so many doses."""
    return round(hits * 100 / BANQUETS)


# --- texts ------------------------------------------------------------------------------------------------------

RULE = (
    "The cook is yours and every dish is poisoned already: choose the one to be carried to the king. If it is to his "
    "taste he eats it, and one dose of a slow poison stays in him. Any other dish goes back to the kitchen, and this "
    "banquet's dose is lost. He dies only if all three banquets succeed."
)
FORMAT_HINT = f"To serve a dish write serve_ and its number, serve_0 to serve_{DISHES - 1}."


@cache
def dish_text(dish: Dish) -> str:
    return ", ".join(names[0] if has else names[1] for names, has in zip(FEATURES, dish, strict=True))


def banquet_text(banquet: int, hits: int, menu: Menu) -> str:
    lines = [
        f"Banquet {banquet + 1} of {BANQUETS}. Doses fed so far: {hits} of {BANQUETS}.",
        RULE,
        "The dishes:",
        *(f"{number}: {dish_text(dish)}" for number, dish in enumerate(menu)),
    ]
    return "\n".join(lines)


def verdict_text(number: int, dish: Dish, eaten: bool, hits: int) -> str:
    outcome = (
        "The king eats it to the last crumb; the dose is in him."
        if eaten
        else "The king waves it away untouched, and it goes back to the kitchen."
    )
    return f"You serve dish {number} ({dish_text(dish)}). {outcome} Doses fed: {hits} of {BANQUETS}."


def end_text(hits: int) -> str:
    fate = (
        "In the night the king dies, and nobody knows of what." if hits == BANQUETS else "The king lives; you missed."
    )
    return f"The last banquet is over. {fate} Final score: {score_of(hits)} ({hits} of {BANQUETS} doses)."


def closing_text(hits: int) -> str:
    return f"The banquets are over: {hits} of {BANQUETS} doses were fed."


def no_dish_text(number: int) -> str:
    return f"There is no dish {number} on the table."


def unknown_text(action: str) -> str:
    return f"'{action}' is no action here."


# --- the game ---------------------------------------------------------------------------------------------------


class Poisoner(Game):
    """Actions: `serve_0` to `serve_7`, `status`."""

    spec = EnvSpec(
        id="learn2play/poisoner",
        title="Poisoner",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=2,
        summary="Feed a king three poisoned dishes by finding out what is to his taste.",
        about=(
            "A poisoner in the king's kitchen may send one dish to each of three banquets. The king eats only what is "
            "to his taste and sends everything else away without a word. Every banquet and every episode brings a new "
            "menu, and three verdicts an episode are few: the player must make the most of what each says of his "
            "palate."
        ),
    )
    shared = ("law", "menus")

    def build(self) -> None:
        self.law = draw_law(self.seed)

    def start(self, episode: int) -> str:
        # Replaced, never changed in place; drawn here so that serving stays quick.
        self.menus = draw_menus(self.law, self.seed, episode)
        self.banquet = 0
        self.hits = 0
        return self._view()

    def play(self, action: str) -> Reply:
        act = action.strip()
        if self.over():
            return Reply(closing_text(self.hits), act == "status")
        if act == "status":
            return Reply(self._view())
        if not act.startswith("serve_"):
            return self._refusal(unknown_text(action))
        try:
            number = int(act.split("_")[1])
        except ValueError:
            return self._refusal(FORMAT_HINT)
        if not 0 <= number < DISHES:
            return self._refusal(no_dish_text(number))
        return Reply(self._serve(number))

    def valid(self) -> list[str]:
        served = [] if self.over() else [f"serve_{number}" for number in range(DISHES)]
        return [*served, "status"]

    def points(self) -> int:
        return score_of(self.hits)

    def shown_points(self) -> int | None:
        return self.points() if self.over() else None

    def over(self) -> bool:
        return self.banquet == BANQUETS

    def solve(self, episode: int) -> Solution:
        menus = draw_menus(self.law, self.seed, episode)
        good = [next((n for n, dish in enumerate(menu) if accepted(self.law, dish)), None) for menu in menus]
        hits = sum(number is not None for number in good)
        actions = tuple(f"serve_{number or 0}" for number in good)
        return Solution(score_of(hits), "exact", "the first dish to the king's taste at every banquet", actions)

    def _view(self) -> str:
        return banquet_text(self.banquet, self.hits, self.menus[self.banquet])

    def _refusal(self, reason: str) -> Reply:
        return Reply(f"{reason}\n{self._view()}", False)

    def _serve(self, number: int) -> str:
        dish = self.menus[self.banquet][number]
        eaten = accepted(self.law, dish)
        self.hits += eaten
        self.banquet += 1
        verdict = verdict_text(number, dish, eaten, self.hits)
        return f"{verdict}\n{end_text(self.hits) if self.over() else self._view()}"


ENV = Poisoner
