"""Episodes from slots: candidates are drawn until one keeps every condition; the others are counted by reason.

Everything is decided by (seed, split, index, try) through numpy's PCG64, so the same integer gives the same episodes
in any process and each episode can be had alone. Conditions: specification of the suite, section 2; the reasons are
`REASONS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from evoplay.envs.adaexplore.blueprints import Blueprint, Constraint, FieldSpec, load_blueprint
from evoplay.envs.adaexplore.config import WORLD
from evoplay.envs.adaexplore.dynamics import (
    Array,
    Calibration,
    Factor,
    Ranges,
    Rule,
    best_actions,
    calibrate,
    drifted,
    evidence,
    has_gaps,
    scores,
    utilities,
)
from evoplay.envs.adaexplore.sampling import Infeasible, feasible_cases
from evoplay.envs.adaexplore.slots import Slot, split_slots
from evoplay.envs.base import EnvError

REASONS = {
    "no factors": "no choice of factors and drift fits the blueprint",
    "infeasible": "too few cases keep the constraints",
    "quartiles": "two quartiles of the raw evidence lie too close",
    "factor without effect": "leaving a factor out changes the best action of too few cases",
    "actions before": "an action is best for too few or too many cases before the drift",
    "actions after": "an action is best for too few or too many cases after the drift",
    "change": "the drift changes the best action of too few or too many cases",
    "harmless batch": "a batch after the drift has no case in which the old rule costs enough",
}
_STREAM_CODES = {"eval": 1, "train": 2, "same_family": 3, "same_rule": 4}


class SlotError(EnvError):
    """A slot for which no candidate was accepted."""


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """One evaluation instance.

    Parameters
    ----------
    slot : what was fixed beforehand.
    title, role, scenario, actions : the blueprint's texts.
    fields, constraints : of this episode, in column order; constraints that speak of these fields only.
    before, after : the rule before and from batch `slot.drift` on.
    calibration : fixed by the rule before the drift.
    cases : evaluation cases, (batches * cases per batch, fields), in the order of play.
    removed, added, reversed_field : the drift; `why_replaced`, `why_reversed` are the blueprint's reasons.
    population_seed : entropy of the stream the population was drawn from (`numpy.random.SeedSequence`).
    """

    slot: Slot
    title: str
    role: str
    scenario: str
    actions: tuple[str, ...]
    fields: tuple[FieldSpec, ...]
    constraints: tuple[Constraint, ...]
    before: Rule
    after: Rule
    calibration: Calibration
    cases: Array
    removed: str
    added: str
    reversed_field: str
    why_replaced: str
    why_reversed: str
    population_seed: tuple[int, ...]

    @property
    def ranges(self) -> Ranges:
        specs = self.fields
        return Ranges(tuple(s.name for s in specs), tuple(s.low for s in specs), tuple(s.high for s in specs))

    def rule(self, batch: int) -> Rule:
        """The rule in force from the window before a batch (from 1) on, with the drift."""
        return self.before if batch < self.slot.drift else self.after


@dataclass(slots=True)
class Tally:
    """Candidates drawn, accepted, and rejected by reason."""

    drawn: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.drawn += other.drawn
        self.accepted += other.accepted
        self.rejected.update(other.rejected)


class Rejected(Exception):
    """A candidate that breaks a condition; the argument is one of `REASONS`."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which fields an episode has and what they do."""

    names: tuple[str, ...]
    directions: Mapping[str, int]
    removed: str
    added: str
    added_direction: int
    reversed_field: str
    why_replaced: str


def generate(slot: Slot, seed: int, blueprint: Blueprint | None = None) -> tuple[Episode, Tally]:
    """The episode of a slot under a seed, with the tally of candidates.

    Raises SlotError after `WORLD.tries` rejected candidates, naming the condition that failed most.
    """
    plan = blueprint or load_blueprint(slot.domain, slot.task)
    tally = Tally()
    for attempt in range(WORLD.tries):
        tally.drawn += 1
        try:
            episode = _candidate(slot, plan, (seed, _STREAM_CODES[slot.split], slot.index, attempt))
        except Rejected as reason:
            tally.rejected[str(reason)] += 1
            continue
        tally.accepted += 1
        return episode, tally
    worst, count = tally.rejected.most_common(1)[0]
    raise SlotError(
        f"slot {slot.index} of {slot.split} ({slot.domain}/{slot.task}, {slot.family}, {slot.factors} factors) failed "
        f"{WORLD.tries} times, {count} of them because {REASONS[worst]}: revise the blueprint or take another seed"
    )


@lru_cache(maxsize=512)
def episode_for(slot: Slot, seed: int) -> Episode:
    """The episode of a slot with its built-in blueprint, remembered."""
    return generate(slot, seed)[0]


def generate_split(
    split: str, seed: int, blueprints: Mapping[tuple[str, str], Blueprint] | None = None
) -> Iterator[tuple[Episode, Tally]]:
    """All episodes of a split in order. `blueprints` replaces built-in ones by (domain, task)."""
    for slot in split_slots(split):
        yield generate(slot, seed, (blueprints or {}).get((slot.domain, slot.task)))


def with_new_cases(episode: Episode, seed: int, number: int) -> Episode:
    """The same rule, drift and fields with other evaluation cases, which keep the same conditions.

    `number` counts the episodes of a stream `same_rule`. Raises SlotError as `generate` does.
    """
    reasons: Counter[str] = Counter()
    for attempt in range(WORLD.tries):
        rng = _rng((seed, _STREAM_CODES["same_rule"], episode.slot.index, number, attempt), 2)
        cases = feasible_cases(rng, episode.fields, episode.constraints, WORLD.batches * WORLD.cases)
        fresh = replace(episode, cases=cases)
        try:
            check_cases(fresh)
        except Rejected as reason:
            reasons[str(reason)] += 1
            continue
        return fresh
    raise SlotError(f"no new cases for slot {episode.slot.index}: {REASONS[reasons.most_common(1)[0][0]]}")


def _rng(entropy: Sequence[int], stage: int) -> np.random.Generator:
    """Stage 0: choices and parameters; 1: the population; 2: the evaluation cases."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([*entropy, stage])))


def _candidate(slot: Slot, blueprint: Blueprint, entropy: tuple[int, ...]) -> Episode:
    rng = _rng(entropy, 0)
    choice = _choose(rng, blueprint, slot.factors)
    fields = tuple(blueprint.field(name) for name in choice.names)
    constraints = blueprint.constraints_among(choice.names)
    try:
        population = feasible_cases(_rng(entropy, 1), fields, constraints, WORLD.population)
        cases = feasible_cases(_rng(entropy, 2), fields, constraints, WORLD.batches * WORLD.cases)
    except Infeasible:
        raise Rejected("infeasible") from None
    before, after = _rules(rng, slot, choice, fields, population)
    ranges = Ranges(choice.names, tuple(f.low for f in fields), tuple(f.high for f in fields))
    calibration = calibrate(evidence(before, ranges, population))
    if not has_gaps(calibration, WORLD.quartile_gap):
        raise Rejected("quartiles")
    episode = Episode(
        slot,
        blueprint.title,
        blueprint.role,
        blueprint.scenario,
        blueprint.actions,
        fields,
        constraints,
        before,
        after,
        calibration,
        cases,
        choice.removed,
        choice.added,
        choice.reversed_field,
        choice.why_replaced,
        blueprint.field(choice.reversed_field).reversal,
        (*entropy, 1),
    )
    check_cases(episode)
    for rule in (before, after):
        if min(factor_effects(rule, calibration, ranges, population).values()) < WORLD.factor_effect:
            raise Rejected("factor without effect")
    return episode


def _choose(rng: np.random.Generator, blueprint: Blueprint, count: int) -> _Choice:
    """Factors, drift and distractors.

    The pair of the replacement comes first, then the factor that turns round, then the other factors, in an order of
    their own (the priority), then distractors up to the number of fields, in an order of their own (the columns).
    """
    pair = blueprint.replacements[rng.integers(len(blueprint.replacements))]
    turn = int(rng.integers(2))
    removed, added = pair.fields[turn], pair.fields[1 - turn]
    open_names = [spec.name for spec in blueprint.fields if spec.directions and spec.name not in pair.fields]
    reversible = [name for name in open_names if len(blueprint.field(name).directions) == 2]
    if not reversible or len(open_names) < count - 1:
        raise Rejected("no factors")
    reversed_field = reversible[rng.integers(len(reversible))]
    others = [name for name in open_names if name != reversed_field]
    picked = [others[i] for i in rng.permutation(len(others))[: count - 2]]
    factors = [removed, reversed_field, *picked]
    factors = [factors[i] for i in rng.permutation(count)]
    rest = [spec.name for spec in blueprint.fields if spec.name not in factors and spec.name != added]
    distractors = [added, *(rest[i] for i in rng.permutation(len(rest))[: WORLD.fields - count - 1])]
    names = [*factors, *distractors]
    names = [names[i] for i in rng.permutation(len(names))]

    def direction(name: str) -> int:
        allowed = blueprint.field(name).directions
        return int(allowed[rng.integers(len(allowed))])

    directions = {name: direction(name) for name in factors}
    return _Choice(tuple(names), directions, removed, added, direction(added), reversed_field, pair.why)


def _rules(
    rng: np.random.Generator, slot: Slot, choice: _Choice, fields: tuple[FieldSpec, ...], population: Array
) -> tuple[Rule, Rule]:
    weights = rng.uniform(*WORLD.weight_range, size=len(choice.directions))
    weights = weights / weights.sum()

    def threshold(name: str) -> float:
        column = choice.names.index(name)
        return float(np.quantile(population[:, column], rng.uniform(*WORLD.threshold_quantiles)))

    additive = slot.family == "additive"
    factors = tuple(
        Factor(name, direction, float(weight) if additive else 0.0, 0.0 if additive else threshold(name))
        for (name, direction), weight in zip(choice.directions.items(), weights, strict=True)
    )
    before = Rule(slot.family, factors)
    added = Factor(choice.added, choice.added_direction, 0.0, 0.0 if additive else threshold(choice.added))
    return before, drifted(before, choice.removed, added, choice.reversed_field)


def check_cases(episode: Episode) -> None:
    """Raise Rejected if the evaluation cases break one of the conditions on them."""
    old, new = (case_utilities(episode, rule) for rule in (episode.before, episode.after))
    best_old, best_new = best_actions(old), best_actions(new)
    for best, reason in ((best_old, "actions before"), (best_new, "actions after")):
        shares = np.bincount(best, minlength=len(WORLD.centres)) / len(best)
        if shares.min() < WORLD.action_share[0] or shares.max() > WORLD.action_share[1]:
            raise Rejected(reason)
    if not WORLD.changed_share[0] <= float((best_old != best_new).mean()) <= WORLD.changed_share[1]:
        raise Rejected("change")
    rows = np.arange(len(best_old))
    loss = (new[rows, best_new] - new[rows, best_old]).reshape(-1, WORLD.cases).max(axis=1)
    if loss[episode.slot.drift - 1 :].min() < WORLD.stale_loss:
        raise Rejected("harmless batch")


def case_utilities(episode: Episode, rule: Rule) -> Array:
    """Exact utilities of the four actions for all evaluation cases under a rule, shape (n, 4)."""
    raw = evidence(rule, episode.ranges, episode.cases)
    return utilities(scores(raw, episode.calibration))


def factor_effects(rule: Rule, calibration: Calibration, ranges: Ranges, population: Array) -> dict[str, float]:
    """Share of the population whose best action changes when a factor is left out, by factor."""
    best = best_actions(utilities(scores(evidence(rule, ranges, population), calibration)))
    shares = {}
    for factor in rule.factors:
        raw = evidence(rule.without(factor.field), ranges, population)
        shares[factor.field] = float((best_actions(utilities(scores(raw, calibration))) != best).mean())
    return shares
