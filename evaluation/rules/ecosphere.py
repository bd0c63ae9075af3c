"""What a trial of Ecosphere shows of the hidden rules (T1-T5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evoplay.envs.learn2play.ecosphere.rules import (
    ANIMALS,
    CARNIVORES,
    HERBIVORES,
    NO_FOOD,
    OUTCOMPETED,
    SPECIES,
    TOXIFIED,
    Ecology,
    draw_ecology,
)
from evoplay.envs.learn2play.ecosphere.texts import CAUSES
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_DEATH = re.compile(r"^  Day \d+: (\w+) (.*)\.$", re.MULTILINE)
_SURVIVORS = re.compile(r"^Survivors: (.*)\.$", re.MULTILINE)
_SCORE = re.compile(r"^Final score: (\d+)\.$", re.MULTILINE)
_CAUSE_OF = {text: cause for cause, text in CAUSES.items()}


@dataclass(frozen=True)
class Jar:
    """A sealed jar: what was in it, and what its report tells."""

    episode: int
    stock: dict[str, int]
    final: dict[str, int]
    deaths: frozenset[tuple[str, str]]
    score: int

    def died_of(self, cause: str) -> list[str]:
        return sorted(species for species, why in self.deaths if why == cause)

    def animals(self) -> int:
        return sum(self.final[species] for species in ANIMALS)

    def predators(self) -> frozenset[str]:
        return frozenset(species for species in CARNIVORES if self.stock[species])


def jar_of(episode: EpisodeRecord) -> Jar | None:
    """The sealed jar of an episode, from its accepted actions and its report, or None where it was never sealed."""
    stock = dict.fromkeys(SPECIES, 0)
    for step in episode.steps:
        act = step.action.strip().lower()
        if not step.accepted:
            continue
        word, _, species = act.partition("_")
        if species in stock:
            stock[species] += 1 if word == "add" else -1
        score = _SCORE.search(step.outcome)
        if score and step.done:
            alive = _SURVIVORS.search(step.outcome)
            counts = re.findall(r"(\w+) (\d+)", alive.group(1)) if alive else []
            final = dict.fromkeys(SPECIES, 0) | {name: int(count) for name, count in counts}
            deaths = frozenset((name, _CAUSE_OF[why]) for name, why in _DEATH.findall(step.outcome))
            return Jar(episode.episode, stock, final, deaths, int(score.group(1)))
    return None


def grade(trial: TrialRecord) -> Grades:
    """T1 decomposers, T2 diets, T3 plants and founders, T4 rank and keystone, T5 choice of predator."""
    ecology = draw_ecology(trial.seed)
    episodes = sorted(trial.episodes, key=lambda episode: episode.episode)
    found = [jar_of(episode) for episode in episodes]
    jars = [jar for jar in found if jar is not None]
    last = [jar for jar in found[-2:] if jar is not None]
    return {
        "T1": _decomposers(jars),
        "T2": _both(last, lambda jar: _diets_met(ecology, jar)),
        "T3": _both(last, lambda jar: _well_founded(ecology, jar)),
        "T4": _keystone(ecology, jars),
        "T5": _both(last, lambda jar: _best_predators(jar, [one for one in jars if one.episode < jar.episode])),
    }


def _both(last: Sequence[Jar], shown: Callable[[Jar], bool]) -> Grade:
    count = sum(shown(jar) for jar in last)
    return graded(count == 2, count == 1)


def _decomposers(jars: Sequence[Jar]) -> Grade:
    poisoned = [bool(jar.died_of(TOXIFIED)) for jar in jars]
    if True not in poisoned:
        return graded(sum(jar.animals() >= 20 for jar in jars) >= 3, False)
    first = poisoned.index(True) + 1
    later, clean = jars[first:], poisoned[first:].count(False)
    complete = len(later) >= 2 and clean == len(later) and all(jar.animals() >= 20 for jar in later)
    return graded(complete, bool(later) and 2 * clean >= len(later))


def _diets_met(ecology: Ecology, jar: Jar) -> bool:
    stocked = [species for species in ANIMALS if jar.stock[species]]
    fed = all(any(jar.stock[food] for food in ecology.diet[species]) for species in stocked)
    grazers = sum(jar.stock[species] > 0 for species in HERBIVORES)
    return grazers >= 2 and bool(jar.predators()) and fed and not jar.died_of(NO_FOOD)


def _well_founded(ecology: Ecology, jar: Jar) -> bool:
    grazers = [species for species in HERBIVORES if jar.stock[species]]
    plants = all(jar.stock[ecology.diet[species][0]] >= 9 for species in grazers)
    return bool(grazers) and plants and all(jar.stock[species] in (2, 3) for species in grazers)


def _keystone(ecology: Ecology, jars: Sequence[Jar]) -> Grade:
    best = 0
    for at, jar in enumerate(jars):
        for loser in jar.died_of(OUTCOMPETED):
            eaters = ecology.eaters(ecology.diet[loser][0])
            for rival in eaters[: eaters.index(loser)]:
                if jar.stock[rival]:
                    best = max(best, sum(_balanced(ecology, later, rival, loser) for later in jars[at + 1 :]))
    return graded(best >= 2, best == 1)


def _balanced(ecology: Ecology, jar: Jar, dominant: str, rival: str) -> bool:
    hunted = any(dominant in ecology.diet[species] for species in jar.predators())
    return hunted and all(jar.stock[species] and jar.final[species] for species in (dominant, rival))


def _best_predators(jar: Jar, earlier: Sequence[Jar]) -> bool:
    if len({one.predators() for one in earlier}) < 2 or not jar.predators():
        return False
    top = max(one.score for one in earlier)
    chosen = any(one.score == top and one.predators() == jar.predators() for one in earlier)
    return chosen and all(jar.stock[species] == 1 for species in jar.predators())
