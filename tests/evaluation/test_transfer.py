"""The transfer comparison: two runs that differ in nothing but the instances, and the drop between them."""

import json

import numpy as np
import pytest

from evoplay.evaluation.config import ConfigError
from evoplay.evaluation.load import load
from evoplay.evaluation.transfer import compare, configurations, reshuffled_games

from .test_cli import evoplay  # noqa: F401

GAMES = ["--env", "learn2play/poisoner", "--env", "learn2play/plague"]


def test_the_two_runs_differ_in_the_instances_alone():
    configs = configurations({"method": ["naive"], "seed": 3}, "x")
    control, reshuffled = (configs[name].decisive() for name in ("control", "reshuffled"))
    assert {key for key in control if control[key] != reshuffled[key]} == {"episode_mode"}
    assert control["episodes"] == 10
    assert configs["control"].env_ids() == reshuffled_games()


def test_a_fixed_game_is_refused():
    with pytest.raises(ConfigError, match="gemforge is the same in every episode"):
        configurations({"method": ["naive"], "env": ["learn2play/gemforge"]}, "x")


def test_table_and_json(evoplay, tmp_path):  # noqa: F811
    command = ["transfer", *GAMES, "--method", "policy/random", "--method", "policy/solver", "--out", tmp_path / "t"]
    code, out, _ = evoplay(*command)
    assert code == 0
    assert "LS drop" in out
    data = json.loads((tmp_path / "t" / "transfer.json").read_text())
    solver = data["methods"]["policy/solver"]
    assert solver["all"]["drop"]["mean"] == 0
    assert solver["all"]["drop"]["ci"] == [0, 0]
    assert json.loads(evoplay(*command, "--json")[1]) == data


def test_the_drop_is_the_difference_of_the_slopes(evoplay, tmp_path):  # noqa: F811
    """Computed again from the log alone."""
    evoplay("transfer", *GAMES, "--method", "policy/random", "--out", tmp_path / "t")
    slopes = {}
    for condition in ("control", "reshuffled"):
        episodes = load(tmp_path / "t" / condition).episodes
        by_game = {}
        for (env, _), trial in episodes.groupby(["env", "trial"]):
            z = trial.sort_values("episode")["z"].to_numpy(float)
            by_game.setdefault(env, []).append(np.polyfit(np.arange(1, len(z) + 1), z, 1)[0])
        slopes[condition] = np.mean([np.mean(values) for values in by_game.values()])
    data = compare(load(tmp_path / "t" / "control"), load(tmp_path / "t" / "reshuffled"))
    found = data["methods"]["policy/random"]["all"]
    assert found["drop"]["mean"] == pytest.approx(slopes["control"] - slopes["reshuffled"], abs=1e-6)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "cannot be read: Expecting value"),
        ("[1]", "is [1], expected an object"),
        ('{"backbone": "x"}', "has no 'simulated', expected true or false"),
        (None, "as 'methods', expected an object with LS of both conditions and the drop of each method"),
    ],
)
def test_a_kept_comparison_that_is_something_else_is_named(evoplay, tmp_path, content, said):  # noqa: F811
    evoplay("transfer", *GAMES, "--method", "policy/random", "--episodes", 2, "--trials", 1, "--out", tmp_path / "t")
    page = ("report", tmp_path / "t" / "control", "--html", tmp_path / "x.html")
    assert evoplay(*page)[0] == 0
    kept = tmp_path / "t" / "transfer.json"
    if content is None:
        data = json.loads(kept.read_text())
        del data["methods"]["policy/random"]["all"]["drop"]["p"]
        content = json.dumps(data)
    kept.write_text(content)
    code, _, error = evoplay(*page)
    assert (code, error.count("\n")) == (2, 1)
    assert f"{kept} is not what `evoplay transfer` wrote (" in error
    assert said in error
    assert error.endswith("delete it, or give that command again\n")


def test_runs_that_differ_in_more_than_the_condition_are_refused(evoplay, tmp_path):  # noqa: F811
    for condition, seed in (("control", 1), ("reshuffled", 2)):
        settings = ["--episode-mode", condition, "--seed", seed, "--episodes", 2, "--trials", 1]
        evoplay("run", *GAMES, "--method", "policy/random", *settings, "--out", tmp_path / condition)
    code, _, error = evoplay("report", tmp_path / "control", tmp_path / "reshuffled")
    assert code == 2
    assert "seed is 1 and 2: make both with evoplay transfer" in error
    assert error.count("\n") == 1
