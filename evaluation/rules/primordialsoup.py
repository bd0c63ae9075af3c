"""What a trial of Primordial Soup shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.envs.learn2play.primordialsoup import (
    COMPOUNDS,
    MIDDLE_MADE,
    TOO_CALM,
    TOP_MADE,
    TURN_ACTIONS,
    Spring,
    draw_spring,
)
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_LEVEL = re.compile(r"Catalyst concentration: (\d)\.|its concentration is (\d) now")
_FORMED = re.compile(r"(one|\d) primary molecules? forms?\.")
_SOUP = re.compile(r"^Soup: (.*)$", re.MULTILINE)
_PENALTY = re.compile(r"^Penalty for late turns: ([\d.]+)$", re.MULTILINE)
_MURKY = "turns murky"
_STIRRED = re.compile(r"^You stir in one unit of ([A-F])")


@dataclass
class Reaction:
    """A react: the level it showed and how many primary molecules formed."""

    level: int
    formed: int
    murky: bool


@dataclass
class Synthesis:
    """A synthesis: whether it succeeded, and what it made as far as it was shown."""

    succeeded: bool
    top: bool
    labels: frozenset[str]


@dataclass
class Run:
    """One episode as its observations tell it."""

    episode: int
    deeds: list[Reaction | Synthesis] = field(default_factory=list)
    added: set[str] = field(default_factory=set)
    primary: set[str] = field(default_factory=set)
    turns: int = 0
    penalty: float = 0.0
    too_calm: bool = False
    reacted: bool = False
    """Whether a react was tried, be it on an empty soup, where it shows no level."""

    @property
    def reactions(self) -> list[Reaction]:
        return [deed for deed in self.deeds if isinstance(deed, Reaction)]

    @property
    def syntheses(self) -> list[Synthesis]:
        return [deed for deed in self.deeds if isinstance(deed, Synthesis)]

    def middle(self) -> set[str]:
        """Labels of the middle level made."""
        return {label for made in self.syntheses if not made.top for label in made.labels}

    def murky(self) -> int:
        return sum(reaction.murky for reaction in self.reactions)

    def catalysed(self) -> bool:
        return any(reaction.level >= 2 for reaction in self.reactions)

    def catalyst_well_timed(self) -> bool:
        """Whether catalyst was used, and each react with it was followed by a success before the next react."""
        followed, waiting, used = True, False, False
        for deed in self.deeds:
            if isinstance(deed, Synthesis):
                waiting = waiting and not deed.succeeded
                continue
            followed = followed and not waiting
            waiting = deed.level >= 1
            used = used or waiting
        return used and followed and not waiting and not self.too_calm


def run_of(episode: EpisodeRecord) -> Run:
    """Read an episode back from its accepted actions and their outcomes."""
    run, before = Run(episode.episode), dict[str, int]()
    for step in episode.steps:
        act, text = step.action.strip().lower(), step.outcome
        if not step.accepted or act not in TURN_ACTIONS:
            continue
        run.turns += 1
        run.reacted = run.reacted or act == "react"
        now = _molecules(text)
        labels = frozenset(label for label in now or {} if now and now[label] > before.get(label, 0))
        if stirred := _STIRRED.match(text):
            run.added.add(stirred.group(1))
        elif act == "react" and (level := _LEVEL.search(text)):
            formed = _FORMED.search(text)
            count = 0 if formed is None else 1 if formed.group(1) == "one" else int(formed.group(1))
            run.deeds.append(Reaction(int(level.group(1) or level.group(2)), count, _MURKY in text))
            run.primary |= labels
        elif act == "synthesize":
            run.deeds.append(Synthesis(TOP_MADE in text or MIDDLE_MADE in text, TOP_MADE in text, labels))
            run.too_calm = run.too_calm or TOO_CALM in text
        if penalty := _PENALTY.search(text):
            run.penalty = float(penalty.group(1))
        before = before if now is None else now
    return run


def _molecules(text: str) -> dict[str, int] | None:
    """The molecules in the soup of a status block."""
    soup = _SOUP.search(text)
    return None if soup is None else {name: int(count) for name, count in re.findall(r"(L\w+) (\d+)", soup.group(1))}


def grade(trial: TrialRecord) -> Grades:
    """T1 the catalyst, T2 its level replaced, T3 primary recipes, T4 a middle recipe, T5 the top, T6 the penalty."""
    runs = [run_of(episode) for episode in sorted(trial.episodes, key=lambda episode: episode.episode)]
    catalysed = _after(runs, [any(reaction.level for reaction in run.reactions) for run in runs])
    return {
        "T1": _catalyst([run for run in catalysed if run.reacted]),
        "T2": _timing(catalysed),
        "T3": _primary(draw_spring(trial.seed), [run for run in runs if run.episode >= 2]),
        "T4": _middle(runs),
        "T5": _top(runs),
        "T6": _penalty(_after(runs, [run.penalty > 0 for run in runs])),
    }


def _after(runs: Sequence[Run], happened: Sequence[bool]) -> Sequence[Run]:
    """The runs after the first one in which something happened (none if it never did)."""
    return runs[list(happened).index(True) + 1 :] if True in happened else []


def _catalyst(later: Sequence[Run]) -> Grade:
    shown = sum(run.catalysed() for run in later)
    return graded(len(later) >= 2 and shown == len(later), shown >= 1)


def _timing(later: Sequence[Run]) -> Grade:
    shown = sum(run.catalyst_well_timed() for run in later)
    return graded(shown >= 2, shown == 1)


def _primary(spring: Spring, later: Sequence[Run]) -> Grade:
    pairs = (*spring.primary.values(), *spring.middle.values(), spring.top)
    useful = {spring.catalyst, *(name for pair in pairs for name in pair if name in COMPOUNDS)}
    complete = any(
        sum(reaction.formed for reaction in run.reactions) >= 3 and not run.murky() and run.added <= useful
        for run in later
    )
    return graded(complete, any(len(run.primary) >= 2 and run.murky() <= 1 for run in later))


def _middle(runs: Sequence[Run]) -> Grade:
    made = [any(one.succeeded and not one.top for one in run.syntheses) for run in runs]
    at_once = any(run.syntheses and run.syntheses[0].succeeded for run in _after(runs, made))
    again = any(run.middle() & earlier.middle() for at, run in enumerate(runs) for earlier in runs[:at])
    return graded(at_once, again)


def _top(runs: Sequence[Run]) -> Grade:
    made = [any(one.top for one in run.syntheses) for run in runs]
    clean = False
    for run in _after(runs, made):
        tried = [one.top for one in run.syntheses if one.top or not one.succeeded]
        clean = clean or (bool(tried) and tried[0])
    return graded(clean, any(made))


def _penalty(later: Sequence[Run]) -> Grade:
    early = sum(run.turns <= 30 for run in later)
    return graded(bool(later) and early == len(later), bool(later) and 2 * early >= len(later))
