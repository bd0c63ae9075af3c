"""What a player of the Dungeon reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evoplay.envs.learn2play.dungeon.rules import (
    BOOTS,
    CHARM,
    DEATH_PENALTY,
    EXIT_BONUS,
    HEALTH,
    KEY,
    MAX_TURNS,
    OIL,
    POTION,
)

NAMES = {
    OIL: "Oil Can (?)",
    POTION: "Red Vial (?)",
    BOOTS: "Thick Boots (?)",
    CHARM: "Beast Charm (?)",
    KEY: "Bronze Key",
}
OPENING = (
    "Torch in hand, you climb down the last rungs into the old labyrinth. What a room holds you will learn by walking "
    "into it. Not every way stands open to the eye: some keep to the dark, and only a search brings them to light."
)
GAME_OVER = "This descent is over."
LEFT = "You climb back to the daylight with {gold} gold. The descent is over."


def listing(rooms: Iterable[int]) -> str:
    return ", ".join(str(room) for room in sorted(rooms)) or "none you can see"


def room_text(room: int, revisit: bool, exits: Iterable[int], hints: Sequence[str]) -> str:
    seen = "you have been here before" if revisit else "new to you"
    return f"Room {room} ({seen}). Exits: {listing(exits)}.\n{' '.join(hints) if hints else 'It is quiet and empty.'}"


def treasure_hint(taken: bool) -> str:
    if taken:
        return "This is a treasure chamber, its chests already emptied."
    return "This is a treasure chamber, and its chests are full."


GLOW_HINT = "A golden glow falls in through one of the exits."
EXIT_HINT = "A breeze touches your face: the way out is here."


def item_hint(item: str) -> str:
    return "A Bronze Key hangs here." if item == KEY else "There is something on the wall."


KEY_USED = "A Bronze Key turns in the lock and stays in it."


def gold_text(found: int, total: int) -> str:
    return f"You gather {found} gold; you now carry {total}."


def trap_text(damage: int, health: int) -> str:
    return f"A trap snaps shut on you: {damage} damage, HP {health}."


def monster_text(damage: int, health: int) -> str:
    return f"A beast springs at you: {damage} damage, HP {health}."


TRAP_HELD = "A trap snaps shut on your Thick Boots; they take the blow and are ruined."
MONSTER_HELD = "A beast springs, meets your Beast Charm and slinks away; the charm crumbles."


def locked_text(room: int) -> str:
    return f"The door is locked, and its lock asks for a key. You stay in room {room}."


def search_text(found: Iterable[int]) -> str:
    return f"You feel along the walls and uncover: {listing(found)}."


def take_text(item: str) -> str:
    return f"You take it: {NAMES[item]}."


def oil_text(gain: int, torch: int) -> str:
    return f"You pour the oil over the torch: +{gain} light, {torch} left."


def potion_text(gain: int, health: int) -> str:
    return f"You empty the vial: +{gain} HP, HP {health}."


BOOTS_USED = "You lace up the boots. The next trap will do you no damage."
CHARM_USED = "You hang the charm around your neck. The next monster will do you no damage."
KEY_IDLE = "There is nothing to turn it in. A key does its work by itself at a locked door."


def exit_text(gold: int) -> str:
    return (
        f"You step out into the open with {gold} gold, and {EXIT_BONUS} more for having found the way: "
        f"{gold + EXIT_BONUS} in all. The descent is over."
    )


def retreat_text(gold: int) -> str:
    return f"You turn back and climb out with {gold} gold. The descent is over."


def dark_text(gold: int) -> str:
    return f"The torch gutters and goes out. Others pull you up with the {gold} gold you carry. The descent is over."


def death_text(gold: int) -> str:
    return (
        f"Your strength is gone, you fall, and {DEATH_PENALTY} gold is lost. Final score: {gold}. The descent is over."
    )


def late_text(gold: int) -> str:
    return f"Your time below is up. You are fetched out with {gold} gold. The descent is over."


def status_text(
    room: int, health: int, torch: int, gold: int, bag: Sequence[str], active: Sequence[str], turns: int
) -> str:
    worn = f" | Active: {', '.join(NAMES[item].removesuffix(' (?)') for item in active)}" if active else ""
    held = ", ".join(NAMES[item] for item in bag) or "empty"
    return (
        f"Room {room} | HP {health}/{HEALTH} | Torch {torch} | Gold {gold} | Turn {turns}/{MAX_TURNS}\n"
        f"Bag: {held}{worn}"
    )


def refusal_text(action: str, valid: Sequence[str]) -> str:
    return f"You cannot do '{action}' here. Possible, among others: {', '.join(valid)}."
