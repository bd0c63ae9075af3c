"""DreamGarden: five creatures in a dream, four impulses, and links nobody mentions. Fixed: the dream never changes.

Data tables, pure rules, the exact search, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from evoplay.envs.base import EnvSpec, NoReference
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

# --- data -------------------------------------------------------------------------------------------------------

CREATURES = ("Thought Spores", "Gleam Moths", "Dream Jellyfish", "Silent Weavers", "Nightmare Echoes")
STIMULI = ("throb", "whisper", "tide", "eclipse")
TURN_ACTIONS = (*STIMULI, "wait")
MAX_TURNS = 18
START, SATURATION, TOP = 20.0, 35, 100.0
GOOD, BAD = 5, -3
DECAY, LINK_DIVISOR = 0.20, 5
PUSH, SIDE_EFFECT = 15.0, 15.0 * 0.4
CHAIN = 1.5
FIRST_RESONANCE = 140.0
BAR_CELLS, PER_CELL = 20, 5
COUNT = len(CREATURES)


# --- rules ------------------------------------------------------------------------------------------------------


class Dream(NamedTuple):
    """What a seed decides: who plays which part, what each impulse does, and who acts on whom.

    `first` and `last` are worth points (`last` is fed through `source` and `relay`), `foe` costs points. `pushes` has a
    row of effects for each impulse and one of zeros for waiting; `links[j]` lists (i, weight) acting on creature j.
    """

    first: int
    last: int
    foe: int
    source: int
    relay: int
    feeder: int
    starter: int
    trap: int
    suppressor: int
    values: tuple[int, ...]
    links: tuple[tuple[tuple[int, float], ...], ...]
    pushes: tuple[tuple[float, ...], ...]


def draw_dream(seed: int) -> Dream:
    """The instance of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    first, last, foe, source, relay = rng.sample(range(COUNT), COUNT)
    calm = (first, last, relay)
    pairs = [(i, j) for i in range(COUNT) for j in range(COUNT) if i != j and j not in calm]
    pair = rng.sample(pairs, 1)[0]
    weights = {(source, relay): CHAIN, (relay, last): CHAIN, pair: rng.choice([1.0, -1.0])}
    feeder, starter, trap, suppressor = rng.sample(range(len(STIMULI)), len(STIMULI))
    pushes = [[0.0] * COUNT for _ in TURN_ACTIONS]
    pushes[feeder][first], pushes[feeder][foe] = PUSH, SIDE_EFFECT
    pushes[starter][source] = PUSH
    pushes[trap][foe] = PUSH
    pushes[suppressor][foe] = -PUSH
    values = [0] * COUNT
    values[first] = values[last] = GOOD
    values[foe] = BAD
    links = [tuple((i, weights[i, j]) for i in range(COUNT) if (i, j) in weights) for j in range(COUNT)]
    roles = (first, last, foe, source, relay, feeder, starter, trap, suppressor)
    return Dream(*roles, tuple(values), tuple(links), tuple(map(tuple, pushes)))


def next_populations(dream: Dream, old: Sequence[float], action: int) -> list[float]:
    """The populations after a turn; every creature reads the populations at its start."""
    new = []
    for creature, push in enumerate(dream.pushes[action]):
        link = 0.0
        for origin, weight in dream.links[creature]:
            link += weight * old[origin]
        grown = old[creature] + push + link / LINK_DIVISOR - DECAY * old[creature]
        new.append(max(0.0, min(TOP, grown)))
    return new


def resonance(dream: Dream, populations: Sequence[float]) -> float:
    """Value times population, counted up to the saturation, summed in creature order."""
    total = 0.0
    for value, population in zip(dream.values, populations, strict=True):
        total += value * min(population, SATURATION)
    return total


def replay(dream: Dream, actions: Sequence[int]) -> int:
    """The total a line of turns scores."""
    populations, total = [START] * COUNT, 0
    for action in actions:
        populations = next_populations(dream, populations, action)
        total += round(resonance(dream, populations))
    return total


# --- the exact search -------------------------------------------------------------------------------------------

BEAM = 1000


class Search:
    """Turn by turn over all states that may still lead to the best total; one array a creature holds all states.

    A state's bound lets every creature have its most favourable impulse in each turn left, carrying the highest or
    lowest population each could reach; half a point a turn covers rounding.
    """

    def __init__(self, dream: Dream) -> None:
        try:
            import numpy
        except ImportError as error:
            raise NoReference("no reference for this seed without numpy, which the search needs: install it") from error
        self.np = numpy
        self.dream = dream
        self.ends = self._ends()

    def best_line(self) -> tuple[int, list[int]]:
        """The best total and a line that scores it: found by a beam, then proven or improved by the full search."""
        total, line = self._run(BEAM, None)
        better, better_line = self._run(None, total + 1)
        return (better, better_line) if better > total else (total, line)

    def _ends(self) -> list[tuple[int, bool]]:
        """The creatures whose highest (True) or lowest population the bound needs: those worth points, and upstream."""
        dream = self.dream
        ends = [(dream.first, True), (dream.last, True), (dream.foe, False)]
        for creature, high in ends:
            for origin, weight in dream.links[creature]:
                wanted = (origin, high == (weight > 0))
                if wanted not in ends:
                    ends.append(wanted)
        return ends

    def _run(self, width: int | None, least: int | None) -> tuple[int, list[int]]:
        """Search with at most `width` states a turn, or with all that may still reach `least` points."""
        np = self.np
        states, totals = np.full((COUNT, 1), START), np.zeros(1, dtype=np.int64)
        lines = np.zeros(1, dtype=np.int64)
        for turn in range(MAX_TURNS):
            layers = []
            for action in range(len(TURN_ACTIONS)):
                after, points = self._turn(states, action)
                reached = totals + points
                bounds = reached + self._rest(after, MAX_TURNS - 1 - turn)
                keep = bounds >= least if least is not None else slice(None)
                layers.append((after[:, keep], reached[keep], (lines * len(TURN_ACTIONS) + action)[keep], bounds[keep]))
            states, totals, lines, bounds = (np.concatenate(parts, axis=-1) for parts in zip(*layers, strict=True))
            if not len(totals):
                return -1, []
            kept = self._distinct(states, totals)
            if width is not None and len(kept) > width:
                kept = kept[np.argsort(-bounds[kept], kind="stable")[:width]]
            states, totals, lines = states[:, kept], totals[kept], lines[kept]
        best = int(np.argmax(totals))
        code, line = int(lines[best]), list[int]()
        for _ in range(MAX_TURNS):
            code, action = divmod(code, len(TURN_ACTIONS))
            line.append(action)
        return int(totals[best]), line[::-1]

    def _distinct(self, states: Floats, totals: Integers) -> Integers:
        """One index of each different state."""
        keys = self.np.column_stack([*states, totals])
        return self.np.unique(keys.view(f"V{keys.itemsize * (COUNT + 1)}").ravel(), return_index=True)[1]

    def _turn(self, states: Floats, action: int) -> tuple[Floats, Integers]:
        np, dream = self.np, self.dream
        after = np.empty_like(states)
        points = np.zeros(states.shape[1])
        for creature, push in enumerate(dream.pushes[action]):
            link = np.zeros(states.shape[1])
            for origin, weight in dream.links[creature]:
                link += weight * states[origin]
            grown = states[creature] + push + link / LINK_DIVISOR - DECAY * states[creature]
            after[creature] = np.clip(grown, 0.0, TOP)
            if dream.values[creature]:
                points += dream.values[creature] * np.minimum(after[creature], SATURATION)
        return after, np.rint(points).astype(np.int64)

    def _rest(self, states: Floats, turns: int) -> Floats:
        np, dream = self.np, self.dream
        extremes = {(creature, high): states[creature] for creature, high in self.ends}
        most: Floats = np.full(states.shape[1], 0.5 * turns)
        for _ in range(turns):
            before, extremes = extremes, {}
            for creature, high in self.ends:
                pushes = [push[creature] for push in dream.pushes]
                grown = (1 - DECAY) * before[creature, high]
                grown += max(pushes) if high else min(pushes)
                for origin, weight in dream.links[creature]:
                    grown += weight / LINK_DIVISOR * before[origin, high == (weight > 0)]
                extremes[creature, high] = np.clip(grown, 0.0, TOP, out=grown)
            good = np.minimum(extremes[dream.first, True], SATURATION)
            good += np.minimum(extremes[dream.last, True], SATURATION)
            most += GOOD * good
            most += BAD * np.minimum(extremes[dream.foe, False], SATURATION)
        return most


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "You are the sleeper's undertow: you cannot speak to the dream, only stir it by vague impulses. Five kinds of "
    "creatures live in it, and how they take to your stirring nobody will tell you; you will have to watch them to "
    "find out. Let the dream ring with as high a resonance as you can."
)
FORMULA = f"Points a turn: each creature's value times its population, counted up to {SATURATION}, all added up."


def signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


_BARS = tuple(f"[{'#' * round(number / PER_CELL):.<{BAR_CELLS}}]" for number in range(int(TOP) + 1))


def headings(values: Sequence[int]) -> tuple[str, ...]:
    """The unchanging part of each creature's row: its name and value."""
    return tuple(f"{name:<16} value {signed(value):>2} |" for name, value in zip(CREATURES, values, strict=True))


def status_text(turns: int, total: int, heads: Sequence[str], now: Sequence[int], before: Sequence[int]) -> str:
    lines = [f"Turn {turns} of {MAX_TURNS} | Total {total}", FORMULA]
    for head, number, old in zip(heads, now, before, strict=True):
        moved = f"({number - old:+d})" if number != old else "(=)"
        lines.append(f"{head} {number:>3} {moved:>5} {_BARS[number]}")
    return "\n".join(lines)


def turn_text(action: str, points: int, change: float) -> str:
    mark = "up" if change > 0.5 else "down" if change < -0.5 else "flat"
    sent = "You let the dream drift (wait)." if action == "wait" else f"You send a {action} through the dream."
    return f"{sent} Points this turn: {points:+d}. Resonance: {signed(round(change))} ({mark})."


def end_text(total: int) -> str:
    return f"The sleeper wakes. Final total: {total}."


def score_text(total: int, turns: int) -> str:
    return f"Total {total} after turn {turns} of {MAX_TURNS}."


def unknown_text(action: str) -> str:
    return f"The dream knows no '{action}'. No turn was used."


# --- the game ---------------------------------------------------------------------------------------------------


class DreamGarden(Game):
    """Actions: four impulses, `wait` and `status` (see the valid list); `score` is understood too."""

    spec = EnvSpec(
        id="learn2play/dreamgarden",
        title="DreamGarden",
        suite="learn2play",
        kind="fixed",
        challenge=True,
        episodes=10,
        max_steps=60,
        seed=1,
        summary="Tend a dream of five creatures by impulses whose effects nobody explains.",
        about=(
            "Five kinds of creatures live in a dream, some of them worth points, one of them harmful. Four impulses "
            "stir them, and the populations answer turn by turn for eighteen turns. Every episode starts from the same "
            "dream with the same inner workings, which only watching the numbers can bring to light."
        ),
    )
    shared = ("dream", "heads")

    def build(self) -> None:
        self.dream = draw_dream(self.seed)
        self.heads = headings(self.dream.values)

    def start(self, episode: int) -> str:
        self.populations = [START] * COUNT
        self.shown = self.shown_before = tuple(map(round, self.populations))
        self.resonance = FIRST_RESONANCE
        self.total = self.turns = 0
        return f"{OPENING}\n\n{self._status()}"

    def play(self, action: str) -> Reply:
        act = action.strip().lower()
        if act == "status":
            return Reply(self._status())
        if act == "score":
            return Reply(score_text(self.total, self.turns))
        if self.over():
            return Reply(self._status(), False)
        if act not in TURN_ACTIONS:
            return Reply(unknown_text(act), False)
        return Reply(self._turn(act))

    def valid(self) -> list[str]:
        return [*TURN_ACTIONS, "status"]

    def points(self) -> int:
        return self.total

    def shown_points(self) -> int:
        return self.total

    def over(self) -> bool:
        return self.turns >= MAX_TURNS

    def solve(self, episode: int) -> Solution:
        total, line = Search(self.dream).best_line()
        how = "turn-by-turn search over all states whose bound allows a better total"
        return Solution(total, "exact", how, tuple(TURN_ACTIONS[action] for action in line))

    def _turn(self, act: str) -> str:
        self.populations = next_populations(self.dream, self.populations, TURN_ACTIONS.index(act))
        self.shown_before, self.shown = self.shown, tuple(map(round, self.populations))
        before, self.resonance = self.resonance, resonance(self.dream, self.populations)
        points = round(self.resonance)
        self.total += points
        self.turns += 1
        text = f"{turn_text(act, points, self.resonance - before)}\n{self._status()}"
        return f"{text}\n{end_text(self.total)}" if self.over() else text

    def _status(self) -> str:
        return status_text(self.turns, self.total, self.heads, self.shown, self.shown_before)


ENV = DreamGarden
