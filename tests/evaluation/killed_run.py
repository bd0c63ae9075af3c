"""A run that kills itself with SIGKILL at a chosen moment: `python killed_run.py FOLDER MOMENT COUNT`.

MOMENT is "write" (inside the COUNT-th write to a log, half of which is on disk), "end" (in the COUNT-th call that a
method makes at the end of an episode), "act" (in the COUNT-th call for an action), or "never".
"""

import os
import random
import signal
import sys
import threading

from evoplay.evaluation import runlog
from evoplay.evaluation.config import make_config
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.base import Backbone, Completion
from evoplay.methods.base import Method
from evoplay.methods.registry import register

PADDING = "x" * 200_000
CONFIG = {
    "env": ["learn2play/gemforge", "learn2play/hauntedinn"],
    "method": ["memory", "noting"],
    "backbone": "sim/learner",
    "episodes": 3,
    "trials": 2,
    "seed": 5,
    "concurrency": 4,
}


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Countdown:
    """Says once when it has been asked so many times."""

    def __init__(self, count):
        self.left, self.lock = count, threading.Lock()

    def over(self):
        with self.lock:
            self.left -= 1
            return self.left == 0


class Chooser(Backbone):
    """Picks a listed action by the call's seed alone, quickly settled; notes at the end of episodes are long."""

    name = "chooser"
    free = True

    def __init__(self, moment, countdown):
        self.moment, self.countdown = moment, countdown

    def complete(self, messages, *, purpose, seed, **how):
        if (purpose == "act") == (self.moment == "act") and self.moment in ("act", "end") and self.countdown.over():
            die()
        if purpose != "act":
            return Completion(f"note {seed} {PADDING}")
        listed = messages[-1].content.rpartition("Actions to choose from:")[2]
        actions = [line[2:] for line in listed.splitlines() if line.startswith("- ")]
        return Completion(f"Action: {random.Random(seed).choice(actions)}", usd=0.0)


class Noting(Method):
    """Asks for a note at the end of every episode and keeps its number."""

    name = "noting"

    def __init__(self):
        self.notes = []

    def end_episode(self, episode):
        seed = self.services.seed_of(episode.episode, 0, "reflect")
        self.notes.append(self.services.backbone.complete([], purpose="reflect", seed=seed).text.split()[1])

    def state(self):
        return {"notes": list(self.notes)}

    def restore(self, state, episodes):
        self.notes = list(state.get("notes", ()))


def kill_inside_a_write(countdown):
    whole = runlog.CellLog.write

    def write(self, events):
        if not countdown.over():
            return whole(self, events)
        data = b"".join(runlog._line({**event, "padding": PADDING}) for event in events)
        os.write(self._file, data[: len(data) // 2])
        return die()

    runlog.CellLog.write = write


def main(folder, moment, count):
    register(Noting)
    countdown = Countdown(int(count))
    if moment == "write":
        kill_inside_a_write(countdown)
    run = Run(make_config({**CONFIG, "out": folder}), Chooser(moment, countdown))
    outcome = run.execute(run.prepare())
    sys.exit(outcome.exit_code)


if __name__ == "__main__":
    main(*sys.argv[1:])
