"""What the words beside an option are worth, learned from how episodes ended.

Where no score is shown before the end, single moves are judged by the clauses that answered them: a clause that came
more often in episodes with higher final scores is good news. The words of the line that mentions an option, alone and
together with the words of what has just become readable, then share the news that followed when it was chosen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoplay.methods.backbones.sim.transcript import Play
from evoplay.methods.backbones.sim.words import head, masked, tail, tokens

SHRINK = 2.0
"""So many doubts stand against what is known of a word."""
TELLING = 0.6
"""A clause tells something if its count goes with the final scores at least so closely (correlation)."""
FEWEST = 3
"""Episodes it takes to judge clauses."""
MOST_WORDS = 12
MOST_FRESH = 8

_CLAUSE = re.compile(r"[.;:!?()。；：！？（）]+\s*|, ")

Key = tuple[str, str, str]


@lru_cache(maxsize=10_000)
def clauses(line: str) -> tuple[str, ...]:
    """The clauses of a line, numbers masked."""
    return tuple(part.strip() for part in _CLAUSE.split(masked(line)) if part.strip())


@lru_cache(maxsize=10_000)
def _word_list(line: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for token in tokens(line) if not token[0].isdigit()))


def option_words(lines: Sequence[str], action: str) -> tuple[str, ...]:
    """The words of the lines that mention what tells an action from its like; those that begin with it come first."""
    marks = tail(action)
    if not marks:
        return ()
    mark = marks[-1]
    near = [line for line in lines if mark in tokens(line)[:2]] or [line for line in lines if mark in tokens(line)]
    words = (word for line in near[:2] for word in _word_list(line) if word != mark)
    return tuple(dict.fromkeys(words))[:MOST_WORDS]


def fresh_words(lines: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """Words of the lines that could not be read one observation earlier, the last such line first."""
    known = frozenset(before)
    words = (word for line in reversed(lines) if line not in known for word in _word_list(line))
    return tuple(dict.fromkeys(words))[:MOST_FRESH]


@dataclass(slots=True)
class _Sample:
    episode: int
    keys: tuple[Key, ...]
    said: tuple[str, ...]


def keys_of(action: str, option: Sequence[str], fresh: Sequence[str]) -> tuple[Key, ...]:
    """Under what a choice is noted: each word beside the option, and each pair of it with a fresh word."""
    start = head(action)
    single = [(start, word, "") for word in option]
    return (*single, *((start, word, other) for word in option for other in fresh))


class Features:
    """Words beside options, and what choosing them led to, over the remembered episodes."""

    def __init__(self) -> None:
        self.finals: list[float] = []
        self._samples: list[_Sample] = []
        self._counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self._effects: dict[Key, float] = {}
        self.silent = True
        """No score was ever shown to change before the end."""

    def remember(self, play: Play, rewards: Sequence[float], kept: Sequence[bool]) -> None:
        """Take in an episode that is over."""
        self.silent = self.silent and not any(rewards[:-1])
        final = play.final
        if not self.silent or final is None:
            return
        number = len(self.finals)
        self.finals.append(final)
        before: Sequence[str] = ()
        lines: Sequence[str] = play.opening
        last = play.moves[-1].outcome if play.moves else []
        for move, keep in zip(play.moves, kept, strict=True):
            answered = [clause for line in move.outcome if line not in lines for clause in clauses(line)]
            for clause in answered:
                self._counts[clause][number] += 1
            if keep and move.action:
                marks = tail(move.action)
                after = (
                    [clause for line in last if marks[-1] in tokens(line)[:2] for clause in clauses(line)]
                    if marks and move.outcome is not last
                    else []
                )
                keys = keys_of(move.action, option_words(lines, move.action), fresh_words(lines, before))
                self._samples.append(_Sample(number, keys, (*answered, *after)))
            before, lines = lines, move.outcome
        self._weigh()

    @property
    def active(self) -> bool:
        """Whether anything was learned that bears on a choice."""
        return self.silent and bool(self._effects)

    def worth(self, action: str, option: Sequence[str], fresh: Sequence[str], known: dict[Key, float]) -> float:
        """What is expected of a choice, in points beside the average.

        `known` keeps what words are worth beside these `fresh` ones, for the other choices of the same moment.
        """
        effects, start, total = self._effects, head(action), 0.0
        for word in option:
            key = (start, word, "")
            value = known.get(key)
            if value is None:
                value = effects.get(key, 0.0) + sum(effects.get((start, word, other), 0.0) for other in fresh)
                known[key] = value
            total += value
        return total

    def _weigh(self) -> None:
        """Judge all clauses, then all words, by the episodes known so far."""
        self._effects = {}
        if len(self.finals) < FEWEST:
            return
        news = self._news()
        judged = []
        for sample in self._samples:
            told = [news[clause] for clause in sample.said if clause in news]
            judged.append(sum(told) / len(told) if told else 0.0)
        if not any(judged):
            return
        mean = sum(judged) / len(judged)
        sums: dict[Key, float] = defaultdict(float)
        times: dict[Key, int] = defaultdict(int)
        for sample, value in zip(self._samples, judged, strict=True):
            for key in sample.keys:
                sums[key] += value - mean
                times[key] += 1
        self._effects = {key: total / (times[key] + SHRINK) for key, total in sums.items()}

    def _news(self) -> dict[str, float]:
        """Clauses whose count per episode goes with the final scores, with the points one of them stands for."""
        size = len(self.finals)
        level = sum(self.finals) / size
        spread = sum((final - level) ** 2 for final in self.finals)
        out: dict[str, float] = {}
        if not spread:
            return out
        for clause, counts in self._counts.items():
            middle = sum(counts.values()) / size
            around = sum((counts.get(number, 0) - middle) ** 2 for number in range(size))
            if not around:
                continue
            along = sum((counts.get(number, 0) - middle) * (self.finals[number] - level) for number in range(size))
            if along * along >= TELLING * TELLING * around * spread and len(counts) >= 2:
                out[clause] = along / around
        return out
