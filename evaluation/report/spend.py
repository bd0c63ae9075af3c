"""Tables of what it cost: the frontier, equal spend, tokens by purpose, cache shares, failures and drops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoplay.evaluation.report.material import Material, is_policy
from evoplay.evaluation.report.table import Column, Table, Value
from evoplay.evaluation.spending import cache_shares, equal_spend, frontier, spend_by_purpose

KINDS = ("fresh", "cached", "cache_write", "output")


def cost_frontier(material: Material) -> Table:
    """Score and spend an episode of every contender, and who is on the frontier of each."""
    table = Table(
        "frontier",
        "Performance and cost",
        [
            Column("method"),
            Column("max", "Max", 1),
            Column("mean", "Mean", 1),
            Column("calls_an_episode", "calls an episode", 1),
            Column("tokens_an_episode", "tokens an episode", 0),
            Column("usd_an_episode", "USD an episode", 5),
            Column("frontier_tokens", "on the frontier, tokens"),
            Column("frontier_usd", "on the frontier, USD"),
        ],
        note="On the frontier: no other is at least as good (Max) and as cheap and better in one of the two. Unpriced "
        "(n/a), never 0: a call has no known price. Policies are floors and ceilings without cost and stand apart.",
    )
    rows: dict[str, dict[str, Any]] = {}
    for name, row in material.report["methods"].items():
        played = row["episodes"] + row["missing"]
        share = 1 / played if played else None
        rows[name] = {
            "method": name,
            "max": row["max"]["mean"],
            "mean": row["mean"]["mean"],
            "calls_an_episode": None if share is None else row["calls"] * share,
            "tokens_an_episode": None if share is None else row["tokens"] * share,
            "usd_an_episode": None if share is None or row["usd"] is None else row["usd"] * share,
        }
    for unit in ("tokens", "usd"):
        paid = {name: row for name, row in rows.items() if not is_policy(name)}
        best = frontier({name: (row["max"], row[f"{unit}_an_episode"]) for name, row in paid.items()})
        for name, row in rows.items():
            unpriced = "unpriced" if row[f"{unit}_an_episode"] is None else "no"
            row[f"frontier_{unit}"] = "policy" if is_policy(name) else "yes" if name in best else unpriced
    for row in rows.values():
        table.add(row)
    return table


def priced(table: Table) -> bool:
    """Whether a frontier in USD says anything: some contender costs something, or nobody knows what."""
    at = table.at("usd_an_episode")
    return any(row[at] is None or float(row[at] or 0) > 0 for row in table.rows)


def spend_curves(material: Material, unit: str) -> Table:
    """Score against cumulative spend ("tokens" or "usd"), one row a contender and point of progress."""
    name = {"tokens": "tokens", "usd": "USD"}[unit]
    table = Table(
        f"equal_spend_{unit}",
        f"Score against {name} spent",
        [
            Column("method"),
            Column("progress", digits=2),
            Column("spend", f"{name} so far", 0 if unit == "tokens" else 4),
            Column("best", "best so far", 1),
            Column("z", "score", 1),
        ],
        note="Means over trials, weighted over games, at ten points of progress; every call counts, also those of "
        "reflection. Score and best in percent of the reference score.",
    )
    for contender in material.contenders:
        for row in equal_spend(material.run, contender, unit):
            table.add({"method": contender, **row})
    return table


def purposes(material: Material) -> Table:
    """Calls, tokens by kind and USD by contender and purpose."""
    table = Table(
        "tokens",
        "Tokens by purpose",
        [
            Column("method"),
            Column("purpose"),
            Column("calls", digits=0),
            Column("calls_an_episode", "calls an episode", 2),
            Column("input", digits=0),
            Column("fresh", digits=0),
            Column("cached", digits=0),
            Column("cache_write", "cache write", 0),
            Column("output", digits=0),
            Column("reasoning", digits=0),
            Column("total", digits=0),
            Column("usd", "USD", 4),
            Column("seconds", digits=1),
        ],
        note="Input holds fresh, cached and cache-write tokens; output holds reasoning; total is input and output. "
        "Calls of restarted episodes are counted. USD n/a: a call has no known price.",
    )
    for contender in material.contenders:
        for purpose, row in spend_by_purpose(material.run, contender).items():
            fresh = row["input"] - row["cached"] - row["cache_write"]
            table.add(
                {"method": contender, "purpose": purpose, **row, "fresh": fresh, "total": row["input"] + row["output"]}
            )
    return table


def caches(material: Material) -> Table:
    """Predicted and billed cache shares."""
    table = Table(
        "cache",
        "Cached input",
        [Column("method"), Column("predicted", "predicted, %", 1), Column("billed", "billed, %", 1)],
        note="Share of all input: predicted is what extends the trial's call before (in characters); billed is what a "
        "provider reported as read from its cache, n/a where none reported usage.",
    )
    for contender in material.contenders:
        shares = cache_shares(material.run, contender)
        table.add({"method": contender, **{name: _percent(value) for name, value in shares.items()}})
    return table


def losses(material: Material) -> Table:
    """What is missing or was cut short, by contender."""
    table = Table(
        "losses",
        "Drops and failures",
        [
            Column("method"),
            *(Column(name, digits=0) for name in ("planned", "played", "failed", "capped", "left")),
            Column("failed_calls", "calls failed", 0),
            Column("lost_updates", "memory updates lost", 0),
            Column("retried", "calls retried", 0),
            Column("flagged", "usages flagged", 0),
            Column("drops", digits=0),
            Column("dropped_tokens", "tokens dropped", 0),
        ],
        note="Failed: episodes without a score, left out of every figure, never counted as 0. Capped: settled at the "
        "step limit, counted. Left: ended by the player. Drops: pieces of history that prompts had no room for.",
    )
    for contender in material.contenders:
        values: dict[str, Value] = dict.fromkeys((column.name for column in table.columns[1:]), 0)
        count: dict[str, int] = dict.fromkeys(values, 0)
        for cell in material.run.cells_of(contender):
            records = material.run.episodes_of(cell)
            count["planned"] += material.run.episodes_planned(cell.env_id)
            count["played"] += len(records)
            count["failed"] += sum(record.score is None for record in records)
            count["capped"] += sum(record.capped for record in records)
            count["left"] += sum(record.left for record in records)
            for call in material.run.calls_of(cell):
                count["failed_calls"] += call["failed"] is not None
                count["retried"] += call["attempts"] > 1
                count["flagged"] += bool(call["flags"])
            for event in material.incidents(cell):
                count["lost_updates"] += event["type"] == "error" and event["what"] == "memory"
                if event["type"] == "drop":
                    count["drops"] += 1
                    count["dropped_tokens"] += event["tokens"]
        table.add({"method": contender, **count})
    return table


def failures(material: Material) -> Table | None:
    """Every failure and every episode cut short, with where it was; None where there was none."""
    table = Table(
        "failures",
        "Every failure, cap and drop",
        [
            *(Column(name) for name in ("game", "method")),
            *(Column(name, digits=0) for name in ("trial", "episode", "step")),
            *(Column(name) for name in ("what", "message", "where")),
        ],
        links={"where": lambda place: str(place)},
    )
    for cell in material.run.cells:
        known = {"game": material.played(cell), "method": cell.contender, "trial": cell.trial}
        for record in material.run.episodes_of(cell):
            place = {"episode": record.episode, "where": f"{cell.id}/e{record.episode:02d}"}
            if record.capped:
                table.add(known | place | {"what": "capped", "message": f"settled after {len(record.steps)} steps"})
        for event in material.incidents(cell):
            place = {"episode": event.get("episode"), "where": f"{cell.id}/e{event.get('episode', 0):02d}"}
            if event["type"] == "error":
                told = {"step": event["step"], "what": f"failed: {event['what']}", "message": _told(event)}
                table.add(known | place | told)
            elif event["type"] == "drop":
                parts = f"{event['parts']} steps of " if event["parts"] else ""
                words = f"{parts}{event['key']}, {event['tokens']} tokens ({event['reason']})"
                table.add(known | place | {"step": event["step"], "what": "dropped", "message": words})
    return table if table.rows else None


def _told(event: Mapping[str, Any]) -> str:
    return f"{event['kind']}: {event['message']}"[:500]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
