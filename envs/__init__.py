"""Environments: contracts (`base`), the registry, the checker, and the two suites."""

from evoplay.envs.base import (
    Aside,
    Env,
    EnvError,
    EnvSpec,
    NoReference,
    Observation,
    Reference,
)
from evoplay.envs.check import check_env
from evoplay.envs.registry import UnknownEnv, find, ids, make, register, spec_of, suite_ids

__all__ = [
    "Aside",
    "Env",
    "EnvError",
    "EnvSpec",
    "NoReference",
    "Observation",
    "Reference",
    "UnknownEnv",
    "check_env",
    "find",
    "ids",
    "make",
    "register",
    "spec_of",
    "suite_ids",
]
