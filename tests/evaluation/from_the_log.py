"""Every figure of a run, computed a second time from its folder alone: run.json, references.json and cells/**/*.jsonl.

Nothing of evoplay is imported. Missing values are None in figures and nan inside arrays; shares are in percent where
the program shows percent. Left out is what takes the game itself: grades of rules, references, the truth of claims.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

METRICS = ("max", "mean", "lg", "ls")
NAN = float("nan")

# --- the log --------------------------------------------------------------------------------------------------------


@dataclass
class Episode:
    """A finished episode."""

    number: int
    score: float | None = None
    failed: bool = False
    capped: bool = False
    left: bool = False
    steps: list[dict[str, Any]] = field(default_factory=list)
    asides: dict[str, str] = field(default_factory=dict)
    z: float = NAN


@dataclass
class Trial:
    """What a trial's file holds: finished episodes, all calls ever made, other events that hold, prompts' texts."""

    env: str
    seed: int
    contender: str
    number: int
    id: str
    episodes: list[Episode]
    calls: list[dict[str, Any]]
    events: list[dict[str, Any]]
    prompts: list[tuple[str, str]]
    references: dict[int, float | None]

    @property
    def scored(self) -> list[int]:
        """The episodes that have a z: those whose reference is not 0."""
        return [number for number, value in self.references.items() if value]


@dataclass
class Run:
    """A run's folder, read."""

    info: dict[str, Any]
    trials: list[Trial]

    @property
    def contenders(self) -> list[str]:
        return [row["label"] for row in self.info["contenders"]]

    @property
    def games(self) -> list[tuple[str, int]]:
        """The games that have references, with their seeds."""
        having = [trial for trial in self.trials if None not in trial.references.values()]
        return list(dict.fromkeys((trial.env, trial.seed) for trial in having))

    def of(self, contender: str, game: tuple[str, int] | None = None) -> list[Trial]:
        """A contender's trials, of one game or of all."""
        mine = [trial for trial in self.trials if trial.contender == contender]
        return [trial for trial in mine if game in (None, (trial.env, trial.seed))]

    def weight(self, game: tuple[str, int]) -> float:
        """3 for a challenge game, 1 for another; several seeds of a game share it."""
        seeds = {trial.seed for trial in self.trials if trial.env == game[0]}
        return (3 if self.info["envs"][game[0]]["challenge"] else 1) / len(seeds)


def read_run(folder: Path) -> Run:
    """A run from its folder."""
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "references.json").read_text(encoding="utf-8"))
    trials = []
    for cell in info["cells"]:
        path = folder / "cells" / f"{cell['path']}.jsonl"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = [json.loads(line) for line in text.splitlines()]
        planned = info["envs"][cell["env"]]["episodes"]
        by_episode = references[cell["env"]][str(cell["seed"])]
        value = {number: by_episode[str(number)].get("value") for number in range(1, planned + 1)}
        valid = holding(lines)
        trials.append(
            Trial(
                cell["env"],
                cell["seed"],
                cell["contender"],
                cell["trial"],
                cell["id"],
                finished(valid, value),
                [line for line in lines if line["type"] == "call"],
                valid,
                prompts(lines),
                value,
            )
        )
    return Run(info, trials)


def holding(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events that no `resumed` voids: of those since the method last took an episode in, the first few are kept."""
    kept: list[dict[str, Any]] = []
    settled = 0
    for line in lines:
        if line["type"] == "resumed":
            del kept[settled + line["keep_until"] :]
            settled = len(kept)
            continue
        kept.append(line)
        if line["type"] == "episode_closed":
            settled = len(kept)
    return kept


def finished(events: list[dict[str, Any]], references: dict[int, float | None]) -> list[Episode]:
    """The episodes that came to an end, with z; a failed one is without score, an unscored one without z."""
    done: list[Episode] = []
    now = Episode(0)
    for event in events:
        kind = event["type"]
        if kind == "episode_started":
            now = Episode(event["episode"])
        elif kind == "step":
            now.steps.append(event)
        elif kind == "aside":
            now.asides[event["id"]] = event["reply"]
        elif kind == "episode_finished":
            now.score, now.failed = event["score"], event["score"] is None
            now.capped, now.left = event.get("capped", False), event.get("left", False)
            reference = references[now.number]
            if now.score is not None and reference:
                now.z = 100 * now.score / reference
            done.append(now)
    return done


def prompts(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Purpose and text of every prompt: blocks kept from the last one and new ones, or messages of a block each."""
    texts = {line["id"]: line["text"] for line in lines if line["type"] == "block"}
    found = []
    last: list[str] = []
    for line in lines:
        if line["type"] != "call":
            continue
        if "prompt" in line:
            last = last[: line["prompt"]["keep"]] + line["prompt"]["add"]
            system = line["prompt"]["system"]
            parts = ["".join(texts[one] for one in ids) for ids in (last[:system], last[system:])]
        else:
            parts = [texts[one] for _, one in line["messages"]]
        found.append((line["purpose"], "\0".join(parts)))
    return found


# --- scores ---------------------------------------------------------------------------------------------------------


def z_rows(run: Run, contender: str, game: tuple[str, int]) -> np.ndarray:
    """z of a game's scored episodes, a row a trial; nan where an episode failed or was not played."""
    rows = []
    for trial in run.of(contender, game):
        by_number = {episode.number: episode.z for episode in trial.episodes}
        rows.append([by_number.get(number, NAN) for number in trial.scored])
    return np.array(rows, dtype=float)


def numbers(run: Run, game: tuple[str, int]) -> list[int]:
    """The scored episodes of a game."""
    return next(trial.scored for trial in run.trials if (trial.env, trial.seed) == game)


def mean_of(values: Any) -> float:
    """Mean of what is there; nan where nothing is."""
    there = present(values)
    return math.fsum(there) / len(there) if there else NAN


def present(values: Any) -> list[float]:
    return [float(value) for value in values if not math.isnan(value)]


def figure(metric: str, z: list[float], episodes: list[int]) -> float:
    """A metric of one trial, from the episodes that did not fail."""
    there = [(t, value) for t, value in zip(episodes, z, strict=True) if not math.isnan(value)]
    if metric == "max":
        return max((value for _, value in there), default=NAN)
    if metric == "mean":
        return mean_of(z)
    if metric == "lg":
        k = min(3, len(z) // 2)
        return mean_of(z[len(z) - k :]) - mean_of(z[:k])
    if len(there) < 2:
        return NAN
    middle = sum(t for t, _ in there) / len(there)
    return sum((t - middle) * value for t, value in there) / sum((t - middle) ** 2 for t, _ in there)


def by_trial(run: Run, contender: str, metric: str) -> dict[tuple[str, int], list[float]]:
    """A metric of every trial, by game."""
    return {
        game: [figure(metric, list(row), numbers(run, game)) for row in z_rows(run, contender, game)]
        for game in run.games
    }


@dataclass
class Estimate:
    """A weighted mean over games, its spread over trials, its interval; None is «not available»."""

    mean: float | None
    sd: float | None
    ci: tuple[float, float] | None
    p: float | None = None


def known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def estimate(run: Run, samples: dict[tuple[str, int], list[float]], minus: dict | None = None) -> Estimate:
    """Same games, new trials: stratified by game, a t quantile with Satterthwaite's degrees of freedom.

    With `minus` the difference of two contenders, whose trials are not paired. A game without a value is left out.
    """
    sides = [(1, samples)] if minus is None else [(1, samples), (-1, minus)]
    games = [game for game in samples if all(present(side[game]) for _, side in sides)]
    if not games:
        return Estimate(None, None, None)
    whole = sum(run.weight(game) for game in games)
    value, parts, enough = 0.0, [], True
    for game in games:
        share = run.weight(game) / whole
        for sign, side in sides:
            there = present(side[game])
            value += sign * share * mean_of(there)
            enough = enough and len(there) >= 3
            if enough:
                parts.append((share**2 * statistics.variance(there) / len(there), len(there) - 1))
    low_high, p = interval(value, parts) if enough else (None, None)
    sd = spread(run, {game: samples[game] for game in games}) if minus is None else None
    return Estimate(value, sd, low_high, p)


def interval(value: float, parts: list[tuple[float, int]]) -> tuple[tuple[float, float], float | None]:
    """Interval and two-sided p from variances of independent parts with their degrees of freedom; no p without any."""
    total = math.fsum(part for part, _ in parts)
    if total == 0:
        return (value, value), None
    freedom = total**2 / math.fsum(part**2 / df for part, df in parts)
    error = math.sqrt(total)
    reach = stats.t.ppf(0.975, freedom) * error
    return (value - reach, value + reach), 2 * stats.t.sf(abs(value) / error, freedom)


def spread(run: Run, samples: dict[tuple[str, int], list[float]]) -> float | None:
    """Sample standard deviation of the trials' weighted means; a trial without a game's figure has none."""
    whole = sum(run.weight(game) for game in samples)
    trials = zip(*samples.values(), strict=False)
    means = [
        math.fsum(run.weight(game) / whole * one for game, one in zip(samples, trial, strict=True)) for trial in trials
    ]
    means = [mean for mean in means if not math.isnan(mean)]
    return statistics.stdev(means) if len(means) >= 2 else None


def over_games(run: Run, samples: dict[tuple[str, int], list[float]], resamples: int, seed: int) -> tuple[float, float]:
    """New games: percentiles of the weighted mean over games drawn with replacement, a game with all its seeds."""
    games = {env: [game for game in samples if game[0] == env] for env, _ in samples}
    weights = np.array([sum(run.weight(game) for game in seeds) for seeds in games.values()])
    sums = np.array([sum(run.weight(game) * mean_of(samples[game]) for game in seeds) for seeds in games.values()])
    drawn = np.random.default_rng(seed).integers(0, len(games), (resamples, len(games)))
    found = sums[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def wins(ours: dict[tuple[str, int], list[float]], theirs: dict[tuple[str, int], list[float]]) -> dict[str, int]:
    """Games in which one contender's mean is above the other's, below it, or the same."""
    gaps = present(mean_of(ours[game]) - mean_of(theirs[game]) for game in ours)
    tied = [gap for gap in gaps if abs(gap) < 1e-9]
    won = [gap for gap in gaps if gap >= 1e-9]
    return {"won": len(won), "lost": len(gaps) - len(won) - len(tied), "tied": len(tied)}


def holm(p_values: dict[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction; what has no p takes no part."""
    there = {name: p for name, p in p_values.items() if p is not None}
    corrected: dict[str, float | None] = dict.fromkeys(p_values)
    for name, p in there.items():
        ranks = [(len(there) - sum(one < other for one in there.values())) * other for other in there.values()]
        corrected[name] = min(1.0, max(rank for rank, other in zip(ranks, there.values(), strict=True) if other <= p))
    return corrected


def pairs(run: Run, baseline: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Every other contender less the baseline, metric by metric, with Holm's correction over them."""
    others = [name for name in run.contenders if name != baseline]
    found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in others}
    for metric in METRICS:
        theirs = by_trial(run, baseline, metric)
        for name in others:
            ours = by_trial(run, name, metric)
            gap = estimate(run, ours, theirs)
            found[name][metric] = {"mean": gap.mean, "ci": gap.ci, "p": gap.p} | wins(ours, theirs)
        for name, p in holm({name: found[name][metric]["p"] for name in others}).items():
            found[name][metric]["p_holm"] = p
    return found


def power(run: Run, ours: str, theirs: str, metric: str, effect: float, trials: int) -> float:
    """Chance that the stratified two-sided t test at 5 % finds a true difference with so many trials a game."""
    whole = sum(run.weight(game) for game in run.games)
    parts = []
    for name in (ours, theirs):
        for game, values in by_trial(run, name, metric).items():
            parts.append((run.weight(game) / whole) ** 2 * statistics.variance(present(values)) / trials)
    total = math.fsum(parts)
    freedom = total**2 / math.fsum(part**2 / (trials - 1) for part in parts)
    bound, shift = stats.t.ppf(0.975, freedom), effect / math.sqrt(total)
    # Given the estimated error, the test statistic is normal: the mean over what that error may be.
    ratio = np.sqrt(stats.chi2.ppf((np.arange(20_000) + 0.5) / 20_000, freedom) / freedom)
    return float(np.mean(stats.norm.sf(bound * ratio - shift) + stats.norm.cdf(-bound * ratio - shift)))


# --- curves ---------------------------------------------------------------------------------------------------------


def at_ten_points(values: list[float]) -> list[float]:
    """Values of scored episodes at ten points from the first to the last, interpolated; what is missing is bridged."""
    there = [(at, value) for at, value in enumerate(values) if not math.isnan(value)]
    if not there:
        return [NAN] * 10
    points = np.linspace(0, len(values) - 1, 10)
    return list(np.interp(points, [at for at, _ in there], [value for _, value in there]))


def curve(run: Run, contender: str) -> list[float]:
    """Mean z over trials at ten points of progress, weighted over games."""
    games = {game: at_ten_points([mean_of(column) for column in z_rows(run, contender, game).T]) for game in run.games}
    return weighted(run, games)


def weighted(run: Run, games: dict[tuple[str, int], list[float]]) -> list[float]:
    """The weighted mean over the games that have one, point by point."""
    there = [game for game in games if not math.isnan(games[game][0])]
    whole = sum(run.weight(game) for game in there)
    if not there:
        return [NAN] * 10
    return [sum(run.weight(game) / whole * games[game][point] for game in there) for point in range(10)]


def bands(run: Run, contender: str) -> list[tuple[float, float] | None]:
    """Intervals along a curve, from every trial's own curve point by point."""
    by_game = {game: np.array([at_ten_points(list(row)) for row in z_rows(run, contender, game)]) for game in run.games}
    return [estimate(run, {game: list(curves[:, point]) for game, curves in by_game.items()}).ci for point in range(10)]


def frozen(run: Run, contender: str) -> dict[str, Estimate]:
    """Mean z while learning and with frozen memory, and the change."""
    after = run.info["config"]["freeze_after"]
    parts: dict[str, dict[tuple[str, int], list[float]]] = {"learning": {}, "frozen": {}, "change": {}}
    for game in run.games:
        late = np.array(numbers(run, game)) > after
        rows = z_rows(run, contender, game)
        parts["learning"][game] = [mean_of(row[~late]) for row in rows]
        parts["frozen"][game] = [mean_of(row[late]) for row in rows]
        parts["change"][game] = [
            new - old for new, old in zip(parts["frozen"][game], parts["learning"][game], strict=True)
        ]
    return {name: estimate(run, samples) for name, samples in parts.items()}


def transfer(control: Run, reshuffled: Run, contender: str) -> dict[str, Any]:
    """LS of both conditions and the drop, in all and by game."""
    same, new = by_trial(control, contender, "ls"), by_trial(reshuffled, contender, "ls")
    choices = {"all": list(same)} | {env: [(env, seed)] for env, seed in same}
    found = {}
    for name, games in choices.items():
        one, other = {game: same[game] for game in games}, {game: new[game] for game in games}
        found[name] = {
            "control": estimate(control, one),
            "reshuffled": estimate(control, other),
            "drop": estimate(control, one, other),
        }
    return found


# --- behaviour ------------------------------------------------------------------------------------------------------


def distance(one: list[str], other: list[str]) -> int:
    """Levenshtein's: the fewest insertions, deletions and replacements."""
    costs = {(at, 0): at for at in range(len(one) + 1)} | {(0, at): at for at in range(len(other) + 1)}
    for a, mine in enumerate(one, 1):
        for b, yours in enumerate(other, 1):
            costs[a, b] = min(costs[a - 1, b] + 1, costs[a, b - 1] + 1, costs[a - 1, b - 1] + (mine != yours))
    return costs[len(one), len(other)]


def played(trial: Trial) -> list[Episode]:
    """The episodes that did not fail."""
    return [episode for episode in trial.episodes if not episode.failed]


def actions(episode: Episode) -> list[str]:
    return [step["action"] for step in episode.steps]


def similarity(trial: Trial) -> float:
    """Mean over neighbouring episodes of 1 − distance / length of the longer; one that failed is no whole episode."""
    found = []
    for one, other in pairwise(played(trial)):
        if other.number == one.number + 1:
            longer = max(len(one.steps), len(other.steps))
            found.append(1 - distance(actions(one), actions(other)) / longer if longer else 1.0)
    return mean_of(found)


def setbacks(trial: Trial) -> tuple[int, int]:
    """Scores below the one before, and how many of them a new best followed at once."""
    last = trial.scored[-1] if trial.scored else 0
    z = {episode.number: episode.z for episode in trial.episodes if not math.isnan(episode.z)}
    all_of_them = [t for t in z if t - 1 in z and t + 1 in z and t < last and z[t] < z[t - 1]]
    return sum(z[t + 1] > max(z[i] for i in z if i <= t) for t in all_of_them), len(all_of_them)


def behaviour(trials: list[Trial]) -> dict[str, float | None]:
    """Behaviour of some trials: similarity and distinct actions a trial, the rest over all of their steps or episodes.

    Actions of failed episodes were taken all the same; their lengths say nothing.
    """
    steps = [step for trial in trials for episode in trial.episodes for step in episode.steps]
    recovered, fell = (sum(part) for part in zip(*map(setbacks, trials), strict=True))
    distinct = [len({action for episode in trial.episodes for action in actions(episode)}) for trial in trials]
    lengths = [len(episode.steps) for trial in trials for episode in played(trial)]
    return {
        "similarity": known(mean_of([similarity(trial) for trial in trials])),
        "recovery": 100 * recovered / fell if fell else None,
        "setbacks": fell,
        "refused": 100 * sum(not step["accepted"] for step in steps) / len(steps) if steps else None,
        "distinct": sum(distinct) / len(distinct),
        "steps": known(mean_of(lengths)),
    }


# --- cost -----------------------------------------------------------------------------------------------------------

KINDS = ("input", "cached", "cache_write", "output", "reasoning")


def tokens(call: dict[str, Any], kind: str) -> int:
    """Tokens of a call; fresh is input that was neither read from nor written to a cache."""
    usage = call["usage"]
    if kind == "fresh":
        return usage.get("input", 0) - usage.get("cached", 0) - usage.get("cache_write", 0)
    if kind == "total":
        return usage.get("input", 0) + usage.get("output", 0)
    return usage.get(kind, 0)


def unpriced(call: dict[str, Any]) -> bool:
    """A call whose price nobody knows; one that failed and used nothing has cost nothing."""
    return call["usd"] is None and (not call.get("failed") or tokens(call, "total") > 0)


def usd(calls: list[dict[str, Any]]) -> float | None:
    """What calls cost; None where a price is not known."""
    return None if any(map(unpriced, calls)) else math.fsum(call["usd"] or 0 for call in calls)


def spent(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Calls, tokens by kind, USD and seconds of some calls."""
    summed = {kind: sum(tokens(call, kind) for call in calls) for kind in (*KINDS, "fresh", "total")}
    return summed | {
        "calls": len(calls),
        "failed": sum(bool(call.get("failed")) for call in calls),
        "unpriced": sum(map(unpriced, calls)),
        "usd": usd(calls),
        "seconds": math.fsum(call.get("seconds", 0) for call in calls),
    }


def calls_of(run: Run, contender: str) -> list[dict[str, Any]]:
    return [call for trial in run.of(contender) for call in trial.calls]


def by_purpose(run: Run, contender: str) -> dict[str, dict[str, Any]]:
    """What a contender spent, purpose by purpose, with calls an episode."""
    groups = defaultdict(list)
    for call in calls_of(run, contender):
        groups[call["purpose"]].append(call)
    count = sum(len(trial.episodes) for trial in run.of(contender))
    return {
        purpose: spent(calls) | {"calls_an_episode": len(calls) / count if count else None}
        for purpose, calls in groups.items()
    }


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    end = min(len(one), len(other))
    return next((at for at in range(end) if one[at] != other[at]), end)


def cache_shares(run: Run, contender: str) -> dict[str, float | None]:
    """Percent of the input that repeats the start of the trial's call before it, and of what providers say was cached.

    The first is in characters; a call is compared with the last one of its purpose.
    """
    same = whole = 0
    for trial in run.of(contender):
        before: dict[str, str] = {}
        for purpose, text in trial.prompts:
            last = before.get(purpose, "")
            same += shared(text, last)
            whole += len(text)
            before[purpose] = text
    reported = [call for call in calls_of(run, contender) if call["usage"].get("source") == "provider"]
    taken = sum(tokens(call, "input") for call in reported)
    return {
        "predicted": 100 * same / whole if whole else None,
        "billed": 100 * sum(tokens(call, "cached") for call in reported) / taken if taken else None,
    }


def an_episode(run: Run, contender: str) -> dict[str, float | None]:
    """Calls, tokens and USD a finished episode."""
    count = sum(len(trial.episodes) for trial in run.of(contender))
    found = spent(calls_of(run, contender))
    return {
        "calls": found["calls"] / count if count else None,
        "tokens": found["total"] / count if count else None,
        "usd": found["usd"] / count if count and found["usd"] is not None else None,
    }


def frontier(points: dict[str, tuple[float | None, float | None]]) -> set[str]:
    """Those to which no other is at least as good and as cheap, and better in one. Unpriced ones are not on it."""
    there = {name: point for name, point in points.items() if None not in point}
    return {
        name
        for name, (score, cost) in there.items()
        if not any(s >= score and c <= cost and (s, c) != (score, cost) for s, c in there.values())
    }


def equal_spend(run: Run, contender: str, unit: str) -> list[dict[str, float]] | None:
    """Spend so far, best so far and score at ten points of progress: means over trials, weighted over games.

    Spend is that of all calls up to the end of an episode. None where a call is unpriced. Trials without a score are
    left out.
    """
    if unit == "usd" and any(map(unpriced, calls_of(run, contender))):
        return None
    parts: dict[str, dict[tuple[str, int], list[float]]] = {"spend": {}, "best": {}, "z": {}}
    for game in run.games:
        lines: dict[str, list[list[float]]] = {name: [] for name in parts}
        for trial, row in zip(run.of(contender, game), z_rows(run, contender, game), strict=True):
            if np.isnan(row).all():
                continue
            price = [(call["usd"] or 0) if unit == "usd" else tokens(call, "total") for call in trial.calls]
            upto = [
                math.fsum(cost for call, cost in zip(trial.calls, price, strict=True) if call["episode"] <= number)
                for number in trial.scored
            ]
            lines["spend"].append(at_ten_points(upto))
            lines["best"].append(at_ten_points(best_so_far(list(row))))
            lines["z"].append(at_ten_points(list(row)))
        for name, curves in lines.items():
            parts[name][game] = [mean_of(column) for column in zip(*curves, strict=True)]
    rows = zip(*(weighted(run, parts[name]) for name in parts), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]


def best_so_far(z: list[float]) -> list[float]:
    """The best z up to each episode; missing as long as none has been scored."""
    return [max(present(z[: at + 1]), default=NAN) for at in range(len(z))]


def losses(run: Run, contender: str) -> dict[str, int]:
    """What was lost, capped, left or dropped."""
    trials = run.of(contender)
    episodes = [episode for trial in trials for episode in trial.episodes]
    events = [event for trial in trials for event in trial.events]
    calls = calls_of(run, contender)
    drops = [event for event in events if event["type"] == "drop"]
    return {
        "planned": sum(run.info["envs"][trial.env]["episodes"] for trial in trials),
        "played": len(episodes),
        "failed": sum(episode.failed for episode in episodes),
        "capped": sum(episode.capped for episode in episodes),
        "left": sum(episode.left for episode in episodes),
        "failed_calls": sum(bool(call.get("failed")) for call in calls),
        "lost_updates": sum(event["type"] == "error" and event["what"] == "memory" for event in events),
        "retried": sum(call.get("attempts", 1) > 1 for call in calls),
        "flagged": sum(bool(call["usage"].get("flags")) for call in calls),
        "drops": len(drops),
        "dropped_tokens": sum(event["tokens"] for event in drops),
    }


# --- rules ----------------------------------------------------------------------------------------------------------


def grid_cell(grades: list[str]) -> tuple[str, int]:
    """The best grade over the trials, and the number of trials with S."""
    best = next((grade for grade in "SP" if grade in grades), "−")
    return best, grades.count("S")


def claim_counts(run: Run, contender: str) -> Counter[str]:
    """How many claims a contender made, by kind."""
    events = [event for trial in run.of(contender) for event in trial.events if event["type"] == "claim"]
    return Counter(event["kind"] for event in events if event["op"] == "claim")


# --- exploration and drift ------------------------------------------------------------------------------------------


@dataclass
class Explored:
    """What is known of an episode of AdaExplore."""

    facts: dict[str, Any]
    batches: dict[int, list[tuple[list[float], int]]]
    probes: list[tuple[bool, tuple[float, ...]]]
    asides: dict[str, str]
    steps: list[dict[str, Any]]


def explored(episode: Episode) -> Explored:
    """Answered cases by batch, probes with whether the rule had changed, and assessments."""
    info = [step.get("info", {}) for step in episode.steps]
    facts = next(one["episode"] for one in info if "episode" in one)
    batches = {
        one["batch"]: list(zip(one["utilities"], one["actions"], strict=True))
        for one in info
        if one.get("kind") == "submit"
    }
    probes = [(one["drifted"], tuple(case)) for one in info if one.get("kind") == "probe" for case in one["cases"]]
    return Explored(facts, batches, probes, episode.asides, info)


def exact(utilities: list[float], chosen: int) -> float:
    """100 for the best action; ties count, also those that rounding hides."""
    return 100.0 * (utilities[chosen] > max(utilities) - 1e-9)


def calibrated(utilities: list[float], chosen: int) -> float:
    mean = sum(utilities) / len(utilities)
    return 100 * (utilities[chosen] - mean) / (max(utilities) - mean)


def accuracy(one: Explored, score: Any) -> float:
    """Mean over all cases of the episode; unanswered ones count 0."""
    total = math.fsum(score(*case) for cases in one.batches.values() for case in cases)
    return total / (one.facts["batches"] * one.facts["cases"])


def batch_ca(one: Explored, batch: int) -> float:
    cases = one.batches.get(batch, [])
    return math.fsum(calibrated(*case) for case in cases) / one.facts["cases"]


def unique_probes(one: Explored) -> int:
    """Distinct cases; before and after the drift apart."""
    return len(set(one.probes))


def reprobes(one: Explored) -> int:
    """Cases probed before the drift and again after it."""
    return len({case for late, case in one.probes if late} & {case for late, case in one.probes if not late})


def assessment(reply: str | None) -> dict[str, int] | None:
    """Factors and directions an agent named; None if it cannot be read."""
    match = re.search(r"\{.*\}", reply or "", re.DOTALL)
    try:
        named = json.loads(match.group())["factors"] if match else None
        return None if named is None else {name: {"+": 1, "-": -1}[sign] for name, sign in named.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def drifted(one: Explored) -> bool:
    """Whether an episode came to the window in which the rule is another."""
    drift = one.facts["drift"]
    return drift is not None and drift - 1 in one.batches


def asked(one: Explored) -> list[tuple[str, dict[str, int]]]:
    """Assessments that an episode has, with the truth of their time."""
    if not drifted(one):
        return [("end", one.facts["before"])]
    return [("before", one.facts["before"]), ("end", one.facts["after"])]


def f1_p_r(named: set, truth: set) -> tuple[float, float, float]:
    """F1, precision and recall in percent; 0 where nothing was named."""
    hits = len(named & truth)
    if not hits:
        return 0.0, 0.0, 0.0
    return 200 * hits / (len(named) + len(truth)), 100 * hits / len(named), 100 * hits / len(truth)


def changes(first: dict[str, int], second: dict[str, int]) -> set[tuple[str, str]]:
    """The atomic changes from one set of factors to another."""
    found = {("removed", name) for name in first.keys() - second.keys()}
    found |= {("added", name) for name in second.keys() - first.keys()}
    return found | {("reversed", name) for name in first.keys() & second.keys() if first[name] != second[name]}


def exploration(one: Explored) -> dict[str, float]:
    """Every figure of an episode; nan where it has none."""
    said = {name: assessment(one.asides.get(name)) for name, _ in asked(one)}
    factors = [f1_p_r(set(said[name] or {}), set(truth)) for name, truth in asked(one)]
    directions = [
        100.0 * (sign == truth[factor])
        for name, truth in asked(one)
        for factor, sign in (said[name] or {}).items()
        if factor in truth
    ]
    found = {
        "ea": accuracy(one, exact),
        "ca": accuracy(one, calibrated),
        "unique_probes": unique_probes(one),
        "factor_f1": mean_of([f1 for f1, _, _ in factors]),
        "factor_precision": mean_of([precision for _, precision, _ in factors]),
        "factor_recall": mean_of([recall for _, _, recall in factors]),
        "direction_accuracy": mean_of(directions),
    }
    names = ("reprobes", "change_f1", "change_precision", "change_recall", "loss_at_drift", "recovery", "rate")
    found |= dict.fromkeys(names, NAN)
    drift, last = one.facts["drift"], one.facts["batches"]
    if not drifted(one):
        return found
    truth = changes(one.facts["before"], one.facts["after"])
    predicted = changes(said["before"] or {}, said["end"] or {})
    found["change_f1"], found["change_precision"], found["change_recall"] = f1_p_r(predicted, truth)
    before = batch_ca(one, drift - 1)
    found["loss_at_drift"] = before - batch_ca(one, drift)
    found["recovery"] = (batch_ca(one, last - 1) + batch_ca(one, last)) / 2 - before
    found["reprobes"] = reprobes(one)
    early = {case for late, case in one.probes if not late}
    found["rate"] = reprobes(one) / len(early) if early else NAN
    return found


def aligned(one: Explored) -> dict[int, float]:
    """CA by batch, where 0 is the last batch before the drift."""
    if not drifted(one):
        return {}
    return {batch - one.facts["drift"] + 1: batch_ca(one, batch) for batch in range(1, one.facts["batches"] + 1)}


def counted(episodes: list[Explored]) -> dict[str, int]:
    """What was forced, left open or not to be read in some episodes."""
    info = [step for one in episodes for step in one.steps]
    answered = sum(len(cases) for one in episodes for cases in one.batches.values())
    return {
        "episodes": len(episodes),
        "forced_cases": sum(sum(step["forced"]) for step in info if step.get("kind") == "submit"),
        "forced_windows": sum(step["forced"] for step in info if step.get("kind") == "next"),
        "unanswered_cases": sum(one.facts["batches"] * one.facts["cases"] for one in episodes) - answered,
        "unreadable_assessments": sum(
            assessment(one.asides.get(name)) is None for one in episodes for name, _ in asked(one)
        ),
    }


def over_episodes(values: list[float]) -> dict[str, Any]:
    """Mean, standard deviation, t interval and number of those that have a value; of fewer than three the mean only."""
    there = present(values)
    found = {"mean": known(mean_of(there)), "sd": None, "ci": None, "n": len(there)}
    if len(there) >= 3:
        found["sd"] = statistics.stdev(there)
        found["ci"] = interval(found["mean"], [(statistics.variance(there) / len(there), len(there) - 1)])[0]
    return found


def explorations(run: Run, contender: str) -> list[Explored]:
    """The finished episodes of a contender that did not fail."""
    return [explored(episode) for trial in run.of(contender) for episode in played(trial) if episode.steps]


def spearman(x: list[float], y: list[float]) -> tuple[float | None, float | None, int]:
    """Rank correlation, p and number of the pairs that are whole."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if not math.isnan(a) and not math.isnan(b)]
    if len(pairs) < 3 or any(len(set(values)) < 2 for values in zip(*pairs, strict=True)):
        return None, None, len(pairs)
    found = stats.spearmanr(*zip(*pairs, strict=True))
    return float(found.statistic), float(found.pvalue), len(pairs)


def centred(groups: list[list[float]]) -> list[float]:
    """Values less the mean of their group, rounded so that equal ones stay equal."""
    return [round(value - mean_of(group), 9) for group in groups for value in group]


def correlations(run: Run) -> dict[str, dict[str, tuple[float | None, float | None, int]]]:
    """Re-probes, as count and as rate, against change recognition: by contender, and pooled after centring."""
    found: dict[str, dict[str, tuple[float | None, float | None, int]]] = {}
    for name in ("reprobes", "rate"):
        groups = []
        for contender in run.contenders:
            episodes = [exploration(one) for one in explorations(run, contender)]
            whole = [one for one in episodes if not math.isnan(one[name]) and not math.isnan(one["change_f1"])]
            groups.append(([one[name] for one in whole], [one["change_f1"] for one in whole]))
            found.setdefault(contender, {})[name] = spearman(*groups[-1])
        found.setdefault("pooled", {})[name] = spearman(*(centred(list(side)) for side in zip(*groups, strict=True)))
    return found


def paired(first: dict[Any, float], second: dict[Any, float]) -> dict[str, Any]:
    """Second less first over the episodes that both have: mean, t interval, p, and Wilcoxon's signed-rank p."""
    gaps = [second[key] - first[key] for key in first if key in second]
    low_high, p = interval(mean_of(gaps), [(statistics.variance(gaps) / len(gaps), len(gaps) - 1)])
    signed = float(stats.wilcoxon(gaps).pvalue)
    return {"mean": mean_of(gaps), "ci": low_high, "p": p, "wilcoxon": signed, "n": len(gaps)}
