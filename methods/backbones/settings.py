"""How a model is called: the settings of a run, each with its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from evoplay.methods.backbones.base import BackboneError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Settings of a model reached over a network; all are logged with the run."""

    api_base: str | None = None
    """Address of an OpenAI-compatible server, such as http://localhost:8000/v1."""
    temperature: float | None = None
    """Sampling temperature; None leaves it to the provider. A method may ask for another one in a call of its own."""
    reasoning_effort: str | None = None
    """How long a reasoning model may think: "none", "minimal", "low", "medium", "high"."""
    max_tokens: int = 4096
    """Tokens of a reply, thinking included; also what a prompt leaves free of the context window."""
    concurrency: int = 64
    """Calls under way at once."""
    timeout: float = 120.0
    """Seconds until a call that has said nothing counts as failed."""
    retries: int = 6
    """Further attempts after a failed one."""
    backoff: float = 1.0
    """Seconds of the first wait between attempts; it doubles each time, with jitter, up to 60."""
    max_usd: float | None = None
    """The run stops before the call that would follow this spend."""
    max_tokens_total: int | None = None
    """The run stops before the call that would follow this many tokens, input and output together."""
    context_window: int | None = None
    """Tokens of prompt and reply together, where the price table does not know it (a local server)."""
    prices: str | None = None
    """A user's own price table (JSON or TOML)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords of `litellm.completion`, such as top_p."""

    def __post_init__(self) -> None:
        for name, least in (
            ("max_tokens", 1),
            ("concurrency", 1),
            ("retries", 0),
            ("timeout", 0.001),
            ("backoff", 0.0),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value < least:
                raise BackboneError(f"{name} is {value!r}: give a number of at least {least}")
        for name in ("max_usd", "max_tokens_total", "context_window", "temperature"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
                raise BackboneError(f"{name} is {value!r}: give a number of at least 0")
        forbidden = sorted({"api_key", "model", "messages", "stream", "n", "num_retries"}.intersection(self.extra))
        if forbidden:
            fix = "set the provider's environment variable" if "api_key" in forbidden else "leave it out"
            raise BackboneError(f"{forbidden[0]} cannot be set here: {fix}")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> ModelSettings:
        """From keywords: those that are no field go to `extra`, for litellm."""
        own = {item.name for item in fields(cls)} - {"extra"}
        extra = {**settings.get("extra", {}), **{key: value for key, value in settings.items() if key not in own}}
        extra.pop("extra", None)
        return cls(**{key: value for key, value in settings.items() if key in own}, extra=extra)
