"""Embeddings: offline ones, and those of a provider, logged and paid for like any other call."""

import numpy as np
import pytest

from evoplay.evaluation.config import make_config
from evoplay.evaluation.history import History
from evoplay.evaluation.load import load
from evoplay.evaluation.recorder import Recorder
from evoplay.evaluation.runner import Run
from evoplay.evaluation.stores import LoggedEmbedder, Stores
from evoplay.memory import embeddings
from evoplay.memory.embeddings import DIMENSIONS, EmbeddingError, Hashing, MiniLM, open_embedder
from evoplay.methods.backbones.base import CallFailed, Usage
from evoplay.methods.backbones.embedding import Embedded
from tests.scripted import ScriptedBackbone, services_of
from tests.server import served


def test_hashing_is_offline_normal_and_the_same_everywhere():
    vectors = Hashing().embed(["The lantern is lit.", "the LANTERN is lit", "Ein Kessel", "", "灯笼亮了"])
    assert vectors.shape == (5, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    likeness = vectors @ vectors[0]
    assert likeness[1] > 0.8 > likeness[2]
    # Figures that would change with the hash function, and with it every run that searches.
    assert float(vectors[0][138]) == pytest.approx(-0.3242, abs=1e-4)
    assert int((vectors[0] != 0).sum()) == 30


def test_an_embedding_that_cannot_be_had_says_what_to_do(monkeypatch):
    with pytest.raises(EmbeddingError, match="no embedding is called 'bert'"):
        open_embedder("bert")

    def offline():
        raise OSError("network is unreachable")

    monkeypatch.setattr(embeddings, "_minilm", offline)
    with pytest.raises(EmbeddingError, match=r"'minilm' cannot be used .*unreachable.*use hashing"):
        MiniLM().embed(["a"])


class Provider:
    """An embedding model that counts."""

    name = "test/embedder"

    def __init__(self, failure=None):
        self.asked, self.failure = [], failure

    def embed(self, texts, *, where=""):
        self.asked.append((list(texts), where))
        if self.failure is not None:
            raise self.failure
        vectors = tuple((float(len(text)), 1.0) for text in texts)
        return Embedded(vectors, Usage(input=len(texts), source="provider"), usd=0.5, seconds=0.1, model=self.name)


def logged(provider):
    events = []
    return LoggedEmbedder(provider, Recorder(events.extend), services_of(ScriptedBackbone([]))), events


def test_a_providers_embeddings_are_logged_and_each_text_is_paid_for_once():
    provider = Provider()
    embedder, events = logged(provider)
    first = embedder.embed(["aa", "b", "aa"])
    again = embedder.embed(["b", "cccc"])
    assert first[0] == pytest.approx(first[2])
    assert first[1] == pytest.approx(again[0])
    assert np.linalg.norm(again, axis=1) == pytest.approx(1, abs=1e-6)
    assert [texts for texts, _ in provider.asked] == [["aa", "b"], ["cccc"]]
    calls = [event for event in events if event["type"] == "call"]
    assert [(call["purpose"], call["usd"], call["usage"]["input"]) for call in calls] == [
        ("embed", 0.5, 2),
        ("embed", 0.5, 1),
    ]


def test_a_failed_embedding_call_is_recorded_and_raised():
    embedder, events = logged(Provider(CallFailed("slow down", kind="rate_limit")))
    with pytest.raises(CallFailed):
        embedder.embed(["a"])
    assert [event["failed"] for event in events if event["type"] == "call"] == ["rate_limit"]


def test_a_run_searches_with_a_providers_model(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with served() as url:
        config = make_config(
            {"env": "learn2play/gemforge", "method": "retrieval", "backbone": "sim/learner", "episodes": 2, "trials": 1}
            | {
                "max_steps": 4,
                "embeddings": "openai/text-embedding-3-small",
                "api_base": url,
                "out": str(tmp_path / "r"),
            }
        )
        runner = Run(config, ScriptedBackbone(lambda messages, purpose: "Action: status"))
        outcome = runner.execute(runner.prepare())
    assert outcome.exit_code == 0, outcome.lines()
    calls = load(tmp_path / "r").calls
    made = calls[calls["purpose"] == "embed"]
    assert len(made) >= 1
    assert (made["input"] > 0).all()
    assert set(made["episode"]) == {2}


def test_stores_of_one_run_share_what_is_offline(tmp_path):
    config = make_config({"env": "learn2play/gemforge", "method": "naive", "out": str(tmp_path / "r")})
    stores = Stores(config, ScriptedBackbone([]))
    services = services_of(ScriptedBackbone([]))
    one, other = (stores.open(cell, History(), services, Recorder(lambda events: None)) for cell in ("a", "b"))
    assert one.embedder is other.embedder
    assert (one.cell, other.cell) == ("a", "b")
