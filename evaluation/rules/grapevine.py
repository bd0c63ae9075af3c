"""What a trial of Grapevine shows of the hidden rules (T1-T6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evoplay.envs import make
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_WAVE = re.compile(r"^Wave (\d+): ([A-T](?: [A-T])*)", re.MULTILINE)
_RESULT = re.compile(r"^The rumour has come to rest", re.MULTILINE)


@dataclass(frozen=True)
class Release:
    """One release as its observation tells it: the sources and everyone convinced (sources included)."""

    episode: int
    sources: frozenset[str]
    convinced: frozenset[str]

    @property
    def score(self) -> int:
        return len(self.convinced)


def release_of(episode: EpisodeRecord) -> Release | None:
    """The release of an episode, or None where the rumour was never let go."""
    for step in episode.steps:
        if _RESULT.search(step.outcome):
            waves = {number: frozenset(shown.split()) for number, shown in _WAVE.findall(step.outcome)}
            everyone = frozenset[str]().union(*waves.values())
            return Release(episode.episode, waves.get("0", frozenset()), everyone)
    return None


def grade(trial: TrialRecord) -> Grades:
    """T1 no useless repeats, T2 three sources, T3 joint effects, T4 comparisons, T5 closure, T6 knowledge used."""
    found = sorted((release_of(episode) for episode in trial.episodes), key=lambda one: one.episode if one else 0)
    releases = [release for release in found if release is not None]
    count = len(trial.episodes)
    later = count - (count + 1) // 2 + 1
    return {
        "T1": _repeats(releases),
        "T2": _three_sources([release for release in releases if release.episode >= 2], later),
        "T3": _joint(trial, releases),
        "T4": _comparisons(releases),
        "T5": _closure(releases, later),
        "T6": _kept(trial),
    }


def _repeats(releases: Sequence[Release]) -> Grade:
    useless = 0
    for at, release in enumerate(releases):
        known = releases[:at]
        best = max((one.score for one in known), default=0)
        same = [one for one in known if one.sources == release.sources]
        useless += bool(same) and same[0].score < best
    return graded(len(releases) >= 4 and useless == 0, len(releases) >= 4 and useless == 1)


def _three_sources(releases: Sequence[Release], later: int) -> Grade:
    fewer = [release for release in releases if len(release.sources) < 3]
    if len(fewer) == len(releases):
        return "-"
    tests = all(len(release.sources) == 1 and release.episode < later for release in fewer)
    return graded(not fewer, len(fewer) == 1 or tests)


def _joint(trial: TrialRecord, releases: Sequence[Release]) -> Grade:
    reference = make(trial.env_id, trial.seed).reference(1).value
    best = max((release.score for release in releases), default=0)
    return graded(best >= 0.85 * reference, best >= 0.65 * reference)


def _comparisons(releases: Sequence[Release]) -> Grade:
    """Releases that swap, add or drop exactly one source of a set that was the best so far."""
    compared = 0
    for at, release in enumerate(releases[1:], start=1):
        top = max(one.score for one in releases[:at])
        best = [one.sources for one in releases[:at] if one.score == top]
        compared += any(
            release.sources != sources and len(release.sources - sources) <= 1 and len(sources - release.sources) <= 1
            for sources in best
        )
    return graded(compared >= 3, compared >= 1)


def _closure(releases: Sequence[Release], later: int) -> Grade:
    violations, seen = 0, 0
    for at, release in enumerate(releases):
        if release.episode < later:
            continue
        seen += 1
        known = releases[:at]
        if not known:
            continue
        top = max(one.score for one in known)
        best = [one for one in known if one.score == top]
        new = all(release.sources != one.sources for one in known)
        inside = new and any(release.sources <= one.convinced for one in known)
        is_best = any(release.sources == one.sources for one in best)
        fresh = is_best or any(release.sources - one.convinced for one in best)
        violations += inside or not fresh
    return graded(seen > 0 and violations == 0, seen > 0 and violations == 1)


def _kept(trial: TrialRecord) -> Grade:
    scores = [episode.score or 0 for episode in sorted(trial.episodes, key=lambda episode: episode.episode)]
    if len(scores) < 3:
        return "-"
    last, best, early = scores[-1], max(scores), sum(scores[:2]) / 2
    return graded(last == best and last >= 1.5 * early and best > 0, last >= best - 2 and last > early)
