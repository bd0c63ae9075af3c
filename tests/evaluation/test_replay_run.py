"""A run played again from its own log is the same run; what was never asked shows the nearest request."""

import json

from .test_cli import evoplay  # noqa: F401

WHAT = ["--env", "learn2play/poisoner", "--method", "naive", "--method", "memory", "--episodes", 2, "--trials", 2]


def test_a_run_is_replayed_from_its_log(evoplay, tmp_path):  # noqa: F811
    first = json.loads(evoplay("run", *WHAT, "--seed", 3, "--out", tmp_path / "a", "--json")[1])
    replay = ["--backbone", f"replay/{tmp_path / 'a'}"]
    code, out, _ = evoplay("run", *WHAT, "--seed", 3, *replay, "--out", tmp_path / "b", "--json")
    again = json.loads(out)
    assert code == 0
    for method in ("naive", "memory"):
        assert again["methods"][method]["games"] == first["methods"][method]["games"]
        assert again["methods"][method]["tokens"] == first["methods"][method]["tokens"]


def test_a_request_that_was_not_recorded_stops_the_run(evoplay, tmp_path):  # noqa: F811
    evoplay("run", *WHAT, "--seed", 3, "--out", tmp_path / "a")
    replay = ["--backbone", f"replay/{tmp_path / 'a'}"]
    code, _, err = evoplay("run", *WHAT, "--seed", 4, *replay, "--out", tmp_path / "b")
    assert code == 4
    assert "was not recorded" in err
    assert "seed" in err
