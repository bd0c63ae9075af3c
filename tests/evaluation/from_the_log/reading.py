"""The log of a run, read line by line: trials, their episodes, calls, claims and prompts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

METRICS = ("max", "mean", "lg", "ls")
NAN = float("nan")


@dataclass
class Episode:
    """A finished episode."""

    number: int
    score: float | None = None
    failed: bool = False
    capped: bool = False
    left: bool = False
    steps: list[dict[str, Any]] = field(default_factory=list)
    asides: dict[str, str] = field(default_factory=dict)
    z: float = NAN


@dataclass
class Trial:
    """What a trial's file holds: finished episodes, all calls ever made, other events that hold, prompts' texts."""

    env: str
    seed: int
    contender: str
    number: int
    id: str
    episodes: list[Episode]
    calls: list[dict[str, Any]]
    events: list[dict[str, Any]]
    prompts: list[tuple[str, str]]
    references: dict[int, float | None]

    @property
    def scored(self) -> list[int]:
        """The episodes that have a z: those whose reference is not 0."""
        return [number for number, value in self.references.items() if value]


@dataclass
class Run:
    """A run's folder, read."""

    info: dict[str, Any]
    trials: list[Trial]

    @property
    def contenders(self) -> list[str]:
        return [row["label"] for row in self.info["contenders"]]

    @property
    def games(self) -> list[tuple[str, int]]:
        """The games that have references, with their seeds."""
        having = [trial for trial in self.trials if None not in trial.references.values()]
        return list(dict.fromkeys((trial.env, trial.seed) for trial in having))

    def of(self, contender: str, game: tuple[str, int] | None = None) -> list[Trial]:
        """A contender's trials, of one game or of all."""
        mine = [trial for trial in self.trials if trial.contender == contender]
        return [trial for trial in mine if game in (None, (trial.env, trial.seed))]

    def weight(self, game: tuple[str, int]) -> float:
        """3 for a challenge game, 1 for another; several seeds of a game share it."""
        seeds = {trial.seed for trial in self.trials if trial.env == game[0]}
        return (3 if self.info["envs"][game[0]]["challenge"] else 1) / len(seeds)


def read_run(folder: Path) -> Run:
    """A run from its folder."""
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "references.json").read_text(encoding="utf-8"))
    trials = []
    for cell in info["cells"]:
        path = folder / "cells" / f"{cell['path']}.jsonl"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = [json.loads(line) for line in text.splitlines()]
        planned = info["envs"][cell["env"]]["episodes"]
        by_episode = references[cell["env"]][str(cell["seed"])]
        value = {number: by_episode[str(number)].get("value") for number in range(1, planned + 1)}
        valid = holding(lines)
        trials.append(
            Trial(
                cell["env"],
                cell["seed"],
                cell["contender"],
                cell["trial"],
                cell["id"],
                finished(valid, value),
                [line for line in lines if line["type"] == "call"],
                valid,
                prompts(lines),
                value,
            )
        )
    return Run(info, trials)


def holding(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events that no `resumed` voids: of those since the method last took an episode in, the first few are kept."""
    kept: list[dict[str, Any]] = []
    settled = 0
    for line in lines:
        if line["type"] == "resumed":
            del kept[settled + line["keep_until"] :]
            settled = len(kept)
            continue
        kept.append(line)
        if line["type"] == "episode_closed":
            settled = len(kept)
    return kept


def finished(events: list[dict[str, Any]], references: dict[int, float | None]) -> list[Episode]:
    """The episodes that came to an end, with z; a failed one is without score, an unscored one without z."""
    done: list[Episode] = []
    now = Episode(0)
    for event in events:
        kind = event["type"]
        if kind == "episode_started":
            now = Episode(event["episode"])
        elif kind == "step":
            now.steps.append(event)
        elif kind == "aside":
            now.asides[event["id"]] = event["reply"]
        elif kind == "episode_finished":
            now.score, now.failed = event["score"], event["score"] is None
            now.capped, now.left = event.get("capped", False), event.get("left", False)
            reference = references[now.number]
            if now.score is not None and reference:
                now.z = 100 * now.score / reference
            done.append(now)
    return done


def prompts(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Purpose and text of every prompt: blocks kept from the last one and new ones, or messages of a block each."""
    texts = {line["id"]: line["text"] for line in lines if line["type"] == "block"}
    found = []
    last: list[str] = []
    for line in lines:
        if line["type"] != "call":
            continue
        if "prompt" in line:
            last = last[: line["prompt"]["keep"]] + line["prompt"]["add"]
            system = line["prompt"]["system"]
            parts = ["".join(texts[one] for one in ids) for ids in (last[:system], last[system:])]
        else:
            parts = [texts[one] for _, one in line["messages"]]
        found.append((line["purpose"], "\0".join(parts)))
    return found
