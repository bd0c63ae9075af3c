"""Token counts as the provider reports them, checked: what contradicts itself is flagged, nothing is ever negative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evoplay.memory.tokens import count_tokens
from evoplay.methods.backbones.base import Message, Usage


def read_usage(reported: Any, messages: Sequence[Message], text: str) -> Usage:
    """The usage of a reply. Without a count of the provider's, tokens are counted here (source "counted")."""
    flags: list[str] = []

    def count(name: str, *holders: Any) -> int:
        for holder in holders:
            value = _get(holder, name)
            if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if value < 0:
                flags.append(f"{name} is negative ({value:g})")
                return 0
            return int(value)
        return 0

    prompt_details = _get(reported, "prompt_tokens_details")
    output_details = _get(reported, "completion_tokens_details")
    given = count("prompt_tokens", reported)
    output = count("completion_tokens", reported)
    total = count("total_tokens", reported)
    if given == 0 and output == 0 and not flags:
        counted = sum(count_tokens(message.content) for message in messages)
        return Usage(counted, count_tokens(text), source="counted", flags=("the provider reported no usage",))
    cached = count("cached_tokens", prompt_details) or count("cache_read_input_tokens", reported)
    written = count("cache_creation_tokens", prompt_details) or count("cache_creation_input_tokens", reported)
    reasoning = count("reasoning_tokens", output_details)
    if cached + written > given:
        flags.append(f"cached {cached} and cache-written {written} exceed input {given}")
    if total and reasoning and total == given + output + reasoning:
        # Some report the reply without the thinking, yet bill both as output.
        output += reasoning
        flags.append("reasoning was not part of output; added")
    elif reasoning > output:
        flags.append(f"reasoning {reasoning} exceeds output {output}")
    if total and total != given + output:
        flags.append(f"total {total} is not input {given} and output {output}")
    return Usage(given, output, cached, written, reasoning, "provider", tuple(flags))


def _get(holder: Any, name: str) -> Any:
    if holder is None:
        return None
    return holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
