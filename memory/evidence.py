"""The evidence store: the steps of a trial, the claims made from them, and the links between the two.

What happened is in the events it hands to its sink; the store is rebuilt from them. A claim that links to no step, to
a step that is not in the record or to one of another trial is refused: what a method believes can always be traced to
what it saw. Searching goes over an index that is made when first needed and can be thrown away at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evoplay.memory.claims import SCOPES, STATUSES, Claim, Wording, applied, rebuilt
from evoplay.memory.embeddings import Embedder, Hashing, similarities
from evoplay.memory.index import VectorIndex
from evoplay.memory.records import Step

Event = dict[str, Any]
Sink = Callable[[Mapping[str, Any]], None]
STEP = "step"
"""The kind under which steps are searched."""
_MORE = 4
"""Candidates fetched for each one wanted: equally similar ones are then put in an order that is always the same."""


class EvidenceError(ValueError):
    """A claim, a link or a step that is refused; the message names it, what was expected and the fix."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found, with its cosine similarity to what was asked for (-1 to 1). One of `step` and `claim` is set."""

    similarity: float
    step: Step | None = None
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class Trail:
    """Where a claim comes from: its raw steps, oldest first, and every earlier wording, oldest first."""

    claim: Claim
    supports: tuple[Step, ...]
    contradicts: tuple[Step, ...]
    earlier: tuple[Wording, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps behind it and against it, those of earlier wordings excepted, oldest first."""
        return tuple(sorted((*self.supports, *self.contradicts), key=_age))


def no_sink(event: Mapping[str, Any]) -> None:
    """Where events go when nobody keeps them."""


class EvidenceStore:
    """Steps and claims of one trial. Not to be used from several threads at once.

    Parameters
    ----------
    cell : id of the trial: steps of other trials are refused.
    sink : is handed every change of a claim as an event {"type": "claim", "op": ..., "claim": id, ...}.
    embedder : how texts are compared (default: hashing).
    name : of the collections in the index (default: the cell).
    now : gives the episode that events are dated with (default: that of the latest step added).
    """

    def __init__(
        self,
        cell: str,
        sink: Sink = no_sink,
        *,
        embedder: Embedder | None = None,
        name: str = "",
        now: Callable[[], int] | None = None,
    ) -> None:
        self.cell = cell
        self.embedder: Embedder = embedder or Hashing()
        self._sink = sink
        self._name = name or cell
        self._now = now
        self._steps: dict[str, Step] = {}
        self._claims: dict[str, Claim] = {}
        self._held_back: list[Event] | None = None
        # The index: texts of steps, each once however often it was seen, and claims; with what is not yet in it.
        self._seen: dict[str, list[str]] = {}
        self._indexes: tuple[VectorIndex, VectorIndex] | None = None
        self._texts: list[str] = []
        self._indexed = 0
        self._changed: dict[str, None] = {}

    # --- steps ------------------------------------------------------------------------------------------------

    def add_steps(self, steps: Iterable[Step]) -> list[str]:
        """Put steps into the record, an episode's in one go; their ids. A step that is there already stays as it is.

        Raises EvidenceError for a step of another trial, or another step under an id that is taken.
        """
        steps = list(steps)
        for step in steps:
            self._check_cell(step.id, "step")
            if self._steps.get(step.id, step) != step:
                raise EvidenceError(f"there is another step {step.id} already: a step once recorded never changes")
        for step in steps:
            if step.id in self._steps:
                continue
            self._steps[step.id] = step
            text = step.observation
            if text not in self._seen:
                self._seen[text] = []
                self._texts.append(text)
            self._seen[text].append(step.id)
        return [step.id for step in steps]

    def step(self, step_id: str) -> Step:
        """A step by its id. Raises EvidenceError for one that is not in the record."""
        self._check_steps([step_id])
        return self._steps[step_id]

    @property
    def steps(self) -> Sequence[Step]:
        """All steps, in the order they were added."""
        return tuple(self._steps.values())

    def latest(self, action: str, count: int) -> list[str]:
        """The ids of the latest `count` steps with an action, oldest first; of other steps where they do not reach."""
        by_use = sorted(self._steps.values(), key=lambda step: (step.action == action, *_age(step)))
        return [step.id for step in sorted(by_use[-count:], key=_age)]

    # --- claims -----------------------------------------------------------------------------------------------

    def claim(
        self,
        *,
        kind: str,
        text: str,
        supports: Iterable[str] = (),
        contradicts: Iterable[str] = (),
        scope: str = "rule",
        status: str = "active",
        condition: str = "",
        action: str = "",
        effect: str = "",
        key: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> Claim:
        """Make a claim from the steps it comes from (see Claim for the fields).

        Raises EvidenceError for a claim without evidence or text, for ids that are not in the record or belong to
        another trial, for a step on both sides, and for a scope or status that does not exist.
        """
        if kind == STEP or not kind:
            raise EvidenceError(f"a claim of kind {kind!r} cannot be made: name what it is, such as 'insight'")
        shown, against = self._evidence(supports), self._evidence(contradicts)
        if not text.strip():
            raise EvidenceError(f"a {kind} without words cannot be claimed: give a text")
        if not shown and not against:
            raise EvidenceError(f"the {kind} {_short(text)} has no evidence: give the ids of the steps that show it")
        if both := set(shown) & set(against):
            raise EvidenceError(f"step {min(both)} cannot both support and contradict {_short(text)}: choose one side")
        event: Event = {"kind": kind, "text": text, "scope": _one_of(scope, SCOPES, "scope")}
        event["status"] = _one_of(status, STATUSES, "status")
        said = {"condition": condition, "action": action, "effect": effect, "key": key}
        event |= {name: value for name, value in said.items() if value}
        event |= {name: ids for name, ids in (("supports", shown), ("contradicts", against)) if ids}
        if data:
            event["data"] = dict(data)
        return self._change(f"{self.cell}/c{len(self._claims) + 1:03d}", "claim", event)

    def support(self, claim_id: str, steps: Iterable[str], why: str = "") -> Claim:
        """Link steps that show a claim. A step linked already stays one; one on the other side changes sides."""
        return self._link(claim_id, "support", steps, why)

    def contradict(self, claim_id: str, steps: Iterable[str], why: str = "") -> Claim:
        """Link steps that show the opposite of a claim."""
        return self._link(claim_id, "contradict", steps, why)

    def revise(
        self,
        claim_id: str,
        *,
        text: str | None = None,
        supports: Iterable[str] | None = None,
        contradicts: Iterable[str] | None = None,
        scope: str | None = None,
        status: str | None = None,
        condition: str | None = None,
        action: str | None = None,
        effect: str | None = None,
        key: str | None = None,
        data: Mapping[str, Any] | None = None,
        why: str = "",
    ) -> Claim:
        """Change a claim; what is None stays. A new wording keeps the earlier one with its evidence.

        `supports` and `contradicts`, where given, replace the links: they are the evidence of the new wording.
        Raises EvidenceError as `claim` does.
        """
        claim = self.get(claim_id)
        if text is not None and not text.strip():
            raise EvidenceError(f"{claim_id} cannot be revised to no words: give a text, or retract it")
        given = {"text": text, "condition": condition, "action": action, "effect": effect, "key": key}
        event: Event = {name: value for name, value in given.items() if value is not None}
        if scope is not None:
            event["scope"] = _one_of(scope, SCOPES, "scope")
        if status is not None:
            event["status"] = _one_of(status, STATUSES, "status")
        if data is not None:
            event["data"] = dict(data)
        event = {name: value for name, value in event.items() if value != getattr(claim, name)}
        links = {"supports": supports, "contradicts": contradicts}
        event |= {name: self._evidence(ids) for name, ids in links.items() if ids is not None}
        shown, against = event.get("supports", claim.supports), event.get("contradicts", claim.contradicts)
        if not shown and not against:
            raise EvidenceError(f"{claim_id} would be left without evidence: give the ids of the steps that show it")
        if both := set(shown) & set(against):
            raise EvidenceError(f"step {min(both)} cannot both support and contradict {claim_id}: choose one side")
        if not event:
            return claim
        return self._change(claim.id, "revise", event, why)

    def retract(self, claim_id: str, why: str = "") -> Claim:
        """Hold a claim no longer. It stays in the store, marked, with its evidence."""
        return self.mark(claim_id, "retracted", why)

    def mark(self, claim_id: str, status: str, why: str = "") -> Claim:
        """Give a claim another status."""
        claim = self.get(claim_id)
        if _one_of(status, STATUSES, "status") == claim.status:
            return claim
        return self._change(claim.id, "retract" if status == "retracted" else "mark", {"status": status}, why)

    def get(self, claim_id: str) -> Claim:
        """A claim by its id, with or without the cell. Raises EvidenceError for one that does not exist."""
        full = claim_id if "/" in claim_id else f"{self.cell}/{claim_id}"
        self._check_cell(full, "claim")
        if full not in self._claims:
            raise EvidenceError(f"there is no claim {claim_id}: {self.cell} has {len(self._claims)} of them")
        return self._claims[full]

    def claims(
        self, kind: str | None = None, *, scope: str | None = None, status: str | Collection[str] | None = None
    ) -> list[Claim]:
        """The claims of a kind, a scope and a status (or one of several), in the order they were made. None: any."""
        wanted = None if status is None else _statuses(status)
        return [
            claim
            for claim in self._claims.values()
            if kind in (None, claim.kind)
            and scope in (None, claim.scope)
            and (wanted is None or claim.status in wanted)
        ]

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """All changes of claims made inside hold, or, where it is left by an exception, none. Not to be nested."""
        before = dict(self._claims)
        self._held_back = []
        try:
            yield
        except BaseException:
            self._changed |= dict.fromkeys(key for key in self._claims if before.get(key) is not self._claims[key])
            self._claims, self._held_back = before, None
            raise
        events, self._held_back = self._held_back, None
        for event in events:
            self._sink(event)

    # --- finding ----------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        kind: str | None = None,
        scope: str | None = None,
        status: str | Collection[str] | None = None,
        k: int = 3,
        min_similarity: float = -1.0,
    ) -> list[Hit]:
        """What resembles a text most, most similar first; of equals the latest first.

        Parameters
        ----------
        kind : "step" for steps, compared by the observation before the action, a kind of claims, or None for both.
        scope, status : of claims; with either, only claims are found. Without a status all but retracted claims are.
        k : how many at most. min_similarity : cosine similarity that a hit must reach.
        """
        vector = self.embedder.embed([text])[0]
        hits: list[Hit] = []
        if kind in (None, STEP) and scope is None and status is None:
            hits += self._nearest_steps(vector, k)
        if kind != STEP:
            hits += self._nearest_claims(vector, k, kind, scope, status)
        hits = [hit for hit in hits if hit.similarity >= min_similarity]
        # Sorting is stable, and each list stands in its final order.
        return sorted(hits, key=lambda hit: -hit.similarity)[:k]

    def similarities(self, text: str, others: Sequence[str]) -> list[float]:
        """The cosine similarity of a text to each of some others, by the store's embedding."""
        if not others:
            return []
        vectors = self.embedder.embed([text, *others])
        return similarities(vectors[1:], vectors[0])

    def trail(self, claim_id: str) -> Trail:
        """The raw steps behind a claim and against it, and its earlier wordings."""
        claim = self.get(claim_id)
        return Trail(claim, self._sorted(claim.supports), self._sorted(claim.contradicts), claim.earlier)

    def close(self) -> None:
        """Throw the index away; it is made again if something is searched for."""
        for index in self._indexes or ():
            index.close()
        self._indexes = None
        self._indexed = 0
        self._changed = dict.fromkeys(self._claims)

    def restore(self, events: Iterable[Mapping[str, Any]], steps: Iterable[Step]) -> None:
        """Stand where a log ends: its claim events and the steps they speak of. Writes no events."""
        self.add_steps(steps)
        self._claims = rebuilt(events)
        for claim in self._claims.values():
            self._check_steps((*claim.supports, *claim.contradicts))
        self._changed = dict.fromkeys(self._claims)

    # --- within -----------------------------------------------------------------------------------------------

    def _change(self, claim_id: str, operation: str, told: Mapping[str, Any], why: str = "") -> Claim:
        event: Event = {"type": "claim", "op": operation, "claim": claim_id, "episode": self._episode(), **told}
        if why:
            event["why"] = why
        claim = applied(self._claims.get(claim_id), event)
        if self._held_back is None:
            # First the log, then the store: what cannot be written has not happened.
            self._sink(event)
        else:
            self._held_back.append(event)
        self._claims[claim_id] = claim
        self._changed[claim_id] = None
        return claim

    def _link(self, claim_id: str, operation: str, steps: Iterable[str], why: str) -> Claim:
        claim = self.get(claim_id)
        ids = self._evidence(steps)
        if not ids:
            raise EvidenceError(f"no step was given to {operation} {claim_id}: give the ids of the steps that do")
        linked = claim.supports if operation == "support" else claim.contradicts
        new = [one for one in ids if one not in linked]
        return self._change(claim.id, operation, {"steps": new}, why) if new else claim

    def _episode(self) -> int:
        if self._now is not None:
            return self._now()
        return next(reversed(self._steps.values())).episode if self._steps else 0

    def _evidence(self, ids: Iterable[str]) -> list[str]:
        if isinstance(ids, str):
            raise EvidenceError(f"evidence {ids!r} is one text: give a list of step ids")
        distinct = list(dict.fromkeys(ids))
        self._check_steps(distinct)
        return distinct

    def _check_steps(self, ids: Iterable[str]) -> None:
        for step_id in ids:
            if step_id not in self._steps:
                self._check_cell(step_id, "step")
                raise EvidenceError(
                    f"there is no step {step_id} in the record: "
                    f"give ids of the {len(self._steps)} steps that were added"
                )

    def _check_cell(self, given: str, what: str) -> None:
        if not isinstance(given, str) or not given.startswith(f"{self.cell}/"):
            owner, slash, _ = str(given).partition("/")
            whose = f"belongs to another trial ({owner})" if slash else "is no id"
            raise EvidenceError(f"{what} {given!r} {whose}: only ids of {self.cell} can be used here")

    def _sorted(self, ids: Iterable[str]) -> tuple[Step, ...]:
        return tuple(sorted((self._steps[one] for one in ids), key=_age))

    def _nearest_steps(self, vector: Any, k: int) -> list[Hit]:
        texts = self._index()[0].nearest(vector, k * _MORE)
        found = [(similarity, step) for at, similarity in texts for step in self._seen[self._texts[int(at)]]]
        hits = [Hit(similarity, step=self._steps[step_id]) for similarity, step_id in found]
        return sorted(hits, key=lambda hit: (-hit.similarity, *(-part for part in _age(hit.step))))[:k]

    def _nearest_claims(
        self, vector: Any, k: int, kind: str | None, scope: str | None, status: str | Collection[str] | None
    ) -> list[Hit]:
        where: dict[str, Collection[str]] = {}
        if kind is not None:
            where["kind"] = (kind,)
        if scope is not None:
            where["scope"] = (_one_of(scope, SCOPES, "scope"),)
        where["status"] = _statuses(status) if status is not None else [one for one in STATUSES if one != "retracted"]
        found = self._index()[1].nearest(vector, k * _MORE, where)
        order = {claim_id: at for at, claim_id in enumerate(self._claims)}
        # A claim taken back with its transaction may still stand in the index.
        hits = [Hit(similarity, claim=self._claims[key]) for key, similarity in found if key in self._claims]
        return sorted(hits, key=lambda hit: (-hit.similarity, -order[hit.claim.id if hit.claim else ""]))[:k]

    def _index(self) -> tuple[VectorIndex, VectorIndex]:
        """The indexes, with everything in them that is in the store."""
        if self._indexes is None:
            self._indexes = VectorIndex(f"{self._name}-steps"), VectorIndex(f"{self._name}-claims")
        steps, claims = self._indexes
        if new := self._texts[self._indexed :]:
            ids = [str(at) for at in range(self._indexed, len(self._texts))]
            steps.put(ids, self.embedder.embed(new))
            self._indexed = len(self._texts)
        changed = [self._claims[key] for key in self._changed if key in self._claims]
        if changed:
            claims.put(
                [claim.id for claim in changed],
                self.embedder.embed([claim.key or claim.text for claim in changed]),
                [{"kind": claim.kind, "scope": claim.scope, "status": claim.status} for claim in changed],
            )
        self._changed = {}
        return self._indexes


def _age(step: Step | None) -> tuple[int, int]:
    assert step is not None
    return step.episode, step.step


def _statuses(status: str | Collection[str]) -> list[str]:
    return [_one_of(one, STATUSES, "status") for one in ([status] if isinstance(status, str) else status)]


def _one_of(value: str, known: Sequence[str], what: str) -> str:
    if value not in known:
        raise EvidenceError(f"{what} {value!r} is unknown: use one of {', '.join(known)}")
    return value


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
