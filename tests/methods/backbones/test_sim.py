"""The simulated learner: what it may know, that it is what it says, and that what it gains comes from the history."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from evoplay.envs import make
from evoplay.methods.backbones import sim
from evoplay.methods.backbones.base import Backbone, BackboneError, Completion, Message
from evoplay.methods.backbones.registry import open_backbone
from evoplay.methods.backbones.sim import SimLearner
from evoplay.methods.memory import Memory
from evoplay.methods.naive import Naive
from evoplay.methods.parsing import extract_action
from tests.methods.backbones.simruns import Elsewhere, Renamed, Reworded, elsewhere, level, play, scores

GAME = "learn2play/gemforge"
RESHUFFLED = "learn2play/poisoner"
SOURCES = sorted(Path(sim.__file__).parent.glob("*.py"))


# --- what it is and may know ---------------------------------------------------------------------------------------


def test_it_imports_nothing_of_ours_outside_the_backbones() -> None:
    assert SOURCES
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{source.name}: a relative import hides where it goes"
                names = [node.module or ""]
            for name in names:
                assert not name.startswith("evoplay") or name.startswith("evoplay.methods.backbones."), (source, name)


def test_no_word_of_a_game_or_method_stands_in_it() -> None:
    """Names of games, methods and of the actions and items of a few games appear in no string or identifier of it."""
    text = "\n".join(source.read_text().lower() for source in SOURCES)
    words = (
        "gemforge hauntedinn poisoner grapevine castaway dungeon sulfur mercury vitriol crucible amber zenith "
        "celestial turn_away lantern merchant taboo serve_ banquet dish learn2play adaexplore reflexion expel "
        "reasoningbank evotest awm probe_batch"
    )
    assert [word for word in words.split() if word in text] == []


def test_it_is_called_simulated_and_costs_nothing() -> None:
    backbone = open_backbone("sim/learner?explore=0.3&recall=0.5&obey=0")
    assert isinstance(backbone, SimLearner)
    assert backbone.simulated
    assert backbone.free
    assert (backbone.explore, backbone.recall, backbone.obey) == (0.3, 0.5, 0.0)


@pytest.mark.parametrize("knobs", [{"explore": -0.1}, {"recall": 1.5}, {"obey": float("nan")}])
def test_a_knob_out_of_range_is_refused(knobs: dict[str, float]) -> None:
    with pytest.raises(BackboneError, match=next(iter(knobs))):
        SimLearner(**knobs)


# --- determinism -----------------------------------------------------------------------------------------------------


class Recording(Backbone):
    """Keeps what was asked and answered."""

    def __init__(self, inner: Backbone) -> None:
        self.name, self.inner = inner.name, inner
        self.calls: list[tuple[list[Message], int, str]] = []

    def complete(self, messages, *, purpose, seed, **call) -> Completion:  # type: ignore[no-untyped-def]
        completion = self.inner.complete(messages, purpose=purpose, seed=seed, **call)
        self.calls.append((list(messages), seed, completion.text))
        return completion


@pytest.fixture(scope="module")
def recorded() -> list[tuple[list[Message], int, str]]:
    backbone = Recording(SimLearner())
    play(GAME, Memory(), backbone, episodes=4)
    return backbone.calls


def test_an_answer_depends_on_messages_and_seed_alone(recorded: list[tuple[list[Message], int, str]]) -> None:
    """Asked anew, in reverse order and without what was kept of earlier prompts, it answers the same."""
    fresh = SimLearner()
    for messages, seed, text in reversed(recorded[::3]):
        assert fresh.complete(messages, purpose="act", seed=seed).text == text
        assert SimLearner().complete(messages, purpose="act", seed=seed).text == text


def test_threads_do_not_disturb_each_other(recorded: list[tuple[list[Message], int, str]]) -> None:
    shared = SimLearner()
    wrong: list[str] = []

    def ask(part: int) -> None:
        for messages, seed, text in recorded[part::4]:
            if shared.complete(messages, purpose="act", seed=seed).text != text:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_another_process_with_other_hashes_answers_the_same(recorded: list[tuple[list[Message], int, str]]) -> None:
    messages, seed, text = recorded[-1]
    code = (
        "import sys, json\n"
        "from evoplay.methods.backbones.base import Message\n"
        "from evoplay.methods.backbones.sim import SimLearner\n"
        "asked = [Message(*fields) for fields in json.load(sys.stdin)]\n"
        f"sys.stdout.write(SimLearner().complete(asked, purpose='act', seed={seed}).text)\n"
    )
    asked = json.dumps([[message.role, message.content, message.cacheable] for message in messages])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=asked,
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "7"},
        check=True,
    )
    assert done.stdout == text


def test_a_reply_is_a_reason_and_one_listed_action(recorded: list[tuple[list[Message], int, str]]) -> None:
    for messages, _, text in recorded[::10]:
        reason, action = text.split("\n")
        assert reason.endswith(".")
        extraction = extract_action(text)
        assert action == f"Action: {extraction.action}"
        assert extraction.notes == ()
        assert f"\n- {extraction.action}\n" in messages[-1].content


def test_usage_is_counted(recorded: list[tuple[list[Message], int, str]]) -> None:
    messages, seed, _ = recorded[-1]
    usage = SimLearner().complete(messages, purpose="act", seed=seed).usage
    size = sum(len(message.content) for message in messages)
    assert usage.source == "counted"
    assert size / 6 < usage.input < size / 2
    assert 0 < usage.output < 60


# --- names mean nothing to it ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [GAME, RESHUFFLED, "learn2play/hauntedinn"])
def test_renaming_all_words_of_a_game_gives_the_same_run_renamed(game: str) -> None:
    renamed = Renamed(make(game), seed=5)
    plain = play(game, Memory(), SimLearner(), episodes=4)
    other = play(renamed, Memory(), SimLearner(), episodes=4)
    assert [[renamed.rename(action) for action in record.actions] for record in plain] == [
        record.actions for record in other
    ]
    assert scores(plain) == scores(other)
    assert plain[1].actions != other[1].actions


# --- where its gain comes from ---------------------------------------------------------------------------------------


def advantage(env: str, backbone: SimLearner | Reworded, trials: int = 3, episodes: int = 6) -> float:
    """What memory's later episodes are ahead of naive's."""
    remembering = level(env, lambda n: Memory(), backbone, trials=trials, episodes=episodes)
    return remembering - level(env, lambda n: Naive(), backbone, trials=trials, episodes=episodes)


def test_memory_is_ahead_and_stays_so_under_other_headings() -> None:
    ahead = advantage(GAME, SimLearner())
    assert ahead > 20
    assert advantage(GAME, Reworded(SimLearner())) >= 0.8 * ahead


def test_without_recall_memory_plays_like_naive() -> None:
    forgetful = SimLearner(recall=0)
    remembering = play(GAME, Memory(), forgetful, episodes=4)
    assert [record.actions for record in remembering] == [
        record.actions for record in play(GAME, Naive(), forgetful, episodes=4)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seed", "trials"), [(GAME, 3, 6), (RESHUFFLED, 4, 10)])
def test_the_history_of_another_trial_is_no_advantage(game: str, seed: int, trials: int) -> None:
    """Over the later half of ten episodes, at most a fifth of memory's advantage is left."""
    episodes = 10
    found: dict[str, float] = {}
    methods = {
        "own": lambda n: Memory(),
        "none": lambda n: Naive(),
        "other": lambda n: elsewhere(game, seed, n, episodes),
    }
    for name, method in methods.items():
        halves = [scores(play(game, method(n), SimLearner(), trial=n, episodes=episodes))[5:] for n in range(trials)]
        found[name] = sum(map(sum, halves)) / sum(map(len, halves))
    assert found["own"] > found["none"]
    assert found["other"] - found["none"] <= 0.2 * (found["own"] - found["none"])


def test_history_of_another_place_is_set_aside() -> None:
    """With three openings that agree with each other and not with the present one, memory plays like naive."""
    other = play(make(GAME, seed=3), Memory(), SimLearner(), episodes=5)
    method = Elsewhere([record.view() for record in other])
    strange = play(GAME, method, SimLearner(), episodes=5)
    naive = play(GAME, Naive(), SimLearner(), episodes=5)
    assert [record.actions for record in strange[3:]] == [record.actions for record in naive[3:]]
