"""evoplay: find out which memory makes an agent learn.

`evoplay.envs.make(id)` makes an environment, `evoplay.load(folder)` reads a run, `evoplay.run(...)` makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoplay.evaluation.analysis import compare, curves, metrics
    from evoplay.evaluation.api import run
    from evoplay.evaluation.load import LoadedRun, load
    from evoplay.evaluation.merging import merge
    from evoplay.methods.base import Context, Method, Task, View

__all__ = [
    "Context",
    "LoadedRun",
    "Method",
    "Task",
    "View",
    "compare",
    "curves",
    "load",
    "merge",
    "metrics",
    "run",
]

_HOMES = {
    "Context": "evoplay.methods.base",
    "LoadedRun": "evoplay.evaluation.load",
    "Method": "evoplay.methods.base",
    "Task": "evoplay.methods.base",
    "View": "evoplay.methods.base",
    "compare": "evoplay.evaluation.analysis",
    "curves": "evoplay.evaluation.analysis",
    "load": "evoplay.evaluation.load",
    "merge": "evoplay.evaluation.merging",
    "metrics": "evoplay.evaluation.analysis",
    "run": "evoplay.evaluation.api",
}


def __getattr__(name: str) -> Any:
    # Imported when asked for: `import evoplay` costs nothing.
    if name not in _HOMES:
        raise AttributeError(f"module 'evoplay' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
