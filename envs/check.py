"""`check_env`: whether an environment, a user's own above all, keeps the contracts of `envs.base`."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator

from evoplay.envs.base import Env, Observation
from evoplay.envs.registry import make

_PROBE = """
import sys
from evoplay.envs.check import fingerprint
print(fingerprint(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""
_JUNK = ("", "   ", "no such action", "42", "look around; done", "ÄÖÜ", "\n")


def check_env(env_id: str, seed: int | None = None, *, episodes: int = 2, steps: int = 60) -> list[str]:
    """Play an environment at random and list what breaks the contracts (an empty list: nothing found).

    Parameters
    ----------
    env_id : a registered id or `file.py:Class`.
    seed : the seed to check (None: the official one).
    episodes, steps : how many episodes to play, and the steps of each at most.

    Checked: the same text, scores and valid actions in two processes with different hash seeds; clones that go on
    equally and independently; listed actions accepted; refusals of junk that raise nothing; numbers and flags that
    are coherent; `finish()` that settles; `reset(t)` that does not depend on what was played before.
    """
    env = make(env_id, seed)
    faults = list(_spec_faults(env))
    for episode in range(1, episodes + 1):
        faults += _episode_faults(env_id, seed, episode, steps)
    faults += _reset_faults(env_id, seed, steps)
    faults += _process_faults(env_id, env.seed, steps)
    return list(dict.fromkeys(faults))


def fingerprint(env_id: str, seed: int, steps: int) -> str:
    """A digest of everything two random episodes show, to compare processes."""
    digest = hashlib.sha256()
    env = make(env_id, seed)
    for episode in (1, 2):
        for obs in _play(env, episode, steps):
            digest.update(repr((obs.text, obs.valid_actions, obs.accepted, obs.score, obs.done)).encode())
    return digest.hexdigest()


def _play(env: Env, episode: int, steps: int) -> Iterator[Observation]:
    rng = random.Random(episode)
    obs = env.reset(episode)
    yield obs
    for _ in range(steps):
        if obs.done or not obs.valid_actions:
            break
        obs = env.step(rng.choice(obs.valid_actions))
        yield obs
    yield env.finish()


def _spec_faults(env: Env) -> Iterator[str]:
    spec = env.spec
    if spec.kind not in ("fixed", "reshuffled"):
        yield f"spec.kind is {spec.kind!r}: expected 'fixed' or 'reshuffled'"
    if spec.episodes < 1 or spec.max_steps < 1:
        yield f"spec.episodes ({spec.episodes}) and spec.max_steps ({spec.max_steps}) must be at least 1"


def _observation_faults(obs: Observation) -> Iterator[str]:
    if not isinstance(obs.text, str) or not obs.text:
        yield f"an observation's text is {obs.text!r}: expected a non-empty string"
    if isinstance(obs.score, bool) or not isinstance(obs.score, int | float):
        yield f"an observation's score is {obs.score!r}: expected a number"
    if not all(isinstance(action, str) for action in obs.valid_actions):
        yield "valid_actions holds something that is not a string"
    if not set(obs.glosses) <= set(obs.valid_actions):
        yield "glosses names actions that are not listed"


def _episode_faults(env_id: str, seed: int | None, episode: int, steps: int) -> Iterator[str]:
    rng = random.Random(episode)
    env = make(env_id, seed)
    obs = env.reset(episode)
    yield from _observation_faults(obs)
    if obs.done:
        yield f"episode {episode} is done before the first action"
    for _ in range(steps):
        if obs.done or not obs.valid_actions:
            break
        for action in obs.valid_actions[:50]:
            answer = env.clone().step(action)
            if not answer.accepted:
                yield f"episode {episode}: '{action}' is listed as valid and was refused: {answer.text[:80]!r}"
        for junk in _JUNK:
            yield from _observation_faults(env.clone().step(junk))
        action = rng.choice(obs.valid_actions)
        twin = env.clone()
        before, obs = obs, env.step(action)
        yield from _observation_faults(obs)
        if twin.step(action) != obs:
            yield f"episode {episode}: a clone answered '{action}' otherwise than the original"
        if before.done and not obs.done:
            yield f"episode {episode}: an ended episode went on after '{action}'"
    settled = env.finish()
    if not settled.done:
        yield f"episode {episode}: finish() left the episode open (done is false)"
    if env.finish().score != settled.score:
        yield f"episode {episode}: a second finish() changed the score"
    if obs.done and settled.score != obs.score:
        yield f"episode {episode}: finish() changed the score of an ended episode from {obs.score} to {settled.score}"


def _reset_faults(env_id: str, seed: int | None, steps: int) -> Iterator[str]:
    used = make(env_id, seed)
    for _ in _play(used, 2, steps):
        pass
    again, fresh = list(_play(used, 1, steps)), list(_play(make(env_id, seed), 1, steps))
    if again != fresh:
        yield "reset(1) depends on what was played before on the same env"


def _process_faults(env_id: str, seed: int, steps: int) -> Iterator[str]:
    seen = set()
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", _PROBE, env_id, str(seed), str(steps)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            yield f"playing in another process failed: {run.stderr.strip().splitlines()[-1:]}"
            return
        seen.add(run.stdout.strip())
    if len(seen) > 1:
        yield "two processes with different hash seeds saw different episodes"
