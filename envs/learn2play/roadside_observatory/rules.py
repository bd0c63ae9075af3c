"""The rules of Roadside Observatory: drawing the road, what each action does, what a journey is worth."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evoplay.envs.learn2play.roadside_observatory.data import (
    ASTRONOMER,
    CLUE,
    COLLECTOR,
    DOME_ENERGY,
    DOME_SUCCESSES,
    DRIVER,
    HIKER,
    ITEM_NAMES,
    KIT,
    LANDMARKS,
    LAST_PLACE,
    MAP,
    MAX_ENERGY,
    MAX_SUPPLIES,
    MAX_TURNS,
    MECHANIC,
    NOTICE_CHANCE,
    OBSERVATORIES,
    PEOPLE,
    RANGER,
    RANGER_ENERGY,
    RECENT,
    ROAD_PLACES,
    STARTS,
    STOPS,
    TAGS_KEPT,
    THERMOS,
    TOKEN,
    TRAVELLERS,
    TYPES,
    WEATHERS,
    Person,
)

# --- the road ---------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A place on the road; `kind` is the hidden type of the person there ("" where nobody is)."""

    name: str
    distance: int
    notice: bool
    kind: str = ""
    person: Person | None = None


@dataclass(frozen=True, slots=True)
class Road:
    """What an episode draws before play; never changed afterwards."""

    traveller: str
    weather: str
    distance: int
    energy: int
    supplies: int
    cash: int
    items: dict[str, str]
    places: tuple[Place, ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> Road:
        return self


def draw_road(seed: int, episode: int) -> Road:
    """The road of an episode; the order of the draws is part of the rules."""
    rng = random.Random(f"roadside-observatory|{seed}|episode|{episode}")
    traveller, weather = rng.choice(TRAVELLERS), rng.choice(WEATHERS)
    distance, energy = rng.randint(112, 128), rng.randint(74, 88)
    supplies, cash = rng.randint(2, 4), rng.randint(3, 6)
    items = {kind: rng.choice(names) for kind, names in ITEM_NAMES.items()}
    start, landmark = rng.choice(list(STARTS)), rng.choice(list(LANDMARKS))
    observatory = rng.choice(list(OBSERVATORIES))
    stops, kinds = list(STOPS), list(TYPES)
    rng.shuffle(stops)
    rng.shuffle(kinds)
    drawn: list[tuple[str, bool, str, Person | None]] = [(start, True, "", None), (landmark, False, "", None)]
    for number, (stop, kind) in enumerate(zip(stops, kinds, strict=False)):
        person = rng.choice(PEOPLE[kind])
        drawn.append((stop, number == 0 or rng.random() < NOTICE_CHANCE, kind, person))
    road_places = list(ROAD_PLACES)
    rng.shuffle(road_places)
    drawn += [(name, rng.random() < NOTICE_CHANCE, "", None) for name in road_places[:2]]
    drawn.append((observatory, False, ASTRONOMER, rng.choice(PEOPLE[ASTRONOMER])))
    places = tuple(
        Place(name, round(distance * (LAST_PLACE - number) / LAST_PLACE), notice, kind, person)
        for number, (name, notice, kind, person) in enumerate(drawn)
    )
    return Road(traveller, weather, distance, energy, supplies, cash, items, places)


# --- a journey --------------------------------------------------------------------------------------------------

SLOW, SCENIC, RISKY, CALM = "slow_route", "took_scenic_way", "took_risky_ride", "conserved_energy"
LANDMARK, LOOKED, CHECKED_MAP = "saw_landmark", "observed_first", "checked_map"
ASKED_TRAIL, SHARED, REFUSED = "asked_trail", "shared_supplies", "refused_shortcut"

WALK, SCENIC_WALK, BUS, HITCH, RISKY_HITCH = (
    "walk main road", "walk scenic trail", "take bus", "hitch safe", "hitch risky",
)  # fmt: skip
_LISTED = {
    MECHANIC: ("observe person", "offer help", "inspect vehicle", "ask ride", "ask route", "repair gear", "leave"),
    RANGER: ("observe person", "ask weather", "ask trail", "ask shortcut", "ask route", "leave"),
    HIKER: ("observe person", "listen", "ask item", "ask route", "leave"),
    COLLECTOR: ("observe person", "listen", "tell story", "ask route", "leave"),
    DRIVER: ("observe person", "refuse offer", "question detail", "accept offer", "ask route", "leave"),
    ASTRONOMER: ("observe person", "listen", "ask route", "check map"),
}


class Event(NamedTuple):
    """Something that is told: its kind, and up to two names."""

    kind: str
    first: str = ""
    second: str = ""


@dataclass(slots=True)
class Meeting:
    """What has passed with a person."""

    first_action: str = ""
    marks: set[str] = field(default_factory=set)
    gone: bool = False


class Journey:
    """The state of an episode."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self.turn = self.at = self.risk = 0
        self.energy, self.supplies, self.cash = road.energy, road.supplies, road.cash
        self.items = [MAP]
        self.tags: list[tuple[str, int]] = []
        self.successes: set[str] = set()
        self.false_help = self.aligned = self.ended = False
        self.last_travel = ""
        self.meetings = [Meeting() for _ in road.places]
        self.events: list[Event] = []

    # --- what there is --------------------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        return self.road.places[self.at]

    @property
    def arrived(self) -> bool:
        return self.at == LAST_PLACE

    @property
    def person(self) -> Person | None:
        """The person present, if any."""
        return None if self.meetings[self.at].gone else self.place.person

    def has(self, tag: str) -> bool:
        """Whether a tag is still in the record."""
        return any(known == tag for known, _ in self.tags)

    def recent(self, tag: str) -> bool:
        """Whether a tag of the last few turns is in the record."""
        return any(known == tag and self.turn - turn <= RECENT for known, turn in self.tags)

    def actions(self) -> list[str]:
        """What may be done, listed."""
        if self.ended:
            return ["status"]
        found = ["status", "rest", "forage", "check map"]
        if not self.arrived:
            found += (WALK, SCENIC_WALK, HITCH, RISKY_HITCH)
            if self.cash > 0:
                found.append(BUS)
        if self.at == 1 and not self.has(LANDMARK):
            found.append("visit landmark")
        if self.place.notice:
            found.append("inspect noticeboard")
        if self.cash > 0 and self.supplies < MAX_SUPPLIES:
            found.append("buy supply")
        if KIT in self.items and self.risk > 0:
            found.append("repair gear")
        if self.person is not None:
            kind = self.place.kind
            found += [action for action in _LISTED[kind] if action not in found]
            if kind == HIKER:
                if self.supplies > 0:
                    found.append("share supply")
                if self.cash > 0:
                    found.append("trade cash")
            found += [f"show item {self.road.items[item]}" for item in self.items]
        return found

    # --- a turn ---------------------------------------------------------------------------------------------------

    def act(self, action: str) -> None:
        """Play a listed action (not `status`)."""
        self.turn += 1
        self.events = []
        own = _OWN_ACTIONS.get(action)
        if own is not None:
            own(self)
        else:
            self._meet(action)
        if self.turn >= MAX_TURNS:
            self.ended = True

    def score(self) -> int:
        """What the journey is worth at this moment."""
        left = MAX_TURNS - self.turn
        resources = int(0.65 * self.energy + 8 * self.supplies + 4 * self.cash)
        if self.arrived:
            total = 250 + (min(180, 100 + 5 * left) if left > 0 else 0) + 150 * self.aligned
        else:
            total = int(max(0.0, min(160.0, 160 * (1 - self.place.distance / self.road.distance))))
            resources //= 2
        knowledge = 35 * self.has(LANDMARK) + 45 * (CLUE in self.items) + 25 * (COLLECTOR in self.successes)
        total += min(100, resources) + min(400, 80 * len(self.successes)) + min(100, knowledge)
        return max(0, min(1000, total - min(80, 20 * self.risk) - 80 * self.false_help))

    def _tell(self, kind: str, first: str = "", second: str = "") -> None:
        self.events.append(Event(kind, first, second))

    def _tag(self, tag: str) -> None:
        self.tags = [*self.tags[1 - TAGS_KEPT :], (tag, self.turn)]

    def _spend(self, energy: int) -> None:
        if self.energy <= 0:
            self.risk += 1
        self.energy = max(0, self.energy - energy)

    def _receive(self, item: str) -> None:
        if item not in self.items:
            self.items.append(item)

    def _succeed(self) -> None:
        self.successes.add(self.place.kind)

    # --- one's own actions ----------------------------------------------------------------------------------------

    def _travel(self, means: str, energy: int) -> None:
        self._spend(energy)
        self.last_travel = means
        here = self.place.name
        self.at += 1
        self._tell(means, here, self.place.name)

    def _walk(self) -> None:
        self._tag(SLOW)
        self._travel(WALK, 8)

    def _walk_scenic(self) -> None:
        self._tag(SCENIC)
        self._travel(SCENIC_WALK, 10)

    def _bus(self) -> None:
        self.cash -= 1
        self._travel(BUS, 3)

    def _hitch(self) -> None:
        self._travel(HITCH, 4)

    def _hitch_risky(self) -> None:
        self.risk += 2
        self._tag(RISKY)
        self._travel(RISKY_HITCH, 3)

    def _rest(self) -> None:
        before = self.energy
        self.energy = min(MAX_ENERGY, before + 22)
        self._tag(CALM)
        self._tell("rested well" if self.energy - before >= 15 else "rested a little")

    def _forage(self) -> None:
        self._spend(5)
        self._feed("foraged")

    def _buy(self) -> None:
        self.cash -= 1
        self._feed("bought")

    def _feed(self, kind: str) -> None:
        room = self.supplies < MAX_SUPPLIES
        self.supplies += room
        self._tell(kind if room else "no room for food")

    def _check_map(self) -> None:
        self._tag(CHECKED_MAP)
        self._tell("map with clue" if CLUE in self.items else "map alone")
        self.ended = self.arrived

    def _visit(self) -> None:
        self._tag(LANDMARK)
        if TOKEN in self.items:
            self._tell("landmark again")
        else:
            self._receive(TOKEN)
            self._tell("landmark", self.road.items[TOKEN])

    def _read_notice(self) -> None:
        self._tag(LOOKED)
        self._tell("notice")

    def _repair(self) -> None:
        mended = KIT in self.items and self.risk > 0
        self.risk -= mended
        self._tell("mended" if mended else "nothing to mend")

    # --- people ---------------------------------------------------------------------------------------------------

    def _meet(self, action: str) -> None:
        meeting, kind = self.meetings[self.at], self.place.kind
        if action == "leave":
            meeting.gone = True
            self._tell("left")
            return
        meeting.first_action = meeting.first_action or action
        if action == "observe person":
            self._tag(LOOKED)
            assert self.place.person is not None
            self._tell("clue", self.place.person.clue)
            return
        shown = action.removeprefix("show item ") if action.startswith("show item ") else ""
        item = next((one for one in self.items if self.road.items[one] == shown), "")
        _ANSWERS[kind](self, meeting, action, item)

    def _mechanic(self, meeting: Meeting, action: str, item: str) -> None:
        marks = meeting.marks
        if item:
            self._tell("kit known" if item == KIT else "item looked at")
        elif action in ("offer help", "inspect vehicle"):
            if self.recent(RISKY):
                self._tell("cold shoulder")
                return
            marks.add("small_task")
            self._tag(LOOKED)
            self._tell("helped")
        elif action == meeting.first_action:
            marks.add("direct_first")
            self._tell("brushed off")
        elif "small_task" in marks and "direct_first" not in marks:
            self._succeed()
            self._receive(KIT)
            self._tell("real help")
        else:
            self._tell("not willing")

    def _ranger(self, meeting: Meeting, action: str, item: str) -> None:
        if item:
            self._tell("item looked at")
        elif action == "ask route":
            self._tell("warden's way")
        elif self.energy < RANGER_ENERGY:
            self._tell("rest before the path" if action == "ask shortcut" else "rest first")
        elif action != "ask shortcut":
            meeting.marks.add("asked_trail")
            self._tag(ASKED_TRAIL)
            self._tell("paths explained")
        elif "asked_trail" not in meeting.marks:
            self._tell("conditions first")
        elif self.last_travel == RISKY_HITCH or self.recent(RISKY):
            self._tell("rough traces")
        elif not self.has(SLOW) and not self.has(CALM):
            self._tell("steadier pace")
        else:
            self._succeed()
            self._tell("path shown")

    def _hiker(self, meeting: Meeting, action: str, item: str) -> None:
        marks = meeting.marks
        if item:
            self._tell("item looked at")
        elif action == "ask route":
            self._tell("walker's way")
        elif action == "ask item":
            if "gave" in marks:
                self._tell("no more to give")
            else:
                marks.add("gave")
                self.supplies = min(MAX_SUPPLIES, self.supplies + 1)
                self._tell("snack")
        elif action == "listen":
            marks.add("listened")
            if not self._pair(marks):
                self._tell("marked already" if HIKER in self.successes else "waits for something")
        else:
            if action == "share supply":
                self.supplies -= 1
                self._tag(SHARED)
                self._tell("food taken")
            else:
                self.cash -= 1
                self._tell("money taken")
            marks.add("paid_cost")
            self._pair(marks)

    def _pair(self, marks: set[str]) -> bool:
        """Whether paying and listening have just come together."""
        if HIKER in self.successes or not {"paid_cost", "listened"} <= marks:
            return False
        self._succeed()
        self._receive(THERMOS)
        self._receive(CLUE)
        self._tell("way marked")
        return True

    def _collector(self, meeting: Meeting, action: str, item: str) -> None:
        if action == "ask route":
            self._tell("keeper's way")
        elif action == "listen":
            self._tell("likes to hear")
        elif item and item != TOKEN:
            self._tell("item looked at")
        elif COLLECTOR in self.successes:
            self._tell("told already")
        elif self.has(LANDMARK) or TOKEN in self.items:
            self._succeed()
            self._receive(CLUE)
            self._tell("story taken")
        else:
            self._tell("story flat")

    def _driver(self, meeting: Meeting, action: str, item: str) -> None:
        marks = meeting.marks
        if item:
            self._tell("item looked at")
        elif action == "ask route":
            self._tell("pushes shortcut")
        elif action == "refuse offer":
            marks.add("refused")
            self._tag(REFUSED)
            self._tell("refused")
        elif action == "question detail":
            if "refused" in marks or meeting.first_action == action:
                marks.add("verified")
                self._tell("particulars")
            else:
                self._tell("smooth answer")
        elif "verified" in marks:
            self._succeed()
            here = self.place.name
            self.at += 1
            self._tell("good ride", here, self.place.name)
        else:
            self.false_help = True
            self.risk += 3
            self._tag(RISKY)
            self._tell("detour")

    def _astronomer(self, meeting: Meeting, action: str, item: str) -> None:
        if action == "listen":
            self._tell("comet talk")
        elif item and item != CLUE:
            self._tell("no interest")
        else:
            self.aligned = bool(item) and self.energy >= DOME_ENERGY and len(self.successes) >= DOME_SUCCESSES
            self._tell("seen well" if self.aligned else "mark too late" if item else "let in")
            self.ended = True


_OWN_ACTIONS: dict[str, Callable[[Journey], None]] = {
    WALK: Journey._walk,
    SCENIC_WALK: Journey._walk_scenic,
    BUS: Journey._bus,
    HITCH: Journey._hitch,
    RISKY_HITCH: Journey._hitch_risky,
    "rest": Journey._rest,
    "forage": Journey._forage,
    "buy supply": Journey._buy,
    "check map": Journey._check_map,
    "visit landmark": Journey._visit,
    "inspect noticeboard": Journey._read_notice,
    "repair gear": Journey._repair,
}
_ANSWERS: dict[str, Callable[[Journey, Meeting, str, str], None]] = {
    MECHANIC: Journey._mechanic,
    RANGER: Journey._ranger,
    HIKER: Journey._hiker,
    COLLECTOR: Journey._collector,
    DRIVER: Journey._driver,
    ASTRONOMER: Journey._astronomer,
}

# --- play that knows who is who -----------------------------------------------------------------------------------


def _travel_choice(journey: Journey) -> str:
    if journey.energy < 42:
        return "rest"
    if not journey.has(SLOW):
        return WALK
    return BUS if journey.cash > 1 else HITCH


def _meeting_choice(journey: Journey) -> str:
    """What the policy does with the person present, or "" when all is done."""
    kind, marks = journey.place.kind, journey.meetings[journey.at].marks
    if kind in journey.successes:
        return ""
    if kind == MECHANIC:
        return "ask ride" if "small_task" in marks else "offer help"
    if kind == RANGER:
        if journey.energy < 50:
            return "rest"
        return "ask shortcut" if "asked_trail" in marks else "ask weather"
    if kind == HIKER:
        if "paid_cost" in marks:
            return "listen"
        return "share supply" if journey.supplies > 0 else "trade cash" if journey.cash > 0 else "forage"
    if kind == COLLECTOR:
        return "tell story"
    if kind == DRIVER:
        return "accept offer" if "verified" in marks else "question detail" if "refused" in marks else "refuse offer"
    if CLUE not in journey.items:
        return "ask route"
    return "rest" if journey.energy < DOME_ENERGY else f"show item {journey.road.items[CLUE]}"


def informed_journey(road: Road) -> tuple[Journey, list[str]]:
    """A journey by the policy that reads the hidden types, and its line of actions."""
    journey, line = Journey(road), list[str]()
    while not journey.ended:
        if "visit landmark" in journey.actions():
            action = "visit landmark"
        else:
            action = (_meeting_choice(journey) if journey.person is not None else "") or _travel_choice(journey)
        journey.act(action)
        line.append(action)
    return journey, line
