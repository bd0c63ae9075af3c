"""Policies: players that are no language models. Floors, ceilings and people in the same tables.

Only a policy is bound to the environment it plays; the loop binds nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evoplay.envs.base import Env, NoReference, Observation, Player
from evoplay.methods.backbones.base import Backbone, BackboneError, CallFailed, Completion, Message


class Policy(Backbone):
    """Base of the policies: bound to the env, told of each episode, asked with the present observation in hand."""

    free = True
    about = ""
    """One line for lists."""

    def __init__(self) -> None:
        self.name = ""
        self.env: Env | None = None
        self.observation = Observation("")

    def for_trial(self) -> Policy:
        """A policy keeps a trial's state, so every trial gets its own."""
        fresh = type(self)()
        fresh.name = self.name
        return fresh

    def bind(self, env: Env) -> None:
        """Called once, before the trial."""
        self.env = env

    def begin(self, episode: int) -> None:
        """An episode begins."""

    def see(self, observation: Observation) -> None:
        """The observation to act on."""
        self.observation = observation

    def choose(self, rng: random.Random) -> str:
        """The next action."""
        raise CallFailed(f"{self.name} cannot choose an action", kind="policy", fatal=True)

    def reply(self, messages: Sequence[Message], rng: random.Random) -> str:
        """The answer to a question outside the episode; a policy has none unless it says so."""
        return ""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        seed: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        where: str = "",
    ) -> Completion:
        rng = random.Random(seed)
        return Completion(self.answer(messages, rng, purpose), usd=0.0, model=self.name)

    def answer(self, messages: Sequence[Message], rng: random.Random, purpose: str) -> str:
        """The text of the completion."""
        return f"Action: {self.choose(rng)}" if purpose == "act" else self.reply(messages, rng)


class PlayerPolicy(Policy):
    """A reference agent of the environment (`Env.player`), given the text of the prompt and nothing else."""

    role = ""
    player: Player | None = None

    def bind(self, env: Env) -> None:
        super().bind(env)
        self.player = env.player(self.role)

    def begin(self, episode: int) -> None:
        if self.player is None:
            assert self.env is not None
            raise CallFailed(
                f"{self.env.spec.id} has no reference agent '{self.role}': {self.name} plays adaexplore",
                kind="policy",
                fatal=True,
            )

    def answer(self, messages: Sequence[Message], rng: random.Random, purpose: str) -> str:
        if self.player is None:
            return super().answer(messages, rng, purpose)
        text = "\n".join(message.content for message in messages)
        return f"Action: {self.player.act(text, rng)}" if purpose == "act" else self.player.assess(text, rng)


class PriorPolicy(PlayerPolicy):
    role, about = "prior", "the middle actions in turn, no probes (adaexplore)"


class DesignedPolicy(PlayerPolicy):
    role, about = "designed", "a textbook experimenter that reads the prompt and reacts to a drop (adaexplore)"


class SentinelPolicy(PlayerPolicy):
    role, about = "sentinel", "the same with fixed re-probes in every window (adaexplore)"


class OraclePolicy(PlayerPolicy):
    role, about = "oracle", "knows the hidden rule: the ceiling (adaexplore)"


class RandomPolicy(PlayerPolicy):
    """Uniform over the listed actions, or over all actions where the environment has a player for it."""

    role, about = "random", "uniform over the listed actions: the floor"

    def begin(self, episode: int) -> None:
        """Plays every environment."""

    def choose(self, rng: random.Random) -> str:
        actions = self.observation.valid_actions
        return rng.choice(actions) if actions else ""


class SolverPolicy(Policy):
    """The solver's line of the episode, then whatever ends it."""

    about = "plays the solver's line: the ceiling"

    def begin(self, episode: int) -> None:
        assert self.env is not None
        try:
            line = self.env.solution(episode)
        except NoReference as error:
            raise CallFailed(str(error), kind="no_solution") from error
        if line is None:
            raise CallFailed(f"{self.env.spec.id}: the solver builds no line of actions", kind="no_solution")
        self.line = iter(line)

    def choose(self, rng: random.Random) -> str:
        return next(self.line, LEAVE)


LEAVE = "\x04"
"""Given instead of an action, it leaves the episode; nobody but a policy can say it."""


class HumanPolicy(Policy):
    """A person at the terminal; `ask` prints the observation and reads a line."""

    about = "a person at the terminal"
    ask: Callable[[Observation], str | None] | None = None

    def for_trial(self) -> Policy:
        fresh = super().for_trial()
        assert isinstance(fresh, HumanPolicy)
        fresh.ask = self.ask
        return fresh

    def choose(self, rng: random.Random) -> str:
        said = (self.ask or ask_at_terminal)(self.observation)
        return LEAVE if said is None else said


def ask_at_terminal(observation: Observation) -> str | None:
    """Print an observation and read an action; a number stands for the listed action, end of input leaves."""
    print(f"\n{observation.text}\n")
    for number, action in enumerate(observation.valid_actions, start=1):
        gloss = observation.glosses.get(action)
        print(f"  {number:2} {action}{f'  ({gloss})' if gloss else ''}")
    try:
        said = input("> ").strip()
    except EOFError:
        return None
    if said.isdigit() and 1 <= int(said) <= len(observation.valid_actions) and said not in observation.valid_actions:
        return observation.valid_actions[int(said) - 1]
    return said


POLICIES: dict[str, type[Policy]] = {
    "random": RandomPolicy,
    "solver": SolverPolicy,
    "human": HumanPolicy,
    "prior": PriorPolicy,
    "designed": DesignedPolicy,
    "sentinel": SentinelPolicy,
    "oracle": OraclePolicy,
}


def open_policy(name: str) -> Policy:
    """A policy by its name without `policy/`. Raises BackboneError naming those there are."""
    if name not in POLICIES:
        raise BackboneError(
            f"there is no policy '{name}': use one of {', '.join(f'policy/{known}' for known in POLICIES)}"
        )
    policy = POLICIES[name]()
    policy.name = f"policy/{name}"
    return policy
