"""The graders of Model Auditor: complete, partial and no evidence, on play made for it (seed 1)."""

from collections import Counter

from evoplay.envs import make
from evoplay.envs.learn2play.modelkeeper_expert import RESET, tick
from evoplay.evaluation.rules.modelkeeper_expert import grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/modelkeeper_expert"
GUESS = ["exam", *["predict_0"] * 20]


def probes(*vectors):
    return [f"probe {' '.join(vector)}" for vector in vectors]


def experiments(*runs):
    return [action for run in runs for action in ("reset", *probes(*run.split()))]


def answers(episode, mistakes=0, memoryless=False):
    """An exam answered by someone who knows the machine, with so many cells of a known kind wrong."""
    env = make(ENV)
    env.reset(episode)
    truth = [value for row in env.puzzle.truth for value in row]
    fresh = [value for vector in env.puzzle.exam for value in tick(env.puzzle.machine, RESET, vector)[1]]
    given = fresh if memoryless else list(truth)
    for at in [at for at, value in enumerate(truth) if value != fresh[at]][:mistakes]:
        given[at] = 3
    return ["exam", *(f"predict_{value}" for value in given)]


def test_the_solver_shows_everything():
    assert grade(solver_trial(ENV)) == dict.fromkeys(("T1", "T2", "T3", "T4", "T5", "T6"), "S")


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "-"] >= 18
        assert not grades[rule, "S"]


def test_resets():
    good = [*experiments("100", "010", "001", "200", "111"), *GUESS]
    few = [*probes("111"), *experiments("100", "010", "001", "200"), "reset", *GUESS]
    assert grade(play_trial(ENV, [few, few, good, good, good]))["T1"] == "S"
    assert grade(play_trial(ENV, [few, good, few, good, good]))["T1"] == "P"
    assert grade(play_trial(ENV, [good, few, few]))["T1"] == "-"


def test_build_up_and_fading():
    good = [*experiments("100 100 000", "020 020 020 000", "111 002 002 000", "211 211 000"), *GUESS]
    none = [*experiments("100 000", "000 000 000", "100 100 001 000", "200 200"), *GUESS]
    assert grade(play_trial(ENV, [good, none, good]))["T2"] == "S"
    assert grade(play_trial(ENV, [good, none]))["T2"] == "P"
    assert grade(play_trial(ENV, [none, none]))["T2"] == "-"


def test_two_inputs_joined():
    good = [*experiments("110 110", "202 202", "021 021"), *GUESS]
    some = [*experiments("110 110", "220 220 000", "111 111", "100 100"), *GUESS]
    none = [*probes("110", "110"), *experiments("110 220", "001 110 110"), *GUESS]
    assert grade(play_trial(ENV, [none, good]))["T3"] == "S"
    assert grade(play_trial(ENV, [some, none]))["T3"] == "P"
    assert grade(play_trial(ENV, [none]))["T3"] == "-"


def test_sum_or_threshold():
    good = [*experiments("110", "220", "101", "202", "100", "200 100"), *GUESS]
    some = [*experiments("111", "222", "110", "210", "001 002"), *GUESS]
    none = [*probes("110"), *experiments("220", "100", "020"), *GUESS]
    assert grade(play_trial(ENV, [none, good]))["T4"] == "S"
    assert grade(play_trial(ENV, [some, none]))["T4"] == "P"
    assert grade(play_trial(ENV, [none, some[:2]]))["T4"] == "-"


def test_memory_in_the_answers():
    assert grade(play_trial(ENV, [GUESS, GUESS, answers(3), answers(4, 1)]))["T5"] == "S"
    assert grade(play_trial(ENV, [answers(1, 3), answers(2, 3)]))["T5"] == "P"
    assert grade(play_trial(ENV, [answers(1), answers(2, memoryless=True), answers(3, memoryless=True)]))["T5"] == "-"
    assert grade(play_trial(ENV, [answers(1)[:4], answers(2)[:4]]))["T5"] == "-"


def test_the_routine():
    assert grade(play_trial(ENV, [GUESS, answers(2), answers(3, 1)]))["T6"] == "S"
    assert grade(play_trial(ENV, [answers(1), GUESS, answers(3)]))["T6"] == "P"
    assert grade(play_trial(ENV, [answers(1, 5), GUESS]))["T6"] == "-"
