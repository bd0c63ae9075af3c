"""Making trial records by playing a game, without any loop or backbone."""

import random

from evoplay.envs import make
from evoplay.memory.records import EpisodeRecord, StepRecord, TrialRecord, step_id


def play_episode(env, episode, actions):
    """Play actions (a list, or a function of the observation that gives the next one or None) into a record."""
    obs = env.reset(episode)
    record = EpisodeRecord(episode=episode, opening=obs.text)
    script = iter(actions) if not callable(actions) else None
    while not obs.done and len(record.steps) < env.spec.max_steps:
        action = next(script, None) if script is not None else actions(obs)
        if action is None:
            break
        before, obs = obs, env.step(action)
        number = len(record.steps) + 1
        record.steps.append(
            StepRecord(
                id=step_id("test", episode, number),
                episode=episode,
                step=number,
                observation=before.text,
                valid_actions=before.valid_actions,
                reply=action,
                action=action,
                outcome=obs.text,
                accepted=obs.accepted,
                score_before=before.score,
                score_after=obs.score,
                visible_before=before.visible_score,
                visible_after=obs.visible_score,
                done=obs.done,
                info=obs.info,
            )
        )
    final = env.finish()
    record.score, record.closing = final.score, final.text
    return record


def play_trial(env_id, scripts, seed=None):
    """A trial of one episode a script."""
    env = make(env_id, seed)
    episodes = [play_episode(env, number, script) for number, script in enumerate(scripts, start=1)]
    return TrialRecord(env_id=env_id, seed=env.seed, episodes=episodes)


def solver_trial(env_id, episodes=5, seed=None):
    env = make(env_id, seed)
    return play_trial(env_id, [env.solution(number) for number in range(1, episodes + 1)], seed)


def random_trial(env_id, rng_seed, episodes=5, seed=None):
    rng = random.Random(rng_seed)
    return play_trial(env_id, [lambda obs: rng.choice(obs.valid_actions)] * episodes, seed)
