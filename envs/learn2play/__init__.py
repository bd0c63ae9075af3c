"""Learn2Play: twenty text games with hidden rules, one module each (`evoplay.envs.learn2play.<name>`, class `ENV`)."""

GAMES = (
    "castaway",
    "catnip",
    "dreamgarden",
    "dungeon",
    "ecosphere",
    "gemforge",
    "grapevine",
    "patch_reality_moderate",
    "primordialsoup",
    "redeye",
    "butterfly",
    "hauntedinn",
    "hezu",
    "lost_and_found",
    "modelkeeper_expert",
    "mola_tea",
    "plague",
    "poisoner",
    "roadside_observatory",
    "synergycorp",
)
"""Names of the games, in the order lists show them; a module is imported only when its game is asked for."""
