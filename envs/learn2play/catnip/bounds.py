"""What could follow, at most: bounds on the final score of states of a search, as tables. Imported only by the search.

A bound holds for every row of states at a target. It combines the fewest moves each tier may still take with the most
that later targets can give in the turns left.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoplay.envs.learn2play.catnip.data import (
    ACTIONS,
    BONUS_PER_TURN,
    CALMING,
    CATS,
    ENERGY_DRINK,
    EXHAUSTED,
    EXHAUSTION,
    FOND,
    GROOMING_KIT,
    ITEM_MOVES,
    ITEMS,
    LAST,
    MAX_TURNS,
    SALMON_TREAT,
    SCRATCHING_POST,
    SHADOW_CLOAK,
    STARE_NERVES,
    START_STATS,
    STAT_WORTH,
    STATS,
    TARGETS,
    Gain,
)
from evoplay.envs.learn2play.catnip.rules import (
    jitter_of,
    preferences,
    tier_of,
    wearied,
)

Ints = NDArray[np.int16]
Rows = NDArray[Any]

NAMES = (*ACTIONS, *ITEMS)
MOVES = (*ACTIONS.values(), *ITEM_MOVES.values())
POS, PROGRESS, CUTE, MENACE, STEALTH, ENERGY = range(6)
BAG = 6
INFLUENCE, AFFECTION, STRESS, SUSPICION, CHAIN = range(BAG + 8, BAG + 13)
"""Columns of a state; CHAIN is the number of the move a repeat would repeat, or -1."""
COLUMNS = CHAIN + 1
MOST_PROGRESS = 700
LOW = 64
"""Offset of tables that are looked up with a number that may be negative."""


def tier_gains(target: int) -> list[int]:
    """The most progress the three tiers give, with raised stats counted as the last person would pay them."""
    return [max(_worth(option.tiers[tier]) for option in TARGETS[target].options) for tier in range(3)]


def _worth(gain: Gain) -> int:
    return gain.progress + STAT_WORTH * max((n for stat, n in gain.stats.items() if stat != "energy"), default=0)


GAINS = [tier_gains(target) for target in range(LAST + 1)]
RICH_ENERGY, RICH_MENACE = 36, 18
"""A cat that stays below both has no move strong enough to win a person over in a hurry (see `hurried_tiers`)."""
_NEVER = -10_000
JUMP = 36
"""No single move changes affection or stress by more."""


@cache
def at_most(influence: int) -> int:
    """The most that can come of a move worth so much before jitter, exhaustion and weariness."""
    by_energy = (
        wearied(influence + jitter_of(energy) + (EXHAUSTION[0][1] if energy < EXHAUSTED else 0), energy)
        for energy in range(8)
    )
    return max(by_energy)


def base_of(number: int, target: int, fond: bool, nerves: bool) -> int:
    """The most a move is worth at a target before the stat bonus."""
    move = MOVES[number]
    base = move.influence[1] + preferences(move, TARGETS[target])[0]
    return base + 3 * (fond and move.style == CALMING) + 3 * (nerves and NAMES[number] == "stare")


def most_stat(stat: str, target: int) -> int:
    """More of a stat than any cat can have at a target, its supplies used up."""
    supply = {"cuteness": GROOMING_KIT, "menace": SCRATCHING_POST}[stat]
    most = START_STATS[stat] + max(cat.stats.get(stat, 0) for cat in CATS.values()) + 1
    for person in TARGETS[:target]:
        most += max(gain.stats.get(stat, 0) + gain.items.get(supply, 0) for o in person.options for gain in o.tiers)
    return most


@cache
def hurried_tiers(target: int, rich: bool) -> tuple[int, int]:
    """The best tier after one move and after two, from the arrival on."""
    loose = (0 if target == LAST else 1, 2)
    if rich:
        return loose
    stats = {
        "cuteness": most_stat("cuteness", target),
        "menace": min(most_stat("menace", target), RICH_MENACE - 1),
        "energy": RICH_ENERGY - 1,
    }
    person = TARGETS[target]

    def most(fond: bool, nerves: bool) -> int:
        return max(
            at_most(
                base_of(number, target, fond, nerves) + (stats[move.bonus[0]] // move.bonus[1] if move.bonus else 0)
            )
            for number, move in enumerate(MOVES)
        )

    first = most(person.affection >= FOND, person.stress > STARE_NERVES)
    second = most(person.affection + JUMP >= FOND, person.stress + JUMP > STARE_NERVES)
    return min(loose[0], tier_of(first, person)), min(loose[1], tier_of(first + second, person))


def tier_gain(target: int, turns: int, rich: bool) -> int:
    """The most a target gives in so many turns, the last one of them the conversion."""
    tier = -1 if turns < 2 else 2 if turns > 3 else hurried_tiers(target, rich)[turns - 2]
    return GAINS[target][tier] if tier >= 0 else 0


@cache
def most_after(target: int, turns: int, with_last: bool, rich: bool) -> int:
    """Most that targets from this one on give in exactly so many turns, the last one converted or not."""
    if target > LAST:
        return 0 if turns == 0 else _NEVER
    best = _NEVER
    for spent in range(1, turns + 1):
        if target == LAST and with_last and (spent < 2 or (hurried_tiers(target, rich)[0] < 0 and spent < 3)):
            continue
        gain = 0 if target == LAST and not with_last else tier_gain(target, spent, rich)
        best = max(best, gain + most_after(target + 1, turns - spent, with_last, rich))
    return best


@cache
def most_open(target: int, turns: int, rich: bool) -> int:
    """Most that targets from this one on give within so many turns, the game not being finished."""
    if target >= LAST or turns < 1:
        return 0
    later = (
        tier_gain(target, spent, rich) + most_open(target + 1, turns - spent, rich) for spent in range(1, turns + 1)
    )
    return max(later)


@cache
def bound_table(target: int, with_last: bool, rich: bool) -> NDArray[np.int32]:
    """Best final score by turn of arrival at a target and progress then (the last person's pay-off counted in)."""
    table = np.full((2 * MAX_TURNS, MOST_PROGRESS), -1, np.int32)
    progress = np.arange(MOST_PROGRESS)
    for turn in range(MAX_TURNS + 1):
        options = [(end, most_after(target, end - turn, with_last, rich)) for end in range(turn, MAX_TURNS + 1)]
        if not with_last:
            options.append((MAX_TURNS, most_open(target, MAX_TURNS - turn, rich)))
        for end, gain in options:
            if gain >= 0:
                # Rounding apart this is final_score; a point more does no harm to a bound.
                final = np.floor((1 + (MAX_TURNS - end) * BONUS_PER_TURN) * (progress + gain) + 0.500001)
                table[turn] = np.maximum(table[turn], final.astype(np.int32))
    return table


@cache
def riches_table(target: int, stat: str) -> NDArray[np.intp]:
    """The least that rewards from this target on must forgo to raise a stat (or the energy in supplies) by so much."""
    lost = np.full(MOST_NEED + 1, FORGONE, np.intp)
    lost[0] = 0
    for person in range(target, LAST):
        ways = {(0, 0)}
        for option in TARGETS[person].options:
            for tier, gain in enumerate(option.tiers):
                given = gain.stats.get(stat, 0) + sum(gain.items.get(i, 0) * n for i, n in SUPPLIES[stat].items())
                ways.add((given, GAINS[person][tier] - _worth(gain)))
        before, lost = lost, lost.copy()
        for need in range(MOST_NEED + 1):
            lost[need] = min(before[max(need - given, 0)] + loss for given, loss in ways)
    return np.minimum(lost, FORGONE)


SUPPLIES: dict[str, dict[str, int]] = {
    "energy": {ENERGY_DRINK: 10, SALMON_TREAT: 5}, "menace": {SCRATCHING_POST: 1}, "cuteness": {GROOMING_KIT: 1},
}  # fmt: skip
MOST_NEED, FORGONE = 40, 600


def potential(c: Ints, stat: str) -> Ints:
    """A stat with all that its supplies in hand can add."""
    value: Ints = c[CUTE + STATS.index(stat)].copy()
    for item, count in SUPPLIES[stat].items():
        value += np.int16(count) * c[BAG + ITEMS.index(item)]
    return value


def last_payoff(c: Ints, target: int) -> Ints:
    """More than the last person can pay for the stats, beyond the base of the best option."""
    first = int(target == 0)
    best = np.maximum.reduce([
        c[STEALTH] + c[BAG + ITEMS.index(SHADOW_CLOAK)] + int(target <= 1) + int(target <= 2),
        c[MENACE] + c[BAG + ITEMS.index(SCRATCHING_POST)] + first - 1,
        c[CUTE] + c[BAG + ITEMS.index(GROOMING_KIT)] + first - 3,
    ])  # fmt: skip
    payoff: Ints = STAT_WORTH * best
    return payoff


MOST_MOST, MOST_INFLUENCE = 56, 96
MOST_WAITS = 4
"""Moves a tier may still take, at most, as bounds count them (more are counted as so many)."""
WAITS = tuple(itertools.combinations_with_replacement(range(MOST_WAITS + 1), 3))


@cache
def waits_table(target: int) -> NDArray[np.intp]:
    """Index into WAITS by the most that one move adds and the influence: moves until each of the tiers."""
    table = np.zeros((MOST_MOST + 1, 2 * LOW + MOST_INFLUENCE + 1), np.intp)
    for most in range(1, MOST_MOST + 1):
        for influence in range(-2 * LOW, MOST_INFLUENCE + 1):
            waits = (max(-((influence - tier) // most), 0) for tier in TARGETS[target].tiers)
            table[most, influence + 2 * LOW] = WAITS.index(tuple(min(wait, MOST_WAITS) for wait in waits))
    return table


@cache
def stay_table(target: int, turn: int, paid: bool, rich: bool) -> NDArray[np.int32]:
    """Best final score of states at a target, by WAITS and progress; `paid`: the last person's stats counted in."""
    after = bound_table(target + 1, paid and target < LAST, rich)
    if paid and target == LAST:
        table = np.full((len(WAITS), MOST_PROGRESS), -1, np.int32)
    else:
        # Leaving at once, or staying until time is up.
        stay = np.arange(MOST_PROGRESS) if not paid else -1
        table = np.tile(np.maximum(after[turn + 1], stay), (len(WAITS), 1)).astype(np.int32)
    if paid or target < LAST:
        for number, waits in enumerate(WAITS):
            for gain, wait in zip(GAINS[target], waits, strict=True):
                size = MOST_PROGRESS - gain
                np.maximum(table[number, :size], after[turn + 1 + wait, gain:], out=table[number, :size])
    table[:, -1] = -1
    return table


@cache
def hurried_table(target: int, turn: int) -> NDArray[np.int32]:
    """The better of both tables for a cat that is rich in energy or menace; nothing at the highest index."""
    better: NDArray[np.int32] = np.maximum(stay_table(target, turn, True, True), stay_table(target, turn, False, True))
    return better


class Outlook:
    """Bounds of what can follow states at a target. What it holds by row only falls by moves that stay there."""

    def __init__(self, c: Ints, target: int, turn: int) -> None:
        self.target, self.columns = target, c
        stats = {
            "cuteness": potential(c, "cuteness"),
            "menace": potential(c, "menace"),
            "energy": potential(c, "energy"),
        }
        person = TARGETS[target]
        self.first = self._most(stats, person.affection >= FOND, person.stress > STARE_NERVES)
        self.most = self._most(stats, True, True)
        self.progress = c[PROGRESS].astype(np.intp)
        self.paid_progress = self.progress + last_payoff(c, target)
        forgone = np.minimum(
            riches_table(target, "energy")[np.clip(RICH_ENERGY - stats["energy"], 0, MOST_NEED)],
            riches_table(target, "menace")[np.clip(RICH_MENACE - stats["menace"], 0, MOST_NEED)],
        )
        rich = self.paid_progress - forgone
        self.rich_progress = np.where((forgone < FORGONE) & (rich >= 0), rich, MOST_PROGRESS - 1)
        self.tables = (
            stay_table(target, turn, False, False), stay_table(target, turn, True, False), hurried_table(target, turn),
        )  # fmt: skip

    def _most(self, stats: dict[str, Ints], fond: bool, nerves: bool) -> NDArray[np.intp]:
        """The most that a single move of each row can add to the influence."""
        best = np.zeros(self.columns.shape[1], np.intp)
        for number, move in enumerate(MOVES):
            base = base_of(number, self.target, fond, nerves)
            if move.bonus:
                worth = AT_MOST[np.minimum(base + stats[move.bonus[0]] // move.bonus[1], len(AT_MOST) - 1)]
            else:
                worth = np.where(self.columns[BAG + number - len(ACTIONS)] > 0, at_most(base), 0)
            np.maximum(best, worth, out=best)
        return np.clip(best, 1, MOST_MOST)

    def of(self, influence: Any, rows: Any = slice(None)) -> NDArray[np.int32]:
        """The best final score that could follow for rows with these influences."""
        waits = waits_table(self.target)[self.most[rows], np.minimum(influence, MOST_INFLUENCE) + 2 * LOW]
        unpaid, paid, hurried = self.tables
        best = np.maximum(unpaid[waits, self.progress[rows]], paid[waits, self.paid_progress[rows]])
        every: NDArray[np.int32] = np.maximum(best, hurried[waits, self.rich_progress[rows]])
        return every


AT_MOST = np.array([at_most(influence) for influence in range(80)], np.intp)


def arrival_bounds(c: Ints, target: int, turn: int) -> NDArray[np.int32]:
    """The best final score that could follow states that have just come to a target."""
    outlook = Outlook(c, target, turn)
    # The first move adds less than a later one can: as if the influence were below 0 by the difference.
    return outlook.of(outlook.first - outlook.most)
