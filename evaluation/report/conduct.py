"""Tables of how contenders played and what it shows: behaviour, rule discovery, transfer, memory quality, claims."""

from __future__ import annotations

from typing import Any

from evoplay.evaluation.behaviour import Behaviour, behaviour, behaviour_of
from evoplay.evaluation.discovery import discovery, grades_by_trial
from evoplay.evaluation.publications import published
from evoplay.evaluation.report.material import Material
from evoplay.evaluation.report.table import Column, Shown, Table, Value, spread_columns, spread_values
from evoplay.evaluation.rules.grades import criteria_of

GRADES = {"S": "complete", "P": "partial", "-": "none"}
FIGURES = (
    Column("similarity", "action similarity", 2),
    Column("recovery", "new best after a setback, %", 1),
    Column("setbacks", digits=0),
    Column("refused", "refused actions, %", 1),
    Column("distinct", "distinct actions a trial", 1),
    Column("steps", "steps an episode", 1),
)


def behaviours(material: Material) -> Table:
    """Behaviour by contender."""
    table = Table(
        "behaviour",
        "Behaviour",
        [Column("method"), *FIGURES],
        note="Action similarity: 1 − edit distance / length of the longer, of adjacent episodes' actions. A setback is "
        "a score below the one before (not in the last episode).",
    )
    for name in material.contenders:
        table.add({"method": name, **_behaved(behaviour(material.run, name))})
    return table


def behaviours_by_trial(material: Material) -> Table:
    """Behaviour trial by trial."""
    keys = [Column("game"), Column("method"), Column("trial", digits=0)]
    table = Table("behaviour_trials", "Behaviour by trial", [*keys, *FIGURES])
    for cell in material.run.cells:
        known: dict[str, Value] = {"game": material.played(cell), "method": cell.contender, "trial": cell.trial}
        table.add(known | _behaved(behaviour_of(material.run, [cell])))
    return table


def published_behaviour() -> Table:
    """The published values that ours stand beside."""
    found = published("learn2play")["behaviour"]
    similar, best = found["adjacent_episode_action_similarity"], found["new_best_after_setback"]
    table = Table(
        "published_behaviour",
        "Published for comparison",
        [Column("who"), *FIGURES[:2]],
        note=f"Source: {published('learn2play')['source']}. Other backbones and people: no ranking with ours.",
    )
    for who in ("human", "agent"):
        table.add({"who": f"{who}s, published", "similarity": similar[who], "recovery": 100 * best[who]})
    return table


def rules(material: Material) -> tuple[Table, Table, Table] | None:
    """The rule-discovery grid, its counts by contender, and every trial's grade; None without graded games."""
    graded = grades_by_trial(material.run)
    grid = discovery(material.run, graded)
    if not grid:
        return None
    names = [name for name in material.contenders if any(name in rows for rows in grid.values())]
    table = Table(
        "rules",
        "Rule discovery",
        [
            *(Column(name) for name in ("game", "rule")),
            Column("about", "what it is about"),
            *(Column(f"grade_{at}", name) for at, name in enumerate(names)),
        ],
        note="Best grade over the trials: S complete evidence, P partial, − none; then the number of trials with S of "
        "those graded. Graded from actions and observations only, never from what a memory says.",
        classes={f"grade_{at}": _grade_class for at in range(len(names))},
    )
    every = Table(
        "rules_trials",
        "Rule discovery by trial",
        [*(Column(name) for name in ("game", "rule", "method")), Column("trial", digits=0), Column("grade")],
        classes={"grade": _grade_class},
    )
    count = {name: dict.fromkeys(GRADES, 0) for name in names}
    for env_id, rows in grid.items():
        about = criteria_of(env_id)
        criteria = list(dict.fromkeys(rule for found in rows.values() for rule in found))
        for rule in criteria:
            line: dict[str, Value] = {"game": env_id.partition("/")[2], "rule": rule, "about": about.get(rule)}
            for at, name in enumerate(names):
                entry = rows.get(name, {}).get(rule)
                if entry is None:
                    continue
                line[f"grade_{at}"] = f"{_sign(entry['grade'])} {entry['S']}/{entry['trials']}"
                count[name][entry["grade"]] += 1
            table.add(line)
    for cell, grades in graded.items():
        for rule, grade in grades.items():
            every.add(
                {"game": material.played(cell), "rule": rule, "method": cell.contender}
                | {"trial": cell.trial, "grade": _sign(grade)}
            )
    summed = Table(
        "rules_methods",
        "Rules by method",
        [Column("method"), *(Column(said, digits=0) for said in GRADES.values()), Column("share", "complete, %", 1)],
        note="How many rules of all games reached which best grade over the trials.",
    )
    for name, found in count.items():
        total = sum(found.values())
        told: dict[str, Value] = {said: found[grade] for grade, said in GRADES.items()}
        summed.add({"method": name, "share": 100 * found["S"] / total if total else None} | told)
    return table, summed, every


def transfer(material: Material) -> tuple[Table, str] | None:
    """LS in both conditions and the drop, with what was compared in words; None without a comparison."""
    data = material.transfer
    if data is None:
        return None
    parts = (("control", "LS control"), ("reshuffled", "LS re-shuffled"), ("drop", "LS drop"))
    table = Table(
        "transfer",
        "Transfer",
        [
            Column("method"),
            Column("game"),
            *(column for name, title in parts for column in spread_columns(name, title, 2, signed=True)),
            Column("p", digits=3, p=True),
        ],
        shown=[
            *(Shown(name, (name,)) for name in ("method", "game")),
            *(
                view
                for name, title in parts
                for view in (Shown(title, (name,)), Shown("95 %", (f"{name}_low", f"{name}_high"), "range"))
            ),
            Shown("p (drop)", ("p",)),
        ],
        note="LS in points an episode. Drop = LS with episode 1's instance every time − LS with changing instances; "
        "positive: what was learned was tied to the instance.",
    )
    for name, row in data["methods"].items():
        for game, found in [("all games", row["all"]), *row["games"].items()]:
            values: dict[str, Value] = {"method": name, "game": game.partition("/")[2] or game, "p": found["drop"]["p"]}
            for part, _ in parts:
                values |= spread_values(part, found[part])
            table.add(values)
    kind = " (simulated backbone)" if data["simulated"] else ""
    lost = sum(data["missing"].values())
    missing = f"; {lost} episodes failed and are missing" if lost else ""
    return table, f"{data['backbone']}{kind}, {data['episodes']} episodes, {data['trials']} trials{missing}"


def quality(material: Material) -> tuple[Table, Table | None] | None:
    """Memory quality by contender, and of planted rules trial by trial; None where no contender holds rules."""
    from evoplay.evaluation.quality import quality_of

    table = Table(
        "memory_quality",
        "Memory quality",
        [
            Column("method"),
            *(Column(name, digits=0) for name in ("trials", "rules", "true", "false", "unchecked")),
            Column("share_true", "true of those checked, %", 1),
        ],
        note="The claims held as rules at the end, each tried on clones of the game at moments of the trial's own play "
        "where its condition holds; unchecked: it names nothing that can be tried, or its condition never held.",
    )
    planted = Table(
        "planted",
        "Survival of a planted false rule",
        [
            *(Column(name) for name in ("game", "method")),
            Column("trial", digits=0),
            Column("gone_after", "episodes until gone", 0),
            Column("fate"),
            Column("claim"),
        ],
        links={"claim": lambda claim: str(claim)},
    )
    for name in material.contenders:
        cells = [c for c in material.run.cells_of(name) if any(e["type"] == "rules" for e in material.incidents(c))]
        found = [one for cell in cells if (one := quality_of(material.run, cell)).holds]
        if not found:
            continue
        count = {verdict: sum(one.count(verdict) for one in found) for verdict in ("true", "false", "unchecked")}
        checked = count["true"] + count["false"]
        table.add(
            {"method": name, "trials": len(found), "rules": sum(len(one.rules) for one in found), **count}
            | {"share_true": 100 * count["true"] / checked if checked else None}
        )
        for one in found:
            if one.planted is not None:
                fate = "shown to the end" if one.planted.episodes is None else "dropped"
                planted.add(
                    {"game": material.played(one.cell), "method": name, "trial": one.cell.trial}
                    | {"gone_after": one.planted.episodes, "fate": fate + (", reworded" * one.planted.reworded)}
                    | {"claim": f"{one.cell.id}/{one.planted.claim.short_id}"}
                )
    return (table, planted if planted.rows else None) if table.rows else None


def claims(material: Material) -> tuple[Table, Table] | None:
    """Claims counted by contender, and every claim; None where no contender made any."""
    from evoplay.memory.claims import rebuilt

    every = Table(
        "claims",
        "Every claim",
        [
            Column("claim"),
            *(Column(name) for name in ("game", "method")),
            Column("trial", digits=0),
            *(Column(name) for name in ("kind", "scope", "status")),
            Column("for", digits=0),
            Column("against", digits=0),
            Column("wordings", digits=0),
            Column("text"),
        ],
        links={"claim": lambda claim: str(claim)},
    )
    count: dict[tuple[str, str], dict[str, int]] = {}
    for cell in material.run.cells:
        for claim in rebuilt(material.run.history(cell).claims).values():
            shown, against = claim.counts
            every.add(
                {"claim": f"{cell.id}/{claim.short_id}", "game": material.played(cell), "method": cell.contender}
                | {"trial": cell.trial, "kind": claim.kind, "scope": claim.scope, "status": claim.status}
                | {"for": shown, "against": against, "wordings": 1 + len(claim.earlier), "text": claim.text}
            )
            row = count.setdefault((cell.contender, claim.kind), dict.fromkeys(_COUNTED, 0))
            row["claims"] += 1
            row[claim.status] += 1
            row["reworded"] += bool(claim.earlier)
            row["contradicted"] += bool(against)
    if not every.rows:
        return None
    table = Table(
        "claims_methods",
        "Claims by method and kind",
        [Column("method"), Column("kind"), *(Column(name, digits=0) for name in _COUNTED)],
        note="Every claim is linked to the steps it came from.",
    )
    for (name, kind), row in count.items():
        table.add({"method": name, "kind": kind, **row})
    return table, every


_COUNTED = ("claims", "active", "hypothesis", "established", "aside", "retracted", "reworded", "contradicted")


def _behaved(found: Behaviour) -> dict[str, Any]:
    return found.as_dict()


def _sign(grade: str) -> str:
    return "−" if grade == "-" else grade


def _grade_class(value: Value) -> str:
    return {"S": "grade s", "P": "grade p", "−": "grade none"}.get(str(value)[:1], "")
