"""The graders of Poisoner: complete, partial and no evidence, on play made for it."""

from collections import Counter

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.poisoner import accepted, draw_law, draw_menus, matches
from evoplay.evaluation.rules.poisoner import Laws, grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/poisoner"
LAW = draw_law(2)


def serve(episode, *wants):
    """Serve at each banquet the first dish that `want` accepts (given the number of requirements it meets)."""
    actions = []
    for menu, want in zip(draw_menus(LAW, 2, episode), wants, strict=False):
        number = next((n for n, dish in enumerate(menu) if want(matches(LAW, dish))), None)
        actions.append(f"serve_{number if number is not None else worst(menu)}")
    return actions


def worst(menu):
    return min(range(8), key=lambda number: matches(LAW, menu[number]))


def good(met):
    return met == 5


def near(met):
    return met == 4


def bad(met):
    return met <= 3


def test_the_solver_shows_every_rule():
    assert set(grade(solver_trial(ENV)).values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T5"):
        assert grades[rule, "-"] == 20
    for rule in ("T3", "T6"):
        assert grades[rule, "-"] >= 16
        assert grades[rule, "S"] == 0


def learner_scores(seed, episodes):
    """Serve what most of the laws left accept, and learn from the verdicts."""
    env, laws, scores = make(ENV, seed), Laws(), []
    for episode in range(1, episodes + 1):
        obs = env.reset(episode)
        while not obs.done:
            menu = env.menus[env.banquet]
            number = max(range(8), key=lambda n, menu=menu: (laws.accepting(menu[n]), -n))
            hits = env.hits
            obs = env.step(f"serve_{number}")
            laws.learn(menu[number], env.hits > hits)
        scores.append(obs.score)
    return scores, laws


def test_a_learner_that_keeps_all_laws_reaches_mastery():
    scores, laws = learner_scores(2, 10)
    assert scores == [0, 0, 67, 100, 100, 100, 100, 100, 100, 100]
    assert len(laws.left) == 1
    assert len(learner_scores(2, 3)[1].left) == 6


def got(rule, *episodes):
    return grade(play_trial(ENV, list(episodes)))[rule]


def test_constant_law():
    first = serve(1, good, good, good)
    two = [serve(2, good, good, good), serve(3, good, good, good)]
    assert got("T1", first, *two) == "S"
    assert got("T1", first, two[0]) == "P"
    assert got("T1", first, serve(2, good, good, good), serve(3, bad, good, good)) == "P"
    assert got("T1", first, serve(2, bad, bad, bad), serve(3, bad, bad, bad)) == "-"
    assert got("T1", serve(1, bad, bad, bad), serve(2, bad, bad, bad)) == "-"


@pytest.fixture(scope="module")
def learner():
    """What the learner serves in the first episodes."""
    env, laws, lines = make(ENV), Laws(), []
    for episode in range(1, 5):
        obs, line = env.reset(episode), []
        while not obs.done:
            menu = env.menus[env.banquet]
            number = max(range(8), key=lambda n, menu=menu: (laws.accepting(menu[n]), -n))
            laws.learn(menu[number], accepted(LAW, menu[number]))
            line.append(f"serve_{number}")
            obs = env.step(line[-1])
        lines.append(line)
    return lines


def test_accumulated_evidence(learner):
    assert got("T2", *learner) == "S"
    assert got("T2", *learner[:3], serve(4, bad, bad) + learner[3][2:]) == "P"
    assert got("T2", *learner[:2], serve(3, bad, bad, bad), serve(4, bad, bad, bad)) == "-"


def test_all_five_requirements():
    full = [serve(episode, good, good, good) for episode in (1, 2, 3)]
    assert got("T3", *full) == "S"
    assert got("T3", full[0], full[1], serve(3, near, good, good)) == "P"
    assert got("T3", full[0], serve(2, bad, bad, bad), serve(3, bad, bad, bad)) == "P"
    assert got("T3", full[0], full[1], serve(3, near, near, good)) == "-"
    assert got("T3", *(serve(episode, bad, bad, bad) for episode in (1, 2, 3))) == "-"


def test_irrelevant_features():
    full = [serve(episode, good, good, good) for episode in (1, 2, 3)]
    assert got("T4", *full) == "S"
    assert got("T4", serve(1, good, bad, bad), serve(2, bad, good, bad)) == "P"
    assert got("T4", full[0]) == "-"
    assert got("T4", serve(1, good, bad, bad)) == "-"


def test_mastery_and_carrying_over():
    full = {episode: serve(episode, good, good, good) for episode in (1, 2, 3, 4)}
    lost = {episode: serve(episode, bad, good, good) for episode in (1, 2, 3, 4)}
    assert got("T5", full[1], full[2]) == "S"
    assert got("T5", full[1], lost[2], full[3]) == "P"
    assert got("T5", lost[1], lost[2]) == "-"
    assert got("T6", lost[1], full[2], full[3], full[4]) == "S"
    assert got("T6", full[1], lost[2], full[3], full[4]) == "P"
    assert got("T6", full[1], lost[2], lost[3], full[4]) == "-"
