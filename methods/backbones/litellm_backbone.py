"""Any model litellm reaches: retried where another attempt can help, limited, priced, counted, and logged as served."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.methods.backbones import litellm_client
from evoplay.methods.backbones.base import Backbone, BackboneError, CallFailed, Completion, Message, ToolCall, Usage
from evoplay.methods.backbones.cache_marks import marked, plain
from evoplay.methods.backbones.failures import AttemptFailed, added, request_once, with_retries
from evoplay.methods.backbones.prices import Price, PriceTable
from evoplay.methods.backbones.providers import check_key, key_or_placeholder, wants_cache_marks
from evoplay.methods.backbones.scrub import secrets, without
from evoplay.methods.backbones.settings import ModelSettings
from evoplay.methods.backbones.spending import Spending
from evoplay.methods.backbones.usage import read_usage

log = logging.getLogger("evoplay.backbones")


class LitellmBackbone(Backbone):
    """A model by its litellm name, over the network, shared by all trials of a run.

    Raises BackboneError when the key is missing, or when a limit in USD is asked for a model without a known price.

    Attributes
    ----------
    price : what it costs, None if unknown. spending : what it has cost so far. served : the models that answered, in
    the order first seen; more than one means that the provider changed models in mid-run.
    """

    def __init__(self, name: str, settings: ModelSettings | None = None) -> None:
        self.name = name
        self.settings = settings or ModelSettings()
        check_key(name, self.settings.api_base)
        table = PriceTable(self.settings.prices)
        self.price: Price | None = table.price(name)
        if self.settings.max_usd is not None and self.price is None:
            raise BackboneError(
                f"max_usd cannot be kept: {name} has no known price: give --prices FILE, or --max-tokens instead"
            )
        self.context_window = self.settings.context_window or table.context_window(name)
        self.reply_tokens = self.settings.max_tokens
        self.spending = Spending(self.settings.max_usd, self.settings.max_tokens_total)
        self.served: list[str] = []
        self._marks = wants_cache_marks(name)
        # Short values are left: a password that is a common word would be cut out of the game's own texts.
        self._keys = secrets(shortest=12)
        self._slots = threading.BoundedSemaphore(self.settings.concurrency)
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._supported: frozenset[str] | None = None

    def check_key(self) -> None:
        """Raises BackboneError when the key has gone from the environment."""
        check_key(self.name, self.settings.api_base)

    def load(self) -> None:
        """Import litellm now (seconds) rather than in the first call."""
        self._parameters()

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
        self.spending.check()
        request = self._request(messages, seed, tools, temperature, max_tokens)
        started = time.perf_counter()

        def attempt() -> Completion:
            with self._slots:
                begun = time.perf_counter()
                response = request_once("completion", self.name, request)
                return self._read(response, messages, time.perf_counter() - begun)

        try:
            answer, lines, wasted = with_retries(
                attempt,
                retries=self.settings.retries,
                backoff=self.settings.backoff,
                where=where,
                closed=self._closed,
                spent=lambda usage: self.spending.add(usage, self._usd(usage)),
            )
        except CallFailed as failure:
            if failure.usage is not None:
                failure.usd = self._usd(failure.usage)
            raise
        self.spending.add(answer.usage, answer.usd)
        usage = added(answer.usage, wasted) if wasted.total else answer.usage
        return Completion(
            answer.text,
            usage,
            self._usd(usage),
            time.perf_counter() - started if lines else answer.seconds,
            answer.model,
            answer.tool_calls,
            1 + len(lines),
            lines,
        )

    def close(self) -> None:
        """End all waits between attempts; calls under way are finished."""
        self._closed.set()

    def _parameters(self) -> frozenset[str]:
        if self._supported is None:
            self._supported = litellm_client.supported(self.name)
        return self._supported

    def _request(
        self,
        messages: Sequence[Message],
        seed: int,
        tools: Sequence[Mapping[str, Any]] | None,
        temperature: float | None,
        max_tokens: int | None,
    ) -> dict[str, Any]:
        settings = self.settings
        request: dict[str, Any] = {
            "messages": marked(messages) if self._marks else plain(messages),
            "max_tokens": max_tokens or settings.max_tokens,
            "timeout": settings.timeout,
            "temperature": settings.temperature if temperature is None else temperature,
            "reasoning_effort": settings.reasoning_effort,
            "api_base": settings.api_base,
            "tools": list(tools) if tools else None,
            # Providers that take a seed take 31 bits of it.
            "seed": seed & 0x7FFFFFFF if "seed" in self._parameters() else None,
        }
        if temperature is not None and temperature != settings.temperature:
            # A method's wish, not the user's setting: a model that has no temperature answers without.
            request["drop_params"] = True
        if settings.api_base:
            request["api_key"] = key_or_placeholder(self.name)
        request |= settings.extra
        return {key: value for key, value in request.items() if value is not None}

    def _read(self, response: Any, messages: Sequence[Message], seconds: float) -> Completion:
        """A response as a completion. Raises AttemptFailed when there is nothing in it to use."""
        choices = getattr(response, "choices", None) or []
        message = getattr(choices[0], "message", None) if choices else None
        said = getattr(message, "content", None) or getattr(message, "refusal", None) or ""
        text = without(self._keys, said if isinstance(said, str) else str(said))
        calls = tuple(_tool_call(call, self._keys) for call in getattr(message, "tool_calls", None) or ())
        usage = read_usage(getattr(response, "usage", None), messages, text)
        if not choices:
            raise AttemptFailed("empty", "the reply holds no choice", again=True, usage=usage)
        if not text.strip() and not calls:
            if getattr(choices[0], "finish_reason", None) == "length":
                advice = f"the reply ended at {self.settings.max_tokens} tokens before any text: allow longer replies"
                raise AttemptFailed("length", advice, again=True, usage=usage)
            raise AttemptFailed("empty", "the reply holds no text", again=True, usage=usage)
        model = without(self._keys, str(getattr(response, "model", None) or self.name))
        usage = self._noted(model, usage)
        return Completion(text, usage, self._usd(usage), seconds, model, calls)

    def _noted(self, model: str, usage: Usage) -> Usage:
        """Remember the model as served; a change in mid-run is warned about once and flagged at every such call."""
        with self._lock:
            new = model not in self.served
            if new:
                self.served.append(model)
            first = self.served[0]
        if model == first:
            return usage
        flag = f"served by {model}, not by {first} as at first"
        if new:
            log.warning("%s: the model changed in mid-run: %s", self.name, flag)
        return added(usage, Usage(flags=(flag,)))

    def _usd(self, usage: Usage) -> float | None:
        return None if self.price is None else self.price.usd(usage)


def _tool_call(call: Any, keys: Sequence[str]) -> ToolCall:
    function = getattr(call, "function", None)
    raw = getattr(function, "arguments", None) or "{}"
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        # Never a guess: what cannot be read is handed on as it came.
        arguments = {"unreadable": without(keys, str(raw))}
    return ToolCall(str(getattr(function, "name", "") or ""), arguments)
