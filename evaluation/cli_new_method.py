"""`evoplay new-method NAME`: a method of one's own to begin with, and a test of it that passes."""

from __future__ import annotations

import keyword
import re
import sys
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated

import typer

TAKEN = ("Block", "Context", "Method")
"""Classes that the skeleton imports."""


def mount(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("new-method")(new_method)


def new_method(
    name: Annotated[str, typer.Argument(metavar="NAME", help="what it is to be called, such as last-lesson")],
    into: Annotated[Path, typer.Option(help="the folder to write to")] = Path(),
) -> None:
    """Write a method of your own with a working skeleton, and a test of it that passes."""
    method, test = write_skeleton(name, into)
    print(f"wrote {method} and {test}")
    print(f"test it:  python -m pytest {test}")
    print(f"run it:   evoplay run --env learn2play/gemforge --method naive --method {method}:{class_of(name)}")


def write_skeleton(name: str, into: Path) -> tuple[Path, Path]:
    """Write the method and its test; their paths. Raises ValueError for a bad or taken name, or a missing folder."""
    from evoplay.methods.registry import method_names

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ValueError(f"'{name}' cannot name a method: use lower-case words joined by dashes, such as last-lesson")
    module = name.replace("-", "_")
    if name in method_names() or module in sys.stdlib_module_names or class_of(name) in TAKEN:
        raise ValueError(f"there is something called '{name}' already: choose another name")
    if not into.is_dir():
        raise ValueError(f"--into {into} is no folder: make it first, or give one that is there")
    words = {"name": name, "class": class_of(name), "file": f"{module}.py"}
    written = {into / f"{module}.py": "method.py.txt", into / f"test_{module}.py": "test_method.py.txt"}
    for path in written:
        if path.exists():
            raise ValueError(f"{path} is there already: move it away, or choose another name")
    folder = resources.files("evoplay.evaluation").joinpath("skeletons")
    for path, skeleton in written.items():
        text = Template(folder.joinpath(skeleton).read_text(encoding="utf-8")).substitute(words)
        path.write_text(text, encoding="utf-8")
    method, test = written
    return method, test


def class_of(name: str) -> str:
    """The class of a method's name: LastLesson for last-lesson."""
    return "".join(word.capitalize() for word in name.split("-"))
