"""Episodes as JSONL: one object a line, with a schema version; what is written can be read back exactly.

A line holds everything that decides the episode, the distributions and the seed of its population included, so that
its conditions can be checked without this package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from evoplay.envs.adaexplore.blueprints import Constraint, FieldSpec
from evoplay.envs.adaexplore.config import FAMILIES, WORLD
from evoplay.envs.adaexplore.dynamics import Calibration, Factor, Rule
from evoplay.envs.adaexplore.generation import Episode
from evoplay.envs.adaexplore.slots import Slot
from evoplay.envs.base import EnvError

SCHEMA = 1


class ExchangeError(EnvError):
    """A file that holds no episodes of this schema; the message names file, line and what was expected."""


def write_episodes(episodes: Iterable[Episode], out: TextIO) -> int:
    """Write episodes, one a line; how many there were. The same episodes give the same bytes."""
    count = 0
    for episode in episodes:
        out.write(json.dumps(to_data(episode), ensure_ascii=False, separators=(",", ":")) + "\n")
        count += 1
    return count


def read_file(file: str | Path) -> Iterator[Episode]:
    """The episodes of an exported file. Raises ExchangeError for the first line that is none."""
    path = Path(file)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ExchangeError(
            f"{path} cannot be read ({error.strerror}): give a file that `adaexplore generate` wrote"
        ) from error
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
            if data["schema"] != SCHEMA:
                raise ExchangeError(
                    f"{path}, line {number}: schema {data['schema']!r}; expected {SCHEMA}: export it again"
                )
            yield from_data(data)
        except ExchangeError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExchangeError(f"{path}, line {number}: not an episode ({type(error).__name__}: {error})") from error


def to_data(episode: Episode) -> dict[str, Any]:
    """An episode as JSON data."""
    slot, calibration = episode.slot, episode.calibration
    return {
        "schema": SCHEMA,
        "split": slot.split,
        "index": slot.index,
        "domain": slot.domain,
        "task": slot.task,
        "family": slot.family,
        "factors": slot.factors,
        "drift": slot.drift,
        "batches": WORLD.batches,
        "cases_per_batch": WORLD.cases,
        "title": episode.title,
        "role": episode.role,
        "scenario": episode.scenario,
        "actions": list(episode.actions),
        "centres": list(WORLD.centres),
        "fields": [
            {
                "name": spec.name,
                "meaning": spec.meaning,
                "unit": spec.unit,
                "range": [spec.low, spec.high],
                "draw": [spec.draw[0], *spec.draw[1]],
                "decimals": spec.decimals,
                "directions": list(spec.directions),
                "reversal": spec.reversal,
            }
            for spec in episode.fields
        ],
        "constraints": [
            {"terms": dict(constraint.terms), "at_most": constraint.at_most, "why": constraint.why}
            for constraint in episode.constraints
        ],
        "before": _rule_data(episode.before),
        "after": _rule_data(episode.after),
        "calibration": [calibration.q25, calibration.q50, calibration.q75],
        "population": {"size": WORLD.population, "entropy": list(episode.population_seed)},
        "change": {
            "removed": episode.removed,
            "added": episode.added,
            "reversed": episode.reversed_field,
            "why_replaced": episode.why_replaced,
            "why_reversed": episode.why_reversed,
        },
        "cases": episode.cases.tolist(),
    }


def from_data(data: Mapping[str, Any]) -> Episode:
    """An episode from JSON data; a missing or ill-typed part raises KeyError, TypeError or ValueError."""
    if (data["batches"], data["cases_per_batch"]) != (WORLD.batches, WORLD.cases):
        raise ValueError(
            f"{data['batches']} batches of {data['cases_per_batch']}; expected {WORLD.batches} of {WORLD.cases}"
        )
    if data["family"] not in FAMILIES:
        raise ValueError(f"family {data['family']!r}")
    fields = tuple(
        FieldSpec(
            entry["name"],
            entry["meaning"],
            entry["unit"],
            float(entry["range"][0]),
            float(entry["range"][1]),
            (entry["draw"][0], tuple(float(value) for value in entry["draw"][1:])),
            int(entry["decimals"]),
            tuple(entry["directions"]),
            entry["reversal"],
        )
        for entry in data["fields"]
    )
    cases = np.asarray(data["cases"], dtype=np.float64)
    if cases.shape != (WORLD.batches * WORLD.cases, len(fields)):
        raise ValueError(f"cases of shape {cases.shape}")
    change = data["change"]
    return Episode(
        Slot(
            data["split"], data["index"], data["domain"], data["task"], data["family"], data["factors"], data["drift"]
        ),
        data["title"],
        data["role"],
        data["scenario"],
        tuple(data["actions"]),
        fields,
        tuple(
            Constraint(
                tuple((name, float(value)) for name, value in entry["terms"].items()),
                float(entry["at_most"]),
                entry["why"],
            )
            for entry in data["constraints"]
        ),
        _rule(data["family"], data["before"]),
        _rule(data["family"], data["after"]),
        Calibration(*(float(value) for value in data["calibration"])),
        cases,
        change["removed"],
        change["added"],
        change["reversed"],
        change["why_replaced"],
        change["why_reversed"],
        tuple(data["population"]["entropy"]),
    )


def _rule_data(rule: Rule) -> dict[str, Any]:
    return {
        "bias": rule.bias,
        "delta": rule.delta,
        "factors": [
            {"field": f.field, "direction": f.direction, "weight": f.weight, "threshold": f.threshold}
            for f in rule.factors
        ],
    }


def _rule(family: Any, data: Mapping[str, Any]) -> Rule:
    factors = tuple(
        Factor(entry["field"], int(entry["direction"]), float(entry["weight"]), float(entry["threshold"]))
        for entry in data["factors"]
    )
    return Rule(family, factors, float(data["bias"]), float(data["delta"]))
