"""Whole runs over litellm against a real server that goes wrong in every way there is, and what is kept secret."""

import json
from pathlib import Path

import pytest

from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.evaluation.spending import cache_shares, spend_by_purpose
from evoplay.evaluation.summary import as_dict, summarise
from evoplay.memory.tokens import count_tokens
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
        max_usd=config.max_usd, max_tokens_total=config.max_tokens, prices=config.prices,
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
        outcome, run = play(server, tmp_path / "r", trials=1)
    assert (outcome.exit_code, outcome.kept, outcome.played) == (0, before, 2 - before)


def test_what_the_ledger_says_is_what_the_server_reported(tmp_path):
    """Every answer has counts of its own, which no tokenizer gave; the totals are theirs, in tokens, shares and USD."""
    sent = []

    def counted(body):
        number = len(sent) + 1
        cached = 137 * number
        usage = {"prompt_tokens": 1000 + 211 * number, "completion_tokens": 3 + number}
        usage |= {"prompt_tokens_details": {"cached_tokens": cached}}
        usage |= {"completion_tokens_details": {"reasoning_tokens": 2}}
        sent.append(usage | {"cached_tokens": cached, "text": "".join(m["content"] for m in body["messages"])})
        return Answer(listed_action(body), usage=usage)

    prices = tmp_path / "prices.toml"
    prices.write_text('["openai/stub"]\ninput = 1.4\ncached = 0.26\noutput = 4.4\n')
    with ModelServer(counted) as server:
        _, run = play(server, tmp_path / "r", concurrency=1, prices=str(prices))
    calls = run.calls
    total = {name: sum(one[name] for one in sent) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")}
    assert len(calls) == len(sent) > 8
    assert list(calls["input"]) == [one["prompt_tokens"] for one in sent]
    assert calls["cached"].sum() == total["cached_tokens"]
    assert calls["output"].sum() == total["completion_tokens"]
    assert calls["reasoning"].sum() == 2 * len(sent)
    assert all(abs(count_tokens(one["text"]) - one["prompt_tokens"]) > 20 for one in sent)

    fresh = total["prompt_tokens"] - total["cached_tokens"]
    usd = (1.4 * fresh + 0.26 * total["cached_tokens"] + 4.4 * total["completion_tokens"]) / 1e6
    report = as_dict(summarise(run))["methods"]["memory"]
    assert report["tokens"] == total["prompt_tokens"] + total["completion_tokens"]
    assert report["usd"] == pytest.approx(usd) == pytest.approx(calls["usd"].sum())
    by_purpose = spend_by_purpose(run, "memory")
    assert sum(row["usd"] for row in by_purpose.values()) == pytest.approx(usd)
    assert sum(row["cached"] for row in by_purpose.values()) == total["cached_tokens"]
    shares = cache_shares(run, "memory")
    assert shares["billed"] == pytest.approx(total["cached_tokens"] / total["prompt_tokens"])
    assert 0.5 < shares["predicted"] < 1


def test_without_a_price_usd_is_unknown_and_never_0(tmp_path):
    with ModelServer() as server:
        _, run = play(server, tmp_path / "r", trials=1)
    report = as_dict(summarise(run))["methods"]["memory"]
    assert report["usd"] is None
    assert report["cost"]["unpriced_calls"] == len(run.calls)


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
