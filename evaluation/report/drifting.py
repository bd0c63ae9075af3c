"""Tables of AdaExplore runs: deciding, probing, recognising factors and changes, and the curve at the drift."""

from __future__ import annotations

from dataclasses import dataclass

from evoplay.evaluation.drift import reprobing
from evoplay.evaluation.exploration import FIGURES, explored
from evoplay.evaluation.report.material import Material
from evoplay.evaluation.report.table import Column, Shown, Table, Value, spread_columns, spread_values

TITLES = {
    "ea": "EA, %",
    "ca": "CA, %",
    "unique_probes": "unique probes",
    "reprobes": "re-probes",
    "factor_f1": "factor F1, %",
    "change_f1": "change F1, %",
    "factor_precision": "factor precision, %",
    "factor_recall": "factor recall, %",
    "direction_accuracy": "direction accuracy, %",
    "change_precision": "change precision, %",
    "change_recall": "change recall, %",
    "loss_at_drift": "loss at the drift",
    "recovery": "recovery",
}
COUNTED = ("episodes", "forced_cases", "forced_windows", "unanswered_cases", "unreadable_assessments", "left_at_once")


@dataclass(frozen=True, slots=True)
class Drifting:
    """The tables of a run's AdaExplore episodes."""

    figures: Table
    detail: Table
    counts: Table
    families: Table
    curve: Table
    correlations: Table


def adaexplore(material: Material) -> Drifting | None:
    """The tables; None where no episode is of AdaExplore."""
    found = {n: row["exploration"] for n, row in material.report["methods"].items() if "exploration" in row}
    if not found:
        return None
    figures = _figures("adaexplore", "Exploration and drift", [Column("method")])
    families = _figures("adaexplore_families", "By task family", [Column("method"), Column("family")])
    detail = Table(
        "adaexplore_detail",
        "All figures of exploration and drift",
        [Column("method"), Column("figure"), *spread_columns("mean", "mean", 2), Column("n", digits=0)],
        shown=[
            *(Shown(name, (name,)) for name in ("method", "figure")),
            Shown("mean", ("mean", "mean_sd"), "spread"),
            Shown("95 %", ("mean_low", "mean_high"), "range"),
            Shown("episodes", ("n",)),
        ],
    )
    counts = Table(
        "adaexplore_counts",
        "Forced and missing answers",
        [Column("method"), *(Column(name, name.replace("_", " "), 0) for name in COUNTED)],
        note="Unanswered cases count as EA 0 and CA 0, unreadable assessments as an empty set.",
    )
    curve = Table(
        "adaexplore_curve",
        "Calibrated accuracy around the drift",
        [
            Column("method"),
            Column("batch", digits=0, signed=True),
            Column("ca", "CA", 1),
            *(Column(name, digits=1) for name in ("low", "high")),
            Column("n", digits=0),
        ],
        shown=[
            *(Shown(title, (name,)) for name, title in (("method", "method"), ("batch", "batch"), ("ca", "CA, %"))),
            Shown("95 %", ("low", "high"), "range"),
            Shown("episodes", ("n",)),
        ],
        note="Batch 0 is the last before the drift.",
    )
    for name, row in found.items():
        figures.add({"method": name, "n": row["episodes"]} | _values(row))
        counts.add({"method": name, **{key: row.get(key) for key in COUNTED}})
        for figure, title in TITLES.items():
            detail.add({"method": name, "figure": title, "n": row[figure]["n"]} | spread_values("mean", row[figure]))
        for family, part in row["families"].items():
            families.add({"method": name, "family": family, "n": part["episodes"]} | _values(part))
        for offset, value in row["aligned_ca"].items():
            low, high = value["ci"] or (None, None)
            curve.add(
                {"method": name, "batch": int(offset), "ca": value["mean"], "low": low, "high": high, "n": value["n"]}
            )
    return Drifting(figures, detail, counts, families, curve, _correlations(material))


def _figures(name: str, title: str, keys: list[Column]) -> Table:
    shown = [Shown(key.name, (key.name,)) for key in keys]
    for figure in FIGURES:
        shown.append(Shown(TITLES[figure], (figure, f"{figure}_sd"), "spread"))
        shown.append(Shown("95 %", (f"{figure}_low", f"{figure}_high"), "range"))
    return Table(
        name,
        title,
        [*keys, *(c for figure in FIGURES for c in spread_columns(figure, TITLES[figure])), Column("n", digits=0)],
        shown=[*shown, Shown("episodes", ("n",))],
        note="Mean ± standard deviation and t interval over episodes.",
    )


def _values(row: dict[str, dict[str, Value]]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for figure in FIGURES:
        values |= spread_values(figure, row[figure])
    return values


def _correlations(material: Material) -> Table:
    table = Table(
        "adaexplore_correlations",
        "Re-probing and recognising the change",
        [
            Column("method"),
            Column("count_rho", "rho, re-probes", 2, signed=True),
            Column("count_p", "p", 3, p=True),
            Column("rate_rho", "rho, rate", 2, signed=True),
            Column("rate_p", "p", 3, p=True),
            Column("n", "episodes", 0),
        ],
        note="Spearman's rank correlation with change F1, by method, and pooled after centring by method.",
    )
    episodes = {
        name: [
            episode
            for cell in material.run.cells_of(name)
            for record in material.run.episodes_of(cell)
            if (episode := explored(record)) is not None
        ]
        for name in material.contenders
    }
    for name, row in reprobing({name: some for name, some in episodes.items() if some}).items():
        count, rate = row["count"], row["rate"]
        table.add(
            {"method": name, "count_rho": count.rho, "count_p": count.p, "rate_rho": rate.rho, "rate_p": rate.p}
            | {"n": count.n}
        )
    return table
