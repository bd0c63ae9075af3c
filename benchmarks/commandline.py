"""How long the command line takes to answer, warm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.result import Result, median_of

TITLE = "The command line"


def measure() -> list[Result]:
    program = Path(sys.executable).with_name("evoplay")

    # As on a user's machine, where Python keeps compiled modules; the first calls compile them.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def say(*arguments: str) -> None:
        subprocess.run([str(program), *arguments], capture_output=True, check=True, env=kept)

    say("games")
    say("--help")
    return [
        Result("evoplay --help", median_of(lambda: say("--help"), 7), 0.5, "s"),
        Result("evoplay games", median_of(lambda: say("games"), 7), 1.0, "s"),
    ]
