"""Embeddings over litellm, against a real server on loopback."""

import pytest

from evoplay.methods.backbones.base import BackboneError, CallFailed
from evoplay.methods.backbones.embedding import BATCH, LitellmEmbedder
from evoplay.methods.backbones.settings import ModelSettings

from ...server import Answer, ModelServer, fault


def embedder(server, name="openai/text-embedding-3-small", **settings):
    return LitellmEmbedder(name, ModelSettings(api_base=server.url, backoff=0.01, timeout=5.0, **settings))


def test_vectors_come_in_order_retried_counted_and_priced():
    with ModelServer([fault("500")]) as server:
        model = embedder(server)
        embedded = model.embed(["one text", "another text", ""], where="c/e01/s001 embed")

    assert len(embedded.vectors) == 3
    assert len(set(embedded.vectors)) == 3
    assert embedded.usage.input == len("one text") // 3 + len("another text") // 3
    assert embedded.usd == pytest.approx(embedded.usage.input * 2e-8)
    assert embedded.attempts == 2
    assert embedded.retries[0].startswith("c/e01/s001 embed: attempt 1 failed (server)")
    assert model.spending.tokens == embedded.usage.total


def test_many_texts_go_in_several_requests():
    texts = [f"text number {at}" for at in range(BATCH + 5)]
    with ModelServer() as server:
        embedded = embedder(server, "openai/no-known-price").embed(texts)
    assert [len(body["input"]) for body in server.requests] == [BATCH, 5]
    assert len(set(embedded.vectors)) == len(texts)
    assert embedded.usd is None


def test_a_refused_key_is_fatal():
    with ModelServer([Answer(status=401, error="no such key")]) as server, pytest.raises(CallFailed) as caught:
        embedder(server).embed(["x"])
    assert (caught.value.kind, caught.value.fatal) == ("auth", True)


def test_an_unknown_model():
    with pytest.raises(BackboneError, match="no embedding model is called 'hashnig'"):
        LitellmEmbedder("hashnig")
