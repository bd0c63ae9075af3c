"""The tables of Castaway. Tokens are part of action strings and sort by code point; texts say the English names."""

from __future__ import annotations

BEACH = "海滩"
PLACES = {
    BEACH: "Beach", "密林": "Jungle", "溪谷": "Ravine", "枯井": "Dry Well", "洞穴": "Cave",
    "礁岩": "Reef", "沼泽": "Swamp", "废墟": "Ruins", "竹林": "Bamboo Grove",
}  # fmt: skip
WOOD, FLINT, VINE, BERRY, MUSHROOM, SHELLFISH, BONE, WATER = (
    "木头", "燧石", "藤", "浆果", "菌菇", "贝类", "兽骨", "淡水",
)  # fmt: skip
RESOURCES = {
    WOOD: "wood", FLINT: "flint", VINE: "vine", BERRY: "berry", MUSHROOM: "mushroom",
    SHELLFISH: "shellfish", BONE: "bone", WATER: "freshwater",
}  # fmt: skip
FOODS = (BERRY, MUSHROOM, SHELLFISH, WATER)
CREATURES = {"野猪": "boar", "巨蟹": "crab", "毒蛇": "snake", "猿群": "apes", "海鸟": "seabird"}
DANGERS = {"落石": "rockfall", "毒雾": "toxic mist", "暗流": "undertow", "陷坑": "pit", "蚊群": "mosquitoes"}
FRAME = "筏架"
COMPONENTS = {FRAME: "raft frame", "船帆": "sail", "罗盘": "compass", "船舵": "rudder"}
FIRE, TORCH, TOOL = "火堆", "火把", "工具"
GOODS = {FIRE: "campfire", TORCH: "torch", TOOL: "stone tool"}
NAMES = PLACES | RESOURCES | CREATURES | DANGERS | COMPONENTS | GOODS

HOSTILE, SKITTISH, NEUTRAL, GUARD = "hostile", "skittish", "neutral", "guard"
NOURISH, COOK, POISON, USELESS = "nourish", "cook", "poison", "useless"
AMBUSH, NIGHT_PLACE, COLLAPSE = "night_ambush", "night_place", "collapse"

MAX_TURNS = 56
SEGMENTS = 5
NIGHT = 4
"""The segment of a day that is night, counted from 0."""
FULL = 100
HUNGER = 6
STARVING = 10
GATHERED = 3
VINE_FOR_RAFT = 2
MEAL = 30
POISONED, RAW = 25, 20
REST, POOR_REST = 16, 4
SCARED_OFF_HARM, BARE_HANDS_HARM, FIGHT_HARM = 12, 18, 6
DARK_HARM, CREATURE_HARM, DANGER_HARM = 9, 8, 6
NIGHT_TRAP_HARM, COLLAPSE_HARM = 70, 65

EXPLORED, MADE, TAKEN, DAY, ESCAPE = 4, 5, 18, 6, 60
"""Points: a place first explored, a good first made, a component taken, a day survived, the escape."""
MOST_POINTS = 7 * EXPLORED + 3 * MADE + 4 * TAKEN + (MAX_TURNS - 1) // SEGMENTS * DAY + ESCAPE
