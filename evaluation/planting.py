"""Statements to plant: a file with a false claim that a method is made to hold after episode 2."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from evoplay.evaluation.config import ConfigError, read_toml
from evoplay.memory.checks import check_of
from evoplay.memory.claims import Statement

_TEXTS = ("env", "text", "condition", "action", "effect", "scope")


@dataclass(frozen=True, slots=True)
class Planting:
    """A statement and the environment it is false in."""

    env_id: str
    statement: Statement


def shipped_plantings() -> dict[str, Traversable]:
    """The files that come with evoplay, by name."""
    folder = resources.files("evoplay.evaluation").joinpath("planted")
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda item: item.name)
    return {item.name.removesuffix(".toml"): item for item in files}


def read_planting(path: str) -> Planting:
    """A file's statement; `gemforge` and `hauntedinn` name the files that come with evoplay.

    The file is TOML with `env`, `text`, `action` and `effect`, and if need be `condition` and `scope`; the last four in
    the forms of `memory/checks.py`, so that a replay can tell that it is false. Raises ConfigError.
    """
    shipped = shipped_plantings()
    if path not in shipped and not Path(path).is_file():
        raise ConfigError(f"--plant '{path}' is no file: give a TOML file, or {' or '.join(shipped)}")
    data = read_toml(path if Path(path).is_file() else str(shipped[path]))
    for name in ("env", "text", "action", "effect"):
        if not isinstance(data.get(name), str) or not data[name].strip():
            raise ConfigError(f"--plant {path} has no '{name}': give env, text, action and effect as texts")
    strange = [name for name in data if name not in _TEXTS or not isinstance(data[name], str)]
    if strange:
        raise ConfigError(f"--plant {path}: '{strange[0]}' is not one of {', '.join(_TEXTS)}, each a text")
    if data.get("scope", "rule") not in ("rule", "instance"):
        raise ConfigError(f"--plant {path}: scope '{data['scope']}' is unknown: use rule or instance")
    statement = Statement(**{name: value for name, value in data.items() if name != "env"})
    if check_of(statement) is None:
        raise ConfigError(
            f"--plant {path}: its condition, action and effect cannot be checked: write them as `score +5`, "
            "`no change`, `refused` or `ends`, and `always`, `sees: TEXT` or `after ACTION`"
        )
    return Planting(data["env"], statement)
