"""A run with everything a report can show, its report, and a browser to look at it."""

from __future__ import annotations

import csv
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.report import write_report
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.base import Backbone, CallFailed
from evoplay.methods.backbones.registry import open_backbone
from tests.evaluation.report.hostile import NASTY

HOSTILE = f"{Path(__file__).with_name('hostile.py')}:Hostile"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync")


class Flaky(Backbone):
    """The simulated learner, which costs something and now and then does not answer; claims have no known price."""

    name = "sim/learner"
    simulated = True
    context_window = 4000

    def __init__(self):
        self.inner = open_backbone("sim/learner")

    def complete(self, messages, *, purpose, seed, **options):
        if seed % 61 == 0:
            raise CallFailed("no <b>answer</b>", kind="timeout")
        found = self.inner.complete(messages, purpose=purpose, seed=seed, **options)
        return replace(found, usd=None if purpose == "claim" else 0.000001 * found.usage.input)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder of a run with claims, failures, drops, a sweep, frozen memory, and texts that look like HTML."""
    out = tmp_path_factory.mktemp("runs") / "shown"
    methods = ["naive", "memory:keep=[best,recent]", "evidence", "policy/random", "policy/solver"]
    envs = ["learn2play/gemforge", "learn2play/poisoner", HOSTILE]
    config = make_config(
        {"env": envs, "method": methods, "episodes": 3, "trials": 3, "seed": 1, "out": str(out)}
        | {"freeze_after": 2, "budget_tokens": 2500}
    )
    run = Run(config, Flaky())
    run.execute(run.prepare())
    _claim_nastily(load(out))
    return out


def _claim_nastily(run):
    """Adds a claim whose words look like HTML to a trial of the hostile game."""
    cell = next(cell for cell in run.cells if "Hostile" in cell.env_id and cell.contender == "naive")
    steps = [step.id for record in run.episodes_of(cell) for step in record.steps]
    event = {"type": "claim", "op": "claim", "claim": f"{cell.id}/c001", "episode": 1, "kind": "rule", "text": NASTY}
    event |= {"scope": "instance", "status": "active", "supports": [steps[0]], "contradicts": [steps[1]]}
    with run.log_of(cell).path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")


@pytest.fixture(scope="session")
def run(folder):
    return load(folder)


@pytest.fixture(scope="session")
def written(run):
    """The report, published figures included."""
    return write_report(run, published=True)


@pytest.fixture(scope="session")
def tables(written):
    """Every CSV file by its name: a list of rows, each a dict of strings."""
    found = {}
    for path in written.tables.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.stem] = list(csv.DictReader(file))
    return found


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium. Without one the tests are skipped, and fail where CI=true."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        said = "no Chromium on this machine: the report's page is not looked at (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield opened
        opened.close()


class Watched:
    """A page that notes what it says on the console and what it asks of the world."""

    def __init__(self, browser, path, width=1440, scheme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said, self.requests = [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(Path(path).as_uri())
        self.page.evaluate("evoplay.drawAll()")
        self.page.wait_for_function("evoplay.ready()")

    def open_everything(self):
        """Opens every folded part, packed ones included."""
        self.page.evaluate("document.querySelectorAll('[data-load]').forEach((one) => { one.open = true })")
        self.page.wait_for_function("!document.querySelector('[data-load]:not([data-loaded])')")
        self.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")


@pytest.fixture(scope="session")
def look(browser, written):
    """Opens the report: look(width, scheme). Closed again at the end of the session."""
    opened = []

    def at(width=1440, scheme="light", path=None):
        opened.append(Watched(browser, path or written.page, width, scheme))
        return opened[-1]

    yield at
    for one in opened:
        one.context.close()


@pytest.fixture(scope="session")
def whole(look):
    """The report with every part of it opened; for looking only."""
    found = look()
    found.open_everything()
    return found
