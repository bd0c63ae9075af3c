"""Published tables, shown beside ours with their backbones: never in one ranking."""

from __future__ import annotations

from evoplay.evaluation.metrics import POINTS
from evoplay.evaluation.publications import method_rows, published
from evoplay.evaluation.report.table import Column, Table

FIGURES = (
    Column("max", "Max", 1),
    Column("mean", "Mean", 1),
    Column("lg", "LG", 1, signed=True),
    Column("ls", "LS", 2, signed=True),
)


def learn2play() -> dict[str, Table]:
    """Published tables of Learn2Play by what they hold: methods, backbones, humans, costs, curves and so on."""
    data = published("learn2play")
    source = f"Source: {data['source']}."
    board = data["leaderboard"]
    methods = Table("published_methods", "Published: methods", [Column("method"), Column("backbone"), *FIGURES])
    for row in method_rows():
        methods.add(row)
    tables = {"methods": methods}
    for key, title, name, head in (
        ("backbones_opencode", "Published: backbones under OpenCode", "backbones", "backbone"),
        ("harnesses", "Published: harnesses", "harnesses", "backbone / harness"),
        ("humans", "Published: people", "humans", "who"),
    ):
        table = Table(f"published_{name}", title, [Column("name", head), *FIGURES])
        for row in board[key]:
            table.add(dict(zip(board["columns"], row, strict=True)))
        tables[name] = table
    costs = Table(
        "published_costs",
        "Published: score and cost",
        [Column("system"), Column("backbone"), Column("max", "Max", 1), Column("usd", "USD an episode", 5)],
    )
    for system, backbone, best, usd in data["cost_usd_per_episode"]["rows"]:
        costs.add({"system": system, "backbone": backbone, "max": best, "usd": usd})
    tables["costs"] = costs
    curves = Table(
        "published_curves",
        "Published: learning curves",
        [Column("method"), Column("backbone"), Column("progress", digits=2), Column("z", "score, %", 1)],
    )
    for name, values in data["curves"]["methods_opus5"].items():
        for at, value in enumerate(values):
            curves.add({"method": name, "backbone": "Claude Opus 5", "progress": at / (POINTS - 1), "z": value})
    tables["curves"] = curves
    transfer = Table(
        "published_transfer", "Published: LS drop", [Column("backbone"), Column("drop", "LS drop", 2, signed=True)]
    )
    for name, drop in data["transfer_ls_drop"].items():
        if isinstance(drop, float) and not name.endswith(("control", "re-shuffled")):
            transfer.add({"backbone": name, "drop": drop})
    tables["transfer"] = transfer
    for table in tables.values():
        table.note = source
    costs.note += f" Prices of {data['cost_usd_per_episode']['pricing_snapshot']}."
    return tables


def adaexplore() -> Table:
    """Published figures of AdaExploreBench, a backbone a row."""
    data = published("adaexplore")
    names = data["main"]["columns"][1:]
    table = Table(
        "published_adaexplore",
        "Published: exploration and drift",
        [Column("backbone"), *(Column(name, name.replace("_", " "), 2) for name in names)],
        note=f"Source: {data['source']}.",
    )
    for row in data["main"]["rows"]:
        table.add(dict(zip(["backbone", *names], row, strict=True)))
    return table
