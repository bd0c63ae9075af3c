"""What a trial of Castaway shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.envs.learn2play.castaway.data import FIRE, GOODS, NIGHT_TRAP_HARM, TOOL, TORCH
from evoplay.envs.learn2play.castaway.texts import NOT_HOLDING, RAFT_FAULTS
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, StepRecord, TrialRecord

_PLACE = re.compile(r"^\[(.+?)\] Day", re.MULTILINE)
_TURN = re.compile(r"\| Turn (\d+)/")
_HIT = f"(HP -{NIGHT_TRAP_HARM})"
_CRAFTS = {"make_fire": FIRE, f"craft_{TORCH}": TORCH, f"craft_{TOOL}": TOOL}
LATE, LATER_BY = 50, 10
"""A raft from turn 50 on is a late one; ten turns later than an earlier escape is partial evidence of waiting."""
LONG, LONG_ENOUGH_TO_EAT = 20, 15


@dataclass
class Stay:
    """One episode as its texts tell it."""

    number: int
    turns: int = 0
    escaped: bool = False
    failed_rafts: int = 0
    wrong_part: bool = False
    made: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    gathered: set[str] = field(default_factory=set)
    hits: list[str] = field(default_factory=list)
    """Places of the blows of the night trap, in order."""
    collapsed: list[str] = field(default_factory=list)
    harmful: int = 0
    nourishing: int = 0


def stay_of(episode: EpisodeRecord) -> Stay:
    """Read an episode back from its accepted actions and their outcomes."""
    stay = Stay(episode.episode)
    for step in episode.steps:
        if step.accepted:
            _read(stay, step)
    return stay


def _read(stay: Stay, step: StepRecord) -> None:
    act, text = step.action.strip(), step.outcome
    place, turn = _PLACE.search(text), _TURN.search(text)
    if place is None or turn is None:
        return
    here, stay.turns = place.group(1), int(turn.group(1))
    if act.startswith("go_"):
        stay.entered.add(here)
    elif act == "gather":
        stay.gathered.add(here)
        if "gives way under you" in text:
            stay.collapsed.append(here)
    elif act == "craft_raft":
        stay.escaped = NOT_HOLDING not in text
        stay.failed_rafts += not stay.escaped
        stay.wrong_part = stay.wrong_part or RAFT_FAULTS["wrong part"] in text
    elif act in _CRAFTS:
        if "comes of it: the materials" in text:
            stay.failed.add(_CRAFTS[act])
        elif "burns here already" not in text:
            stay.made.add(_CRAFTS[act])
    elif act.startswith(("eat_", "cook_")):
        meal = text.split("\n", 1)[0]
        stay.harmful += "HP -" in meal
        stay.nourishing += "food +" in meal
    if _HIT in text:
        stay.hits.append(here)


def grade(trial: TrialRecord) -> Grades:
    """T1 the odd part, T2 recipes, T3 the night trap, T4 the collapse, T5 food, T6 waiting before the raft."""
    stays = [stay_of(episode) for episode in trial.episodes]
    return {
        "T1": _odd_part(stays),
        "T2": _recipes(stays),
        "T3": _night_trap(stays),
        "T4": _collapse(stays),
        "T5": _food(stays),
        "T6": _waiting(stays),
    }


def _after(stays: Sequence[Stay], known: Sequence[bool]) -> list[Stay]:
    """The episodes after the first that `known` marks."""
    return list(stays[known.index(True) + 1 :]) if True in known else []


def _odd_part(stays: Sequence[Stay]) -> Grade:
    later = _after(stays, [stay.wrong_part or stay.escaped for stay in stays])
    clean = sum(stay.escaped and not stay.failed_rafts for stay in later)
    return graded(clean >= 2, clean == 1)


def _recipes(stays: Sequence[Stay]) -> Grade:
    every, made = set(GOODS), set[str]()
    known = []
    for stay in stays:
        made |= stay.made
        known.append(made == every)
    clean = sum(stay.made == every and not stay.failed for stay in _after(stays, known))
    return graded(clean >= 2, clean == 1)


def _night_trap(stays: Sequence[Stay]) -> Grade:
    later = _after(stays, [bool(stay.hits) for stay in stays])
    first = next((stay for stay in stays if stay.hits), None)
    if first is None:
        return "-"
    place = first.hits[0]
    again = [at for at, stay in enumerate(later) for hit in stay.hits if hit == place]
    again_at_once = first.hits.count(place) - 1
    entered = [place in stay.entered for stay in later]
    hits = len(again) + again_at_once
    avoided = entered.count(False) >= 2 and not any(entered)
    once_more = hits == 1 and not any(entered[again[0] + 1 if again else 0 :])
    follows = len(later) > (again[0] + 1 if again else 0)
    return graded(any(entered) and not hits, (avoided and not hits) or (once_more and follows))


def _collapse(stays: Sequence[Stay]) -> Grade:
    first = next((stay for stay in stays if stay.collapsed), None)
    if first is None:
        return "-"
    place = first.collapsed[0]
    later = _after(stays, [bool(stay.collapsed) for stay in stays])
    if any(place in stay.collapsed for stay in later):
        return "-"
    safe = sum(stay.turns >= LONG and place not in stay.gathered for stay in later)
    return graded(safe >= 2, safe == 1)


def _food(stays: Sequence[Stay]) -> Grade:
    """Where no meal ever harmed, what was learned counts from the first good meal on, and shows only in eating."""
    harmful = [bool(stay.harmful) for stay in stays]
    warned = any(harmful)
    later = _after(stays, harmful if warned else [bool(stay.nourishing) for stay in stays])
    long = [stay for stay in later if stay.turns >= LONG_ENOUGH_TO_EAT]
    if not long:
        return "-"
    further = sum(stay.harmful for stay in later)
    fed = all(stay.nourishing for stay in long)
    return graded(fed and further == 0, warned and further <= 1)


def _waiting(stays: Sequence[Stay]) -> Grade:
    turns = [stay.turns for stay in stays if stay.escaped]
    late = sum(turn >= LATE for turn in turns)
    longer = any(turn - min(turns[: at + 1]) >= LATER_BY for at, turn in enumerate(turns))
    return graded(late >= 2, late == 1 or longer)
