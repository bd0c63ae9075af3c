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
from evoplay.evaluation.runlog import AGAIN, RunLogError
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


def read_history(events: Iterable[Event], where: object = "the log") -> History:
    """What a trial's events say about where it stands.

    Raises RunLogError, naming `where` they are from, for events that do not follow from one another: an episode or a
    step left out or told twice, or a claim that was never made.
    """
    reading = _Reading()
    for event, holds in valid_events(events):
        reading.count(event)
        if holds:
            try:
                reading.take(event)
            except _Gap as gap:
                raise RunLogError(f"{where} does not hang together: it has {gap}: {AGAIN}") from None
    history = reading.history
    history.pending = reading.record is not None or history.past.unclosed
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


_PLAY = frozenset(("step", "aside", "episode_finished", "rollout"))


class _Gap(Exception):
    """An event that does not follow from those before it."""


class _Reading:
    """A trial's log, as far as it has been read. `record` is the episode that is being played."""

    def __init__(self) -> None:
        self.history = History()
        self.record: EpisodeRecord | None = None
        self._rollouts: dict[int, EpisodeRecord] = {}
        self._replies: dict[int, str] = {}
        self._claims: set[str] = set()

    def count(self, event: Event) -> None:
        """Take what stays counted when its episode is voided."""
        history = self.history
        if event["type"] == "call":
            history.calls = max(history.calls, event["n"])
            self._replies[event["n"]] = event["reply"] or ""
            history.tokens += event.get("usage", {}).get("input", 0) + event.get("usage", {}).get("output", 0)
            history.usd += event.get("usd") or 0.0
        elif event["type"] == "block":
            history.blocks.add(event["id"])

    def take(self, event: Event) -> None:
        """Take an event that holds. Raises _Gap."""
        kind, past = event["type"], self.history.past
        if kind in _PLAY:
            self._played(event)
        elif kind == "episode_started":
            if event["episode"] != len(past.episodes) + 1:
                raise _Gap(f"episode {event['episode']} after {len(past.episodes)} finished ones")
            self.record, self._rollouts = _begun(event), {}
        elif kind == "episode_closed":
            past.state, past.unclosed = event["state"], False
        elif kind == "drop":
            _dropped(past, event)
        elif kind == "claim":
            if event["op"] == "claim":
                self._claims.add(event["claim"])
            self._check_made([event["claim"]])
            self.history.claims.append(event)
        elif kind == "rules":
            self._check_made([*event["shown"], *event["held"]])
        elif kind == "planted" and event["claim"] is not None:
            self._check_made([event["claim"]])

    def _played(self, event: Event) -> None:
        kind, record, past = event["type"], self.record, self.history.past
        if record is None or event["episode"] != record.episode:
            raise _Gap(f"a {kind} of episode {event['episode']}, which is not the one being played")
        if kind == "rollout":
            one = self._rollouts.setdefault(event["rollout"], EpisodeRecord(record.episode, record.opening))
            one.opening_retained = record.opening_retained
            self._add(one, event["event"])
            return
        self._add(record, event)
        if kind == "episode_finished":
            past.episodes.append(record)
            past.unclosed, self.record = True, None
            past.rolled_out = [one.view() for one in self._rollouts.values() if one.error is None]

    def _add(self, record: EpisodeRecord, event: Event) -> None:
        if event["type"] == "step":
            if event["step"] != len(record.steps) + 1:
                raise _Gap(f"step {event['id']} after {len(record.steps)} steps of the episode")
            record.steps.append(_step(event, record, self._replies.get(event["call"], "")))
        elif event["type"] == "aside":
            record.asides.append(AsideRecord(**{name: event[name] for name in AsideRecord.__dataclass_fields__}))
        else:
            _finish(record, event)

    def _check_made(self, claims: Iterable[str]) -> None:
        for claim in claims:
            if claim not in self._claims:
                raise _Gap(f"the claim {claim} before it was made")


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
