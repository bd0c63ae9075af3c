"""Tables of a run in Python: what `evoplay.load` gives, figures, comparisons, merged runs."""

import pytest

import evoplay as api
from evoplay.evaluation.runlog import RunLogError
from evoplay.evaluation.summary import as_dict, summarise

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


def test_merging_adds_trials_and_contenders(run, tmp_path):
    more = api.run(method=["memory", "best-episode"], out=str(tmp_path / "b"), **{**SETTINGS, "seed": 5})
    both = api.merge(run, more)
    assert both.contenders == ["naive", "memory", "best-episode"]
    episodes = both.episodes
    assert len(episodes[episodes["contender"] == "memory"]) == 18
    assert sorted(set(episodes[episodes["contender"] == "memory"]["trial"])) == [1, 2, 3, 4, 5, 6]
    whole = sorted(episodes[episodes["contender"] == "memory"]["z"])
    parts = [z for part in (run, more) for z in part.episodes[part.episodes["contender"] == "memory"]["z"]]
    assert whole == sorted(parts)
    assert api.metrics(both).loc[("naive", "ls"), "mean"] == api.metrics(run).loc[("naive", "ls"), "mean"]


def test_other_backbones_are_told_apart(run, tmp_path):
    other = api.run(method="memory", out=str(tmp_path / "b"), **{**SETTINGS, "backbone": "sim/learner?recall=0"})
    assert api.merge(run, other).contenders == [
        "naive · sim/learner",
        "memory · sim/learner",
        "memory · sim/learner?recall=0",
    ]


def test_runs_of_other_rules_or_settings_are_not_merged(run, tmp_path):
    other = api.run(method="memory", out=str(tmp_path / "b"), **{**SETTINGS, "episodes": 2})
    with pytest.raises(RunLogError, match="episodes of learn2play/poisoner is 3 and 2"):
        api.merge(run, other)
    other = api.run(method="memory", out=str(tmp_path / "c"), **SETTINGS)
    other.info["envs"]["learn2play/poisoner"]["rules_version"] = 99
    with pytest.raises(RunLogError, match="rules_version of learn2play/poisoner is 1 and 99"):
        api.merge(run, other)


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
