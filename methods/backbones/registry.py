"""From a name to a backbone.

`sim/learner?explore=0.2` (simulated), `policy/random`, `replay/DIR`, entry points of other packages
(`evoplay.backbones`), `file.py:Class`, and every other name with a slash: a litellm model such as `openai/gpt-5-mini`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from evoplay.envs.plugins import PluginError, is_path, load_from_path
from evoplay.methods.backbones.base import Backbone, BackboneError
from evoplay.methods.backbones.replay import Recorded, ReplayBackbone
from evoplay.methods.backbones.settings import ModelSettings

RecordReader = Callable[[Path], Iterable[Recorded]]
"""Reads the calls recorded in a run's folder; the run log supplies it."""

FORMS = "sim/learner, policy/NAME, replay/DIR, file.py:Class, or a model as litellm names it (openai/gpt-5-mini)"


def open_backbone(name: str, *, read_records: RecordReader | None = None, **settings: Any) -> Backbone:
    """A backbone by name.

    Parameters
    ----------
    name : one of the forms above.
    read_records : for `replay/DIR`, reads the calls of a run's folder.
    settings : the fields of ModelSettings, and for litellm models any further keyword of `litellm.completion`. What is
        None is left out. Those that only concern models reached over a network have no effect on the others.

    Raises
    ------
    BackboneError : no such backbone, with the nearest names; or a setting it does not have.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    if name in _entry_points() or is_path(name):
        return _plugin(name, given)
    kind, _, rest = name.partition("/")
    if kind == "sim":
        _refuse_extra(name, given)
        return _sim(name, rest)
    if kind == "policy":
        from evoplay.methods.backbones.policy import open_policy

        _refuse_extra(name, given)
        return open_policy(rest)
    if kind == "replay":
        _refuse_extra(name, given)
        return _replay(name, rest, read_records)
    return _litellm(name, given)


def look_up(name: str, read_records: RecordReader | None = None) -> Any:
    """What a name stands for, without a key: an embedded backbone, a class or maker of another package or file, or
    None for a litellm model. Raises BackboneError where `open_backbone` would find no such backbone."""
    if name in _entry_points() or is_path(name):
        return _factory(name)
    if name.partition("/")[0] in ("sim", "policy", "replay"):
        return open_backbone(name, read_records=read_records)
    _check_provider(name)
    return None


def _sim(name: str, rest: str) -> Backbone:
    model, _, query = rest.partition("?")
    if model != "learner":
        raise BackboneError(f"no backbone is called '{name}': the simulated one is sim/learner")
    from evoplay.methods.backbones.sim import SimLearner

    known = list(inspect.signature(SimLearner).parameters)
    knobs: dict[str, float] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in known:
            raise BackboneError(f"'{name}': sim/learner has no knob '{key}': use {', '.join(known)}")
        try:
            knobs[key] = float(value)
        except ValueError:
            raise BackboneError(f"'{name}': the knob {key} is a number, not '{value}' (such as {key}=0.5)") from None
    if query and not knobs:
        raise BackboneError(f"'{name}': knobs are written as sim/learner?{known[0]}=0.5")
    backbone: Backbone = SimLearner(**knobs)
    backbone.name = name
    return backbone


def _replay(name: str, folder: str, read_records: RecordReader | None) -> Backbone:
    path = Path(folder).expanduser()
    if not folder or not path.is_dir():
        raise BackboneError(f"'{name}': there is no folder '{folder}': give a run's, such as replay/runs/first")
    if read_records is None:
        raise BackboneError(f"'{name}': open_backbone needs read_records=, the reader of recorded calls")
    return ReplayBackbone(read_records(path), name=name)


def _litellm(name: str, settings: Mapping[str, Any]) -> Backbone:
    from evoplay.methods.backbones.litellm_backbone import LitellmBackbone

    _check_provider(name)
    return LitellmBackbone(name, ModelSettings.of(settings))


def _check_provider(name: str) -> None:
    from evoplay.methods.backbones.providers import nearest_models, provider_of

    if provider_of(name) is None:
        near = nearest_models(name, ["sim/learner", *_policy_names(), *_entry_points()])
        hint = f"did you mean {' or '.join(near)}?" if near else f"use {FORMS}"
        raise BackboneError(f"no backbone is called '{name}': {hint}")


def _policy_names() -> list[str]:
    from evoplay.methods.backbones.policy import POLICIES

    return [f"policy/{name}" for name in POLICIES]


def _factory(name: str) -> Any:
    """The class or maker of another package's backbone, or of one in a file."""
    try:
        return _entry_points()[name].load() if name in _entry_points() else load_from_path(name, Backbone)
    except PluginError as error:
        raise BackboneError(str(error)) from error
    except Exception as error:  # the user's own code: whatever it raises is reported as theirs
        raise BackboneError(f"'{name}' could not be opened: it raised {type(error).__name__}: {error}") from error


def _plugin(name: str, settings: Mapping[str, Any]) -> Backbone:
    factory = _factory(name)
    try:
        accepted = inspect.signature(factory).parameters
        takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in accepted.values())
        standard = {field.name for field in fields(ModelSettings)}
        unknown = sorted(key for key in settings if key not in accepted and key not in standard and not takes_all)
        if unknown:
            raise BackboneError(
                f"'{name}' has no setting '{unknown[0]}': it takes {', '.join(accepted) or 'no settings'}"
            )
        opened = factory(**{key: value for key, value in settings.items() if takes_all or key in accepted})
    except (BackboneError, PluginError) as error:
        raise BackboneError(str(error)) from error
    except Exception as error:  # the user's own code: whatever it raises is reported as theirs
        raise BackboneError(f"'{name}' could not be opened: it raised {type(error).__name__}: {error}") from error
    if not isinstance(opened, Backbone):
        raise BackboneError(f"'{name}' gave a {type(opened).__name__}; it has to be a subclass of {Backbone.__name__}")
    if not getattr(opened, "name", ""):
        opened.name = name
    return opened


def _refuse_extra(name: str, settings: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(ModelSettings) if field.name != "extra"]
    for key in settings:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
            raise BackboneError(f"'{name}' has no setting '{key}': {hint}")


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    return {point.name: point for point in metadata.entry_points(group="evoplay.backbones")}
