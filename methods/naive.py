"""naive carries over nothing: the actor sees the task, this episode's steps, the present observation and the actions.

The floor of every comparison. No settings, no calls beyond the actor's.
"""

from __future__ import annotations

from evoplay.methods.base import Method


class Naive(Method):
    """Nothing of past episodes reaches the prompt."""

    name = "naive"
    carries = "nothing (this episode's own steps only)"
