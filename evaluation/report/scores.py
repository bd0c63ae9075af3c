"""Tables of what was scored: contenders, differences, learning curves, games, trials, sweeps, frozen memory."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from evoplay.evaluation.behaviour import normalised
from evoplay.evaluation.metrics import METRICS, POINTS, Array, Stratum, curve, estimate
from evoplay.evaluation.report.material import Material
from evoplay.evaluation.report.table import Column, Shown, Table, Value, spread_columns, spread_values

NAMES = {"max": "Max", "mean": "Mean", "lg": "LG", "ls": "LS"}
SIGNED = ("lg", "ls")
PERCENT = "Percent of the reference score"


def metric_columns(names: Sequence[str] = METRICS) -> list[Column]:
    """The columns of some of Max, Mean, LG, LS."""
    digits = {"ls": 2}
    return [c for n in names for c in spread_columns(n, NAMES[n], digits.get(n, 1), signed=n in SIGNED)]


def metric_views(names: Sequence[str] = METRICS) -> list[Shown]:
    """Each figure as `mean ± sd` and its interval."""
    views = []
    for name in names:
        views += [Shown(NAMES[name], (name, f"{name}_sd"), "spread")]
        views += [Shown("95 %", (f"{name}_low", f"{name}_high"), "range")]
    return views


def methods(material: Material) -> Table:
    """The method table."""
    table = Table(
        "methods",
        "Methods",
        [Column("method"), *metric_columns(), Column("episodes", digits=0), Column("missing", digits=0)],
        note=f"{PERCENT}; LS in points an episode. Mean ± standard deviation over trials; 95 % interval for the same "
        "games and new trials (games fixed, stratified t; not available below 3 trials). Challenge games weigh 3.",
        shown=[
            Shown("method", ("method",)),
            *metric_views(),
            Shown("episodes", ("episodes",)),
            Shown("missing", ("missing",)),
        ],
    )
    for name, row in material.report["methods"].items():
        values: dict[str, Value] = {"method": name, "episodes": row["episodes"], "missing": row["missing"]}
        for metric in METRICS:
            values |= spread_values(metric, row[metric])
        table.add(values)
    return table


def new_games(material: Material) -> Table | None:
    """The second interval, «new games»; None below ten games."""
    columns = [Column("method")]
    for metric in METRICS:
        digits, signed = 2 if metric == "ls" else 1, metric in SIGNED
        columns += [Column(metric, NAMES[metric], digits, signed)]
        columns += [Column(f"{metric}_{end}", f"{NAMES[metric]} {end}", digits, signed) for end in ("low", "high")]
    shown = [Shown("method", ("method",))]
    for metric in METRICS:
        shown.append(Shown(NAMES[metric], (metric,)))
        shown.append(Shown("95 %, new games", (f"{metric}_low", f"{metric}_high"), "range"))
    table = Table(
        "new_games",
        "Intervals for new games",
        columns,
        shown=shown,
        note="95 % interval by bootstrap over games only (10,000 resamples): what other games would have given.",
    )
    for name, row in material.report["methods"].items():
        if all("games_ci" in row[metric] for metric in METRICS):
            values: dict[str, Value] = {"method": name}
            for metric in METRICS:
                values |= spread_values(metric, {"mean": row[metric]["mean"], "ci": row[metric]["games_ci"]})
            table.add(values)
    return table if table.rows else None


def pairs(material: Material) -> Table:
    """Differences to the baseline, one row a metric and contender."""
    table = Table(
        "differences",
        f"Differences to {material.base}",
        [
            Column("metric"),
            Column("method"),
            Column("difference", digits=2, signed=True),
            Column("low", digits=2, signed=True),
            Column("high", digits=2, signed=True),
            Column("p", digits=3, p=True),
            Column("p_holm", "p (Holm)", 3, p=True),
            Column("won", digits=0),
            Column("lost", digits=0),
            Column("tied", digits=0),
        ],
        shown=[
            *(Shown(name, (name,)) for name in ("metric", "method", "difference")),
            Shown("95 %", ("low", "high"), "range"),
            *(Shown(title, (name,)) for name, title in (("p", "p"), ("p_holm", "p (Holm)"))),
            *(Shown(f"games {name}", (name,)) for name in ("won", "lost", "tied")),
        ],
        note="Weighted mean over games of the difference of means, stratified t interval; trials are not paired. "
        f"p two-sided; Holm's correction over the methods compared with {material.base}, metric by metric.",
    )
    for metric in METRICS:
        for name, pair in material.report["pairs"].items():
            found = pair[metric]
            low, high = found["ci"] or (None, None)
            told = {key: found[key] for key in ("p", "p_holm", "won", "lost", "tied")}
            method = name.removesuffix(f" - {material.base}")
            table.add(
                {"method": method, "metric": NAMES[metric], "difference": found["mean"], "low": low, "high": high}
                | told
            )
    return table


def curves(material: Material) -> Table:
    """Challenge-weighted learning curves with their bands."""
    table = Table(
        "curves",
        "Learning curves",
        [Column("method"), Column("progress", digits=2), *_band_columns()],
        shown=[Shown("method", ("method",)), Shown("progress", ("progress",)), *_band_views()],
        note=f"{PERCENT}, weighted mean over games at ten points from the first (0) to the last (1) scored episode; "
        "the band is the 95 % interval for new trials of the same games, not available below 3 trials, and is cut off "
        "where it would flatten the lines.",
    )
    for name in material.contenders:
        means = material.summary.curve(name)
        games = [(_curves_by_trial(game.z), game.weight) for game in material.summary.scores[name]]
        for at, progress in enumerate(np.linspace(0, 1, POINTS)):
            strata = [Stratum(by_trial[:, at], weight) for by_trial, weight in games]
            table.add({"method": name, "progress": float(progress)} | _band(float(means[at]), strata))
    return table


def game_curves(material: Material) -> Table:
    """Learning curves game by game, over the episodes that were played."""
    table = Table(
        "game_curves",
        "Learning curves by game",
        [Column("game"), Column("method"), Column("episode", digits=0), *_band_columns()],
        shown=[*(Shown(name, (name,)) for name in ("game", "method", "episode")), *_band_views()],
        note=f"{PERCENT}, mean over trials; the band is the t interval over trials, not available below 3.",
    )
    for env_id, seed in material.games:
        numbers = _scored_episodes(material, env_id, seed)
        for name in material.contenders:
            for game in material.summary.scores[name]:
                if (game.env_id, game.seed) != (env_id, seed):
                    continue
                for at, episode in enumerate(numbers):
                    column = game.z[:, at]
                    mean = float(np.nanmean(column)) if not np.isnan(column).all() else float("nan")
                    values = {"game": material.game(env_id, seed), "method": name, "episode": episode}
                    table.add(values | _band(mean, [Stratum(column, 1.0)]))
    return table


def games(material: Material) -> Table:
    """Max, Mean, LG and LS by game and contender."""
    digits = {"ls": 2}
    columns = [Column(n, NAMES[n], digits.get(n, 1), n in SIGNED) for n in METRICS]
    table = Table(
        "games",
        "Figures by game",
        [Column("game"), Column("class"), Column("method"), *columns],
        note=f"{PERCENT}, mean over trials; LS in points an episode.",
    )
    for env_id, seed in material.games:
        kind = "challenge" if material.run.info["envs"][env_id]["challenge"] else "normal"
        for name, row in material.report["methods"].items():
            found = row["games"].get(f"{env_id}@{seed}")
            if found is not None:
                table.add({"game": material.game(env_id, seed), "class": kind, "method": name} | found)
    return table


def trials(material: Material) -> Table:
    """One row a trial."""
    columns = [
        *(Column(name) for name in ("game", "method")),
        *(Column(name, digits=0) for name in ("trial", "episodes", "failed", "capped")),
        Column("best", digits=1),
        Column("mean_z", "mean", 1),
        Column("claims", digits=0),
        Column("cell"),
    ]
    table = Table(
        "trials", "Trials", columns, note=f"best and mean: {PERCENT.lower()}.", links={"cell": lambda cell: str(cell)}
    )
    for cell in material.run.cells:
        records = material.run.episodes_of(cell)
        z = [value for record in records if (value := normalised(material.run, cell, record)) is not None]
        claims = {event["claim"] for event in material.run.history(cell).claims}
        table.add(
            {"game": material.played(cell), "method": cell.contender, "trial": cell.trial, "episodes": len(records)}
            | {"failed": sum(r.score is None for r in records), "capped": sum(r.capped for r in records)}
            | {"best": max(z, default=None), "mean_z": sum(z) / len(z) if z else None}
            | {"claims": len(claims), "cell": cell.id}
        )
    return table


def sweeps(material: Material) -> Table | None:
    """Contenders that are one method with different options, an option a column; None where there are none."""
    rows = [row for row in material.run.info["contenders"] if row.get("policy") is None and row.get("method")]
    count = {row["method"]: sum(other["method"] == row["method"] for other in rows) for row in rows}
    rows = [row for row in rows if count[row["method"]] > 1]
    if not rows:
        return None
    options = list(dict.fromkeys(name for row in rows for name in row.get("options") or {}))
    names = [Column(f"option_{name}", name) for name in options]
    table = Table(
        "sweeps",
        "Sweeps over options",
        [
            Column("method"),
            Column("label"),
            *names,
            *metric_columns(),
            Column("tokens", digits=0),
            Column("usd", digits=4),
        ],
        shown=[
            Shown("method", ("method",)),
            *(Shown(column.title, (column.name,)) for column in names),
            *metric_views(),
            Shown("tokens", ("tokens",)),
            Shown("USD", ("usd",)),
        ],
        note="An option that is not given has its default.",
    )
    for row in rows:
        found = material.report["methods"][row["label"]]
        values: dict[str, Value] = {"method": row["method"], "label": row["label"]}
        for name in options:
            given = (row.get("options") or {}).get(name, "default")
            values[f"option_{name}"] = given if isinstance(given, str) else json.dumps(given)
        for metric in METRICS:
            values |= spread_values(metric, found[metric])
        table.add(values | {"tokens": found["tokens"], "usd": found["usd"]})
    return table


def frozen(material: Material) -> Table | None:
    """With `--freeze-after N`: scores while learning and after, the memory then read-only; else None."""
    after = material.run.info["config"].get("freeze_after")
    if not after:
        return None
    parts = (("learning", f"episodes 1-{after}"), ("frozen", f"episodes {after + 1} on"), ("change", "change"))
    table = Table(
        "frozen",
        f"Frozen memory: read-only after episode {after}",
        [Column("method"), *(c for n, t in parts for c in spread_columns(n, t, signed=n == "change"))],
        shown=[
            Shown("method", ("method",)),
            *(
                view
                for n, t in parts
                for view in (Shown(t, (n, f"{n}_sd"), "spread"), Shown("95 %", (f"{n}_low", f"{n}_high"), "range"))
            ),
        ],
        note=f"Mean score while learning and after the freeze, {PERCENT.lower()}, weighted over games: what the memory "
        "holds, apart from what it still learns.",
    )
    for name in material.contenders:
        found: dict[str, list[Stratum]] = {part: [] for part, _ in parts}
        for game in material.summary.scores[name]:
            numbers = _scored_episodes(material, game.env_id, game.seed)
            early = np.array([number <= after for number in numbers])
            means = {"learning": _means(game.z[:, early]), "frozen": _means(game.z[:, ~early])}
            means["change"] = means["frozen"] - means["learning"]
            for part, values in means.items():
                found[part].append(Stratum(values, game.weight))
        row: dict[str, Value] = {"method": name}
        for part, strata in found.items():
            row |= spread_values(part, estimate(strata).as_dict())
        table.add(row)
    return table


def _means(z: Array) -> Array:
    return np.array([np.nanmean(row) if len(row) and not np.isnan(row).all() else np.nan for row in z], dtype=float)


def _curves_by_trial(z: Array) -> Array:
    return np.array([curve(row[None, :]) for row in z])


def _scored_episodes(material: Material, env_id: str, seed: int) -> list[int]:
    """The numbers of the episodes that have a z, in the order of the columns of z."""
    by_episode = material.run.references[env_id][str(seed)]
    planned = material.run.episodes_planned(env_id)
    return [number for number in range(1, planned + 1) if by_episode.get(str(number), {}).get("value")]


def _band_columns() -> list[Column]:
    return [Column("z", "score", 1), Column("low", digits=1), Column("high", digits=1)]


def _band_views() -> list[Shown]:
    return [Shown("score, %", ("z",)), Shown("95 %", ("low", "high"), "range")]


def _band(mean: float, strata: Sequence[Stratum]) -> dict[str, Value]:
    """A mean with the band around it; the band is as wide as the interval of the trials' own values."""
    if np.isnan(mean):
        return {"z": None, "low": None, "high": None}
    ci = estimate(strata).ci
    half = None if ci is None else (ci[1] - ci[0]) / 2
    return {"z": mean, "low": None if half is None else mean - half, "high": None if half is None else mean + half}
