"""What an action does to a castaway: the state, the listed actions and the events, without a word of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evoplay.envs.learn2play.castaway.data import (
    AMBUSH,
    BARE_HANDS_HARM,
    BEACH,
    BERRY,
    BONE,
    COLLAPSE,
    COLLAPSE_HARM,
    COOK,
    CREATURE_HARM,
    DANGER_HARM,
    DARK_HARM,
    DAY,
    ESCAPE,
    EXPLORED,
    FIGHT_HARM,
    FIRE,
    FOODS,
    FRAME,
    FULL,
    GATHERED,
    GUARD,
    HOSTILE,
    HUNGER,
    MADE,
    MAX_TURNS,
    MEAL,
    NEUTRAL,
    NIGHT,
    NIGHT_PLACE,
    NIGHT_TRAP_HARM,
    NOURISH,
    POISON,
    POISONED,
    POOR_REST,
    RAW,
    REST,
    SCARED_OFF_HARM,
    SEGMENTS,
    SHELLFISH,
    STARVING,
    TAKEN,
    TOOL,
    TORCH,
    VINE,
    VINE_FOR_RAFT,
)
from evoplay.envs.learn2play.castaway.island import Creature, Island
from evoplay.envs.learn2play.events import Event

Events = list[Event]


@dataclass(slots=True)
class State:
    """A castaway in the middle of things. Day and segment follow from the turn."""

    place: str = BEACH
    turn: int = 0
    hp: int = FULL
    food: int = FULL
    score: int = 0
    done: bool = False
    escaped: bool = False
    explored: frozenset[str] = frozenset()
    fires: frozenset[str] = frozenset()
    driven: frozenset[str] = frozenset()
    """Places whose creature was driven off."""
    sprung: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()
    """Goods made at least once; a torch or a tool once made stays."""
    parts: frozenset[str] = frozenset()
    held: dict[str, int] = field(default_factory=dict)
    """Resources by count; none is kept at 0."""

    def copy(self) -> State:
        return replace(self, held=self.held.copy())

    def __deepcopy__(self, memo: object) -> State:
        return self.copy()

    @property
    def segment(self) -> int:
        return self.turn % SEGMENTS

    @property
    def day(self) -> int:
        return 1 + self.turn // SEGMENTS


def creature_here(island: Island, state: State) -> Creature | None:
    """The creature of the current place, unless driven off."""
    return None if state.place in state.driven else island.creatures.get(state.place)


def part_here(island: Island, state: State) -> str | None:
    """The component that lies at the current place, unless taken."""
    part = island.components.get(state.place)
    return None if part in state.parts else part


def known_exits(island: Island, state: State) -> tuple[str, ...]:
    """The exits the castaway knows of here."""
    return island.exits[state.place] if state.place == BEACH or state.place in state.explored else ()


def valid_actions(island: Island, state: State) -> list[str]:
    """The listed actions, in order; nothing else is carried out."""
    if state.done:
        return ["status"]
    explored = state.place in state.explored
    names = ["status", "explore", "rest"]
    names += [f"go_{place}" for place in known_exits(island, state)]
    if explored:
        names.append("gather")
    names.append("make_fire")
    burning = state.place in state.fires
    for food in FOODS:
        if food in state.held:
            names.append(f"eat_{food}")
            if burning:
                names.append(f"cook_{food}")
    names += [f"craft_{TORCH}", f"craft_{TOOL}"]
    if state.place == BEACH:
        names.append("craft_raft")
    if explored and creature_here(island, state):
        names += ["hunt", "flee", "scare", "feed"]
    return names


def can_make(island: Island, state: State, good: str) -> bool:
    """Whether the ingredients of a good are at hand."""
    return all(state.held.get(item, 0) >= count for item, count in island.recipes[good])


def raft_faults(island: Island, state: State) -> tuple[str, ...]:
    """What keeps a raft from holding, in the order it is told; empty where it will hold."""
    faults = []
    if state.held.get(VINE, 0) < VINE_FOR_RAFT:
        faults.append("material")
    if TOOL not in state.made:
        faults.append("tool")
    if not state.parts.issuperset(island.real):
        faults.append("wrong part" if len(state.parts) >= 3 else "parts")
    return tuple(faults)


def act(island: Island, state: State, action: str) -> Events:
    """Carry out a listed action (the state changes) and tell what happened, the passing of time included."""
    verb, _, what = action.partition("_")
    if action == "make_fire":
        if state.place in state.fires:
            return [Event("burning")]
        events = _make(island, state, FIRE)
    elif action == "craft_raft":
        events = _raft(island, state)
    else:
        events = _DOING[verb](island, state, what)
    if not state.done:
        _pass_time(island, state, events)
    return events


def _take(state: State, item: str, count: int = 1) -> None:
    left = state.held[item] - count
    if left:
        state.held[item] = left
    else:
        del state.held[item]


def _give(state: State, item: str, count: int) -> None:
    state.held[item] = state.held.get(item, 0) + count


def _hurt(state: State, harm: int) -> None:
    state.hp = max(state.hp - harm, 0)


def _check_death(state: State, events: Events, cause: str, what: str = "") -> None:
    if state.hp == 0 and not state.done:
        state.done = True
        events.append(Event("death", what, 0, (cause,)))


def _explore(island: Island, state: State, _: str) -> Events:
    here = state.place
    first = here not in state.explored
    if first:
        state.explored |= {here}
        state.score += EXPLORED
    return [Event("explored", here, EXPLORED if first else 0)]


def _go(island: Island, state: State, place: str) -> Events:
    state.place = place
    return [Event("arrived", place, 0, () if place in state.explored else ("unexplored",))]


def _gather(island: Island, state: State, _: str) -> Events:
    here, events = state.place, list[Event]()
    if island.traps.get(here) == COLLAPSE and here not in state.sprung:
        state.sprung |= {here}
        _hurt(state, COLLAPSE_HARM)
        events.append(Event("collapse", here, COLLAPSE_HARM))
        _check_death(state, events, "collapse")
        if state.done:
            return events
    part = part_here(island, state)
    if part:
        creature = creature_here(island, state)
        if creature and creature.behaviour == GUARD:
            events.append(Event("guarded", creature.name))
        elif part == FRAME and TOOL not in state.made:
            events.append(Event("stuck"))
        else:
            state.parts |= {part}
            state.score += TAKEN
            events.append(Event("part", part, TAKEN))
    for item in island.resources[here]:
        _give(state, item, GATHERED)
    events.append(Event("gathered", here, GATHERED, island.resources[here]))
    return events


def _rest(island: Island, state: State, _: str) -> Events:
    gain = POOR_REST if state.segment == NIGHT and state.place not in state.fires else REST
    state.hp = min(state.hp + gain, FULL)
    return [Event("rested", "", gain)]


def _make(island: Island, state: State, good: str) -> Events:
    if not can_make(island, state, good):
        return [Event("failed", good)]
    for item, count in island.recipes[good]:
        _take(state, item, count)
    bonus = 0 if good in state.made else MADE
    state.score += bonus
    state.made |= {good}
    if good == FIRE:
        state.fires |= {state.place}
    return [Event("made", good, bonus)]


def _raft(island: Island, state: State) -> Events:
    faults = raft_faults(island, state)
    if faults:
        return [Event("no raft", "", 0, faults)]
    _take(state, VINE, VINE_FOR_RAFT)
    state.parts -= set(island.real)
    state.score += ESCAPE
    state.escaped = state.done = True
    return [Event("raft", "", ESCAPE)]


def _eat(island: Island, state: State, food: str) -> Events:
    return _meal(island, state, food, "raw")


def _cook(island: Island, state: State, food: str) -> Events:
    return _meal(island, state, food, "cooked")


def _meal(island: Island, state: State, food: str, way: str) -> Events:
    _take(state, food)
    kind = island.foods[food]
    events: Events = []
    if kind == NOURISH or (kind == COOK and way == "cooked"):
        state.food = min(state.food + MEAL, FULL)
        events.append(Event("meal", food, MEAL, (way, "good")))
    elif kind in (POISON, COOK):
        harm = POISONED if kind == POISON else RAW
        _hurt(state, harm)
        events.append(Event("meal", food, harm, (way, "poison" if kind == POISON else "undercooked")))
        _check_death(state, events, "poison")
    else:
        events.append(Event("meal", food, 0, (way, "nothing")))
    return events


def _met(island: Island, state: State) -> Creature:
    creature = creature_here(island, state)
    assert creature is not None, "listed only where there is a creature"
    return creature


def _flee(island: Island, state: State, _: str) -> Events:
    return [Event("fled", _met(island, state).name)]


def _scare(island: Island, state: State, _: str) -> Events:
    creature = _met(island, state)
    if creature.behaviour == HOSTILE:
        _hurt(state, SCARED_OFF_HARM)
        events = [Event("scared", creature.name, SCARED_OFF_HARM, ("attacks",))]
        _check_death(state, events, "creature", creature.name)
        return events
    if creature.behaviour == NEUTRAL:
        return [Event("scared", creature.name, 0, ("no notice",))]
    state.driven |= {state.place}
    return [Event("scared", creature.name, 0, ("runs",))]


def _feed(island: Island, state: State, _: str) -> Events:
    creature = _met(island, state)
    bait = next((item for item in (BERRY, SHELLFISH) if item in state.held), None)
    if bait is None:
        return [Event("fed", creature.name, 0, ("no bait",))]
    _take(state, bait)
    if creature.behaviour == HOSTILE:
        return [Event("fed", creature.name, 0, ("stays", bait))]
    state.driven |= {state.place}
    return [Event("fed", creature.name, 0, ("leaves", bait))]


def _hunt(island: Island, state: State, _: str) -> Events:
    creature = _met(island, state)
    if TOOL not in state.made:
        _hurt(state, BARE_HANDS_HARM)
        events = [Event("hunted", creature.name, BARE_HANDS_HARM, ("lost",))]
        _check_death(state, events, "creature", creature.name)
        return events
    state.driven |= {state.place}
    _give(state, BONE, 1)
    if creature.behaviour != HOSTILE:
        return [Event("hunted", creature.name, 0, ("won",))]
    _hurt(state, FIGHT_HARM)
    events = [Event("hunted", creature.name, FIGHT_HARM, ("fight",))]
    _check_death(state, events, "wounds")
    return events


_DOING: dict[str, Callable[[Island, State, str], Events]] = {
    "explore": _explore,
    "go": _go,
    "gather": _gather,
    "rest": _rest,
    "craft": _make,
    "eat": _eat,
    "cook": _cook,
    "flee": _flee,
    "scare": _scare,
    "feed": _feed,
    "hunt": _hunt,
}


def _pass_time(island: Island, state: State, events: Events) -> None:
    """One segment passes: hunger, the turn of the day, the night, death, the last turn."""
    state.turn += 1
    state.food = max(state.food - HUNGER, 0)
    if state.segment == 0:
        state.score += DAY
        events.append(Event("day", "", DAY, (str(state.day - 1),)))
    if state.food == 0:
        _hurt(state, STARVING)
        events.append(Event("starving", "", STARVING))
    if state.segment == NIGHT:
        _night(island, state, events)
    _check_death(state, events, "time")
    if not state.done and state.turn >= MAX_TURNS:
        state.done = True
        events.append(Event("time up"))


def _night(island: Island, state: State, events: Events) -> None:
    here, creature = state.place, creature_here(island, state)
    if here not in state.fires and TORCH not in state.made:
        harm, reasons = DARK_HARM, ["", ""]
        if creature and creature.behaviour in (HOSTILE, GUARD):
            harm, reasons[0] = harm + CREATURE_HARM, creature.name
        if here in island.dangers:
            harm, reasons[1] = harm + DANGER_HARM, island.dangers[here]
        _hurt(state, harm)
        events.append(Event("night", "", harm, tuple(reasons)))
    trap = island.traps.get(here)
    if trap == AMBUSH and creature:
        _hurt(state, NIGHT_TRAP_HARM)
        events.append(Event("ambush", creature.name, NIGHT_TRAP_HARM))
    elif trap == NIGHT_PLACE:
        _hurt(state, NIGHT_TRAP_HARM)
        events.append(Event("night place", here, NIGHT_TRAP_HARM))
