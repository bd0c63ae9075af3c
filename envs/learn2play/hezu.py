"""Roommates: nine guests, three triple rooms, and a question nobody answers: who gets on with whom.

Re-shuffled: likes, dislikes and special trios come from the seed, the guests from seed and episode.
Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

TYPES = ("Night Owl", "Neat Freak", "Extrovert", "Homebody", "Foodie")
TRIO_ORDER = ("Foodie", "Night Owl", "Neat Freak", "Extrovert", "Homebody")
"""The order in which trios of types are listed before they are drawn from."""
GUESTS = 9
ROOMS = (1, 2, 3)
BEDS = 3
FEWEST_TYPES = 3
BONUSES = (5, 5, -5)
"""Worth of the special trios, in the order they are drawn."""
PAIR_VALUES = (0, 1, -1, -1, 1)
"""Worth of a pair by the distance of its types on the ring."""
CALIBRATIONS, ATTEMPTS = 40, 400
ASSIGN = {room: [f"assign_{guest}_{room}" for guest in range(GUESTS)] for room in ROOMS}
"""The action that puts each guest into a room."""
LEAST_TARGET = 2

Trio = tuple[str, str, str]
Guests = tuple[str, ...]
Partition = tuple[tuple[int, ...], ...]


# --- rules ------------------------------------------------------------------------------------------------------


class House(NamedTuple):
    """What a seed decides: the ring of types and the special trios; `harmony` is what any three types are worth."""

    ring: tuple[str, ...]
    special: Mapping[Trio, int]
    harmony: Mapping[Trio, int]


def trio_of(types: Sequence[str]) -> Trio:
    """Three types as the trio they are, in the order trios are kept in."""
    first, second, third = sorted(types, key=TRIO_ORDER.index)
    return first, second, third


def draw_house(seed: int) -> House:
    """The house of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    ring = list(TYPES)
    rng.shuffle(ring)
    trios: list[Trio] = list(combinations_with_replacement(TRIO_ORDER, 3))
    rng.shuffle(trios)
    special = dict(zip(trios, BONUSES, strict=False))
    place = {kind: at for at, kind in enumerate(ring)}
    harmony: dict[Trio, int] = {
        trio: pair_sum(place, trio) + special.get(trio_of(trio), 0)
        for trio in product(TYPES, TYPES, TYPES)  # in every seating order, so that looking up needs no sorting
    }
    return House(tuple(ring), special, harmony)


def pair_sum(place: Mapping[str, int], types: Sequence[str]) -> int:
    """What the pairs among some types are worth, given their places on the ring."""
    return sum(PAIR_VALUES[(place[a] - place[b]) % len(TYPES)] for a, b in combinations(types, 2))


@cache
def partitions() -> tuple[Partition, ...]:
    """All ways to put the nine into three rooms, rooms not told apart."""

    def split(left: tuple[int, ...]) -> Iterator[Partition]:
        if not left:
            yield ()
            return
        first, *others = left
        for mates in combinations(others, BEDS - 1):
            for rest in split(tuple(guest for guest in others if guest not in mates)):
                yield ((first, *mates), *rest)

    return tuple(split(tuple(range(GUESTS))))


@cache
def _partitions_by_number() -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int, int], ...]]:
    """All rooms of three, and the partitions as positions in that list."""
    rooms = tuple(combinations(range(GUESTS), BEDS))
    number = {room: at for at, room in enumerate(rooms)}
    return rooms, tuple((number[a], number[b], number[c]) for a, b, c in partitions())


def totals(house: House, guests: Guests) -> list[int]:
    """The total harmony of every partition, in their order."""
    rooms, parts = _partitions_by_number()
    worth = [house.harmony[guests[a], guests[b], guests[c]] for a, b, c in rooms]
    return [worth[a] + worth[b] + worth[c] for a, b, c in parts]


def best_total(house: House, guests: Guests) -> int:
    """The exact optimum over all partitions."""
    return max(totals(house, guests))


def draw_guests(key: str) -> Guests:
    """Nine guests of at least three types."""
    rng = random.Random(key)
    while True:
        guests = tuple(rng.choice(TYPES) for _ in range(GUESTS))
        if len(set(guests)) >= FEWEST_TYPES:
            return guests


def target_of(house: House, seed: int) -> int:
    """The optimum every episode of a seed has: the most frequent one of a sample, the larger of equals."""
    optima = [best_total(house, draw_guests(f"{seed}-cal-{number}")) for number in range(CALIBRATIONS)]
    counts = Counter(optimum for optimum in optima if optimum >= LEAST_TARGET)
    return max(counts, key=lambda value: (counts[value], value), default=LEAST_TARGET)


def guests_of(house: House, target: int, seed: int, episode: int) -> Guests:
    """The guests of an episode (from 1): the first draw whose optimum is the target, else the nearest one."""
    key = f"{seed}-round-{episode - 1}"
    nearest: Guests = ()
    gap = -1
    for attempt in range(ATTEMPTS):
        guests = draw_guests(f"{key}-try{attempt}" if attempt else key)
        off = abs(best_total(house, guests) - target)
        if off == 0:
            return guests
        if gap < 0 or off < gap:
            nearest, gap = guests, off
    return nearest


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "You are a letting agent with three triple rooms to let, and nine guests are standing in your office with their "
    "suitcases. Each of them has a personality that nobody could miss. Decide who moves in with whom."
)
COMMANDS = (
    f"Commands: assign_<guest>_<room> puts guest 0-{GUESTS - 1} into room {ROOMS[0]}-{ROOMS[-1]}; move_in settles the "
    "matter and needs three guests in every room."
)
QUALITIES = ((3, "a dream team"), (1, "pleasant company"), (0, "polite distance"), (-2, "frequent quarrels"))
WORST = "open war"
FORMAT = "That is not understood: write assign_<guest>_<room> with two whole numbers."
OUT_OF_RANGE = f"Guests are numbered 0 to {GUESTS - 1} and rooms {ROOMS[0]} to {ROOMS[-1]}."
NOT_FULL = "Not everybody has a bed yet: every room needs three guests before they move in."


def quality(harmony: int) -> str:
    """The word for a room's harmony."""
    return next((word for least, word in QUALITIES if harmony >= least), WORST)


def shown(guests: Guests) -> tuple[str, ...]:
    """How each guest is called."""
    return tuple(f"{number} {kind}" for number, kind in enumerate(guests))


def view_text(names: Sequence[str], rooms: Mapping[int, Sequence[int]], unplaced: Sequence[int]) -> str:
    lines = [f"Guests: {', '.join(names)}"]
    for room, held in rooms.items():
        lines.append(f"Room {room} ({len(held)}/{BEDS}): {', '.join([names[guest] for guest in held]) or 'empty'}")
    if unplaced:
        lines.append(f"Without a room: {', '.join([names[guest] for guest in unplaced])}")
    return "\n".join([*lines, COMMANDS])


def settled_text(names: Sequence[str], rooms: Mapping[int, Sequence[int]], harmony: Mapping[int, int]) -> str:
    lines = ["The keys are handed over. A month later you call on your tenants."]
    for room, held in rooms.items():
        tenants = ", ".join(names[guest] for guest in held)
        lines.append(f"Room {room}: {tenants}. It is {quality(harmony[room])}: harmony {harmony[room]:+d}")
    return "\n".join([*lines, f"Total harmony: {sum(harmony.values()):+d}"])


def unknown_text(action: str) -> str:
    return f"'{action}' is no command here."


# --- the game ---------------------------------------------------------------------------------------------------


class Hezu(Game):
    """Actions: `assign_<guest>_<room>`, `move_in`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/hezu",
        title="Roommates",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=1,
        summary="Put nine guests into three rooms without being told who gets on with whom.",
        about=(
            "A letting agent has three triple rooms and nine guests whose personalities are plain to see. Some people "
            "live well together and some do not; how well shows only once all of them have moved in, as a number for "
            "every room. New guests come in every episode, so what carries over is insight into people."
        ),
    )
    shared = ("house", "target", "guests", "names")

    def build(self) -> None:
        self.house = draw_house(self.seed)
        self.target = target_of(self.house, self.seed)

    def start(self, episode: int) -> str:
        # Replaced, never changed in place.
        self.guests = guests_of(self.house, self.target, self.seed, episode)
        self.names = shown(self.guests)
        # A guest who moves keeps the rank of the first placement, as keys of a dict do.
        self.room_of: dict[int, int] = {}
        self.total: int | None = None
        return f"{OPENING}\n\n{self._view()}"

    def play(self, action: str) -> Reply:
        act = action.strip()
        if act == "status" or self.over():
            return Reply(self._view(), act == "status")
        if act.startswith("assign_"):
            return self._assign(act)
        if act != "move_in":
            return self._answer(unknown_text(action), False)
        # Listed at all times, so never illegal, though it may be too early.
        return self._answer(NOT_FULL, True) if len(self.room_of) < GUESTS else Reply(self._settle())

    def valid(self) -> list[str]:
        if self.over():
            return ["status"]
        held = list(self.room_of.values())
        free = [room for room in ROOMS if held.count(room) < BEDS]
        moves = [ASSIGN[room][guest] for guest in range(GUESTS) for room in free if self.room_of.get(guest) != room]
        return [*moves, "move_in", "status"]

    def points(self) -> int:
        return self.total or 0

    def shown_points(self) -> int | None:
        return self.total

    def over(self) -> bool:
        return self.total is not None

    def solve(self, episode: int) -> Solution:
        guests = guests_of(self.house, self.target, self.seed, episode)
        values = totals(self.house, guests)
        best = max(values)
        rooms = zip(ROOMS, partitions()[values.index(best)], strict=True)
        actions = [f"assign_{guest}_{room}" for room, held in rooms for guest in held]
        return Solution(best, "exact", "search over all 280 partitions", (*actions, "move_in"))

    def rooms(self) -> dict[int, list[int]]:
        """Who lives in each room, in the order of their first placement."""
        return {room: [guest for guest, chosen in self.room_of.items() if chosen == room] for room in ROOMS}

    def _view(self) -> str:
        unplaced = [guest for guest in range(GUESTS) if guest not in self.room_of]
        return view_text(self.names, self.rooms(), unplaced)

    def _answer(self, outcome: str, accepted: bool) -> Reply:
        return Reply(f"{outcome}\n{self._view()}", accepted)

    def _assign(self, act: str) -> Reply:
        pieces = act.split("_")
        if len(pieces) != 3:
            return self._answer(FORMAT, False)
        try:
            guest, room = int(pieces[1]), int(pieces[2])
        except ValueError:
            return self._answer(FORMAT, False)
        if not 0 <= guest < GUESTS or room not in ROOMS:
            return self._answer(OUT_OF_RANGE, False)
        if self.room_of.get(guest) == room:
            return self._answer(f"Guest {guest} is in room {room} already.", False)
        if list(self.room_of.values()).count(room) >= BEDS:
            return self._answer(f"Room {room} is full.", False)
        self.room_of[guest] = room
        return self._answer(f"Guest {guest} takes a bed in room {room}.", True)

    def _settle(self) -> str:
        rooms = self.rooms()
        harmony = {room: self.house.harmony[trio_of([self.guests[g] for g in held])] for room, held in rooms.items()}
        self.total = sum(harmony.values())
        return settled_text(self.names, rooms, harmony)


ENV = Hezu
