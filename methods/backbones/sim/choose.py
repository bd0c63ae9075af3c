"""Which action the simulated learner takes, and the sentence it gives for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from evoplay.methods.backbones.sim.experience import FADE, REACH, START, Experience, Line, Names, Tally, Trace
from evoplay.methods.backbones.sim.features import Features, Key, fresh_words, option_words
from evoplay.methods.backbones.sim.guidance import Advice, pull
from evoplay.methods.backbones.sim.words import tokens

NOW = 3.0
"""What was seen in this episode counts so many times what was seen earlier."""
RARE = 6
"""So many of the rarest lines of an observation are looked up."""
SELDOM = 0.2
"""Share of tries of something quite different that are made although gains keep coming."""
OPTIMISM = 2.5
"""An untried move is hoped to be better than its like by so many spreads, times the rate of exploring."""
ALONE = 0.05
"""Weight, when exploring, of an action that is unlike what would have been done."""


@dataclass(slots=True)
class Choice:
    """An action with the reason for it."""

    action: int
    reason: str


@dataclass(slots=True)
class Case:
    """What a decision rests on: the listed actions, earlier episodes, this episode so far."""

    names: Names
    listed: Sequence[int]
    past: Experience
    now: Experience
    trace: Trace
    best_line: tuple[int, float] | None
    """The next action of the best earlier episode that went exactly like this one so far, and its final score."""
    level: float | None
    explore: float
    features: Features
    advice: Sequence[Advice] = ()
    """What guidance in the prompt says, as far as it is followed now."""


def decide(case: Case, rng: random.Random) -> Choice:
    """The choice among the listed actions."""
    draw, pick = rng.random(), rng.random()
    values, why = _values(case)
    top = max(values)
    best = [at for at, value in enumerate(values) if value >= top - 1e-9]
    chosen = best[int(pick * len(best))]
    rate = case.explore / (1 + len(case.past.scores)) ** 0.5
    if draw < rate:
        return _explore(case, values, chosen, rng)
    return Choice(case.listed[chosen], why[chosen])


def _explore(case: Case, values: Sequence[float], chosen: int, rng: random.Random) -> Choice:
    """A variation: rather an action like the chosen one, rather one that was seldom tried here."""
    names, listed = case.names, case.listed
    context = _contexts(case)[-1]
    scale = _scale(case)
    weights = []
    for at, action in enumerate(listed):
        known = case.past.direct.get((context, action)), case.now.direct.get((context, action))
        times = sum(tally.n for tally in known if tally is not None)
        weight = 1.0 / (1 + times) ** 2
        cost = known_worth(case, context, action)
        if cost < 0:
            weight *= exp(2 * cost / scale)
        ended = case.past.ended.get(action)
        if ended is not None and 2 * ended.n > case.past.tried.get(action, 0) and values[at] < 0:
            weight = 0.0
        weights.append(0.0 if at == chosen else weight)
    alike = [names.heads[action] == names.heads[listed[chosen]] for action in listed]
    kin = sum(weight for weight, like in zip(weights, alike, strict=True) if like)
    others = sum(weights) - kin
    # While it goes well there is little need for anything quite different.
    well = len(case.trace.actions) - case.trace.since <= 2 * REACH and case.trace.since > 0
    if not kin and well and rng.random() > SELDOM:
        return Choice(listed[chosen], "it goes well like this")
    if kin and others:
        strange = 0.0 if well else ALONE
        weights = [
            weight if like else weight * strange * kin / others for weight, like in zip(weights, alike, strict=True)
        ]
    if not any(weights):
        return Choice(listed[chosen], "there is nothing else to try")
    at = rng.choices(range(len(listed)), weights)[0]
    return Choice(listed[at], f"{names.texts[listed[at]]} has been tried least here, so I vary what I would have done")


def _scale(case: Case) -> float:
    """What a way to a gain brings on average, or 1 where none is known."""
    past, now = case.past.gains, case.now.gains
    return abs((past.total + now.total) / (past.n + now.n)) or 1.0 if past.n + now.n else 1.0


def _missed(case: Case) -> float:
    """What ending the episode now forgoes, by what longer episodes brought."""
    length = len(case.trace.actions) + 1
    later = case.past.score_later(length)
    if later is None:
        return max(case.past.growth(), 0.0) * REACH
    now = case.past.score_at(length)
    now = (case.level or 0.0) if now is None else max(now, case.level or 0.0)
    return max(later - now, 0.0)


def known_worth(case: Case, context: Line, action: int) -> float:
    """The reward that an action is known to have brought by itself in a context, 0 where it was not tried."""
    return _mixed(case.past.direct.get((context, action)), case.now.direct.get((context, action)))


def _hope(case: Case) -> float:
    """What an untried move is taken to be worth in a context: a hopeful view of what first tries brought."""
    past, now = case.past.pairs, case.now.pairs
    n = past.n + now.n
    if not n:
        return 0.0
    mean = (past.total + now.total) / n
    spread = max(max((past.square + now.square) / n - mean * mean, 0.0) ** 0.5, _scale(case))
    return mean + OPTIMISM * case.explore * float(spread)


def _contexts(case: Case) -> list[Line]:
    return list(case.now.contexts(case.trace))


def _values(case: Case) -> tuple[list[float], list[str]]:
    names, past, now = case.names, case.past, case.now
    contexts = _contexts(case)
    scale = _scale(case)
    read: frozenset[str] = frozenset()
    hope = _hope(case)
    listed = set(case.listed)
    families = {names.heads[action] for action in case.listed}
    mean_final = sum(past.scores) / len(past.scores) if past.scores else 0.0
    spread = max(past.scores) - min(past.scores) if past.scores else 0.0
    rare = _rare_lines(case)
    still = case.trace.still
    missed: float | None = None
    known: dict[Key, float] = {}
    fresh = fresh_words(case.trace.raw[-1], case.trace.raw[-2] if len(case.trace.raw) > 1 else ())
    played = [names.texts[step] for step in case.trace.actions[-200:]] if case.advice else []
    values, why = [], []
    for action in case.listed:
        value, reason = _plan(case, contexts, action, listed, families, hope)
        if not (past.tried.get(action) or now.tried.get(action)):
            # Of what was never tried, first what the game itself has just spoken of.
            read = read or _words_read(case)
            if any(token in read for token in names.tails[action] or tokens(names.texts[action])):
                value += 0.5 * scale
        value += 0.5 * _by_lines(case, rare, action)
        if spread:
            for context in contexts[:2]:
                finals = past.finals.get((context, action))
                if finals is not None:
                    value += 0.3 * scale * (finals.mean - mean_final) / spread * finals.n / (finals.n + 1)
        if case.features.active:
            text = names.texts[action]
            beside = option_words(case.trace.raw[-1], text)
            words = case.features.worth(text, beside, fresh, known)
            value += words
            if words > 0:
                reason = f"what stands beside {text} did well in earlier episodes"
        tried = past.tried.get(action, 0) + now.tried.get(action, 0)
        idle = past.idle.get(action, 0) + now.idle.get(action, 0)
        if idle:
            share = idle / tried
            value = (1 - share) * value - share * 0.1 * scale * (1 + still)
            reason = f"{names.texts[action]} changed nothing {idle} times" if value < 0 else reason
        ended = past.ended.get(action)
        if ended is not None and past.scores:
            share = ended.n / max(past.tried.get(action, 0), ended.n)
            missed = _missed(case) if missed is None else missed
            value -= share * (missed + (0.3 * scale if ended.mean <= 0 else 0.0))
        if case.advice:
            strength, by = pull(case.advice, played, names.texts[action])
            if by is not None:
                weight = max(abs(by.worth or 0.0), scale)
                value += 2 * strength * weight
                reason = f"the guidance says so: {', '.join(by.actions[:4])}" if strength > 0 else reason
        if case.best_line is not None and case.best_line[0] == action:
            value += scale
            reason = f"so far it goes as in the episode that ended with {case.best_line[1]:g}, which went on like this"
        values.append(value)
        why.append(reason)
    return values, why


def _plan(
    case: Case, contexts: Sequence[Line], action: int, listed: set[int], families: set[int], hope: float
) -> tuple[float, str]:
    """What an action is known to lead to: the best known way to a gain that can still be gone."""
    names, past, now = case.names, case.past, case.now
    for context in reversed(contexts):
        old, new = past.plans.get((context, action)), now.plans.get((context, action))
        if old is None and new is None:
            if context:
                # Tried elsewhere but not here: worth what an untried move is worth on average.
                continue_here = any((context, other) in past.plans or (context, other) in now.plans for other in listed)
                if continue_here:
                    return hope, f"{names.texts[action]} is untried after what I did last"
            continue
        best: float | None = None
        best_way: Line = ()
        for way in {**(old or {}), **(new or {})}:
            if any(step != action and step not in listed and names.heads[step] in families for step in way[1:]):
                continue
            worth = _mixed(old.get(way) if old else None, new.get(way) if new else None)
            if len(way) == 1:
                worth = _mixed(past.direct.get((context, action)), now.direct.get((context, action)))
            worth = worth * FADE ** (len(way) - 1) if worth > 0 else worth
            if best is None or worth > best:
                best, best_way = worth, way
        if context == (START,):
            fresh = names.bag((START, action))
            visits = once = untried = 0
            for other in listed:
                if other != action and names.heads[other] == names.heads[action]:
                    known = past.direct.get((fresh, other)), now.direct.get((fresh, other))
                    times = sum(tally.n for tally in known if tally is not None)
                    untried += not times
                    visits += times
                    once += times == 1
            if untried:
                # The share of visits that found something new, after Good and Turing.
                chance = (once + 1) / (visits + 1)
                worth = known_worth(case, context, action) + FADE * hope * chance
                if best is None or worth > best:
                    return worth, f"{names.texts[action]} has not been followed by all it could be followed by"
        if best is None:
            return 0.0, f"{names.texts[action]} led to nothing that can be done now"
        said = ", ".join(names.texts[step] for step in best_way)
        if best_way:
            return best, f"{said} brought {best:+.3g} before"
        return best, f"{names.texts[action]} brought nothing before"
    return hope, f"{names.texts[action]} is untried"


def _mixed(old: Tally | None, new: Tally | None) -> float:
    n = (old.n if old else 0) + NOW * (new.n if new else 0)
    return ((old.total if old else 0.0) + NOW * (new.total if new else 0.0)) / n if n else 0.0


def _words_read(case: Case) -> frozenset[str]:
    return frozenset(token for line in case.trace.raw[-1] for token in tokens(line))


def _rare_lines(case: Case) -> list[str]:
    past, now = case.past.seen, case.now.seen
    counted = []
    for at, line in enumerate(dict.fromkeys(case.trace.views[-1][:24])):
        times = past.get(line, 0) + now.get(line, 0)
        if times:
            counted.append((times, at, line))
    return [line for _, _, line in sorted(counted, key=lambda entry: entry[:2])[:RARE]]


def _by_lines(case: Case, rare: Sequence[str], action: int) -> float:
    """What followed an action where the same lines were read, weighed by how steady it was."""
    total = weight = 0.0
    spread = max(case.past.returns.variance, case.now.returns.variance) or 1.0
    for line in rare:
        old, new = case.past.lines.get((line, action)), case.now.lines.get((line, action))
        for tally in (old, new):
            if tally is not None:
                n = tally.n
                doubt = (tally.variance * n + 0.2 * spread) / (n + 0.2) * (1 + 1 / n) + 0.02 * spread
                total += tally.mean / doubt
                weight += 1 / doubt
    return total / weight if weight else 0.0
