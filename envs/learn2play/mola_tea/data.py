"""What a shop of Mola Tea is made of: name lists (their order matters), money and rule constants, in cents."""

from __future__ import annotations

BASES = (
    "black_tea", "jasmine_tea", "oolong_tea", "green_tea", "oat_milk", "rice_milk", "barley_tea", "white_tea",
)  # fmt: skip
FLAVORS = (
    "brown_sugar", "roasted_peach", "salted_plum", "winter_melon", "honey_pear", "toasted_coconut", "ginger_fig",
    "citrus_blossom", "red_bean", "lychee",
)  # fmt: skip
TEXTURES = ("no_topping", "jelly", "foam", "tapioca", "pudding", "aloe", "rice_pearls", "grass_jelly")
TEMPERATURES = ("cold", "warm", "hot", "iced", "cool", "steaming")
ATTRIBUTES = (BASES, FLAVORS, TEXTURES, TEMPERATURES)
"""The four attributes of a drink, in the order a recipe names them."""
POOL_SIZE = 3

PRODUCTS = (
    "cedar_jelly", "peach_cloud", "harbor_pearl", "maple_window", "silver_reed", "lantern_foam", "riverstone",
    "paper_kite", "orchard_bell", "copper_rain", "willow_pearl", "northlight", "garden_step", "quiet_harbor",
    "evening_crane", "glass_leaf",
)  # fmt: skip
MERCHANDISE = {
    "mola_pin": "Mola enamel pin",
    "cloud_keychain": "Cloud keychain",
    "crane_sticker": "Paper-crane sticker sheet",
    "window_charm": "Window charm",
    "tea_tag": "Stamped tea tag",
    "river_patch": "River cloth patch",
}
GROUP_NAMES = (
    "Blue Umbrella Club", "North Window Table", "Late Bus Crowd", "Paper Crane Circle", "Riverside Walkers",
    "Glass Badge Group", "Quiet Corner Regulars", "Station Exit Crowd", "Green Notebook Club", "Moonlight Study Group",
    "Copper Ticket Table", "East Stair Circle", "Raincoat Gathering", "Lantern Lane Group", "Maple Bench Table",
)  # fmt: skip
HOUSE_NAMES = (
    "Mola House Milk Tea", "Mola Original Tea", "Old Window Milk Tea", "House Lantern Tea", "First Pour Milk Tea",
    "Mola Cloud Classic",
)  # fmt: skip
WEATHERS = 6

CARDS = tuple(f"recipe_{letter}" for letter in "abcdefgh")
CARD_DISTANCES = (0, 1, 1, 2, 2, 3, 3, 4)
"""In how many attributes the eight cards differ from the house drink, before they are shuffled."""
GROUPS = tuple(f"group_{letter}" for letter in "abcde")
TASTER, BARGAIN, WATCHER, SHARER, REGULAR = ROLES = ("taster", "bargain", "watcher", "sharer", "regular")
"""Hidden roles of the groups; the watcher has no part in the rules."""
CLUES_PER_ROLE = 6

COST_RANGES = (
    ("develop", 40, 55), ("launch", 30, 45), ("feature", 12, 20), ("sample", 6, 10),
    ("small", 8, 12), ("deep", 15, 22), ("gift", 45, 70), ("bundle", 18, 30),
)  # fmt: skip
"""Campaigns and the bounds of their costs in dollars, in the order of the draws."""

MAX_TURNS = 21
TURNS_A_DAY = 3
LAST_DAY = 7
START_CASH = 65_000
CASH_FLOOR = -15_000
START_MERCH = 12
GROUP_SIZE = 8
LAUNCH_STOCK = 14
SAMPLE_CUPS = 3
GIFT_UNITS = 4
RESTOCKS = {"small": 10, "large": 24}
DISCOUNT_PERCENT = {"small": 15, "deep": 30}
SLOTS = 2
"""Places for prototypes, and for launched drinks."""
WINDOW = 2
"""Turns a return can be confirmed in, and a confirmation be spread in, after its own turn."""
CREDIT_CAP = 8
