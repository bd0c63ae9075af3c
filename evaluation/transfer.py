"""Transfer: what of the learning was tied to the instance.

Every re-shuffled game is played under two conditions, everything else equal: control (episode 1's instance every time)
and re-shuffled (the instance of the episode). LS drop = LS(control) - LS(re-shuffled); positive: what was learned was
tied to the instance. Source: Learn2Play Bench (2026), transfer protocol.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evoplay.envs.registry import spec_of, suite_ids
from evoplay.evaluation.config import ConfigError, RunConfig, make_config
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.merging import differing
from evoplay.evaluation.metrics import Stratum, difference, estimate
from evoplay.evaluation.runlog import RunLogError
from evoplay.evaluation.shapes import (
    FLAG,
    NUMBER,
    TEXT,
    each,
    fault_of,
    fields,
    numbers,
    object_of,
    optional,
    or_null,
    whole,
)
from evoplay.evaluation.summary import GameScores, Summary, summarise

KEPT = "transfer.json"
"""The file beside the two runs that keeps their comparison."""
CONDITIONS = ("control", "reshuffled")
EPISODES = 10


def reshuffled_games() -> list[str]:
    """The environments whose instance changes with the episode."""
    found = []
    for env_id in suite_ids("learn2play"):
        if spec_of(env_id).kind == "reshuffled":
            found.append(env_id)
    return found


def configurations(settings: dict[str, Any], out: str) -> dict[str, RunConfig]:
    """The two runs of a transfer comparison. Raises ConfigError for a game that is not re-shuffled."""
    envs = settings.pop("env", None) or reshuffled_games()
    configs = {}
    for condition in CONDITIONS:
        folder = str(Path(out) / condition)
        config = make_config({"episodes": EPISODES, **settings, "env": envs, "episode_mode": condition, "out": folder})
        for env_id in config.env_ids():
            if spec_of(env_id).kind != "reshuffled":
                raise ConfigError(f"{env_id} is the same in every episode: transfer needs a re-shuffled game")
        configs[condition] = config
    return configs


def compare(control: LoadedRun, reshuffled: LoadedRun) -> dict[str, Any]:
    """LS in both conditions and the drop, by method: over all games, and game by game, with 95 % intervals.

    Raises RunLogError where the runs differ in more than the condition.
    """
    if found := differing(control, reshuffled, ("episode_mode",)):
        fix = "make both with evoplay transfer"
        raise RunLogError(f"{control.path} and {reshuffled.path} cannot be compared: {'; '.join(found)}: {fix}")
    both = {"control": summarise(control), "reshuffled": summarise(reshuffled)}
    methods: dict[str, Any] = {}
    for contender in control.contenders:
        here, there = both["control"].scores[contender], both["reshuffled"].scores[contender]
        methods[contender] = {
            "all": _drop(_strata(here), _strata(there)),
            "games": {
                f"{a.env_id}@{a.seed}": _drop(_strata([a]), _strata([b])) for a, b in zip(here, there, strict=True)
            },
        }
    return {
        "backbone": control.info["backbone"]["name"],
        "simulated": control.simulated,
        "episodes": max(env["episodes"] for env in control.info["envs"].values()),
        "trials": max(cell.trial for cell in control.cells),
        "missing": {name: _missing(summary) for name, summary in both.items()},
        "methods": methods,
    }


def _strata(games: Sequence[GameScores]) -> list[Stratum]:
    return [Stratum(game.figure("ls"), game.weight) for game in games]


def _drop(control: Sequence[Stratum], reshuffled: Sequence[Stratum]) -> dict[str, Any]:
    drop, p = difference(control, reshuffled)
    return {
        "control": estimate(control).as_dict(),
        "reshuffled": estimate(reshuffled).as_dict(),
        "drop": {"mean": drop.mean, "ci": None if drop.ci is None else list(drop.ci), "p": p},
    }


def _missing(summary: Summary) -> int:
    return sum(game.missing for games in summary.scores.values() for game in games)


def print_transfer(data: dict[str, Any]) -> None:
    """The table: a line for all games, then one a game, for each method."""
    from rich.console import Console

    from evoplay.evaluation.terminal import PLAIN_WIDTH, interval, plain_table

    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, PLAIN_WIDTH)
    kind = " (simulated backbone)" if data["simulated"] else ""
    console.print(f"transfer · {data['backbone']}{kind} · {data['episodes']} episodes, {data['trials']} trials")
    caption = "LS in points an episode; drop = control - re-shuffled, 95 % interval"
    table = plain_table(caption, "method", "game", "LS control", "LS re-shuffled", "LS drop", "95 %")
    for method, row in data["methods"].items():
        for name, part in [("all games", row["all"]), *row["games"].items()]:
            cells = [_signed(part[key]["mean"]) for key in ("control", "reshuffled", "drop")]
            table.add_row(method if name == "all games" else "", name, *cells, interval(part["drop"]["ci"]))
    console.print(table)


def _signed(value: float | None) -> str:
    return "n/a" if value is None else f"{value:+.2f}"


def write_transfer(data: dict[str, Any], out: str) -> Path:
    """Keep the comparison beside its two runs."""
    path = Path(out) / KEPT
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path


_MEAN = or_null(NUMBER)
_FIGURE = object_of(fields(mean=_MEAN, sd=optional(_MEAN), ci=or_null(numbers(2))), "a mean with its interval")
_DROP = object_of(fields(mean=_MEAN, ci=or_null(numbers(2)), p=_MEAN), "a difference with interval and p")
_PART = object_of(fields(control=_FIGURE, reshuffled=_FIGURE, drop=_DROP), "LS of both conditions, and the drop")
_METHOD = object_of(fields(all=_PART, games=each(_PART, "such a part a game")), "the parts of a method")
_DATA = fields(
    backbone=TEXT,
    simulated=FLAG,
    episodes=whole(1),
    trials=whole(1),
    missing=each(whole(0), "a count a condition"),
    methods=each(_METHOD, "an object with LS of both conditions and the drop of each method"),
)


def read_transfer(path: Path) -> dict[str, Any]:
    """A comparison that was kept. Raises RunLogError for a file that cannot be used."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        wrong = fault_of(data, _DATA)
    except (OSError, ValueError, RecursionError) as error:
        wrong = f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"
    if wrong is not None:
        raise RunLogError(
            f"{path} is not what `evoplay transfer` wrote ({wrong}): delete it, or give that command again"
        )
    return data
