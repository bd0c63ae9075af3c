"""`evoplay adaexplore`: generating episode files and looking into them."""

from __future__ import annotations

import json
import os
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evoplay.envs.adaexplore.blueprints import Blueprint
    from evoplay.envs.adaexplore.generation import Episode

app = typer.Typer(
    help="Episodes of AdaExplore: generate them to a file, look into a file.",
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
    catalogues = _catalogues(write_fields, seed, facts) if write_fields else None

    def episodes() -> Iterator[Episode]:
        for episode, counts in generate_split(split.value, seed, catalogues):
            tally.add(counts)
            yield episode

    # A file is there whole or not at all.
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            facts["episodes"] = write_episodes(episodes(), file)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
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


def _catalogues(model: str, seed: int, facts: dict[str, Any]) -> dict[tuple[str, str], Blueprint]:
    """New catalogues by domain and task, written by a backbone."""
    from evoplay.evaluation.adaexplore_fields import write_catalogues
    from evoplay.methods.backbones.registry import open_backbone

    backbone = open_backbone(model)
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
