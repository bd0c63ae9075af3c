"""The command line: what it prints, its exit codes, one-line errors with the fix for what a user gets wrong."""

import json
import os
import subprocess
import sys

import pytest

from evoplay.evaluation.cli import main

GEM = ["--env", "learn2play/gemforge"]
QUICK = ["--backbone", "policy/random", "--episodes", "2", "--trials", "3", "--method", "naive", "--method", "memory"]


@pytest.fixture
def evoplay(capsys, monkeypatch):
    """Runs the command line in this process: (exit code, standard output, standard error)."""

    def call(*arguments, answers=()):
        monkeypatch.setattr(sys, "argv", ["evoplay", *map(str, arguments)])
        lines = iter(answers)

        def answer(prompt=""):
            try:
                return next(lines)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return call


def test_a_run_prints_its_table_and_where_it_is(evoplay, tmp_path):
    code, out, err = evoplay("run", *GEM, *QUICK, "--method", "policy/solver", "--out", tmp_path / "r")
    assert code == 0
    for word in ("Max", "Mean", "LG", "LS", "naive", "memory", "policy/solver", "100.0 ± 0.0", "learning curves"):
        assert word in out
    assert f"written to {tmp_path / 'r'}" in err
    assert "18/18 episodes" in err


def test_a_finished_run_does_nothing_and_says_so(evoplay, tmp_path):
    command = ["run", *GEM, *QUICK, "--out", tmp_path / "r"]
    assert evoplay(*command)[0] == 0
    before = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*.jsonl")}
    code, _, err = evoplay(*command)
    assert code == 0
    assert "nothing to do" in err
    assert {path: path.read_bytes() for path in (tmp_path / "r").rglob("*.jsonl")} == before


def test_a_changed_configuration_is_refused_with_the_difference(evoplay, tmp_path):
    command = ["run", *GEM, *QUICK, "--out", tmp_path / "r"]
    evoplay(*command)
    code, _, err = evoplay(*command, "--seed", 9)
    assert code == 2
    assert "seed: 0 -> 9" in err
    assert evoplay(*command, "--concurrency", 1)[0] == 0


def test_json_of_run_and_report(evoplay, tmp_path):
    _, out, _ = evoplay("run", *GEM, *QUICK, "--out", tmp_path / "r", "--json")
    data = json.loads(out)
    row = data["methods"]["memory"]
    assert set(row) >= {"max", "mean", "lg", "ls", "episodes", "missing", "usd", "calls", "tokens"}
    assert set(row["max"]) >= {"mean", "sd", "ci"}
    assert (row["episodes"], row["missing"], row["usd"]) == (6, 0, 0)
    assert data["outcome"]["exit_code"] == 0
    code, out, _ = evoplay("report", tmp_path / "r", "--json")
    assert code == 0
    again = json.loads(out)
    for method, found in data["methods"].items():
        assert again["methods"][method].items() >= found.items()
    assert again["pairs"] == data["pairs"]
    assert set(again["pairs"]) == {"memory - naive"}


def test_a_run_file(evoplay, tmp_path):
    file = tmp_path / "run.toml"
    file.write_text(
        'env = "learn2play/poisoner"\nmethods = ["naive", "memory:keep=[best,recent]"]\nbackbone = "policy/random"\n'
        f'episodes = 2\ntrials = 1\nenv_seeds = "1..2"\nout = "{tmp_path / "r"}"\n'
    )
    code, out, _ = evoplay("run", file, "--json")
    data = json.loads(out)
    assert code == 0
    assert list(data["methods"]) == ["naive", "memory:keep=best", "memory:keep=recent"]
    assert data["methods"]["naive"]["episodes"] == 4
    assert set(data["methods"]["naive"]["games"]) == {"learn2play/poisoner@1", "learn2play/poisoner@2"}


def test_games(evoplay):
    code, out, _ = evoplay("games")
    assert code == 0
    assert "learn2play/gemforge" in out
    assert "791" in out
    rows = json.loads(evoplay("games", "--json")[1])
    assert {"id", "kind", "challenge", "reference", "summary"} <= set(rows[0])


def test_playing_by_hand_is_recorded_and_shown(evoplay, tmp_path):
    out = tmp_path / "mine"
    code, said, _ = evoplay(
        "play", "learn2play/poisoner", "--out", out, answers=["1", "serve_3", "nonsense", "serve_0"]
    )
    assert code == 0
    assert "banquet" in said.lower()
    code, shown, _ = evoplay("show", out, "--cell", "t1")
    assert code == 0
    for line in ("> serve_0", "> serve_3", "> nonsense", "refused", "final score"):
        assert line in shown
    code, _, err = evoplay("show", out, "--cell", "t1", "--episode", 7)
    assert (code, "has no finished episode 7" in err) == (2, True)


def test_leaving_a_game_by_hand(evoplay, tmp_path):
    code, _, _ = evoplay("play", "learn2play/gemforge", "--out", tmp_path / "left", answers=["add_salt"])
    assert code == 0
    assert "left before the end" in evoplay("show", tmp_path / "left", "--cell", "t1")[1]


def test_power(evoplay, tmp_path):
    evoplay("run", *GEM, *QUICK, "--out", tmp_path / "r")
    code, out, _ = evoplay("power", tmp_path / "r", "--difference", 1, "--json")
    assert code == 0
    assert json.loads(out)["memory"] >= 2
    assert "trials per game" in evoplay("power", tmp_path / "r", "--difference", 1)[1]
    assert (
        evoplay("power", tmp_path / "r", "--difference", 1e-12)[1] == "memory: more than 10,000,000 trials per game\n"
    )


def test_power_says_why_a_number_is_unknown(evoplay, tmp_path):
    evoplay("run", *GEM, *QUICK, "--out", tmp_path / "r", "--trials", 1)
    code, out, _ = evoplay("power", tmp_path / "r", "--difference", 1)
    assert (code, out) == (0, "memory: unknown (no game with 2 scored trials of it and of naive)\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--difference", "0"], "the difference to be found is 0: give its size, a number above 0"),
        (["--difference", "-1"], "the difference to be found is -1: give its size, a number above 0"),
        (["--difference", "nan"], "the difference to be found is nan: give its size"),
        (["--difference", "1", "--baseline", "mm"], "'mm' is not in r: compare with one of naive"),
        (["--difference", "1", "--metric", "best"], "no metric 'best': use one of max, mean, lg, ls"),
        (["--difference", "1"], "r has only naive, nothing to compare it with: run a second --method"),
    ],
)
def test_power_refuses_what_it_cannot_tell(evoplay, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    evoplay("run", *GEM, "--method", "naive", "--backbone", "policy/random", "--episodes", 1, "--out", "r")
    code, out, err = evoplay("power", "r", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_doctor(evoplay, monkeypatch, tmp_path):
    code, out, _ = evoplay("doctor", "--backbone", "sim/learner", "--out", tmp_path)
    assert code == 0
    assert "simulated backbone" in out
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, out, _ = evoplay("doctor", "--backbone", "openai/gpt-4o-mini", "--out", tmp_path)
    assert code == 1
    assert "OPENAI_API_KEY" in out


def test_doctor_tries_a_dead_address_once_and_says_what_to_do(evoplay, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    tries = []

    def refused(kind, model, **request):
        tries.append(request["api_base"])
        raise ConnectionError("connection refused")

    monkeypatch.setattr("evoplay.methods.backbones.litellm_client.call", refused)
    monkeypatch.setattr("evoplay.methods.backbones.litellm_client.supported", lambda model: frozenset())
    address = "http://localhost:9/v1"
    code, out, _ = evoplay("doctor", "--backbone", "openai/gpt-4o-mini", "--api-base", address, "--out", tmp_path)
    assert (code, tries) == (1, [address])
    assert f"connection refused: start the server, or correct --api-base {address}" in out
    assert "key: none set, a server of your own may do without" in out
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    out = evoplay("doctor", "--backbone", "openai/gpt-4o-mini", "--api-base", address, "--out", tmp_path)[1]
    assert "key: found" in out


def test_the_help_names_the_claims_that_come_with_evoplay(evoplay):
    words = " ".join(evoplay("run", "--help")[1].split())
    assert "a TOML file, or gemforge or hauntedinn, which come with evoplay" in words


def method_file(tmp_path, body):
    file = tmp_path / "mine.py"
    file.write_text(f"from evoplay import Method\n\n{body}\n")
    return file


RAISING = """class Mine(Method):
    name = "mine"

    def observe(self, step):
        raise KeyError("lost")
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--env", "learn2play/gemforg", *QUICK], "did you mean learn2play/gemforge"),
        (["run", "--env", "nothing/like-it", *QUICK], "no environment is called 'nothing/like-it'"),
        (["run", *GEM, "--method", "memry", "--backbone", "policy/random"], "did you mean memory"),
        (["run", *GEM, "--method", "memory:kep=best", "--backbone", "policy/random"], "has no option 'kep'"),
        (
            ["run", *GEM, "--method", "memory:keep=all", "--backbone", "policy/random"],
            "use one of best, recent, spread",
        ),
        (["run", *GEM, "--method", "memory:", "--backbone", "policy/random"], "ends in a colon"),
        (["run", *GEM, "--method", "naive", "--method", "naive"], "named twice"),
        (["run", *GEM, "--method", "naive", "--backbone", "sim/lerner"], "the simulated one is sim/learner"),
        (["run", *GEM, "--method", "naive", "--backbone", "policy/best"], "there is no policy 'best'"),
        (["run", *GEM, "--method", "naive", "--backbone", "nonsense"], "no backbone is called 'nonsense'"),
        (["run", *GEM, "--method", "naive", "--backbone", "replay/none"], "there is no folder 'none'"),
        (["run", *GEM, *QUICK, "--trials", "0"], "greater than or equal to 1"),
        (["run", *GEM, *QUICK, "--episodes", "0"], "greater than or equal to 1"),
        (["run", *GEM, *QUICK, "--env-seeds", "5..1"], "5..1 is empty"),
        (["run", *GEM, *QUICK, "--env-seeds", "one"], "write whole numbers"),
        (["run", *GEM, *QUICK, "--env-seeds", "1..9999999"], "1..9999999 are more than 1,000,000 seeds; write fewer"),
        (["run", *GEM, *QUICK, "--trials", "9999999"], "less than or equal to 1000000"),
        (
            ["run", *GEM, *QUICK, "--plant", "gemforg"],
            "'gemforg' is no file: give a TOML file, or gemforge or",
        ),
        (["run", *GEM, *QUICK, "--episode-mode", "shuffled"], "use one of reshuffled, control"),
        (
            ["run", *GEM, *QUICK, "--setting", "default"],
            "learn2play/gemforge has no option 'setting' (given as 'default'): leave it out, its options are "
            "episode_mode",
        ),
        (["run", *GEM, *QUICK, "--price-for", "openai/gpt-5-mini"], "add --estimate"),
        (["run", *GEM, "--backbone", "policy/random"], "'method' is missing"),
        (["report", "nowhere"], "nowhere is not a run"),
        (["show", "nowhere", "--cell", "x"], "nowhere is not a run"),
        (["report", "nowhere", "--html", "x", "--no-html"], "--html x and --no-html: leave one of them out"),
        (["report", "nowhere", "--json", "--published"], "leave --json out, or name a page with --html"),
        (["run", *GEM, "--method", "none.py:Mine", "--backbone", "policy/random"], "there is no file"),
    ],
)
def test_a_mistake_is_one_line_with_the_fix(evoplay, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    out = ["--out", "r"] if arguments[0] == "run" else []
    code, _, err = evoplay(*arguments, *out)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
    assert not (tmp_path / "r" / "run.json").exists()


def test_an_error_that_nobody_foresaw_is_one_line_with_its_place(evoplay, monkeypatch):
    def broken():
        raise KeyError("cells")

    monkeypatch.delenv("EVOPLAY_DEBUG", raising=False)
    monkeypatch.setattr("evoplay.evaluation.listing.games_table", broken)
    code, out, err = evoplay("games")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("evoplay: unforeseen KeyError: 'cells' (test_cli.py, line ")
    assert "`evoplay --debug ...` shows where it came from" in err


def test_an_unreadable_run_file(evoplay, tmp_path):
    file = tmp_path / "run.toml"
    file.write_text("env = [unclosed")
    code, _, err = evoplay("run", file)
    assert (code, "is not TOML" in err) == (2, True)
    assert "cannot be read" in evoplay("run", tmp_path / "none.toml")[2]
    file.write_text('env = "learn2play/gemforge"\nmethod = "naive"\ntrails = 3\n')
    assert "no setting 'trails': did you mean 'trials'?" in evoplay("run", file)[2]


def test_a_folder_of_another_schema(evoplay, tmp_path):
    (tmp_path / "run.json").write_text('{"schema": 99}')
    code, _, err = evoplay("run", *GEM, *QUICK, "--out", tmp_path)
    assert (code, "schema 99" in err) == (2, True)
    assert (tmp_path / "run.json").read_text() == '{"schema": 99}'


def test_no_folder_and_no_file_to_write_to(evoplay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = evoplay("run", *GEM, *QUICK, "--out", "")
    assert (code, "out = '' (the run's folder)" in err, list(tmp_path.iterdir())) == (2, True, [])
    evoplay("run", *GEM, *QUICK, "--out", "r")
    code, _, err = evoplay("report", "r", "--html", "")
    assert (code, err.count("\n")) == (2, 1)
    assert "names no file: name another place with --html" in err


def test_seeds_of_any_size_can_be_read_back(evoplay, tmp_path):
    seeds = ["--seed", str(10**30), "--env-seeds", str(-(10**30))]
    assert evoplay("run", *GEM, *QUICK, *seeds, "--out", tmp_path / "r")[0] == 0
    assert evoplay("report", tmp_path / "r", "--no-html")[0] == 0


def test_no_key(evoplay, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, _, err = evoplay(
        "run", *GEM, "--method", "naive", "--backbone", "openai/gpt-4o-mini", "--out", tmp_path / "r"
    )
    assert code == 2
    assert "OPENAI_API_KEY" in err
    assert len(err.strip().splitlines()) == 1


def test_an_unwritable_folder(evoplay, tmp_path):
    (tmp_path / "file").write_text("here is a file")
    code, _, err = evoplay("run", *GEM, *QUICK, "--out", tmp_path / "file" / "r")
    assert code == 2
    assert "cannot be written" in err
    assert "choose another --out" in err


def test_a_method_that_raises_stops_its_trials_and_no_others(evoplay, tmp_path):
    file = method_file(tmp_path, RAISING)
    contenders = ["--method", "naive", "--method", f"{file}:Mine", "--backbone", "policy/random"]
    code, out, err = evoplay(
        "run", *GEM, *contenders, "--episodes", 2, "--trials", 1, "--out", tmp_path / "r", "--json"
    )
    assert code == 1
    assert "raised in observe: KeyError: 'lost'" in err
    assert "Traceback" not in err
    data = json.loads(out)
    assert data["methods"]["naive"]["episodes"] == 2
    assert data["outcome"]["broken"][0]["why"].startswith("method 'mine' raised in observe")


def test_a_method_file_that_raises(evoplay, tmp_path):
    file = method_file(tmp_path, "raise RuntimeError('not yet')")
    code, _, err = evoplay("run", *GEM, "--method", f"{file}:Mine", "--out", tmp_path / "r")
    assert code == 2
    assert "raised RuntimeError: not yet" in err
    assert len(err.strip().splitlines()) == 1


def test_heavy_libraries_stay_out_of_a_simulated_run(tmp_path):
    """Nor does listing the games need them."""
    probe = (
        "import sys; from evoplay.evaluation.cli import main\n"
        "sys.argv = ['evoplay', *sys.argv[1:]]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'litellm', 'dspy', 'chromadb', 'sklearn', 'plotly'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    command = ["run", *GEM, "--method", "memory", "--episodes", "1", "--trials", "1", "--out", str(tmp_path / "r")]
    for arguments in (command, ["games"]):
        ended = subprocess.run(
            [sys.executable, "-c", probe, *arguments], capture_output=True, text=True, env=os.environ
        )
        assert ended.returncode == 0, ended.stderr
