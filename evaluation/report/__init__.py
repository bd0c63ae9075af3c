"""The report of a run: one HTML file that opens offline, and every table of it as CSV beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoplay.evaluation.load import LoadedRun


@dataclass(frozen=True, slots=True)
class Written:
    """Where a report is: the page, the folder of its tables, how many there are, the page's size in bytes."""

    page: Path
    tables: Path
    count: int
    size: int


def write_report(
    run: LoadedRun,
    page: str | Path | None = None,
    *,
    baseline: str | None = None,
    transfer: dict[str, Any] | None = None,
    published: bool = False,
) -> Written:
    """Write the page (default: `report.html` in the run's folder) and its tables (`report-tables/` beside it).

    `transfer` is a transfer comparison to be shown, `published` adds the published tables. Raises OSError where the
    page cannot be written; a page that was there then stays.
    """
    from evoplay.evaluation.report.contents import contents
    from evoplay.evaluation.report.material import Material
    from evoplay.evaluation.report.page import write_page
    from evoplay.evaluation.report.table import write_csvs

    path = Path(page) if page is not None else run.path / "report.html"
    found = contents(Material(run, baseline, transfer), published=published)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
            write_page(found, out)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    folder = path.with_name(f"{path.stem}-tables")
    write_csvs(found.tables, folder)
    return Written(path, folder, len(found.tables), path.stat().st_size)


def transfer_of(runs: Sequence[LoadedRun]) -> tuple[list[LoadedRun], dict[str, Any] | None]:
    """The runs a report is about, and the transfer comparison they belong to.

    A control and a re-shuffled run together are compared, and the report is about the re-shuffled one; else a
    `transfer.json` beside a run's folder is taken, where it holds.
    """
    import json

    from evoplay.evaluation.transfer import compare

    by_mode: dict[str, list[LoadedRun]] = {}
    for run in runs:
        by_mode.setdefault(run.info["config"]["episode_mode"], []).append(run)
    control, reshuffled = by_mode.get("control", []), by_mode.get("reshuffled", [])
    if len(control) == len(reshuffled) == 1 and len(runs) == 2:
        return reshuffled, compare(control[0], reshuffled[0])
    beside = runs[0].path.resolve().parent / "transfer.json"
    if len(runs) == 1 and runs[0].path.resolve().name in ("control", "reshuffled") and beside.is_file():
        data: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
        return list(runs), data
    return list(runs), None
