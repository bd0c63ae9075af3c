"""A run killed with SIGKILL at twenty moments and resumed each time is the run that nobody interrupted."""

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from evoplay.evaluation.history import read_history, valid_events
from evoplay.evaluation.load import load

SCRIPT = Path(__file__).with_name("killed_run.py")
MOMENTS = [
    ("write", 1), ("act", 9), ("end", 1), ("write", 14), ("end", 2), ("act", 25), ("write", 3), ("write", 40),
    ("end", 1), ("act", 2), ("end", 1), ("write", 22), ("act", 30), ("end", 1), ("write", 9), ("act", 12),
    ("write", 31), ("act", 18), ("write", 2), ("act", 7),
]  # fmt: skip


def run(folder, moment="never", count=1):
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), moment, str(count)], capture_output=True, text=True, check=False
    )


def outcome(folder):
    """Scores, actions and what methods knew, by trial."""
    found = {}
    for cell in load(folder).cells:
        past = read_history(load(folder).log_of(cell).events()).past
        found[cell.path] = ([(r.episode, r.score, r.actions) for r in past.episodes], past.state)
    return found


def test_twenty_kills_change_nothing(tmp_path):
    assert run(tmp_path / "whole").returncode == 0
    kills = Counter()
    folders = [tmp_path / "killed-1"]
    for moment, count in MOMENTS:
        ended = run(folders[-1], moment, count)
        if ended.returncode == 0:
            # How far a run comes before it is killed depends on its threads: this one ended before its moment came.
            folders.append(tmp_path / f"killed-{len(folders) + 1}")
            ended = run(folders[-1], moment, count)
        assert ended.returncode == -signal.SIGKILL, (moment, count, ended.stderr)
        kills[moment] += 1
    assert kills["write"] >= 5
    assert kills["end"] >= 5
    assert sum(kills.values()) == 20
    last = run(folders[-1])
    assert last.returncode == 0, last.stderr
    for folder in folders:
        assert outcome(folder) == outcome(tmp_path / "whole")
        loaded = load(folder)
        for cell in loaded.cells:
            finished = [
                event["episode"]
                for event, holds in valid_events(loaded.log_of(cell).events())
                if holds and event["type"] == "episode_finished"
            ]
            assert finished == [1, 2, 3]
