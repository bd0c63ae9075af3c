"""What holds for every game, whatever is played: the contracts, on random play."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import check_env, make
from evoplay.envs.learn2play import GAMES

IDS = [f"learn2play/{game}" for game in GAMES]
everywhere = pytest.mark.parametrize("env_id", IDS)


@everywhere
def test_contracts_hold(env_id):
    assert check_env(env_id, steps=25) == []


@everywhere
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), episode=st.integers(1, 10), junk=st.text(max_size=30), data=st.randoms())
def test_refused_actions_change_nothing_but_what_is_said(env_id, seed, episode, junk, data):
    env = make(env_id, seed)
    obs = env.reset(episode)
    for _ in range(6):
        if obs.done or not obs.valid_actions:
            break
        answer = env.clone().step(junk)
        assert isinstance(answer.text, str)
        action = data.choice(obs.valid_actions)
        twin = env.clone()
        obs = env.step(action)
        assert obs.accepted
        assert twin.step(action) == obs


@everywhere
def test_the_same_seed_gives_the_same_play(env_id):
    def play():
        env, rng = make(env_id), random.Random(7)
        obs = env.reset(3)
        seen = [obs]
        while not obs.done and len(seen) < 60 and obs.valid_actions:
            obs = env.step(rng.choice(obs.valid_actions))
            seen.append(obs)
        return seen

    assert play() == play()


@everywhere
def test_control_repeats_the_first_instance(env_id):
    control, usual = make(env_id, episode_mode="control"), make(env_id)
    assert control.reset(4) == usual.reset(1 if usual.spec.kind == "reshuffled" else 4)
