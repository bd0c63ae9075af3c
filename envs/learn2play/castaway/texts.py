"""What the castaway reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from evoplay.envs.learn2play.castaway.data import (
    COMPONENTS,
    CREATURES,
    FIRE,
    FOODS,
    MAX_TURNS,
    NAMES,
    NIGHT,
    PLACES,
    RESOURCES,
    SEGMENTS,
    TOOL,
    TORCH,
)
from evoplay.envs.learn2play.castaway.island import Island
from evoplay.envs.learn2play.castaway.rules import State, creature_here, known_exits, part_here
from evoplay.envs.learn2play.events import Event

OPENING = (
    "The sea has spat you out on a shore no chart shows. You are alone, and nobody knows you are here. Stay alive, "
    "learn what this island is like, and find a way off it."
)
NOT_HOLDING = "The raft will not hold."
OVER = "This is over; nothing you do on the island matters any more."
SUBJECTS = {name: f"the {name}" for name in CREATURES.values()}
PLURAL = ("apes", "mosquitoes")
HINTS = {
    "落石": "Stones come loose from the slope here; a rockfall in the dark would be no joke.",
    "毒雾": "A toxic mist clings to the ground and will be thicker once the sun is gone.",
    "暗流": "An undertow pulls at everything; at night, and unprepared, you would not see it coming.",
    "陷坑": "Somewhere under the leaves there is a pit; this is no ground to grope about on at night.",
    "蚊群": "Clouds of mosquitoes wait for the evening; without preparation the night here will be bad.",
}
RAFT_FAULTS = {
    "material": "The material runs short.",
    "tool": "It takes a tool, and you have none.",
    "wrong part": "One of the parts simply does not belong to it.",
    "parts": "The parts are not all there.",
}


def name(token: str) -> str:
    """The English name of a token."""
    return NAMES[token]


def the(creature: str) -> str:
    return SUBJECTS[NAMES[creature]]


def verb(creature: str, singular: str, plural: str) -> str:
    return plural if NAMES[creature] in PLURAL else singular


def listing(tokens: Iterable[str]) -> str:
    return ", ".join(NAMES[token] for token in tokens)


def _glosses() -> dict[str, str]:
    glosses = {f"go_{token}": f"go to the {english}" for token, english in PLACES.items()}
    for food in FOODS:
        glosses[f"eat_{food}"] = f"eat {RESOURCES[food]} raw"
        glosses[f"cook_{food}"] = f"cook {RESOURCES[food]} and eat it"
    for good in (TORCH, TOOL):
        glosses[f"craft_{good}"] = f"craft a {NAMES[good]}"
    return glosses


GLOSSES: Mapping[str, str] = _glosses()


# --- the state panel --------------------------------------------------------------------------------------------


def panel(island: Island, state: State) -> str:
    """The block that closes every observation."""
    segment, place = state.segment, state.place
    goods = ["a campfire burns here"] if place in state.fires else ["no campfire here"]
    goods += [f"{NAMES[good]} in hand" if good in state.made else f"no {NAMES[good]}" for good in (TORCH, TOOL)]
    held = [f"{NAMES[item]} {state.held[item]}" for item in RESOURCES if item in state.held]
    held += [COMPONENTS[part] for part in COMPONENTS if part in state.parts]
    lines = [
        f"[{PLACES[place]}] Day {state.day}, segment {segment + 1}/{SEGMENTS} "
        f"({'night' if segment == NIGHT else 'day'}) | Turn {state.turn}/{MAX_TURNS}",
        f"HP {state.hp} | Food {state.food} | Score {state.score}",
        f"Shelter and gear: {'; '.join(goods)}",
        f"Inventory: {', '.join(held) if held else 'empty'}",
    ]
    exits = known_exits(island, state)
    if exits:
        lines.append(f"Exits: {listing(exits)}")
    if state.done:
        fate = "You escaped from the island" if state.escaped else "You did not escape from the island"
        lines.append(f"{fate}. Final score: {state.score}")
    return "\n".join(lines)


def opening_text(island: Island, state: State) -> str:
    return f"{OPENING}\n\n{panel(island, state)}"


def refusal(action: str) -> str:
    return f"You cannot do '{action}' now."


# --- events -----------------------------------------------------------------------------------------------------


def tell(event: Event, island: Island, state: State) -> str:
    """The sentences for an event; `state` is the one after the action."""
    return _TELLING[event.kind](event, island, state)


def _bonus(amount: int) -> str:
    return f" (+{amount})" if amount else ""


def _explored(event: Event, island: Island, state: State) -> str:
    here = event.what
    lines = [f"You search the {PLACES[here]} from end to end{_bonus(event.amount)}."]
    lines.append(f"Here you can gather: {listing(island.resources[here])}.")
    if part_here(island, state):
        lines.append("Something out of sight here could be of use: an object, half hidden.")
    if here in island.dangers:
        lines.append(HINTS[island.dangers[here]])
    creature = creature_here(island, state)
    if creature:
        lines.append(f"You share this place with {the(creature.name)}.")
    lines.append(f"Ways lead on to: {listing(island.exits[here])}.")
    return "\n".join(lines)


def _arrived(event: Event, island: Island, state: State) -> str:
    if event.more:
        return f"You reach the {PLACES[event.what]}. You have not explored it; better look around first."
    return f"You reach the {PLACES[event.what]}."


def _collapse(event: Event, island: Island, state: State) -> str:
    return f"Without any warning the ground of the {PLACES[event.what]} gives way under you (HP -{event.amount})."


def _guarded(event: Event, island: Island, state: State) -> str:
    keep = verb(event.what, "keeps", "keep")
    return f"There is something to take here, but {the(event.what)} {keep} you away from it."


def _stuck(event: Event, island: Island, state: State) -> str:
    return "Something bulky is wedged fast here; with a tool you could get it free."


def _part(event: Event, island: Island, state: State) -> str:
    return f"You find the {name(event.what)}, a part for the escape (+{event.amount})."


def _gathered(event: Event, island: Island, state: State) -> str:
    return f"You gather {', '.join(f'{NAMES[item]} +{event.amount}' for item in event.more)}."


def _rested(event: Event, island: Island, state: State) -> str:
    return f"You rest a while (HP +{event.amount})."


def _burning(event: Event, island: Island, state: State) -> str:
    return "A fire burns here already."


def _made(event: Event, island: Island, state: State) -> str:
    if event.what == FIRE:
        return f"The campfire catches; from now on this place counts as shelter{_bonus(event.amount)}."
    return f"You have made a {name(event.what)}{_bonus(event.amount)}."


def _failed(event: Event, island: Island, state: State) -> str:
    return f"No {name(event.what)} comes of it: the materials or the recipe are wrong."


def _no_raft(event: Event, island: Island, state: State) -> str:
    return " ".join([NOT_HOLDING, *(RAFT_FAULTS[fault] for fault in event.more)])


def _raft(event: Event, island: Island, state: State) -> str:
    return (
        f"The right parts, bound with vine, make a raft that floats. You push off and the island falls behind you: "
        f"you have escaped (+{event.amount})."
    )


def _meal(event: Event, island: Island, state: State) -> str:
    way, effect = event.more
    food = f"the {way} {name(event.what)}"
    if effect == "good":
        return f"You have {food}; it does you good (food +{event.amount})."
    if effect == "poison":
        return f"You have {food}, and it turns your stomach inside out (HP -{event.amount})."
    if effect == "undercooked":
        return f"You have {food}, and it does not agree with you (HP -{event.amount}). Cooked, perhaps?"
    return f"You have {food}. It does nothing for you."


def _fled(event: Event, island: Island, state: State) -> str:
    return f"You keep well away from {the(event.what)}."


def _scared(event: Event, island: Island, state: State) -> str:
    who, how = the(event.what), event.more[0]
    if how == "runs":
        return f"You shout and wave, and {who} {verb(event.what, 'runs', 'run')} off."
    if how == "no notice":
        return f"You shout and wave; {who} {verb(event.what, 'takes', 'take')} no notice."
    return f"You shout and wave, and {who} {verb(event.what, 'attacks', 'attack')} you (HP -{event.amount})."


def _fed(event: Event, island: Island, state: State) -> str:
    who = the(event.what)
    if event.more[0] == "no bait":
        return f"You have nothing to feed {who} with."
    bait = f"your {name(event.more[1])}"
    if event.more[0] == "stays":
        return f"{who.capitalize()} {verb(event.what, 'eats', 'eat')} {bait} and {verb(event.what, 'stays', 'stay')}."
    return f"{who.capitalize()} {verb(event.what, 'leaves', 'leave')} with {bait}; the way is clear."


def _hunted(event: Event, island: Island, state: State) -> str:
    who, how = the(event.what), event.more[0]
    if how == "lost":
        return f"You go for {who} with bare hands; without a tool you only get hurt (HP -{event.amount})."
    if how == "won":
        return f"You bring down {who} and keep a bone (bone +1)."
    return f"After a hard fight you bring down {who} (HP -{event.amount}) and keep a bone (bone +1)."


def _day(event: Event, island: Island, state: State) -> str:
    return f"Day {event.more[0]} is survived (+{event.amount})."


def _starving(event: Event, island: Island, state: State) -> str:
    return f"You are starving (HP -{event.amount})."


def _night(event: Event, island: Island, state: State) -> str:
    creature, danger = event.more
    reasons = ["no firelight"]
    if creature:
        reasons.append(the(creature))
    if danger:
        reasons.append(f"the {name(danger)}")
    return f"Night finds you unprotected (HP -{event.amount}): {', '.join(reasons)}."


def _ambush(event: Event, island: Island, state: State) -> str:
    return (
        f"In the dark {the(event.what)}, so harmless by the look of it, {verb(event.what, 'falls', 'fall')} upon you "
        f"(HP -{event.amount}). A fire is no help against that."
    )


def _night_place(event: Event, island: Island, state: State) -> str:
    return f"The {PLACES[event.what]} turns on you in the night (HP -{event.amount}). A fire is no help against that."


def _time_up(event: Event, island: Island, state: State) -> str:
    return f"Turn {MAX_TURNS}: your time on the island has run out."


def _death(event: Event, island: Island, state: State) -> str:
    causes = {
        "collapse": "buried where the ground gave way",
        "poison": "poisoned",
        "creature": f"killed by {the(event.what)}" if event.what else "",
        "wounds": "of your wounds",
        "time": "you did not live through it",
    }
    return f"You have died: {causes[event.more[0]]}."


_TELLING: dict[str, Callable[[Event, Island, State], str]] = {
    "explored": _explored,
    "arrived": _arrived,
    "collapse": _collapse,
    "guarded": _guarded,
    "stuck": _stuck,
    "part": _part,
    "gathered": _gathered,
    "rested": _rested,
    "burning": _burning,
    "made": _made,
    "failed": _failed,
    "no raft": _no_raft,
    "raft": _raft,
    "meal": _meal,
    "fled": _fled,
    "scared": _scared,
    "fed": _fed,
    "hunted": _hunted,
    "day": _day,
    "starving": _starving,
    "night": _night,
    "ambush": _ambush,
    "night place": _night_place,
    "time up": _time_up,
    "death": _death,
}
