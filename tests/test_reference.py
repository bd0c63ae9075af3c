"""The lists in the documents are complete: what a method sees, the events of a run log."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode, Step
from evoplay.methods.base import Context, Method, Task, View

ROOT = Path(__file__).parents[1]


def rows(page, heading):
    """The rows of the first table under a heading, by the word in the first cell."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(heading)[2]
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {word: rest for first, *rest in cells for word in re.findall(r"`(\w+)[^`]*`", first)}


def attributes_of(kind):
    """Public fields and properties."""
    properties = {name for name, value in vars(kind).items() if isinstance(value, property)}
    return {field.name for field in dataclasses.fields(kind)} | properties


@pytest.mark.parametrize(
    ("word", "kind"), [("task", Task), ("view", View), ("step", Step), ("episode", Episode), ("Context", Context)]
)
def test_what_a_method_sees_is_listed(word, kind):
    assert set(re.findall(r"`(\w+)`", rows("adding-a-method.md", "## What a method sees")[word][0])) >= attributes_of(
        kind
    )


def test_what_is_listed_is_there():
    table = rows("adding-a-method.md", "## What a method sees")
    kinds = {"task": Task, "view": View, "step": Step, "episode": Episode, "Context": Context}
    for word, kind in kinds.items():
        assert set(re.findall(r"`(\w+)`", table[word][0])) - {"Block"} <= attributes_of(kind)
    assert all(hasattr(Block("a\n"), name) for name in re.findall(r"`(\w+)`", table["Block"][0]))
    have = {*dir(Method), *Method.__annotations__}
    assert set(re.findall(r"`(\w+)`", table["self"][0])) <= have
    hooks = rows("adding-a-method.md", "## Hooks")
    assert set(hooks) == {"begin_episode", "context", "observe", "end_episode", "state", "restore"} <= have


def written_types():
    """The types of the events that the program makes: dictionaries with a constant type, where events come from."""
    found = set()
    for path in (path for folder in ("evaluation", "memory", "methods") for path in (ROOT / folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
            for key, value in pairs:
                if isinstance(key, ast.Constant) and key.value == "type" and isinstance(value, ast.Constant):
                    found.add(value.value)
    return found


def test_every_event_of_the_run_log_is_in_its_table():
    # `opened` is shown above the table; `broken` is told and not written.
    assert set(rows("run-log.md", "# The run log")) == written_types() - {"opened", "broken"}
    page = (ROOT / "docs" / "run-log.md").read_text(encoding="utf-8")
    assert '"type": "opened"' in page
    assert "`broken`" in page
