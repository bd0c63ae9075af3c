"""Tables of a run in Python: what `evoplay.load` gives, figures, comparisons; what is undefined, what is no run."""

import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evoplay as api
from evoplay.evaluation.load import RunWarning
from evoplay.evaluation.report import write_report
from evoplay.evaluation.summary import as_dict, summarise
from evoplay.evaluation.terminal import print_report

SETTINGS = {"env": "learn2play/poisoner", "backbone": "sim/learner", "episodes": 3, "trials": 3, "quiet": True}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return api.run(method=["naive", "memory"], out=str(tmp_path_factory.mktemp("runs") / "a"), **SETTINGS)


def test_tables(run):
    assert len(run.episodes) == 18
    assert set(run.episodes["contender"]) == {"naive", "memory"}
    assert (run.episodes["z"] == run.episodes["score"]).all()
    assert len(run.steps) == run.episodes["steps"].sum()
    assert run.steps["id"].is_unique
    assert len(run.calls) >= len(run.steps)
    assert run.calls["holds"].all()
    assert run.claims.empty


def test_a_trial_is_found_by_the_end_of_its_path_among_ten_and_more(tmp_path):
    run = api.run(
        env="learn2play/poisoner", method="naive", backbone="policy/random", episodes=1, trials=11, quiet=True,
        out=str(tmp_path / "r"),
    )  # fmt: skip
    assert run.find_cell("naive/t1").trial == 1
    assert run.find_cell("/t11").trial == 11
    with pytest.raises(KeyError, match="'naive/t' names 11 trials"):
        run.find_cell("naive/t")


def test_the_document_names_every_column(run):
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    for name in ("episodes", "steps", "calls", "claims"):
        table = page.partition(f"\n`{name}`: one row")[2].partition("\n|---|---|---|\n")[2].partition("\n\n")[0]
        rows = [line.strip("|").split("|") for line in table.splitlines()]
        told = [column for first, *_ in rows for column in re.findall(r"`(\w+)`", first)]
        assert set(told) == set(getattr(run, name).columns) - {"env", "seed", "contender", "trial"}
        assert all(unit.strip() for _, unit, _ in rows)


def test_metrics_and_comparisons_are_those_of_the_report(run):
    report = as_dict(summarise(run))
    table = api.metrics(run)
    for method, row in report["methods"].items():
        for metric in ("max", "mean", "lg", "ls"):
            assert table.loc[(method, metric), "mean"] == row[metric]["mean"]
            assert [table.loc[(method, metric), "low"], table.loc[(method, metric), "high"]] == row[metric]["ci"]
    pair = api.compare(run, "memory", "naive")
    assert pair.loc["ls", "difference"] == report["pairs"]["memory - naive"]["ls"]["mean"]
    assert list(api.curves(run)["memory"]) == pytest.approx(report["methods"]["memory"]["curve"])
    with pytest.raises(KeyError, match="'mmory' is not in"):
        api.compare(run, "mmory", "naive")


def test_a_method_defined_on_the_spot(tmp_path):
    class Last(api.Method):
        """Carries over the last score."""

        name = "last-score"

        def __init__(self, words="scored"):
            self.words, self.score = words, None

        def end_episode(self, episode):
            self.score = episode.score

    found = api.run(method=["naive", Last], out=str(tmp_path / "d"), **SETTINGS)
    assert found.contenders == ["naive", "last-score"]
    assert len(found.episodes) == 18


# --- what is undefined ----------------------------------------------------------------------------------------------


@pytest.fixture
def cut(run, tmp_path):
    """The run's folder as it was when two trials of naive were played, the second up to its first episode."""
    folder = tmp_path / "cut"
    shutil.copytree(run.path, folder)
    for cell in run.cells:
        log = folder / "cells" / f"{cell.path}.jsonl"
        if cell.contender == "memory" or cell.trial == 3:
            log.unlink()
        elif cell.trial == 2:
            lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
            ends = [at for at, line in enumerate(lines) if json.loads(line)["type"] == "episode_closed"]
            log.write_text("".join(lines[: ends[0] + 1]), encoding="utf-8")
    return folder


def test_numbers_are_floats_whatever_is_undefined(run, cut):
    part = api.load(cut)
    with pytest.warns(RunWarning):
        tables = {"metrics": api.metrics(part), "compare": api.compare(part, "memory", "naive")}
    whole = {"metrics": api.metrics(run), "compare": api.compare(run, "memory", "naive")}
    for name, table in tables.items():
        assert (table.dtypes == whole[name].dtypes).all()
    assert tables["metrics"].loc["memory", ["mean", "sd", "low", "high"]].isna().all(axis=None)
    assert tables["compare"][["difference", "low", "high", "p"]].isna().all(axis=None)
    assert (whole["metrics"].dtypes[["mean", "sd", "low", "high", "usd"]] == "float64").all()
    for name in ("episodes", "steps", "calls", "claims"):
        empty = getattr(part, name)[:0]
        kinds = getattr(run, name).dtypes
        assert list(empty.columns) == list(kinds.index)
    assert (run.episodes.dtypes[["score", "reference", "z", "seconds"]] == "float64").all()
    assert run.episodes["error"].dtype == run.calls["failed"].dtype == pd.Series([], dtype="str").dtype
    assert run.episodes["error"].isna().all()


def test_an_episode_without_score_is_nan_and_counted_as_missing(run, tmp_path):
    folder = tmp_path / "failed"
    shutil.copytree(run.path, folder)
    log = folder / "cells" / f"{run.cells[0].path}.jsonl"
    text = log.read_text(encoding="utf-8")
    text, count = re.subn(
        r'("type":"episode_finished".*?"score":)[^,]+(,.*?)}\n', r'\1null\2,"error":"timeout: gone"}\n', text, count=1
    )
    assert count == 1
    log.write_text(text, encoding="utf-8")
    found = api.load(folder)
    assert np.isnan(found.episodes.loc[0, "score"])
    assert np.isnan(found.episodes.loc[0, "z"])
    assert found.episodes.loc[0, "error"] == "timeout: gone"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = api.metrics(found).loc[("naive", "mean")]
    assert (row["episodes"], row["missing"]) == (8, 1)


# --- what is not played yet -----------------------------------------------------------------------------------------


def every_figure(run):
    api.metrics(run)
    api.compare(run, "memory", "naive")
    api.curves(run)


def test_episodes_not_played_yet_are_told_once_a_run(cut, run):
    part = api.load(cut)
    with pytest.warns(RunWarning, match="14 of 18 episodes not played yet") as told:
        every_figure(part)
    assert [one.filename for one in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api.metrics(run)


def test_the_report_tells_them_too(cut, capsys):
    from rich.console import Console

    print_report(Console(width=200), as_dict(summarise(api.load(cut))))
    assert capsys.readouterr().out.count("14 of 18 episodes not played yet") == 1
    page = write_report(api.load(cut)).page.read_text(encoding="utf-8")
    assert page.count("14 of 18 episodes not played yet") == 1


def test_a_run_without_an_episode_has_tables_without_values(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "r", ignore=shutil.ignore_patterns("cells"))
    none = api.load(tmp_path / "r")
    with pytest.warns(RunWarning, match="18 of 18 episodes not played yet"):
        assert api.metrics(none)["mean"].isna().all()
    assert api.curves(none).isna().all(axis=None)
    assert none.episodes.empty
    assert list(none.claims.columns) == list(run.claims.columns)


# --- what is no run -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["runs/x", None, 3, ["runs/x"]])
def test_what_is_no_run_is_refused_with_the_fix(value):
    for name, call in {
        "metrics": lambda: api.metrics(value),
        "compare": lambda: api.compare(value, "memory", "naive"),
        "curves": lambda: api.curves(value),
        "merge": lambda: api.merge(value),
    }.items():
        with pytest.raises(TypeError, match=rf"{name} takes a run, not .*: give evoplay.load\('runs/"):
            call()


def test_what_is_no_path_is_refused(run):
    for value in (None, 3, run):
        with pytest.raises(TypeError, match="give the folder of a run, as text or path"):
            api.load(value)
    with pytest.raises(ValueError, match="was given no runs"):
        api.merge()


def test_bad_inputs_of_a_run_are_refused(tmp_path):
    settings = {**SETTINGS, "out": tmp_path / "r"}
    with pytest.raises(TypeError, match="backbone = None: give a name"):
        api.run(**{**settings, "backbone": None})
    with pytest.raises(TypeError, match="method = None: give a name"):
        api.run(**{**settings, "method": None})
    with pytest.raises(ValueError, match="out = None"):
        api.run(**{**settings, "out": None})
    assert not (tmp_path / "r").exists()
