"""docs/methods.md says what is there: settings with their defaults, functions and tests that exist."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from evoplay.methods.registry import BUILTIN, find_method

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


def rows(heading):
    """The rows of the table under a heading, an empty first cell filled from the row above."""
    table = [line for line in PAGE.partition(heading)[2].partition("\n## ")[0].splitlines() if line.startswith("|")]
    first = ""
    for line in table[2:]:
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        first = cells[0] or first
        yield first, cells[1:]


def test_every_method_is_named():
    assert [name for name, _ in rows("# Methods")] == [
        "naive", "memory", "retrieval", "reflexion", "expel", "awm", "reasoningbank", "evotest", "evidence", "placebo",
        "told", "best-episode",
    ]  # fmt: skip
    assert {name for name, _ in rows("# Methods")} == set(BUILTIN)


def test_settings_and_defaults_are_those_of_the_constructors():
    said = {(name, cells[0], cells[1].strip("`")) for name, cells in rows("## Settings")}
    have = set()
    for name in BUILTIN:
        kind = find_method(name)
        if kind.__init__ is not object.__init__:
            for option, parameter in inspect.signature(kind).parameters.items():
                if option not in kind.needs:
                    have.add((name, option, str(parameter.default)))
    assert said == have


@pytest.mark.parametrize(("method", "cells"), list(rows("## From the papers")))
def test_functions_and_tests_exist(method, cells):
    _, function, test = cells
    module, *attributes = function.split(".")
    found = importlib.import_module(f"evoplay.methods.{module}")
    for attribute in attributes:
        found = getattr(found, attribute)
    assert callable(found)
    file, _, name = test.partition("::")
    text = (ROOT / "tests" / "methods" / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)
    assert method in BUILTIN
