"""Claims: what a method holds to be so, with the steps it holds it from. Plain data, changed only by events.

Every change of a claim is an event. `applied` is the only place where an event becomes a change, so that what is
rebuilt from a log is what was there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

SCOPES = ("rule", "instance")
"""A rule holds across instances of a game, an instance claim for the instance it was made in."""
STATUSES = ("active", "hypothesis", "established", "aside", "retracted")
"""Active: held, without further distinction. Aside: kept for when its instance comes back."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What could be claimed: a claim before there is any evidence for it (see Claim for the fields)."""

    text: str
    condition: str = ""
    action: str = ""
    effect: str = ""
    scope: str = "rule"


@dataclass(frozen=True, slots=True)
class Wording:
    """An earlier wording of a claim, with the evidence it stood on. `until` is the episode it was replaced in."""

    text: str
    scope: str
    condition: str
    action: str
    effect: str
    supports: tuple[str, ...]
    contradicts: tuple[str, ...]
    until: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a method holds to be so.

    Parameters
    ----------
    id : `cell/c007`, in the order claims were made.
    kind : what it is to its method: "reflection", "insight", "workflow", "item", "guide", "rule", ...
    text : the statement. scope : one of SCOPES. status : one of STATUSES.
    condition, action, effect : what is said to follow from which action under which condition, where that is said.
    supports, contradicts : ids of the steps that show it and of those that show the opposite.
    key : the text it is found by, its statement if empty. data : what its method keeps with it (JSON data).
    episode : the episode it was made in or after. earlier : its earlier wordings, oldest first.
    """

    id: str
    kind: str
    text: str
    scope: str = "rule"
    status: str = "active"
    condition: str = ""
    action: str = ""
    effect: str = ""
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    key: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    episode: int = 0
    earlier: tuple[Wording, ...] = ()

    @property
    def counts(self) -> tuple[int, int]:
        """How many steps support it and how many contradict it."""
        return len(self.supports), len(self.contradicts)

    @property
    def held(self) -> bool:
        """Neither retracted nor set aside."""
        return self.status not in ("aside", "retracted")

    @property
    def short_id(self) -> str:
        """The id without the cell, as prompts show it."""
        return self.id.rpartition("/")[2]


WORDS = ("text", "scope", "condition", "action", "effect")
"""The fields whose change is a new wording."""


def applied(claim: Claim | None, event: Mapping[str, Any]) -> Claim:
    """The claim after an event; `claim` is None for the event that makes it."""
    operation = event["op"]
    if operation == "claim":
        told = {name: value for name, value in event.items() if name in _TOLD}
        told |= {name: tuple(event.get(name, ())) for name in ("supports", "contradicts")}
        return Claim(id=event["claim"], **told)
    assert claim is not None, f"{event['claim']} was changed before it was made"
    if operation in ("support", "contradict"):
        mine, other = ("supports", "contradicts") if operation == "support" else ("contradicts", "supports")
        steps = tuple(event["steps"])
        # A step stands on one side: the later judgement holds.
        links: dict[str, Any] = {
            mine: _with(getattr(claim, mine), steps),
            other: _without(getattr(claim, other), steps),
        }
        return replace(claim, **links)
    if operation == "revise":
        return _revised(claim, event)
    return replace(claim, status=event["status"])


_TOLD = frozenset(("kind", "text", "scope", "status", "condition", "action", "effect", "key", "data", "episode"))


def _revised(claim: Claim, event: Mapping[str, Any]) -> Claim:
    changes = {name: event[name] for name in (*WORDS, "key", "status", "data") if name in event}
    changes |= {name: tuple(event[name]) for name in ("supports", "contradicts") if name in event}
    if any(name in changes and changes[name] != getattr(claim, name) for name in WORDS):
        before = Wording(
            **{name: getattr(claim, name) for name in (*WORDS, "supports", "contradicts")},
            until=event["episode"],
            why=event.get("why", ""),
        )
        changes["earlier"] = (*claim.earlier, before)
    return replace(claim, **changes)


def rebuilt(events: Iterable[Mapping[str, Any]]) -> dict[str, Claim]:
    """All claims by id, in the order they were made, from the events of a log."""
    claims: dict[str, Claim] = {}
    for event in events:
        claims[event["claim"]] = applied(claims.get(event["claim"]), event)
    return claims


def as_dict(claim: Claim) -> dict[str, Any]:
    """A claim as JSON data."""
    return asdict(claim)


def _with(have: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*have, *more)))


def _without(have: tuple[str, ...], less: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in have if one not in less)
