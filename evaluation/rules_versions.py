"""Whether games are still those that a run was played on: the version of their rules, then and now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evoplay.envs.registry import spec_of

Facts = Mapping[str, Mapping[str, Any]]
"""Facts of environments by id, as run.json holds them; `rules_version` is one of them."""


def changed_rules(played: Facts, now: Facts) -> dict[str, tuple[int | None, int | None]]:
    """`{env id: (version played, version now)}` of those that differ; None on the side that lacks an environment."""
    then, today = ({env_id: env["rules_version"] for env_id, env in facts.items()} for facts in (played, now))
    names = sorted(set(then) | set(today))
    return {name: (then.get(name), today.get(name)) for name in names if then.get(name) != today.get(name)}


def changed_since(played: Facts) -> dict[str, tuple[int | None, int | None]]:
    """What `changed_rules` says of the installed program; environments that it does not have are passed over."""
    now = installed(played)
    return changed_rules({env_id: played[env_id] for env_id in now}, now)


def installed(env_ids: Iterable[str]) -> dict[str, dict[str, int]]:
    """`{env id: {"rules_version": version}}` of the environments that can be found."""
    found = {}
    for env_id in env_ids:
        try:
            found[env_id] = {"rules_version": spec_of(env_id).rules_version}
        except Exception:  # noqa: BLE001  (a user's own environment may be gone or broken: its runs can be read)
            continue
    return found
