"""What a run is told to do: one configuration, from flags or a TOML file, checked before anything starts."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evoplay.envs.registry import spec_of, suite_ids
from evoplay.evaluation.runlog import Cell
from evoplay.evaluation.runschema import MOST
from evoplay.methods.registry import MethodSpec, parse_methods


class ConfigError(ValueError):
    """A configuration that cannot be run; one line with the value, what was expected and the fix."""


class RunConfig(BaseModel):
    """Everything that decides what a run does.

    The fields from `out` on only say how it is carried out; changing them lets a run go on.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    env: list[str] = Field(min_length=1, description="environment ids, or a suite's name for all of it")
    method: list[str] = Field(min_length=1, description="methods with options; policy/NAME plays without a model")
    backbone: str = Field(default="sim/learner", description="what plays: see `evoplay doctor`")
    episodes: int | None = Field(default=None, ge=1, le=MOST, description="episodes a trial (default: each game's own)")
    trials: int = Field(default=3, ge=1, le=MOST, description="independent trials of each method on each game")
    seed: int = Field(default=0, description="the run's seed; games keep their official ones")
    env_seeds: list[int] | None = Field(default=None, description="seeds of the games (default: the official one)")
    episode_mode: str = Field(default="reshuffled", description="'control' repeats episode 1's instance")
    env_options: dict[str, Any] = Field(default_factory=dict, description="further options of the environments")
    budget_tokens: int | None = Field(default=None, ge=500, description="tokens a prompt may hold")
    freeze_after: int | None = Field(default=None, ge=1, description="learn so many episodes, then only use them")
    hide_actions: bool = Field(default=False, description="do not list the valid actions")
    use_tools: bool = Field(default=False, description="offer the environment's tools to the backbone")
    max_steps: int | None = Field(default=None, ge=1, description="cap of an episode's steps (default: the game's)")
    temperature: float | None = Field(default=None, ge=0, le=2)
    reasoning_effort: str | None = None
    reply_tokens: int | None = Field(default=None, ge=1, description="longest reply, in tokens")
    model_options: dict[str, Any] = Field(default_factory=dict, description="further arguments of litellm.completion")
    embeddings: str = Field(default="hashing", description="hashing, minilm, or a litellm embedding model")
    plant: str | None = Field(default=None, description="a false claim to plant: a file, or gemforge or hauntedinn")

    out: str = Field(default="runs/latest", min_length=1, description="the run's folder")
    concurrency: int = Field(default=4, ge=1, description="trials played at the same time")
    api_base: str | None = None
    timeout: float | None = Field(default=None, gt=0, description="seconds a call may take")
    retries: int | None = Field(default=None, ge=0, description="further tries of a failed call")
    max_usd: float | None = Field(default=None, gt=0, description="stop cleanly when so much is spent")
    max_tokens: int | None = Field(default=None, gt=0, description="stop cleanly when so many tokens are used")
    prices: str | None = Field(default=None, description="a price table of your own")

    def decisive(self) -> dict[str, Any]:
        """The fields that decide results: a run goes on only if they are unchanged."""
        return {name: value for name, value in self.model_dump().items() if name not in HOW}

    def env_ids(self) -> list[str]:
        """The environments, suites spelled out. Raises UnknownEnv or PluginError."""
        ids = [env_id for name in self.env for env_id in suite_ids(name) or [name]]
        return list(dict.fromkeys(ids))

    def contenders(self) -> list[Contender]:
        """The rows of the table: methods with each combination of their listed options, and policies."""
        rows: list[Contender] = []
        for text in self.method:
            if text.startswith("policy/"):
                rows.append(Contender(text, MethodSpec("naive"), text))
            else:
                rows += [Contender(spec.label, spec, None) for spec in parse_methods(text)]
        twice = [row.label for at, row in enumerate(rows) if row.label in {other.label for other in rows[:at]}]
        if twice:
            raise ConfigError(f"method '{twice[0]}' is named twice: name each contender once")
        return rows

    def cells(self) -> list[Cell]:
        """Every trial, in the order they are started: trial by trial, so that early tables compare all methods."""
        return [
            Cell(env_id, seed, row.label, trial)
            for trial in range(1, self.trials + 1)
            for env_id in self.env_ids()
            for seed in self.env_seeds or [official_seed(env_id)]
            for row in self.contenders()
        ]


class Contender:
    """A row of the table: a method, or a policy that plays in its place."""

    __slots__ = ("label", "policy", "spec")

    def __init__(self, label: str, spec: MethodSpec, policy: str | None) -> None:
        self.label = label
        self.spec = spec
        self.policy = policy


HOW = frozenset(("out", "concurrency", "api_base", "timeout", "retries", "max_usd", "max_tokens", "prices"))


def official_seed(env_id: str) -> int:
    """The official seed of an environment, without making it where the class says it."""
    return spec_of(env_id).seed


def parse_seeds(text: str) -> list[int]:
    """`1..5` or `1,2,7` as seeds. Raises ConfigError."""
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = part.strip().partition("..")
        try:
            low, high = int(first), int(last if dots else first)
        except ValueError:
            raise ConfigError(f"--env-seeds '{text}': write whole numbers as 1..5 or 1,2,7") from None
        if high < low:
            raise ConfigError(f"--env-seeds '{text}': {low}..{high} is empty; write the smaller number first")
        if high - low >= MOST:
            raise ConfigError(f"--env-seeds '{text}': {low}..{high} are more than {MOST:,} seeds; write fewer")
        seeds += range(low, high + 1)
    return list(dict.fromkeys(seeds))


def read_toml(path: str | Path) -> dict[str, Any]:
    """A run file's content. Raises ConfigError for one that cannot be read."""
    try:
        with Path(path).open("rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}): name an existing TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML ({error}): correct it") from None
    return data


def make_config(data: Mapping[str, Any]) -> RunConfig:
    """A checked configuration. Raises ConfigError with one line for the first thing that is wrong."""
    values = {key.replace("-", "_"): value for key, value in data.items()}
    for plural, singular in (("envs", "env"), ("methods", "method")):
        if plural in values:
            values[singular] = values.pop(plural)
    for key in ("env", "method"):
        if isinstance(values.get(key), str):
            values[key] = [values[key]]
    if isinstance(values.get("env_seeds"), str):
        values["env_seeds"] = parse_seeds(values["env_seeds"])
    try:
        config = RunConfig(**values)
    except ValidationError as error:
        raise ConfigError(_first_fault(error)) from None
    return config


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, RunConfig.model_fields, n=1)
        return f"there is no setting '{name}'" + (f": did you mean '{near[0]}'?" if near else "")
    if fault["type"] == "missing":
        return f"'{name}' is missing: give at least one --{name}"
    field = RunConfig.model_fields.get(str(fault["loc"][0]))
    meaning = f" ({field.description})" if field is not None and field.description else ""
    said = fault["msg"][0].lower() + fault["msg"][1:]
    return f"{name} = {fault['input']!r}{meaning}: {said}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What a configuration changes, one line a setting."""
    names = sorted(set(old) | set(new))
    return [f"{name}: {old.get(name)!r} -> {new.get(name)!r}" for name in names if old.get(name) != new.get(name)]
