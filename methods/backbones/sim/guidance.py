"""Reading advice out of plain text: which actions a sentence names, in which order, and whether it speaks for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evoplay.methods.backbones.sim.words import NUMBER, TOKEN

_AGAINST = """avoid avoids avoided never not don dont stop skip worse worst wasted wastes wasteful harmful harms useless
lose loses lost loss losing nothing fails failed failing fail bad refuse refused refuses refrain without wrong mistake
mistakes penalty only cannot cant contradicted discouraged retracted"""
_FOR = """do use try prefer repeat raise raises raised gain gains gained best good better first always brought brings
earns earned pays paid increases increase works worked should must then next start begin"""
AGAINST = frozenset(_AGAINST.split())
FOR = frozenset(_FOR.split())
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|\n+")
_CODE = re.compile(r"`([^`\n]+)`")
MOST = 400
"""So many sentences are read, the first ones."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence that names actions: in their order, for or against them, the points it speaks of (None: none)."""

    actions: tuple[str, ...]
    good: bool
    worth: float | None


def read_advice(text: str, actions: Sequence[str]) -> list[Advice]:
    """The advice in a text about the known `actions`; what stands in backquotes is taken for an action too."""
    spelled = [(tuple(TOKEN.findall(action.lower())), action) for action in actions]
    first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for spelling, action in sorted(spelled, key=lambda entry: -len(entry[0])):
        if spelling:
            first.setdefault(spelling[0], []).append((spelling, action))
    out = []
    for sentence in _SENTENCE.split(text)[:MOST]:
        named = tuple(found.strip() for found in _CODE.findall(sentence)) or _named(sentence, first)
        if not named:
            continue
        bare = _CODE.sub(" ", sentence)
        words = TOKEN.findall(bare.lower())
        against = next((at for at, word in enumerate(words) if word in AGAINST), None)
        in_favour = next((at for at, word in enumerate(words) if word in FOR), None)
        good = against is None or (in_favour is not None and in_favour < against)
        signed = [float(found) for found in NUMBER.findall(bare) if found[0] in "+-"]
        worth = signed[0] if signed else None
        out.append(Advice(named, good and (worth is None or worth > 0), worth))
    return out


def _named(sentence: str, first: dict[str, list[tuple[tuple[str, ...], str]]]) -> tuple[str, ...]:
    """The known actions a sentence spells out, in order; of those that begin alike the longest counts."""
    words = tuple(TOKEN.findall(sentence.lower()))
    named: list[str] = []
    at = 0
    while at < len(words):
        for spelling, action in first.get(words[at], ()):
            if words[at : at + len(spelling)] == spelling:
                named.append(action)
                at += len(spelling) - 1
                break
        at += 1
    return tuple(named)


def pull(advice: Sequence[Advice], played: Sequence[str], action: str) -> tuple[float, Advice | None]:
    """How strongly advice speaks for an action after those `played`: a share of its worth, and the advice itself.

    A run of actions that was begun goes on.
    """
    best, by = 0.0, None
    for piece in advice:
        share = _share(piece, played, action)
        if not share:
            continue
        strength = share if piece.good else -share
        if abs(strength) > abs(best):
            best, by = strength, piece
    return best, by


def _share(piece: Advice, played: Sequence[str], action: str) -> float:
    run = piece.actions
    if len(run) == 1:
        return 0.6 if run[0] == action else 0.0
    for at in range(min(len(run) - 1, len(played)), 0, -1):
        # The longest beginning of the run that was just played.
        if at <= 12 and tuple(played[-at:]) == run[:at]:
            return (1.0 if piece.good or at == len(run) - 1 else 0.0) if run[at] == action else 0.0
    if len(run) > 6:
        done = len(played)
        if done < len(run) and tuple(played) == run[:done]:
            return 1.0 if run[done] == action else 0.0
        for at in range(len(run) - 1, 1, -1):
            if done >= 2 and (run[at - 2], run[at - 1]) == (played[-2], played[-1]):
                return 0.7 if run[at] == action else 0.0
    return 0.5 if piece.good and run[0] == action else 0.0
