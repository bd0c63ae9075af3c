"""The evidence stores of a run: each trial's own, standing where its log ends; embeddings of a provider's model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evoplay.evaluation.config import ConfigError, RunConfig
from evoplay.evaluation.history import History
from evoplay.evaluation.recorder import Recorder
from evoplay.memory.embeddings import Embedder, EmbeddingError, open_embedder, unit_rows
from evoplay.memory.evidence import EvidenceStore
from evoplay.memory.records import Step
from evoplay.methods.backbones.base import Backbone, CallFailed, Completion, Message
from evoplay.methods.services import Services

if TYPE_CHECKING:
    from evoplay.memory.embeddings import Vectors
    from evoplay.methods.backbones.embedding import LitellmEmbedder

REMEMBERED = 2000
"""Vectors of a provider's model that a trial keeps: a text is paid for once when it is asked for and stored."""


class Stores:
    """Makes the evidence stores of a run's trials. Raises ConfigError for an embedding that cannot be used."""

    def __init__(self, config: RunConfig, backbone: Backbone) -> None:
        self.config = config
        # Stores of two runs in one process must not share an index.
        self.run = blake2b(str(Path(config.out).resolve()).encode(), digest_size=6).hexdigest()
        self._local: Embedder | None = None
        self._remote: LitellmEmbedder | None = None
        try:
            if "/" in config.embeddings:
                self._remote = _provider(config, backbone)
            else:
                self._local = open_embedder(config.embeddings)
        except EmbeddingError as error:
            raise ConfigError(f"--embeddings: {error}") from None

    def open(self, cell: str, history: History, services: Services, recorder: Recorder) -> EvidenceStore:
        """The store of a trial, with the steps and claims of its log."""
        store = EvidenceStore(
            cell,
            services.emit,
            embedder=self._local or LoggedEmbedder(self._provider_of(), recorder, services),
            name=f"{self.run}-{cell}",
            now=lambda: services.episode,
        )
        store.restore(history.claims, known_steps(history, self.config.freeze_after))
        return store

    def _provider_of(self) -> LitellmEmbedder:
        assert self._remote is not None
        return self._remote


def known_steps(history: History, freeze_after: int | None = None) -> list[Step]:
    """The steps of a log that a method has taken in, or is about to: those of finished episodes, up to a freeze."""
    return [
        step
        for record in history.past.episodes
        if record.error is None and (freeze_after is None or record.episode <= freeze_after)
        for step in record.view().steps
    ]


class LoggedEmbedder:
    """A provider's embedding model; its calls are logged like any other, with the purpose `embed`."""

    def __init__(self, inner: LitellmEmbedder, recorder: Recorder, services: Services) -> None:
        self.inner = inner
        self.name = inner.name
        self.recorder = recorder
        self.services = services
        self._known: OrderedDict[str, Any] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises CallFailed, LimitReached."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        fresh = dict(zip(new, self._ask(new), strict=True)) if new else {}
        rows = [fresh[text] if text in fresh else self._known[text] for text in texts]
        self._known.update(fresh)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return unit_rows(rows)

    def _ask(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        episode, step = self.services.episode, self.services.step
        messages = [Message("user", text) for text in texts]
        try:
            answer = self.inner.embed(texts, where=f"{self.services.cell} episode {episode} step {step} embed")
        except CallFailed as failure:
            self.recorder.call_failed(messages, "embed", 0, episode, step, failure)
            raise
        completion = Completion(
            "",
            answer.usage,
            usd=answer.usd,
            seconds=answer.seconds,
            model=answer.model,
            attempts=answer.attempts,
            retries=answer.retries,
        )
        self.recorder.called(messages, "embed", 0, episode, step, completion)
        return answer.vectors


def _provider(config: RunConfig, backbone: Backbone) -> LitellmEmbedder:
    from evoplay.methods.backbones.embedding import LitellmEmbedder
    from evoplay.methods.backbones.settings import ModelSettings

    given = {"api_base": config.api_base, "timeout": config.timeout, "retries": config.retries}
    limits = {"max_usd": config.max_usd, "max_tokens_total": config.max_tokens, "prices": config.prices}
    settings = ModelSettings.of({name: value for name, value in (given | limits).items() if value is not None})
    # One purse for both models, where the backbone has one.
    return LitellmEmbedder(config.embeddings, settings, getattr(backbone, "spending", None))
