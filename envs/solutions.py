"""Solved instances: the best known score of an instance, the line of actions that reaches it, and where both are kept.

Official seeds ship with the package (`<suite>/official/<name>.json`), others are solved once and kept in the
user's cache folder (`EVOPLAY_CACHE`, else `~/.cache/evoplay`), under the version of the rules they hold for.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from evoplay.envs.base import EnvSpec, Evidence

_solved: dict[tuple[str, int, int, int], Solution] = {}


@dataclass(frozen=True, slots=True)
class Solution:
    """Reference `value` of an instance, its evidence, how it was found, and the line of actions that plays it."""

    value: float
    evidence: Evidence
    how: str
    actions: tuple[str, ...] | None = None


def solution_for(spec: EnvSpec, seed: int, episode: int, solve: Callable[[], Solution]) -> Solution:
    """The solution of an instance: shipped, remembered, kept on disk, or solved now and kept.

    `episode` is the one whose instance it is (1 in fixed games). An unreadable or unwritable cache costs time, nothing
    else.
    """
    key = (spec.id, spec.rules_version, seed, episode)
    found = _solved.get(key)
    if found is None:
        found = _shipped(spec, seed, episode) or _read(_place(*key))
        if found is None:
            found = solve()
            _write(_place(*key), found)
        _solved[key] = found
    return found


def cache_folder() -> Path:
    """Where solved instances are kept between runs."""
    chosen = os.environ.get("EVOPLAY_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "evoplay"


def forget_solutions() -> None:
    """Drop what this process remembers (files stay): for tests and long sessions."""
    _solved.clear()


def _place(env_id: str, version: int, seed: int, episode: int) -> Path:
    return cache_folder() / "solutions" / env_id / f"v{version}" / f"seed{seed}-episode{episode}.json"


def _from_dict(data: dict[str, Any]) -> Solution:
    actions = data.get("actions")
    return Solution(data["value"], data["evidence"], data["how"], None if actions is None else tuple(actions))


def _read(place: Path) -> Solution | None:
    try:
        return _from_dict(json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(place: Path, found: Solution) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(found), file)
        os.replace(name, place)
    except OSError:
        return


@cache
def _official(env_id: str) -> dict[str, Any] | None:
    suite, _, name = env_id.partition("/")
    file = resources.files("evoplay.envs").joinpath(suite, "official", f"{name}.json")
    if not file.is_file():
        return None
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def _shipped(spec: EnvSpec, seed: int, episode: int) -> Solution | None:
    entry = _official(spec.id)
    if entry is None or entry["rules_version"] != spec.rules_version or entry["seed"] != seed:
        return None
    data = entry["episodes"].get(str(episode))
    return None if data is None else _from_dict(data)


def official_solution(spec: EnvSpec, episode: int = 1) -> Solution | None:
    """The shipped solution of the official seed, without solving anything; None where none is shipped."""
    return _shipped(spec, spec.seed, episode)
