"""What a trial of the Dungeon shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.envs.learn2play.dungeon.texts import KEY_USED, MONSTER_HELD, TRAP_HELD
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_ROOM = re.compile(r"^Room (\d+) \(", re.MULTILINE)
_UNCOVERED = re.compile(r"^You feel along the walls and uncover: ([\d, ]+)\.", re.MULTILINE)
_OIL = re.compile(r"^You pour the oil over the torch: \+(\d+)", re.MULTILINE)
_LOCKED = "The door is locked"
_DARK = "The torch gutters and goes out."
_TRAP, _MONSTER = "A trap snaps shut", "A beast springs"


@dataclass
class Run:
    """One episode as its observations tell it."""

    episode: int
    locked: int = 0
    entries: list[int] = field(default_factory=list)
    """Moves made up to each entry of a treasure room, that move included."""
    searches: list[tuple[int, frozenset[int]]] = field(default_factory=list)
    """Room and uncovered exits of each search."""
    walked: list[tuple[int, int, int]] = field(default_factory=list)
    """Each move: searches made before it, room left, room entered."""
    oil: list[int] = field(default_factory=list)
    dark: bool = False
    left: bool = False
    met: dict[str, set[int]] = field(default_factory=lambda: {_TRAP: set(), _MONSTER: set()})
    held: dict[str, set[int]] = field(default_factory=lambda: {_TRAP: set(), _MONSTER: set()})

    def all_searches_walked(self) -> bool:
        """Whether there was a search and each led to a move through an exit it uncovered."""
        return bool(self.searches) and all(
            any(made > number and left == room and entered in found for made, left, entered in self.walked)
            for number, (room, found) in enumerate(self.searches)
        )


def run_of(episode: EpisodeRecord) -> Run:
    """Read an episode back from its accepted actions and their outcomes."""
    run, room = Run(episode.episode), 0
    for step in episode.steps:
        act, text = step.action.strip().lower(), step.outcome
        if not step.accepted:
            continue
        run.dark = run.dark or _DARK in text
        if act.startswith("go_"):
            entered = _ROOM.search(text)
            if entered is None:
                run.locked += _LOCKED in text
                continue
            run.walked.append((len(run.searches), room, int(entered.group(1))))
            room = int(entered.group(1))
            if KEY_USED in text:
                run.entries.append(len(run.walked))
            for kind, held in ((_TRAP, TRAP_HELD), (_MONSTER, MONSTER_HELD)):
                if kind in text:
                    run.met[kind].add(room)
                if held in text:
                    run.held[kind].add(room)
        elif act == "search" and (found := _UNCOVERED.search(text)):
            run.searches.append((room, frozenset(map(int, found.group(1).split(", ")))))
        elif act == "exit":
            run.left = True
        elif gain := _OIL.search(text):
            run.oil.append(int(gain.group(1)))
    return run


def grade(trial: TrialRecord) -> Grades:
    """T1 keys, T2 places, T3 concealed ways, T4 torch and oil, T5 boots and charm, T6 the exit bonus."""
    runs = [run_of(episode) for episode in sorted(trial.episodes, key=lambda episode: episode.episode)]
    return {
        "T1": _keys(runs),
        "T2": _places(runs),
        "T3": _concealed(runs),
        "T4": _torch(runs),
        "T5": _guards(runs),
        "T6": _exit(runs),
    }


def _after(runs: Sequence[Run], happened: Sequence[bool]) -> Sequence[Run]:
    """The runs after the first one in which something happened (none if it never did)."""
    return runs[list(happened).index(True) + 1 :] if True in happened else []


def _keys(runs: Sequence[Run]) -> Grade:
    later = _after(runs, [run.locked > 0 for run in runs])
    heeded = bool(later) and not any(run.locked for run in later)
    entered = any(run.entries for run in later)
    return graded(heeded and entered, heeded or entered)


def _places(runs: Sequence[Run]) -> Grade:
    later = _after(runs, [bool(run.entries) for run in runs])
    first = next((run.entries[0] for run in runs if run.entries), 0)
    faster = sum(bool(run.entries) and run.entries[0] < first for run in later)
    return graded(faster >= 2, faster >= 1)


def _concealed(runs: Sequence[Run]) -> Grade:
    used = sum(run.all_searches_walked() for run in _after(runs, [bool(run.searches) for run in runs]))
    return graded(used >= 2, used >= 1)


def _torch(runs: Sequence[Run]) -> Grade:
    dark = [run.dark for run in runs]
    later = _after(runs, dark) if True in dark else runs[1:]
    lit = sum(not run.dark for run in later)
    full = all(gain == 8 for run in later for gain in run.oil)
    return graded(len(later) >= 2 and lit == len(later) and full, bool(later) and 2 * lit >= len(later))


def _guards(runs: Sequence[Run]) -> Grade:
    shown = [
        any(run.held[kind] & earlier.met[kind] for at, run in enumerate(runs) for earlier in runs[:at])
        for kind in (_TRAP, _MONSTER)
    ]
    return graded(all(shown), any(shown))


def _exit(runs: Sequence[Run]) -> Grade:
    later = _after(runs, [run.left for run in runs])
    left = sum(run.left for run in later)
    return graded(len(later) >= 2 and left == len(later), bool(later) and 2 * left >= len(later))
