"""Embeddings by a model litellm reaches, retried, counted and priced like any other call."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.methods.backbones.base import BackboneError, CallFailed, Message, Usage
from evoplay.methods.backbones.failures import AttemptFailed, added, request_once, with_retries
from evoplay.methods.backbones.prices import Price, PriceTable
from evoplay.methods.backbones.providers import check_key, key_or_placeholder, provider_of
from evoplay.methods.backbones.settings import ModelSettings
from evoplay.methods.backbones.spending import Spending
from evoplay.methods.backbones.usage import read_usage

BATCH = 256
"""Texts a request carries at most."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of some texts, in their order, and what they cost. `usd` is None where no price is known."""

    vectors: tuple[tuple[float, ...], ...]
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None
    seconds: float = 0.0
    model: str = ""
    attempts: int = 1
    retries: tuple[str, ...] = ()


class LitellmEmbedder:
    """An embedding model by its litellm name, such as openai/text-embedding-3-small.

    `spending` is shared with the run's backbone where the run has limits. Raises BackboneError without a key.
    """

    def __init__(self, name: str, settings: ModelSettings | None = None, spending: Spending | None = None) -> None:
        if provider_of(name) is None:
            raise BackboneError(f"no embedding model is called '{name}': give one as litellm does, PROVIDER/MODEL")
        self.name = name
        self.settings = settings or ModelSettings()
        check_key(name, self.settings.api_base)
        self.price: Price | None = PriceTable(self.settings.prices).price(name)
        self.spending = spending or Spending(self.settings.max_usd, self.settings.max_tokens_total)
        self._slots = threading.BoundedSemaphore(self.settings.concurrency)
        self._closed = threading.Event()

    def embed(self, texts: Sequence[str], *, where: str = "") -> Embedded:
        """The vectors of texts. Raises CallFailed, LimitReached."""
        vectors: list[tuple[float, ...]] = []
        usage, seconds, model, retries = Usage(), 0.0, "", list[str]()
        batches = range(0, len(texts), BATCH)
        for start in batches:
            part = self._batch(texts[start : start + BATCH], where)
            vectors += part.vectors
            usage, seconds, model = added(usage, part.usage), seconds + part.seconds, part.model
            retries += part.retries
        usd = None if self.price is None else self.price.usd(usage)
        return Embedded(tuple(vectors), usage, usd, seconds, model, len(batches) + len(retries), tuple(retries))

    def close(self) -> None:
        """End all waits between attempts."""
        self._closed.set()

    def _batch(self, texts: Sequence[str], where: str) -> Embedded:
        self.spending.check()
        # Providers refuse empty texts.
        sent = [text if text.strip() else " ." for text in texts]
        request = {"input": sent, "timeout": self.settings.timeout, "api_base": self.settings.api_base}
        if self.settings.api_base:
            request["api_key"] = key_or_placeholder(self.name)
        request = {key: value for key, value in {**request, **self.settings.extra}.items() if value is not None}
        started = time.perf_counter()

        def attempt() -> Embedded:
            with self._slots:
                response = request_once("embedding", self.name, request)
            data = sorted(response.data or [], key=lambda item: item["index"])
            vectors = tuple(tuple(float(number) for number in item["embedding"]) for item in data)
            usage = read_usage(response.usage, [Message("user", text) for text in sent], "")
            if len(vectors) != len(sent):
                raise AttemptFailed(
                    "empty", f"{len(vectors)} vectors came for {len(sent)} texts", again=True, usage=usage
                )
            return Embedded(vectors, usage, model=str(response.model or self.name))

        def spent(usage: Usage) -> None:
            self.spending.add(usage, None if self.price is None else self.price.usd(usage))

        try:
            answer, lines, wasted = with_retries(
                attempt,
                retries=self.settings.retries,
                backoff=self.settings.backoff,
                where=where or "embed",
                closed=self._closed,
                spent=spent,
            )
        except CallFailed as failure:
            if failure.usage is not None and self.price is not None:
                failure.usd = self.price.usd(failure.usage)
            raise
        spent(answer.usage)
        usage = added(answer.usage, wasted) if wasted.total else answer.usage
        seconds = time.perf_counter() - started
        return Embedded(answer.vectors, usage, None, seconds, answer.model, 1 + len(lines), lines)
