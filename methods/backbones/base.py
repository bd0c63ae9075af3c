"""What a backbone is: messages in, a completion with its usage out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Purpose = Literal[
    "act", "reflect", "judge", "insight", "induce", "extract", "evolve", "claim", "repair", "embed", "aside", "check"
]


class BackboneError(ValueError):
    """A backbone that cannot be used as asked (unknown, no key, bad option); one line with the fix."""


class CallFailed(RuntimeError):
    """A call that gave no usable completion after all retries.

    `kind` is a short word ("rate_limit", "timeout", "server", "connection", "cut", "empty", "auth", "bad_request",
    "replay_miss", "scripted"); `fatal` says that every other call would fail alike (auth, bad request, unknown
    model), so that the run stops instead of recording failure after failure. `retries` has a line for each failed
    attempt, `usage` and `usd` what they cost all the same.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        attempts: int = 1,
        fatal: bool = False,
        retries: tuple[str, ...] = (),
        usage: Usage | None = None,
        usd: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.attempts = attempts
        self.fatal = fatal
        self.retries = retries
        self.usage = usage
        self.usd = usd


class LimitReached(RuntimeError):
    """The run's own limit of money or tokens is used up; the run stops cleanly and can be resumed."""


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message. The first `cacheable` characters of the content will be the same in later calls."""

    role: Role
    content: str
    cacheable: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call. `input` includes `cached` and `cache_write`; `output` includes `reasoning`.

    `source` says who counted: the "provider", "counted" here with tiktoken, or "none" (policies).
    `flags` names contradictions in what the provider reported.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0
    source: Literal["provider", "counted", "none"] = "none"
    flags: tuple[str, ...] = ()

    @property
    def fresh(self) -> int:
        """Input that was neither read from nor written to a cache; never negative."""
        return max(self.input - self.cached - self.cache_write, 0)

    @property
    def total(self) -> int:
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model called, with its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Completion:
    """A backbone's answer.

    usd : price of the call, None where the model has no known price (never 0 for "unknown").
    model : the model as served. attempts : calls made, retries included. retries : one line for each failed attempt.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None
    seconds: float = 0.0
    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    attempts: int = 1
    retries: tuple[str, ...] = ()


class Backbone(ABC):
    """A language model, a simulated one, a policy or a recording. Must be usable from several threads at once.

    Attributes
    ----------
    name : the string users gave. context_window : tokens of prompt and reply together, None if unknown.
    reply_tokens : tokens kept free for the reply. simulated : called so wherever it shows.
    free : costs no money at all, so that USD 0 is true.
    """

    name: str
    context_window: int | None = None
    reply_tokens: int = 1024
    simulated: bool = False
    free: bool = False

    @abstractmethod
    def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        seed: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        where: str = "",
    ) -> Completion:
        """Answer messages. `where` names cell, episode and step for retry lines. Raises CallFailed, LimitReached."""

    def for_trial(self) -> Backbone:
        """The backbone to use for one trial: itself, or a fresh one where it keeps a trial's state."""
        return self

    def close(self) -> None:  # noqa: B027  (most backbones hold nothing)
        """Release what it holds."""
