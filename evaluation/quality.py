"""Memory quality: which of the claims a method held as rules are true of the game, and how long a planted one lived.

Analysis only, after a run: claims that name an action, a condition and an effect are tried on clones of the
environment, at every moment of the trial's own play where the condition holds. Others are left unchecked and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoplay.envs.base import Env, Observation
from evoplay.envs.registry import make
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.runlog import Cell
from evoplay.memory.checks import Check, check_of
from evoplay.memory.claims import Claim, rebuilt
from evoplay.memory.records import EpisodeRecord, Step

MOST_TRIALS = 60
"""Moments at which a claim is tried at most, spread evenly over those where its condition holds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A claim held as a rule, with how often it was tried and how often its effect came about.

    verdict : "true" (always), "false" (not always), or "unchecked" (it names nothing that can be tried, its
        condition never held, or the game's rules are other ones since it was played).
    """

    claim: Claim
    verdict: str
    tried: int = 0
    held: int = 0


@dataclass(slots=True)
class Survival:
    """What became of a planted claim. `shown` are the episodes whose prompts showed it as a rule.

    episodes : episodes played after the planting until it was no longer shown, None if it was to the end.
    reworded : the method changed its words meanwhile.
    """

    claim: Claim
    shown: list[int]
    episodes: int | None
    reworded: bool


@dataclass(slots=True)
class Quality:
    """Of one trial: the claims it held as rules at the end, and the planted one. `holds` is False without rules."""

    cell: Cell
    rules: list[Tried] = field(default_factory=list)
    planted: Survival | None = None
    holds: bool = True

    def count(self, verdict: str) -> int:
        return sum(tried.verdict == verdict for tried in self.rules)


def quality_of(run: LoadedRun, cell: Cell) -> Quality:
    """The memory quality of a trial, worked out by replaying it."""
    events = [event for event, holds in run.events(cell) if holds]
    told = [event for event in events if event["type"] == "rules"]
    claims = rebuilt(run.history(cell).claims)
    quality = Quality(cell, holds=bool(told))
    if told:
        held = [claims[claim_id] for claim_id in told[-1]["held"]]
        if cell.env_id in run.changed_rules:
            # Today's game would judge what was learned of another one.
            quality.rules = [Tried(claim, "unchecked") for claim in held]
        else:
            quality.rules = try_claims(held, _env_of(run, cell), run.episodes_of(cell))
    planted = next((event for event in events if event["type"] == "planted" and event["claim"]), None)
    if planted is not None:
        quality.planted = _survival(claims[planted["claim"]], planted["episode"], told)
    return quality


def try_claims(claims: Sequence[Claim], env: Env, episodes: Sequence[EpisodeRecord]) -> list[Tried]:
    """Every claim with its verdict; instance claims are tried in the last episode only."""
    checks = {claim.id: check_of(claim) for claim in claims}
    moments: dict[str, list[tuple[int, int, str]]] = {claim_id: [] for claim_id, check in checks.items() if check}
    for episode in episodes:
        for at, (observation, before) in enumerate(_positions(env, episode)):
            for claim in claims:
                check = checks[claim.id]
                if check is None or (claim.scope == "instance" and episode is not episodes[-1]):
                    continue
                if check.holds(observation.text, before):
                    moments[claim.id] += [(episode.episode, at, action) for action in _actions(check, observation)]
    chosen = {claim_id: _spread(found, MOST_TRIALS) for claim_id, found in moments.items()}
    counts = {claim_id: [0, 0] for claim_id in chosen}
    for episode in episodes:
        wanted = {
            (at, action): [claim_id for claim_id, those in chosen.items() if (episode.episode, at, action) in those]
            for those in chosen.values()
            for number, at, action in those
            if number == episode.episode
        }
        if not wanted:
            continue
        for at, (observation, before) in enumerate(_positions(env, episode)):
            for (place, action), claim_ids in wanted.items():
                if place == at:
                    _try(env, observation, before, action, [(counts[one], checks[one]) for one in claim_ids])
    return [_verdict(claim, *counts.get(claim.id, (0, 0))) for claim in claims]


def table_of(run: LoadedRun) -> list[dict[str, Any]]:
    """One row a contender that holds rules: rules held, true, false and unchecked, and the planted claim's survival."""
    rows = []
    for contender in run.contenders:
        trials = [quality_of(run, cell) for cell in run.cells_of(contender)]
        trials = [trial for trial in trials if trial.holds]
        if not trials:
            continue
        verdicts = {name: sum(trial.count(name) for trial in trials) for name in ("true", "false", "unchecked")}
        checked = verdicts["true"] + verdicts["false"]
        planted = [trial.planted for trial in trials if trial.planted is not None]
        gone = sorted(one.episodes for one in planted if one.episodes is not None)
        rows.append(
            {"contender": contender, "trials": len(trials), "rules": sum(len(trial.rules) for trial in trials)}
            | verdicts
            | {"share_true": verdicts["true"] / checked if checked else None}
            | {"planted": len(planted), "survived": len(planted) - len(gone), "gone_after": gone}
        )
    return rows


def _survival(claim: Claim, after: int, told: Sequence[dict[str, Any]]) -> Survival:
    """Shown is what prompts of later episodes showed; it is gone once no later prompt shows it any more."""
    later = [event for event in told if event["episode"] > after]
    shown = [event["episode"] for event in later if claim.id in event["shown"]]
    last = later[-1] if later else None
    still = last is not None and (claim.id in last["shown"] or claim.id in last["held"])
    gone = None if still or last is None else (shown[-1] if shown else after) - after
    return Survival(claim, shown, gone, any(one.until > after for one in claim.earlier))


def _env_of(run: LoadedRun, cell: Cell) -> Env:
    config = run.info["config"]
    options = dict(config.get("env_options") or {})
    if config.get("episode_mode", "reshuffled") != "reshuffled":
        options["episode_mode"] = config["episode_mode"]
    return make(cell.env_id, cell.seed, **options)


def _positions(env: Env, episode: EpisodeRecord) -> Iterator[tuple[Observation, list[Step]]]:
    """Every moment of an episode at which an action was due: what was seen, and the steps before it.

    While it is taken, `env` stands at that moment.
    """
    observation = env.reset(episode.episode)
    before: list[Step] = []
    for record in episode.steps:
        yield observation, before
        after = env.step(record.action)
        before.append(_step(observation, record.action, after))
        observation = after


def _actions(check: Check, observation: Observation) -> list[str]:
    """The actions a claim speaks of: the one it names, or those listed that its pattern fits."""
    if "*" not in check.action:
        return [next((one for one in observation.valid_actions if check.is_action(one)), check.action)]
    return [action for action in observation.valid_actions if check.is_action(action)]


def _try(
    env: Env,
    observation: Observation,
    before: list[Step],
    action: str,
    claims: Sequence[tuple[list[int], Check | None]],
) -> None:
    step = _step(observation, action, env.clone().step(action))
    for counts, check in claims:
        verdict = None if check is None else check.verdict(step, before)
        if verdict is not None:
            counts[0] += 1
            counts[1] += verdict


def _step(before: Observation, action: str, after: Observation) -> Step:
    """A step with the true scores: a claim about the score is true or false whether or not the game shows it."""
    return Step(
        id="",
        episode=0,
        step=0,
        observation=before.text,
        valid_actions=before.valid_actions,
        reply="",
        action=action,
        outcome=after.text,
        accepted=after.accepted,
        score_before=before.score,
        score_after=after.score,
        done=after.done,
    )


def _spread(found: list[tuple[int, int, str]], most: int) -> set[tuple[int, int, str]]:
    return {found[at * len(found) // most] for at in range(most)} if len(found) > most else set(found)


def _verdict(claim: Claim, tried: int, held: int) -> Tried:
    verdict = "unchecked" if not tried else "true" if held == tried else "false"
    return Tried(claim, verdict, tried, held)
