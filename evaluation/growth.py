"""Trials that were simulated in part, continued to the end.

A trial goes the way of those of its method that were simulated further: a memory fills up, and a player that learns
plays shorter or longer, in ways that the first episodes do not tell. It does so in proportion to what both took as far
as it was simulated itself, and that as far as environments differ by more than episodes do by chance.

Where no trial was simulated to its end, those that went furthest go on along their line. It is read from the first
prompts of episodes, which hold what was carried over and next to nothing of the episode itself, so that its chance
length does not show; the first third is left out as the way in, and growth is believed as far as it is steady. The
rest goes on by its mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.taken import Calls, Taken

FULL = 0.9
"""Share of the token budget that prompts fill on average once they reach it: they are cut to 0.8 of it, and grow."""


def continued(
    trials: Mapping[Cell, Sequence[Taken]],
    planned: Mapping[Cell, int],
    budget: int | None = None,
    freeze_after: int | None = None,
) -> dict[Cell, list[Taken]]:
    """The trials of one method, each with as many episodes as are planned of it; simulated episodes stay as they are.

    budget : tokens a prompt may hold (None: no limit). freeze_after : the episode after which nothing more is learned.
    """
    found: dict[Cell, list[Taken]] = {}
    for episodes in dict.fromkeys(planned[cell] for cell in trials):
        alike = {cell: list(rows) for cell, rows in trials.items() if planned[cell] == episodes}
        furthest = max(map(len, alike.values()))
        ahead = [rows for rows in alike.values() if len(rows) == furthest]
        freeze = episodes if freeze_after is None else freeze_after
        trust = _trust(ahead, lambda one: one.first), _trust(ahead, lambda one: one.learn.input)
        led = [_along_its_line(rows, episodes, trust, budget, freeze) for rows in ahead]
        leaders = iter(led)
        mean = [_mean([rows[at] for rows in led]) for at in range(episodes)]
        own = _own(alike.values(), lambda one: one.play.calls), _own(alike.values(), lambda one: one.play.input)
        for cell, rows in alike.items():
            found[cell] = next(leaders) if len(rows) == furthest else _in_proportion(rows, mean, own)
    return {cell: found[cell] for cell in trials}


def _in_proportion(rows: list[Taken], leaders: Sequence[Taken], own: tuple[float, float]) -> list[Taken]:
    """A trial continued the way of others, by the mean of what their episodes took."""
    here, there = _mean(rows).play, _mean(leaders[: len(rows)]).play
    calls = (here.calls / there.calls) ** own[0] if here.calls and there.calls else 1.0
    tokens = (here.input / there.input) ** own[1] if here.input and there.input else 1.0
    a_call = tokens / calls
    ahead = [
        Taken(
            Calls(calls * play.calls, tokens * play.input, calls * play.fresh, calls * play.output),
            Calls(learn.calls, tokens * learn.input, tokens * learn.fresh, learn.output),
            a_call * one.first,
            a_call * one.longest,
        )
        for one in leaders[len(rows) :]
        for play, learn in [(one.play, one.learn)]
    ]
    return rows + ahead


def _own(trials: Iterable[Sequence[Taken]], value: Callable[[Taken], float]) -> float:
    """How much of what trials differ by in their first episodes is their own and not chance, from 0 to 1."""
    begun = list(trials)
    count = min(map(len, begun))
    # Of what all trials share in an episode, such as the first one's short prompts, nothing remains.
    logs = np.log([[max(value(one), 1.0) for one in rows[:count]] for rows in begun])
    logs -= logs.mean(axis=0)
    spread = float(logs.mean(axis=1).var(ddof=1)) if len(begun) > 1 else 0.0
    if count < 2 or not spread:
        return 1.0
    chance = float(((logs - logs.mean(axis=1, keepdims=True)) ** 2).sum()) / ((len(begun) - 1) * (count - 1) * count)
    return max(0.0, 1 - chance / spread)


def _along_its_line(
    rows: list[Taken], episodes: int, trust: tuple[float, float], budget: int | None, freeze: int
) -> list[Taken]:
    done = len(rows)
    if done >= episodes:
        return rows
    known = rows
    if done > freeze:
        # What was played after the freeze shows all that is left to come.
        known, trust = rows[freeze:], (0.0, 0.0)
    late = _mean(_later(known))
    a_call = max(late.play.calls, 1.0)
    first = _Line([one.first for one in _later(known)], trust[0])
    read = _Line([one.learn.input for one in _later(known)], trust[1])
    ahead = []
    for number in range(done + 1, episodes + 1):
        # The first frozen episode still holds what the last one before it brought.
        opening = first.at(min(number, freeze + 1) - done)
        grown = opening - late.first
        prompts, longest = late.play.input + grown * late.play.calls, max(one.longest for one in known) + grown
        if budget is not None:
            prompts = min(prompts, max(FULL * budget * a_call, late.play.input))
            longest = min(longest, budget)
        play = Calls(late.play.calls, prompts, min(late.play.fresh, prompts), late.play.output)
        learn = Calls()
        if number <= freeze or done > freeze:
            said = read.at(number - done)
            new = late.learn.fresh / late.learn.input if late.learn.input else 0.0
            learn = Calls(late.learn.calls, said, new * said, late.learn.output)
        ahead.append(Taken(play, learn, opening, longest))
    return rows + ahead


class _Line:
    """Values continued along their line, as far as it is trusted; never below the smallest of them."""

    def __init__(self, values: Sequence[float], trust: float) -> None:
        slope = float(np.polyfit(range(len(values)), values, 1)[0]) if trust and len(values) > 1 else 0.0
        self.slope = trust * slope
        self.last = float(np.mean(values)) + self.slope * (len(values) - 1) / 2
        self.least = min(values)

    def at(self, ahead: int) -> float:
        """The value so many episodes after the last one that is known."""
        return float(max(self.last + self.slope * ahead, self.least))


def _trust(trials: Sequence[Sequence[Taken]], value: Callable[[Taken], float]) -> float:
    """How far growth is believed, from 0 to 1: what of its square over all trials is more than its squared error."""
    steps: list[float] = []
    for rows in trials:
        values = [value(one) for one in _later(rows)]
        size = sum(values) / max(len(values), 1)
        if size > 0:
            steps += list(np.diff(values) / size)
    growth = float(np.mean(steps)) if len(steps) > 1 else 0.0
    if growth <= 0:
        return 0.0
    error = float(np.std(steps, ddof=1)) / math.sqrt(len(steps))
    return max(0.0, 1 - (error / growth) ** 2)


def _later(rows: Sequence[Taken]) -> Sequence[Taken]:
    return rows[len(rows) // 3 :]


def _mean(rows: Sequence[Taken]) -> Taken:
    def calls(parts: Sequence[Calls]) -> Calls:
        fields = Calls.__dataclass_fields__
        return Calls(*(sum(getattr(one, name) for one in parts) / len(rows) for name in fields))

    first, longest = (sum(getattr(one, name) for one in rows) / len(rows) for name in ("first", "longest"))
    return Taken(calls([one.play for one in rows]), calls([one.learn for one in rows]), first, longest)
