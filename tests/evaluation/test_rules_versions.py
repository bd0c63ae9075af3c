"""A run whose games have other rules now: it is told wherever it is read, and nothing judges it by today's game."""

import json
import warnings

import pytest

import evoplay as api
from evoplay.evaluation.cli import main
from evoplay.evaluation.discovery import discovery, grades_by_trial
from evoplay.evaluation.load import LoadedRun, RunWarning
from evoplay.evaluation.quality import quality_of, table_of
from evoplay.evaluation.report import write_report
from evoplay.evaluation.rules_versions import changed_rules, changed_since

GEM, POISON = "learn2play/gemforge", "learn2play/poisoner"
SETTINGS = {"env": [GEM, POISON], "backbone": "sim/learner", "episodes": 4, "trials": 1, "quiet": True}
TOLD = f"played under other rules of {GEM} (version 99, installed 1)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of two games, one of them of another version."""
    out = tmp_path_factory.mktemp("runs") / "r"
    run = api.run(method=["naive", "evidence"], out=out, **SETTINGS)
    assert {cell.env_id for cell in grades_by_trial(run)} == {GEM, POISON}
    assert sum(row["true"] + row["false"] for row in table_of(run)) > 0
    assert run.references
    data = json.loads((out / "run.json").read_text(encoding="utf-8"))
    data["envs"][GEM]["rules_version"] = 99
    (out / "run.json").write_text(json.dumps(data), encoding="utf-8")
    return out


def test_loading_warns_once(folder):
    with pytest.warns(RunWarning) as told:
        api.metrics(api.load(folder))
    assert [str(one.message).startswith(f"{folder}: {TOLD}") for one in told] == [True]
    assert told[0].filename == __file__


def test_claims_stay_unchecked_and_rules_ungraded(folder):
    run = LoadedRun(folder)
    for cell in run.cells:
        quality = quality_of(run, cell)
        if cell.env_id == GEM and quality.holds:
            assert quality.rules
            assert {tried.verdict for tried in quality.rules} == {"unchecked"}
    assert {cell.env_id for cell in grades_by_trial(run)} == {POISON}
    assert set(discovery(run)) == {POISON}


def test_references_of_another_game_are_not_worked_out(folder):
    kept = LoadedRun(folder).references
    assert kept[GEM]["1"]["1"]["value"] > 0
    (folder / "references.json").rename(folder / "kept.json")
    run = LoadedRun(folder)
    assert {tuple(one) for one in run.references[GEM]["1"].values()} == {("error",)}
    assert json.loads((folder / "references.json").read_text(encoding="utf-8"))[GEM] == {"1": {}}
    assert run.references[POISON] == kept[POISON]
    (folder / "kept.json").rename(folder / "references.json")


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "--no-html"),
        ("memory",),
        ("memory", "--cell", "gemforge.s1/evidence"),
        ("why", "c001", "--cell", "gemforge.s1/evidence"),
        ("show", "--cell", "gemforge.s1/naive"),
        ("power", "--difference", "2"),
    ],
    ids=lambda words: " ".join(words),
)
def test_commands_say_so_in_one_line(arguments, folder, capsys, monkeypatch):
    command, *rest = arguments
    monkeypatch.setattr("sys.argv", ["evoplay", command, str(folder), *rest])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert not ended.value.code
    assert said.out
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"evoplay: {folder}: {TOLD}")


def test_the_page_says_so(folder):
    page = write_report(LoadedRun(folder)).page.read_text(encoding="utf-8")
    said = f"{GEM} (version 99, now 1)."
    for words in ("Played under other rules than those of today", "Not graded, for", "Unchecked, for"):
        assert page.count(words) == 1
    assert page.count(said) == 3


def test_going_on_is_refused(folder):
    with pytest.raises(ValueError, match=f"rules of {GEM}: 99 -> 1"):
        api.run(method=["naive", "evidence"], out=folder, **SETTINGS)


def test_versions_compare():
    one, other = {"a": {"rules_version": 1}, "b": {"rules_version": 1}}, {"a": {"rules_version": 2}}
    assert changed_rules(one, other) == {"a": (1, 2), "b": (1, None)}
    # What is not installed cannot be compared: its runs are read all the same.
    gone = {"nobody/has-it": {"rules_version": 1}, "gone.py:Gone": {"rules_version": 1}, GEM: {"rules_version": 1}}
    assert changed_since(gone) == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert changed_since({POISON: {"rules_version": 3}}) == {POISON: (3, 1)}
