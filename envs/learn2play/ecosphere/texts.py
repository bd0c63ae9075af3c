"""What a player of Ecosphere reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evoplay.envs.learn2play.ecosphere.rules import (
    BUDGET,
    COSTS,
    DAYS,
    DECOMPOSER,
    NO_FOOD,
    OUTCOMPETED,
    OVERGRAZED,
    PLANT_LIMIT,
    SPECIES,
    STARVED,
    TOXIFIED,
    Outcome,
)

OPENING = (
    f"An empty jar stands before you, and {BUDGET} points to stock it with. Once you seal it, nobody will touch it; "
    f"for {DAYS} days it goes its own way. A good mixture lives and multiplies, a bad one dies out. How its life hangs "
    "together cannot be seen before it is sealed.\n"
    f"On offer: {', '.join(f'{species} ({COSTS[species]})' for species in SPECIES)}."
)
SHOWN_DAYS = (*range(9), 12, 18, 24, 30)
CAUSES = {
    NO_FOOD: "found nothing it could eat in the jar",
    STARVED: "was underfed for days on end and starved",
    OUTCOMPETED: "was crowded out by a competitor that eats the same plant",
    OVERGRAZED: "was eaten faster than it grows back: too many herbivores",
    TOXIFIED: "was poisoned: dead matter piled up, too few decomposers",
}
GAME_OVER = "The jar is sealed and its story told; this game is over."
STEPS_USED_UP = "That was your last step: the jar is sealed now."


def remaining_text(left: int) -> str:
    return f"Budget left: {left}."


def jar_text(stock: Mapping[str, int], spent: int) -> str:
    held = ", ".join(f"{species} {count}" for species, count in stock.items() if count)
    if not held:
        return f"The jar is empty. {remaining_text(BUDGET - spent)}"
    return f"In the jar: {held}. Spent: {spent}. {remaining_text(BUDGET - spent)}"


def added_text(species: str, count: int, left: int) -> str:
    return f"You put in one {species}; the jar holds {count} now. {remaining_text(left)}"


def removed_text(species: str, count: int, left: int) -> str:
    return f"You take out one {species}; the jar holds {count} now. {remaining_text(left)}"


def unknown_text(species: str) -> str:
    return f"No species is called '{species}'."


def too_dear_text(species: str, left: int) -> str:
    return f"Your budget does not allow another {species}: {left} left."


def full_text(species: str) -> str:
    return f"There are {PLANT_LIMIT} {species} in the jar, which is the limit; more would have no effect."


def none_text(species: str) -> str:
    return f"There is no {species} in the jar to take out."


def invalid_text(action: str) -> str:
    return f"'{action}' is not something you can do. The forms are add_<species>, remove_<species>, seal, inspect."


def over_text(score: int) -> str:
    return f"The jar is sealed and its days are over. Final score: {score}."


def report_text(stock: Mapping[str, int], outcome: Outcome) -> str:
    """The report after sealing: table, chronicle, survivors, score."""
    lines = [f"The jar is sealed, and {DAYS} days go by.", *_table(stock, outcome), *_chronicle(outcome)]
    lines += [_survivors(stock, outcome.final), f"Final score: {outcome.score}."]
    return "\n".join(lines)


def _table(stock: Mapping[str, int], outcome: Outcome) -> list[str]:
    lines = ["Day     " + "".join(f"{day:>5}" for day in SHOWN_DAYS)]
    for species in SPECIES:
        counts = [day[species] for day in outcome.days]
        if species != DECOMPOSER and (stock[species] or any(counts)):
            lines.append(f"{species:<8}" + "".join(f"{counts[day]:>5}" for day in SHOWN_DAYS))
    return lines


def _chronicle(outcome: Outcome) -> Sequence[str]:
    if not outcome.deaths:
        return ()
    deaths = (f"  Day {death.day}: {death.species} {CAUSES[death.cause]}." for death in outcome.deaths)
    return ("Chronicle:", *deaths)


def _survivors(stock: Mapping[str, int], final: Mapping[str, int]) -> str:
    alive = [
        f"{species} {count}{' (grown)' if count > stock[species] else ''}" for species, count in final.items() if count
    ]
    return f"Survivors: {', '.join(alive)}." if alive else "Nothing is left alive in the jar."
