"""What `evoplay adaexplore` says of runs: figures, paired settings, curves."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from typer.testing import CliRunner

from evoplay.evaluation.adaexplore_cli import app
from evoplay.evaluation.api import run as play_run
from evoplay.evaluation.drift_plot import curve_points, curve_svg
from evoplay.evaluation.exploration import Case, Explored

ENVS = ["adaexplore/finance/card-fraud", "adaexplore/healthcare/sepsis-ward"]
GOOD, BAD = (1.0, 0.6, 0.2, -0.2), (-0.2, 0.2, 0.6, 1.0)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, policy, options in (
        ("oracle", "oracle", {}),
        ("random", "random", {}),
        ("still", "random", {"setting": "stationary"}),
    ):
        play_run(
            env=ENVS, method="naive", backbone=f"policy/{policy}", episodes=3, trials=1, out=str(folder / name),
            env_options=options, quiet=True,
        )  # fmt: skip
    return folder


def test_figures_by_family_and_in_all(runs):
    rows = json.loads(run("figures", runs / "oracle", runs / "random", "--json").stdout)
    whole = {row["run"]: row for row in rows if row["family"] == "all"}
    assert set(whole) == {"oracle", "random"}
    assert whole["oracle"]["episodes"] == 6
    assert whole["oracle"]["ca"]["mean"] == whole["oracle"]["ea"]["mean"] == 100
    assert sum(row["episodes"] for row in rows if row["run"] == "random") == 12
    table = run("figures", runs / "oracle").stdout.splitlines()
    assert table[0].startswith("| run | family | episodes | ea | ca |")
    assert "| oracle | all | 6 | 100.00 (100.00 to 100.00) |" in table[-1]


def test_a_wider_level_gives_wider_intervals(runs):
    def interval(level):
        rows = json.loads(run("figures", runs / "random", "--level", level, "--json").stdout)
        low, high = next(row for row in rows if row["family"] == "all")["ca"]["ci"]
        return high - low

    assert interval(0.999) > 2 * interval(0.8)


def test_settings_are_compared_by_episode(runs):
    said = run("compare", runs / "random", runs / "still").stdout.splitlines()
    assert said[-1].endswith("n 6)")
    same = run("compare", runs / "random", runs / "random").stdout.splitlines()
    assert same[-1].startswith("all: CA +0.00 (+0.00 to +0.00; p 1, Wilcoxon p 1")


def test_a_curve_is_drawn(runs, tmp_path):
    out = tmp_path / "curves.svg"
    assert f"written to {out}" in run("curves", runs / "oracle", runs / "random", "--out", out).stdout
    tree = ET.fromstring(out.read_text(encoding="utf-8"))
    labels = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"oracle", "random", "0", "100"} <= set(labels)
    families = run("curves", runs / "oracle", "--out", out, "--by-family")
    assert families.exit_code == 0
    assert "additive" in out.read_text(encoding="utf-8")


def test_without_a_drift_there_is_no_curve(runs, tmp_path):
    failed = run("curves", runs / "still", "--out", tmp_path / "none.svg")
    assert "no episode with a drift" in str(failed.exception)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_or_drawn_is_told(runs, tmp_path):
    where = f"--out {tmp_path} cannot be written (Is a directory): name another file"
    assert str(run("curves", runs / "oracle", "--out", tmp_path).exception) == where
    assert str(run("generate", "--out", tmp_path).exception) == where
    assert "--out . cannot be written (Is a directory)" in str(run("generate", "--out", "").exception)
    (tmp_path / "file").write_text("here is a file")
    inside = run("curves", runs / "oracle", "--out", tmp_path / "file" / "x.svg")
    assert "x.svg cannot be written (" in str(inside.exception)
    two = run("curves", runs / "oracle", runs / "random", "--by-family", "--out", tmp_path / "x.svg")
    assert "--by-family splits a single run, not 2" in str(two.exception)
    nobody = run("generate", "--out", tmp_path / "x.jsonl", "--write-fields", "")
    assert "no backbone is called ''" in str(nobody.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_other_runs_are_named(tmp_path):
    play_run(env="learn2play/gemforge", method="naive", backbone="policy/random", episodes=1, trials=1,
             out=str(tmp_path / "gems"), quiet=True)  # fmt: skip
    assert "no episode of AdaExplore" in str(run("figures", tmp_path / "gems").exception)


def episode(drift, good):
    made = Explored("additive", "t", "default", 6, 1, drift, {"a": 1}, {"b": 1})
    made.cases = [Case(batch, GOOD if batch in good else BAD, 0, False) for batch in range(1, 7)]
    return made


def test_points_are_means_over_the_same_episodes():
    points = curve_points([episode(3, {1, 2, 4, 5, 6}), episode(3, {1, 2}), episode(4, {1, 2, 3, 4, 5, 6})])
    assert [point[0] for point in points] == [-1, 0, 1, 2, 3]
    means = {offset: mean for offset, mean, _, _ in points}
    assert means[0] == 100
    assert means[1] == pytest.approx((-100 - 100 + 100) / 3)


def test_names_are_escaped_and_labels_kept_apart():
    svg = curve_svg({"<b>": [episode(3, {1, 2})] * 3, "two": [episode(3, {1, 2})] * 3})
    assert "<b>" not in svg
    heights = [float(y) for y in re.findall(r'<text x="528" y="([\d.]+)"', svg)]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) >= 14
