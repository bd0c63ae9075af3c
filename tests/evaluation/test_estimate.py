"""Estimates before a run: near what the run then takes, and no guess at a price nobody knows."""

import json

import pytest

from evoplay.evaluation.config import make_config
from evoplay.evaluation.estimate import Estimate, forecast
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.prices import PriceTable
from evoplay.methods.backbones.registry import open_backbone

from .test_cli import evoplay  # noqa: F401

SETTINGS = {
    "env": "learn2play/hauntedinn", "method": ["naive", "memory", "policy/solver"], "episodes": 6, "trials": 2,
}  # fmt: skip


def test_the_estimate_is_near_what_the_run_takes(tmp_path):
    config = make_config({**SETTINGS, "out": str(tmp_path / "r")})
    found = forecast(config)
    run = Run(config, open_backbone("sim/learner"))
    run.execute(run.prepare())
    calls = load(config.out).calls
    for method in ("naive", "memory"):
        mine = calls[calls["contender"] == method]
        assert found.methods[method].calls == pytest.approx(len(mine), rel=0.5)
        assert found.methods[method].input == pytest.approx(mine["input"].sum(), rel=0.6)
    assert found.episodes == 36
    assert found.methods["policy/solver"].calls == 0


def test_a_price_nobody_knows_is_not_guessed(tmp_path):
    file = tmp_path / "prices.toml"
    file.write_text('["openai/mine"]\ninput = 2.0\noutput = 8.0\ncached = 0.5\n')
    config = make_config({**SETTINGS, "prices": str(file), "backbone": "openai/mine"})
    found = forecast(config, ["openai/mine", "openai/nobody-knows"])
    usd = found.as_dict()["methods"]["memory"]["usd"]
    assert usd["openai/nobody-knows"] is None
    cheap, dear = usd["openai/mine"]
    memory = found.methods["memory"]
    assert dear == pytest.approx((2 * memory.input + 8 * memory.output) / 1e6, rel=0.05)
    assert cheap == pytest.approx(dear - 1.5 * memory.cacheable / 1e6, rel=0.05)


def test_dear_long_prompts_are_priced_call_by_call():
    price = PriceTable().price("gemini/gemini-2.5-pro")
    many_short = Estimate(calls=100, input=100 * 1000, output=0)
    assert many_short.usd(price)[1] == pytest.approx(100 * 1000 * price.rates.input)


def test_the_command_plays_nothing(evoplay, tmp_path):  # noqa: F811
    command = ["run", "--env", "learn2play/poisoner", "--method", "memory", "--out", tmp_path / "r", "--estimate"]
    code, out, _ = evoplay(*command, "--price-for", "openai/gpt-4o-mini", "--json")
    assert code == 0
    data = json.loads(out)["methods"]["memory"]
    assert data["calls"] > 0
    assert data["usd"]["openai/gpt-4o-mini"][0] <= data["usd"]["openai/gpt-4o-mini"][1]
    assert "nothing cached" in evoplay(*command, "--price-for", "openai/gpt-4o-mini")[1]
    assert not (tmp_path / "r").exists()
