"""What stands in a report, in order: sections of charts, tables and words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.evaluation.report import charts, conduct, drifting, printed, scores, spend
from evoplay.evaluation.report.figures import Chart, Style
from evoplay.evaluation.report.material import Material
from evoplay.evaluation.report.table import Column, Table
from evoplay.evaluation.rules.grades import grader_of
from evoplay.evaluation.summary import gaps, said_of_gaps, said_of_unscored


@dataclass(slots=True)
class Group:
    """Small charts side by side under one legend."""

    charts: Sequence[Chart]
    keys: dict[str, Style] = field(default_factory=dict)


@dataclass(slots=True)
class Beside:
    """Tables side by side, each under its own title."""

    tables: Sequence[Table]


@dataclass(slots=True)
class Section:
    """A part of the report. `folded` tables are shown on demand."""

    id: str
    title: str
    lead: str = ""
    parts: list[Chart | Group | Table | Beside | str] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)

    @property
    def tables(self) -> list[Table]:
        """All of its tables, each once."""
        found: list[Table] = []
        for part in (*self.parts, *self.folded):
            if isinstance(part, Table):
                found.append(part)
            elif isinstance(part, Beside):
                found += part.tables
            elif isinstance(part, Chart):
                found.append(part.table)
            elif isinstance(part, Group):
                found += [chart.table for chart in part.charts]
        return list({table.name: table for table in found}.values())


@dataclass(slots=True)
class Contents:
    """A whole report. `trials` is the table that the list of transcripts is made of."""

    material: Material
    sections: list[Section]
    overview: Table
    trials: Table

    @property
    def tables(self) -> list[Table]:
        """Every table, each once."""
        found = [self.overview, self.trials, *(table for section in self.sections for table in section.tables)]
        return list({table.name: table for table in found}.values())


def contents(material: Material, *, published: bool = False) -> Contents:
    """Work everything out. `published` adds the published tables."""
    looks = charts.styles(material.contenders, material.base)
    made = [
        _methods(material, looks),
        _curves(material, looks),
        _games(material),
        _cost(material, looks),
        _transfer(material),
        _behaviour(material, looks),
        _rules(material),
        _options(material),
        _memory(material),
        _drift(material, looks),
        _published(material) if published else None,
        _losses(material),
        _claims(material),
    ]
    sections = [section for section in made if section is not None]
    return Contents(material, sections, overview(material), scores.trials(material))


def overview(material: Material) -> Table:
    """The run in a few facts."""
    run = material.run
    table = Table("overview", "The run", [Column("fact"), Column("value", digits=0)])
    config = run.info["config"]
    facts: list[tuple[str, str | int | None]] = [
        ("backbone", material.backbone),
        ("games", len(material.games)),
        ("methods", len(material.contenders)),
        ("trials", len(run.cells)),
        ("episodes planned", sum(run.episodes_planned(cell.env_id) for cell in run.cells)),
        ("episodes finished", sum(row["episodes"] for row in material.report["methods"].values())),
        ("episodes failed", sum(row["missing"] for row in material.report["methods"].values())),
        ("instances", str(config["episode_mode"])),
        ("run seed", ", ".join(dict.fromkeys(str(part.info["config"]["seed"]) for part in run.parts))),
        ("started", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(run.info["created"]))),
        ("evoplay", str(run.info["versions"].get("evoplay", "n/a"))),
    ]
    for name, word in (("budget_tokens", "tokens a prompt may hold"), ("freeze_after", "memory frozen after episode")):
        if config.get(name):
            facts.append((word, int(config[name])))
    for fact, value in facts:
        table.add({"fact": fact, "value": value})
    return table


def _methods(material: Material, looks: dict[str, Style]) -> Section:
    methods, pairs, more = scores.methods(material), scores.pairs(material), scores.new_games(material)
    section = Section("methods", "Methods", parts=[methods, Group(charts.intervals(methods, looks))])
    said = []
    if missing := said_of_gaps(*gaps(material.run)):
        said.append(f"{missing}.")
    said += [f"{words}." for words in said_of_unscored(material.report)]
    if material.report["changed_rules"]:
        said.append(f"Played under other rules than those of today: {_changed(material)}.")
    if material.report["unnormalised"]:
        names = ", ".join(material.report["unnormalised"])
        said.append(f"Without a reference score, and so left out of all figures in percent: {names}.")
    section.lead = " ".join(said)
    if pairs.rows:
        group = Group(charts.differences(pairs, looks, material.base))
        words = f"Difference to {material.base}, 95 % interval; filled: p < 0.05 after Holm's correction."
        section.parts += [words, group, pairs]
    if more is not None:
        section.folded.append(more)
    return section


def _curves(material: Material, looks: dict[str, Style]) -> Section:
    whole, by_game = scores.curves(material), scores.game_curves(material)
    off = charts.towering(whole)
    section = Section("curves", "Learning curves", whole.note, [charts.curves(whole, looks, off)], [whole])
    if off:
        section.lead += f" Switched off, for they tower above the rest: {', '.join(off)}; press a name to show it."
    if by_game.rows:
        section.parts += ["Game by game, over the scored episodes:"]
        section.parts += [Group(charts.game_curves(by_game, looks, off), looks)]
        section.folded.append(by_game)
    return section


def _games(material: Material) -> Section | None:
    table = scores.games(material)
    if not table.rows:
        return None
    maps = charts.heat_maps(table, material.contenders)
    return Section("games", "Games", "Means over trials.", [Group(maps)], [table])


def _cost(material: Material, looks: dict[str, Style]) -> Section:
    table = spend.cost_frontier(material)
    purposes = spend.purposes(material)
    cached = spend.caches(material)
    section = Section("cost", "Cost")
    section.parts.append(charts.frontier(table, looks, "tokens"))
    if spend.priced(table):
        section.parts.append(charts.frontier(table, looks, "usd"))
    else:
        section.parts.append("No call of this run cost anything: there is no frontier in USD.")
    section.parts.append(table)
    for unit, word in (("tokens", "tokens"), ("usd", "USD")):
        curve = spend.spend_curves(material, unit)
        if any(float(row[curve.at("spend")] or 0) > 0 for row in curve.rows):
            section.parts.append(charts.equal_spend(curve, looks, word))
            section.folded.append(curve)
    if purposes.rows:
        section.parts += [charts.tokens(purposes), purposes, charts.cache(cached, material.contenders), cached]
    return section


def _transfer(material: Material) -> Section | None:
    found = conduct.transfer(material)
    if found is None:
        return None
    table, words = found
    return Section("transfer", "Transfer", f"{words}.", [charts.transfer(table), table])


def _behaviour(material: Material, looks: dict[str, Style]) -> Section:
    ours, theirs = conduct.behaviours(material), conduct.published_behaviour()
    parts: list[Chart | Group | Table | Beside | str] = [Group(charts.behaviour(ours, theirs, looks))]
    return Section(
        "behaviour", "Behaviour", "", [*parts, Beside([ours, theirs])], [conduct.behaviours_by_trial(material)]
    )


def _changed(material: Material) -> str:
    """The games whose rules are other ones now, in words."""
    changed = material.report["changed_rules"]
    return ", ".join(f"{env_id} (version {then}, now {now})" for env_id, (then, now) in changed.items())


def _rules(material: Material) -> Section | None:
    found = conduct.rules(material)
    lost = any(grader_of(env_id) is not None for env_id in material.report["changed_rules"])
    lead = f"Not graded, for their rules are other ones now: {_changed(material)}." if lost else ""
    if found is None:
        return Section("rules", "Rule discovery", lead) if lead else None
    grid, summed, by_trial = found
    return Section("rules", "Rule discovery", lead, [charts.rules(summed), summed, grid], [by_trial])


def _options(material: Material) -> Section | None:
    table = scores.sweeps(material)
    return None if table is None else Section("sweeps", "Sweeps", parts=[table])


def _memory(material: Material) -> Section | None:
    section = Section("memory", "Memory quality")
    found = conduct.quality(material)
    if found is not None:
        table, planted = found
        section.parts += [charts.quality(table), table, *([planted] if planted is not None else [])]
        if material.report["changed_rules"]:
            section.lead = f"Unchecked, for their rules are other ones now: {_changed(material)}."
    frozen = scores.frozen(material)
    if frozen is not None:
        section.parts.append(frozen)
    return section if section.parts else None


def _drift(material: Material, looks: dict[str, Style]) -> Section | None:
    found = drifting.adaexplore(material)
    if found is None:
        return None
    section = Section("drift", "Exploration and drift", parts=[found.figures])
    section.parts.append(Group(charts.exploration(found.figures, looks)))
    if found.curve.rows:
        section.parts.append(charts.drift(found.curve, looks))
    section.parts += [found.counts, found.correlations]
    section.folded += [found.detail, found.families, found.curve]
    return section


def _published(material: Material) -> Section:
    tables = printed.learn2play()
    ours = scores.methods(material)
    words = (
        f"Our figures are of {material.backbone}; the published ones of the backbones named with them, on the original "
        "games. They stand side by side for orientation and are not one ranking."
    )
    section = Section("published", "Published figures", words)
    ours.title = f"Ours: {material.backbone}"
    ours.shown = [view for view in ours.views if view.form == "spread" or view.columns == ("method",)]
    section.parts.append(Beside([ours, tables["methods"]]))
    section.parts.append(charts.published_curves(tables["curves"]))
    section.parts.append(charts.published_costs(tables["costs"]))
    section.parts.append(Beside([tables["backbones"], tables["harnesses"], tables["humans"], tables["transfer"]]))
    if any(name.startswith("adaexplore") for name, _ in material.games):
        section.parts.append(printed.adaexplore())
    section.folded += [tables["costs"], tables["curves"]]
    return section


def _losses(material: Material) -> Section:
    every = spend.failures(material)
    return Section("losses", "Drops and failures", "", [spend.losses(material)], [every] if every is not None else [])


def _claims(material: Material) -> Section | None:
    found = conduct.claims(material)
    if found is None:
        return None
    words = "What the methods wrote down. Each claim links to the steps it came from, and each step back to its claims."
    return Section("claims", "Claims", words, [found[0]], [found[1]])
