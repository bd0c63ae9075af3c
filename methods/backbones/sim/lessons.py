"""What the simulated learner says about play it was shown: ways that paid, moves that cost, the best line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evoplay.methods.backbones.sim.experience import Experience, Names, rewards_of
from evoplay.methods.backbones.sim.transcript import Move, Play

LONGEST_LINE = 120
SHORTEST = 2

Kind = Literal["way", "line", "cost", "ending", "idle"]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A thing learned: actions in order, whether to do or to avoid them, what it rests on.

    `labels` are the plain lines that stood above the moves that show it. `worth` is in points, of all actions together.
    """

    kind: Kind
    actions: tuple[str, ...]
    good: bool
    worth: float
    times: int
    labels: tuple[str, ...]
    sentence: str
    last: float = 0.0
    """What the last of the actions brought by itself."""

    @property
    def short(self) -> str:
        """A few words for it."""
        return f"{'Do' if self.good else 'Avoid'} {quoted(self.actions[:3])}"


def quoted(actions: Sequence[str]) -> str:
    """Actions in their order, marked as actions."""
    return ", ".join(f"`{action}`" for action in actions)


def lessons(plays: Sequence[Play]) -> list[Lesson]:
    """The lessons of some stretches of play, the most useful first, good and bad in turn."""
    plays = [play for play in plays if any(move.action for move in play.moves)]
    if not plays:
        return []
    ways = _ways(plays)
    good = [*ways[:2], *_lines(plays), *ways[2:]]
    bad = [*_endings(plays), *_costs(plays), *_idle(plays)]
    turn: list[Lesson] = []
    for at in range(max(len(good), len(bad))):
        turn += [*good[at : at + 1], *bad[at : at + 1]]
    return turn


def score_of(play: Play) -> float:
    """How a stretch of play ended, as far as it shows."""
    final = play.final
    return final if final is not None else play.level or 0.0


def _labels(moves: Sequence[Move]) -> tuple[str, ...]:
    return tuple(move.label for move in moves if move.label)


def _lines(plays: Sequence[Play]) -> list[Lesson]:
    """The line of the best play."""
    best = max(enumerate(plays), key=lambda entry: (score_of(entry[1]), entry[0]))[1]
    actions = tuple(move.action for move in _telling(best))
    score = score_of(best)
    if score <= 0 or len(actions) > LONGEST_LINE or len(actions) < SHORTEST:
        return []
    sentence = f"The best line so far ended with {score:g}; repeat it in this order: {quoted(actions)}."
    return [Lesson("line", actions, True, score, 1, _labels(best.moves[-3:]), sentence)]


def _telling(play: Play) -> list[Move]:
    """The moves of a play up to its last gain that changed something."""
    rewards = rewards_of(play)
    last = max((at for at, reward in enumerate(rewards) if reward > 0), default=-1)
    out, before = [], play.opening
    for move, reward in zip(play.moves[: last + 1], rewards, strict=False):
        if move.action and (reward or not set(move.outcome) <= set(before)):
            out.append(move)
        before = move.outcome
    return out


def _ways(plays: Sequence[Play]) -> list[Lesson]:
    """Runs of moves that ended in a gain, the largest first."""
    names = Names()
    experience = Experience(names)
    where: dict[tuple[int, ...], list[Move]] = {}
    last: dict[tuple[int, ...], float] = {}
    for play in plays:
        trace = experience.open(play)
        for move, reward in zip(play.moves, rewards_of(play), strict=True):
            start = trace.since
            experience.take(trace, move, reward)
            if reward > 0:
                for first in range(start, len(trace.actions)):
                    way = tuple(trace.actions[first:])
                    where.setdefault(way, []).extend(play.moves[first : len(trace.actions)])
                    last[way] = reward
        experience.close(trace, play.final)
    found: dict[tuple[int, ...], tuple[float, int]] = {}
    for (context, _), ways in experience.plans.items():
        if not context:
            for way, tally in ways.items():
                if way and tally.mean > 0:
                    found[way] = (tally.mean, tally.n)
    # Of ways that end alike and bring the same, the longest says most.
    ways_left = [
        (way, mean, n)
        for way, (mean, n) in found.items()
        if not any(len(other) > len(way) and other[-len(way) :] == way and found[other] == (mean, n) for other in found)
    ]
    ways_left.sort(key=lambda entry: -entry[1])
    out = []
    for way, mean, n in ways_left[:40]:
        actions = tuple(names.texts[action] for action in way)
        sentence = f"Do {quoted(actions)}: it brought {mean:+.4g}."
        labels = _labels(where.get(way, []))
        out.append(Lesson("way", actions, True, mean, n, labels, sentence, last.get(way, mean)))
    return out


def _endings(plays: Sequence[Play]) -> list[Lesson]:
    """Moves that ended a play and gained nothing by it."""
    best = max(score_of(play) for play in plays)
    out: dict[str, Lesson] = {}
    for play in plays:
        last, reward = play.moves[-1], rewards_of(play)[-1]
        score = score_of(play)
        goes_on = any(move.action == last.action for other in plays for move in other.moves[:-1])
        if last.action and reward <= 0 and not goes_on and (len(plays) == 1 or score < best):
            sentence = f"Avoid `{last.action}` early: the episode ended with it at {score:g}."
            out[last.action] = Lesson("ending", (last.action,), False, score - best, 1, _labels([last]), sentence)
    return list(out.values())


def _costs(plays: Sequence[Play]) -> list[Lesson]:
    """Runs of up to three moves whose end lost points or gained next to nothing beside other gains."""
    gains = [reward for play in plays for reward in rewards_of(play) if reward > 0]
    poor = 0.2 * sum(gains) / len(gains) if gains else 0.0
    found: dict[tuple[str, ...], tuple[float, int, tuple[str, ...]]] = {}
    for play in plays:
        since = 0
        for at, (move, reward) in enumerate(zip(play.moves, rewards_of(play), strict=True)):
            if (reward < 0 or 0 < reward <= poor) and move.action:
                moves = play.moves[max(since, at - 2) : at + 1]
                way = tuple(step.action for step in moves)
                _, times, labels = found.get(way, (0.0, 0, ()))
                found[way] = (reward, times + 1, (*labels, *_labels(moves)))
            if reward > 0:
                since = at + 1
    ranked = sorted(found.items(), key=lambda entry: (entry[1][0], -entry[1][1]))
    out = []
    for way, (reward, times, labels) in ranked[:20]:
        sentence = f"Avoid {quoted(way)}: it brought only {reward:+.4g}."
        out.append(Lesson("cost", way, False, reward, times, labels, sentence, reward))
    return out


def _idle(plays: Sequence[Play]) -> list[Lesson]:
    """Moves after which nothing new could be read."""
    found: dict[str, list[Move]] = {}
    for play in plays:
        before: Sequence[str] = play.opening
        for move, reward in zip(play.moves, rewards_of(play), strict=True):
            if not reward and move.action and set(move.outcome) <= set(before):
                found.setdefault(move.action, []).append(move)
            before = move.outcome
    return [
        Lesson(
            "idle",
            (action,),
            False,
            0.0,
            len(moves),
            _labels(moves),
            f"Avoid `{action}`: it changed nothing.",
        )
        for action, moves in found.items()
    ]
