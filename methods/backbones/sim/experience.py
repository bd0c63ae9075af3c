"""What the simulated learner makes of moves: what followed which action in which context, and how well it ended.

Everything is counted under keys that are compared for equality only. Actions are numbers in order of first sight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import exp, log

from evoplay.methods.backbones.sim.transcript import Move, Play
from evoplay.methods.backbones.sim.words import head, masked, tail

REACH = 5
"""A gain is credited to at most so many actions that led to it."""
FADE = 0.8
"""A reward one move later counts so much."""
CONTEXT = 2
"""So many last actions, at most, tell one situation from another; a gain begins a new count."""
LINES = 24
"""So many lines of an observation are looked at."""

START = -1
"""Stands in a context for the last gain, or the beginning of the episode."""

Line = tuple[int, ...]


class Names:
    """Actions by number, in order of first sight."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.texts: list[str] = []
        self.heads: list[int] = []
        self.tails: list[tuple[str, ...]] = []
        self._heads: dict[str, int] = {}

    def number(self, action: str) -> int:
        """The number of an action."""
        found = self.ids.get(action)
        if found is None:
            found = self.ids[action] = len(self.texts)
            self.texts.append(action)
            start = head(action)
            self.heads.append(self._heads.setdefault(start, len(self._heads)))
            self.tails.append(tail(action))
        return found

    def bag(self, actions: Sequence[int]) -> Line:
        """A context: of actions that are alike the order does not matter."""
        if len(actions) == 2 and actions[0] > actions[1] >= 0 and self.heads[actions[0]] == self.heads[actions[1]]:
            return (actions[1], actions[0])
        return tuple(actions)


class Tally:
    """Count, sum and sum of squares of what was seen under a key."""

    __slots__ = ("n", "square", "total")

    def __init__(self) -> None:
        self.n = 0
        self.total = 0.0
        self.square = 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value
        self.square += value * value

    @property
    def mean(self) -> float:
        return self.total / self.n if self.n else 0.0

    @property
    def variance(self) -> float:
        return max(self.square / self.n - self.mean**2, 0.0) if self.n else 0.0


class Trace:
    """A stretch of play that is being taken in, move by move."""

    def __init__(self, opening: Sequence[str], raw: Sequence[str] = ()) -> None:
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.contexts: list[tuple[Line, ...]] = []
        self.kept: list[bool] = []
        self.views: list[Sequence[str]] = [opening]
        """Masked lines of the observation before each move, and of the present one."""
        self.raw: list[Sequence[str]] = [raw]
        self.levels: list[float | None] = [None]
        self.since = 0
        """Where the moves since the last gain begin."""
        self.still = 0
        """Moves in a row that changed nothing."""
        self.recent: list[int] = [START]
        """The moves since the last gain that changed something, after a mark for that gain."""


class Experience:
    """Counted outcomes of some stretches of play."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.plans: dict[tuple[Line, int], dict[Line, Tally]] = {}
        """(context, action) -> the ways it went on up to the first gain -> what that brought."""
        self.direct: dict[tuple[Line, int], Tally] = defaultdict(Tally)
        """(context, action) -> the reward of that very move."""
        self.lines: dict[tuple[str, int], Tally] = defaultdict(Tally)
        """(masked line seen before, action) -> faded sum of the rewards that followed."""
        self.seen: dict[str, int] = defaultdict(int)
        """Masked line -> number of moves it was seen before."""
        self.tried: dict[int, int] = defaultdict(int)
        self.idle: dict[int, int] = defaultdict(int)
        """Action -> how often nothing new could be read after it and nothing was gained."""
        self.ended: dict[int, Tally] = {}
        """Action -> the reward of the move, where it was the last of its episode."""
        self.finals: dict[tuple[Line, int], Tally] = defaultdict(Tally)
        """(context, action) -> final scores of the episodes in which it occurred."""
        self.scores: list[float] = []
        self.lengths: list[int] = []
        """Moves of the episodes whose final scores are in `scores`."""
        self.gains = Tally()
        """What ways to a gain brought."""
        self.pairs = Tally()
        """The faded return of every first try of a (context, action)."""
        self.returns = Tally()

    def open(self, play: Play) -> Trace:
        """Begin taking in a stretch of play."""
        return Trace([masked(line) for line in play.opening], play.opening)

    def take(self, trace: Trace, move: Move, reward: float, kept: bool = True) -> None:
        """Take in the next move. What is not `kept` happened, but is not remembered."""
        names = self.names
        action = names.number(move.action)
        at = len(trace.actions)
        contexts = self.contexts(trace)
        trace.actions.append(action)
        trace.rewards.append(reward)
        trace.contexts.append(contexts)
        trace.kept.append(kept)
        view = [masked(line) for line in move.outcome]
        before = trace.views[-1]
        # A move after which nothing new can be read is no part of what leads to a gain.
        idle = not reward and set(move.outcome) <= set(trace.raw[-1])
        trace.still = trace.still + 1 if idle else 0
        if reward > 0:
            trace.recent = [START]
        elif not idle:
            trace.recent = [*trace.recent, action][-CONTEXT:]
        if kept:
            self.tried[action] += 1
            for context in contexts:
                self.direct[context, action].add(reward)
            self.idle[action] += idle
            for line in dict.fromkeys(before[:LINES]):
                self.seen[line] += 1
        trace.views.append(view)
        trace.raw.append(move.outcome)
        trace.levels.append(move.level)
        if reward > 0:
            for start in range(max(trace.since, at - REACH + 1), at + 1):
                self._way(trace, start, tuple(trace.actions[start : at + 1]))
            trace.since = at + 1
        elif at - REACH + 1 >= trace.since:
            self._way(trace, at - REACH + 1, ())
        if at >= REACH:
            self._return(trace, at - REACH)

    def contexts(self, trace: Trace) -> tuple[Line, ...]:
        """The contexts of the next move, from none to the last moves."""
        recent = trace.recent
        return tuple(self.names.bag(recent[len(recent) - k :]) for k in range(len(recent) + 1))

    def close(self, trace: Trace, final: float | None) -> None:
        """The stretch is over."""
        size = len(trace.actions)
        for start in range(max(trace.since, size - REACH + 1), size):
            self._way(trace, start, ())
        for start in range(max(size - REACH, 0), size):
            self._return(trace, start)
        if not size:
            return
        last = trace.actions[-1]
        self.ended.setdefault(last, Tally()).add(trace.rewards[-1])
        if final is not None:
            self.scores.append(final)
            self.lengths.append(size)
            keys: dict[tuple[Line, int], None] = {}
            for action, contexts, kept in zip(trace.actions, trace.contexts, trace.kept, strict=True):
                if kept:
                    keys.update(((context, action), None) for context in contexts)
            for key in keys:
                self.finals[key].add(final)

    def _way(self, trace: Trace, start: int, way: Line) -> None:
        """Note how it went on from a move: the actions up to the first gain, or () if there was none in reach."""
        if not trace.kept[start]:
            return
        brought = sum(trace.rewards[start : start + max(len(way), 1)]) if way else min(trace.rewards[start], 0.0)
        if way:
            self.gains.add(brought)
        action = trace.actions[start]
        for context in trace.contexts[start]:
            ways = self.plans.setdefault((context, action), {})
            tally = ways.get(way)
            if tally is None:
                tally = ways[way] = Tally()
                if context:
                    self.pairs.add(brought)
            tally.add(brought)

    def _return(self, trace: Trace, start: int) -> None:
        """Note the faded return of a move under every line that was seen before it."""
        if not trace.kept[start]:
            return
        value, weight = 0.0, 1.0
        for reward in trace.rewards[start : start + REACH + 1]:
            value += weight * reward
            weight *= FADE
        action = trace.actions[start]
        for line in dict.fromkeys(trace.views[start][:LINES]):
            self.lines[line, action].add(value)
        self.returns.add(value)

    def score_at(self, length: int) -> float | None:
        """The final score of remembered episodes of about so many moves; None where there are none."""
        total = weight = 0.0
        for known, score in zip(self.lengths, self.scores, strict=True):
            near = exp(-((log(known / length) / 0.3) ** 2))
            total += near * score
            weight += near
        return total / weight if weight > 0.1 else None

    def score_later(self, length: int) -> float | None:
        """The best of such scores over greater lengths."""
        later = [self.score_at(known) or 0.0 for known in set(self.lengths) if known > length]
        return max(later, default=None)

    def growth(self) -> float:
        """Points by which final scores rise with every further move, by least squares; 0 where it cannot be told."""
        size = len(self.scores)
        if size < 2:
            return 0.0
        middle = sum(self.lengths) / size
        spread = sum((length - middle) ** 2 for length in self.lengths)
        level = sum(self.scores) / size
        rise = sum((length - middle) * (score - level) for length, score in zip(self.lengths, self.scores, strict=True))
        return rise / spread if spread else 0.0


class Meter:
    """The reward of each move in turn: the change of the shown score; at the end, what the final score adds to it.

    Where no score was shown before the end, all of it falls to the last move.
    """

    def __init__(self) -> None:
        self._level: float | None = None
        self._first = True
        self._shown = False

    def next(self, move: Move) -> float:
        """The reward of the next move."""
        shown, change = move.level, move.change
        if self._first:
            self._first, self._shown = False, shown is not None
        if not change and shown is not None:
            if self._level is not None:
                change = shown - self._level
            elif not self._shown:
                change = shown
        if shown is not None:
            self._level = shown
        return change

    def rest(self, final: float | None) -> float:
        """What a final score adds for the last move."""
        return 0.0 if final is None else final - (self._level or 0.0)


def rewards_of(play: Play) -> list[float]:
    """The rewards of a stretch of play that is over."""
    meter = Meter()
    rewards = [meter.next(move) for move in play.moves]
    if rewards:
        rewards[-1] += meter.rest(play.final)
    return rewards
