"""Files of a run that were cut, mangled or replaced: one line that names the file, never a traceback."""

import contextlib
import io
import json
import shutil
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.evaluation.cli import main
from evoplay.evaluation.config import make_config
from evoplay.evaluation.history import read_history
from evoplay.evaluation.load import load
from evoplay.evaluation.runlog import CellLog, RunLogError, read_events
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.registry import open_backbone

GAMES = {"gems": "learn2play/gemforge", "fraud": "adaexplore/finance/card-fraud"}
TRIAL = "evidence/t1"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One trial of two methods on a game, with claims and a planted one, and on AdaExplore, with probes and a drift."""
    folder = tmp_path_factory.mktemp("runs")
    for name, env in GAMES.items():
        plant = {"plant": "gemforge"} if name == "gems" else {}
        contenders = {"method": ["evidence", "policy/random"], "episodes": 2, "trials": 1, "concurrency": 1}
        config = make_config({"env": env, "out": str(folder / name)} | contenders | plant)
        run = Run(config, open_backbone("sim/learner"))
        assert run.execute(run.prepare()).exit_code == 0
        load(config.out).references  # noqa: B018  (worked out and kept)
    return folder


@pytest.fixture
def run(runs, tmp_path):
    """A copy of a run: `run("gems")`."""
    return lambda name: shutil.copytree(runs / name, tmp_path / name)


def evoplay(*arguments):
    """Run the command line in this process: (exit code, standard output, standard error)."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["evoplay", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv = before
    return ended.value.code or 0, out.getvalue(), err.getvalue()


def log_of(folder, trial=TRIAL):
    return next(path for path in folder.rglob("*.jsonl") if path.with_suffix("").as_posix().endswith(trial))


def with_line(path, kind, change):
    """Change the first line of a kind in a log; the number of the line."""
    lines = path.read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if json.loads(line)["type"] == kind)
    lines[at] = change(lines[at])
    path.write_bytes(b"".join(lines))
    return at + 1


def set_field(name, value):
    return lambda line: json.dumps(json.loads(line) | {name: value}).encode() + b"\n"


def without(name):
    return lambda line: json.dumps({key: v for key, v in json.loads(line).items() if key != name}).encode() + b"\n"


def instead(text):
    return lambda line: text.encode() + b"\n"


LINES = [
    ("block", instead("[1]"), "it is [1], expected an object with a 'type'"),
    ("block", instead('{"a":1}'), "it has no 'type', expected a text"),
    ("block", instead('{"type":"step"}'), "the step has no 'id', expected a text"),
    ("block", instead("{]"), "no JSON: Expecting property name enclosed in double quotes at character 2"),
    ("block", instead("[" * 100_000), "no JSON that can be read"),
    ("block", lambda line: b"\xff\xfe\n", "no "),
    ("block", instead('{"type":"odd"}'), "names the block '"),
    ("block", without("text"), "the block has no 'text', expected a text"),
    ("step", set_field("call", "x"), "the step has 'x' as 'call', expected a whole number of at least 0 or null"),
    ("step", set_field("score", "5"), "the step has '5' as 'score', expected a number"),
    ("step", set_field("score", float("nan")), "the step has nan as 'score', expected a number"),
    ("step", set_field("score", 10**400), "expected a number"),
    ("step", set_field("accepted", 1), "the step has 1 as 'accepted', expected true or false"),
    ("step", set_field("seconds", [1]), "the step has [1] as 'seconds', expected a list of 2 numbers"),
    ("step", set_field("episode", 0), "the step has 0 as 'episode', expected a whole number of at least 1"),
    ("call", set_field("usage", {"input": -1}), "the call has a usage that has -1 as 'input'"),
    ("call", without("prompt"), "the call has no 'prompt' and no 'messages', expected one of them"),
    ("call", set_field("prompt", {"system": 0, "keep": 7, "add": []}), "the call keeps 7 blocks of a prompt of 0"),
    ("call", set_field("messages", [["user"]]), "as 'messages', expected a list of pairs of a role and a block"),
    ("claim", set_field("op", "forget"), "the claim has 'forget' as 'op', expected one of claim, support,"),
    ("claim", without("kind"), "the claim has no 'kind', expected a text"),
    ("episode_finished", set_field("score", None), "null as 'score', expected a number where there is no 'error'"),
    ("episode_closed", set_field("state", []), "the episode_closed has [] as 'state', expected an object"),
]


@pytest.mark.parametrize(("kind", "change", "said"), LINES)
def test_a_line_that_is_no_event_is_named_with_what_was_expected(run, kind, change, said):
    folder = run("gems")
    path = log_of(folder)
    number = with_line(path, kind, change)
    code, out, err = evoplay("report", folder, "--no-html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"evoplay: {path}, line ")
    assert said in err
    assert "restore the file, or move it away and give the run's command again" in err
    if "names the block" not in said:
        assert f"line {number}, is not an event" in err


GAPS = [
    ("episode_started", "a step of episode 1, which is not the one being played"),
    ("step", "step {cell}/e01/s002 after 0 steps of the episode"),
    ("claim", "the claim {cell}/c001 before it was made"),
    ("episode_finished", "episode 2 after 0 finished ones"),
]


@pytest.mark.parametrize(("kind", "said"), GAPS)
def test_a_line_that_is_gone_is_told_by_what_does_not_follow(run, kind, said):
    folder = run("gems")
    path = log_of(folder)
    with_line(path, kind, lambda line: b"")
    code, out, err = evoplay("report", folder, "--no-html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    cell = load(folder).find_cell(TRIAL).id
    assert f"{path} does not hang together: it has {said.format(cell=cell)}" in err


def test_what_adaexplore_tells_is_checked_and_what_others_tell_is_not(run):
    folder = run("fraud")
    path = log_of(folder, "random/t1")
    info = {"kind": "next", "forced": False, "episode": {"family": 3}}
    with_line(path, "step", set_field("info", info))
    code, _, err = evoplay("adaexplore", "figures", folder)
    assert (code, err.count("\n")) == (2, 1)
    assert f"{path} is not AdaExplore's (the episode told by step " in err
    assert "has 3 as 'family', expected a text" in err
    folder = run("gems")
    with_line(log_of(folder), "step", set_field("info", info))
    assert evoplay("report", folder, "--no-html")[0] == 0


def test_a_later_versions_events_and_fields_are_passed_over(run):
    folder = run("gems")
    before = evoplay("report", folder, "--no-html", "--json")[1]
    path = log_of(folder)
    with_line(path, "step", lambda line: set_field("mood", {"x": [1]})(line) + b'{"type":"mood","x":[1,null]}\n')
    assert evoplay("report", folder, "--no-html", "--json")[1] == before


RUN_JSON = [
    (lambda data: data.pop("cells"), "it has no 'cells', expected a list with an entry"),
    (lambda data: data.update(cells=[]), "it has [] as 'cells', expected a list with an entry"),
    (lambda data: data["cells"][1].update(seed="x"), "in its cells entry 2 has 'x' as 'seed', expected a whole number"),
    (
        lambda data: data["cells"][0].update(env="a/b"),
        "in its cells entry 1 has 'a/b' as 'env', which is not",
    ),
    (lambda data: data.update(envs=[]), "it has [] as 'envs', expected an object"),
    (
        lambda data: data["envs"]["learn2play/gemforge"].update(episodes=10**30),
        "in its envs learn2play/gemforge has 1000000000000000000000000000000 as 'episodes'",
    ),
    (lambda data: data["config"].pop("env_options"), "its config has no 'env_options', expected an object"),
    (lambda data: data["backbone"].update(simulated="no"), "its backbone has 'no' as 'simulated', expected true or"),
    (lambda data: data.pop("schema"), "it has no 'schema', expected a whole number"),
]


@pytest.mark.parametrize(("change", "said"), RUN_JSON)
def test_a_run_json_that_is_not_a_runs_is_told_with_the_fix(run, change, said):
    folder = run("gems")
    path = folder / "run.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    code, out, err = evoplay("report", folder, "--no-html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"evoplay: {path} is not a run's ({said}")
    assert "restore it, or delete it and give the run's command again" in err


def test_a_run_json_that_was_deleted_is_written_anew_by_the_runs_command(run):
    folder = run("gems")
    (folder / "run.json").unlink()
    command = ["run", "--env", GAMES["gems"], "--method", "evidence", "--method", "policy/random", "--episodes", "2"]
    code, _, err = evoplay(*command, "--trials", "1", "--plant", "gemforge", "--out", folder)
    assert (code, "nothing to do" in err) == (0, True)


def test_a_trial_that_was_moved_away_is_played_anew(run):
    folder = run("gems")
    path = log_of(folder)
    before = path.read_bytes()
    with_line(path, "step", instead("[1]"))
    command = ["run", "--env", GAMES["gems"], "--method", "evidence", "--method", "policy/random", "--episodes", "2"]
    command += ["--trials", "1", "--plant", "gemforge", "--out", folder]
    code, _, err = evoplay(*command)
    assert (code, f"{path}, line " in err, err.count("\n")) == (2, True, 1)
    path.unlink()
    assert evoplay(*command)[0] == 0
    steps = [[json.loads(line).get("id") for line in log.splitlines()] for log in (before, path.read_bytes())]
    assert steps[0] == steps[1]


FILES = {
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "no object": b"[1]\n",
    "deep": b"[" * 100_000,
    "utf-16": '{"a": 1}\n'.encode("utf-16"),
    "half": b'{"schema": 1, "config": {"env"',
}


@pytest.mark.parametrize("name", ["run.json", "references.json"])
@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_file_that_is_something_else_is_named(run, name, content):
    folder = run("gems")
    (folder / name).write_bytes(content)
    code, out, err = evoplay("report", folder, "--no-html")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"evoplay: {folder / name} ")
    assert ("delete it, it is worked out again" if name == "references.json" else REMADE) in err


REMADE = "restore it, or delete it and give the run's command again"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.update({GAMES["gems"]: 3}), "its learn2play/gemforge is 3, expected an object"),
        (lambda data: data[GAMES["gems"]].update({"1": []}), "seed 1, is [], expected an object with the episodes"),
        (lambda data: data[GAMES["gems"]]["1"]["2"].update(value="x"), "episode 2 has 'x' as 'value', expected a num"),
    ],
)
def test_references_of_the_wrong_kind_are_named_and_worked_out_again(run, change, said):
    folder = run("gems")
    path = folder / "references.json"
    before = json.loads(path.read_text())
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    code, _, err = evoplay("power", folder, "--difference", 1)
    assert (code, err.count("\n")) == (2, 1)
    assert f"{path} is not a run's (" in err
    assert said in err
    path.unlink()
    assert evoplay("power", folder, "--difference", 1)[0] == 0
    assert json.loads(path.read_text()) == before


def test_a_run_of_an_environment_that_is_gone_names_its_run_json(run):
    folder = run("gems")
    data = json.loads((folder / "run.json").read_text())
    data["config"]["env_options"] = {"setting": "odd"}
    (folder / "run.json").write_text(json.dumps(data))
    (folder / "references.json").unlink()
    code, _, err = evoplay("report", folder, "--no-html")
    assert (code, err.count("\n")) == (2, 1)
    assert f"{folder / 'run.json'} tells of an environment that cannot be made: learn2play/gemforge has no opt" in err


def test_what_is_no_runs_folder_is_told_as_what_it_is(run, tmp_path):
    folder = run("gems")
    file = folder / "run.json"
    assert f"{file} is a file, not a run; give a folder" in evoplay("report", file)[2]
    assert f"{tmp_path} is not a run: it has no run.json; give a folder" in evoplay("report", tmp_path)[2]
    path = log_of(folder)
    path.unlink()
    path.mkdir()
    assert f"{path} cannot be read (Is a directory): restore the file" in evoplay("show", folder, "--cell", TRIAL)[2]
    (tmp_path / "none").mkdir()
    err = evoplay("doctor", "--backbone", f"replay/{tmp_path / 'none'}", "--out", tmp_path)[1]
    assert "no call is recorded there: give the folder of a run that was played" in err


# --- writing --------------------------------------------------------------------------------------------------------

STEP = {
    "type": "step", "id": "c/e01/s001", "episode": 1, "step": 1, "call": None, "action": "a", "accepted": True,
    "outcome": "So.", "valid": ("a", "b"), "score": 1.5, "visible": None, "done": False, "seconds": [0, 0.5],
}  # fmt: skip


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    log = CellLog(tmp_path / "t1.jsonl")
    log.open()
    given = STEP | {"score": np.float64(2.5), "accepted": np.bool_(True), "step": np.int64(1)}
    log.write([given])
    before = log.path.read_bytes()
    for name, value in (("outcome", 5), ("score", float("nan")), ("valid", "ab"), ("done", None)):
        with pytest.raises(RunLogError, match=rf"t1.jsonl: what happened cannot be logged \(the step has .*'{name}'"):
            log.write([STEP, STEP | {name: value}])
    log.close()
    assert log.path.read_bytes() == before
    assert list(log.events())[1] == STEP | {"valid": ["a", "b"], "score": 2.5}


ODD = """from evoplay.envs import Env, EnvSpec, Observation, Reference


class Odd(Env):
    spec = EnvSpec("mine/odd", "Odd", "mine", "fixed", False, 1, 3, 1, "Nothing.")

    def __init__(self, seed=None):
        self.seed = 1

    def reset(self, episode=1):
        return Observation("Go.", ("a",))

    def step(self, action):
        return Observation("So.", ("a",), score=float("nan"))

    def finish(self):
        return Observation("Over.", done=True, score=1)

    def reference(self, episode=1):
        return Reference(1, "exact", "told")
"""


def test_an_environment_that_cannot_be_logged_breaks_its_trial_and_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.py").write_text(ODD)
    command = ["run", "--env", "odd.py:Odd", "--env", GAMES["gems"], "--method", "naive", "--backbone", "policy/random"]
    code, _, err = evoplay(*command, "--episodes", 1, "--trials", 1, "--out", "r")
    assert code == 1
    assert "what happened cannot be logged (the step has nan as 'score', expected a number): correct the env" in err
    code, out, _ = evoplay("report", "r", "--no-html", "--json")
    assert (code, json.loads(out)["methods"]["naive"]["episodes"]) == (0, 1)


# --- whatever stands in a line --------------------------------------------------------------------------------------

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("episode_started")
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def mangled(draw, line):
    """The bytes that stand in place of a line: another value somewhere in it, a field less, other bytes, or nothing."""
    how = draw(st.sampled_from(["value", "value", "field", "field", "bytes", "cut", "twice", "gone", "value alone"]))
    if how == "gone":
        return b""
    if how == "twice":
        return line * 2
    if how == "cut":
        return line[: draw(st.integers(0, len(line) - 2))] + b"\n"
    if how == "bytes":
        at = draw(st.integers(0, len(line) - 2))
        return line[:at] + draw(st.binary(max_size=3)) + line[at + draw(st.integers(0, 3)) :].rstrip(b"\n") + b"\n"
    if how == "value alone":
        return json.dumps(draw(VALUES)).encode() + b"\n"
    data = place = json.loads(line)
    # Down to somewhere in the event.
    name = draw(st.sampled_from(sorted(data)))
    while isinstance(place[name], dict | list) and place[name] and draw(st.booleans()):
        place = place[name]
        name = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
    if how == "field":
        del place[name]
    else:
        place[name] = draw(VALUES)
    return json.dumps(data).encode() + b"\n"


@st.composite
def mangled_logs(draw, lines):
    """A log with one mangled line; every type of line is as likely as another."""
    kinds = {}
    for at, line in enumerate(lines):
        kinds.setdefault(json.loads(line)["type"], []).append(at)
    at = draw(st.sampled_from(kinds[draw(st.sampled_from(sorted(kinds)))]))
    return b"".join([*lines[:at], draw(mangled(lines[at])), *lines[at + 1 :]])


def one_line_of(said, path):
    return str(path) in said and "\n" not in said.removesuffix("\n")


@pytest.mark.parametrize(("name", "trial"), [("gems", TRIAL), ("fraud", "random/t1")])
@given(data=st.data())
@settings(max_examples=200)
def test_a_mangled_line_is_read_or_named(runs, name, trial, data):
    path = log_of(runs / name, trial)
    copy = path.with_name("mangled")
    copy.write_bytes(data.draw(mangled_logs(path.read_bytes().splitlines(keepends=True))))
    said = ""
    try:
        read_history(read_events(copy), copy)
    except RunLogError as error:
        said = str(error)
    assert not said or one_line_of(said, copy)


@pytest.mark.parametrize(("name", "trial"), [("gems", TRIAL), ("fraud", TRIAL), ("fraud", "random/t1")])
@given(data=st.data())
@settings(max_examples=20)
def test_no_mangled_line_gives_a_traceback_or_a_line_without_the_files_name(runs, name, trial, data):
    path = log_of(runs / name, trial)
    copy = runs / f"{name} mangled"
    shutil.copytree(runs / name, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("mangled"))
    place = copy / path.relative_to(runs / name)
    place.write_bytes(data.draw(mangled_logs(path.read_bytes().splitlines(keepends=True))))
    cell = place.relative_to(copy / "cells").with_suffix("")
    commands = [("report", copy, "--no-html"), ("memory", copy), ("show", copy, "--cell", cell, "--prompts")]
    commands += [("why", copy, "c001", "--cell", cell), ("adaexplore", "figures", copy)]
    for command in commands[: 5 if name == "fraud" else 4]:
        code, _, err = evoplay(*command)
        said = "".join(line for line in err.splitlines(keepends=True) if "episodes not played yet" not in line)
        if code:
            assert code == 2, err
            # There may be no claim or no episode: then nothing is wrong with the file.
            missing = "has no finished episode" in said or "there is no claim c001" in said
            assert one_line_of(said, place) or (missing and said.count("\n") == 1), said
        else:
            assert said == ""
