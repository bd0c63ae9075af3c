"""From a name to a backbone, and a line that helps when there is none."""

import subprocess
import sys

import pytest

from evoplay.methods.backbones.base import BackboneError, Completion, Message
from evoplay.methods.backbones.providers import check_key
from evoplay.methods.backbones.registry import open_backbone
from evoplay.methods.backbones.replay import Recorded, ReplayBackbone, request_key
from evoplay.methods.backbones.scrub import scrubbed

PLUGIN = """
from evoplay.methods.backbones.base import Backbone, Completion

class Mine(Backbone):
    name = ""
    def __init__(self, temperature=1.0):
        self.temperature = temperature
    def complete(self, messages, *, purpose, seed, tools=None, temperature=None, max_tokens=None, where=""):
        return Completion("Action: mine")

class Broken(Mine):
    def __init__(self):
        raise ZeroDivisionError("oh")

class Other:
    name = "other"
"""


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("learner", "sim/learner"),
        ("random", "policy/random"),
        ("nothing-like-it", "sim/learner, policy/NAME"),
        ("sim/teacher", "sim/learner"),
        ("policy/rnd", "policy/random"),
        ("replay/no/such/run", "there is no folder"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("openai/gpt-4o", "set the environment variable OPENAI_API_KEY"),
        ("hosted_vllm/qwen", "--api-base"),
        ("no/such/file.py:Class", "there is no file"),
    ],
)
def test_what_cannot_be_opened_is_answered_with_the_fix(name, said):
    with pytest.raises(BackboneError) as caught:
        open_backbone(name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_knobs_of_the_simulated_backbone():
    backbone = open_backbone("sim/learner?explore=0.25")
    assert backbone.name == "sim/learner?explore=0.25"
    assert backbone.simulated
    with pytest.raises(BackboneError, match=r"no knob 'exploer': use .*explore"):
        open_backbone("sim/learner?exploer=1")
    with pytest.raises(BackboneError, match="explore is a number, not 'much'"):
        open_backbone("sim/learner?explore=much")


def test_settings_a_backbone_does_not_have():
    assert open_backbone("policy/random", temperature=None, max_usd=1.0).name == "policy/random"
    with pytest.raises(BackboneError, match="no setting 'temprature': did you mean temperature"):
        open_backbone("policy/random", temprature=1)
    with pytest.raises(BackboneError, match="concurrency is 0"):
        open_backbone("openai/stub", api_base="http://127.0.0.1:1/v1", concurrency=0)
    with pytest.raises(BackboneError, match="api_key cannot be set here"):
        open_backbone("openai/stub", api_base="http://127.0.0.1:1/v1", api_key="sk-x")


def test_a_class_in_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    backbone = open_backbone(f"{path}:Mine", temperature=0.5, max_usd=2.0)
    assert backbone.temperature == 0.5
    assert backbone.name == f"{path}:Mine"
    with pytest.raises(BackboneError, match="ZeroDivisionError: oh"):
        open_backbone(f"{path}:Broken")
    with pytest.raises(BackboneError, match="not a subclass"):
        open_backbone(f"{path}:Other")


def test_a_key_is_not_needed_for_a_server_of_one_s_own(monkeypatch):
    check_key("openai/any", "http://localhost:8000/v1")
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(BackboneError, match="OPENAI_API_KEY"):
        check_key("openai/any")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    check_key("openai/any")


def test_opening_imports_no_large_library():
    code = (
        "import sys\n"
        "from evoplay.methods.backbones.registry import open_backbone\n"
        "open_backbone('sim/learner'); open_backbone('policy/random')\n"
        "open_backbone('openai/gpt-4o', api_base='http://127.0.0.1:1/v1', max_usd=1.0)\n"
        "print([name for name in ('litellm', 'dspy', 'chromadb', 'openai') if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def recorded(text, reply, purpose="act", seed=1, where=""):
    messages = [Message("system", "rules"), Message("user", text)]
    return Recorded(request_key(messages, purpose, seed), purpose, seed, lambda: messages, Completion(reply), where)


def test_replay_answers_what_was_asked_and_shows_the_nearest_otherwise():
    calls = [
        recorded("step one of the game", "a", where="c/e01/s001"),
        recorded("step two of the game", "b", where="c/e01/s002"),
        recorded("step two of the game", "b again", where="c/e01/s002"),
        recorded("something else", "c", purpose="reflect"),
    ]
    backbone = ReplayBackbone(calls)
    asked = [Message("system", "rules"), Message("user", "step two of the game", 5)]
    assert backbone.complete(asked, purpose="act", seed=1).text == "b again"
    with pytest.raises(Exception, match="was not recorded") as caught:
        backbone.complete([asked[0], Message("user", "step two of the gate")], purpose="act", seed=1)
    assert caught.value.kind == "replay_miss"
    assert "the nearest is c/e01/s002" in str(caught.value)
    assert "'me' there, 'te' here" in str(caught.value)
    with pytest.raises(Exception, match="seed 1 there, 2 here"):
        backbone.complete(asked, purpose="act", seed=2)


def test_replay_of_a_folder(tmp_path):
    backbone = open_backbone(f"replay/{tmp_path}", read_records=lambda path: [recorded("x", f"from {path.name}")])
    asked = [Message("system", "rules"), Message("user", "x")]
    assert backbone.complete(asked, purpose="act", seed=1).text == f"from {tmp_path.name}"


def test_a_request_s_key_tells_apart_what_differs():
    one, two = Message("user", "ab"), Message("user", "cd")
    keys = {
        request_key([one], "act", 1),
        request_key([one], "act", 2),
        request_key([one], "judge", 1),
        request_key([one, two], "act", 1),
        request_key([Message("user", "abcd")], "act", 1),
        request_key([Message("assistant", "ab")], "act", 1),
    }
    assert len(keys) == 6
    assert request_key([Message("user", "ab", 1)], "act", 1) == request_key([one], "act", 1)


def test_scrubbing(monkeypatch):
    monkeypatch.setenv("MY_SERVICE_API_KEY", "quite-a-secret")
    monkeypatch.setenv("SOME_TOKEN", "tok-1234567")
    text = "a quite-a-secret b tok-1234567 c sk-proj-abcdefghijklmnopqrst d Authorization: Bearer abcdef123"
    assert scrubbed(text) == "a *** b *** c *** d Authorization: Bearer ***"
