"""The reference scores of a run's episodes, kept beside its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evoplay.envs.base import NoReference
from evoplay.envs.registry import make
from evoplay.evaluation.rules_versions import changed_since
from evoplay.evaluation.runlog import RunFolder, RunLogError
from evoplay.evaluation.runschema import references_fault

ANEW = "delete it, it is worked out again"
"""What to do about a references.json that cannot be used: nothing is in it that a run could not do again."""


def write_references(folder: RunFolder) -> dict[str, Any]:
    """Work out the reference of every episode a run plays and keep them in its `references.json`.

    `{env id: {seed: {episode: {"value", "evidence", "how"} or {"error"}}}}`. Of a game whose rules are other ones
    since it was played there are only the references that were worked out before.
    """
    data = folder.read()
    config = data["config"]
    place = folder.path / "references.json"
    known = _read(place)
    other_rules = changed_since(data["envs"])
    refused: list[tuple[dict[str, Any], str]] = []
    changed = False
    for cell in data["cells"]:
        by_seed = known.setdefault(cell["env"], {})
        by_episode = by_seed.setdefault(str(cell["seed"]), {})
        wanted = [str(number) for number in range(1, data["envs"][cell["env"]]["episodes"] + 1)]
        if all(number in by_episode for number in wanted):
            continue
        if cell["env"] in other_rules:
            refused += [(by_episode, number) for number in wanted if number not in by_episode]
            continue
        changed = True
        options = dict(config["env_options"])
        if config["episode_mode"] != "reshuffled":
            options["episode_mode"] = config["episode_mode"]
        try:
            env = make(cell["env"], cell["seed"], **options)
        except (ValueError, TypeError) as error:
            why = f"{folder.config_path} tells of an environment that cannot be made: {error}"
            raise RunLogError(f"{why}; references and the figures in percent need it as it was") from None
        for number in wanted:
            try:
                found = env.reference(int(number))
                by_episode[number] = {"value": found.value, "evidence": found.evidence, "how": found.how}
            except NoReference as error:
                by_episode[number] = {"error": str(error)}
    if changed:
        place.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    for by_episode, number in refused:  # not kept: the program that the run was made with can work them out
        by_episode[number] = {"error": "the rules are other ones since the run was played"}
    return known


def _read(place: Path) -> dict[str, Any]:
    """What is kept already; nothing where there is no file."""
    try:
        known = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else f"no JSON: {error}"
        raise RunLogError(f"{place} cannot be read ({why}): {ANEW}") from None
    if (wrong := references_fault(known)) is not None:
        raise RunLogError(f"{place} is not a run's ({wrong}): {ANEW}")
    found: dict[str, Any] = known
    return found
