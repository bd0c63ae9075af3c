"""Every structured call of the published methods, with replies no model should give: 200 of them each."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evoplay.methods.awm import Awm
from evoplay.methods.evotest import EvoTest
from evoplay.methods.expel import Expel
from evoplay.methods.reasoningbank import ReasoningBank
from evoplay.methods.reflexion import Reflexion
from evoplay.methods.structured import StructuredFailed
from tests.scripted import ScriptedBackbone, services_of

from .levers import Player, Trialled, said
from .messy import Scene, messy

PLANS = {1: ["earn 1", "stop"], 2: ["go cellar", "earn 3", "stop"]}
REFLECT = said(mistake="None.", plan="Pull the lever: earn 1.", steps='["e02/s001"]')
VERDICT = said(reasons="It went well.", success="True")
INSIGHT = said(
    operations=json.dumps(
        [
            {"operation": "ADD", "number": None, "insight": "Look around first.", "steps": ["e02/s001"]},
            {"operation": "REMOVE", "number": 1, "insight": "", "steps": ["e01/s001"]},
        ]
    )
)
INDUCE = said(workflows=json.dumps([{"description": "Earn", "actions": ["go {place}", "earn 3"], "steps": []}]))
ITEM = {"title": "Look", "description": "Look first.", "content": "Look before you earn.", "steps": ["e02/s001"]}
EXTRACT = said(why="w", memory_items=json.dumps([ITEM] * 4))
CONTRAST = said(comparison="c", memory_items=json.dumps([ITEM]))
CODE = "def extract(transcript):\n    return str(len(transcript) // 2)"
EVOLVE = said(new_guide="Go to the cellar and earn 3.", new_extractor=CODE)
JUDGED = said(new_guide="Go to the cellar and earn 3.", new_extractor=CODE, success="False")


def scene(make, purpose, good, *, more=0, others=None):
    """The end of episode 2, of two (or of `more` later ones)."""
    good = {purpose: good, **(others or {})}
    made = Scene(make, Trialled(make(), Player(PLANS, **{name: [reply] * 4 for name, reply in good.items()}), 2), good)
    made.planned += more
    return made


def contrasting():
    method = ReasoningBank(matts_k=2)
    method.rollouts = 1
    played = Trialled(ReasoningBank(), Player({1: ["earn 1", "stop"], 2: ["stop"]}, extract=[EXTRACT] * 2), 2)
    method.rolled_out = [record.view() for record in played.records]
    return method


SCENES = {
    "reflexion": lambda: (scene(Reflexion, "reflect", REFLECT), "reflect", REFLECT),
    "a judge": lambda: (scene(lambda: Awm(judge="llm"), "judge", VERDICT, others={"induce": INDUCE}), "judge", VERDICT),
    "expel, a pair": lambda: (scene(Expel, "insight", INSIGHT, more=3), "insight", INSIGHT),
    "expel, a pair and the successes": lambda: (scene(Expel, "insight", INSIGHT), "insight", INSIGHT),
    "awm": lambda: (scene(Awm, "induce", INDUCE), "induce", INDUCE),
    "reasoningbank": lambda: (scene(ReasoningBank, "extract", EXTRACT), "extract", EXTRACT),
    "reasoningbank, rollouts": lambda: (scene(contrasting, "extract", CONTRAST), "extract", CONTRAST),
    "evotest": lambda: (scene(EvoTest, "evolve", EVOLVE, more=3), "evolve", EVOLVE),
    "evotest, judging": lambda: (scene(lambda: EvoTest(judge="llm"), "evolve", JUDGED, more=3), "evolve", JUDGED),
}


@pytest.mark.parametrize("name", SCENES)
def test_messy_replies(name):
    made, purpose, good = SCENES[name]()
    assert made.check(purpose, good)
    used = []

    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(messy(good))
    def whatever(reply):
        used.append(made.check(purpose, reply))

    whatever()
    assert len(used) >= 200
    assert used.count(False) >= 50


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(messy(said(reasons="r", best=2)), st.integers(-5, 5).map(lambda number: said(reasons="r", best=number)))
)
def test_messy_choices_among_rollouts(reply):
    method = ReasoningBank(matts_k=3)
    views = CHOICES.setdefault("views", [record.view() for record in scripted().records])
    method.attach(services_of(ScriptedBackbone(lambda messages, purpose: reply)))
    try:
        chosen = method.choose(views)
    except StructuredFailed:
        return
    assert 0 <= chosen < 3


CHOICES = {}


def scripted():
    return Trialled(ReasoningBank(), Player({}, extract=[EXTRACT] * 9), 3)
