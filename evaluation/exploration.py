"""Exploration and drift: what an AdaExplore episode shows of deciding, probing, recognising factors and changes.

Pure functions over episode records; an environment takes part by the `info` of its observations (see
`envs/adaexplore/env.py`): `kind` of each step, the cases of probes, utilities and actions of closed batches, and the
facts of the instance under `episode`. Shares are in per cent. Source: AdaExploreBench (arXiv 2610.25950), section 4.2;
correlations and comparisons of settings are in `drift`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
from scipy import special

from evoplay.envs.adaexplore.assessment import BEFORE, END, read_assessment
from evoplay.evaluation.exploration_facts import told_by_adaexplore
from evoplay.memory.records import EpisodeRecord

TIE = 1e-9
"""Utilities closer than this count as equal."""
FIGURES = ("ea", "ca", "unique_probes", "reprobes", "factor_f1", "change_f1")
FEWEST_EPISODES = 3
"""Below so many episodes an interval is not available."""

Directions = Mapping[str, int]
Change = tuple[str, str]


# --- a case ---------------------------------------------------------------------------------------------------------


def exact_accuracy(utilities: Sequence[float], chosen: int) -> float:
    """100 if the chosen action has the largest utility (ties count), else 0."""
    return 100.0 if utilities[chosen] >= max(utilities) - TIE else 0.0


def calibrated_accuracy(utilities: Sequence[float], chosen: int) -> float:
    """100 * (u(chosen) - mean u) / (max u - mean u): 0 for a uniform choice on average, 100 for the best, may be below.

    Raises ValueError where all utilities are equal: no choice is better than another.
    """
    mean, best = sum(utilities) / len(utilities), max(utilities)
    if best - mean <= 0:
        raise ValueError(f"utilities {tuple(utilities)}: expected one action better than the others")
    return 100.0 * ((utilities[chosen] - mean) / (best - mean))


# --- an episode -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """A case that was answered: its batch (from 1), the exact utilities, the action taken, whether by default."""

    batch: int
    utilities: tuple[float, ...]
    chosen: int
    forced: bool


@dataclass(frozen=True, slots=True)
class Probed:
    """A case that was probed, and whether under the rule after the drift."""

    case: tuple[float, ...]
    drifted: bool


@dataclass(slots=True)
class Explored:
    """An episode as analysis sees it.

    Parameters
    ----------
    family, task, setting, batches, per_batch : of the instance. drift : first batch under the new rule, None if none.
    before, after : the true factors with directions; `after` is None without a drift.
    cases, probes : in order. forced_windows : windows closed by default.
    replies : answers to the assessments by id; asked : ids that were asked.
    """

    family: str
    task: str
    setting: str
    batches: int
    per_batch: int
    drift: int | None
    before: Directions
    after: Directions | None
    cases: list[Case] = field(default_factory=list)
    probes: list[Probed] = field(default_factory=list)
    forced_windows: int = 0
    replies: dict[str, str | None] = field(default_factory=dict)

    @property
    def planned(self) -> int:
        """Cases of the whole episode."""
        return self.batches * self.per_batch

    @property
    def unanswered(self) -> int:
        return self.planned - len(self.cases)

    @property
    def forced(self) -> int:
        """Cases in which the default stood for a missing action; they count like any other."""
        return sum(case.forced for case in self.cases)

    @property
    def reached_drift(self) -> bool:
        """Whether the episode went on to the window in which the new rule holds."""
        return self.drift is not None and len(self.cases) >= (self.drift - 1) * self.per_batch

    # --- decisions

    @property
    def ea(self) -> float:
        """Exact accuracy over all cases, unanswered ones counting 0."""
        return sum(exact_accuracy(case.utilities, case.chosen) for case in self.cases) / self.planned

    @property
    def ca(self) -> float:
        """Calibrated accuracy over all cases, unanswered ones counting 0."""
        return sum(calibrated_accuracy(case.utilities, case.chosen) for case in self.cases) / self.planned

    def ca_by_batch(self) -> list[float]:
        """CA of each batch in order, unanswered cases counting 0."""
        total = [0.0] * self.batches
        for case in self.cases:
            total[case.batch - 1] += calibrated_accuracy(case.utilities, case.chosen)
        return [value / self.per_batch for value in total]

    def aligned(self) -> dict[int, float]:
        """CA by batch, counted from the drift: 0 is the last batch before it. Empty where no drift was reached."""
        if not self.reached_drift or self.drift is None:
            return {}
        return {batch - self.drift + 1: value for batch, value in enumerate(self.ca_by_batch(), start=1)}

    @property
    def loss_at_drift(self) -> float | None:
        """CA of the last batch before the drift less CA of the first after it."""
        curve = self.aligned()
        return curve[0] - curve[1] if curve else None

    @property
    def recovery(self) -> float | None:
        """Mean CA of the last two batches less CA of the last batch before the drift."""
        curve = self.aligned()
        return sum(self.ca_by_batch()[-2:]) / 2 - curve[0] if curve else None

    # --- exploration

    @property
    def unique_probes(self) -> int:
        """Distinct probed cases; the same case before and after the drift counts as two."""
        return len({(probe.case, probe.drifted) for probe in self.probes})

    @property
    def reprobes(self) -> int | None:
        """Distinct cases probed before the drift that were probed again after it; None where no drift was reached."""
        if not self.reached_drift:
            return None
        return len(self._probed(False) & self._probed(True))

    @property
    def reprobe_rate(self) -> float | None:
        """Re-probes per distinct case probed before the drift; None where there is none."""
        count, earlier = self.reprobes, len(self._probed(False))
        return None if count is None or not earlier else count / earlier

    def _probed(self, drifted: bool) -> set[tuple[float, ...]]:
        return {probe.case for probe in self.probes if probe.drifted == drifted}

    # --- recognition

    def assessments(self) -> dict[str, tuple[Directions | None, Directions]]:
        """The assessments due by id: what was answered (None: unreadable or never given), and the truth."""
        if self.drift is None or not self.reached_drift or self.after is None:
            return {END: (read_assessment(self.replies.get(END)), self.before)}
        return {
            BEFORE: (read_assessment(self.replies.get(BEFORE)), self.before),
            END: (read_assessment(self.replies.get(END)), self.after),
        }

    @property
    def unreadable(self) -> int:
        """Assessments due without a readable answer; each counts as an empty set."""
        return sum(answer is None for answer, _ in self.assessments().values())

    def factor_scores(self) -> Scores:
        """Precision, recall and F1 of the named factors, mean over the assessments."""
        found = [set_scores(set(answer or {}), set(truth)) for answer, truth in self.assessments().values()]
        return Scores(*(float(np.mean([getattr(one, name) for one in found])) for name in Scores.__slots__))

    @property
    def direction_accuracy(self) -> float | None:
        """Share of right directions among correctly named factors; None where no factor was named correctly."""
        hits = [
            answer[name] == truth[name]
            for answer, truth in self.assessments().values()
            if answer
            for name in truth
            if name in answer
        ]
        return 100.0 * sum(hits) / len(hits) if hits else None

    def change_scores(self) -> Scores | None:
        """Precision, recall and F1 of the changes between the two assessments; None where no drift was reached."""
        due = self.assessments()
        if BEFORE not in due or self.after is None:
            return None
        return set_scores(
            changes(due[BEFORE][0] or {}, due[END][0] or {}),
            changes(self.before, self.after),
        )

    def figures(self) -> dict[str, float | None]:
        """The figures of FIGURES, and those that go with them."""
        factor, change = self.factor_scores(), self.change_scores()
        return {
            "ea": self.ea,
            "ca": self.ca,
            "unique_probes": float(self.unique_probes),
            "reprobes": None if self.reprobes is None else float(self.reprobes),
            "factor_f1": factor.f1,
            "change_f1": None if change is None else change.f1,
            "factor_precision": factor.precision,
            "factor_recall": factor.recall,
            "direction_accuracy": self.direction_accuracy,
            "change_precision": None if change is None else change.precision,
            "change_recall": None if change is None else change.recall,
            "loss_at_drift": self.loss_at_drift,
            "recovery": self.recovery,
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """Agreement of two sets, in per cent; an empty prediction has precision 0."""

    precision: float
    recall: float
    f1: float


def set_scores(predicted: set[Any], truth: set[Any]) -> Scores:
    """Precision, recall and F1 of a predicted set."""
    hits = len(predicted & truth)
    if not hits:
        return Scores(0.0, 0.0, 0.0)
    return Scores(
        100.0 * hits / len(predicted), 100.0 * hits / len(truth), 200.0 * hits / (len(predicted) + len(truth))
    )


def changes(first: Directions, second: Directions) -> set[Change]:
    """The atomic changes from one set of factors to another: removed, added, reversed."""
    removed = {("removed", name) for name in first if name not in second}
    added = {("added", name) for name in second if name not in first}
    turned = {("reversed", name) for name in first if name in second and first[name] != second[name]}
    return removed | added | turned


# --- from records ---------------------------------------------------------------------------------------------------


def explored(record: EpisodeRecord) -> Explored | None:
    """What an episode's record shows; None for one that failed or is of another suite."""
    facts = next((step.info["episode"] for step in record.steps if "episode" in step.info), None)
    if facts is None or record.error is not None or not told_by_adaexplore(facts):
        return None
    episode = Explored(
        facts["family"],
        facts["task"],
        facts["setting"],
        facts["batches"],
        facts["cases"],
        facts["drift"],
        facts["before"],
        facts["after"],
        replies={aside.id: aside.reply for aside in record.asides},
    )
    for step in record.steps:
        info = step.info
        if info.get("kind") == "probe":
            episode.probes += [Probed(tuple(map(float, case)), bool(info["drifted"])) for case in info["cases"]]
        elif info.get("kind") == "next":
            episode.forced_windows += bool(info["forced"])
        elif info.get("kind") == "submit":
            rows = zip(info["utilities"], info["actions"], info["forced"], strict=True)
            episode.cases += [Case(info["batch"], tuple(row), int(a), bool(f)) for row, a, f in rows]
    return episode


def mean_interval(values: Iterable[float | None], level: float = 0.95) -> dict[str, Any]:
    """Mean, sample standard deviation, t interval and number of the values there are, as JSON data.

    From fewer than three values there is no interval, from none no mean.
    """
    present = np.asarray([value for value in values if value is not None], dtype=np.float64)
    count = len(present)
    if not count:
        return {"mean": None, "sd": None, "ci": None, "n": 0}
    mean = float(present.mean())
    if count < FEWEST_EPISODES:
        return {"mean": mean, "sd": None, "ci": None, "n": count}
    sd = float(present.std(ddof=1))
    half = float(special.stdtrit(count - 1, 0.5 + level / 2)) * sd / count**0.5
    return {"mean": mean, "sd": sd, "ci": [mean - half, mean + half], "n": count}


def summary(episodes: Sequence[Explored]) -> dict[str, Any]:
    """All figures of a set of episodes: means with intervals, what was forced or left out, the curve at the drift."""
    rows = [episode.figures() for episode in episodes]
    names = list(rows[0]) if rows else list(FIGURES)
    return {
        **{name: mean_interval(row[name] for row in rows) for name in names},
        "episodes": len(episodes),
        "forced_cases": sum(episode.forced for episode in episodes),
        "forced_windows": sum(episode.forced_windows for episode in episodes),
        "unanswered_cases": sum(episode.unanswered for episode in episodes),
        "unreadable_assessments": sum(episode.unreadable for episode in episodes),
        "aligned_ca": aligned_curve(episodes),
        "ca_by_batch": [mean_interval(values) for values in _columns(episodes)],
    }


def _columns(episodes: Sequence[Explored]) -> list[tuple[float | None, ...]]:
    if not episodes:
        return []
    return list(zip_longest(*(episode.ca_by_batch() for episode in episodes)))


def aligned_curve(episodes: Sequence[Explored]) -> dict[str, Any]:
    """CA by batch counted from the drift, over the episodes that have such a batch."""
    by_offset: dict[int, list[float]] = {}
    for episode in episodes:
        for offset, value in episode.aligned().items():
            by_offset.setdefault(offset, []).append(value)
    return {str(offset): mean_interval(by_offset[offset]) for offset in sorted(by_offset)}


def exploration_figures(records: Iterable[EpisodeRecord]) -> dict[str, Any]:
    """For a report: the six figures of FIGURES, and under "exploration" all of them, in all and by family.

    Empty where no record is of AdaExplore. An episode left before its first action shows nothing of itself and is
    counted under "left_at_once".
    """
    kept = list(records)
    episodes = [episode for record in kept if (episode := explored(record)) is not None]
    if not episodes:
        return {}
    whole = summary(episodes)
    families = sorted({episode.family for episode in episodes})
    by_family = {name: summary([episode for episode in episodes if episode.family == name]) for name in families}
    whole["left_at_once"] = sum(record.error is None and not record.steps for record in kept)
    return {**{name: whole[name] for name in FIGURES}, "exploration": {**whole, "families": by_family}}
