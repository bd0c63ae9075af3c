"""A run's evidence stores: made where the log ends, isolated, gone with their run."""

import shutil

import pytest

from evoplay.evaluation.config import ConfigError, make_config
from evoplay.evaluation.history import read_history
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from evoplay.evaluation.stores import known_steps
from evoplay.memory.claims import rebuilt
from evoplay.methods.base import Context, Method
from evoplay.methods.registry import register
from tests.scripted import ScriptedBackbone

FOUND = []


class Noter(Method):
    """Claims something of every episode, and looks for it at every step."""

    name = "noter"

    def context(self, view):
        hits = self.services.store.search(view.observation, k=4)
        place = (self.services.cell, view.task.episode, view.step)
        FOUND.append((*place, *((hit.step or hit.claim).id for hit in hits), *(hit.similarity for hit in hits)))
        return Context()

    def end_episode(self, episode):
        store = self.services.store
        seen = store.add_steps(episode.steps)
        claim = store.claim(kind="note", text=f"Episode {episode.episode} ended so.", supports=seen[-1:])
        if episode.episode > 1:
            store.retract(f"c{episode.episode - 1:03d}", "another note took its place")
        assert claim.short_id == f"c{episode.episode:03d}"


@pytest.fixture(autouse=True)
def noter():
    FOUND.clear()
    register(Noter)


def answer(messages, purpose):
    listed = [line[2:] for line in messages[-1].content.splitlines() if line.startswith("- add") or line == "- fire"]
    return f"Action: {listed[len(messages[-1].content) % len(listed)]}"


def run(out, limit=None, **settings):
    backbone = ScriptedBackbone(answer)
    config = make_config(
        {"env": ["learn2play/gemforge"], "method": "noter", "episodes": 3, "trials": 2, "max_steps": 6}
        | {"out": str(out), **settings}
    )
    runner = Run(config, backbone)
    if limit is not None:
        runner.listener = lambda cell, event: runner.halt("enough") if len(FOUND) >= limit else None
    outcome = runner.execute(runner.prepare())
    assert not outcome.broken, outcome.broken
    return outcome


def test_claims_are_in_the_log_and_rebuilt_from_it(tmp_path):
    run(tmp_path / "run")
    loaded = load(tmp_path / "run")
    for cell in loaded.cells:
        history = loaded.history(cell)
        claims = rebuilt(history.claims)
        assert [claim.status for claim in claims.values()] == ["retracted", "retracted", "active"]
        assert [claim.episode for claim in claims.values()] == [1, 2, 3]
        assert all(claim.supports[0].startswith(f"{cell.id}/e") for claim in claims.values())
    assert set(loaded.claims["op"]) == {"claim", "retract"}


@pytest.mark.parametrize("limit", [4, 8, 13])
def test_what_is_found_after_a_stop_is_what_would_have_been_found(tmp_path, limit):
    run(tmp_path / "whole", trials=1)
    whole = sorted(set(FOUND))
    FOUND.clear()
    stopped = run(tmp_path / "parts", limit, trials=1, concurrency=1)
    assert stopped.exit_code == 3
    run(tmp_path / "parts", trials=1)
    assert sorted(set(FOUND)) == whole
    one, other = load(tmp_path / "whole"), load(tmp_path / "parts")
    assert one.history(one.cells[0]).claims == other.history(other.cells[0]).claims


def test_a_run_deleted_and_run_again_in_the_same_process_starts_from_nothing(tmp_path):
    run(tmp_path / "run")
    first = sorted(FOUND)
    FOUND.clear()
    shutil.rmtree(tmp_path / "run")
    run(tmp_path / "run")
    assert sorted(FOUND) == first
    assert all(len(row) == 3 for row in FOUND if row[1] == 1)


def test_steps_a_frozen_method_never_took_in_are_not_its_own_on_resuming(tmp_path):
    run(tmp_path / "run", freeze_after=1, trials=1)
    loaded = load(tmp_path / "run")
    history = read_history(loaded.log_of(loaded.cells[0]).events())
    assert {step.episode for step in known_steps(history, 1)} == {1}
    assert {step.episode for step in known_steps(history)} == {1, 2, 3}
    assert len(history.claims) == 1


def test_an_embedding_nobody_knows_is_named_before_anything_starts(tmp_path):
    with pytest.raises(ConfigError, match="no embedding is called 'word2vec': use hashing, minilm"):
        run(tmp_path / "run", embeddings="word2vec")
    assert not (tmp_path / "run").exists()
