"""The tables of a report and how they are written, without a browser."""

import csv
import io
import json
import math
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evoplay.evaluation.behaviour import behaviour
from evoplay.evaluation.cli import main
from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.metrics import Stratum, estimate
from evoplay.evaluation.report import ReportError, charts, conduct, scores, spend, transfer_of, write_report
from evoplay.evaluation.report.contents import contents
from evoplay.evaluation.report.figures import end_labels, logarithmic, sides, styles_of
from evoplay.evaluation.report.material import Material
from evoplay.evaluation.report.table import Column, Table
from evoplay.evaluation.report.transcripts import Lines
from evoplay.evaluation.runner import Run
from evoplay.evaluation.summary import as_dict, said_of_unscored, summarise
from evoplay.evaluation.terminal import print_report
from evoplay.methods.backbones.registry import open_backbone


@pytest.fixture(scope="module")
def material(run):
    return Material(run)


# --- a table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("a", digits=1), 1234.56, "1,234.6"),
        (Column("a", digits=2), -0.001, "0.00"),
        (Column("a", digits=2, signed=True), 0.004, "0.00"),
        (Column("a", digits=2, signed=True), 1.5, "+1.50"),
        (Column("a", digits=1), -3.25, "−3.2"),
        (Column("a", digits=0), 12, "12"),
        (Column("a", digits=1), None, "n/a"),
        (Column("a"), None, "n/a"),
        (Column("a", digits=3, p=True), 0.0004, "< 0.001"),
        (Column("a", digits=3, p=True), 0.5, "0.500"),
    ],
)
def test_how_a_value_looks(column, value, text):
    assert column.text(value) == text


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.floats(allow_nan=False))))
def test_a_csv_reads_back_as_it_was(rows):
    table = Table("t", "T", [Column("words"), Column("figure", digits=1)], list(rows))
    read = list(csv.reader(io.StringIO(table.csv(), newline="")))
    assert read[0] == ["words", "figure"]
    assert [(words, float(figure) if figure else None) for words, figure in read[1:]] == rows


@given(st.lists(st.text(), max_size=6))
def test_texts_are_kept_line_by_line(texts):
    lines = Lines()
    made = [lines.pre(text) for text in texts]
    known = list(lines.numbers)
    for text, element in zip(texts, made, strict=True):
        numbers = element.removeprefix("<pre data-l=").removesuffix("></pre>").split(",")
        assert "\n".join(known[int(number)] for number in numbers) == text


# --- figures of a run -----------------------------------------------------------------------------------------------


def test_the_method_table_is_the_report_as_json(material):
    table = scores.methods(material)
    for row, (name, found) in zip(table.rows, material.report["methods"].items(), strict=True):
        assert row[0] == name
        assert row[table.at("max")] == found["max"]["mean"]
        assert [row[table.at("ls_low")], row[table.at("ls_high")]] == (found["ls"]["ci"] or [None, None])


def test_a_band_is_the_interval_of_the_trials_curves(material):
    table = scores.curves(material)
    name = "memory:keep=best"
    rows = [row for row in table.rows if row[0] == name]
    assert len(rows) == 10
    assert [row[table.at("z")] for row in rows] == pytest.approx(list(material.summary.curve(name)))
    last = [Stratum(game.z[:, -1], game.weight) for game in material.summary.scores[name]]
    found = estimate(last)
    if not any(np.isnan(stratum.values).any() for stratum in last):
        assert rows[-1][table.at("low")] == pytest.approx(found.ci[0])
        assert rows[-1][table.at("high")] == pytest.approx(found.ci[1])


def test_frozen_memory_compares_before_and_after(material, run):
    table = scores.frozen(material)
    row = dict(zip((c.name for c in table.columns), table.rows[0], strict=True))
    episodes = run.episodes
    mine = episodes[(episodes["contender"] == row["method"]) & episodes["z"].notna()]
    early = mine[mine["episode"] <= 2].groupby(["env", "trial"])["z"].mean().groupby("env").mean()
    assert row["learning"] == pytest.approx(early.mean())
    late = mine[mine["episode"] > 2].groupby(["env", "trial"])["z"].mean().groupby("env").mean()
    assert row["frozen"] == pytest.approx(late.mean())


def test_a_sweep_has_a_column_for_each_option(material):
    table = scores.sweeps(material)
    assert [row[:3] for row in table.rows] == [
        ("memory", "memory:keep=best", "best"),
        ("memory", "memory:keep=recent", "recent"),
    ]
    assert scores.sweeps(SimpleNamespace(run=SimpleNamespace(info={"contenders": []}))) is None


def test_unpriced_is_never_0(material):
    table = spend.cost_frontier(material)
    found = {row[0]: row for row in table.rows}
    assert found["evidence"][table.at("usd_an_episode")] is None
    assert found["evidence"][table.at("frontier_usd")] == "unpriced"
    assert found["naive"][table.at("usd_an_episode")] > 0
    assert found["policy/solver"][table.at("frontier_usd")] == "policy"
    assert [row for row in spend.spend_curves(material, "usd").rows if row[0] == "evidence"] == []


def test_failures_and_drops_are_counted_and_named(material, run):
    table = spend.losses(material)
    failed = {row[0]: row[table.at("failed")] for row in table.rows}
    episodes = run.episodes
    assert failed == {name: int(episodes[episodes["contender"] == name]["error"].notna().sum()) for name in failed}
    assert sum(failed.values()) > 0
    drops = sum(row[table.at("drops")] for row in table.rows)
    assert drops == sum(len(run.drops_of(cell)) for cell in run.cells) > 0
    every = spend.failures(material)
    what = every.column("what")
    assert what.count("dropped") == drops
    assert sum(one == "failed: act" for one in what) == sum(failed.values())


def test_rules_by_trial_add_up_to_the_grid(material):
    grid, summed, every = conduct.rules(material)
    names = [column.title for column in grid.columns[3:]]
    for row in grid.rows:
        assert row[2]
        for name, cell in zip(names, row[3:], strict=True):
            mine = [one for one in every.rows if one[:3] == (row[0], row[1], name)]
            grades = [one[-1] for one in mine]
            best = "S" if "S" in grades else "P" if "P" in grades else "−"
            assert cell == f"{best} {grades.count('S')}/{len(grades)}"
    assert all(sum(row[1:4]) == len(grid.rows) for row in summed.rows)


def test_every_claim_is_listed_once(material, run):
    _, every = conduct.claims(material)
    events = [(cell.id, e["claim"]) for cell in run.cells for e in run.history(cell).claims if e["op"] == "claim"]
    assert len(every.rows) == len(events) > 5
    assert len(set(every.column("claim"))) == len(events)


# --- charts ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 100), min_size=1, max_size=14))
def test_labels_at_line_ends_do_not_cover_each_other(values):
    names = [f"m{at}" for at in range(len(values))]
    labels = end_labels(list(zip(names, values, strict=True)), styles_of(names), [0, 100], 460)
    heights = sorted(label["y"] for label in labels)
    gap = 100 * 15 / 380
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(heights))


def test_every_series_looks_different():
    names = [f"m{at}" for at in range(16)]
    looks = styles_of([*names, "naive"], ["naive"])
    assert len({(look.colour, look.dash, look.symbol) for look in looks.values()}) == 17


def test_names_of_points_keep_apart():
    assert len(set(sides([(0.5, 0.5, "first"), (0.5, 0.52, "second")]))) == 2


@given(st.lists(st.floats(1e-5, 1e9), min_size=2))
def test_a_logarithmic_axis_has_ticks_inside_its_range(values):
    axis = logarithmic(values)
    low, high = axis["range"]
    assert all(low <= math.log10(tick) <= high for tick in axis["tickvals"])
    assert low < math.log10(min(values)) <= math.log10(max(values)) < high


def test_towering_ceilings_only(material):
    assert charts.towering(scores.curves(material)) == ["policy/solver"]


# --- writing it -----------------------------------------------------------------------------------------------------


def test_it_is_the_same_every_time(run, tmp_path):
    one, two = write_report(run, tmp_path / "a" / "r.html"), write_report(load(run.path), tmp_path / "b" / "r.html")
    assert one.page.read_bytes() == two.page.read_bytes()
    assert one.tables == tmp_path / "a" / "r-tables"
    assert sorted(path.name for path in one.tables.iterdir()) == sorted(path.name for path in two.tables.iterdir())


def test_a_place_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="--no-html"):
        write_report(run, tmp_path / "file" / "r.html")


def test_a_run_of_policies_alone_has_a_page_too(tmp_path):
    made = make_config(
        {"env": "learn2play/poisoner", "method": ["policy/random", "policy/solver"], "backbone": "sim/learner"}
        | {"episodes": 2, "trials": 1, "out": str(tmp_path / "r")}
    )
    played = Run(made, open_backbone("sim/learner"))
    played.execute(played.prepare())
    written = write_report(load(tmp_path / "r"))
    assert written.page.stat().st_size > 1_000_000


def test_a_game_without_a_score_is_said_to_be_missing(run):
    summary = summarise(run)
    game = next(game for game in summary.scores["evidence"] if game.env_id == "learn2play/gemforge")
    game.z[:] = np.nan
    found = as_dict(summary)
    assert (found["methods"]["naive"]["unscored"], summary.unscored("evidence")) == ([], ["learn2play/gemforge"])
    words = "evidence has no score on learn2play/gemforge: its figures are of the other games"
    assert words in said_of_unscored(found)
    console = Console(file=io.StringIO(), width=200)
    print_report(console, found)
    assert words in console.file.getvalue()
    material = Material(run)
    material.summary = summary
    assert words in contents(material).sections[0].lead


def report(capsys, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["evoplay", "report", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return ended.value.code or 0, said.out, said.err


def test_the_command(run, tmp_path, capsys, monkeypatch):
    page = tmp_path / "x.html"
    code, out, err = report(capsys, monkeypatch, run.path, "--html", page, "--published")
    assert code == 0
    assert "learning curves" in out
    assert "Claude Opus 5" in out
    assert "no ranking" in out
    assert str(page) in err
    assert page.is_file()
    text = page.read_text(encoding="utf-8")
    assert "Simulated backbone." in text


def test_json_writes_no_page(run, tmp_path, capsys, monkeypatch):
    before = set(tmp_path.iterdir())
    _, out, err = report(capsys, monkeypatch, run.path, "--json")
    methods = json.loads(out)["methods"]
    assert set(methods) == set(run.contenders)
    assert methods["naive"]["behaviour"] == behaviour(run, "naive").as_dict()
    assert methods["naive"]["rules"]["learn2play/gemforge"]["T1"]["trials"] == 3
    assert err == ""
    _, _, err = report(capsys, monkeypatch, run.path, "--no-html")
    assert err == ""
    assert set(tmp_path.iterdir()) == before


def test_transfer_is_found_beside_a_run_and_between_two(tmp_path, capsys, monkeypatch):
    command = [
        "evoplay",
        "transfer",
        "--method",
        "naive",
        "--backbone",
        "policy/random",
        "--env",
        "learn2play/poisoner",
    ]
    monkeypatch.setattr(sys, "argv", [*command, "--trials", "3", "--episodes", "3", "--out", str(tmp_path / "t")])
    with pytest.raises(SystemExit):
        main()
    control, changing = load(tmp_path / "t" / "control"), load(tmp_path / "t" / "reshuffled")
    about, between = transfer_of([control, changing])
    _, beside = transfer_of([changing])
    assert about == [changing]
    assert between == beside
    table, words = conduct.transfer(Material(changing, transfer=between))
    drop = between["methods"]["naive"]["all"]["drop"]["mean"]
    assert table.rows[0][table.at("drop")] == drop
    assert "3 trials" in words
    assert transfer_of([load(tmp_path / "t" / "control")])[1] == beside
