"""What only the runner may know and some methods need: a game's rules (`told`), another game's history (`placebo`),
reference scores (`judge="reference"`, for analysis only)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from evoplay.envs.base import Env, NoReference
from evoplay.envs.learn2play import GAMES
from evoplay.envs.registry import ids, make
from evoplay.evaluation.loop import Trial, run_trial
from evoplay.evaluation.recorder import Recorder
from evoplay.evaluation.seeds import SeedOf
from evoplay.memory.records import Episode
from evoplay.methods.backbones.policy import open_policy
from evoplay.methods.base import Method, MethodError
from evoplay.methods.naive import Naive


def supplied(
    kind: type[Method],
    env_id: str,
    trial: int,
    options: Mapping[str, Any] | None = None,
    env: Callable[[], Env] | None = None,
) -> dict[str, Any]:
    """The constructor arguments a method `needs` with its options on an environment (`env` makes it, with its seed)."""
    makers: dict[str, Callable[[], Any]] = {
        "rules": lambda: rules_of(env_id),
        "other_history": lambda: other_history(env_id, trial),
        "reference_of": lambda: reference_of(make(env_id) if env is None else env()),
    }
    needs = kind.needed(options or {})
    unknown = [name for name in needs if name not in makers]
    if unknown:
        raise MethodError(f"method '{kind.name}' needs '{unknown[0]}', which nobody supplies: {', '.join(makers)} are")
    return {name: makers[name]() for name in needs}


def reference_of(env: Env) -> Callable[[int], float | None]:
    """The reference score of each episode of an environment, None where there is none for its seed."""

    @cache
    def value(episode: int) -> float | None:
        try:
            return env.reference(episode).value
        except NoReference:
            return None

    return value


def rules_of(env_id: str) -> str:
    """The hidden rules in words. Raises MethodError for an environment without such a text."""
    suite, _, name = env_id.partition("/")
    folder = resources.files("evoplay.evaluation").joinpath("told", suite)
    # A suite may have one text for all its tasks.
    for candidate in (f"{name}.md", "all.md"):
        file = folder.joinpath(candidate)
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise MethodError(f"'told' has no rules for {env_id}: leave it out there, or add the text")


def other_history(env_id: str, trial: int) -> list[Episode]:
    """Five episodes of another game of the suite, played at random: always the same for a game and trial."""
    games = [f"learn2play/{name}" for name in GAMES if f"learn2play/{name}" != env_id]
    at = ids().index(env_id) if env_id in ids() else 0
    return _random_play(games[(at + 7 * trial) % len(games)], trial)


@cache
def _random_play(env_id: str, trial: int) -> list[Episode]:
    player = Trial(
        env=make(env_id),
        method=Naive(),
        backbone=open_policy("random"),
        cell="placebo",
        episodes=5,
        seed_of=SeedOf(0, f"placebo {env_id} {trial}"),
        recorder=Recorder(lambda events: None),
    )
    return [record.view() for record in run_trial(player)]
