"""AdaExplore: decisions under a hidden rule that drifts, after AdaExploreBench (arXiv 2610.25950).

Listing the tasks costs no import of numpy: the rules are loaded when an environment is made.

dynamics    the four rule families, calibration, utilities: pure functions over arrays
blueprints  what an expert wrote about a task (`blueprints/<domain>/<task>.toml`), and its validation
sampling    cases from field distributions under constraints
slots       which task, family, factor count and drift position each episode has, before anything is drawn
generation  episodes from slots, with the conditions of acceptance
exchange    episodes as JSONL, out and in
calls       text actions and tool calls, read and checked; `calculator` is the arithmetic
assessment  what an agent's answer about factors means
texts       every sentence a player reads
env         the environment
reference   the agents that need no language model
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evoplay.envs.adaexplore.env import AdaExplore

SUITE = "adaexplore"
TASKS: dict[str, tuple[str, ...]] = {
    "finance": ("credit-line", "card-fraud", "collections", "trade-surveillance"),
    "healthcare": ("sepsis-ward", "discharge-followup", "telehealth-triage", "diabetes-coaching"),
    "cybersecurity": ("login-risk", "endpoint-alert", "patch-urgency", "mail-gateway"),
    "manufacturing": ("spindle-maintenance", "weld-inspection", "supplier-quality", "batch-reactor"),
}
"""The tasks of each domain, in the order of the slots."""
TASK_IDS = tuple(f"{SUITE}/{domain}/{task}" for domain, tasks in TASKS.items() for task in tasks)


@cache
def task_class(env_id: str) -> type[AdaExplore]:
    """The environment class of one of `TASK_IDS`."""
    from evoplay.envs.adaexplore.env import class_for

    _, domain, task = env_id.split("/")
    return class_for(domain, task)
