"""The rules of Lost and Found: drawing the cases, who knows what, who hears what, what a decision is worth."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evoplay.envs.learn2play.lost_and_found.data import (
    ARCHETYPES,
    ASSOCIATE,
    BIOGRAPHIES,
    CASES,
    CHECKS,
    CLAIMANTS,
    FINDER,
    FIRST_NAMES,
    ISOLATION,
    LATE_TOPICS,
    MIMIC,
    MODES,
    NEUTRAL_EVENTS,
    OPENINGS,
    OWNER,
    PRIVACY,
    PRIVATE,
    PUBLIC,
    ROLES,
    TOPICS,
    TRUST,
)

# --- a case -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """What is drawn for a case; never changed afterwards. `facts` is the text of each fact by its id."""

    item: str
    surface: str
    names: Mapping[str, str]
    biographies: Mapping[str, str]
    roles: Mapping[str, str]
    speaking: tuple[str, ...]
    openings: Mapping[str, int]
    echo_topic: str
    was_open: bool
    facts: Mapping[str, str]
    relevant: tuple[str, str]
    decoy: tuple[str, str]
    order: tuple[str, ...]
    """Every action that can ever be listed in this case, in the order of listing."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Case:
        return self

    def claimant(self, role: str) -> str:
        """The id of the claimant with this role."""
        return next(claimant for claimant, own in self.roles.items() if own == role)


FINDER_TIMELINE = "in by the far side of the park, and the thing still in use past the hour at which it was handed in"
ASSOCIATE_TIMELINE = "in by the far side of the park, and the thing still in use past the visit that is on record"


def context_of(purpose: str) -> str:
    """What somebody close to the owner has heard of the purpose."""
    if "because " in purpose:
        return f"because {purpose.partition('because ')[2]}"
    if "after" in purpose:
        return "something went wrong with it once, and it was altered then"
    return "it has been altered in some way of one's own, for daily use"


def draw_cases(seed: int, episode: int) -> tuple[Case, ...]:
    """The three cases of an episode."""
    digest = hashlib.sha256(f"lost_and_found:{seed}:{episode}".encode()).digest()
    stream = random.Random(int.from_bytes(digest[:8], "big"))
    return tuple(
        _draw_case(random.Random(stream.getrandbits(64)), f"lost_and_found:actions:{seed}:{episode}:{number}:")
        for number in range(CASES)
    )


def _draw_case(rng: random.Random, salt: str) -> Case:
    """One case; the order of the draws is part of the rules."""
    archetype = ARCHETYPES[rng.choice(list(ARCHETYPES))]
    bundle = rng.choice(archetype.bundles)
    line = rng.randrange(2)
    surface, scene, item = rng.choice(archetype.surfaces), rng.choice(archetype.scenes), rng.choice(archetype.names)
    rng.sample(range(NEUTRAL_EVENTS), 2)
    names, biographies = rng.sample(FIRST_NAMES, 4), rng.sample(BIOGRAPHIES, 4)
    roles = list(ROLES)
    rng.shuffle(roles)
    role_of = dict(zip(CLAIMANTS, roles, strict=True))
    was_open = rng.random() < 0.45
    imperfection = rng.randrange(OPENINGS[OWNER])
    speaking = list(CLAIMANTS)
    rng.shuffle(speaking)
    openings = {
        claimant: imperfection if role_of[claimant] == OWNER else rng.randrange(OPENINGS[role_of[claimant]])
        for claimant in speaking
    }
    timeline = f"{archetype.orders[line]}, and {bundle.last_place} last"
    relevant, decoy = archetype.relevant[line], archetype.decoys[line]
    return Case(
        item=item,
        surface=surface,
        names=dict(zip(CLAIMANTS, names, strict=True)),
        biographies=dict(zip(CLAIMANTS, biographies, strict=True)),
        roles=role_of,
        speaking=tuple(speaking),
        openings=openings,
        echo_topic=rng.choice(TOPICS),
        was_open=was_open,
        facts={
            "recovery": scene,
            "concealed": bundle.marker,
            "relationship": bundle.purpose,
            "timeline": timeline,
            "last_use": timeline,
            "shallow": bundle.shallow,
            "associate_context": context_of(bundle.purpose),
            "finder_timeline": FINDER_TIMELINE,
            "associate_timeline": ASSOCIATE_TIMELINE,
        },
        relevant=relevant,
        decoy=decoy,
        order=_order(salt, (relevant[0], decoy[0])),
    )


def question(claimant: str, topic: str, mode: str) -> str:
    """The action that asks a claimant."""
    return f"interview {claimant} about {topic} {mode}"


_PLAIN = ("status", "store item", "close_office", "inspect item privately", "open item publicly")
_ALL = (
    *_PLAIN, "inspect recovery_tag", "release isolated claimant",
    *(f"return item to {claimant}" for claimant in CLAIMANTS),
    *(f"isolate {claimant}" for claimant in CLAIMANTS),
    *(question(claimant, topic, mode) for claimant in CLAIMANTS for topic in TOPICS for mode in MODES),
    *(question(claimant, topic, PUBLIC) for claimant in CLAIMANTS for topic in LATE_TOPICS),
)  # fmt: skip


def _order(salt: str, records: tuple[str, ...]) -> tuple[str, ...]:
    actions = (*_ALL, *(f"check {record}" for record in records))
    return tuple(sorted(actions, key=lambda action: hashlib.sha256((salt + action).encode()).digest()))


# --- who knows what ---------------------------------------------------------------------------------------------

KNOWN, HEARD, SCENE, CONTEXT, INCOMPATIBLE, UNSURE = (
    "known", "heard", "scene", "context", "incompatible", "unsure",
)  # fmt: skip
_KNOWLEDGE: dict[tuple[str, str], tuple[str, str]] = {
    (OWNER, "concealed_detail"): ("concealed", KNOWN),
    (OWNER, "relationship"): ("relationship", KNOWN),
    (OWNER, "loss_timeline"): ("timeline", KNOWN),
    (OWNER, "last_use"): ("last_use", KNOWN),
    (FINDER, "loss_timeline"): ("finder_timeline", INCOMPATIBLE),
    (FINDER, "last_use"): ("finder_timeline", INCOMPATIBLE),
    (FINDER, "recovery_scene"): ("recovery", SCENE),
    (ASSOCIATE, "relationship"): ("associate_context", CONTEXT),
    (ASSOCIATE, "loss_timeline"): ("associate_timeline", INCOMPATIBLE),
    (ASSOCIATE, "last_use"): ("last_use", CONTEXT),
}
_SEQUENCES = frozenset({"timeline", "last_use", "finder_timeline", "associate_timeline"})
_ECHOES = {
    "concealed_detail": frozenset({"concealed", "shallow"}),
    "relationship": frozenset({"relationship", "associate_context"}),
    "loss_timeline": _SEQUENCES,
    "last_use": _SEQUENCES,
    "recovery_scene": frozenset({"recovery"}),
}
"""Facts that can answer a topic, for one who only repeats."""

Hearing = tuple[int, int]


def answer(case: Case, role: str, topic: str, heard: Mapping[str, Hearing]) -> tuple[str, str]:
    """The fact ("" for none) and the kind of an answer; `heard` is what the mimic has heard, with turn and number."""
    if role == MIMIC:
        echoes = [fact for fact in heard if fact in _ECHOES[topic]]
        return (max(echoes, key=lambda fact: (heard[fact], fact)), HEARD) if echoes else ("", UNSURE)
    if role == FINDER and topic == "concealed_detail" and case.was_open:
        return "shallow", KNOWN
    return _KNOWLEDGE.get((role, topic), ("", UNSURE))


# --- a shift ----------------------------------------------------------------------------------------------------

CORRECT, WRONG, STORED, CLOSING = "correct", "wrong", "stored", "closing"
_TRUST_CHANGE = {CORRECT: 4, WRONG: -18, STORED: -3, CLOSING: 0}
_POINTS = {WRONG: -220, STORED: -45, CLOSING: -65}


class Interview(NamedTuple):
    """An answer given: turn, who, about what, how, the fact ("" for none), its kind, whether it was asked before."""

    turn: int
    claimant: str
    topic: str
    mode: str
    fact: str
    kind: str
    repeated: bool


@dataclass(slots=True)
class Desk:
    """What has happened in a case so far."""

    turns: int = 0
    inspected: bool = False
    opened: bool = False
    tag_seen: bool = False
    isolated: str = ""
    asked: set[str] = field(default_factory=set)
    asked_of: dict[str, int] = field(default_factory=dict)
    interviews: list[Interview] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)
    first_public: dict[str, int] = field(default_factory=dict)
    heard: dict[str, Hearing] = field(default_factory=dict)
    exposures: int = 0

    def independent(self, claimant: str, fact: str) -> bool:
        """Whether this claimant told a fact no later than it was first said in public."""
        return any(
            one.claimant == claimant and one.fact == fact and self.first_public.get(fact, one.turn) >= one.turn
            for one in self.interviews
        )


class Decision(NamedTuple):
    """How a case ended."""

    result: str
    item: str
    points: int
    turns: int
    parts: tuple[bool, bool, bool]


class Shift:
    """The state of an episode."""

    def __init__(self, cases: tuple[Case, ...]) -> None:
        self.cases = cases
        self.turn = 0
        self.privacy, self.isolation, self.checks, self.trust = PRIVACY, ISOLATION, CHECKS, TRUST
        self.decisions: list[Decision] = []
        self.desk = Desk()
        self.ended = False

    @property
    def case(self) -> Case:
        """The case on the counter (the last one when the shift is over)."""
        return self.cases[min(len(self.decisions), CASES - 1)]

    def actions(self) -> list[str]:
        """What may be done, listed."""
        if self.ended:
            return ["status"]
        case, desk = self.case, self.desk
        hidden = set(desk.asked)
        if desk.inspected or self.privacy <= 0:
            hidden.add("inspect item privately")
        if desk.opened:
            hidden.add("open item publicly")
        if desk.tag_seen or not desk.asked:
            hidden.add("inspect recovery_tag")
        if not desk.isolated:
            hidden.add("release isolated claimant")
        hidden.add(f"isolate {desk.isolated}")
        for claimant in CLAIMANTS:
            if self.privacy <= 0:
                hidden.update(_PRIVATE_QUESTIONS[claimant])
            if self.isolation <= 0:
                hidden.add(f"isolate {claimant}")
            asked = desk.asked_of.get(claimant, 0)
            hidden.update(_LATE_QUESTIONS[claimant][asked])
        for record, _ in (case.relevant, case.decoy):
            if self.checks <= 0 or record in desk.checked:
                hidden.add(f"check {record}")
        return [action for action in case.order if action not in hidden]

    # --- what an action does --------------------------------------------------------------------------------------

    def begin_turn(self) -> None:
        self.turn += 1
        self.desk.turns += 1

    def ask(self, claimant: str, topic: str, mode: str) -> Interview:
        """Put a question; a public answer with a fact is heard by all who are present."""
        case, desk = self.case, self.desk
        fact, kind = answer(case, case.roles[claimant], topic, desk.heard)
        command = question(claimant, topic, mode)
        given = Interview(self.turn, claimant, topic, mode, fact, kind, command in desk.asked)
        desk.interviews.append(given)
        if command not in desk.asked:
            desk.asked.add(command)
            desk.asked_of[claimant] = desk.asked_of.get(claimant, 0) + 1
        if mode == PRIVATE:
            self.privacy -= 1
        elif fact:
            self._expose(fact)
        return given

    def inspect(self) -> None:
        self.privacy -= 1
        self.desk.inspected = True

    def open(self) -> None:
        self.desk.opened = True
        self._change_trust(-4)
        self._expose("shallow")
        self._expose("concealed")

    def isolate(self, claimant: str) -> None:
        self.isolation -= 1
        self._change_trust(-1)
        self.desk.isolated = claimant

    def check(self, record: str) -> None:
        self.checks -= 1
        self.desk.checked.add(record)

    def decide(self, recipient: str = "") -> None:
        """Return the item to a claimant, or store it; the next case opens, or the shift ends."""
        right = recipient == self.case.claimant(OWNER)
        self._close_case(STORED if not recipient else CORRECT if right else WRONG)
        self.ended = len(self.decisions) == CASES

    def close(self) -> None:
        """End the shift: whatever is unresolved is stored by force."""
        while len(self.decisions) < CASES:
            self._close_case(CLOSING)
        self.ended = True

    def listeners(self) -> list[str]:
        """Claimants who hear what is said in public, in the order of their ids."""
        return [claimant for claimant in CLAIMANTS if claimant != self.desk.isolated]

    def parts(self) -> tuple[bool, bool, bool]:
        """Which of the three proofs the owner of this case has given: marker, relationship, timeline."""
        case, desk, owner = self.case, self.desk, self.case.claimant(OWNER)
        return (
            (desk.inspected or desk.opened) and desk.independent(owner, "concealed"),
            desk.independent(owner, "relationship"),
            case.relevant[0] in desk.checked and desk.independent(owner, "timeline"),
        )

    def score(self) -> int:
        """The score of a shift that is over."""
        total = 100 + sum(decision.points for decision in self.decisions)
        total += round(0.45 * self.trust) + 3 * self.privacy + 5 * self.checks
        return max(0, min(1000, total))

    def _expose(self, fact: str) -> None:
        desk = self.desk
        desk.exposures += 1
        desk.first_public.setdefault(fact, self.turn)
        if self.case.claimant(MIMIC) != desk.isolated:
            desk.heard[fact] = (self.turn, desk.exposures)

    def _change_trust(self, change: int) -> None:
        self.trust = max(0, min(100, self.trust + change))

    def _close_case(self, result: str) -> None:
        parts, turns = self.parts(), self.desk.turns
        points = _POINTS.get(result, 0)
        if result == CORRECT:
            points = 180 + 30 * sum(parts) + (40 if all(parts) else 0) + max(0, 24 - 3 * max(0, turns - 5))
        self._change_trust(_TRUST_CHANGE[result])
        self.decisions.append(Decision(result, self.case.item, points, turns, parts))
        self.desk = Desk()


_PRIVATE_QUESTIONS = {
    claimant: frozenset(question(claimant, topic, PRIVATE) for topic in TOPICS) for claimant in CLAIMANTS
}
_LATE_QUESTIONS = {
    claimant: [
        frozenset(question(claimant, topic, PUBLIC) for topic, needed in LATE_TOPICS.items() if asked < needed)
        for asked in range(2 * (len(TOPICS) + len(LATE_TOPICS)) + 1)
    ]
    for claimant in CLAIMANTS
}
"""By claimant and number of different questions asked: the late questions that are not listed yet."""


def full_knowledge_line(cases: tuple[Case, ...]) -> list[str]:
    """Play that knows owner and record of each case and takes all three proofs in six turns a case."""
    line: list[str] = []
    for case in cases:
        owner = case.claimant(OWNER)
        line += [
            "inspect item privately",
            question(owner, "concealed_detail", PRIVATE),
            question(owner, "relationship", PUBLIC),
            question(owner, "loss_timeline", PUBLIC),
            f"check {case.relevant[0]}",
            f"return item to {owner}",
        ]
    return line
