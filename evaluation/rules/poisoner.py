"""What a trial of Poisoner shows of the hidden rules (T1-T6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from evoplay.envs import make
from evoplay.envs.learn2play.poisoner import FEATURES, REQUIRED, Dish, Law, Menu, Poisoner, accepted, matches
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord


@dataclass(frozen=True)
class Serving:
    """One dish served: in which episode, from which menu, and whether the king ate it."""

    episode: int
    menu: Menu
    dish: Dish
    eaten: bool


class Laws:
    """The tastes that agree with every verdict so far, each as (mask, values) over the features' bits."""

    def __init__(self) -> None:
        self.left = [
            (sum(1 << feature for feature in chosen), sum(value << f for f, value in zip(chosen, values, strict=True)))
            for chosen in combinations(range(len(FEATURES)), REQUIRED)
            for values in product((0, 1), repeat=REQUIRED)
        ]

    def accepting(self, dish: Dish) -> int:
        """How many of them accept a dish."""
        bits = _bits(dish)
        return sum(bits & mask == values for mask, values in self.left)

    def learn(self, dish: Dish, eaten: bool) -> None:
        bits = _bits(dish)
        self.left = [(mask, values) for mask, values in self.left if (bits & mask == values) is eaten]


def _bits(dish: Dish) -> int:
    return sum(has << feature for feature, has in enumerate(dish))


@dataclass(frozen=True)
class Choice:
    """A serving as a player could have judged it: how many tastes accept the dish served, and the best on the menu."""

    serving: Serving
    support: int
    best: int


def servings(env: Poisoner, record: EpisodeRecord) -> Iterable[Serving]:
    """The servings of an episode, by playing its actions again."""
    env.reset(record.episode)
    for step in record.steps:
        banquet, hits = env.banquet, env.hits
        env.step(step.action)
        if env.banquet > banquet:
            menu = env.menus[banquet]
            number = int(step.action.strip().split("_")[1])
            yield Serving(record.episode, menu, menu[number], env.hits > hits)


def choices(served: Iterable[Serving]) -> list[Choice]:
    """All servings with what was known before each."""
    laws, judged = Laws(), []
    for serving in served:
        support = {dish: laws.accepting(dish) for dish in set(serving.menu)}
        judged.append(Choice(serving, support[serving.dish], max(support.values())))
        laws.learn(serving.dish, serving.eaten)
    return judged


def grade(trial: TrialRecord) -> Grades:
    """T1 constant law, T2 evidence, T3 all five requirements, T4 free features, T5 mastery, T6 law carried over."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, Poisoner)
    by_episode = {record.episode: list(servings(env, record)) for record in trial.episodes}
    every = [serving for served in by_episode.values() for serving in served]
    judged = choices(every)
    last = list(by_episode.values())[-3:]
    return {
        "T1": _constant(judged),
        "T2": _evidence(judged),
        "T3": _conjunction(env.law, [serving for served in last for serving in served]),
        "T4": _irrelevant(env.law, every),
        "T5": _mastery(trial.episodes),
        "T6": _carried_over(last),
    }


def _constant(judged: Sequence[Choice]) -> Grade:
    first = next((choice.serving.episode for choice in judged if choice.serving.eaten), None)
    if first is None:
        return "-"
    tests = [choice.support > 0 for choice in judged if choice.serving.episode > first and choice.best > 0]
    return graded(len(tests) >= 6 and all(tests), bool(tests) and 4 * sum(tests) >= 3 * len(tests))


def _evidence(judged: Sequence[Choice]) -> Grade:
    best = [choice.support == choice.best for choice in judged if choice.serving.episode >= 3]
    share = sum(best) / len(best) if best else 0
    return graded(share >= 0.8, share >= 0.6)


def _conjunction(law: Law, last: Sequence[Serving]) -> Grade:
    near = sum(matches(law, serving.dish) == REQUIRED - 1 for serving in last)
    eaten = sum(serving.eaten for serving in last)
    return graded(near == 0 and eaten >= 6, near <= 1 and eaten >= 3)


def _irrelevant(law: Law, every: Sequence[Serving]) -> Grade:
    eaten = [serving.dish for serving in every if accepted(law, serving.dish)]
    free = set(range(len(FEATURES))) - {feature for feature, _ in law.wanted}
    varied = sum(len({dish[feature] for dish in eaten}) == 2 for feature in free)
    return graded(varied == 3, varied == 2)


def _mastery(episodes: Sequence[EpisodeRecord]) -> Grade:
    full = [episode.score == 100 for episode in episodes]
    return graded(any(one and other for one, other in pairwise(full)), any(full))


def _carried_over(last: Sequence[Sequence[Serving]]) -> Grade:
    eaten = sum(bool(served) and served[0].eaten for served in last)
    return graded(eaten == 3, eaten == 2)
