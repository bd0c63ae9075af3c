"""What the terminal shows of environments and of single episodes."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from evoplay.envs.base import EnvSpec
from evoplay.envs.registry import ids, spec_of
from evoplay.envs.solutions import official_solution
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.runlog import NotInRun
from evoplay.memory.records import EpisodeRecord, StepRecord


def games_table() -> list[dict[str, Any]]:
    """One row an environment: id, title, kind, challenge, seed, episodes, reference of the official seed, summary."""
    rows = []
    for env_id in ids():
        spec = spec_of(env_id)
        rows.append(
            {
                "id": env_id,
                "title": spec.title,
                "kind": spec.kind,
                "challenge": spec.challenge,
                "seed": spec.seed,
                "episodes": spec.episodes,
                "reference": reference_text(spec),
                "summary": spec.summary,
            }
        )
    return rows


def reference_text(spec: EnvSpec) -> str:
    """The reference of the official seed as text: one value, or the range over the shipped episodes."""
    if spec.suite != "learn2play":
        return "100"
    found = [official_solution(spec, episode) for episode in range(1, 11)]
    # An episode that cannot score (a prologue) has the reference 0 and is left out.
    values = [solution.value for solution in found if solution is not None and solution.value]
    if not values:
        return "computed"
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g}-{high:g} by episode"


def print_games(rows: list[dict[str, Any]]) -> None:
    """The table of environments, one line each where the terminal is wide enough."""
    table = Table(box=None, pad_edge=False)
    for head in ("id", "kind", "class", "reference", "what it is"):
        table.add_column(head, no_wrap=head != "what it is")
    for row in rows:
        table.add_row(
            row["id"], row["kind"], "challenge" if row["challenge"] else "normal", row["reference"], row["summary"]
        )
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    console.print(table)


def print_episode(run: LoadedRun, cell_name: str, number: int, *, prompts: bool = False) -> None:
    """The transcript of an episode. Raises NotInRun for a trial or an episode that is not in the log."""
    cell = run.find_cell(cell_name)
    records = {record.episode: record for record in run.episodes_of(cell)}
    if number not in records:
        have = f"it has {min(records)} to {max(records)}" if records else "none is finished"
        raise NotInRun(f"{cell} has no finished episode {number}: {have}")
    record = records[number]
    console = Console(soft_wrap=True, highlight=False, markup=False)
    shown = run.prompts_of(cell) if prompts else {}
    console.print(f"{cell} ({cell.id}), episode {number}\n\n{record.opening}")
    for step in record.steps:
        _print_step(console, step, shown.get(step.call or 0))
    console.print(f"\n{_ending(record)}")


def _print_step(console: Console, step: StepRecord, prompt: str | None) -> None:
    if prompt is not None:
        console.print(f"\n--- prompt of step {step.step} ---\n{prompt}--- reply ---\n{step.reply}\n---")
    change = step.score_after - step.score_before
    score = f"score {step.score_after:g}" + (f" ({change:+g})" if change else "")
    refused = "" if step.accepted else " · refused"
    console.print(f"\n[{step.step}] > {step.action}   · {score}{refused}")
    for note in step.notes:
        console.print(f"    note: {note}")
    console.print(step.outcome)


def _ending(record: EpisodeRecord) -> str:
    if record.error is not None:
        return f"the episode failed: {record.error}"
    how = " (settled at the step limit)" if record.capped else " (left before the end)" if record.left else ""
    return f"final score {record.score:g}{how}"
