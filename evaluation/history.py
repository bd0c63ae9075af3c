"""From a trial's events back to records: what was finished, what the method knew, what goes on from where.

An episode that was begun and not finished is started again; its events stay in the file, and a `resumed` event voids
them (their calls still count as spent).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evoplay.evaluation.loop import Past
from evoplay.evaluation.recorder import Event
from evoplay.memory.records import AsideRecord, EpisodeRecord, StepRecord


@dataclass(slots=True)
class History:
    """A trial as its log tells it.

    past : finished episodes and the method's state. claims : the evidence store's events, in order.
    calls, blocks : how many calls were logged, and the ids of the prompt blocks that are stored.
    tokens, usd : what all logged calls took, voided ones included.
    pending : the log ends inside an episode or before the method had taken one in.
    """

    past: Past = field(default_factory=Past)
    claims: list[Event] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    blocks: set[str] = field(default_factory=set)
    pending: bool = False


def valid_events(events: Iterable[Event]) -> Iterator[tuple[Event, bool]]:
    """Every event with whether it still holds (False: voided by a later restart of its episode).

    A `resumed` event voids what followed the last finished step of the method: everything after the last
    `episode_closed` except the finished episode that it names as kept.
    """
    held: list[Event] = []
    for event in events:
        if event["type"] == "resumed":
            keep = event.get("keep_until", 0)
            yield from ((old, at < keep) for at, old in enumerate(held))
            held = []
        elif event["type"] == "episode_closed":
            yield from ((old, True) for old in held)
            held = []
            yield event, True
        else:
            held.append(event)
    yield from ((old, True) for old in held)


def read_history(events: Iterable[Event]) -> History:
    """What a trial's events say about where it stands."""
    history = History()
    open_episode = False
    record: EpisodeRecord | None = None
    replies: dict[int, str] = {}
    rollouts: dict[int, EpisodeRecord] = {}
    for event, holds in valid_events(events):
        kind = event["type"]
        if kind == "call":
            history.calls = max(history.calls, event["n"])
            replies[event["n"]] = event["reply"] or ""
            history.tokens += event.get("usage", {}).get("input", 0) + event.get("usage", {}).get("output", 0)
            history.usd += event.get("usd") or 0.0
        elif kind == "block":
            history.blocks.add(event["id"])
        if not holds:
            continue
        if kind == "episode_started":
            record, open_episode = _begun(event), True
            rollouts = {}
        elif kind == "rollout" and record is not None:
            one = rollouts.setdefault(event["rollout"], EpisodeRecord(record.episode, record.opening))
            one.opening_retained = record.opening_retained
            _rolled(one, event["event"], replies)
        elif kind == "step" and record is not None:
            record.steps.append(_step(event, record, replies.get(event["call"], "")))
        elif kind == "aside" and record is not None:
            record.asides.append(AsideRecord(**{name: event[name] for name in AsideRecord.__dataclass_fields__}))
        elif kind == "episode_finished" and record is not None:
            _finish(record, event)
            history.past.episodes.append(record)
            history.past.unclosed, open_episode = True, False
            history.past.rolled_out = [one.view() for one in rollouts.values() if one.error is None]
        elif kind == "episode_closed":
            history.past.state, history.past.unclosed = event["state"], False
        elif kind == "drop":
            _dropped(history.past, event)
        elif kind == "claim":
            history.claims.append(event)
    history.pending = open_episode or history.past.unclosed
    return history


def resume_point(events: Iterable[Event]) -> Event | None:
    """The `resumed` event to append before a trial goes on, or None where nothing has to be voided.

    Voided is what stands after the last `episode_closed`, up to a finished episode, which is kept.
    """
    held: list[Event] = []
    for event in events:
        if event["type"] in ("resumed", "episode_closed"):
            held = []
        else:
            held.append(event)
    keep = max((at + 1 for at, event in enumerate(held) if event["type"] == "episode_finished"), default=0)
    # The opening line of the file is nobody's.
    if keep == 0 and held and held[0]["type"] == "opened":
        keep = 1
    return {"type": "resumed", "keep_until": keep} if keep < len(held) else None


def records(events: Iterable[Event]) -> list[EpisodeRecord]:
    """The finished episodes of a trial."""
    return read_history(events).past.episodes


def _rolled(one: EpisodeRecord, event: Event, replies: Mapping[int, str]) -> None:
    """Take an event of a rollout into its record."""
    if event["type"] == "step":
        one.steps.append(_step(event, one, replies.get(event["call"], "")))
    elif event["type"] == "episode_finished":
        _finish(one, event)


def _dropped(past: Past, event: Mapping[str, Any]) -> None:
    if event["parts"]:
        past.left_out[event["key"]] = past.left_out.get(event["key"], 0) + event["parts"]
    else:
        past.dropped.add(event["key"])


def _begun(event: Mapping[str, Any]) -> EpisodeRecord:
    return EpisodeRecord(event["episode"], event["opening"], opening_retained=event.get("opening_retained"))


def _step(event: Mapping[str, Any], record: EpisodeRecord, reply: str) -> StepRecord:
    before = record.steps[-1] if record.steps else None
    return StepRecord(
        id=event["id"],
        episode=event["episode"],
        step=event["step"],
        observation=record.opening if before is None else before.outcome,
        valid_actions=tuple(event["valid"]),
        reply=reply,
        action=event["action"],
        outcome=event["outcome"],
        accepted=event["accepted"],
        score_before=event.get("score_before", 0.0) if before is None else before.score_after,
        score_after=event["score"],
        visible_before=event.get("visible_before") if before is None else before.visible_after,
        visible_after=event["visible"],
        done=event["done"],
        retained=event.get("retained"),
        outcome_retained=event.get("outcome_retained"),
        seconds=(event["seconds"][0], event["seconds"][1]),
        call=event.get("call"),
        notes=tuple(event.get("notes", ())),
        info=event.get("info", {}),
    )


def _finish(record: EpisodeRecord, event: Mapping[str, Any]) -> None:
    record.score, record.closing, record.seconds = event["score"], event["closing"], event["seconds"]
    record.capped, record.left = event.get("capped", False), event.get("left", False)
    record.error = event.get("error")
