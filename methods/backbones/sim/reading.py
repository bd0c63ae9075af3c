"""From a prompt to what the learner rests its choice on; what was read once is kept for prompts that extend it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.methods.backbones.sim.counting import count
from evoplay.methods.backbones.sim.experience import Experience, Meter, Names, Trace, rewards_of
from evoplay.methods.backbones.sim.features import Features
from evoplay.methods.backbones.sim.guidance import Advice, read_advice
from evoplay.methods.backbones.sim.transcript import Play, Scanner, alike, present_of

STEADY = 3
"""So many openings that agree in a line are no coincidence."""


@dataclass(slots=True)
class Node:
    """A point of remembered play: what was done and read up to it is the same in all episodes that passed it."""

    next: dict[tuple[int, tuple[str, ...]], Node] = field(default_factory=dict)
    best: tuple[int, float] | None = None


class Reading:
    """A prompt's stable part, read; it grows with the prompt."""

    def __init__(self, recall: float) -> None:
        self.recall = recall
        self.scanner = Scanner()
        self.names = Names()
        self.past = Experience(self.names)
        self.features = Features()
        self.roots: dict[tuple[str, ...], Node] = {}
        self.taken: list[int] = []
        """Which stretches of play are in `past`, in order."""
        self.present = -1
        self.now = Experience(self.names)
        self.trace = Trace([])
        self.node: Node | None = None
        self.constant: frozenset[str] = frozenset()
        """Lines of all remembered openings."""
        self.missing: frozenset[str] = frozenset()
        """Those of them that the present opening lacks."""
        self.tokens = 0
        """Tokens read so far."""
        self._moves = 0
        self._meter = Meter()

    def update(self, text: str, asked: Sequence[float]) -> None:
        """Read more of the stable part; `asked` are the numbers under the list of actions."""
        self.scanner.feed(text)
        self.tokens += count(text)
        plays = self.scanner.plays
        at = present_of(plays, asked)
        if at < 0:
            return
        earlier = [n for n in range(at) if alike(plays[n], plays[at])]
        if earlier[: len(self.taken)] != self.taken:
            # What stands under alike headings has changed its meaning: read everything anew.
            self.features = Features()
            self.past, self.roots, self.taken, self.constant = Experience(self.names), {}, [], frozenset()
        for number in earlier[len(self.taken) :]:
            self._remember(plays[number], len(self.taken))
            self.taken.append(number)
        self.missing = self.constant - frozenset(plays[at].opening)
        if at != self.present:
            self.present, self._moves, self._meter = at, 0, Meter()
            self.now = Experience(self.names)
            self.trace = self.now.open(plays[at])
            self.node = self.roots.get(tuple(plays[at].opening))
        self._follow(plays[at])

    def lines(self) -> list[str]:
        """The game's words that are at hand: the opening and the latest observation of the present episode."""
        if self.present < 0:
            return []
        play = self.scanner.plays[self.present]
        return [*play.opening, *(play.moves[-1].outcome if play.moves else ())]

    def level(self) -> float | None:
        """The score as last shown in the present episode."""
        return self.scanner.plays[self.present].level if self.present >= 0 else None

    def actions(self) -> tuple[str, ...]:
        """Every action seen in the episodes that are remembered and in the present one, in order of first sight."""
        plays = [self.scanner.plays[at] for at in (*(self.taken if self.recall > 0 else ()), self.present) if at >= 0]
        return tuple(dict.fromkeys(move.action for play in plays for move in play.moves if move.action))

    def same_place(self) -> bool:
        """Whether the present episode opens with whatever all remembered ones opened with.

        What was the same in at least `STEADY` openings and is missing in this one says that they are of another
        place; below that number it may be chance.
        """
        return not self.missing or len(self.taken) < STEADY

    def guidance(self, actions: Sequence[str], hints: str) -> list[Advice]:
        """What the prompt advises: plain text before the first episode and in `hints`, and single moves shown there."""
        scanner, first = self.scanner, self.taken[0] if self.taken else self.present
        headings = {play.heading for play in scanner.plays}
        text = "\n".join(line for at, line in scanner.loose if at <= first and line not in headings)
        shown = [play for at, play in enumerate(scanner.plays) if at < self.present and at not in self.taken]
        hinted = Scanner()
        hinted.feed(hints)
        text += "\n" + "\n".join(line for _, line in hinted.loose)
        advice = read_advice(text, actions)
        for play in (*shown, *hinted.plays):
            for move in play.moves:
                if move.action and move.change:
                    advice.append(Advice((move.action,), 1.0 if move.change > 0 else -1.0, move.change))
        return advice

    def _remember(self, play: Play, index: int) -> None:
        """Take an earlier episode in, as far as it is remembered."""
        final, size = play.final, len(play.moves)
        # Which moves are overlooked depends on counts and scores only, never on words.
        rng = random.Random(f"{index} {size} {final}")
        if self.recall <= 0:
            return
        opening = frozenset(play.opening)
        self.constant = self.constant & opening if index else opening
        node = self.roots.setdefault(tuple(play.opening), Node())
        trace = self.past.open(play)
        rewards = rewards_of(play)
        for move, reward in zip(play.moves, rewards, strict=True):
            kept = rng.random() < self.recall
            if node is not None and kept:
                action = self.names.number(move.action)
                if final is not None and (node.best is None or final >= node.best[1]):
                    node.best = (action, final)
            node = node.next.setdefault((self.names.number(move.action), tuple(move.outcome)), Node())
            self.past.take(trace, move, reward, kept)
        self.past.close(trace, final)
        self.features.remember(play, rewards, trace.kept)

    def _follow(self, play: Play) -> None:
        """Take in the new moves of the present episode."""
        if len(play.moves) <= self._moves:
            return
        for move in play.moves[self._moves :]:
            self.now.take(self.trace, move, self._meter.next(move))
            if self.node is not None:
                self.node = self.node.next.get((self.names.number(move.action), tuple(move.outcome)))
        self._moves = len(play.moves)
