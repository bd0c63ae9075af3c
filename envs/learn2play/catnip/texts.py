"""What the player of Catnip Singularity reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache

from evoplay.envs.learn2play.catnip.data import (
    BONUS_PER_TURN,
    CATS,
    ITEMS,
    LAST,
    MAX_TURNS,
    RANKS,
    STATS,
    TARGETS,
    Gain,
    Target,
)
from evoplay.envs.learn2play.catnip.prose import (
    ACTION_LINES,
    CAT_CHOSEN,
    CAT_HINTS,
    CLOSING,
    DESCRIPTIONS,
    ITEM_LINES,
    RANK_LINES,
    REWARD_TEXTS,
    SCENES,
)
from evoplay.envs.learn2play.catnip.rules import State, final_score
from evoplay.envs.learn2play.events import Event

INTRO = (
    "You are Mittens, a cat on a secret mission: a world of catnip. Everybody in this place owns a share of what that "
    "takes, and everybody has to be won over. Behave like a cat, raise your influence on the person before you, and "
    "convert them when the moment is good.\n"
    "Cuteness helps whatever is sociable. Menace helps whatever frightens, though they say it draws suspicion sooner. "
    "Stealth lowers suspicion. Energy helps you play, and it is how long you last."
)
ASK_CAT = "Which cat are you? Answer with a letter or the name of a type:"
INFLUENCE = ("hardly any", "stirring", "noticeable", "strong", "overwhelming")
NERVES = ("almost asleep", "a little sleepy", "awake", "tense", "very tense", "explosive")
NERVES_FROM = (10, 25, 40, 55, 75)
SUSPICION = ("none to speak of", "wondering", "watchful", "danger")
SUSPICION_FROM = (25, 50, 70)
TONES = (
    "It tells at once.",
    "This finds an open door.",
    "A little ground is gained.",
    "Hard to say whether that did anything.",
    "That went wrong.",
)
MATCHES = {
    "modality": "It is quite in the nature of this person.",
    "comfort": "Your calming manner is liked.",
    "chaos": "Your forceful manner gets an answer.",
    "fond": "You earn a loving smile.",
    "nerves": "Under that look the nerves give way.",
}
TIERS = (
    "seems ready to listen to what you have in mind",
    "is clearly on your side",
    "would do anything for you, without a doubt",
)
WARNINGS = {
    "nerves": "The stress in this room has become dangerous.",
    "suspicion": "Suspicion is high; take care.",
    "repeat": "The same thing again: it interests them less.",
    "drowsy": "They are getting sleepy and respond less.",
    "tiring": "You are tiring, and what you do loses strength.",
    "spent": "You have almost no strength left.",
}
RAISED = {
    "cuteness": "You are harder to resist.",
    "menace": "You are better at scaring.",
    "stealth": "You are harder to follow.",
    "energy": "You have more endurance.",
}
CEO_HEADING = "Each of the three ways pays for a different strength of yours."
ASK_CHOICE = "Answer with one of the letters A, B or C."


def count_word(count: int) -> str:
    """How many, as far as a cat counts."""
    return str(count) if count <= 2 else "few" if count <= 4 else "many"


def supplies(items: Mapping[str, int], *, hints: bool = False) -> str:
    """Items in table order with count words."""
    return _supplies(tuple(items.items()), hints)


@lru_cache(4096)
def _supplies(items: tuple[tuple[str, int], ...], hints: bool) -> str:
    counts = dict(items)
    return ", ".join(
        f"{item} {count_word(counts[item])}" + (f" ({ITEM_LINES[item][1]})" if hints else "")
        for item in ITEMS
        if counts.get(item)
    )


def level(value: int, limits: tuple[int, ...], words: tuple[str, ...]) -> str:
    return words[bisect_right(limits, value)]


def readings(state: State) -> str:
    person = state.person
    limits = (person.tiers[0] // 2, *person.tiers)
    return (
        f"Influence: {level(state.influence, limits, INFLUENCE)} | "
        f"Nerves: {level(state.stress, NERVES_FROM, NERVES)} | "
        f"Suspicion: {level(state.suspicion, SUSPICION_FROM, SUSPICION)}"
    )


def stat_line(state: State) -> str:
    stats = state.stats
    return (
        f"Cuteness {stats['cuteness']}, menace {stats['menace']}, stealth {stats['stealth']}, energy {stats['energy']}"
    )


def cat_list() -> str:
    lines = [f"{cat.aliases[0].upper()}. {cat.label}: {CAT_HINTS[key]}" for key, cat in CATS.items()]
    return "\n".join([ASK_CAT, *lines])


CAT_LIST = cat_list()


def screen(state: State, result: str, warnings: list[str]) -> str:
    """A whole observation, the introduction apart."""
    return final_screen(state, result) if state.done else status_block(state, result, warnings)


def status_block(state: State, result: str, warnings: list[str]) -> str:
    person = state.person
    lines = [f"Turn {min(state.turn + 1, MAX_TURNS)} of {MAX_TURNS}"]
    if result:
        lines.append(result)
    lines += [
        f"Catnip progress: {state.progress}%",
        f"Cat: {CATS[state.cat].label if state.cat else 'none chosen yet'}",
        stat_line(state),
    ]
    held = supplies(state.items)
    if held:
        lines.append(f"Supplies: {held}")
    lines += [
        f"Person {state.target + 1} of {len(TARGETS)}: {person.name}. {DESCRIPTIONS[person.id]}",
        readings(state),
    ]
    lines += [f"! {WARNINGS[name]}" for name in warnings]
    if state.phase == "choose":
        lines.append(CAT_LIST)
    return "\n".join(lines)


def final_screen(state: State, result: str) -> str:
    points = final_score(state.progress, state.turn)
    rank = next(name for limit, name in RANKS if points >= limit)
    lines = [result, "The mission is over.", f"Catnip progress: {state.progress}%", stat_line(state)]
    unused = MAX_TURNS - state.turn
    if unused > 0:
        bonus = unused * BONUS_PER_TURN
        lines.append(f"Early end: +{bonus:.0%} (x{1 + bonus:.2f}); that you were done early has raised the result.")
    lines += [f"Final score: {points}", f"Rank: {rank}. {RANK_LINES[rank]}"]
    return "\n".join(lines)


# --- the reward menu --------------------------------------------------------------------------------------------


def options_text(state: State) -> str:
    """The three options at the tier reached."""
    person = state.person
    lines = [CEO_HEADING] if state.target == LAST else []
    for number, option in enumerate(person.options):
        text = REWARD_TEXTS[person.id][number][state.tier]
        lines.append(f"{'ABC'[number]}. {option.name}: {text}{_gain_text(option.tiers[state.tier])}")
    return "\n".join([*lines, ASK_CHOICE])


def _gain_text(gain: Gain) -> str:
    if gain.stat:
        return ""
    parts = [f"+{gain.progress}% progress"] if gain.progress else []
    raised = [f"{stat} +{gain.stats[stat]}" for stat in STATS if stat in gain.stats]
    if raised:
        parts.append(f"permanently {', '.join(raised)}")
    if gain.items:
        parts.append(f"supplies: {supplies(gain.items, hints=True)}")
    return f" [{'; '.join(parts)}]"


# --- events -----------------------------------------------------------------------------------------------------


def tell(event: Event, state: State) -> str:
    """The sentences for an event; `state` is the one after the step."""
    return _TELLING[event.kind](event, state)


def _person(person_id: str) -> Target:
    return next(person for person in TARGETS if person.id == person_id)


def tone(change: int) -> str:
    return TONES[sum(change < limit for limit in (10, 5, 1, -2))]


def _effect(event: Event) -> str:
    notes = [MATCHES[note] for note in event.more]
    return " ".join([tone(event.amount), f"(influence {event.amount:+d})", *notes])


def _reward(event: Event, state: State) -> str:
    person, tier = _person(event.what), int(event.more[0])
    option = person.options[event.amount]
    gain = option.tiers[tier]
    lines = [f"{person.name} is converted. {option.name}: {REWARD_TEXTS[person.id][event.amount][tier]}"]
    lines += [RAISED[stat] for stat in STATS if stat in gain.stats]
    if gain.items:
        lines.append(f"You receive {supplies(gain.items, hints=True)}.")
    if gain.stat and state.cat:
        lines.append(CLOSING[state.cat])
    return "\n".join(lines)


def _inventory(event: Event, state: State) -> str:
    held = supplies(state.items)
    return f"You look through your things: {held}." if held else "You look through your things. There is nothing."


_TELLING: dict[str, Callable[[Event, State], str]] = {
    "choose first": lambda event, state: "First you have to choose which cat you are.",
    "no such cat": lambda event, state: "That is no cat on the list. Give a letter from A to E or the name of a type.",
    "cat": lambda event, state: CAT_CHOSEN[event.what],
    "look": lambda event, state: "You sit down and look around.",
    "inventory": _inventory,
    "did": lambda event, state: f"{ACTION_LINES[event.what]} {_effect(event)}",
    "used": lambda event, state: f"{event.what}: {ITEM_LINES[event.what][0]}. {_effect(event)}",
    "missing": lambda event, state: f"There is no {event.what} left; it is all used up.",
    "unknown item": lambda event, state: "You have never had any such thing.",
    "too early": lambda event, state: "That came too early, and it has made them wary.",
    "menu": lambda event, state: (
        f"{_person(event.what).name} {TIERS[event.amount]}. What is it to be?\n{options_text(state)}"
    ),
    "options": lambda event, state: options_text(state),
    "awaited": lambda event, state: "A choice is awaited.",
    "refused": lambda event, state: "That is not one of the options.",
    "reward": _reward,
    "left": lambda event, state: f"You turn your tail on {_person(event.what).name} and walk out.",
    "stays": lambda event, state: "There is no way out of this office.",
    "next": lambda event, state: SCENES[event.what],
    "kicked out": lambda event, state: f"Suspicion has grown too high: {_person(event.what).name} ends your visit.",
    "unknown": lambda event, state: f"You do not know how one would '{event.what}'.",
    "time up": lambda event, state: "Your time has run out.",
}
