"""AdaExplore: choices, probes, factors, changes, the curve at the drift, correlations."""

from __future__ import annotations

import json
import math
import re
import statistics
from dataclasses import dataclass
from typing import Any

from scipy import stats

from .conduct import played
from .reading import NAN, Episode, Run
from .scores import interval, known, mean_of, present


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
