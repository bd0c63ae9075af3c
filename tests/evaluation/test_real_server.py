"""Whole runs over litellm against a real server that goes wrong in every way there is, and what is kept secret."""

import json
from pathlib import Path

import pytest

from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.evaluation.summary import as_dict, summarise
from evoplay.methods.backbones.registry import open_backbone
from tests.server import FAULTS, Answer, ModelServer, fault, listed_action

KEY = "sk-proj-very-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def play(server, out, **settings):
    """A run against the server: its outcome and what it left."""
    config = make_config(
        {
            "env": "learn2play/poisoner",
            "method": "memory",
            "backbone": "openai/stub",
            "episodes": 2,
            "trials": 2,
            "concurrency": 2,
            "out": str(out),
            "api_base": server.url,
        }
        | settings
    )
    retries = config.retries if config.retries is not None else 4
    backbone = open_backbone(
        "openai/stub", api_base=server.url, timeout=config.timeout or 1.5, retries=retries, backoff=0.02,
        max_usd=config.max_usd, max_tokens_total=config.max_tokens,
    )  # fmt: skip
    run = Run(config, backbone)
    return run.execute(run.prepare()), load(out)


def every_other(kinds):
    """Answers every second request as an agent would; the others go wrong, one kind after the other."""
    asked = []

    def answer(body):
        asked.append(body)
        number = len(asked) - 1
        if number % 2 == 0 and number // 2 < len(kinds):
            return fault(kinds[number // 2])
        return listed_action(body)

    return answer


def test_a_run_without_faults(tmp_path):
    with ModelServer() as server:
        outcome, run = play(server, tmp_path / "r")
    assert (outcome.exit_code, outcome.played, outcome.failed) == (0, 4, [])
    assert all(
        record.score is not None and record.steps[-1].done for cell in run.cells for record in run.episodes_of(cell)
    )
    assert set(run.calls["model"]) == {"stub"}


@pytest.mark.parametrize("kind", FAULTS)
def test_no_fault_loses_an_episode_that_can_be_saved(tmp_path, kind):
    """The fault strikes every second call, three times in all; the next answer is a good one."""
    with ModelServer(every_other([kind] * 3)) as server:
        outcome, run = play(server, tmp_path / "r", trials=1, concurrency=1)
    records = [record for cell in run.cells for record in run.episodes_of(cell)]
    assert [record.error for record in records] == [None, None]
    assert (outcome.exit_code, outcome.failed) == (0, [])
    calls = run.calls
    if kind in ("refusal", "no_action", "long"):
        # An answer all the same: the environment refuses it, or it is asked for once more.
        assert (calls["attempts"] == 1).all()
    else:
        assert (calls["attempts"] > 1).sum() == 3
    assert calls["failed"].isna().all()


def test_what_cannot_be_saved_is_a_failed_episode_and_the_run_goes_on(tmp_path):
    def first_episode_fails(body):
        text = body["messages"][-1]["content"]
        return fault("500") if "step 2 of episode 1" in text else listed_action(body)

    with ModelServer(first_episode_fails) as server:
        outcome, run = play(server, tmp_path / "r", retries=1)
    assert outcome.exit_code == 1
    assert len(outcome.failed) == 2
    report = as_dict(summarise(run))["methods"]["memory"]
    assert (report["episodes"], report["missing"], report["cost"]["failed_calls"]) == (2, 2, 2)
    episodes = run.episodes
    assert episodes[episodes["episode"] == 1]["score"].isna().all()
    assert episodes[episodes["episode"] == 1]["error"].str.contains("server").all()
    assert episodes[episodes["episode"] == 2]["score"].notna().all()


def test_a_refused_key_stops_the_run_at_once(tmp_path):
    with ModelServer([], after=Answer(status=401, error=f"Incorrect API key provided: {KEY}")) as server:
        outcome, _ = play(server, tmp_path / "r", episodes=5)
    assert outcome.exit_code == 4
    assert len(server.requests) <= 2


def test_a_limit_of_tokens_stops_cleanly_and_the_run_goes_on_later(tmp_path):
    with ModelServer() as server:
        outcome, run = play(server, tmp_path / "r", max_tokens=4000, trials=1)
        assert outcome.exit_code == 3
        before = sum(len(run.episodes_of(cell)) for cell in run.cells)
        assert before < 2
        # The limit is the run's, not the process's: what was spent before counts.
        asked = len(server.requests)
        assert play(server, tmp_path / "r", max_tokens=4000, trials=1)[0].exit_code == 3
        assert len(server.requests) == asked
        # The limit is the run's, not the process's: what was spent before counts.
        asked = len(server.requests)
        assert play(server, tmp_path / "r", max_tokens=4000, trials=1)[0].exit_code == 3
        assert len(server.requests) == asked
        outcome, run = play(server, tmp_path / "r", trials=1)
    assert (outcome.exit_code, outcome.kept, outcome.played) == (0, before, 2 - before)


def test_what_the_ledger_says_is_what_the_server_reported(tmp_path):
    counted = {"prompt_tokens": 1000, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 800}}
    with ModelServer(lambda body: Answer(listed_action(body), usage=counted)) as server:
        _, run = play(server, tmp_path / "r", trials=1)
    calls = run.calls
    assert (calls["input"] == 1000).all()
    assert (calls["cached"] == 800).all()
    assert (calls["output"] == 7).all()
    report = as_dict(summarise(run))["methods"]["memory"]
    assert report["tokens"] == 1007 * len(calls)
    assert report["usd"] is None
    assert report["cost"]["unpriced_calls"] == len(calls)


def test_the_key_is_nowhere(tmp_path, capfd):
    """Not in logs, configuration, errors or what is printed, even where the server repeats it."""
    telling = [Answer(status=500, error=f"upstream said: bad header Bearer {KEY}")] * 3
    with ModelServer(telling, after=Answer(status=401, error=f"Incorrect API key provided: {KEY}")) as server:
        outcome, run = play(server, tmp_path / "r")
    print(outcome.lines(), json.dumps(as_dict(summarise(run))), repr(open_backbone("openai/stub", api_base=server.url)))
    said = capfd.readouterr()
    assert any(KEY in header.get("authorization", header.get("Authorization", "")) for header in server.headers)
    everything = said.out + said.err + "".join(path.read_text() for path in Path(tmp_path).rglob("*") if path.is_file())
    assert KEY not in everything
    assert KEY[8:] not in everything
    assert "401" in everything or "key" in everything.lower()
