"""Haunted Inn: eight rooms, a queue of guests, and a ghost with tastes of its own.

Re-shuffled: the house and what the ghost cannot bear come from the seed, the guests from seed and episode.
Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

FEES = {"merchant": 30, "scholar": 20, "child": 10, "crone": 15, "actor": 25}
TYPES = tuple(FEES)
LANTERN = "lantern"
LANTERN_CHANCE = 0.35
PLAIN = "plain"
FEATURES = ("mirror", "window", "dark", "shrine")
ROOMS = 8
CROWD = 3
"""So many guests of the taboo's type are too many."""
FEWEST_GUESTS, MOST_GUESTS = 6, 8


class Guest(NamedTuple):
    """A guest as seen at the door."""

    type: str
    lantern: bool

    @property
    def fee(self) -> int:
        return FEES[self.type]

    def bears(self, trait: str) -> bool:
        """Whether the guest is of this type or, for the lantern, carries one."""
        return self.lantern if trait == LANTERN else self.type == trait


class House(NamedTuple):
    """What a seed decides: the rooms' features and the three taboos."""

    features: tuple[str, ...]
    feature: str
    trait: str
    """In a room with `feature` the ghost bears no guest with `trait`, a type or the lantern."""
    neighbours: tuple[str, str]
    crowd: str


Seats = Sequence[Guest | None]
"""Who sits in each room, None for a vacant one."""


# --- rules ------------------------------------------------------------------------------------------------------


def draw_house(seed: int) -> House:
    """The house of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    features = [*FEATURES, *[PLAIN] * (ROOMS - len(FEATURES))]
    rng.shuffle(features)
    by_type = rng.choice((True, False))
    neighbours = (rng.choice(TYPES), rng.choice(TYPES))
    crowd = rng.choice(TYPES)
    trait = rng.choice(TYPES) if by_type else LANTERN
    return House(tuple(features), rng.choice(FEATURES), trait, neighbours, crowd)


def draw_guests(seed: int, episode: int) -> tuple[Guest, ...]:
    """The queue of an episode, first in line first."""
    rng = random.Random(seed * 1000 + episode)
    count = rng.randint(FEWEST_GUESTS, MOST_GUESTS)
    return tuple(Guest(rng.choice(TYPES), rng.random() < LANTERN_CHANCE) for _ in range(count))


class Origins(NamedTuple):
    """Rooms (from 0) where each taboo fires."""

    feature: frozenset[int]
    neighbours: frozenset[int]
    crowd: frozenset[int]

    @property
    def any(self) -> frozenset[int]:
        return self.feature | self.neighbours | self.crowd


def origins_of(house: House, seats: Seats) -> Origins:
    """Where the taboos fire in an arrangement; each is judged by itself."""
    feature = {
        room
        for room, guest in enumerate(seats)
        if guest is not None and house.features[room] == house.feature and guest.bears(house.trait)
    }
    neighbours: set[int] = set()
    for room, (left, right) in enumerate(pairwise(seats)):
        if left is not None and right is not None and (left.type, right.type) in _both_ways(house.neighbours):
            neighbours |= {room, room + 1}
    crowd = {room for room, guest in enumerate(seats) if guest is not None and guest.type == house.crowd}
    return Origins(frozenset(feature), frozenset(neighbours), frozenset(crowd if len(crowd) >= CROWD else ()))


def _both_ways(pair: tuple[str, str]) -> tuple[tuple[str, str], tuple[str, str]]:
    return pair, (pair[1], pair[0])


def fled_from(seats: Seats, origins: frozenset[int]) -> frozenset[int]:
    """Rooms whose guests flee: every unbroken row of occupied rooms with an origin in it empties whole."""
    fled: set[int] = set()
    for origin in origins:
        for way in (-1, 1):
            room = origin
            while 0 <= room < len(seats) and seats[room] is not None:
                fled.add(room)
                room += way
    return frozenset(fled)


def revenue(seats: Seats, fled: frozenset[int]) -> int:
    """Fees of those who stay the night."""
    return sum(guest.fee for room, guest in enumerate(seats) if guest is not None and room not in fled)


class Plan(NamedTuple):
    """The best takings and who then sits where."""

    value: int
    seats: tuple[Guest | None, ...]


def best_plan(house: House, guests: Sequence[Guest]) -> Plan:
    """Exact optimum over all seatings.

    Whoever flees pays nothing, and taking all of them out of the house breaks no new taboo: some best seating breaks
    none at all. So rooms are filled from the left with such seatings only, remembering what the rest depends on.
    """
    kinds = sorted(set(guests))
    counts = Counter(guests)
    barred = _both_ways(house.neighbours)

    @cache
    def best_from(room: int, left: str, crowd: int, remaining: tuple[int, ...]) -> Plan:
        if room == ROOMS or not any(remaining):
            return Plan(0, (None,) * (ROOMS - room))
        rest = best_from(room + 1, "", crowd, remaining)
        best = Plan(rest.value, (None, *rest.seats))
        for at, guest in enumerate(kinds):
            crowding = crowd + (guest.type == house.crowd)
            if (
                not remaining[at]
                or crowding >= CROWD
                or (left, guest.type) in barred
                or (house.features[room] == house.feature and guest.bears(house.trait))
            ):
                continue
            fewer = (*remaining[:at], remaining[at] - 1, *remaining[at + 1 :])
            rest = best_from(room + 1, guest.type, crowding, fewer)
            if guest.fee + rest.value > best.value:
                best = Plan(guest.fee + rest.value, (guest, *rest.seats))
        return best

    return best_from(0, "", 0, tuple(counts[kind] for kind in kinds))


def plan_actions(guests: Sequence[Guest], plan: Plan) -> list[str]:
    """The plan as play: the queue in its order, each to a room of the plan or turned away, then the night."""
    rooms: dict[Guest, list[int]] = {}
    for room, guest in enumerate(plan.seats, start=1):
        if guest is not None:
            rooms.setdefault(guest, []).append(room)
    actions = [f"room_{rooms[guest].pop(0)}" if rooms.get(guest) else "turn_away" for guest in guests]
    return [*actions, "open"]


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "You keep an old inn at the edge of the moor: eight rooms in a row, and each of them shows its peculiarity to "
    "anyone who looks in. Every round a new queue of guests forms at your door. Give each guest a room or turn them "
    "away; with `open` the night begins, and with it the round is settled and over.\n"
    "The inn is haunted. Nobody sees the ghost, but some arrangements are not to its liking, and it frightens the "
    "guests concerned out of the house, their fee with them. What it cannot bear nobody will tell you: you must work "
    "it out from the rooms where trouble broke out and from the guests who ran. Its taboos never change in this house, "
    "while each round brings other guests. Every guest who stays the night pays; take in as much as you can."
)
FEATURE_NAMES = {
    "mirror": "a tall mirror",
    "window": "a wide window",
    "dark": "dark, without any light",
    "shrine": "a small shrine",
    PLAIN: "plain",
}
SEAT_HINT = "Use `room_N` to give this guest a room, or `turn_away`."
OPEN_HINT = "Nobody is left at the door. Use `open` to begin the night."
NOBODY_LEFT = "Nobody is waiting at the door any more; `open` begins the night."
NO_SUCH_ROOM = f"There is no such room; the inn has rooms 1 to {ROOMS}."
ROUND_OVER = "This round is over; the night has passed."


def guest_text(guest: Guest) -> str:
    return f"{guest.type} with a lantern" if guest.lantern else guest.type


def situation_text(
    episode: int, house: House, seats: Seats, waiting: Sequence[Guest], takings: int, settled: bool
) -> str:
    lines = [f"Round {episode}"]
    for room, (feature, guest) in enumerate(zip(house.features, seats, strict=True), start=1):
        lines.append(f"Room {room} ({FEATURE_NAMES[feature]}): {guest_text(guest) if guest else 'vacant'}")
    if waiting:
        guest = waiting[0]
        lines.append(f"At the door: {guest_text(guest)}, pays {guest.fee}. Guests left in the queue: {len(waiting)}")
    lines.append(f"Takings so far: {takings}")
    if not settled:
        lines.append(SEAT_HINT if waiting else OPEN_HINT)
    return "\n".join(lines)


def night_text(house: House, seats: Seats, origins: frozenset[int], fled: frozenset[int], takings: int) -> str:
    if fled:
        lines = ["After midnight doors fly open and feet rush down the stairs."]
        for room in sorted(fled):
            guest = seats[room]
            assert guest is not None
            why = "the disturbance started here" if room in origins else "panicked because of what happened next door"
            lines.append(f"Room {room + 1} ({FEATURE_NAMES[house.features[room]]}): {guest_text(guest)} fled; {why}.")
        lines.append("Everyone else slept through and stayed.")
    else:
        lines = ["A quiet night. The boards creak, nothing more."]
    return "\n".join([*lines, f"Takings: {takings}", f"The round is over. Total of this round: {takings}"])


def taken_text(room: int) -> str:
    return f"Room {room} is taken."


def vacant_text(room: int) -> str:
    return f"Room {room} is already empty."


def unknown_text(action: str) -> str:
    return f"'{action}' is nothing an innkeeper does. Usable: room_1 to room_{ROOMS}, turn_away, open."


def called_back_text(room: int) -> str:
    return f"The guest of room {room} gathers their things and goes back to the door."


# --- the game ---------------------------------------------------------------------------------------------------


def room_number(text: str) -> int | None:
    """The room (from 1) a text names, read as leniently as `int` reads; None where there is no such room."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if 1 <= number <= ROOMS else None


class HauntedInn(Game):
    """Actions: `room_N`, `turn_away`, `empty_N`, `open`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/hauntedinn",
        title="Haunted Inn",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=2,
        summary="Room a queue of guests in an inn whose ghost dislikes arrangements it never explains.",
        about=(
            "Eight rooms in a row, a queue of guests at the door and one night to earn their fees. An unseen ghost "
            "takes offence at some arrangements and frightens guests away, and all one learns is who ran from where. "
            "The house and its ghost stay the same over the episodes while other guests come, so what counts is what "
            "has been understood, not what has been memorised."
        ),
    )
    shared = ("house", "guests")

    def build(self) -> None:
        self.house = draw_house(self.seed)

    def start(self, episode: int) -> str:
        self.episode = episode
        # Replaced, never changed in place: seats and queue hold positions in it.
        self.guests = draw_guests(self.seed, episode)
        self.waiting = list(range(len(self.guests)))
        self.rooms: list[int | None] = [None] * ROOMS
        self.takings = 0
        self.settled = False
        return f"{OPENING}\n\n{self._situation()}"

    def play(self, action: str) -> Reply:
        act = action.strip().lower()
        if act == "status":
            return Reply(self._situation())
        if self.settled:
            return Reply(ROUND_OVER, False)
        if act == "open":
            return Reply(self._open())
        if act == "turn_away":
            return self._turn_away()
        if act.startswith("room_"):
            return self._seat(act.removeprefix("room_"))
        if act.startswith("empty_"):
            return self._empty(act.removeprefix("empty_"))
        return Reply(unknown_text(action), False)

    def valid(self) -> list[str]:
        if self.settled:
            return []
        listed: list[str] = []
        if self.waiting:
            listed = [f"room_{number}" for number, held in enumerate(self.rooms, start=1) if held is None]
            listed.append("turn_away")
        listed += [f"empty_{number}" for number, held in enumerate(self.rooms, start=1) if held is not None]
        return [*listed, "open", "status"]

    def points(self) -> int:
        return self.takings

    def shown_points(self) -> int:
        return self.takings

    def over(self) -> bool:
        return self.settled

    def solve(self, episode: int) -> Solution:
        guests = draw_guests(self.seed, episode)
        plan = best_plan(self.house, guests)
        how = "search over all seatings that break no taboo"
        return Solution(plan.value, "exact", how, tuple(plan_actions(guests, plan)))

    def seats(self) -> list[Guest | None]:
        """Who sits in each room."""
        return [None if held is None else self.guests[held] for held in self.rooms]

    def _situation(self) -> str:
        waiting = [self.guests[number] for number in self.waiting]
        return situation_text(self.episode, self.house, self.seats(), waiting, self.takings, self.settled)

    def _turn_away(self) -> Reply:
        if not self.waiting:
            return Reply(NOBODY_LEFT, False)
        self.waiting.pop(0)
        return Reply(self._situation())

    def _seat(self, text: str) -> Reply:
        if not self.waiting:
            return Reply(NOBODY_LEFT, False)
        room = room_number(text)
        if room is None:
            return Reply(NO_SUCH_ROOM, False)
        if self.rooms[room - 1] is not None:
            return Reply(taken_text(room), False)
        self.rooms[room - 1] = self.waiting.pop(0)
        return Reply(self._situation())

    def _empty(self, text: str) -> Reply:
        room = room_number(text)
        if room is None:
            return Reply(NO_SUCH_ROOM, False)
        guest = self.rooms[room - 1]
        if guest is None:
            return Reply(vacant_text(room), False)
        self.rooms[room - 1] = None
        self.waiting.insert(0, guest)
        return Reply(f"{called_back_text(room)}\n{self._situation()}")

    def _open(self) -> str:
        seats = self.seats()
        origins = origins_of(self.house, seats).any
        fled = fled_from(seats, origins)
        self.takings, self.settled = revenue(seats, fled), True
        return night_text(self.house, seats, origins, fled, self.takings)


ENV = HauntedInn
