"""`evoplay adaexplore`: generating episode files, looking into them, and the figures of runs around the drift."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from evoplay.envs.adaexplore.blueprints import Blueprint
    from evoplay.envs.adaexplore.generation import Episode
    from evoplay.evaluation.exploration import Explored

app = typer.Typer(
    help="AdaExplore: generate episode files, and look at what runs did around the drift.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class SplitName(StrEnum):
    """The two sets of episodes."""

    eval = "eval"
    train = "train"


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="the JSONL file to write")],
    split: Annotated[SplitName, typer.Option(help="256 evaluation or 1000 training episodes")] = SplitName.eval,
    seed: Annotated[int, typer.Option(min=0, help="the integer all episodes come from")] = 1,
    write_fields: Annotated[str | None, typer.Option(help="a backbone that writes and reviews new catalogues")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Generate a split: the same seed gives the same bytes. Shows how many candidates were refused, and why."""
    from evoplay.envs.adaexplore.exchange import write_episodes
    from evoplay.envs.adaexplore.generation import REASONS, Tally, generate_split

    tally = Tally()
    facts: dict[str, Any] = {"split": split.value, "seed": seed, "out": str(out)}
    catalogues = None if write_fields is None else _catalogues(write_fields, seed, facts)

    def episodes() -> Iterator[Episode]:
        for episode, counts in generate_split(split.value, seed, catalogues):
            tally.add(counts)
            yield episode

    with _whole(out) as file:
        facts["episodes"] = write_episodes(episodes(), file)
    facts |= {"candidates": tally.drawn, "rejected": dict(tally.rejected.most_common())}
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
        return
    typer.echo(f"{facts['episodes']} episodes written to {out}, from {tally.drawn} candidates; refused:")
    for reason, count in tally.rejected.most_common():
        typer.echo(f"  {count:6}  {REASONS[reason]}")


@app.command()
def summary(file: Annotated[Path, typer.Argument(help="a file that `adaexplore generate` wrote")]) -> None:
    """What a file of episodes holds, by task, family, number of factors and drift position."""
    from evoplay.envs.adaexplore.exchange import read_file

    slots = [episode.slot for episode in read_file(file)]
    typer.echo(f"{len(slots)} episodes")
    for label, names in (
        ("task", [f"{slot.domain}/{slot.task}" for slot in slots]),
        ("family", [slot.family for slot in slots]),
        ("factors", [str(slot.factors) for slot in slots]),
        ("drift before batch", [str(slot.drift) for slot in slots]),
    ):
        counted = ", ".join(f"{name} {count}" for name, count in sorted(Counter(names).items()))
        typer.echo(f"{label}: {counted}")


Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="folders of runs of AdaExplore")]
COLUMNS = ("ea", "ca", "unique_probes", "reprobes", "factor_f1", "change_f1", "loss_at_drift", "recovery")


@app.command()
def figures(
    runs: Runs,
    level: Annotated[float, typer.Option(min=0.5, max=0.9999, help="of the intervals")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """Every figure of runs by family and in all, as mean and interval over episodes (a Markdown table)."""
    from evoplay.evaluation.exploration import mean_interval

    rows: list[dict[str, Any]] = []
    for label, by_key in _explored(runs).items():
        everything = list(by_key.values())
        for family in [*sorted({episode.family for episode in everything}), "all"]:
            some = [episode.figures() for episode in everything if family in (episode.family, "all")]
            found = {name: mean_interval([row[name] for row in some], level) for name in some[0]}
            rows.append({"run": label, "family": family, "episodes": len(some), **found})
    if as_json:
        typer.echo(json.dumps(rows, indent=1))
        return
    typer.echo(f"| run | family | episodes | {' | '.join(name.replace('_', ' ') for name in COLUMNS)} |")
    typer.echo("|---" * (len(COLUMNS) + 3) + "|")
    for row in rows:
        cells = " | ".join(_cell(row[name]) for name in COLUMNS)
        typer.echo(f"| {row['run']} | {row['family']} | {row['episodes']} | {cells} |")


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="a run's folder")],
    second: Annotated[Path, typer.Argument(help="a run of the same episodes in another setting")],
) -> None:
    """CA of two runs paired by episode, second less first: mean, interval, t and Wilcoxon's signed-rank test."""
    from evoplay.evaluation.drift import compare_settings

    (_, one), (_, other) = (next(iter(_explored([run]).items())) for run in (first, second))
    shared = [key for key in one if key in other]
    if not shared:
        raise ValueError(f"{first} and {second} have no episode in common: run both on the same environments and seeds")
    for family in [*sorted({one[key].family for key in shared}), "all"]:
        keys = [key for key in shared if family in (one[key].family, "all")]
        found = compare_settings({key: one[key].ca for key in keys}, {key: other[key].ca for key in keys})
        interval = "n/a" if found.ci is None else f"{found.ci[0]:+.2f} to {found.ci[1]:+.2f}"
        tests = "n/a" if found.p is None else f"p {found.p:.2g}, Wilcoxon p {found.wilcoxon_p:.2g}"
        typer.echo(f"{family}: CA {found.mean:+.2f} ({interval}; {tests}; n {found.n})")


@app.command()
def curves(
    runs: Runs,
    out: Annotated[Path, typer.Option(help="the SVG file to write")],
    by_family: Annotated[bool, typer.Option("--by-family", help="one line a family (of a single run)")] = False,
) -> None:
    """Draw CA by batch around the drift, one line a run."""
    from evoplay.evaluation.drift_plot import curve_svg

    if by_family and len(runs) > 1:
        raise ValueError(f"--by-family splits a single run, not {len(runs)}: give one, or leave it out")
    groups = {label: list(by_key.values()) for label, by_key in _explored(runs).items()}
    if by_family:
        everything = [episode for episodes in groups.values() for episode in episodes]
        families = sorted({episode.family for episode in everything})
        groups = {name: [episode for episode in everything if episode.family == name] for name in families}
    drawing = curve_svg(groups)
    with _whole(out) as file:
        file.write(drawing)
    typer.echo(f"written to {out}")


@contextmanager
def _whole(out: Path) -> Iterator[TextIO]:
    """A file to write, which is there whole or not at all. Raises ValueError where it cannot be written."""
    part = out.parent / f"{out.name}.part"
    try:
        if out.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        out.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        os.replace(part, out)
    except OSError as error:
        raise ValueError(f"--out {out} cannot be written ({error.strerror}): name another file") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _explored(runs: list[Path]) -> dict[str, dict[str, Explored]]:
    """Episodes of runs by their label (the folder's name, with the method where there are several) and a common key."""
    from evoplay.evaluation.exploration import explored
    from evoplay.evaluation.load import load

    found: dict[str, dict[str, Explored]] = {}
    for folder in runs:
        run = load(folder)
        for cell in run.cells:
            label = folder.name if len(run.contenders) == 1 else f"{folder.name} {cell.contender}"
            for record in run.episodes_of(cell):
                episode = explored(record)
                if episode is not None:
                    key = f"{cell.env_id}@{cell.seed} trial {cell.trial} episode {record.episode}"
                    found.setdefault(label, {})[key] = episode
    if not found:
        raise ValueError(f"{', '.join(map(str, runs))}: no episode of AdaExplore; run --env adaexplore first")
    return found


def _cell(value: dict[str, Any]) -> str:
    if value["mean"] is None:
        return "n/a"
    if value["ci"] is None:
        return f"{value['mean']:.2f}"
    return f"{value['mean']:.2f} ({value['ci'][0]:.2f} to {value['ci'][1]:.2f})"


def _catalogues(model: str, seed: int, facts: dict[str, Any]) -> dict[tuple[str, str], Blueprint]:
    """New catalogues by domain and task, written by a backbone."""
    from evoplay.evaluation.adaexplore_fields import write_catalogues
    from evoplay.evaluation.recorded import recorded_calls
    from evoplay.methods.backbones.registry import open_backbone

    backbone = open_backbone(model, read_records=recorded_calls)
    found: dict[tuple[str, str], Blueprint] = {}
    calls, refused, usd = 0, 0, 0.0
    unpriced = False
    for written in write_catalogues(backbone, seed):
        blueprint = written.blueprint
        found[blueprint.domain, blueprint.task] = blueprint
        calls += written.calls
        refused += len(written.refused)
        unpriced = unpriced or written.usd is None
        usd += written.usd or 0.0
        typer.echo(f"{blueprint.domain}/{blueprint.task}: catalogue accepted after {written.calls} calls", err=True)
    facts["write_fields"] = {"model": model, "calls": calls, "refused": refused, "usd": None if unpriced else usd}
    return found
