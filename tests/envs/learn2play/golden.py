"""Reading the golden records: runs of the reference implementations, one file a game."""

import json
from functools import cache
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "golden"


@cache
def golden(game):
    return json.loads((GOLDEN / f"{game}.json").read_text(encoding="utf-8"))


def traces(games):
    """(game, index) of every recorded trace, for parametrisation."""
    return [(game, index) for game in games for index in range(len(golden(game)["traces"]))]
