"""What a trial of DreamGarden shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.envs import make
from evoplay.envs.learn2play.dreamgarden import CREATURES, STIMULI, TURN_ACTIONS, Dream, draw_dream
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_LINES = [re.compile(rf"^{re.escape(name)} +value +[-+]?\d+ \| +(\d+) ", re.MULTILINE) for name in CREATURES]


@dataclass
class Turn:
    """One turn: its number, the impulse, and the populations on show before it."""

    number: int
    action: str
    shown: tuple[int, ...]


@dataclass
class Run:
    """The turns of an episode."""

    episode: int
    score: float
    turns: list[Turn] = field(default_factory=list)

    def uses(self, stimulus: int) -> list[Turn]:
        return [turn for turn in self.turns if turn.action == STIMULI[stimulus]]


def run_of(episode: EpisodeRecord) -> Run:
    """Read an episode back from its accepted turns and the status blocks before them."""
    run = Run(episode.episode, episode.score or 0)
    shown = _populations(episode.opening) or (0,) * len(CREATURES)
    for step in episode.steps:
        act = step.action.strip().lower()
        if step.accepted and act in TURN_ACTIONS:
            run.turns.append(Turn(len(run.turns) + 1, act, shown))
        shown = _populations(step.outcome) or shown
    return run


def _populations(text: str) -> tuple[int, ...] | None:
    found = [line.search(text) for line in _LINES]
    return tuple(int(match.group(1)) for match in found if match) if all(found) else None


def grade(trial: TrialRecord) -> Grades:
    """T1 the trap, T2 the delayed chain, T3 saturation, T4 the foe, T5 the chain's yield, T6 control."""
    runs = [run_of(episode) for episode in sorted(trial.episodes, key=lambda episode: episode.episode)]
    dream, last = draw_dream(trial.seed), runs[-2:]
    return {
        "T1": _trap(dream, [run for run in runs if run.episode >= 3 and run.turns]),
        "T2": _chain(dream, runs),
        "T3": _saturation(dream, last),
        "T4": _foe(dream, last),
        "T5": _held(dream, last),
        "T6": _control(trial, last),
    }


def _trap(dream: Dream, runs: Sequence[Run]) -> Grade:
    most = max((len(run.uses(dream.trap)) for run in runs), default=2)
    return graded(most == 0, most <= 1)


def _chain(dream: Dream, runs: Sequence[Run]) -> Grade:
    def timed(run: Run) -> bool:
        numbers = [turn.number for turn in run.uses(dream.starter)]
        return len(numbers) >= 3 and numbers[1] <= 9 and numbers[-1] <= 16

    shown = [timed(run) for run in runs]
    return graded(len(shown) >= 2 and all(shown[-2:]), any(shown[1:]))


def _saturation(dream: Dream, last: Sequence[Run]) -> Grade:
    """Nothing is shown where the feeder is hardly used."""
    uses = [run.uses(dream.feeder) for run in last]
    if len(last) < 2 or min(map(len, uses)) < 5:
        return "-"
    wasted = sum(turn.shown[dream.first] >= 44 for used in uses for turn in used)
    return graded(wasted == 0, wasted <= 2)


def _foe(dream: Dream, last: Sequence[Run]) -> Grade:
    def kept_down(run: Run) -> bool:
        used = run.uses(dream.suppressor)
        grown = any(turn.shown[dream.foe] >= 25 for turn in run.turns if turn.number > 3)
        return len(used) >= 2 and not grown and all(turn.shown[dream.foe] > 0 for turn in used)

    shown = [kept_down(run) for run in last]
    return graded(len(shown) >= 2 and all(shown), any(shown))


def _held(dream: Dream, last: Sequence[Run]) -> Grade:
    most = max((sum(turn.shown[dream.last] >= 33 for turn in run.turns) for run in last), default=0)
    return graded(most >= 8, most >= 4)


def _control(trial: TrialRecord, last: Sequence[Run]) -> Grade:
    best = max((run.score for run in last), default=0)
    share = best / make(trial.env_id, trial.seed).reference(1).value
    return graded(share >= 0.95, share >= 0.85)
