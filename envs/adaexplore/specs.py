"""What is known of a task without playing it; needs no numpy, so that listing tasks is quick."""

from __future__ import annotations

from evoplay.envs.adaexplore import SUITE, TASKS
from evoplay.envs.adaexplore.blueprints import load_blueprint
from evoplay.envs.adaexplore.config import PLAY
from evoplay.envs.base import EnvError, EnvSpec


def spec_of_task(domain: str, task: str) -> EnvSpec:
    """The spec of a task. Raises EnvError for a task there is not."""
    if task not in TASKS.get(domain, ()):
        raise EnvError(f"there is no task {domain}/{task}: `evoplay games` lists them all")
    blueprint = load_blueprint(domain, task)
    return EnvSpec(
        id=f"{SUITE}/{domain}/{task}",
        title=blueprint.title,
        suite=SUITE,
        kind="reshuffled",
        challenge=False,
        episodes=PLAY.stream_length,
        max_steps=PLAY.max_steps,
        seed=1,
        summary=f"{blueprint.title} ({domain}): act on cases under a hidden rule that may change.",
        about=blueprint.scenario,
    )
