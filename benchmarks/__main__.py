"""Run benchmarks and show their results; `--write FILE` puts them into a document."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.result import Result, machine, table

NAMES = ("loop", "commandline", "concurrency", "evidence", "games", "report")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(NAMES), help=f"which ({', '.join(NAMES)}; default all)")
    parser.add_argument("--write", type=Path, help="also write the results to this document")
    options = parser.parse_args()
    sections: list[str] = []
    every: list[Result] = []
    for name in options.names:
        module = importlib.import_module(f"benchmarks.{name}")
        results = module.measure()
        every += results
        sections.append(f"## {module.TITLE}\n\n{table(results)}\n")
        print(sections[-1], flush=True)
    if options.write is not None:
        head = f"# Benchmarks\n\n`make bench` on {machine()}.\n\n"
        options.write.write_text(head + "\n".join(sections), encoding="utf-8")
    missed = [result.name for result in every if not result.ok]
    print(f"{len(every) - len(missed)} of {len(every)} within their limits", *missed, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
