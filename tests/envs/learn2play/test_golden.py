"""Every recorded run of the reference implementations replays equal: scores, dones, valid lists, final score."""

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play import GAMES
from evoplay.envs.solutions import solution_for

from .golden import golden, traces


@pytest.mark.parametrize(("game", "index"), traces(GAMES))
def test_trace_replays(game, index):
    trace = golden(game)["traces"][index]
    env = make(f"learn2play/{game}", trace["seed"])
    obs = env.reset(trace["episode"])
    scores, dones = [], []
    for number, action in enumerate(trace["actions"]):
        if str(number) in trace["valid"]:
            assert sorted(obs.valid_actions) == sorted(trace["valid"][str(number)]), f"before action {number}"
        obs = env.step(action)
        scores.append(obs.score)
        dones.append(obs.done)
    assert scores == trace["scores"]
    assert dones == trace["dones"]
    if trace["finalized"]:
        obs = env.finish()
    assert obs.score == trace["final_score"]


PLAIN_SCRIPTS = {"mola_tea"}
"""Games whose recorded values are those of a plain script that the reference beats; their own tests compare them."""


FIRST_SCORED = {"redeye": "2"}
"""Where the recorded value is not that of episode 1, which is a prologue."""


SLOW = {"catnip", "ecosphere"}
"""Games whose solver takes long: what it recomputes runs with the slow tests, what is shipped is compared always."""


def slow(game, *values):
    """Parameters of a test that runs the game's solver."""
    return pytest.param(game, *values, marks=pytest.mark.slow if game in SLOW else ())


def recorded_references():
    for game in GAMES:
        if game in PLAIN_SCRIPTS:
            continue
        for seed, value in golden(game)["reference"].items():
            episodes = value if isinstance(value, dict) else {FIRST_SCORED.get(game, "1"): value}
            for episode, score in episodes.items():
                shipped = int(seed) == golden(game)["official_seed"]
                values = int(seed), int(episode), score
                yield (game, *values) if shipped else slow(game, *values)


@pytest.mark.parametrize(("game", "seed", "episode", "score"), list(recorded_references()))
def test_reference_is_the_recorded_one(game, seed, episode, score):
    assert make(f"learn2play/{game}", seed).reference(episode).value == score


@pytest.mark.parametrize("game", GAMES)
def test_the_solution_scores_the_reference(game):
    env = make(f"learn2play/{game}")
    for episode in (1, 2, 3):
        reference, actions = env.reference(episode), env.solution(episode)
        if actions is None:
            continue
        obs = env.reset(episode)
        for action in actions:
            assert not obs.done
            obs = env.step(action)
            assert obs.accepted, obs.text
        assert env.finish().score == reference.value


@pytest.mark.parametrize("game", [slow(game) for game in GAMES])
def test_the_shipped_references_are_what_the_solver_finds(game):
    env = make(f"learn2play/{game}")
    for episode in range(1, env.instance(2) + 1):
        shipped = solution_for(env.spec, env.seed, episode, lambda: None)
        found = env.solve(episode)
        assert (found.value, found.evidence) == (shipped.value, shipped.evidence)
