"""Reading advice out of plain text: which actions a sentence names, in which order, and whether it speaks for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoplay.methods.backbones.sim.words import NUMBER, TOKEN, tokens

_AGAINST = """avoid avoids avoided never not don dont stop skip worse worst wasted wastes wasteful harmful harms useless
lose loses lost loss losing nothing fails failed failing fail bad refuse refused refuses refrain without wrong mistake
mistakes penalty only cannot cant contradicted discouraged retracted"""
_FOR = """do use try prefer repeat raise raises raised gain gains gained best good better first always brought brings
earns earned pays paid increases increase works worked should must then next start begin"""
_END = "end ends ended ending finish finishes finished over last"
AGAINST = frozenset(_AGAINST.split())
FOR = frozenset(_FOR.split())
ENDING = frozenset(_END.split())
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|\n+")
_CODE = re.compile(r"`([^`\n]+)`")
MOST = 400
"""So many sentences are read, the first ones."""
CAUTION = 0.3
"""Strength of a sentence that only says that something ends with an action."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence that names actions: in their order, how strongly for (+) or against (-) them, 1 being plain.

    `worth` : the points it speaks of (None: none).
    """

    actions: tuple[str, ...]
    strength: float
    worth: float | None = None

    @property
    def good(self) -> bool:
        return self.strength > 0


@dataclass(frozen=True, slots=True)
class _Sentence:
    marked: tuple[str, ...]
    words: tuple[str, ...]
    strength: float
    worth: float | None


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """The sentences of a text with what they stand for; those that stand for nothing are left out."""
    out = []
    for sentence in _SENTENCE.split(text)[:MOST]:
        marked = tuple(found.strip() for found in _CODE.findall(sentence))
        bare = _CODE.sub(" ", sentence)
        words = TOKEN.findall(bare.lower())
        signed = [float(found) for found in NUMBER.findall(bare) if found[0] in "+-"]
        worth = signed[0] if signed else None
        strength = _strength(words)
        if worth is not None:
            strength = 1.0 if worth > 0 and strength >= 0 else -1.0
        if strength:
            out.append(_Sentence(marked, tuple(TOKEN.findall(sentence.lower())), strength, worth))
    return tuple(out)


def _strength(words: Sequence[str]) -> float:
    """What the first telling word says; a mention with none of them says nothing."""
    for word in words:
        if word in AGAINST:
            return -1.0
        if word in FOR:
            return 1.0
    return -CAUTION if any(word in ENDING for word in words) else 0.0


def read_advice(text: str, actions: Sequence[str]) -> list[Advice]:
    """The advice in a text about the known `actions`; what stands in backquotes is taken for an action too."""
    first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for action in actions:
        spelling = tokens(action)
        if spelling:
            first.setdefault(spelling[0], []).append((spelling, action))
    out = []
    for sentence in _sentences(text):
        named = sentence.marked or _named(sentence.words, first)
        if named:
            out.append(Advice(named, sentence.strength, sentence.worth))
    return out


def _named(words: Sequence[str], first: Mapping[str, Sequence[tuple[tuple[str, ...], str]]]) -> tuple[str, ...]:
    """The known actions a sentence spells out, in order; of those that begin alike the longest counts."""
    named: list[str] = []
    at = 0
    while at < len(words):
        found = [entry for entry in first.get(words[at], ()) if tuple(words[at : at + len(entry[0])]) == entry[0]]
        if found:
            spelling, action = max(found, key=lambda entry: len(entry[0]))
            named.append(action)
            at += len(spelling) - 1
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
        strength = share * piece.strength
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
