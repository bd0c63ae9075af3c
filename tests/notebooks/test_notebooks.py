"""Every notebook runs from clean, in a folder of its own, and is committed executed, small and portable."""

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 300_000
"""Bytes."""
SECONDS = 600
"""A cell may take: far more than it should, since what else the machine does is not known."""


def outputs_of(notebook):
    """All that its cells printed or showed, as text."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [str(text) for output in outputs for kind, text in output.get("data", {}).items() if "plotly" not in kind]
    return "\n".join([output.get("text", "") for output in outputs] + shown)


def faults_of(notebook):
    """What must not stand in an output: errors, what was said on standard error, a command that was not found."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    found = [output.evalue for output in outputs if output.output_type == "error"]
    found += [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    return found + re.findall(r"(?m).*(?:command not found|Traceback|Warning:|^evoplay: ).*", outputs_of(notebook))


def test_six_notebooks_in_order():
    assert [path.name.partition("-")[0] for path in NOTEBOOKS] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_from_clean(path, tmp_path, monkeypatch):
    # The commands in cells are those of this environment.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    committed = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(fresh, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    assert not faults_of(fresh)
    shown = [[bool(cell.outputs) for cell in book.cells if cell.cell_type == "code"] for book in (fresh, committed)]
    assert shown[0] == shown[1], "run again and commit it: the cells that show something have changed"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_executed_small_and_portable(path):
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert notebook.metadata.kernelspec.name == "python3"
    assert len(text.encode()) < LARGEST
    assert not faults_of(notebook)
    # No folder of the machine it was run on.
    assert not re.findall(r"(?<![\w.:/<])/(?:home|root|tmp|work|usr|Users|private|var)/", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_says_its_question_what_plays_and_how_to_use_a_model(path):
    opening = nbformat.read(path, as_version=4).cells[0].source
    assert "**Question:" in opening
    assert "**simulated**" in opening
    assert "**With a real model**" in opening
    assert re.search(r"backbone[= ]", opening)
