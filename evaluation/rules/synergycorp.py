"""What a trial of SynergyCorp shows of the hidden rules (T1-T6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from evoplay.envs import make
from evoplay.envs.learn2play.synergycorp import MODALITY, Boss, Grammar, SynergyCorp, Turn, meaning, respond
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

LATE = 3
"""The last episodes of a trial, which show what has been learned."""
ENOUGH_TURNS = 15


class Move(NamedTuple):
    """One turn: with which boss, what was done after what, and what came of it."""

    boss: Boss
    previous: str
    action: str
    turn: Turn

    @property
    def first(self) -> bool:
        return not self.previous


def moves(env: SynergyCorp, episode: EpisodeRecord) -> list[Move]:
    """The turns of an episode, played again."""
    env.reset(episode.episode)
    found: list[Move] = []
    for step in episode.steps:
        boss, standing, turns = env.boss, env.standing, env.turns
        env.step(step.action)
        if env.turns > turns:
            action = meaning(step.action)
            found.append(Move(boss, standing.previous, action, respond(env.grammar, boss, standing, action)))
    return found


def grade(trial: TrialRecord) -> Grades:
    """T1 traits, T2 repetition, T3 taboo, T4 combo, T5 drift, T6 the whole."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, SynergyCorp)
    played = [moves(env, episode) for episode in trial.episodes]
    late = played[-LATE:]
    return {
        "T1": _traits(env.grammar, late),
        "T2": _repetition(late),
        "T3": _taboo(env.grammar, played),
        "T4": _combo(env.grammar, played),
        "T5": _drift(played[len(played) // 2 :]),
        "T6": _whole(env, trial.episodes[-LATE:]),
    }


def _traits(grammar: Grammar, late: Sequence[list[Move]]) -> Grade:
    setup, follow = grammar.combo

    def knows(move: Move) -> bool:
        loved = move.boss.preference
        return MODALITY[move.action] == loved or (move.action == setup and MODALITY[follow] == loved)

    first = [knows(move) for played in late for move in played if move.first]
    share = sum(first) / len(first) if first else 0.0
    return graded(share >= 0.8 and len(first) >= 9, share >= 0.5)


def _repetition(late: Sequence[list[Move]]) -> Grade:
    counted = [move for played in late if len(played) >= ENOUGH_TURNS for move in played]
    if not counted:
        return "-"
    share = sum(move.action == move.previous for move in counted) / len(counted)
    return graded(share <= 0.05, share <= 0.15)


def _taboo(grammar: Grammar, played: Sequence[list[Move]]) -> Grade:
    chances = demerits = 0
    for move in (move for turns in played for move in turns):
        if demerits and move.first and grammar.taboo_trait in move.boss.traits:
            chances += 1
        demerits += move.turn.delta is None
    if not demerits:
        return "P"
    further = demerits - 1
    return graded(chances >= 3 and not further, further == 0 < chances or (further == 1 and chances >= 3))


def _combo(grammar: Grammar, played: Sequence[list[Move]]) -> Grade:
    uses = [
        sum((move.previous, move.action) == grammar.combo and (move.turn.delta or 0) > 0 for move in turns)
        for turns in played
    ]
    often = sum(count >= 3 for count in uses)
    return graded(often >= 2, often >= 1)


def _drift(second_half: Sequence[list[Move]]) -> Grade:
    answers = [
        MODALITY[after.action] == move.boss.drift
        for turns in second_half
        for move, after in pairwise(turns)
        if move.turn.drifts and not move.turn.won
    ]
    return graded(len(answers) >= 2 and sum(answers) >= 0.75 * len(answers), any(answers))


def _whole(env: SynergyCorp, late: Sequence[EpisodeRecord]) -> Grade:
    reached = sum(episode.score or 0 for episode in late)
    best = sum(env.reference(episode.episode).value for episode in late)
    return graded(reached >= 0.85 * best, reached >= 0.65 * best)
