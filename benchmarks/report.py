"""The report of a large run: how long it takes to write, how large it is, how soon it opens.

The run is a made-up one of 20 games, 9 contenders and 3 trials: real games played at random with wordy replies, and
claims with links. Each of its trials is packed for itself, so that copies of a trial take as much room as others would.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.result import Result, timed
from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.report import write_report
from evoplay.evaluation.runlog import Cell, RunFolder
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.base import Backbone, Completion, Message, Usage

TITLE = "The report of 20 games, 9 contenders and 3 trials"
LABELS = ("naive", "memory", "retrieval", "reflexion", "expel", "awm", "reasoningbank", "evotest", "evidence")
TRIALS = 3
WORDS_A_REPLY = 40
CLAIMS = 12
LINKS = 6
BROWSER = "/usr/bin/chromium"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")


class Wordy(Backbone):
    """Plays at random and says a lot."""

    name = "wordy"

    def __init__(self) -> None:
        self.words = ["".join(random.Random(n).choices("abcdeilmnorst", k=3 + n % 7)) for n in range(2000)]

    def complete(self, messages: Sequence[Message], *, purpose: str, seed: int, **options: Any) -> Completion:
        chosen = random.Random(seed)
        reason = " ".join(chosen.choices(self.words, k=WORDS_A_REPLY))
        listed = re.findall(r"^- (\S+)", messages[-1].content.rpartition("Actions to choose from:")[2], re.MULTILINE)
        action = chosen.choice(listed or ["wait"])
        usage = Usage(input=sum(len(message.content) for message in messages) // 4, output=60)
        return Completion(f"{reason}\nACTION: {action}", usage, usd=0.001)


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        made = large_run(Path(folder))
        run = load(made)
        seconds = timed(lambda: write_report(run))
        page = made / "report.html"
        found = [
            Result("to write it", seconds, None, "s"),
            Result("size", page.stat().st_size / 1e6, 30, "MB"),
            Result("steps shown", sum(len(r.steps) for c in run.cells for r in run.episodes_of(c)), None, ""),
        ]
        opened = opening(page)
    if opened is None:
        return found
    return [*found, *(Result(name, value, limit, "s") for name, value, limit in opened)]


def large_run(folder: Path) -> Path:
    """Write the run; its folder."""
    played = folder / "played"
    config = make_config({"env": "learn2play", "method": "naive", "trials": TRIALS, "out": str(played)})
    play = Run(config, Wordy())
    play.execute(play.prepare())
    source = RunFolder(played)
    load(played).references  # noqa: B018  worked out once, and copied
    info = source.read()
    cells = [Cell(c["env"], c["seed"], label, c["trial"]) for label in LABELS for c in info["cells"]]
    target = RunFolder(folder / "large")
    target.path.mkdir()
    facts = {key: value for key, value in info.items() if key != "schema"}
    facts["contenders"] = [{"label": name, "method": name, "options": {}, "policy": None} for name in LABELS]
    facts["cells"] = [
        {"id": c.id, "path": c.path, "env": c.env_id, "seed": c.seed, "contender": c.contender, "trial": c.trial}
        for c in cells
    ]
    target.create(facts)
    (target.path / "references.json").write_bytes((played / "references.json").read_bytes())
    words = Wordy().words
    for cell in cells:
        original = Cell(cell.env_id, cell.seed, "naive", cell.trial)
        text = source.log_of(original).path.read_text(encoding="utf-8").replace(original.id, cell.id)
        path = target.log_of(cell).path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + _claims(cell, text, words), encoding="utf-8")
    return target.path


def _claims(cell: Cell, text: str, words: Sequence[str]) -> str:
    """Claim events over the steps of a log."""
    chosen = random.Random(cell.id)
    steps = re.findall(r'"type":"step","id":"([^"]+)"', text)
    lines = []
    for number in range(1, CLAIMS + 1):
        event: Mapping[str, Any] = {
            "type": "claim",
            "op": "claim",
            "claim": f"{cell.id}/c{number:03d}",
            "episode": 1,
            "kind": "rule",
            "scope": "rule",
            "status": "hypothesis",
            "text": " ".join(chosen.choices(words, k=25)),
            "supports": sorted(set(chosen.choices(steps, k=LINKS))),
        }
        lines.append(json.dumps(event) + "\n")
    return "".join(lines)


def opening(page: Path) -> list[tuple[str, float, float | None]] | None:
    """Seconds until the page can be read, is loaded, shows its charts, and has a trial open; None without a browser."""
    from playwright.sync_api import sync_playwright

    if not Path(BROWSER).exists():
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(QUIET))
        shown, loaded, charts, busy, trial = [], [], [], [], []
        for _ in range(3):
            tab = browser.new_page(viewport={"width": 1440, "height": 900})
            session = tab.context.new_cdp_session(tab)
            session.send("Performance.enable")
            start = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_selector("h1")
            shown.append(time.perf_counter() - start)
            tab.wait_for_load_state("load")
            loaded.append(time.perf_counter() - start)
            tab.wait_for_selector(".plot .main-svg")
            charts.append(time.perf_counter() - start)
            told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            busy.append(told["ThreadTime"])
            tab.evaluate("document.querySelector('.game').open = true")
            start = time.perf_counter()
            tab.locator(".trial > summary").first.click()
            tab.wait_for_selector(".trial[data-loaded] .episode")
            trial.append(time.perf_counter() - start)
            tab.close()
        browser.close()
    return [
        ("until it can be read", median(shown), None),
        ("until it is loaded", median(loaded), 3.0),
        ("until its first charts are drawn", median(charts), 3.0),
        ("of which the page computed", median(busy), 3.0),
        ("until a trial's transcripts are open", median(trial), None),
    ]
