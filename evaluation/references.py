"""The reference scores of a run's episodes, kept beside its log."""

from __future__ import annotations

import json
from typing import Any

from evoplay.envs.base import NoReference
from evoplay.envs.registry import make
from evoplay.evaluation.rules_versions import changed_since
from evoplay.evaluation.runlog import RunFolder


def write_references(folder: RunFolder) -> dict[str, Any]:
    """Work out the reference of every episode a run plays and keep them in its `references.json`.

    `{env id: {seed: {episode: {"value", "evidence", "how"} or {"error"}}}}`. Of a game whose rules are other ones
    since it was played there are only the references that were worked out before.
    """
    data = folder.read()
    config = data["config"]
    place = folder.path / "references.json"
    known: dict[str, Any] = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
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
        env = make(cell["env"], cell["seed"], **options)
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
