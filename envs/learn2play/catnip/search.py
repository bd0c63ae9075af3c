"""Exact search over all games of a seed, turn by turn, on arrays of states. Imported only when a seed is solved.

The generator's state is a position in the list of its 32-bit outputs, so what a move draws can be tabulated by
position. A layer holds all states after so many turns, by target; a state is cut when even the most that could follow
would not beat the best game known. A first, narrow run finds a good game to cut by.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoplay.envs.learn2play.catnip.bounds import (
    AFFECTION,
    BAG,
    CHAIN,
    COLUMNS,
    CUTE,
    ENERGY,
    INFLUENCE,
    LOW,
    MOVES,
    NAMES,
    POS,
    PROGRESS,
    STEALTH,
    STRESS,
    SUSPICION,
    Ints,
    Outlook,
    Rows,
    arrival_bounds,
)
from evoplay.envs.learn2play.catnip.data import (
    ACTIONS,
    CALMING,
    CATS,
    EXHAUSTED,
    EXHAUSTION,
    FOND,
    ITEMS,
    KICK_OUT,
    LAST,
    MAX_TURNS,
    MISSING_ITEM,
    NO_WAY_OUT,
    STARE_NERVES,
    START_STATS,
    STAT_WORTH,
    STATS,
    TARGETS,
    TOO_EARLY,
    UNKNOWN_ACTION,
    UNKNOWN_ITEM,
    Move,
    Penalty,
)
from evoplay.envs.learn2play.catnip.rules import (
    State,
    advance,
    drowsiness,
    final_score,
    noticed,
    preferences,
    wearied,
)

PENALTIES: dict[str, Penalty] = {
    "use something": UNKNOWN_ITEM, "use empty": MISSING_ITEM, "wait": UNKNOWN_ACTION,
    "convert": TOO_EARLY, "exit": NO_WAY_OUT,
}  # fmt: skip
REPEATED, CHOICE, EXIT, PENALTY = 13, 26, 29, 30
"""Codes of moves: 0-12 moves in the order of NAMES, 13-25 the same as punished repeats, 26-28 conversions, ..."""
STREAM, REACH = 4096, 3584
"""Outputs of the generator that are kept, and positions that have entries in the tables."""
CHUNK = 1 << 16
NARROW = 2000
CODE_BITS, TURNS_PER_WORD = 6, 10


class States(NamedTuple):
    """States as columns, and their games so far: a 6-bit code a turn in two words, the cat in the topmost bits."""

    columns: Ints
    early: NDArray[np.uint64]
    late: NDArray[np.uint64]

    def take(self, rows: Rows) -> States:
        return States(self.columns[:, rows], self.early[rows], self.late[rows])


def joined(parts: list[States]) -> States:
    return States(
        np.concatenate([part.columns for part in parts], axis=1),
        np.concatenate([part.early for part in parts]),
        np.concatenate([part.late for part in parts]),
    )


# --- tables -----------------------------------------------------------------------------------------------------


@cache
def noticed_table() -> Ints:
    return np.array([[noticed(delta, stealth) for delta in range(-LOW, 96)] for stealth in range(64)], np.int16)


@cache
def wearied_table() -> Ints:
    return np.array([[wearied(gain, energy) for gain in range(-LOW, 96)] for energy in range(5)], np.int16)


DROWSY = np.array([drowsiness(stress) for stress in range(121)], np.int16)
JITTER_CLASS = np.array([2] * 4 + [1] * 3 + [0], np.int16)
"""By energy up to 7: the row of the jitter widths 1, 2, 4."""
JITTERS = (1, 2, 4)


class Draws:
    """What every move would draw at every position of a seed's stream."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.outputs = np.array([rng.getrandbits(32) for _ in range(STREAM)], np.uint64)
        self.known: dict[int, tuple[Rows, Rows]] = {}
        start = np.arange(STREAM + 1)
        self.moves = [self._move(move, start) for move in MOVES]
        at, extra = start, []
        for low, high in EXHAUSTION:
            value, at = self._draw(low, high, at)
            extra.append(value)
        self.exhausted = np.array([*extra, at])[:, :REACH].astype(np.int16)

    def _move(self, move: Move, start: Rows) -> Ints:
        """Four effects and the next position, by jitter class * REACH + position."""
        by_class = []
        for jitter in JITTERS:
            at, effects = start, []
            for low, high in move[:4]:
                value, at = self._draw(low, high, at)
                more, at = self._draw(-jitter, jitter, at)
                effects.append(value + more)
            by_class.append(np.array([*effects, at])[:, :REACH])
        return np.concatenate(by_class, axis=1).astype(np.int16)

    def _draw(self, low: int, high: int, at: Rows) -> tuple[Rows, Rows]:
        """What randint(low, high) gives at positions, and the positions after it (rejection included)."""
        size = high - low + 1
        if size not in self.known:
            tops = (self.outputs >> np.uint64(32 - size.bit_length())).astype(np.int64)
            where = np.where(tops < size, np.arange(STREAM), STREAM)
            first = np.minimum.accumulate(where[::-1])[::-1]
            values = np.append(tops, 0)[first]
            # Past the end of the stream everything stays at its end.
            self.known[size] = np.append(values, 0), np.append(np.minimum(first + 1, STREAM), STREAM)
        values, nexts = self.known[size]
        return low + values[at], nexts[at]


# --- moves ------------------------------------------------------------------------------------------------------


class Child(NamedTuple):
    """States after one move from some rows: which rows, the new columns, the code, whether the person was left."""

    rows: Rows
    columns: Ints
    code: int
    gone: bool


class Field:
    """States at a target in a turn, with what all moves from them need to know: bounds, and the score to beat."""

    def __init__(self, columns: Ints, target: int, turn: int, beat: int) -> None:
        self.columns, self.target, self.turn, self.beat = columns, target, turn, beat
        self.ending = turn + 1 == MAX_TURNS
        """Every move is the last one: all outcomes count."""
        self.leaving = self.ending or target == LAST or arrival_bounds(columns, target + 1, turn + 1) > beat
        """Rows that are of interest even if the visit ends with nothing."""
        self.outlook = Outlook(columns, target, turn + 1) if not self.ending else None

    def of_interest(self, influence: Ints, rows: Rows) -> Any:
        """Which of the rows are worth keeping with these influences, staying at the target."""
        if self.outlook is None:
            return np.ones(len(rows), bool)
        return self.outlook.of(influence, rows) > self.beat

    def worth_leaving(self, rows: Rows) -> Any:
        return np.ones(len(rows), bool) if isinstance(self.leaving, bool) else self.leaving[rows]


class Effects(NamedTuple):
    """What a move does to the rows of a field, worked out before any state is built."""

    rows: Rows
    influence: Ints
    affection: Ints
    stress: Ints
    suspicion: Ints
    position: Ints


def effects(draws: Draws, field: Field, number: int) -> Effects | None:
    """Changes of a cat action or item, suspicion and weariness worked in but no punishment of repeats."""
    c, move, item = field.columns, MOVES[number], number - len(ACTIONS)
    rows = np.flatnonzero(c[BAG + item]) if item >= 0 else np.arange(c.shape[1])
    if not rows.size:
        return None
    if item >= 0:
        c = c[:, rows]
    power = np.maximum(c[ENERGY] - move.cost, 0) if item >= 0 else c[ENERGY]
    at = JITTER_CLASS[np.minimum(power, 7)].astype(np.intp) * REACH + c[POS]
    drawn = draws.moves[number][:, at]
    tastes = preferences(move, TARGETS[field.target])
    influence, affection, stress, suspicion = (drawn[k] + np.int16(tastes[k]) for k in range(4))
    position = drawn[4]
    if move.bonus:
        influence += c[STATS.index(move.bonus[0]) + CUTE] // move.bonus[1]
    if NAMES[number] == "stare":
        influence += np.int16(3) * (c[STRESS] > STARE_NERVES)
    if move.style == CALMING:
        influence += np.int16(3) * (c[AFFECTION] >= FOND)
    weak = np.flatnonzero(power < EXHAUSTED) if item < 0 else np.empty(0, np.intp)
    if weak.size:
        extra = draws.exhausted[:, position[weak]]
        for effect, more in zip((influence, affection, stress, suspicion), extra, strict=False):
            effect[weak] += more
        position[weak] = extra[4]
    influence -= DROWSY[c[STRESS]]
    influence = wearied_table()[np.minimum(power, 4), influence + LOW]
    suspicion = noticed_table()[np.minimum(c[STEALTH], 63), suspicion + LOW]
    return Effects(rows, influence, affection, stress, suspicion, position)


def moved(draws: Draws, field: Field, number: int) -> Iterator[Child]:
    """A cat action or an item, unpunished, and as a punished repeat where that loses less."""
    found = effects(draws, field, number)
    if found is None:
        return
    c, rows, item = field.columns, found.rows, number - len(ACTIONS)
    gain = MOVES[number].gain
    again = np.flatnonzero((c[CHAIN, rows] == number) & (found.influence < 0))
    out = c[SUSPICION, rows] + found.suspicion >= KICK_OUT
    for code, part, change in (
        (number, np.arange(len(rows)), found.influence),
        (number + REPEATED, again, np.rint(found.influence[again] * 0.75).astype(np.int16)),
    ):
        part_rows, gone = rows[part], out[part]
        stays = ~gone & field.of_interest(c[INFLUENCE, part_rows] + change, part_rows)
        leaves = gone & field.worth_leaving(part_rows)
        for which, left in ((stays, False), (leaves, True)):
            kept = np.flatnonzero(which)
            if not kept.size:
                continue
            chosen = part[kept]
            new = c[:, rows[chosen]]
            mood = (effect[chosen] for effect in found[2:5])
            settle_target(new, change[kept], *mood)
            new[POS], new[CHAIN] = found.position[chosen], number
            new[ENERGY] = np.maximum(new[ENERGY] - MOVES[number].cost, 0)
            if item >= 0:
                new[BAG + item] -= 1
            if gain:
                new[STATS.index(gain[0]) + CUTE] += gain[1]
            yield Child(rows[chosen], new, code, left)


def settle_target(c: Ints, influence: Any, affection: Any, stress: Any, suspicion: Any) -> None:
    c[INFLUENCE] += influence
    c[AFFECTION] = np.clip(c[AFFECTION] + affection, -100, 100)
    c[STRESS] = np.clip(c[STRESS] + stress, 0, 120)
    c[SUSPICION] = np.clip(c[SUSPICION] + suspicion, 0, 140)


def left_by(c: Ints, rows: Rows) -> Ints:
    """Rows after an action that only costs a point of energy and ends any chain of repeats."""
    weary = c[:, rows]
    weary[ENERGY] = np.maximum(weary[ENERGY] - 1, 0)
    weary[CHAIN] = -1
    return weary


def conversions(field: Field) -> Iterator[Child]:
    """Every option of the tier reached, and the exit."""
    c, person = field.columns, TARGETS[field.target]
    tier = sum((c[INFLUENCE] >= threshold).astype(np.int16) for threshold in person.tiers) - 1
    for reached in range(3):
        at = np.flatnonzero(tier == reached)
        for number, option in enumerate(person.options) if at.size else ():
            gain, given = option.tiers[reached], left_by(c, at)
            given[PROGRESS] += gain.progress
            if gain.stat:
                given[PROGRESS] += STAT_WORTH * given[STATS.index(gain.stat) + CUTE]
            for stat, count in gain.stats.items():
                given[STATS.index(stat) + CUTE] += count
            for item, count in gain.items.items():
                given[BAG + ITEMS.index(item)] += count
            yield Child(at, given, CHOICE + number, True)
    if field.target < LAST:
        rows = np.flatnonzero(field.worth_leaving(np.arange(c.shape[1])))
        yield Child(rows, left_by(c, rows), EXIT, True)


def failures(field: Field) -> Iterator[Child]:
    """What fails and only changes the person's mood."""
    c, person = field.columns, TARGETS[field.target]
    rows = np.arange(c.shape[1])
    where = {
        "use empty": np.flatnonzero((c[BAG : BAG + len(ITEMS)] == 0).any(axis=0)),
        "convert": np.flatnonzero(c[INFLUENCE] < person.tiers[0]),
        "exit": rows if field.target == LAST else rows[:0],
    }
    for number, (name, penalty) in enumerate(PENALTIES.items()):
        at = where.get(name, rows)
        suspicion = noticed_table()[np.minimum(c[STEALTH, at], 63), penalty.suspicion + LOW]
        out = c[SUSPICION, at] + suspicion >= KICK_OUT
        stays = ~out & field.of_interest(c[INFLUENCE, at] + np.int16(penalty.influence), at)
        for which, left in ((stays, False), (out & field.worth_leaving(at), True)):
            kept = np.flatnonzero(which)
            if kept.size:
                sour = left_by(c, at[kept])
                settle_target(sour, penalty.influence, penalty.affection, penalty.stress, suspicion[kept])
                yield Child(at[kept], sour, PENALTY + number, left)


# --- the search -------------------------------------------------------------------------------------------------


class Best:
    """The best game found."""

    def __init__(self) -> None:
        self.score, self.turn, self.early, self.late = 0, 0, 0, 0

    def offer(self, progress: Ints, turn: int, early: Rows, late: Rows) -> None:
        """Finished games, all at one turn."""
        if progress.size:
            top = int(progress.argmax())
            points = final_score(int(progress[top]), turn)
            if points > self.score:
                self.score, self.turn, self.early, self.late = points, turn, int(early[top]), int(late[top])


def start_states() -> States:
    columns = np.zeros((COLUMNS, len(CATS)), np.int16)
    for number, cat in enumerate(CATS.values()):
        for k, stat in enumerate(STATS):
            columns[CUTE + k, number] = max(0, START_STATS[stat] + cat.stats.get(stat, 0))
        columns[BAG + len(ITEMS) - 1, number] = 1
        if cat.item:
            columns[BAG + ITEMS.index(cat.item), number] += 1
    arrive(columns, 0)
    columns[CHAIN] = -1
    cats = np.arange(len(CATS), dtype=np.uint64) << np.uint64(CODE_BITS * TURNS_PER_WORD)
    return States(columns, np.zeros(len(CATS), np.uint64), cats)


def arrive(c: Ints, target: int) -> None:
    person = TARGETS[target]
    c[INFLUENCE], c[AFFECTION], c[STRESS], c[SUSPICION] = 0, person.affection, person.stress, person.suspicion


def search(draws: Draws, best: Best, width: int | None) -> None:
    """Improve `best` over all games, or over those in reach of so many states by turn and target."""
    layer: dict[int, list[States]] = {0: [start_states()]}
    for turn in range(MAX_TURNS):
        following: dict[int, list[States]] = {}
        for target in sorted(layer):
            states = without_doubles(joined(layer.pop(target)))
            if width is not None and states.early.size > width:
                influence = states.columns[INFLUENCE]
                worth = Outlook(states.columns, target, turn).of(influence).astype(np.int64) * 256 + influence
                # Stable: which of equals a partition keeps depends on the processor.
                states = states.take(np.argsort(-worth, kind="stable")[:width])
            for first in range(0, states.early.size, CHUNK):
                expand(
                    draws,
                    states.take(np.arange(first, min(first + CHUNK, states.early.size))),
                    target,
                    turn,
                    best,
                    following,
                )
        layer = following


def expand(
    draws: Draws, states: States, target: int, turn: int, best: Best, following: dict[int, list[States]]
) -> None:
    """Play every move from states at a target; promising outcomes go into the next layer."""
    field = Field(states.columns, target, turn, best.score)
    children = itertools.chain(
        conversions(field), failures(field), *(moved(draws, field, number) for number in range(len(MOVES)))
    )
    shift = np.uint64(CODE_BITS * (turn % TURNS_PER_WORD))
    for child in children:
        columns, where = child.columns, target + child.gone
        code = np.uint64(child.code) << shift
        early, late = states.early[child.rows], states.late[child.rows]
        early, late = (early | code, late) if turn < TURNS_PER_WORD else (early, late | code)
        if where > LAST or field.ending:
            best.offer(columns[PROGRESS], turn + 1, early, late)
            continue
        if child.gone:
            arrive(columns, where)
            keep = np.flatnonzero(arrival_bounds(columns, where, turn + 1) > best.score)
            columns, early, late = columns[:, keep], early[keep], late[keep]
        if early.size:
            if int(columns[POS].max()) >= REACH:
                raise OverflowError("the stream of random numbers was cut too short for this search")
            following.setdefault(where, []).append(States(columns, early, late))


def without_doubles(states: States) -> States:
    """Of states that differ in nothing but progress and past, only the one with most progress."""
    c = states.columns
    mixed = np.zeros(c.shape[1], np.uint64)
    for column in range(COLUMNS):
        if column != PROGRESS:
            mixed = (mixed ^ c[column].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    order = np.lexsort((-c[PROGRESS], mixed))
    others = np.delete(c, PROGRESS, axis=0)[:, order]
    same = (others[:, 1:] == others[:, :-1]).all(axis=0)
    return states.take(order[np.append(True, ~same)])


def best_line(seed: int) -> tuple[int, tuple[str, ...]]:
    """The best final score of a seed, and the actions of a game that reaches it."""
    draws, best = Draws(seed), Best()
    search(draws, best, NARROW)
    search(draws, best, None)
    return best.score, tuple(spelled(best, seed))


def spelled(best: Best, seed: int) -> Iterator[str]:
    """The game as actions; a free look parts equal moves that are not to be punished as repeats."""
    state, word = State(random.Random(seed)), CODE_BITS * TURNS_PER_WORD
    first = list(CATS)[best.late >> word]
    codes = best.early | (best.late & ((1 << word) - 1)) << word
    advance(state, first)
    yield first
    for turn in range(best.turn):
        for action in spell(state, codes >> CODE_BITS * turn):
            advance(state, action)
            yield action


def spell(state: State, codes: int) -> list[str]:
    """The actions of the move in the lowest bits of the codes."""
    code = codes & (1 << CODE_BITS) - 1
    if code >= PENALTY:
        name = list(PENALTIES)[code - PENALTY]
        empty = next((item for item, count in state.items.items() if not count), "")
        return [f"use {empty.lower()}" if name == "use empty" else name]
    if code == EXIT:
        return ["exit"]
    if code >= CHOICE:
        return ["convert", f"convert {'abc'[code - CHOICE]}"]
    name = NAMES[code % REPEATED]
    action = f"use {name.lower()}" if name in ITEMS else name
    return ["look", action] if code < REPEATED and state.last == name else [action]
