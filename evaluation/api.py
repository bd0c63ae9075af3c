"""Running from Python and notebooks: the same run as the command line's."""

from __future__ import annotations

import os
from typing import Any

from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import LoadedRun, load
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.base import Backbone
from evoplay.methods.base import Method


def run(
    *, backbone: str | Backbone = "sim/learner", method: Any = "naive", quiet: bool = False, **settings: Any
) -> LoadedRun:
    """Run methods on environments and read the result.

    Parameters
    ----------
    env : environment id or ids, or a suite's name.
    method : names with options ("memory:keep=recent"), `policy/NAME`, Method classes, or a list of such.
    backbone : a name, or a Backbone.
    settings : the other settings of a run (`episodes`, `trials`, `seed`, `out`, ...), as in a run file.

    Returns the run, as `evoplay.load(out)` does. What was finished before is kept. Raises ValueError for a bad setting,
    TypeError for a backbone or method of no such kind, RuntimeError when the run stopped early or a trial could not go
    on.
    """
    from evoplay.evaluation.cli import open_configured

    if not isinstance(backbone, str | Backbone):
        raise TypeError(f"backbone = {backbone!r}: give a name ('sim/learner', a model's) or a Backbone")
    methods = method if isinstance(method, list | tuple) else [method]
    names = [_named(one) for one in methods]
    name = backbone if isinstance(backbone, str) else backbone.name
    if isinstance(settings.get("out"), os.PathLike):
        settings["out"] = str(settings["out"])  # a path is as good as its text
    config = make_config({"method": names, "backbone": name, **settings})
    opened = open_configured(config) if isinstance(backbone, str) else backbone
    runner = Run(config, opened)
    histories = runner.prepare()
    outcome = runner.execute(histories)
    if outcome.stopped is not None or outcome.broken:
        raise RuntimeError("; ".join(outcome.lines()))
    if not quiet:
        print(f"{outcome.played} episodes played, {outcome.kept} kept, in {config.out}")
    return load(config.out)


def _named(method: Any) -> str:
    """The name of a method; a class defined in a notebook is registered under its own."""
    if isinstance(method, type) and issubclass(method, Method):
        from evoplay.methods.registry import register

        register(method)
        return method.name
    if isinstance(method, str):
        return method
    raise TypeError(f"method = {method!r}: give a name ('memory', 'policy/random') or a Method class")
