"""Merged runs: trials added up, each once; runs that do not belong together are refused."""

import json
import shutil

import pytest

import evoplay as api
from evoplay.evaluation.config import make_config
from evoplay.evaluation.merging import OF_THE_MODEL, OF_THE_ROWS
from evoplay.evaluation.runlog import RunLogError
from evoplay.evaluation.runner import Run
from tests.scripted import ScriptedBackbone

SETTINGS = {"env": "learn2play/poisoner", "backbone": "sim/learner", "episodes": 3, "trials": 3, "quiet": True}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return api.run(method=["naive", "memory"], out=str(tmp_path_factory.mktemp("runs") / "a"), **SETTINGS)


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


# --- runs that do not belong together -------------------------------------------------------------------------------


def test_runs_of_other_rules_or_settings_are_not_merged(run, tmp_path):
    other = api.run(method="memory", out=str(tmp_path / "b"), **{**SETTINGS, "episodes": 2})
    with pytest.raises(RunLogError, match="episodes of learn2play/poisoner is 3 and 2"):
        api.merge(run, other)
    other = api.run(method="memory", out=str(tmp_path / "c"), **SETTINGS)
    other.info["envs"]["learn2play/poisoner"]["rules_version"] = 99
    with pytest.raises(RunLogError, match="rules_version of learn2play/poisoner is 1 and 99"):
        api.merge(run, other)


def changed(run, tmp_path, name="b", **settings):
    """The run's folder once more, with another seed and with other settings in its run.json."""
    folder = tmp_path / name
    shutil.copytree(run.path, folder)
    data = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    data["config"] |= {"seed": 9, **settings}
    backbone = settings.get("backbone", data["backbone"]["name"])
    (folder / "run.json").write_text(json.dumps(data | {"backbone": data["backbone"] | {"name": backbone}}))
    return api.load(folder)


DECISIVE = {
    "temperature": 0.7,
    "reasoning_effort": "low",
    "reply_tokens": 100,
    "model_options": {"top_p": 0.9},
    "use_tools": True,
    "embeddings": "minilm",
    "plant": "gemforge",
    "episode_mode": "control",
    "env_options": {"setting": "x"},
    "budget_tokens": 900,
    "freeze_after": 2,
    "hide_actions": True,
    "max_steps": 5,
}


def test_every_decisive_setting_is_compared():
    blank = make_config({"env": "any", "method": "any"}).decisive()
    assert set(DECISIVE) == set(blank) - set(OF_THE_ROWS)
    assert set(OF_THE_MODEL) < set(DECISIVE)


@pytest.mark.parametrize(("name", "value"), DECISIVE.items())
def test_runs_of_other_settings_are_refused_with_both_values(name, value, run, tmp_path):
    other = changed(run, tmp_path, **{name: value})
    here = run.info["config"][name]
    with pytest.raises(RunLogError) as refused:
        api.merge(run, other)
    assert f"{name} is {here!r} and {value!r}: run one of them again" in str(refused.value)
    another = changed(run, tmp_path, "c", backbone="openai/other", **{name: value})
    if name in OF_THE_MODEL:  # a model's own: of another model it may be another
        assert len(api.merge(run, another).contenders) == 4
    else:
        with pytest.raises(RunLogError, match=f"{name} is"):
            api.merge(run, another)


def test_settings_of_a_model_are_compared_with_every_run_of_that_model(run, tmp_path):
    other = changed(run, tmp_path, "b", backbone="openai/other", temperature=0.2)
    third = changed(run, tmp_path, "c", backbone="openai/other", temperature=0.7)
    with pytest.raises(RunLogError, match=r"temperature is 0\.2 and 0\.7"):
        api.merge(run, other, third)
    with pytest.raises(RunLogError, match=r"temperature is 0\.2 and 0\.7"):
        api.merge(api.merge(run, other), third)


def test_a_setting_that_an_older_log_does_not_know_has_its_default(run, tmp_path):
    other = changed(run, tmp_path)
    del other.info["config"]["use_tools"]
    assert len(api.merge(run, other).cells) == 12


# --- the same trials ------------------------------------------------------------------------------------------------


def test_the_same_folder_twice_is_refused(run):
    with pytest.raises(RunLogError, match=r"a was given twice: give it once$"):
        api.merge(run, api.load(run.path))


def test_the_same_run_in_another_folder_is_refused(run, tmp_path):
    again = api.run(method=["memory", "naive"], out=tmp_path / "again", **{**SETTINGS, "trials": 4})
    same = r"hold the same 6 trials \(e.g. memory on learn2play/poisoner, trial 1\): give one of them, or run with ano"
    with pytest.raises(RunLogError, match=same):
        api.merge(run, again)
    one = api.run(method="memory", out=tmp_path / "one", **{**SETTINGS, "trials": 1})
    with pytest.raises(RunLogError, match=r"hold the same trial \(memory on learn2play/poisoner, trial 1\): give"):
        api.merge(run, one)


def test_a_run_that_was_cut_is_the_same_run(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "cut")
    log = api.load(tmp_path / "cut").log_of(run.cells[0]).path
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    end = next(at for at, line in enumerate(lines) if json.loads(line)["type"] == "episode_closed")
    log.write_text("".join(lines[: end + 1]), encoding="utf-8")
    with pytest.raises(RunLogError, match="hold the same 6 trials"):
        api.merge(api.load(tmp_path / "cut"), run)


def test_a_policy_in_both_runs_counts_once_and_in_full(tmp_path):
    runs = [
        api.run(method=[method, "policy/random"], out=tmp_path / method, **{**SETTINGS, "backbone": backbone} | more)
        for method, backbone, more in (
            ("naive", "sim/learner", {}),
            ("memory", "sim/learner", {"trials": 5}),
            ("best-episode", "sim/learner?recall=0", {}),
        )
    ]
    whole = api.merge(*runs)
    mine = whole.episodes[whole.episodes["contender"] == "policy/random"]
    assert sorted(mine["trial"].unique()) == [1, 2, 3, 4, 5]
    theirs = runs[1].episodes
    assert list(mine["z"]) == list(theirs[theirs["contender"] == "policy/random"]["z"])
    both = api.metrics(whole).loc["policy/random"]
    assert both.equals(api.metrics(runs[1]).loc["policy/random"])


def test_of_a_policy_the_longer_trial_is_kept(tmp_path):
    whole = api.run(method="policy/random", out=tmp_path / "whole", **SETTINGS)
    shutil.copytree(whole.path, tmp_path / "cut")
    log = api.load(tmp_path / "cut").log_of(whole.cells[0]).path
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    end = next(at for at, line in enumerate(lines) if json.loads(line)["type"] == "episode_closed")
    log.write_text("".join(lines[: end + 1]), encoding="utf-8")
    for one, other in ((whole, api.load(tmp_path / "cut")), (api.load(tmp_path / "cut"), whole)):
        assert len(api.merge(one, other).episodes) == 9


def test_another_run_of_a_model_with_the_same_seed_adds_trials(tmp_path):
    """A language model says something else each time, if not in what it does."""
    found = []
    for name in ("a", "b", "c"):
        config = make_config(
            {"env": "learn2play/gemforge", "method": "naive", "episodes": 2, "trials": 2, "max_steps": 2}
            | {"out": str(tmp_path / name)}
        )
        words = "So be it." if name == "c" else name
        backbone = ScriptedBackbone(lambda messages, purpose, words=words: f"{words}\nAction: status")
        assert (made := Run(config, backbone)).execute(made.prepare()).exit_code == 0
        found.append(api.load(tmp_path / name))
    assert len(api.merge(*found).cells) == 6
    with pytest.raises(RunLogError, match="b was given twice"):
        api.merge(*found, found[1])


def test_what_was_not_played_is_no_twin(run, tmp_path):
    for name in ("b", "c"):
        shutil.copytree(run.path, tmp_path / name, ignore=shutil.ignore_patterns("cells"))
    assert len(api.merge(api.load(tmp_path / "b"), api.load(tmp_path / "c")).cells) == 12


def test_merged_runs_are_merged_further(run, tmp_path):
    more, again = (api.run(method="memory", out=tmp_path / str(seed), **{**SETTINGS, "seed": seed}) for seed in (5, 6))
    stepwise, at_once = api.merge(api.merge(run, more), again), api.merge(run, more, again)
    assert stepwise.episodes.equals(at_once.episodes)
    with pytest.raises(RunLogError, match="was given twice"):
        api.merge(api.merge(run, more), run)


def test_logs_are_read_only_where_trials_may_be_the_same(run, tmp_path, monkeypatch):
    more = api.load(api.run(method="memory", out=tmp_path / "b", **{**SETTINGS, "seed": 5}).path)
    monkeypatch.setattr(api.LoadedRun, "digest", lambda self, cell: pytest.fail(f"{cell} was read"))
    assert len(api.merge(run, more).cells) == 9
