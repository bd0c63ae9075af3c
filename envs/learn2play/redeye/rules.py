"""The rules of RedEye: places, people, what they know, and what every command does to a loop.

A loop is an immutable state; `act` gives the next one with the event that took place. No sentence stands here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

LAST_SEGMENT = 30
LAST_RADIO = 24
"""The last segment at whose beginning the coast can be reached."""
CLUES_NEEDED = 2
MILESTONE = 20
WIN = 100

NEIGHBOURS = {
    "hardseat": ("vestibule", "dining", "platform"),
    "vestibule": ("hardseat", "firstclass", "platform"),
    "dining": ("hardseat", "window", "platform"),
    "firstclass": ("vestibule", "platform"),
    "window": ("dining", "platform"),
    "platform": ("hardseat", "vestibule", "dining", "firstclass", "window"),
}
START = "hardseat"
HOME = {
    "graycoat": "vestibule",
    "suit": "firstclass",
    "oldman": "window",
    "caller": "hardseat",
    "capped": "dining",
    "backpacker": "hardseat",
}
PEOPLE = tuple(HOME)
CULPRIT, ALLY = "suit", "graycoat"
PRESENT = {place: tuple(person for person in PEOPLE if HOME[person] == place) for place in NEIGHBOURS}
VERBS = ("talk", "examine", "confront", "comfort", "restrain")
AT_PLACE = {"dining": "search", "platform": "ask_ground", "vestibule": "disarm"}

Fact = Literal["story", "device", "link", "evidence", "clue"]
LAYERS: Mapping[str, tuple[tuple[Fact, ...], ...]] = {
    "graycoat": ((), (), ("story",), ("clue", "link"), ("evidence",)),
    "suit": ((), (), ()),
    "oldman": ((), ("clue", "link")),
    "caller": (("clue",),),
    "capped": (("device",),),
    "backpacker": (("clue",),),
}
"""What each layer of a person's talk sets."""
GUARDED_LAYER = 2
"""The culprit's layer that needs a lever against him."""

Outcome = Literal["", "dozed", "left", "sunk", "failed", "one_end", "won"]
Event = Literal[
    "unknown", "moved", "unreachable", "absent",
    "told", "withheld", "silent", "noticed", "searched", "no_reception", "crew",
    "radio_elsewhere", "radio_late", "radio_refused", "radio_called", "radio_again",
    "wrong_person", "no_evidence", "too_vague", "exposed", "exposed_again",
    "no_comfort", "comfort_early", "comfort_ignorant", "trusted", "trusted_again",
    "restrained_ally", "restrained_other",
    "disarm_elsewhere", "disarm_alone", "disarm_blind", "one_end", "won",
]  # fmt: skip
NEVER_LISTED = frozenset({"unknown", "unreachable", "absent", "no_reception", "radio_elsewhere", "disarm_elsewhere"})


class Loop(NamedTuple):
    """One loop as it stands. `told` counts the layers heard, in the order of PEOPLE."""

    place: str = START
    segment: int = 0
    told: tuple[int, ...] = (0,) * len(PEOPLE)
    examined: frozenset[str] = frozenset()
    clues: frozenset[str] = frozenset()
    story: bool = False
    device: bool = False
    link: bool = False
    evidence: bool = False
    exposed: bool = False
    called: bool = False
    trusted: bool = False
    outcome: Outcome = ""
    score: int = 0

    @property
    def ended(self) -> bool:
        return bool(self.outcome)

    @property
    def milestones(self) -> int:
        return self.evidence + self.exposed + self.called + self.trusted

    @property
    def radio_reaches(self) -> bool:
        return self.segment <= LAST_RADIO


class Act(NamedTuple):
    """What a command did: the loop after it, the event, whom it concerned, and the layer heard."""

    loop: Loop
    event: Event
    person: str = ""
    layer: int = 0


BOARDING = Loop()


@cache
def listed_at(place: str) -> tuple[str, ...]:
    """The advertised actions of a running loop at a place, in order."""
    actions = ["look", *(f"go_{neighbour}" for neighbour in NEIGHBOURS[place])]
    actions += [f"{verb}_{person}" for person in PRESENT[place] for verb in VERBS]
    if place in AT_PLACE:
        actions.append(AT_PLACE[place])
    return (*actions, "tell_crew")


def act(loop: Loop, command: str) -> Act:
    """Apply a command (stripped, lower-case, neither `look` nor `status`) to a running loop."""
    if command == "tell_crew":
        return _spend(loop, "crew")
    if command == "search":
        return _spend(loop._replace(evidence=True), "searched") if loop.place == "dining" else Act(loop, "no_reception")
    if command == "ask_ground":
        return _ask_ground(loop)
    if command == "disarm":
        return _disarm(loop)
    verb, underscore, target = command.partition("_")
    if not underscore:
        return Act(loop, "unknown")
    if verb == "go":
        return _go(loop, target)
    if verb not in VERBS or (target not in HOME and verb != "restrain"):
        return Act(loop, "unknown")
    if HOME.get(target) != loop.place:
        return Act(loop, "absent", target)
    return _ON_PERSON[verb](loop, target)


def _spend(loop: Loop, event: Event, person: str = "", layer: int = 0) -> Act:
    """Let a segment pass after what was done; the last one sinks the ship."""
    loop = loop._replace(segment=loop.segment + 1)
    if loop.segment >= LAST_SEGMENT:
        loop = loop._replace(outcome="sunk", score=MILESTONE * loop.milestones)
    return Act(loop, event, person, layer)


def _fail(loop: Loop, event: Event, person: str = "") -> Act:
    """End the loop at once; no segment passes."""
    return Act(loop._replace(outcome="failed", score=MILESTONE * loop.milestones), event, person)


def _go(loop: Loop, place: str) -> Act:
    if place not in NEIGHBOURS:
        return Act(loop, "unknown")
    if place not in NEIGHBOURS[loop.place]:
        return Act(loop, "unreachable")
    return _spend(loop._replace(place=place), "moved")


def _ask_ground(loop: Loop) -> Act:
    if loop.place != "platform":
        return Act(loop, "radio_elsewhere")
    if not loop.radio_reaches:
        return Act(loop, "radio_late")
    if not loop.evidence:
        return _spend(loop, "radio_refused")
    if loop.called:
        return Act(loop, "radio_again")
    return _spend(loop._replace(called=True), "radio_called")


def _disarm(loop: Loop) -> Act:
    if loop.place != "vestibule":
        return Act(loop, "disarm_elsewhere")
    if not loop.trusted:
        return _fail(loop, "disarm_alone")
    if not loop.device:
        return _fail(loop, "disarm_blind")
    if loop.called and loop.exposed:
        return Act(loop._replace(outcome="won", score=WIN), "won")
    return Act(loop._replace(outcome="one_end", score=MILESTONE * loop.milestones), "one_end")


def _talk(loop: Loop, person: str) -> Act:
    at = PEOPLE.index(person)
    layer = loop.told[at]
    if layer >= len(LAYERS[person]):
        return Act(loop, "silent", person)
    if person == CULPRIT and layer == GUARDED_LAYER and not loop.link:
        return _spend(loop, "withheld", person)
    facts = LAYERS[person][layer]
    heard = loop._replace(
        told=(*loop.told[:at], layer + 1, *loop.told[at + 1 :]),
        clues=loop.clues | {person} if "clue" in facts else loop.clues,
        story=loop.story or "story" in facts,
        device=loop.device or "device" in facts,
        link=loop.link or "link" in facts,
        evidence=loop.evidence or "evidence" in facts,
    )
    return _spend(heard, "told", person, layer)


def _examine(loop: Loop, person: str) -> Act:
    seen = loop._replace(examined=loop.examined | {person}, device=loop.device or person == ALLY)
    return _spend(seen, "noticed", person)


def _confront(loop: Loop, person: str) -> Act:
    if person != CULPRIT:
        return _fail(loop, "wrong_person", person)
    if not loop.evidence:
        return _fail(loop, "no_evidence", person)
    if len(loop.clues) < CLUES_NEEDED:
        return _fail(loop, "too_vague", person)
    if loop.exposed:
        return Act(loop, "exposed_again", person)
    return _spend(loop._replace(exposed=True), "exposed", person)


def _comfort(loop: Loop, person: str) -> Act:
    if person != ALLY:
        return _spend(loop, "no_comfort", person)
    if not loop.exposed:
        return _fail(loop, "comfort_early", person)
    if not loop.story:
        return _fail(loop, "comfort_ignorant", person)
    if loop.trusted:
        return Act(loop, "trusted_again", person)
    return _spend(loop._replace(trusted=True), "trusted", person)


def _restrain(loop: Loop, person: str) -> Act:
    return _fail(loop, "restrained_ally" if person == ALLY else "restrained_other", person)


_ON_PERSON = {"talk": _talk, "examine": _examine, "confront": _confront, "comfort": _comfort, "restrain": _restrain}


@cache
def shortest_win() -> tuple[str, ...]:
    """A shortest winning line, by breadth-first search.

    The clock is left out, as it binds no line so short, and so is who was looked at, as only what it tells matters.
    """
    came: dict[Loop, tuple[Loop, str] | None] = {BOARDING: None}
    queue = deque([BOARDING])
    while queue:
        loop = queue.popleft()
        for command in listed_at(loop.place)[1:-1]:
            if command.startswith("restrain_"):
                continue
            after = act(loop, command).loop
            if after.outcome == "won":
                came[after] = (loop, command)
                return _line(came, after)
            after = after._replace(segment=0, examined=frozenset())
            if not after.ended and after not in came:
                came[after] = (loop, command)
                queue.append(after)
    raise RuntimeError("no line wins")


def _line(came: Mapping[Loop, tuple[Loop, str] | None], last: Loop) -> tuple[str, ...]:
    commands: list[str] = []
    step = came[last]
    while step is not None:
        loop, command = step
        commands.append(command)
        step = came[loop]
    return tuple(reversed(commands))
