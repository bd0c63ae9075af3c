"""From an id to an environment: built-in suites, entry points of other packages (`evoplay.envs`), `file.py:Class`."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from typing import Any

from evoplay.envs.adaexplore import TASK_IDS, task_class
from evoplay.envs.base import Env, EnvError, EnvSpec
from evoplay.envs.learn2play import GAMES
from evoplay.envs.plugins import is_path, load_from_path

Factory = Callable[..., Env]
_registered: dict[str, Factory] = {}


class UnknownEnv(EnvError):
    """No environment has this id; the message names the nearest ones."""


def register(env_id: str, factory: Factory) -> None:
    """Make `make(env_id, ...)` call `factory(seed=..., **options)`. A later registration replaces an earlier one."""
    _registered[env_id] = factory


def ids() -> list[str]:
    """Every known id: built-in ones first, then registered ones and those of entry points."""
    known = [*(f"learn2play/{name}" for name in GAMES), *TASK_IDS]
    return known + sorted((set(_registered) | set(_entry_points())) - set(known))


def suite_ids(name: str) -> list[str]:
    """The ids a suite's name stands for (`learn2play`, `adaexplore`), or none if it is no suite."""
    return [env_id for env_id in ids() if env_id.partition("/")[0] == name and env_id != name]


def find(env_id: str) -> Factory:
    """The class or factory behind an id or `file.py:Class`. Raises UnknownEnv naming the nearest ids."""
    if env_id in _registered:
        return _registered[env_id]
    if is_path(env_id):
        from_file: Factory = load_from_path(env_id, Env)
        return from_file
    suite, _, name = env_id.partition("/")
    if suite == "learn2play" and name in GAMES:
        factory: Factory = importlib.import_module(f"evoplay.envs.learn2play.{name}").ENV
        return factory
    if env_id in TASK_IDS:
        return task_class(env_id)
    points = _entry_points()
    if env_id in points:
        loaded: Factory = points[env_id].load()
        return loaded
    raise UnknownEnv(_unknown(env_id))


def spec_of(env_id: str) -> EnvSpec:
    """What is known of an environment without playing it. Raises UnknownEnv."""
    if env_id in TASK_IDS:
        from evoplay.envs.adaexplore.specs import spec_of_task

        _, domain, task = env_id.split("/")
        return spec_of_task(domain, task)
    factory = find(env_id)
    spec = getattr(factory, "spec", None)
    return spec if isinstance(spec, EnvSpec) else factory().spec


def make(env_id: str, seed: int | None = None, **options: Any) -> Env:
    """An environment by id: `make("learn2play/gemforge", seed=1)`.

    `seed` None is the official seed. `options` go to the environment (`episode_mode="control"` repeats episode 1's
    instance in a re-shuffled game). Raises UnknownEnv for an id nobody has, EnvError for a seed that is no integer or
    an option that the environment does not have.
    """
    factory = find(env_id)
    _check_options(env_id, factory, options)
    return factory(seed, **options)


def _check_options(env_id: str, factory: Factory, options: Mapping[str, Any]) -> None:
    try:
        taken = list(inspect.signature(factory).parameters.values())[1:]
    except (TypeError, ValueError):  # built in C: it has to answer for itself
        return
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        return
    known = [one.name for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    for name, value in options.items():
        if name not in known:
            has = f"its options are {', '.join(known)}" if known else "it has none"
            raise EnvError(f"{env_id} has no option '{name}' (given as {value!r}): leave it out, {has}")


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    return {point.name: point for point in metadata.entry_points(group="evoplay.envs")}


def _unknown(env_id: str) -> str:
    known = ids()
    tails = {known_id.partition("/")[2]: known_id for known_id in known}
    near = difflib.get_close_matches(env_id, known, n=3, cutoff=0.5)
    near += [tails[tail] for tail in difflib.get_close_matches(env_id.rpartition("/")[2], tails, n=3, cutoff=0.5)]
    nearest = list(dict.fromkeys(near))[:3]
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else "`evoplay games` lists them all."
    return f"no environment is called '{env_id}': {hint}"
