"""Estimates before a run: what the run then takes, near it where only a part is simulated, and no guess at a price."""

import json
import math
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from evoplay.evaluation import simulation
from evoplay.evaluation.config import ConfigError, make_config, read_toml
from evoplay.evaluation.estimate import Estimate, forecast
from evoplay.evaluation.estimate_table import print_forecast, rounded
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.evaluation.simulation import READ
from evoplay.methods.backbones.base import BackboneError
from evoplay.methods.backbones.prices import PriceTable
from evoplay.methods.backbones.registry import open_backbone

from ..scripted import ScriptedBackbone
from .test_cli import evoplay  # noqa: F401

CONFIGS = Path(__file__).parents[2] / "configs"
SETTINGS = {
    "env": "learn2play/hauntedinn", "method": ["naive", "memory", "policy/solver"], "episodes": 6, "trials": 2,
}  # fmt: skip
WIDE = ["openai/gpt-5.6-terra", "anthropic/claude-sonnet-5-5"]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def only(found):
    """The one part of an estimate."""
    (part,) = found.parts
    return part


# --- against the run ------------------------------------------------------------------------------------------


def test_a_small_run_is_estimated_as_what_it_takes(tmp_path):
    config = make_config({**SETTINGS, "out": str(tmp_path / "r")})
    found = only(forecast(config))
    run = Run(config, open_backbone("sim/learner"))
    run.execute(run.prepare())
    calls = load(config.out).calls
    for method in ("naive", "memory"):
        mine = calls[calls["contender"] == method]
        estimate = found.methods[method]
        # It was played in pieces, each going on from a log: to the same end.
        assert (estimate.calls, estimate.input, estimate.output) == (
            len(mine),
            mine["input"].sum(),
            mine["output"].sum(),
        )
        assert (estimate.simulated, estimate.planned, estimate.digits) == (12, 12, 3)
    assert found.methods["policy/solver"] == Estimate()
    assert found.episodes == 36


def test_the_figures_do_not_depend_on_processes(tmp_path, monkeypatch):
    config = make_config({**SETTINGS, "episodes": 3, "out": str(tmp_path / "r")})
    here = forecast(config)
    monkeypatch.setattr(simulation, "ALONE", 0)
    assert forecast(config).as_dict() == here.as_dict()


# naive holds nothing and is flat, memory grows to the end, reflexion is full after three episodes, evidence fills up
# and then turns over. In the first runs trials of some games are left at their first episodes, in the second one whole
# seeds are left out, and episodes differ in length.
PARTS = {
    "games": (
        {
            "env": [f"adaexplore/{task}" for task in ("finance/credit-line", "healthcare/sepsis-ward")]
            + [f"adaexplore/{task}" for task in ("cybersecurity/login-risk", "manufacturing/batch-reactor")],
            "method": ["naive", "memory", "reflexion"],
            "episodes": 16,
            "max_steps": 10,
        },
        0.4,
        {"calls": 0.05, "input": 0.15, "cacheable": 0.15, "output": 0.2},
    ),
    "seeds": (
        {
            "env": ["learn2play/gemforge", "learn2play/dungeon"],
            "env_seeds": "1..4",
            "method": ["memory", "evidence"],
            "episodes": 8,
        },
        0.6,
        {"calls": 0.25, "input": 0.25, "cacheable": 0.25, "output": 0.25},
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_stands_for_the_whole(name, tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "ALONE", math.inf)
    settings, share, near = PARTS[name]
    config = make_config({**settings, "trials": 1, "seed": 1, "out": str(tmp_path / "r")})
    whole = only(forecast(config, limit=math.inf))
    assert whole.all.simulated == whole.all.planned
    work = whole.all.calls + whole.all.input / READ
    part = only(forecast(config, limit=share * work))
    assert part.all.simulated <= share * part.all.planned + 16
    for method, truth in whole.methods.items():
        found = part.methods[method]
        assert found.simulated < found.planned
        assert found.digits < 3
        for name, off in near.items():
            assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=off), (method, name)


def test_a_trial_that_cannot_go_on_is_no_estimate(evoplay, tmp_path):  # noqa: F811
    file = tmp_path / "mine.py"
    file.write_text(
        "from evoplay import Method\n\n\nclass Mine(Method):\n    name = 'mine'\n\n"
        "    def end_episode(self, episode):\n        raise KeyError('lost')\n"
    )
    code, _, err = evoplay(
        "run", "--env", "learn2play/gemforge", "--method", f"{file}:Mine", "--out", tmp_path / "r", "--estimate"
    )
    assert code == 2
    assert "no estimate" in err
    assert "raised in end_episode" in err
    assert err.count("\n") == 1


# --- windows --------------------------------------------------------------------------------------------------


def test_prompts_stay_in_the_window_of_the_model_that_is_named(tmp_path):
    config = make_config({**SETTINGS, "trials": 1, "out": str(tmp_path / "r")})
    wide, narrow = forecast(config, ["openai/gpt-4", *WIDE]).parts
    assert (list(wide.prices), list(narrow.prices)) == (WIDE, ["openai/gpt-4"])
    assert wide.longest > 4096
    assert narrow.budget == 4096  # 8,192 less 4,096 for the reply
    assert narrow.longest < 1.01 * 4096
    assert narrow.methods["memory"].input < wide.methods["memory"].input
    assert only(forecast(config.model_copy(update={"reply_tokens": 2000}), ["openai/gpt-4"])).budget == 6192
    assert only(forecast(config.model_copy(update={"budget_tokens": 2000}), ["openai/gpt-4"])).budget == 2000


def test_a_window_that_replies_fill_is_refused_as_in_a_run(tmp_path):
    config = make_config({**SETTINGS, "reply_tokens": 8000, "out": str(tmp_path / "r")})
    said = r"openai/gpt-4: a window of 8,192 tokens leaves 192 .*--reply-tokens"
    with pytest.raises(ConfigError, match=said):
        forecast(config, ["openai/gpt-4"])
    backbone = ScriptedBackbone(lambda messages, purpose: "Action: status")
    backbone.name, backbone.context_window, backbone.reply_tokens = "openai/gpt-4", 8192, 8000
    with pytest.raises(ConfigError, match=said):
        Run(config, backbone).prepare()
    assert not (tmp_path / "r").exists()


# --- prices ---------------------------------------------------------------------------------------------------


def test_a_price_nobody_knows_is_not_guessed(tmp_path):
    file = tmp_path / "prices.toml"
    file.write_text('["openai/mine"]\ninput = 2.0\noutput = 8.0\ncached = 0.5\n')
    config = make_config({**SETTINGS, "prices": str(file), "backbone": "openai/mine"})
    found = only(forecast(config, ["openai/mine", "openai/nobody-knows"]))
    usd = found.as_dict()["methods"]["memory"]["usd"]
    assert usd["openai/nobody-knows"] is None
    cheap, dear = usd["openai/mine"]
    memory = found.methods["memory"]
    assert dear == pytest.approx((2 * memory.input + 8 * memory.output) / 1e6)
    assert cheap == pytest.approx(dear - 1.5 * memory.cacheable / 1e6)


def test_dear_long_prompts_are_priced_call_by_call():
    price = PriceTable().price("gemini/gemini-2.5-pro")
    many_short = Estimate(calls=100, input=100 * 1000, output=0)
    assert many_short.usd(price)[1] == pytest.approx(100 * 1000 * price.rates.input)
    few_long = Estimate(calls=100, input=100 * 300_000, output=0)
    assert few_long.usd(price)[1] == pytest.approx(100 * 300_000 * price.tiers[0][1].input)


def test_nothing_that_is_paid_for_is_asked(tmp_path):
    config = make_config(
        {**SETTINGS, "method": "evidence", "episodes": 2, "backbone": "openai/gpt-4o"}
        | {"embeddings": "openai/text-embedding-3-small", "out": str(tmp_path / "r")}
    )
    found = forecast(config)
    assert only(found).methods["evidence"].calls > 0
    assert found.without == "openai/text-embedding-3-small"


@pytest.mark.parametrize("name", ["blah", "openai-gpt-5", "sim/lerner", "policy/solvr", "nowhere.py:Mine"])
def test_a_model_that_is_none_is_refused_as_in_a_run(name, evoplay, tmp_path):  # noqa: F811
    command = ["run", "--env", "learn2play/poisoner", "--method", "naive", "--out", tmp_path / "r", "--backbone", name]
    refused = evoplay(*command)
    assert evoplay(*command, "--estimate") == refused
    assert refused[0] == 2
    assert refused[2].count("\n") == 1
    code, _, err = evoplay(*command[:-2], "--estimate", "--price-for", name)
    assert (code, err) == (2, refused[2])
    with pytest.raises(BackboneError):
        forecast(make_config({**SETTINGS, "backbone": name}), ["openai/gpt-4o"])


# --- what is printed ------------------------------------------------------------------------------------------


def test_the_command_plays_nothing(evoplay, tmp_path):  # noqa: F811
    command = ["run", "--env", "learn2play/poisoner", "--method", "memory", "--out", tmp_path / "r", "--estimate"]
    code, out, _ = evoplay(*command, "--price-for", "openai/gpt-4o-mini", "--json")
    assert code == 0
    (estimate,) = json.loads(out)["estimates"]
    data = estimate["methods"]["memory"]
    assert data["calls"] > 0
    assert data["usd"]["openai/gpt-4o-mini"][0] <= data["usd"]["openai/gpt-4o-mini"][1]
    assert "nothing cached" in evoplay(*command, "--price-for", "openai/gpt-4o-mini")[1]
    assert not (tmp_path / "r").exists()


def test_what_is_free_and_what_is_unpriced_are_told_apart(evoplay, tmp_path):  # noqa: F811
    command = ["run", "--env", "learn2play/poisoner", "--method", "naive", "--episodes", 2, "--out", tmp_path / "r"]
    out = evoplay(*command, "--estimate")[1]
    assert "sim/learner: free" in out
    assert "unpriced" not in out
    code, out, _ = evoplay(*command, "--backbone", "openai/nobody-knows", "--estimate")
    assert code == 0
    assert "openai/nobody-knows: unpriced; give a table with --prices" in out
    (estimate,) = json.loads(evoplay(*command, "--estimate", "--json")[1])["estimates"]
    assert estimate["methods"]["naive"]["usd"] == {"sim/learner": [0.0, 0.0]}


def test_the_table_says_what_its_figures_rest_on(capsys, tmp_path):
    config = make_config({**SETTINGS, "method": ["naive", "memory"], "episodes": 4, "trials": 3, "out": str(tmp_path)})
    print_forecast(forecast(config, limit=0))
    out = capsys.readouterr().out
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith(" ") and line.strip()}
    assert "2 of 12" in rows["memory"]
    assert "4 of 24" in rows["all"]
    assert "24 episodes, 4 of them played in advance by sim/learner (simulated), the others continued" in out
    assert all(set(figure.lstrip("123456789")) <= set("0,") for figure in rows["memory"].split()[4:])


def test_figures_are_rounded_to_what_is_known():
    assert [rounded(123_456, digits) for digits in (1, 2, 3)] == ["100,000", "120,000", "123,000"]
    assert [rounded(value, 3) for value in (0, 0.012345, 9.996, 45.67)] == ["0", "0.0123", "10.0", "45.7"]
    assert rounded(7, 3, whole=True) == "7"


# --- the run files' own estimates -----------------------------------------------------------------------------


def header(path):
    """The estimate in a run file's head: the command's words, and what it printed."""
    text = path.read_text(encoding="utf-8")
    lines = [line.removeprefix("#").removeprefix(" ") for line in text.splitlines() if line.startswith("#")]
    asked = re.search(r"^ +(evoplay run \S+ --estimate (?:.*\\\n)*.*)$", "\n".join(lines), re.MULTILINE)
    if asked is None:
        return None
    at = next(number for number, line in enumerate(lines) if line.startswith(" method"))
    return shlex.split(asked[1].replace("\\\n", " ")), [line.rstrip() for line in lines[at:]]


ESTIMATED = [path for path in sorted(CONFIGS.glob("*.toml")) if header(path)]


def test_there_are_run_files_with_an_estimate():
    assert {path.stem for path in ESTIMATED} == {"adaexplore-default", "learn2play-methods"}


@pytest.mark.parametrize("path", ESTIMATED, ids=lambda path: path.stem)
def test_a_run_files_estimate_is_of_its_methods_and_models(path):
    words, printed = header(path)
    config = make_config(read_toml(path))
    assert words[:3] == ["evoplay", "run", f"configs/{path.name}"]
    models = [model for option, model in pairwise(words) if option == "--price-for"]
    methods = [row.label for row in config.contenders()]
    rows = [line.split()[0] for line in printed if line.startswith(" ") and " ─" not in line]
    expected = [*methods, "all"] if len(methods) > 1 else methods
    assert rows == [row for _ in range(2) for row in ("method", *expected)]
    for model in models:
        price = PriceTable().price(model)
        assert price is not None
        assert f"{model}: {price}" in printed
    told = re.search(r"([\d,]+) (?:evaluation )?episodes", path.read_text(encoding="utf-8"))
    assert any(line.startswith(f"{told[1]} episodes, played in advance by sim/learner (simulated)") for line in printed)


@pytest.mark.slow
@pytest.mark.parametrize("path", ESTIMATED, ids=lambda path: path.stem)
def test_a_run_files_estimate_is_what_its_command_prints(path, evoplay, monkeypatch):  # noqa: F811
    words, printed = header(path)
    monkeypatch.chdir(CONFIGS.parent)
    code, out, _ = evoplay(*words[1:])
    assert code == 0
    assert [line.rstrip() for line in out.strip("\n").splitlines() if line.strip()] == [
        line for line in printed if line
    ]
