"""What a run's run.json and references.json have to hold, checked when they are read."""

from __future__ import annotations

from typing import Any

from evoplay.evaluation.shapes import (
    FLAG,
    LISTS,
    NUMBER,
    OBJECT,
    TEXT,
    WHOLE,
    Shape,
    fault_of,
    fields,
    optional,
    or_null,
    shown,
    whole,
)

MOST = 1_000_000
"""More episodes, trials or seeds than any run has."""
INTEGER = Shape("a whole number", frozenset((int,)))
"""Seeds may be of any size."""
NUMBERED = Shape("a whole number of at least 1", INTEGER.types, lambda value: value >= 1)
COUNTED = whole(1, MOST)
_LIST = Shape("a list with an entry", LISTS, bool)
_MOMENT = Shape("a time in seconds", NUMBER.types, lambda value: 0 <= value < 1e11)
_RUN = fields(
    schema=WHOLE,
    config=OBJECT,
    envs=OBJECT,
    contenders=_LIST,
    cells=_LIST,
    backbone=OBJECT,
    versions=OBJECT,
    created=_MOMENT,
)
_CONFIG = fields(
    seed=INTEGER,
    episode_mode=TEXT,
    env_options=OBJECT,
    budget_tokens=or_null(NUMBERED),
    freeze_after=or_null(NUMBERED),
    hide_actions=FLAG,
    max_steps=or_null(NUMBERED),
)
_ENV = fields(
    title=TEXT,
    suite=TEXT,
    kind=TEXT,
    challenge=FLAG,
    episodes=COUNTED,
    rules_version=WHOLE,
)
_CONTENDER = fields(
    label=TEXT,
    method=TEXT,
    options=optional(or_null(OBJECT)),
    policy=optional(or_null(TEXT)),
)
_CELL = fields(env=TEXT, seed=INTEGER, contender=TEXT, trial=COUNTED)
_BACKBONE = fields(name=TEXT, simulated=FLAG)
_VERSIONS = fields(evoplay=optional(TEXT))
_REFERENCE = fields(value=NUMBER)
_NO_REFERENCE = fields(error=TEXT)


def run_fault(data: Any) -> str | None:
    """What is wrong with the content of a run.json, in words; None if nothing is."""
    if (wrong := fault_of(data, _RUN)) is not None:
        return f"it {wrong}"
    for name, expected in (("config", _CONFIG), ("backbone", _BACKBONE), ("versions", _VERSIONS)):
        if (wrong := fault_of(data[name], expected)) is not None:
            return f"its {name} {wrong}"
    for env_id, facts in data["envs"].items():
        if (wrong := fault_of(facts, _ENV)) is not None:
            return f"in its envs {env_id} {wrong}"
    for name, expected in (("contenders", _CONTENDER), ("cells", _CELL)):
        for number, entry in enumerate(data[name], start=1):
            if (wrong := fault_of(entry, expected)) is not None:
                return f"in its {name} entry {number} {wrong}"
    labels = {row["label"] for row in data["contenders"]}
    for number, cell in enumerate(data["cells"], start=1):
        for kind, named, known in (("env", cell["env"], data["envs"]), ("contender", cell["contender"], labels)):
            if named not in known:
                return f"in its cells entry {number} has {shown(named)} as '{kind}', which is not in its {kind}s"
    return None


def references_fault(data: Any) -> str | None:
    """What is wrong with the content of a references.json (see `write_references`), in words; None if nothing is."""
    if not isinstance(data, dict):
        return f"it is {shown(data)}, expected an object"
    for env_id, by_seed in data.items():
        if not isinstance(by_seed, dict):
            return f"its {env_id} is {shown(by_seed)}, expected an object with a seed's references each"
        for seed, by_episode in by_seed.items():
            if not isinstance(by_episode, dict):
                return f"its {env_id}, seed {seed}, is {shown(by_episode)}, expected an object with the episodes"
            for episode, entry in by_episode.items():
                expected = _NO_REFERENCE if isinstance(entry, dict) and "error" in entry else _REFERENCE
                if (wrong := fault_of(entry, expected)) is not None:
                    return f"its {env_id}, seed {seed}, episode {episode} {wrong}"
    return None
