"""What the program reports of a run, against the same figures computed from its log without the program."""

import contextlib
import csv
import io
import json
import math
import random
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evoplay
from evoplay.evaluation import transfer
from evoplay.evaluation.behaviour import behaviour
from evoplay.evaluation.cli import main
from evoplay.evaluation.config import make_config
from evoplay.evaluation.discovery import discovery
from evoplay.evaluation.report import write_report
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.runner import Run
from evoplay.evaluation.spending import equal_spend
from evoplay.evaluation.summary import as_dict, summarise
from evoplay.methods.backbones.base import Backbone, CallFailed, Completion, LimitReached, Usage
from evoplay.methods.backbones.registry import open_backbone

from . import from_the_log as log

# --- what plays -----------------------------------------------------------------------------------------------------


class Wayward(Backbone):
    """The simulated learner at made-up prices: refused, retried, served from a cache, and failing, now and then.

    It fails from the third episode on. What insights cost nobody knows. After `enough` calls the run stops.
    """

    name = "sim/learner"
    simulated = True
    context_window = 4000

    def __init__(self, enough=None):
        self.inner, self.left = open_backbone("sim/learner"), enough

    def complete(self, messages, *, purpose, seed, where="", **options):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise LimitReached("enough")
        rng = random.Random(f"{where} {purpose}")
        late = re.search(r"(episode |/e0?)[3-9]", where)
        if rng.random() < (0.2 if purpose == "insight" else 0.015) and late:
            usage = Usage(90, 5, source="counted")
            raise CallFailed("no answer", kind="timeout", attempts=3, retries=("t", "t"), usage=usage, usd=0.01)
        found = self.inner.complete(messages, purpose=purpose, seed=seed, where=where, **options)
        usage, text = found.usage, found.text
        if rng.random() < 0.5:
            shares = {"cached": usage.input // 2, "cache_write": usage.input // 8, "reasoning": usage.output // 3}
            usage = replace(usage, source="provider", **shares)
        if rng.random() < 0.05:
            usage = replace(usage, cached=usage.input, flags=("cached and cache-written exceed input",))
        if purpose == "act" and rng.random() < 0.06:
            text = "Action: dance"
        usd = None if purpose == "insight" else 1e-6 * usage.input + 4e-6 * usage.output
        again = {"attempts": 2, "retries": ("timeout",)} if rng.random() < 0.05 else {}
        return replace(found, text=text, usage=usage, usd=usd, **again)


class Explorer(Backbone):
    """Probes, submits and answers at random, some episodes more than others; some batches and windows it cannot use."""

    name = "explorer"
    context_window = 16_000

    def complete(self, messages, *, purpose, seed, where="", **options):
        rng, whole = random.Random(where + purpose), random.Random(where.partition(" step")[0])
        eager, clumsy, text = whole.random() ** 0.5, whole.randrange(1, 13), messages[-1].content
        if whole.random() < 0.1 and "step 9" in where:
            raise CallFailed("no answer", kind="timeout")
        if purpose == "aside":
            return self.said(self.assess(rng, "\n".join(message.content for message in messages)))
        window, batch = text.rfind("Exploration window"), text.rfind("is open. Choose an action")
        number = int(re.findall(r"(?:window|Batch) (\d+)", text[: max(window + 25, batch)])[-1])
        if number == clumsy:
            return self.said("Action: submit a9" if batch > window else "Action: probe {}")
        if batch > window:
            return self.said("Action: submit " + " ".join(rng.choice(("a0", "a1", "a2", "a3")) for _ in range(5)))
        case = json.loads(re.findall(r"- probe (\{.*\})  \(", text)[-1])
        if rng.random() > 0.8 * eager:
            return self.said("Action: next")
        case[sorted(case)[0]] += rng.randrange(3)
        return self.said(f"Action: probe {json.dumps(case)}")

    @staticmethod
    def said(text):
        return Completion(text, Usage(100, len(text), source="counted"), usd=0.0)

    @staticmethod
    def assess(rng, text):
        names = re.findall(r"- (\w+): \S+ to ", text)
        named = {name: rng.choice("+-") for name in sorted(set(names)) if rng.random() < 0.5}
        answer = json.dumps({"factors": named})
        return rng.choice(
            [answer, answer, f"By what I saw:\n{answer}\nis my answer.", "I do not know.", '{"factors": ']
        )


def play(backbone, out, **config):
    """A run's folder, references included."""
    run = Run(make_config({"seed": 1, "out": str(out), **config}), backbone)
    run.execute(run.prepare())
    assert evoplay.load(out).references
    return out


def command(*arguments):
    """What `evoplay ...` prints."""
    out = io.StringIO()
    argv = ["evoplay", *map(str, arguments)]
    with mock.patch.object(sys, "argv", argv), contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main()
    return out.getvalue()


def number(text):
    """A cell of a table: a number, a text, or None for an empty one."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


def look_at(folder):
    """A run as both sides see it: the program's JSON and tables, and what stands in the log."""
    found = SimpleNamespace(folder=folder, run=evoplay.load(folder), log=log.read_run(folder), tables={})
    found.json = json.loads(command("report", folder, "--json"))
    for path in write_report(found.run).tables.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            found.tables[path.stem] = [
                {name: cell if name == "cell" else number(cell) for name, cell in row.items()} for row in rows
            ]
    return found


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Four games, one with an unscored episode, two of them challenge games; stopped once and resumed."""
    out = tmp_path_factory.mktemp("log") / "games"
    config = {
        "env": [f"learn2play/{game}" for game in ("gemforge", "poisoner", "redeye", "catnip")],
        "method": ["naive", "memory", "expel", "policy/random"],
        "episodes": 5,
        "trials": 3,
        "max_steps": 14,
    }
    play(Wayward(enough=300), out, **config, concurrency=1)
    return look_at(play(Wayward(), out, **config))


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    out = tmp_path_factory.mktemp("log") / "frozen"
    games = ["learn2play/poisoner", "learn2play/redeye"]
    config = {"env": games, "method": ["naive", "memory"], "episodes": 4, "trials": 3, "freeze_after": 2}
    return look_at(play(Wayward(), out, **config))


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """AdaExplore with probes, re-probes and assessments of all kinds; some episodes end before their time."""
    out = tmp_path_factory.mktemp("log") / "drifting"
    tasks = ["adaexplore/finance/credit-line", "adaexplore/cybersecurity/login-risk"]
    config = {"env": tasks, "method": ["naive", "best-episode", "policy/prior"], "episodes": 4, "trials": 2}
    return look_at(play(Explorer(), out, **config, max_steps=44))


def agree(mine, theirs, *where):
    """Both sides say the same, to nine digits; of two dicts, what the first one has."""
    if isinstance(mine, dict):
        for name, value in mine.items():
            agree(value, theirs[name], *where, name)
    elif isinstance(mine, (list, tuple)):
        assert theirs is not None, (where, mine)
        for at, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            agree(one, other, *where, at)
    elif isinstance(mine, float) and math.isnan(mine):
        assert theirs is None or math.isnan(theirs), (*where, mine, theirs)
    elif isinstance(mine, (int, float)) and not isinstance(theirs, (str, type(None))):
        assert math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-11), (*where, mine, theirs)
    else:
        assert mine == theirs, (*where, mine, theirs)


def as_row(found, name):
    """An estimate as a table writes it."""
    low, high = found.ci or (None, None)
    return {name: found.mean, f"{name}_sd": found.sd, f"{name}_low": low, f"{name}_high": high}


# --- the computation itself -----------------------------------------------------------------------------------------


def test_worked_examples():
    z = [10.0, 30.0, 20.0, 60.0]
    assert [log.figure(metric, z, [1, 2, 3, 4]) for metric in log.METRICS] == [60, 30, 20, 14]
    utilities = [1.0, 0.6, 0.2, -0.2]
    assert (log.exact(utilities, 1), log.exact(utilities, 0)) == (0, 100)
    assert log.calibrated(utilities, 1) == pytest.approx(100 / 3)
    assert log.distance(list("kitten"), list("sitting")) == 3


def test_nothing_of_evoplay_is_imported():
    assert "import evoplay" not in Path(log.__file__).read_text(encoding="utf-8")
    assert "from evoplay" not in Path(log.__file__).read_text(encoding="utf-8")


# --- scores ---------------------------------------------------------------------------------------------------------


def check_scores(run, report):
    """Metrics with spread and interval, by game and in all, counts, curves, and differences to the baseline."""
    for name in run.contenders:
        row = report["methods"][name]
        for metric in log.METRICS:
            samples = log.by_trial(run, name, metric)
            found = log.estimate(run, samples)
            agree({"mean": found.mean, "sd": found.sd, "ci": found.ci}, row[metric], name, metric)
            for (env, seed), values in samples.items():
                by_game = row["games"].get(f"{env}@{seed}", dict.fromkeys(log.METRICS))
                agree(log.known(log.mean_of(values)), by_game[metric], name, env, metric)
        agree([log.known(value) for value in log.curve(run, name)], row["curve"], name, "curve")
        lost = log.losses(run, name)
        agree({"planned": lost["planned"], "missing": lost["failed"], "capped": lost["capped"]}, row, name)
        assert row["episodes"] == lost["played"] - lost["failed"]
    for name, by_metric in log.pairs(run, report["baseline"]).items():
        agree(by_metric, report["pairs"][f"{name} - {report['baseline']}"], name)


@pytest.mark.parametrize("which", ["seen", "frozen", "drifting"])
def test_scores_of_a_run(which, request):
    run = request.getfixturevalue(which)
    check_scores(run.log, run.json)


def test_the_run_shows_what_is_to_be_seen(seen, drifting):
    """Failed, capped and resumed episodes, refused actions, forced and unanswered cases: else little is compared."""
    lost = [log.losses(seen.log, name) for name in seen.log.contenders]
    for what in ("failed", "capped", "failed_calls", "lost_updates", "retried", "flagged", "drops"):
        assert sum(row[what] for row in lost) > 0, what
    texts = [path.read_text(encoding="utf-8") for path in seen.folder.glob("cells/*/*/*.jsonl")]
    assert sum(text.count('"resumed"') for text in texts) == 1
    assert all(log.behaviour(seen.log.of(name))["refused"] for name in ("naive", "memory", "expel"))
    episodes = log.explorations(drifting.log, "naive")
    assert all(log.counted(episodes).values())
    assert len({log.reprobes(one) for one in episodes}) > 2
    assert {log.drifted(one) for one in episodes} == {True, False}
    assert seen.log.info["envs"]["learn2play/redeye"]["challenge"]
    assert log.numbers(seen.log, next(game for game in seen.log.games if "redeye" in game[0])) == [2, 3, 4, 5]


def test_tables_of_scores(seen):
    run, tables = seen.log, seen.tables
    rows = iter(tables["games"])
    for game in run.games:
        for name in run.contenders:
            figures = {metric: log.mean_of(log.by_trial(run, name, metric)[game]) for metric in log.METRICS}
            agree({"method": name} | figures, next(rows), game)
    for name, row in zip(run.contenders, tables["methods"], strict=True):
        for metric in log.METRICS:
            agree(as_row(log.estimate(run, log.by_trial(run, name, metric)), metric), row, name)
    pairs = log.pairs(run, "naive")
    for row in tables["differences"]:
        found = pairs[row["method"]][row["metric"].lower()]
        low, high = found["ci"] or (None, None)
        agree({"difference": found.pop("mean"), "low": low, "high": high}, row, row["method"])
        agree({name: value for name, value in found.items() if name != "ci"}, row, row["method"], row["metric"])


def test_tables_for_notebooks(seen):
    run, metrics = seen.log, evoplay.metrics(seen.run)
    for name in run.contenders:
        spent = log.spent(log.calls_of(run, name))
        for metric in log.METRICS:
            found, row = log.estimate(run, log.by_trial(run, name, metric)), metrics.loc[(name, metric)]
            mine = (found.sd, *(found.ci or (None, None)))
            agree([log.NAN if one is None else one for one in mine], row[["sd", "low", "high"]], name, metric)
            agree([found.mean, spent["calls"], spent["total"]], row[["mean", "calls", "tokens"]])
        agree(log.curve(run, name), evoplay.curves(seen.run)[name], name)
    for name, by_metric in log.pairs(run, "memory").items():
        table = evoplay.compare(seen.run, name, "memory")
        for metric, found in by_metric.items():
            mine = [found["mean"], found["won"], found["lost"], found["tied"]]
            agree(mine, table.loc[metric, ["difference", "won", "lost", "tied"]], name, metric)


def test_curves_with_bands(seen):
    run = seen.log
    for name in run.contenders:
        rows = [row for row in seen.tables["curves"] if row["method"] == name]
        agree(log.curve(run, name), [row["z"] for row in rows], name)
        for z, found, row in zip(log.curve(run, name), log.bands(run, name), rows, strict=True):
            half = None if found is None else (found[1] - found[0]) / 2
            agree((None, None) if half is None else (z - half, z + half), (row["low"], row["high"]), name)
    rows = iter(seen.tables["game_curves"])
    for game in run.games:
        for name in run.contenders:
            for episode, column in zip(log.numbers(run, game), log.z_rows(run, name, game).T, strict=True):
                found = log.over_episodes(list(column))
                low, high = found["ci"] or (None, None)
                agree({"method": name, "episode": episode, "z": found["mean"], "low": low, "high": high}, next(rows))


def test_trials_and_losses(seen):
    for row in seen.tables["losses"]:
        agree(log.losses(seen.log, row["method"]), row, row["method"])
    for trial, row in zip(seen.log.trials, seen.tables["trials"], strict=True):
        z = log.present(episode.z for episode in trial.episodes)
        agree({"best": max(z, default=None), "mean_z": log.known(log.mean_of(z)), "cell": trial.id}, row)
        agree({"episodes": len(trial.episodes), "failed": len(trial.episodes) - len(log.played(trial))}, row)
        agree({"capped": sum(episode.capped for episode in trial.episodes)}, row)


def test_trials_for_power(seen):
    for effect in (2, 4, 25):
        found = json.loads(command("power", seen.folder, "--difference", effect, "--metric", "mean", "--json"))
        for name in ("memory", "expel", "policy/random"):
            trials = found[name]
            assert log.power(seen.log, name, "naive", "mean", effect, trials) > 0.7999
            assert trials == 2 or log.power(seen.log, name, "naive", "mean", effect, trials - 1) < 0.8001


def test_frozen_memory(frozen):
    for row in frozen.tables["frozen"]:
        for part, found in log.frozen(frozen.log, row["method"]).items():
            agree(as_row(found, part), row, row["method"])


def test_transfer(tmp_path):
    config = {"env": ["learn2play/poisoner", "learn2play/hauntedinn"], "episodes": 4, "trials": 3}
    config |= {"method": ["naive", "policy/random"], "max_steps": 12}
    for name in ("control", "reshuffled"):
        play(Wayward(), tmp_path / name, **config, episode_mode=name)
    runs = [tmp_path / name for name in ("control", "reshuffled")]
    data = transfer.compare(*map(evoplay.load, runs))
    control, reshuffled = map(log.read_run, runs)
    for name in control.contenders:
        for part, by_condition in log.transfer(control, reshuffled, name).items():
            row = data["methods"][name]
            theirs = row["all"] if part == "all" else next(row["games"][key] for key in row["games"] if part in key)
            for condition, found in by_condition.items():
                agree({"mean": found.mean, "ci": found.ci}, theirs[condition], name, part, condition)
            agree(by_condition["drop"].p, theirs["drop"]["p"], name, part)
    assert data["missing"] == {
        "control": sum(log.losses(control, name)["failed"] for name in control.contenders),
        "reshuffled": sum(log.losses(reshuffled, name)["failed"] for name in control.contenders),
    }


# --- behaviour, rules -----------------------------------------------------------------------------------------------


def test_behaviour(seen, frozen, drifting):
    for run in (seen, frozen, drifting):
        for row in run.tables["behaviour"]:
            check_behaviour(run.log.of(row["method"]), row)
        for trial, row in zip(run.log.trials, run.tables["behaviour_trials"], strict=True):
            check_behaviour([trial], row)


def check_behaviour(trials, row):
    agree(log.behaviour(trials), row, row["method"])


def test_rules_by_trial_and_over_trials(seen):
    """Grades are the graders'; what is made of them is computed again."""
    grades, names = {}, seen.log.contenders
    for row in seen.tables["rules_trials"]:
        grades.setdefault((row["game"], row["rule"]), {}).setdefault(row["method"], []).append(row["grade"])
    cells = {key: {name: log.grid_cell(by_method[name]) for name in names} for key, by_method in grades.items()}
    for row in seen.tables["rules"]:
        for at, name in enumerate(names):
            best, complete = cells[row["game"], row["rule"]][name]
            assert row[f"grade_{at}"] == f"{best} {complete}/3"
    for row in seen.tables["rules_methods"]:
        best = [cell[row["method"]][0] for cell in cells.values()]
        agree({"complete": best.count("S"), "partial": best.count("P"), "none": best.count("−")}, row)
        agree(100 * best.count("S") / len(best), row["share"])
    for env, by_method in discovery(seen.run).items():
        for name, by_rule in by_method.items():
            for rule, cell in by_rule.items():
                best, complete = cells[env.rpartition("/")[2], rule][name]
                assert (cell["grade"].replace("-", "−"), cell["S"]) == (best, complete)


def test_claims_are_counted(seen):
    found = {}
    for row in seen.tables["claims_methods"]:
        found.setdefault(row["method"], {})[row["kind"]] = row["claims"]
    assert found == {name: dict(count) for name in seen.log.contenders if (count := log.claim_counts(seen.log, name))}


# --- cost -----------------------------------------------------------------------------------------------------------


def test_cost(seen):
    run = seen.log
    for name in run.contenders:
        row, found = seen.json["methods"][name]["cost"], log.spent(log.calls_of(run, name))
        agree({"calls": found["calls"], "failed_calls": found["failed"], "usd": found["usd"]}, row, name)
        agree({"unpriced_calls": found["unpriced"]}, row, name)
        agree({kind: found[kind] for kind in log.KINDS}, row["tokens"], name)
        for purpose, spent in log.by_purpose(run, name).items():
            agree({kind: spent[kind] for kind in ("calls", "input", "output")}, row["by_purpose"][purpose], name)
            table = [one for one in seen.tables["tokens"] if (one["method"], one["purpose"]) == (name, purpose)]
            agree({key: spent[key] for key in table[0] if key in spent}, table[0], name, purpose)
    assert seen.json["methods"]["expel"]["usd"] is None
    assert seen.json["methods"]["memory"]["usd"] > 0


def test_cached_input(seen):
    for row in seen.tables["cache"]:
        agree(log.cache_shares(seen.log, row["method"]), row, row["method"])
    assert all(row["billed"] for row in seen.tables["cache"][:3])


def test_the_frontier(seen):
    run = seen.log
    rows = {row["method"]: row for row in seen.tables["frontier"]}
    for name, row in rows.items():
        agree({f"{unit}_an_episode": value for unit, value in log.an_episode(run, name).items()}, row, name)
    for unit in ("tokens", "usd"):
        points = {
            name: (log.estimate(run, log.by_trial(run, name, "max")).mean, log.an_episode(run, name)[unit])
            for name in ("naive", "memory", "expel")
        }
        on_it = log.frontier(points)
        for name, (_, cost) in points.items():
            expected = "yes" if name in on_it else "unpriced" if cost is None else "no"
            assert rows[name][f"frontier_{unit}"] == expected


@pytest.mark.parametrize("unit", ["tokens", "usd"])
def test_equal_spend(seen, frozen, drifting, unit):
    for run in (seen, frozen, drifting):
        for name in run.log.contenders:
            found, rows = log.equal_spend(run.log, name, unit), equal_spend(run.run, name, unit)
            if found is None:
                assert (rows, name) == ([], "expel")
                continue
            agree(found, rows, name)
            if (table := run.tables.get(f"equal_spend_{unit}")) is not None:
                agree(found, [row for row in table if row["method"] == name], name)


# --- exploration and drift ------------------------------------------------------------------------------------------


def test_exploration(drifting):
    run = drifting.log
    for name in run.contenders:
        row, episodes = drifting.json["methods"][name]["exploration"], log.explorations(run, name)
        check_exploration(episodes, row, name)
        for family, mine in row["families"].items():
            check_exploration([one for one in episodes if one.facts["family"] == family], mine, name, family)
        assert set(row["families"]) == {one.facts["family"] for one in episodes}


def check_exploration(episodes, row, *where):
    figures = [log.exploration(one) for one in episodes]
    for figure in figures[0].keys() & row.keys():
        agree(log.over_episodes([one[figure] for one in figures]), row[figure], *where, figure)
    assert len(figures[0].keys() & row.keys()) == 13
    agree(log.counted(episodes), row, *where)
    curves = [log.aligned(one) for one in episodes]
    offsets = sorted({offset for one in curves for offset in one})
    assert [int(offset) for offset in row["aligned_ca"]] == offsets
    for offset in offsets:
        mine = log.over_episodes([one[offset] for one in curves if offset in one])
        agree(mine, row["aligned_ca"][str(offset)], *where, offset)
    for batch, theirs in enumerate(row["ca_by_batch"], start=1):
        agree(log.over_episodes([log.batch_ca(one, batch) for one in episodes]), theirs, *where, batch)


def test_re_probing_and_change_recognition(drifting):
    found = log.correlations(drifting.log)
    for row in drifting.tables["adaexplore_correlations"]:
        mine = found.get(row["method"], found["pooled"])
        agree(mine["reprobes"], (row["count_rho"], row["count_p"], row["n"]), row["method"])
        agree(mine["rate"][:2], (row["rate_rho"], row["rate_p"]), row["method"])
    assert found["pooled"]["reprobes"][1] is not None


def test_settings_are_compared_by_episode(drifting, tmp_path):
    config = {"env": drifting.run.info["config"]["env"], "method": ["naive"], "episodes": 4, "trials": 2}
    for setting in ("default", "stationary"):
        play(Explorer(), tmp_path / setting, **config, max_steps=44, env_options={"setting": setting})
    ca = [calibrated_by_episode(tmp_path / setting) for setting in ("default", "stationary")]
    found = log.paired(*ca)
    low, high = found["ci"]
    said = f"all: CA {found['mean']:+.2f} ({low:+.2f} to {high:+.2f}; p {found['p']:.2g}, "
    said += f"Wilcoxon p {found['wilcoxon']:.2g}; n {found['n']})"
    compared = command("adaexplore", "compare", tmp_path / "default", tmp_path / "stationary")
    assert compared.splitlines()[-1] == said
    still = look_at(tmp_path / "stationary")
    check_exploration(log.explorations(still.log, "naive"), still.json["methods"]["naive"]["exploration"], "stationary")


def calibrated_by_episode(folder):
    """CA of the episodes of a run that did not fail."""
    return {
        (trial.env, trial.seed, trial.number, episode.number): log.exploration(log.explored(episode))["ca"]
        for trial in log.read_run(folder).trials
        for episode in log.played(trial)
    }


# --- logs made up ---------------------------------------------------------------------------------------------------

GAMES = {"one": False, "two": True, "three": False}
SCORES = st.integers(-40, 120).map(lambda score: None if score < -20 else score)


def write_log(folder, games, references, scores):
    """A run's folder: `references` by game and seed, `scores` by game, seed, contender and trial.

    None: the episode failed. Episodes that are not there have not been played yet.
    """
    contenders = list(dict.fromkeys(contender for _, _, contender, _ in scores))
    episodes = len(next(iter(references.values())))
    cells = [Cell(*key) for key in scores]
    for cell, row in zip(cells, scores.values(), strict=True):
        path = folder / "cells" / f"{cell.path}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(event) + "\n" for event in events_of(cell, row)), encoding="utf-8")
    env = {"title": "", "suite": "made", "kind": "fixed", "episodes": episodes, "rules_version": 1}
    played = {"seed": 1, "episode_mode": "reshuffled", "env_options": {}, "hide_actions": False}
    info = {
        "schema": 1,
        "config": played | dict.fromkeys(("budget_tokens", "freeze_after", "max_steps")),
        "envs": {name: env | {"challenge": hard} for name, hard in games.items()},
        "contenders": [{"label": name, "method": name, "options": {}, "policy": None} for name in contenders],
        "cells": [
            {"id": cell.id, "path": cell.path, "env": cell.env_id, "seed": cell.seed}
            | {"contender": cell.contender, "trial": cell.trial}
            for cell in cells
        ],
        "backbone": {"name": "none", "simulated": True, "context_window": None, "price": None},
        "versions": {},
        "created": 0,
    }
    values = {}
    for (name, seed), row in references.items():
        values.setdefault(name, {})[seed] = {at: {"value": value} for at, value in enumerate(row, start=1)}
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    (folder / "references.json").write_text(json.dumps(values), encoding="utf-8")
    return folder


def events_of(cell, scores):
    """A trial's events: a few actions an episode, a call before each."""
    rng, events = random.Random(cell.path), [{"type": "opened", "schema": 1}]
    for episode, score in enumerate(scores, start=1):
        events.append({"type": "episode_started", "episode": episode, "at": 0, "opening": ""})
        steps = rng.randrange(4) if score is None else rng.randrange(1, 5)
        for step in range(1, steps + 1):
            usage = {"input": rng.randrange(500), "output": rng.randrange(50), "source": "counted"}
            call = {"n": len(events), "purpose": "act", "episode": episode, "step": step, "seed": 1}
            call |= {"messages": [], "reply": "", "usage": usage, "usd": rng.random(), "seconds": 0, "model": ""}
            made = {"id": f"{episode}/{step}", "episode": episode, "step": step, "call": call["n"]}
            made |= {"action": rng.choice("abc"), "accepted": rng.random() < 0.8, "outcome": "", "valid": []}
            made |= {"score": 0, "visible": 0, "score_before": 0, "visible_before": 0, "done": False}
            events += [{"type": "call", **call}, {"type": "step", **made, "seconds": [0, 0]}]
        ended = {"episode": episode, "at": 0, "score": score, "steps": steps, "closing": "", "seconds": 0}
        if score is None:
            ended["error"] = "timeout: no answer"
        events.append({"type": "episode_finished", **ended, "capped": rng.random() < 0.2})
        events.append({"type": "episode_closed", "episode": episode, "state": {}})
    return events


@contextlib.contextmanager
def written(*made):
    """A log on disk, as the program and as this test reads it."""
    with tempfile.TemporaryDirectory() as place:
        folder = write_log(Path(place), *made)
        yield log.read_run(folder), evoplay.load(folder)


@st.composite
def logs(draw, fewest=1):
    """Three games, one of them with two seeds and one with an unscored first episode; two contenders."""
    episodes, trials = draw(st.integers(2, 6)), draw(st.integers(fewest, 4))
    seeds = [("one", 1), ("two", 1), ("three", 1), ("three", 2)]
    references = {game: draw(st.lists(st.integers(50, 150), min_size=episodes, max_size=episodes)) for game in seeds}
    references["two", 1][0] = 0
    row = st.lists(SCORES, min_size=draw(st.sampled_from([0, episodes, episodes])), max_size=episodes)
    scores = {
        (*game, contender, trial): draw(row)
        for game in seeds
        for contender in ("naive", "other")
        for trial in range(1, trials + 1)
    }
    return GAMES, references, scores


@settings(max_examples=25)
@given(logs())
def test_made_up_logs(made):
    with written(*made) as (mine, theirs):
        report = json.loads(json.dumps(as_dict(summarise(theirs))))
        check_scores(mine, report)
        for name in mine.contenders:
            spent = log.spent(log.calls_of(mine, name))
            agree({"calls": spent["calls"], "usd": spent["usd"]}, report["methods"][name]["cost"])
            check_behaviour(mine.of(name), {"method": name} | behaviour(theirs, name).as_dict())


def figures_of(made):
    """Every figure of z of both contenders, by the program, with both sides compared on the way."""
    with written(*made) as (mine, theirs):
        report = json.loads(json.dumps(as_dict(summarise(theirs))))
        check_scores(mine, report)
    kept = [{name: row[name] for name in (*log.METRICS, "curve", "games")} for row in report["methods"].values()]
    return kept, report["pairs"]


@settings(max_examples=10)
@given(logs(fewest=2), st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(made, rng):
    games, references, scores = made
    trials = sorted({trial for *_, trial in scores})
    order = dict(zip(trials, rng.sample(trials, len(trials)), strict=True))
    permuted = {key: scores[*key[:3], order[key[3]]] for key in scores}
    agree(figures_of(made), figures_of((games, references, permuted)))


@settings(max_examples=10)
@given(logs(), st.sampled_from(["one", "two", "three"]), st.sampled_from([0.25, 2, 3, 10]))
def test_scaling_a_game_with_its_reference_changes_nothing(made, game, factor):
    games, references, scores = made
    bigger = {key: [factor * value for value in row] if key[0] == game else row for key, row in references.items()}
    scaled = {
        key: [score if score is None else factor * score for score in row] if key[0] == game else row
        for key, row in scores.items()
    }
    agree(figures_of(made), figures_of((games, bigger, scaled)))


@settings(max_examples=10)
@given(logs(), st.data())
def test_an_episode_that_fails_is_one_less(made, data):
    games, references, scores = made
    played = [key for key, row in scores.items() if any(score is not None for score in row)]
    assume(played)
    key = data.draw(st.sampled_from(played))
    at = data.draw(st.sampled_from([at for at, score in enumerate(scores[key]) if score is not None]))
    failed = scores | {key: [None if one == at else score for one, score in enumerate(scores[key])]}
    before, _ = figures_of(made)
    with written(games, references, failed) as (mine, theirs):
        report = json.loads(json.dumps(as_dict(summarise(theirs))))
        check_scores(mine, report)
        assert report["methods"][key[2]]["missing"] == sum(
            score is None for one, row in failed.items() if one[2] == key[2] for score in row
        )
    other = next(name for name in ("naive", "other") if name != key[2])
    agree(before[("naive", "other").index(other)]["max"], report["methods"][other]["max"])


def test_the_interval_over_new_games():
    """Eleven games, one of them with two seeds: the percentiles are those of ten thousand resamples of games."""
    rng = random.Random(2)
    games = {f"game{at}": at % 3 == 0 for at in range(11)}
    seeds = [*((name, 1) for name in games), ("game3", 2)]
    scores = {
        (*game, contender, trial): [rng.randrange(100) for _ in range(5)]
        for game in seeds
        for contender in ("naive", "other")
        for trial in (1, 2, 3)
    }
    with written(games, {game: [120] * 5 for game in seeds}, scores) as (mine, theirs):
        report = as_dict(summarise(theirs))
        check_scores(mine, json.loads(json.dumps(report)))
        for name in mine.contenders:
            for metric in log.METRICS:
                samples, found = log.by_trial(mine, name, metric), report["methods"][name][metric]["games_ci"]
                agree(log.over_games(mine, samples, 10_000, seed=0), found, name, metric)
                wide = log.over_games(mine, samples, 100_000, seed=5)
                assert found == pytest.approx(wide, abs=0.04 * (wide[1] - wide[0]))
