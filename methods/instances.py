"""Telling instances of a game apart by how it opens: the text with the numbers of rounds and episodes taken out."""

from __future__ import annotations

import re
from hashlib import blake2b

from evoplay.memory.checks import plain

_UNIT = r"(?:episode|round|game|trial|attempt|run|match|session|play|runde|partie|spiel|versuch|durchgang)"
_COUNTED = re.compile(
    rf"\b{_UNIT}\b\W{{0,3}}(?:no|nr|number|nummer)?\W{{0,3}}\d+(?:\s*(?:/|of|von)\s*\d+)?"
    rf"|\b\d+(?:st|nd|rd|th|\.)?\s*{_UNIT}\b"
    r"|第\s*\d+\s*(?:轮|回合|局|次|集|场)"
)


def instance_of(opening: str) -> str:
    """A short hash: another one means another instance, the same one proves nothing."""
    return blake2b(_COUNTED.sub("#", plain(opening)).encode(errors="replace"), digest_size=6).hexdigest()
