"""The report of a run: one HTML file that opens offline, and every table of it as CSV beside it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.report.material import Material


@dataclass(frozen=True, slots=True)
class Written:
    """Where a report is: the page, the folder of its tables, how many there are, the page's size in bytes."""

    page: Path
    tables: Path
    count: int
    size: int


class ReportError(ValueError):
    """A report that cannot be written; the message says where and what to do."""


def write_report(run: LoadedRun | Material, page: str | Path | None = None, *, published: bool = False) -> Written:
    """Write the page (default: `report.html` in the run's folder) and its tables (`report-tables/` beside it).

    A Material is a run with what it is compared with; `published` adds the published tables. Raises ReportError where
    the page cannot be written; a page that was there then stays.
    """
    from evoplay.evaluation.report.contents import contents
    from evoplay.evaluation.report.page import write_page
    from evoplay.evaluation.report.table import write_csvs

    material = run if isinstance(run, Material) else Material(run)
    path = Path(page) if page is not None else material.run.path / "report.html"
    if not path.name:
        raise ReportError(f"'{path}' names no file: name another place with --html, or leave it out with --no-html")
    part = path.with_name(f"{path.name}.part")
    folder = path.with_name(f"{path.stem}-tables")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        found = contents(material, published=published)
        with part.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
            write_page(found, out)
        os.replace(part, path)
        write_csvs(found.tables, folder)
    except OSError as error:
        fix = "name another place with --html, or leave it out with --no-html"
        raise ReportError(f"{path} cannot be written ({error.strerror}): {fix}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return Written(path, folder, len(found.tables), path.stat().st_size)


def transfer_of(runs: Sequence[LoadedRun]) -> tuple[list[LoadedRun], dict[str, Any] | None]:
    """The runs a report is about, and the transfer comparison they belong to.

    A control and a re-shuffled run together are compared, and the report is about the re-shuffled one; else a
    `transfer.json` beside a run's folder is taken, where it holds.
    """
    from evoplay.evaluation.transfer import KEPT, compare, read_transfer

    by_mode: dict[str, list[LoadedRun]] = {}
    for run in runs:
        by_mode.setdefault(run.info["config"]["episode_mode"], []).append(run)
    control, reshuffled = by_mode.get("control", []), by_mode.get("reshuffled", [])
    if len(control) == len(reshuffled) == 1 and len(runs) == 2:
        return reshuffled, compare(control[0], reshuffled[0])
    beside = runs[0].path.resolve().parent / KEPT
    if len(runs) == 1 and runs[0].path.resolve().name in ("control", "reshuffled") and beside.is_file():
        return list(runs), read_transfer(beside)
    return list(runs), None
