"""What is shipped: every package, every data file, and imports that go one way only."""

import ast
import fnmatch
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = ("envs", "memory", "methods", "evaluation")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
ORDER = {"envs": 0, "memory": 1, "methods": 2, "evaluation": 3}


def packages():
    folders = [folder for name in SHIPPED for folder in (ROOT / name).rglob("__init__.py")]
    return {"evoplay", *("evoplay." + ".".join(f.parent.relative_to(ROOT).parts) for f in folders)}


def test_every_package_is_listed():
    assert set(SETTINGS["packages"]) == packages()


def test_every_data_file_is_shipped():
    left_out = []
    for name in SHIPPED:
        for file in (ROOT / name).rglob("*"):
            if file.is_dir() or file.suffix in (".py", ".pyc") or "__pycache__" in file.parts:
                continue
            home = next(parent for parent in file.parents if (parent / "__init__.py").exists())
            package = "evoplay." + ".".join(home.relative_to(ROOT).parts)
            patterns = SETTINGS["package-data"].get(package, [])
            inside = str(file.relative_to(home))
            if not any(fnmatch.fnmatch(inside, pattern) for pattern in patterns):
                left_out.append(f"{package}: {inside}")
    assert left_out == []


def modules():
    return [file for name in SHIPPED for file in sorted((ROOT / name).rglob("*.py"))]


def imported(file):
    """Our own top packages that a module imports, in functions or at its head."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "evoplay" and len(parts) > 1:
                yield parts[1], node


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_arrows_point_one_way(file):
    layer = ORDER[file.relative_to(ROOT).parts[0]]
    for package, _ in imported(file):
        assert ORDER[package] <= layer, f"{file.relative_to(ROOT)} imports evoplay.{package}"


def test_nothing_reads_the_tests_or_refers_to_other_folders():
    for file in modules():
        text = file.read_text(encoding="utf-8")
        assert "from tests" not in text
        assert "../" + "shared" not in text
