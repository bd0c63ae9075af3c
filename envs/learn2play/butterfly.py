"""Butterfly Garden: breed a wanted look in six crosses, by laws of heredity nobody has told you.

Re-shuffled: the seed decides the laws, (seed, episode) the wanted look and the founders. Data tables, pure rules, the
exact solver, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, count
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

COLORS = ("Crimson", "Orange", "Yellow", "Green", "Cyan", "Blue", "Purple")
PATTERNS = ("Plain", "Starspot", "Spiral", "Web")
SIZES = ("Tiny", "Small", "Medium", "Large", "Huge")
ANTENNAE = ("Straight", "Curled", "Feathery", "Hooked")
TRAITS = (COLORS, PATTERNS, SIZES, ANTENNAE)
PLAIN = 0
MAX_CROSSES = 6
GARDEN_SIZE = 18
MAX_CALLS = 600
"""Commands of any kind an unfinished round takes; the next one settles it."""
FIRST_POINTS = (0, 5, 22, 59, 145)
"""Points of a look new among the offspring, by traits that match the wanted look."""
REPEAT_BASE = (0, 4, 18, 49, 120)
EXACT_BONUS = 12
"""Points of the first exact child for every cross left after it."""
LEAST_COST, MOST_COST = 2, 6
SALTS = {
    1: (12, 1, 194, 50, 7, 8, 15, 17, 88, 135, 39, 42),
    2: (15, 41, 36, 261, 76, 55, 127, 36, 1, 2, 19, 91),
}
"""Rounds chosen so that every episode of the seed is worth the same; elsewhere the first round accepted is played."""

# --- rules ------------------------------------------------------------------------------------------------------


class Look(NamedTuple):
    """A butterfly's four traits, as indices into their tables."""

    color: int
    pattern: int
    size: int
    antenna: int


class Laws(NamedTuple):
    """What a seed decides: rank of each antenna, the ring of colors, and the antenna that suppresses patterns."""

    strength: tuple[int, ...]
    ring: tuple[int, ...]
    suppressor: int

    @property
    def weakest(self) -> int:
        return self.strength.index(0)


class Round(NamedTuple):
    """What an episode decides: the wanted look, and the founders by id."""

    target: Look
    founders: tuple[Look, ...]


def draw_laws(seed: int) -> Laws:
    """The laws of a seed; the order of the draws is part of the rules."""
    rng = random.Random(f"{seed}|laws")
    strength = list(range(len(ANTENNAE)))
    rng.shuffle(strength)
    ring = list(range(len(COLORS)))
    rng.shuffle(ring)
    return Laws(tuple(strength), tuple(ring), rng.randrange(len(ANTENNAE)))


def stronger_color(laws: Laws, one: int, other: int) -> int:
    """Each color beats the three placed before it on the ring."""
    if one == other:
        return one
    ahead = (laws.ring.index(one) - laws.ring.index(other)) % len(COLORS)
    return one if ahead <= 3 else other


def cross(laws: Laws, one: Look, other: Look) -> Look:
    """The one possible child of two parents, whatever their order."""
    antenna = one.antenna if laws.strength[one.antenna] >= laws.strength[other.antenna] else other.antenna
    pattern = PLAIN if antenna == laws.suppressor else max(one.pattern, other.pattern)
    size = (one.size + other.size + 1) // 2
    return Look(stronger_color(laws, one.color, other.color), pattern, size, antenna)


def matches(look: Look, target: Look) -> int:
    """How many of the four traits are the wanted ones."""
    return sum(map(int.__eq__, look, target))


def child_points(match: int, seen: int) -> int:
    """Points of a child that matches so far, when `seen` earlier offspring had exactly its look."""
    if not match:
        return 0
    return max(1, round(REPEAT_BASE[match] * 0.25 ** min(seen, 4))) if seen else FIRST_POINTS[match]


def exact_bonus(crosses: int) -> int:
    """Extra points of the round's first exact child, made by this cross (from 1)."""
    return EXACT_BONUS * (MAX_CROSSES - crosses)


def draw_round(laws: Laws, seed: int, index: int, salt: int) -> Round:
    """Wanted look and founders of one salt, accepted or not; the order of the draws is part of the rules."""
    rng = random.Random(f"{seed}|{index}|{salt}|round")

    def other(names: Sequence[str], *avoid: int) -> int:
        return rng.choice([value for value in range(len(names)) if value not in avoid])

    target = Look(*(rng.randrange(len(names)) for names in TRAITS))
    place = laws.ring.index(target.color)
    prey, prey2 = (laws.ring[(place - step) % len(COLORS)] for step in (1, 2))
    low, high = 0, len(SIZES) - 1
    # Each row's own values; None stands for a drawn one that is not the target's (nor any listed beside it).
    rows: tuple[tuple[tuple[int | None, ...], tuple[int, ...], tuple[int, ...]], ...] = (
        ((target.color, None, None, None), (), ()),
        ((None, target.pattern, None, None), (), ()),
        ((None, None, target.size, None), (), ()),
        ((None, None, None, target.antenna), (), ()),
        ((prey, None, None, None), (), ()),
        ((prey2, None, low, None), (), (laws.weakest,)),
        ((None, None, high, None), (), (laws.weakest,)),
        ((None, None, None, laws.weakest), (low, high), ()),
    )
    founders = []
    for values, not_sizes, not_antennae in rows:
        avoid = ((), (), not_sizes, not_antennae)
        founders.append(
            Look(
                *(
                    other(names, wanted, *more) if value is None else value
                    for value, names, wanted, more in zip(values, TRAITS, target, avoid, strict=True)
                )
            )
        )
    rng.shuffle(founders)
    return Round(target, tuple(founders))


def synthesis_cost(laws: Laws, round_: Round) -> int | None:
    """Crosses needed for the wanted look when nothing bred is used twice; None above MOST_COST.

    Looks are found in order of their cost: a child costs what its parents cost and one more. A look crossed with its
    own like matters only where founders are alike: their child may differ in pattern, any other is its parent again.
    """
    levels: list[list[Look]] = [list(dict.fromkeys(round_.founders))]
    known = set(levels[0])
    if round_.target in known:
        return 0
    twins = [look for look, times in Counter(round_.founders).items() if times > 1]
    for cost in range(1, MOST_COST + 1):
        found: list[Look] = []
        for child in _children(laws, levels, twins if cost == 1 else [], cost):
            if child == round_.target:
                return cost
            if child not in known:
                known.add(child)
                found.append(child)
        levels.append(found)
    return None


def _children(laws: Laws, levels: Sequence[Sequence[Look]], twins: Sequence[Look], cost: int) -> Iterator[Look]:
    """Children of all pairs whose costs make up `cost`."""
    for look in twins:
        yield cross(laws, look, look)
    for low in range((cost + 1) // 2):
        high = cost - 1 - low
        if low == high:
            for one, other in combinations(levels[low], 2):
                yield cross(laws, one, other)
        else:
            for one in levels[low]:
                for other in levels[high]:
                    yield cross(laws, one, other)


def acceptable(laws: Laws, round_: Round) -> bool:
    """Whether a round can be played: the wanted look is neither too near nor too far."""
    target = round_.target
    if target.antenna == laws.suppressor and target.pattern != PLAIN:
        return False
    cost = synthesis_cost(laws, round_)
    return cost is not None and cost >= LEAST_COST


@lru_cache(maxsize=1024)
def choose_round(seed: int, episode: int) -> Round:
    """The round of an episode: of the tabled salt, or the first one accepted."""
    laws, index = draw_laws(seed), episode - 1
    salts = SALTS.get(seed, ())
    if index < len(salts):
        return draw_round(laws, seed, index, salts[index])
    rounds = (draw_round(laws, seed, index, salt) for salt in count())
    return next(round_ for round_ in rounds if acceptable(laws, round_))


# --- the exact solver -------------------------------------------------------------------------------------------


class _Search:
    """Depth-first branch and bound over the crosses; a move is the child it breeds."""

    def __init__(self, laws: Laws, round_: Round) -> None:
        self.laws, self.round = laws, round_
        self.best, self.line = -1, ()
        self.seen: set[tuple[int, tuple[Look, ...], int]] = set()

    best: int
    line: tuple[tuple[int, int], ...]

    def run(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        self._go(list(self.round.founders), [], 0, 0)
        return self.best, self.line

    def _go(self, garden: list[Look], line: list[tuple[int, int]], score: int, exact_at: int) -> None:
        done, left = len(line), MAX_CROSSES - len(line)
        if score > self.best:
            self.best, self.line = score, tuple(line)
        offspring = garden[len(self.round.founders) :]
        state = (done, tuple(sorted(offspring)), exact_at)
        if not left or state in self.seen:
            return
        self.seen.add(state)
        moves: dict[Look, tuple[int, int]] = {}
        for (one, mother), (other, father) in combinations(enumerate(garden), 2):
            moves.setdefault(cross(self.laws, mother, father), (one, other))
        if score + self._hope(done, left, exact_at, self.round.target in moves) <= self.best:
            return
        gains = []
        for child, pair in moves.items():
            match = matches(child, self.round.target)
            first_exact = match == len(TRAITS) and not exact_at
            gain = child_points(match, offspring.count(child)) + (exact_bonus(done + 1) if first_exact else 0)
            gains.append((gain, child, pair, done + 1 if first_exact else exact_at))
        gains.sort(key=lambda move: -move[0])
        for gain, child, pair, exact in gains:
            self._go([*garden, child], [*line, pair], score + gain, exact)

    @staticmethod
    def _hope(done: int, left: int, exact_at: int, exact_now: bool) -> int:
        """No more than this can still be gained."""
        near, exact = FIRST_POINTS[3], FIRST_POINTS[4]
        if exact_at:
            return near * left
        if exact_now:
            return exact + exact_bonus(done + 1) + near * (left - 1)
        return near + (exact + exact_bonus(done + 2) + near * (left - 2) if left >= 2 else 0)


def best_crosses(laws: Laws, round_: Round) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Best score of a round and the pairs of ids to cross for it (children get the ids after the founders')."""
    return _Search(laws, round_).run()


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "Morning in the butterfly garden. A collector has sent the likeness of the animal she wants, and what you have is "
    "eight others: cross them two by two and come as near to it as you can. How young take after their parents is "
    "for you to find out by setting one cross beside another; chance has no part in it, and a given pair can have but "
    "one kind of child. Your founders are marked and stay for good, so the wanted look remains within reach; only "
    "what you have bred yourself can be let go."
)


def look_text(look: Look) -> str:
    color, pattern, size, antenna = (names[value] for names, value in zip(TRAITS, look, strict=True))
    return f"{color}, {pattern}, {size}, {antenna}"


def wanted_text(target: Look) -> str:
    return f"Wanted: {look_text(target)}"


def selection_text(selected: Sequence[int]) -> str:
    return " and ".join(f"#{name}" for name in selected) if selected else "none"


def animal_text(name: int, look: Look, match: int, founder: bool, picked: bool) -> str:
    return f"#{name} {look_text(look)} | {match}/4{' | founder' if founder else ''}{' | picked' if picked else ''}"


def picked_text(selected: Sequence[int]) -> str:
    if len(selected) == 1:
        return f"You set #{selected[0]} apart; it needs one more."
    return f"You set #{selected[0]} and #{selected[1]} together; they can be crossed now."


def child_text(crosses: int, name: int, look: Look, match: int, points: int, new: bool, bonus: int) -> str:
    kind = "a look not bred before" if new else "a look already bred in this round"
    text = f"Cross {crosses}: #{name} hatches, {look_text(look)}. It matches {match}/4 and is {kind}: +{points} points"
    text += f", {bonus} of them for having the wanted look so early." if bonus else "."
    if match == len(TRAITS):
        text += " It is the very animal in the picture, and the round goes on."
    if crosses == MAX_CROSSES:
        text += " That was the last cross."
    return text


NOTHING_SELECTED = "Nothing is set apart now."
OVER = "The round is over."
NOT_TWO = "A cross needs two butterflies set apart first."
GARDEN_FULL = "There is no room for another butterfly in the garden."
TWO_ALREADY = "Two are set apart already; clear them first."


def no_such_text(name: str) -> str:
    return f"There is no butterfly '{name}' in the garden."


def twice_text(name: int) -> str:
    return f"#{name} is set apart already."


def founder_text(name: int) -> str:
    return f"#{name} is a founder and stays."


def released_text(name: int) -> str:
    return f"You open the net and #{name} is gone."


def unknown_text(command: str) -> str:
    return f"Nobody in the garden understands '{command}'."


# --- the game ---------------------------------------------------------------------------------------------------


class Butterfly(Game):
    """Actions: `pick_<id>`, `clear`, `mate`, `release_<id>`; also `status` and `target`, which are not listed."""

    spec = EnvSpec(
        id="learn2play/butterfly",
        title="Butterfly Garden",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=1,
        summary="Breed a wanted butterfly in six crosses by laws of heredity that nobody tells.",
        about=(
            "Eight butterflies of four traits, a picture of a ninth, and six crosses to come near it. A pair has but "
            "one possible child; by which laws it takes after its parents is to be found out. The laws hold for the "
            "whole trial, the picture and the founders change with every episode."
        ),
    )
    shared = ("laws", "round")

    def build(self) -> None:
        self.laws = draw_laws(self.seed)

    def start(self, episode: int) -> str:
        self.round = choose_round(self.seed, episode)
        self.garden = dict(enumerate(self.round.founders))
        self.selected: list[int] = []
        self.bred: Counter[Look] = Counter()
        self.next_id = len(self.garden)
        self.crosses = self.calls = self.score = 0
        self.exact_made = self.ended = False
        self.best_match = max(matches(look, self.round.target) for look in self.round.founders)
        return f"{OPENING}\n\n{self._board()}"

    def play(self, action: str) -> Reply:
        if self.ended:
            return Reply(self._board(), False)
        self.calls += 1
        if self.calls > MAX_CALLS:
            self.ended = True
            return Reply(self._board(), False)
        command = action.strip().lower()
        if command == "status":
            return Reply(self._board())
        if command == "target":
            return Reply(wanted_text(self.round.target))
        if command == "clear":
            self.selected = []
            return Reply(NOTHING_SELECTED)
        if command == "mate":
            return self._mate()
        if command.startswith("pick_"):
            return self._pick(command.removeprefix("pick_"))
        if command.startswith("release_"):
            return self._release(command.removeprefix("release_"))
        return Reply(unknown_text(action), False)

    def valid(self) -> list[str]:
        if self.ended:
            return []
        actions: list[str] = []
        if len(self.selected) < 2:
            actions += [f"pick_{name}" for name in self.garden if name not in self.selected]
        if self.selected:
            actions.append("clear")
        if len(self.selected) == 2:
            actions.append("mate")
        return actions + [f"release_{name}" for name in self.garden if not self._founder(name)]

    def points(self) -> int:
        return self.score

    def shown_points(self) -> int:
        return self.score

    def over(self) -> bool:
        return self.ended

    def settle(self) -> str:
        self.ended = True
        return self._board()

    def solve(self, episode: int) -> Solution:
        value, pairs = best_crosses(self.laws, choose_round(self.seed, episode))
        actions = [action for one, other in pairs for action in (f"pick_{one}", f"pick_{other}", "mate")]
        return Solution(value, "exact", "branch and bound over the children of all six crosses", tuple(actions))

    def _founder(self, name: int) -> bool:
        return name < len(self.round.founders)

    def _named(self, digits: str) -> int | None:
        """The butterfly these digits name, or None where there is none."""
        try:
            name = int(digits) if digits.isdecimal() else -1  # isdecimal: no superscripts, signs or underscores
        except ValueError:  # more digits than int() reads
            return None
        return name if name in self.garden else None

    def _pick(self, digits: str) -> Reply:
        name = self._named(digits)
        if name is None:
            return Reply(no_such_text(digits), False)
        if name in self.selected:
            return Reply(twice_text(name), False)
        if len(self.selected) >= 2:
            return Reply(TWO_ALREADY, False)
        self.selected.append(name)
        return Reply(picked_text(self.selected))

    def _release(self, digits: str) -> Reply:
        name = self._named(digits)
        if name is None:
            return Reply(f"{no_such_text(digits)}\n{self._board()}", False)
        if self._founder(name):
            return Reply(f"{founder_text(name)}\n{self._board()}", False)
        del self.garden[name]
        if name in self.selected:
            self.selected.remove(name)
        return Reply(f"{released_text(name)}\n{self._board()}")

    def _mate(self) -> Reply:
        if len(self.selected) != 2:
            return Reply(f"{NOT_TWO}\n{self._board()}", False)
        if len(self.garden) >= GARDEN_SIZE:
            return Reply(f"{GARDEN_FULL}\n{self._board()}", False)
        one, other = self.selected
        child = cross(self.laws, self.garden[one], self.garden[other])
        self.crosses += 1
        match, seen = matches(child, self.round.target), self.bred[child]
        bonus = 0
        if match == len(TRAITS) and not self.exact_made:
            bonus, self.exact_made = exact_bonus(self.crosses), True
        gained = child_points(match, seen) + bonus
        name, self.next_id = self.next_id, self.next_id + 1
        self.garden[name] = child
        self.bred[child] += 1
        self.selected = []
        self.score += gained
        self.best_match = max(self.best_match, match)
        self.ended = self.crosses >= MAX_CROSSES
        text = child_text(self.crosses, name, child, match, gained, not seen, bonus)
        return Reply(f"{text}\n{self._board()}")

    def _board(self) -> str:
        target = self.round.target
        lines = [
            wanted_text(target),
            f"Crosses: {self.crosses}/{MAX_CROSSES} | Garden: {len(self.garden)}/{GARDEN_SIZE} | "
            f"Set apart: {selection_text(self.selected)}",
        ]
        for name, look in self.garden.items():
            picked = name in self.selected
            lines.append(animal_text(name, look, matches(look, target), self._founder(name), picked))
        lines.append(f"Best match so far: {self.best_match}/4 | Score: {self.score}")
        if self.ended:
            lines.append(f"{OVER} Final score: {self.score}.")
        return "\n".join(lines)


ENV = Butterfly
