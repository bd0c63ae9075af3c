"""What a trial of Model Auditor shows of the hidden parts and of the routine that finds them (T1-T6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from evoplay.envs import make
from evoplay.envs.learn2play.modelkeeper_expert import (
    CELLS,
    RESET,
    ZERO,
    ModelkeeperExpert,
    Vector,
    parse_probe,
    tick,
)
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

LATE = 3
PAIRS = 3
GOOD_SCORE = 85
MANY_EXPERIMENTS = 5


class Experiment(NamedTuple):
    """The probes between two resets; `reset` where a reset began it."""

    reset: bool
    probes: tuple[Vector, ...]


class Audit(NamedTuple):
    """An episode: its experiments, and for every cell that depends on history whether it was answered right."""

    number: int
    experiments: tuple[Experiment, ...]
    historic: tuple[bool, ...]
    score: float


def audit(env: ModelkeeperExpert, record: EpisodeRecord) -> Audit:
    """An episode, played again."""
    env.reset(record.episode)
    groups: list[tuple[bool, list[Vector]]] = [(False, [])]
    for step in record.steps:
        probing, probes = env.phase == "probing", env.probes
        env.step(step.action)
        command = step.action.strip().lower()
        vector = parse_probe(command)
        if env.probes > probes and vector is not None:
            groups[-1][1].append(vector)
        elif probing and command == "reset" and step.accepted:
            groups.append((True, []))
    experiments = tuple(Experiment(reset, tuple(probes)) for reset, probes in groups if probes)
    return Audit(record.episode, experiments, _historic(env), record.score or 0)


def _historic(env: ModelkeeperExpert) -> tuple[bool, ...]:
    """Of the cells that a single tick from the zero state would not tell: whether each was answered right."""
    puzzle = env.puzzle
    truth = [value for row in puzzle.truth for value in row]
    fresh = [value for vector in puzzle.exam for value in tick(puzzle.machine, RESET, vector)[1]]
    given: list[int | None] = [*env.answers, *[None] * (CELLS - len(env.answers))]
    return tuple(answer == value for answer, value, bare in zip(given, truth, fresh, strict=True) if value != bare)


def grade(trial: TrialRecord) -> Grades:
    """T1 reset, T2 build-up and fading, T3 two inputs joined, T4 sum or threshold, T5 memory used, T6 the routine."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, ModelkeeperExpert)
    audits = [audit(env, record) for record in trial.episodes]
    return {
        "T1": _resets(audits),
        "T2": _fading([_faded(one.experiments) for one in audits]),
        "T3": _most([_pairs_held(one.experiments) for one in audits]),
        "T4": _most([_doubled(one.experiments) for one in audits]),
        "T5": _memory(audits[-2:]),
        "T6": _routine([one.score >= GOOD_SCORE for one in audits]),
    }


def _resets(audits: Sequence[Audit]) -> Grade:
    many = [
        one.number >= 2 and sum(experiment.reset for experiment in one.experiments) >= MANY_EXPERIMENTS
        for one in audits
    ]
    return graded(len(many) >= LATE and all(many[-LATE:]), any(many))


def _faded(experiments: Iterable[Experiment]) -> int:
    """How many different vectors were held for two ticks or more and then let go to zero."""
    held: set[Vector] = set()
    for experiment in experiments:
        runs = [(vector, len(list(group))) for vector, group in groupby(experiment.probes)]
        held |= {vector for (vector, ticks), (after, _) in pairwise(runs) if ticks >= 2 and after == ZERO != vector}
    return len(held)


def _fading(held: Sequence[int]) -> Grade:
    return graded(sum(count >= 4 for count in held) >= 2, any(held))


def _pairs_held(experiments: Iterable[Experiment]) -> int:
    """How many pairs of inputs were held for two ticks or more straight after a reset."""
    return len(
        {
            places(experiment.probes[0])
            for experiment in experiments
            if experiment.reset
            and len(places(experiment.probes[0])) == 2
            and experiment.probes[1:2] == experiment.probes[:1]
        }
    )


def _doubled(experiments: Iterable[Experiment]) -> int:
    """How many patterns of inputs were the first tick after a reset both with ones and with twos."""
    first = {experiment.probes[0] for experiment in experiments if experiment.reset}
    ones, twos = ({places(vector) for vector in first if set(vector) - {0} == {value}} for value in (1, 2))
    return len(ones & twos)


def places(vector: Vector) -> tuple[int, ...]:
    """The inputs that are not zero."""
    return tuple(at for at, value in enumerate(vector) if value)


def _most(counts: Sequence[int]) -> Grade:
    most = max(counts, default=0)
    return graded(most >= PAIRS, most >= 1)


def _memory(last: Iterable[Audit]) -> Grade:
    right = [answer for one in last for answer in one.historic]
    share = sum(right) / len(right) if right else 0.0
    return graded(share >= 0.9, share >= 0.6)


def _routine(good: Sequence[bool]) -> Grade:
    return graded(any(one and other for one, other in pairwise(good)), any(good))
