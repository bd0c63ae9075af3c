"""Learn2Play: twenty text games with hidden rules, one module each (`evoplay.envs.learn2play.<name>`, class `ENV`)."""

GAMES = (
    "castaway",
    "dreamgarden",
    "dungeon",
    "gemforge",
    "grapevine",
    "butterfly",
    "hauntedinn",
    "hezu",
    "lost_and_found",
    "modelkeeper_expert",
    "mola_tea",
    "plague",
    "poisoner",
    "synergycorp",
)
"""Names of the games, in the order lists show them; a module is imported only when its game is asked for."""
