"""How long the command line takes to answer, warm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.result import Result, median_of

TITLE = "The command line"


def measure() -> list[Result]:
    program = Path(sys.executable).with_name("evoplay")

    def say(*arguments: str) -> None:
        subprocess.run([str(program), *arguments], capture_output=True, check=True)

    say("games")
    return [
        Result("evoplay --help", median_of(lambda: say("--help"), 7), 0.5, "s"),
        Result("evoplay games", median_of(lambda: say("games"), 7), 1.0, "s"),
    ]
