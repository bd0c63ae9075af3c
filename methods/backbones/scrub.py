"""Keys out of every text that leaves a backbone: errors, retry lines, replies of a server that quotes the request."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

_SECRET_NAME = re.compile(r"(_|^)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|ACCESS_KEY_ID)$", re.IGNORECASE)
_SHORTEST = 6
# What looks like a key whatever its origin: vendors' prefixes, and what stands after an authorization header's name.
_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|AKIA|ghp|glpat)[-_]?[A-Za-z0-9_\-]{16,}"
    r"|(?<=Bearer )[^\s'\",}]{6,}"
    r"|(?<=api-key: )[^\s'\",}]{6,}"
)
HIDDEN = "***"


def secrets(shortest: int = _SHORTEST) -> list[str]:
    """The values of environment variables that are named like keys, longest first."""
    values = {
        value.strip()
        for name, value in os.environ.items()
        if _SECRET_NAME.search(name) and len(value.strip()) >= shortest
    }
    return sorted(values, key=len, reverse=True)


def scrubbed(text: str) -> str:
    """A text without any key: neither the environment's, nor what looks like one."""
    for value in secrets():
        text = text.replace(value, HIDDEN)
    return _LIKE_A_KEY.sub(HIDDEN, text)


def without(keys: Sequence[str], text: str) -> str:
    """A model's text without the given keys; what merely looks like one is left, a game may show such words."""
    for value in keys:
        text = text.replace(value, HIDDEN)
    return text
