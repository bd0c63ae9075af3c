"""The tables of Catnip Singularity: cats, actions, items, people and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_TURNS = 20
BONUS_PER_TURN = 0.10
KICK_OUT = 100
"""Suspicion that ends a visit."""
STATS = ("cuteness", "menace", "stealth", "energy")
START_STATS = {"cuteness": 5, "menace": 5, "stealth": 5, "energy": 12}
MUSIC_BOX, CATNIP_TOY, SALMON_TREAT, LASER_POINTER = "MUSIC BOX", "CATNIP TOY", "SALMON TREAT", "LASER POINTER"
SCRATCHING_POST, GROOMING_KIT, SHADOW_CLOAK, ENERGY_DRINK = (
    "SCRATCHING POST", "GROOMING KIT", "SHADOW CLOAK", "ENERGY DRINK",
)  # fmt: skip
ITEMS = (
    MUSIC_BOX, CATNIP_TOY, SALMON_TREAT, LASER_POINTER, SCRATCHING_POST, GROOMING_KIT, SHADOW_CLOAK, ENERGY_DRINK,
)  # fmt: skip
ALIASES = {
    "music box": MUSIC_BOX, "music boxes": MUSIC_BOX, "box": MUSIC_BOX,
    "catnip toy": CATNIP_TOY, "catnip toys": CATNIP_TOY, "toy": CATNIP_TOY,
    "salmon treat": SALMON_TREAT, "salmon treats": SALMON_TREAT, "salmon": SALMON_TREAT, "treat": SALMON_TREAT,
    "laser pointer": LASER_POINTER, "laser pointers": LASER_POINTER, "laser": LASER_POINTER, "pointer": LASER_POINTER,
    "scratching post": SCRATCHING_POST, "post": SCRATCHING_POST,
    "grooming kit": GROOMING_KIT, "grooming": GROOMING_KIT, "kit": GROOMING_KIT,
    "shadow cloak": SHADOW_CLOAK, "shadow cloaks": SHADOW_CLOAK, "cloak": SHADOW_CLOAK,
    "energy drink": ENERGY_DRINK, "energy drinks": ENERGY_DRINK, "drink": ENERGY_DRINK, "tuna essence": ENERGY_DRINK,
}  # fmt: skip
FIRST_WORDS = {item.split()[0].lower(): item for item in ITEMS}

SOUND, TOUCH, VISUAL = "sound", "touch", "visual"
CALMING, FORCEFUL = "calming", "forceful"
COMFORT, CHAOS = "comfort", "chaos"
STARE_NERVES = 70
"""Above this stress a stare works better."""
FOND = 12
"""From this affection on calming ways work better."""
EXHAUSTED = 3
"""Below this energy a cat's action becomes erratic."""


@dataclass(frozen=True, slots=True)
class Cat:
    """A type of cat: changes of the stats, one extra item, the words that choose it."""

    label: str
    aliases: tuple[str, ...]
    stats: Mapping[str, int] = field(default_factory=dict)
    item: str | None = None


CATS = {
    "british shorthair": Cat(
        "British Shorthair",
        ("a", "1", "golden", "british", "shorthair", "british shorthair", "golden british shorthair"),
    ),
    "ragdoll": Cat(
        "Ragdoll", ("b", "2", "ragdoll", "ragdoll kitten"), {"cuteness": 2, "menace": -2, "stealth": -2}, GROOMING_KIT
    ),
    "bobcat": Cat(
        "Bobcat", ("c", "3", "leopard", "bobcat"), {"cuteness": -2, "menace": 2, "stealth": -2}, SCRATCHING_POST
    ),
    "black cat": Cat("Black Cat", ("d", "4", "black", "black cat"), {"stealth": 2, "energy": -4}, SHADOW_CLOAK),
    "orange kitten": Cat(
        "Orange Kitten",
        ("e", "5", "orange", "kitten", "orange kitten", "lively orange kitten"),
        {"stealth": -2, "energy": 4},
        SALMON_TREAT,
    ),
}
CAT_OF = {alias: key for key, cat in CATS.items() for alias in cat.aliases}

Range = tuple[int, int]


class Move(NamedTuple):
    """A cat action or an item: ranges of its four effects, its sense and style, and what else it does.

    `bonus` is the stat (and divisor) that adds to the influence of an action, `gain` the stat an item raises.
    """

    influence: Range
    affection: Range
    stress: Range
    suspicion: Range
    modality: str
    style: str
    cost: int = 1
    bonus: tuple[str, int] | None = None
    gain: tuple[str, int] | None = None


ACTIONS = {
    "purr": Move((4, 7), (10, 14), (-10, -6), (2, 3), SOUND, CALMING, 1, ("cuteness", 3)),
    "scratch": Move((5, 8), (-8, 4), (10, 18), (14, 16), TOUCH, FORCEFUL, 2, ("menace", 2)),
    "play": Move((4, 7), (6, 12), (-1, 1), (4, 6), VISUAL, FORCEFUL, 1, ("energy", 4)),
    "stare": Move((4, 7), (-12, -4), (8, 14), (16, 18), VISUAL, FORCEFUL, 1, ("menace", 2)),
    "knead": Move((5, 9), (9, 15), (-5, -3), (4, 6), TOUCH, CALMING, 2, ("cuteness", 3)),
}
ITEM_MOVES = {
    MUSIC_BOX: Move((10, 13), (10, 15), (-12, -12), (-20, -15), SOUND, CALMING),
    CATNIP_TOY: Move((11, 14), (20, 25), (13, 15), (3, 5), VISUAL, FORCEFUL),
    SALMON_TREAT: Move((9, 11), (15, 20), (-6, -4), (-12, -10), TOUCH, CALMING, gain=("energy", 5)),
    LASER_POINTER: Move((12, 15), (4, 6), (25, 30), (6, 8), VISUAL, FORCEFUL),
    SCRATCHING_POST: Move((12, 15), (-3, 2), (8, 18), (9, 12), TOUCH, FORCEFUL, gain=("menace", 1)),
    GROOMING_KIT: Move((10, 13), (5, 11), (-4, 2), (1, 4), VISUAL, CALMING, gain=("cuteness", 1)),
    SHADOW_CLOAK: Move((9, 12), (0, 3), (-2, 3), (-12, -10), VISUAL, CALMING, gain=("stealth", 1)),
    ENERGY_DRINK: Move((6, 6), (-1, 2), (-2, 2), (5, 5), SOUND, FORCEFUL, gain=("energy", 10)),
}
EXHAUSTION = ((-3, 3), (-6, 6), (-6, 6), (-5, 5))
"""Further draws added to the four effects of an exhausted cat's action."""


class Penalty(NamedTuple):
    """What a failed attempt does to the target; suspicion before stealth counts."""

    influence: int
    affection: int
    stress: int
    suspicion: int


UNKNOWN_ITEM = Penalty(-1, -1, 3, 6)
MISSING_ITEM = Penalty(-1, -1, 2, 6)
TOO_EARLY = Penalty(-2, -2, 4, 12)
REFUSED = Penalty(-1, -1, 2, 5)
NO_WAY_OUT = Penalty(-3, -2, 5, 10)
UNKNOWN_ACTION = Penalty(-1, -1, 3, 7)


class Gain(NamedTuple):
    """What an option gives at a tier; `stat` counts four times its value as progress (the last person only)."""

    progress: int = 0
    stats: Mapping[str, int] = {}
    items: Mapping[str, int] = {}
    stat: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A reward by name, with its gain at each of the three tiers."""

    name: str
    tiers: tuple[Gain, Gain, Gain]


@dataclass(frozen=True, slots=True)
class Target:
    """A person: senses, temperaments, the values at arrival, the thresholds of the tiers, the three rewards."""

    id: str
    name: str
    modalities: frozenset[str]
    temperaments: frozenset[str]
    stress: int
    affection: int
    suspicion: int
    tiers: tuple[int, int, int]
    options: tuple[Option, Option, Option]


def _progress(*values: int, last: Mapping[str, int] | None = None) -> tuple[Gain, Gain, Gain]:
    low, med, high = values
    return Gain(low), Gain(med), Gain(high, {}, last or {})


def _ways(stat: str, low: int, med: int, high: int) -> tuple[Gain, Gain, Gain]:
    return Gain(low, stat=stat), Gain(med, stat=stat), Gain(high, stat=stat)


def _stats(cuteness: int = 0, menace: int = 0, stealth: int = 0, energy: int = 0) -> dict[str, int]:
    given = dict(zip(STATS, (cuteness, menace, stealth, energy), strict=True))
    return {stat: count for stat, count in given.items() if count}


TARGETS = (
    Target(
        "grad_student", "LONELY GRAD STUDENT", frozenset({TOUCH}), frozenset({COMFORT}), 72, 10, 16, (10, 18, 25),
        (
            Option("Research Notes", (
                Gain(12, {}, {ENERGY_DRINK: 1}), Gain(18, {}, {ENERGY_DRINK: 1}), Gain(30, {}, {ENERGY_DRINK: 1}))),
            Option("Emotional Bond", (
                Gain(0, _stats(2), {CATNIP_TOY: 1}), Gain(0, _stats(3), {CATNIP_TOY: 1}),
                Gain(0, _stats(4), {CATNIP_TOY: 1, GROOMING_KIT: 1}))),
            Option("Stimulants", (
                Gain(0, _stats(menace=2), {LASER_POINTER: 1}), Gain(0, _stats(menace=3), {LASER_POINTER: 1}),
                Gain(0, _stats(menace=4), {LASER_POINTER: 1, SCRATCHING_POST: 1}))),
        ),
    ),
    Target(
        "janitor", "CALM JANITOR", frozenset({SOUND}), frozenset({COMFORT}), 30, -6, 18, (12, 20, 28),
        (
            Option("Building Access", _progress(12, 18, 24, last={SHADOW_CLOAK: 1})),
            Option("Steady Wisdom", (
                Gain(0, _stats(stealth=2)), Gain(0, _stats(stealth=2), {ENERGY_DRINK: 1}),
                Gain(0, _stats(stealth=4), {SHADOW_CLOAK: 1, ENERGY_DRINK: 1}))),
            Option("Maintenance Tools", (
                Gain(0, {}, {LASER_POINTER: 2}), Gain(0, {}, {SALMON_TREAT: 1, LASER_POINTER: 2}),
                Gain(0, {}, {CATNIP_TOY: 1, SALMON_TREAT: 2, LASER_POINTER: 2}))),
        ),
    ),
    Target(
        "security_guard", "NERVOUS SECURITY GUARD", frozenset({VISUAL}), frozenset({CHAOS}), 80, -24, 40, (15, 23, 32),
        (
            Option("Security Clearance", _progress(18, 24, 36, last={ENERGY_DRINK: 1})),
            Option("Personal Training", (
                Gain(0, _stats(2, 2, 2)), Gain(0, _stats(3, 3, 3)), Gain(0, _stats(4, 4, 4), {ENERGY_DRINK: 1}))),
            Option("Guard's Arsenal", (
                Gain(0, {}, {LASER_POINTER: 2, SHADOW_CLOAK: 1}),
                Gain(0, {}, {SALMON_TREAT: 1, LASER_POINTER: 2, SHADOW_CLOAK: 1}),
                Gain(0, {}, {CATNIP_TOY: 1, SALMON_TREAT: 2, LASER_POINTER: 2, SHADOW_CLOAK: 1}))),
        ),
    ),
    Target(
        "researcher", "SLEEPY RESEARCHER", frozenset({SOUND, VISUAL}), frozenset(), 24, 8, 22, (14, 22, 30),
        (
            Option("Research Data", _progress(20, 30, 40)),
            Option("Well-Rounded Curriculum", (
                Gain(0, _stats(2, 2, 0, 4)), Gain(0, _stats(3, 3, 0, 6)), Gain(0, _stats(4, 4, 0, 8)))),
            Option("Lab Supplies", (
                Gain(10, {}, {LASER_POINTER: 1, ENERGY_DRINK: 1}),
                Gain(15, {}, {SALMON_TREAT: 1, LASER_POINTER: 1, ENERGY_DRINK: 1}),
                Gain(20, {}, {MUSIC_BOX: 1, SALMON_TREAT: 1, LASER_POINTER: 1, ENERGY_DRINK: 1}))),
        ),
    ),
    Target(
        "inspector", "GOVERNMENT INSPECTOR", frozenset({TOUCH, VISUAL}), frozenset(), 40, -6, 70, (16, 24, 33),
        (
            Option("Regulatory Approval", _progress(20, 35, 50)),
            Option("Government Training", (
                Gain(10, _stats(stealth=2, energy=4)), Gain(20, _stats(stealth=3, energy=6)),
                Gain(30, _stats(stealth=4, energy=8)))),
            Option("Federal Cache", (
                Gain(10, {}, {MUSIC_BOX: 1, CATNIP_TOY: 1}),
                Gain(20, {}, {MUSIC_BOX: 1, CATNIP_TOY: 1, SALMON_TREAT: 1}),
                Gain(30, {}, {MUSIC_BOX: 1, CATNIP_TOY: 2, SALMON_TREAT: 1}))),
        ),
    ),
    Target(
        "ceo", "CEO OF NIPTECH CORP", frozenset({VISUAL, SOUND}), frozenset({COMFORT, CHAOS}), 22, -28, 80,
        (20, 30, 42),
        (
            Option("Hostile Takeover", _ways("menace", 40, 60, 85)),
            Option("Strategic Partnership", _ways("cuteness", 30, 50, 75)),
            Option("Corporate Espionage", _ways("stealth", 45, 65, 90)),
        ),
    ),
)  # fmt: skip
LAST = len(TARGETS) - 1
STAT_WORTH = 4
RANKS = (
    (200, "Supreme Feline Overlord"),
    (150, "Master Manipulator"),
    (100, "Cunning Cat"),
    (50, "Competent Kitten"),
    (0, "House Pet"),
)
