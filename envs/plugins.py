"""Loading a class that a user names as `path/to/file.py:Class`."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import Any


class PluginError(ValueError):
    """A `file.py:Class` that cannot be used; the message says why and what to do."""


def is_path(name: str) -> bool:
    """Whether a name has the form `file.py:Class`."""
    return ".py:" in name


def load_from_path(name: str, kind: type | None = None) -> Any:
    """The object `Class` of `file.py`. Raises PluginError when the file, the class or its kind is not as expected.

    The module is loaded once a process under a name of its own, so that its classes are the same at every call.
    """
    file, _, attribute = name.rpartition(":")
    path = Path(file).expanduser().resolve()
    if not path.is_file():
        raise PluginError(f"'{name}': there is no file {path}; give it as path/to/file.py:Class")
    module_name = f"evoplay_plugin_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise PluginError(f"'{name}': {path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # the user's own code: whatever it raises is reported as theirs
            del sys.modules[module_name]
            raise PluginError(f"'{name}': running {path} raised {type(error).__name__}: {error}") from error
    found = getattr(module, attribute, None)
    if found is None:
        raise PluginError(f"'{name}': {path} has no '{attribute}'; name a class that it defines")
    if kind is not None and not (isinstance(found, type) and issubclass(found, kind)):
        raise PluginError(f"'{name}': '{attribute}' is not a subclass of {kind.__module__}.{kind.__name__}")
    return found
