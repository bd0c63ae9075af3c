"""What a method costs and needs: calls an episode by its row in the description, nothing imported that is not used."""

import subprocess
import sys

import pytest

from evoplay.envs import make
from evoplay.evaluation.resources import supplied
from evoplay.methods.backbones.registry import open_backbone
from evoplay.methods.base import MethodError
from evoplay.methods.registry import find_method, parse_methods
from tests.evaluation.trials import play

MOST = {
    "naive": 0,
    "memory": 0,
    "retrieval": 0,
    "reflexion": 1,
    "reflexion:reflect_on=failure": 1,
    "expel": 2,
    "expel:judge=llm,success_batch=1": 2,
    "awm": 2,
    "awm:judge=llm": 2,
    "reasoningbank": 2,
    "reasoningbank:judge=llm": 2,
    "reasoningbank:matts_k=3": 2,
    "evotest": 1,
    "evotest:judge=llm": 1,
}
"""Calls an episode beyond one a step, `repair` left out, as the table of the methods has them."""


@pytest.mark.parametrize("label", MOST)
def test_no_method_calls_the_backbone_more_often_than_it_may(label):
    (spec,) = parse_methods(label)
    backbone = open_backbone("sim/learner")
    records, events = play(make("learn2play/gemforge"), spec.build(), backbone, episodes=5, max_steps=12)
    calls = [event for event in events if event["type"] == "call" and event["purpose"] != "repair"]
    for record in records:
        here = [call for call in calls if call["episode"] == record.episode]
        acts = [call for call in here if call["purpose"] == "act"]
        assert len(here) - len(acts) <= MOST[label]
        assert len([call for call in acts if call.get("rollout", 1) == 1]) <= 12
    assert all(record.error is None for record in records)
    assert [event for event in events if event["type"] == "error"] == []


def test_listing_methods_and_playing_naively_import_no_dspy():
    code = (
        "import sys\n"
        "from evoplay.methods.registry import find_method, method_names\n"
        "for name in method_names(): find_method(name).carries\n"
        "heavy = {'dspy', 'litellm', 'chromadb', 'sklearn', 'pydantic_monty'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_reference_is_supplied_only_where_it_is_asked_for():
    kind = find_method("expel")
    assert supplied(kind, "learn2play/gemforge", 1, {}) == {}
    given = supplied(kind, "learn2play/gemforge", 1, {"judge": "reference"})
    env = make("learn2play/gemforge")
    assert given["reference_of"](1) == env.reference(1).value
    assert kind(judge="reference", **given).judge.kind == "reference"
    with pytest.raises(MethodError, match="no option 'reference_of'"):
        parse_methods("expel:reference_of=1")
