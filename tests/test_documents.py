"""README and docs say what is: their code runs, their commands run, their links lead somewhere.

A document's blocks run in order in one folder, as in a checkout (`configs/` is there). Python blocks share one
namespace; a block whose first line is a comment that names a file (`# count.py`) is written to that file, a Python one
is run as well. Of console blocks the commands `evoplay` and `python` run, with three exceptions: those that name a
backbone that is not embedded (it needs a key or a server), those with a placeholder in capitals (RUN, MODEL), and
blocks after the comment `<!-- long -->`. These are read all the same: their options must exist.

A `text` block directly after a Python or console block is what that block printed on standard output, to the letter
but for spaces at the ends of lines; after a console block of which a command did not run it is not compared.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
import typer.main

from evoplay.evaluation.cli import app, main

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EMBEDDED = ("sim/", "policy/", "replay/")
FENCE = re.compile(r"(?P<long><!-- long -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w/-]+\.(?:py|toml))\n")
COMMANDS = typer.main.get_command(app)

named = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)


class Fenced(NamedTuple):
    """A fenced block; `shown` is the text block directly after it, or None."""

    language: str
    text: str
    long: bool
    shown: str | None


def blocks_of(document):
    """Every fenced block of a document's file."""
    return fenced(document.read_text(encoding="utf-8"))


def fenced(text):
    """Every fenced block of a text."""
    found = []
    matches = list(FENCE.finditer(text))
    for match, after in zip_longest(matches, matches[1:]):
        directly = after is not None and after["language"] == "text" and not text[match.end() : after.start()].strip()
        shown = after["text"] if directly else None
        found.append(Fenced(match["language"], match["text"], match["long"] is not None, shown))
    return found


def lines_of(text):
    """What is compared of an output: its lines without the spaces at their ends, and without empty lines at the end."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def commands_of(text):
    """The commands of a console block as lists of words, comments left out."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def skipped(words):
    """Why a command is not run, or None."""
    for option, value in pairwise(words):
        if option == "--backbone" and not value.startswith(EMBEDDED):
            return f"{value} is not embedded"
    if "--api-base" in words:
        return "needs a server"
    if any(re.fullmatch(r"[A-Z]{2,}\d?", word) for word in words):
        return "has a placeholder"
    return None if words[0] in ("evoplay", "python") else f"{words[0]} is no command of ours"


def options_of(words):
    """The words of an `evoplay` command after its (sub)command, and that command. Raises KeyError."""
    command = COMMANDS
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    return words, command


def unknown_options(words):
    """Options in a command line that the command does not have."""
    rest, command = options_of(words)
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known | {"--help"}]


@pytest.fixture
def evoplay(monkeypatch, capsys):
    """Runs an `evoplay` command in this process; fails on any exit code but 0."""

    def nobody(prompt=""):
        raise EOFError

    def call(words):
        monkeypatch.setattr(sys, "argv", ["evoplay", *words])
        monkeypatch.setattr("builtins.input", nobody)
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert not ended.value.code, f"evoplay {shlex.join(words)}: exit code {ended.value.code}\n{said.out}{said.err}"
        return said.out

    return call


@pytest.fixture
def own_display(monkeypatch):
    """What a document prints depends neither on the terminal nor on what another one has set."""
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"display.{name}" for name in ("width", "max_columns", "max_colwidth", "max_rows", "precision")]
    with pd.option_context(*(part for name in names for part in (name, pd.get_option(name)))):
        yield


@named
@pytest.mark.usefixtures("own_display")
def test_what_is_shown_runs(document, evoplay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    namespace = {"__name__": "document"}
    for block in blocks_of(document):
        file = FILE.match(block.text)
        if file:
            Path(file[1]).write_text(block.text, encoding="utf-8")
        printed = None
        if block.language == "python":
            printed = run_block(block.text, document.name, namespace)
        elif block.language == "console" and not block.long:
            printed = run_commands(commands_of(block.text), evoplay)
        if block.shown is not None and printed is not None:
            assert lines_of(printed) == lines_of(block.shown), f"{block.text}\nprints\n\n{printed}"


def run_block(text, name, namespace):
    """What a Python block prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, name, "exec"), namespace)
    return printed.getvalue()


def run_commands(commands, evoplay):
    """What the commands of a console block print; None if one of them was not run."""
    printed = ""
    for words in commands:
        if skipped(words) is None:
            printed += evoplay(words[1:]) if words[0] == "evoplay" else run_python(words[1:])
    return printed if all(skipped(words) is None for words in commands) else None


def run_python(words):
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"python {shlex.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


@named
def test_commands_and_options_exist(document):
    text = document.read_text(encoding="utf-8")
    lines = [words for block in blocks_of(document) if block.language == "console" for words in commands_of(block.text)]
    prose = FENCE.sub("", text)
    lines += [shlex.split(code) for code in re.findall(r"`(evoplay [^`…]+)`", prose)]
    for words in lines:
        if words[0] == "evoplay":
            assert not unknown_options(words[1:]), shlex.join(words)
    every = {name for _, command in walked(COMMANDS) for parameter in command.params for name in parameter.opts}
    mentioned = set(re.findall(r"`(--[a-z][a-z-]+)", prose))
    assert mentioned <= every


def walked(command, name="evoplay"):
    """A command and all below it."""
    yield name, command
    for below, inner in getattr(command, "commands", {}).items():
        yield from walked(inner, f"{name} {below}")


def anchors_of(document):
    """What its headings can be linked to by."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def leads_nowhere(document, link):
    """Whether a link inside the project names a file or a heading that does not exist."""
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    return not target.exists() or bool(anchor and anchor not in anchors_of(target))


@named
def test_links_lead_somewhere(document):
    prose = FENCE.sub("", document.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", prose) if not re.match(r"[a-z]+:", link)]
    assert [link for link in links if leads_nowhere(document, link)] == []


def test_what_is_skipped_is_what_the_rule_says():
    assert skipped(["evoplay", "run", "--env", "learn2play", "--backbone", "openai/gpt-5-mini"])
    assert skipped(
        ["evoplay", "run", "--env", "x", "--backbone", "hosted_vllm/qwen3", "--api-base", "http://localhost:8000/v1"]
    )
    assert skipped(["evoplay", "doctor", "--backbone", "MODEL"])
    assert skipped(["make", "demo"])
    for line in ("evoplay games", "evoplay run a.toml --backbone sim/learner", "python -c pass"):
        assert skipped(line.split()) is None


def test_a_fault_in_a_document_is_found():
    assert unknown_options(["run", "--envs", "x"]) == ["--envs"]
    with pytest.raises(KeyError):
        options_of(["fly"])
    assert leads_nowhere(DOCUMENTS[0], "docs/nothing.md")
    assert leads_nowhere(DOCUMENTS[0], "docs/metrics.md#nothing")
    assert not leads_nowhere(DOCUMENTS[0], "docs/metrics.md#metrics")
    assert commands_of("evoplay run \\\n    --env x   # a remark\n") == [["evoplay", "run", "--env", "x"]]


def test_what_stands_below_a_block_is_what_it_printed():
    page = "```python\nprint(1)\n```\n\n```text\n1\n```\n\n```python\nprint(2)\n```\n\nIn between:\n\n```text\n3\n```\n"
    assert [block.shown for block in fenced(page)] == ["1\n", None, None, None]
    assert lines_of(run_block("print('a  ')\nprint()\nprint('b')", "page", {})) == lines_of("a\n\nb\n\n")
    assert lines_of(run_block("print('a')", "page", {})) != lines_of("b\n")
    assert run_commands([["evoplay", "games"], ["make", "demo"]], lambda words: "games\n") is None
