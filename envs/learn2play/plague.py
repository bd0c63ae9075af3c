"""Plague Doctor: a street of twenty, fourteen days, and a sickness that comes from somewhere.

Re-shuffled: all rules and numbers stay, seed and episode decide who brings the sickness.
Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

VILLAGERS = 20
NAMES = "ABCDEFGHIJKLMNOPQRST"
DAYS = 14
ACTION_POINTS = 4
CELLS = 3
WORST = 3
"""The highest severity anyone survives."""
IMMUNE_NIGHTS = 1
NIGHTS_PER_REACH = 2
"""A carrier's reach, 1 at first, grows by one in so many nights."""
MAX_TURNS = 140
FIRST_CARRIER, SECOND_CARRIER = (2, 8), (11, 17)


# --- rules ------------------------------------------------------------------------------------------------------


def draw_carriers(seed: int, episode: int) -> tuple[int, int]:
    """Who carries the sickness in an episode (from 1)."""
    rng = random.Random(f"{seed}|carriers|{episode - 1}")
    return rng.randint(*FIRST_CARRIER), rng.randint(*SECOND_CARRIER)


def reach_of(age: int) -> int:
    """How far a carrier infects who has been free for so many nights."""
    return 1 + age // NIGHTS_PER_REACH


@dataclass(frozen=True)
class NightReport:
    """What a night brought: who fell ill and who died."""

    infected: tuple[int, ...]
    dead: tuple[int, ...]


@dataclass
class Street:
    """The state of all villagers."""

    carriers: tuple[int, int]
    ages: list[int] = field(default_factory=lambda: [0, 0])
    alive: list[bool] = field(default_factory=lambda: [True] * VILLAGERS)
    severity: list[int] = field(default_factory=lambda: [0] * VILLAGERS)
    immunity: list[int] = field(default_factory=lambda: [0] * VILLAGERS)
    quarantined: list[bool] = field(default_factory=lambda: [False] * VILLAGERS)

    def __deepcopy__(self, memo: dict[int, object]) -> Street:
        """A copy without the detour of the general deep copy: everything here is a flat list."""
        return Street(
            self.carriers,
            self.ages[:],
            self.alive[:],
            self.severity[:],
            self.immunity[:],
            self.quarantined[:],
        )

    def night(self) -> NightReport:
        """One night; who is infected is decided before the sick grow worse and takes effect after."""
        infected = self._exposed()
        dead = []
        for villager, severity in enumerate(self.severity):
            if not severity:
                continue
            self.severity[villager] = severity + 1
            if severity + 1 > WORST:
                dead.append(villager)
                self.alive[villager] = self.quarantined[villager] = False
                self.severity[villager] = 0
        for villager in infected:
            self.severity[villager] = 1
        self.immunity = [max(nights - 1, 0) for nights in self.immunity]
        return NightReport(tuple(infected), tuple(dead))

    def _exposed(self) -> list[int]:
        """Who falls ill tonight; carriers at large grow older first."""
        near: set[int] = set()
        for at, carrier in enumerate(self.carriers):
            if not self.quarantined[carrier]:
                self.ages[at] += 1
                reach = reach_of(self.ages[at])
                near.update(range(max(carrier - reach, 0), min(carrier + reach + 1, VILLAGERS)))
        near.difference_update(self.carriers)
        return [
            villager
            for villager in sorted(near)
            if self.alive[villager]
            and not self.quarantined[villager]
            and not self.severity[villager]
            and not self.immunity[villager]
        ]


def score_of(living: int) -> int:
    """Points for so many villagers alive."""
    return round(100 * living / VILLAGERS)


def plan_actions(carriers: tuple[int, int]) -> list[str]:
    """Wait for the first night, lock up who stands between the sick, cure all four, let the days pass."""
    one, other = carriers
    return [
        "end_day",
        *(f"quarantine_{carrier}" for carrier in carriers),
        *(f"treat_{villager}" for villager in (one - 1, one + 1)),
        *(f"treat_{villager}" for villager in (other - 1, other - 1, other + 1, other + 1)),
        *["end_day"] * (DAYS - 3),
    ]


# --- texts ------------------------------------------------------------------------------------------------------

TITLE = "Plague Doctor"
LEGEND = (
    f"(A is villager 0, T villager {VILLAGERS - 1}; . healthy, a digit: ill and how badly, [ ] quarantined, x dead)"
)
NO_VILLAGER = "There is no such villager."
INVALID = "Invalid action."
FULL = f"The quarantine is full ({CELLS} cells)."
OUTBREAK_OVER = "The outbreak is over."


def names(villagers: Iterable[int]) -> str:
    return ", ".join(NAMES[villager] for villager in villagers)


def street_text(street: Street) -> str:
    marks = []
    for name, alive, severity, locked in zip(NAMES, street.alive, street.severity, street.quarantined, strict=True):
        mark = str(severity or ".") if alive else "x"
        marks.append(f"{name}[{mark}]" if locked else f"{name}{mark}")
    return f"Street: {' '.join(marks)}\n{LEGEND}"


def header_text(day: int, points: int, street: Street) -> str:
    living = street.alive.count(True)
    return (
        f"Day {min(day, DAYS)} of {DAYS} | Action points {points} of {ACTION_POINTS} | "
        f"Alive {living} of {VILLAGERS} (sick {VILLAGERS - street.severity.count(0)}) | "
        f"Quarantined {street.quarantined.count(True)} of {CELLS} | Score {score_of(living)} of 100"
    )


def report_text(report: NightReport) -> str:
    text = f"In the night {len(report.infected)} fell ill"
    text += f": {names(report.infected)}." if report.infected else "."
    return f"{text} Died: {names(report.dead)}." if report.dead else text


def end_text(living: int) -> str:
    return f"{OUTBREAK_OVER} Survivors: {living} of {VILLAGERS}. Score: {score_of(living)} of 100."


def view_text(header: str, message: str, reports: Sequence[NightReport], end: str, street: str) -> str:
    lines = (header, message, *(report_text(report) for report in reports), end, street)
    return "\n".join(line for line in lines if line)


def recovered_text(villager: int) -> str:
    return f"You treat {NAMES[villager]}, who recovers and is immune for {IMMUNE_NIGHTS} day."


def eased_text(villager: int, severity: int) -> str:
    return f"You treat {NAMES[villager]}; the illness eases to severity {severity}."


def no_symptoms_text(villager: int) -> str:
    return f"{NAMES[villager]} shows no symptoms."


def locked_text(villager: int) -> str:
    return f"{NAMES[villager]} goes into quarantine and neither spreads nor catches anything any more."


def already_locked_text(villager: int) -> str:
    return f"{NAMES[villager]} is already quarantined."


def released_text(villager: int) -> str:
    return f"{NAMES[villager]} is released from quarantine."


def not_locked_text(villager: int) -> str:
    return f"{NAMES[villager]} is not quarantined."


def already_dead_text(villager: int) -> str:
    return f"{NAMES[villager]} is already dead."


# --- the game ---------------------------------------------------------------------------------------------------


def villager_number(text: str) -> int | None:
    """The villager a text of decimal digits names, or None."""
    if not text.isdecimal():
        return None
    try:
        number = int(text)
    except ValueError:  # more digits than a number may have
        return None
    return number if number < VILLAGERS else None


class Plague(Game):
    """Actions: `treat_i`, `quarantine_i`, `release_i`, `end_day`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/plague",
        title="Plague Doctor",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=2,
        summary="Keep a street of twenty alive through fourteen days of a plague of unknown origin.",
        about=(
            "Twenty villagers live in a row of houses when a sickness breaks out. The doctor has a few actions a day "
            "to treat the sick, three cells to isolate whom she likes, and every morning a report of who fell ill "
            "during the night. How the plague spreads is for her to find out, and each episode it breaks out anew."
        ),
    )

    def start(self, episode: int) -> str:
        self.street = Street(draw_carriers(self.seed, episode))
        self.day = 1
        self.action_points = ACTION_POINTS
        self.turns = 0
        self.message = ""
        self.reports: list[NightReport] = []
        return f"{TITLE}\n{self._view()}"

    def play(self, action: str) -> Reply:
        if action == "status" or self.over():
            return Reply(self._view(), action == "status")
        self.turns += 1
        self.message, self.reports = "", []
        if self.turns > MAX_TURNS:
            return Reply(self.settle(), False)  # the action itself is ignored
        act = action.strip()
        if act == "end_day":
            self._night()
            return Reply(self._view())
        self.message, done = self._act(act)
        if done:
            self.action_points -= 1
            if self.action_points == 0:
                self._night()
        return Reply(self._view(), done)

    def valid(self) -> list[str]:
        street = self.street
        listed: list[str] = []
        room = street.quarantined.count(True) < CELLS
        for villager in range(VILLAGERS):
            if not street.alive[villager]:
                continue
            if street.severity[villager]:
                listed.append(f"treat_{villager}")
            if street.quarantined[villager]:
                listed.append(f"release_{villager}")
            elif room:
                listed.append(f"quarantine_{villager}")
        return [*listed, "end_day", "status"]

    def points(self) -> int:
        return score_of(self.street.alive.count(True))

    def shown_points(self) -> int:
        return self.points()

    def over(self) -> bool:
        return self.day > DAYS

    def settle(self) -> str:
        """The remaining nights pass without a doctor."""
        self.message, self.reports = "", []
        while not self.over():
            self._night()
        return self._view()

    def solve(self, episode: int) -> Solution:
        actions = plan_actions(draw_carriers(self.seed, episode))
        return Solution(100, "exact", "both sources isolated on day 2 and their first victims cured", tuple(actions))

    def _view(self) -> str:
        street = self.street
        end = end_text(street.alive.count(True)) if self.over() else ""
        header = header_text(self.day, self.action_points, street)
        return view_text(header, self.message, self.reports, end, street_text(street))

    def _night(self) -> None:
        self.reports.append(self.street.night())
        self.day += 1
        self.action_points = ACTION_POINTS

    def _act(self, act: str) -> tuple[str, bool]:
        """Do something to a villager: the message, and whether it was done."""
        verb, separator, index = act.partition("_")
        if not separator:
            return INVALID, False
        villager = villager_number(index)
        if villager is None:
            return NO_VILLAGER, False
        if not self.street.alive[villager]:
            return already_dead_text(villager), False
        if verb == "treat":
            return self._treat(villager)
        if verb == "quarantine":
            return self._quarantine(villager)
        return self._release(villager) if verb == "release" else (INVALID, False)

    def _treat(self, villager: int) -> tuple[str, bool]:
        street = self.street
        if not street.severity[villager]:
            return no_symptoms_text(villager), False
        street.severity[villager] -= 1
        if street.severity[villager]:
            return eased_text(villager, street.severity[villager]), True
        street.immunity[villager] = IMMUNE_NIGHTS
        return recovered_text(villager), True

    def _quarantine(self, villager: int) -> tuple[str, bool]:
        if self.street.quarantined[villager]:
            return already_locked_text(villager), False
        if self.street.quarantined.count(True) >= CELLS:
            return FULL, False
        self.street.quarantined[villager] = True
        return locked_text(villager), True

    def _release(self, villager: int) -> tuple[str, bool]:
        if not self.street.quarantined[villager]:
            return not_locked_text(villager), False
        self.street.quarantined[villager] = False
        return released_text(villager), True


ENV = Plague
