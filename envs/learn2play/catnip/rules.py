"""The rules of Catnip Singularity: the state, how a text is read, and what it does; no sentences."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Literal, NamedTuple

from evoplay.envs.learn2play.catnip.data import (
    ACTIONS,
    ALIASES,
    BONUS_PER_TURN,
    CALMING,
    CAT_OF,
    CATS,
    CHAOS,
    COMFORT,
    ENERGY_DRINK,
    EXHAUSTED,
    EXHAUSTION,
    FIRST_WORDS,
    FOND,
    FORCEFUL,
    ITEM_MOVES,
    ITEMS,
    KICK_OUT,
    LAST,
    MAX_TURNS,
    MISSING_ITEM,
    NO_WAY_OUT,
    REFUSED,
    STARE_NERVES,
    START_STATS,
    STAT_WORTH,
    TARGETS,
    TOO_EARLY,
    UNKNOWN_ACTION,
    UNKNOWN_ITEM,
    Gain,
    Move,
    Penalty,
    Target,
)
from evoplay.envs.learn2play.events import Event

Phase = Literal["choose", "play", "menu"]
LOOKS, INVENTORIES = frozenset({"look", "status", "l"}), frozenset({"inventory", "inv", "i"})
FREE = LOOKS | INVENTORIES
ALWAYS_LISTED = ("look", "inventory", "status")
_BLANKS = re.compile(r"\s+")
_LETTER = re.compile(r"\b([a-z])\b")
_KEYWORDS = {"takeover": 0, "partnership": 1, "espionage": 2}
TIRED = (0.5, 0.6, 0.75, 0.9)
"""Share of a gain in influence that is left at energy 0, 1, 2, 3."""


@dataclass(slots=True)
class State:
    """A cat at work. `streak` counts uses of `last` in a row; `tier` is frozen while the menu is open."""

    rng: random.Random
    phase: Phase = "choose"
    done: bool = False
    turn: int = 0
    cat: str | None = None
    progress: int = 0
    target: int = 0
    influence: int = 0
    affection: int = TARGETS[0].affection
    stress: int = TARGETS[0].stress
    suspicion: int = TARGETS[0].suspicion
    last: str | None = None
    streak: int = 0
    tier: int = -1
    stats: dict[str, int] = field(default_factory=lambda: dict(START_STATS))
    items: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ITEMS, 0) | {ENERGY_DRINK: 1})

    def __deepcopy__(self, memo: object) -> State:
        twin = State(random.Random(0))
        for name in _PLAIN:
            setattr(twin, name, getattr(self, name))
        twin.rng.setstate(self.rng.getstate())
        twin.stats, twin.items = self.stats.copy(), self.items.copy()
        return twin

    @property
    def person(self) -> Target:
        return TARGETS[self.target]


_PLAIN = tuple(item.name for item in fields(State) if item.name not in ("rng", "stats", "items"))


class Outcome(NamedTuple):
    """What a step did: events in order, warnings, and whether the text was a legal action."""

    events: list[Event]
    warnings: list[str]
    accepted: bool


# --- arithmetic -------------------------------------------------------------------------------------------------


def noticed(delta: int, stealth: int) -> int:
    """A change of suspicion after stealth: rises shrink (or grow, below 5), falls stay."""
    return delta if delta <= 0 else round(delta * max(0, 1 - 0.12 * (stealth - 5)))


def drowsiness(stress: int) -> int:
    """Influence lost on a target of so little stress."""
    return 4 if stress < 10 else 2 if stress < 22 else 0


def wearied(influence: int, energy: int) -> int:
    """A gain in influence after weariness."""
    return influence if influence <= 0 or energy >= len(TIRED) else round(influence * TIRED[energy])


def tier_of(influence: int, target: Target) -> int:
    """The highest tier reached (0, 1, 2), or -1."""
    return sum(influence >= threshold for threshold in target.tiers) - 1


def jitter_of(energy: int) -> int:
    """Half width of the jitter on every roll."""
    return 1 if energy >= 7 else 2 if energy >= 4 else 4


def preferences(move: Move, target: Target) -> tuple[int, int, int, int]:
    """What a target's tastes add to influence, affection, stress and suspicion."""
    influence = affection = stress = suspicion = 0
    if move.modality in target.modalities:
        influence, affection = 2, 2
    else:
        influence = -1
    if COMFORT in target.temperaments:
        if move.style == CALMING:
            influence, affection, stress = influence + 2, affection + 2, stress - 3
        else:
            influence, suspicion = influence - 1, suspicion + 2
    if CHAOS in target.temperaments:
        if move.style == FORCEFUL:
            influence, stress = influence + 2, stress + 2
        else:
            influence -= 1
    return influence, affection, stress, suspicion


def final_score(progress: int, turn: int) -> int:
    """Score of an ended game. The order of the operations matters at ties."""
    return round((max(0, MAX_TURNS - turn) * BONUS_PER_TURN + 1) * progress)


def score(state: State) -> int:
    """The score at this moment."""
    return final_score(state.progress, state.turn) if state.done else state.progress


# --- reading a text ---------------------------------------------------------------------------------------------


def normalised(action: str) -> str:
    return _BLANKS.sub(" ", action.strip().lower())


def item_named(text: str) -> str | None:
    """The item a text asks for, without a leading `use `."""
    name = text.removeprefix("use ").replace("-", " ").strip()
    if name in ALIASES:
        return ALIASES[name]
    words = name.split()
    return FIRST_WORDS.get(words[0]) if words else None


def choice_in(text: str, target: Target) -> int | None:
    """The option (0, 1, 2) a text chooses from the menu, or None."""
    letter = _LETTER.search(text)
    if letter and letter.group(1) in "abc":
        return "abc".index(letter.group(1))
    for word, option in _KEYWORDS.items():
        if word in text:
            return option
    return next((number for number, option in enumerate(target.options) if option.name.lower() in text), None)


def valid_actions(state: State) -> list[str]:
    """The listed actions, sorted."""
    if state.done:
        return sorted(ALWAYS_LISTED)
    held = tuple(item for item, count in state.items.items() if count) if state.phase == "play" else ()
    return list(_listed(state.phase, held, state.target == LAST))


@cache
def _listed(phase: Phase, held: tuple[str, ...], at_last: bool) -> tuple[str, ...]:
    names = set(ALWAYS_LISTED)
    if phase == "choose":
        names |= CAT_OF.keys()
    elif phase == "menu":
        names |= {"a", "b", "c", "convert a", "convert b", "convert c"}
    else:
        names |= {*ACTIONS, "convert"}
        names |= {f"use {item.lower()}" for item in held}
        if not at_last:
            names.add("exit")
    return tuple(sorted(names))


# --- a step -----------------------------------------------------------------------------------------------------


def advance(state: State, text: str) -> Outcome:
    """Play a normalised text in a game that is not over."""
    if state.phase == "choose":
        return _choose(state, text)
    before = (state.target, state.stress, state.suspicion, state.stats["energy"])
    if state.phase == "menu":
        events, spent, accepted = _in_menu(state, text)
    else:
        events, spent, accepted = _in_play(state, text)
    warnings: list[str] = []
    if state.target == before[0] and not state.done:
        warnings = _warnings(state, *before[1:])
        if state.suspicion >= KICK_OUT:
            events.append(Event("kicked out", state.person.id))
            _next_target(state, events)
    if spent:
        state.turn += 1
        if state.turn >= MAX_TURNS and not state.done and state.phase != "menu":
            state.done = True
            events.append(Event("time up"))
    return Outcome(events, warnings, accepted)


_Played = tuple[list[Event], bool, bool]
"""Events, whether a turn was spent, whether the text was legal."""


def _choose(state: State, text: str) -> Outcome:
    if text in FREE:
        return Outcome([Event("choose first")], [], True)
    key = CAT_OF.get(text)
    if key is None:
        return Outcome([Event("no such cat")], [], False)
    cat = CATS[key]
    state.cat, state.phase = key, "play"
    for stat, change in cat.stats.items():
        _raise(state, stat, change)
    if cat.item:
        state.items[cat.item] += 1
    return Outcome([Event("cat", key)], [], True)


def _in_play(state: State, text: str) -> _Played:
    if text in ACTIONS:
        _chain(state, text)
        return [_cat_action(state, text)], True, True
    if text.startswith("use ") or text in ALIASES:
        return _item(state, text)
    state.last, state.streak = None, 0
    if text in FREE:
        return [Event("look" if text in LOOKS else "inventory")], False, True
    if text.startswith("convert"):
        return [_convert(state)], True, True
    _raise(state, "energy", -1)
    if text != "exit":
        _penalise(state, UNKNOWN_ACTION)
        return [Event("unknown", text)], True, False
    if state.target == LAST:
        _penalise(state, NO_WAY_OUT)
        return [Event("stays")], True, False
    events = [Event("left", state.person.id)]
    _next_target(state, events)
    return events, True, True


def _in_menu(state: State, text: str) -> _Played:
    state.last, state.streak = None, 0
    if text in FREE:
        return [Event("awaited"), Event("options")], False, True
    chosen = choice_in(text, state.person)
    if chosen is None:
        _penalise(state, REFUSED)
        kept = state.suspicion < KICK_OUT
        return [Event("refused"), *([Event("options")] if kept else [])], False, False
    events = [Event("reward", state.person.id, chosen, (str(state.tier),))]
    give(state, state.person.options[chosen].tiers[state.tier])
    _next_target(state, events)
    return events, False, True


def _convert(state: State) -> Event:
    _raise(state, "energy", -1)
    tier = tier_of(state.influence, state.person)
    if tier < 0:
        _penalise(state, TOO_EARLY)
        return Event("too early")
    state.tier, state.phase = tier, "menu"
    return Event("menu", state.person.id, tier)


def give(state: State, gain: Gain) -> None:
    """Hand over a reward."""
    state.progress += gain.progress
    if gain.stat:
        state.progress += STAT_WORTH * state.stats[gain.stat]
    for stat, change in gain.stats.items():
        _raise(state, stat, change)
    for item, count in gain.items.items():
        state.items[item] += count


def _next_target(state: State, events: list[Event]) -> None:
    state.phase, state.tier = "play", -1
    if state.target == LAST:
        state.done = True
        return
    state.target += 1
    person = state.person
    state.influence, state.affection = 0, person.affection
    state.stress, state.suspicion = person.stress, person.suspicion
    events.append(Event("next", person.id))


def _raise(state: State, stat: str, change: int) -> None:
    state.stats[stat] = max(0, state.stats[stat] + change)


def _chain(state: State, key: str) -> None:
    state.streak = state.streak + 1 if key == state.last else 1
    state.last = key


def _penalise(state: State, penalty: Penalty) -> None:
    influence, affection, stress, suspicion = penalty
    _apply(state, influence, affection, stress, noticed(suspicion, state.stats["stealth"]))


def _apply(state: State, influence: int, affection: int, stress: int, suspicion: int) -> None:
    state.influence += influence
    state.affection = min(max(state.affection + affection, -100), 100)
    state.stress = min(max(state.stress + stress, 0), 120)
    state.suspicion = min(max(state.suspicion + suspicion, 0), 140)


def _rolls(state: State, move: Move) -> list[int]:
    """The four effects as drawn, preferences included."""
    draw, jitter = state.rng.randint, jitter_of(state.stats["energy"])
    tastes = preferences(move, state.person)
    return [
        draw(low, high) + draw(-jitter, jitter) + taste for (low, high), taste in zip(move[:4], tastes, strict=True)
    ]


def _matches(state: State, move: Move) -> list[str]:
    """Which phrases an action has earned, in order."""
    target, notes = state.person, []
    if move.modality in target.modalities:
        notes.append("modality")
    if COMFORT in target.temperaments and move.style == CALMING:
        notes.append("comfort")
    if CHAOS in target.temperaments and move.style == FORCEFUL:
        notes.append("chaos")
    if move.style == CALMING and state.affection >= FOND:
        notes.append("fond")
    return notes


def _settled(state: State, influence: int) -> int:
    """Influence after the target's drowsiness, repetition and weariness."""
    influence -= drowsiness(state.stress)
    if state.streak >= 2:
        influence = round(influence * 0.75)
    return wearied(influence, state.stats["energy"])


def _cat_action(state: State, name: str) -> Event:
    move, stats, notes = ACTIONS[name], state.stats, _matches(state, ACTIONS[name])
    influence, affection, stress, suspicion = _rolls(state, move)
    if move.bonus:
        influence += stats[move.bonus[0]] // move.bonus[1]
    if name == "stare" and state.stress > STARE_NERVES:
        influence += 3
        notes.append("nerves")
    if "fond" in notes:
        influence += 3
    if stats["energy"] < EXHAUSTED:
        extra = [state.rng.randint(low, high) for low, high in EXHAUSTION]
        influence, affection, stress, suspicion = (
            influence + extra[0], affection + extra[1], stress + extra[2], suspicion + extra[3],
        )  # fmt: skip
    influence = _settled(state, influence)
    suspicion = noticed(suspicion, stats["stealth"])
    _raise(state, "energy", -move.cost)
    _apply(state, influence, affection, stress, suspicion)
    return Event("did", name, influence, tuple(notes))


def _item(state: State, text: str) -> _Played:
    item = item_named(text)
    _chain(state, item or text)
    if item is None or not state.items[item]:
        _raise(state, "energy", -1)
        _penalise(state, UNKNOWN_ITEM if item is None else MISSING_ITEM)
        return [Event("unknown item") if item is None else Event("missing", item)], True, False
    move, notes = ITEM_MOVES[item], _matches(state, ITEM_MOVES[item])
    state.items[item] -= 1
    _raise(state, "energy", -move.cost)
    influence, affection, stress, suspicion = _rolls(state, move)
    if "fond" in notes:
        influence += 3
    influence = _settled(state, influence)
    _apply(state, influence, affection, stress, noticed(suspicion, state.stats["stealth"]))
    if move.gain:
        _raise(state, *move.gain)
    return [Event("used", item, influence, tuple(notes))], True, True


def _warnings(state: State, stress: int, suspicion: int, energy: int) -> list[str]:
    """Thresholds crossed by the action, in order; the arguments are the values before it."""
    now = state.stats["energy"]
    crossed = (
        ("nerves", stress < 75 <= state.stress),
        ("suspicion", suspicion < 70 <= state.suspicion),
        ("repeat", state.streak == 2),
        ("drowsy", stress > 22 >= state.stress),
        ("tiring", energy > 3 >= now),
        ("spent", energy > 1 >= now),
    )
    return [name for name, is_crossed in crossed if is_crossed]
