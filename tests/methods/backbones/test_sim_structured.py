"""The simulated learner's structured calls: every field in its type, and filled from the play that was shown."""

from __future__ import annotations

import enum
import re
from typing import Annotated, Any, Literal, Optional

import dspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from evoplay.methods.backbones.base import Message
from evoplay.methods.backbones.sim import SimLearner
from evoplay.methods.fields import FieldFormat

PLAY = """=== Episode 2 of 5 ===
| A shed with three levers.
| Score: 0

step e02/s001
> pull_red
| The red lever clicks.
[score 0]

step e02/s002
> pull_blue
| A coin falls out.
[score 8 (+8)]

step e02/s003
> look
| A coin falls out.
[score 8]

step e02/s004
> pull_green
| A trapdoor takes the coin.
[score 3 (-5)]

step e02/s005
> leave
| You are outside.
[score 3]
[end of episode, final score 3]
"""


class Mood(enum.Enum):
    GOOD = "good"
    BAD = "bad"


class Rule(BaseModel):
    title: str = Field(max_length=60)
    text: str
    condition: str
    effect: str
    action: str
    scope: Literal["rule", "instance"]
    sure: float = Field(ge=0, le=1)
    steps: list[str] = Field(description="labels of the steps that show it")


class Operation(BaseModel):
    kind: Literal["ADD", "AGREE", "EDIT", "REMOVE"]
    number: Optional[int] = None  # noqa: UP045  (both spellings of an optional field are met)
    text: str


class Nested(BaseModel):
    name: str
    rules: list[Rule]
    best: Rule | None = None


TYPES: tuple[Any, ...] = (
    str,
    bool,
    int,
    float,
    Literal["success", "failure"],
    Mood,
    str | None,
    list[str],
    list[int],
    list[Rule],
    list[Operation],
    list[Mood],
    list[list[str]],
    dict[str, str],
    tuple[str, int],
    Nested,
    Annotated[int, Field(ge=3, le=4)],
    Annotated[list[str], Field(min_length=2, max_length=2)],
)


def ask(outputs: dict[str, Any], transcript: str = PLAY, **inputs: Any) -> dict[str, Any]:
    """The outputs of a call with a transcript and further inputs, read as the methods read them."""
    fields: dict[str, Any] = {"transcript": (str, dspy.InputField())}
    fields |= {name: (type(value), dspy.InputField()) for name, value in inputs.items()}
    fields |= {name: (kind, dspy.OutputField()) for name, kind in outputs.items()}
    signature = dspy.Signature(fields, "Say what was learned.")
    form = FieldFormat()
    messages = form.messages(signature, {"transcript": transcript, **inputs})
    completion = SimLearner().complete(messages, purpose="reflect", seed=1)
    assert completion.usage.source == "counted"
    return form.read(signature, completion.text)


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("transcript", [PLAY, "", "no play at all"], ids=["play", "empty", "prose"])
def test_a_field_of_any_type_is_filled(kind: Any, transcript: str) -> None:
    assert "answer" in ask({"answer": kind}, transcript)


def test_all_types_together() -> None:
    outputs = {f"field_{at}": kind for at, kind in enumerate(TYPES)}
    assert set(ask(outputs, notes=["one", "two"])) == set(outputs)


@given(st.text(max_size=400))
@settings(max_examples=40, deadline=None)
def test_whatever_stands_in_a_transcript_the_reply_can_be_read(text: str) -> None:
    ask({"rules": list[Rule], "good": bool, "plan": str}, PLAY + text)


def test_a_text_names_what_raised_the_score_and_what_cost() -> None:
    plan = ask({"plan": str})["plan"]
    assert re.search(r"Do `pull_red`, `pull_blue`: it brought \+8", plan)
    assert re.search(r"Avoid [^.]*`pull_green`: it brought only -5", plan)
    assert re.search(r"Avoid `look`", plan)


def test_objects_rest_on_steps_of_the_transcript() -> None:
    rules = ask({"rules": list[Rule]})["rules"]
    assert rules
    labels = set(re.findall(r"e02/s\d+", PLAY))
    for rule in rules:
        assert rule.steps
        assert set(rule.steps) <= labels
        assert rule.action in {"pull_red", "pull_blue", "pull_green", "look", "leave"}


def test_what_is_asked_for_as_bad_is_bad() -> None:
    mistake = ask({"mistake": str})["mistake"]
    assert "Avoid" in mistake
    assert "Do " not in mistake


def test_a_success_is_told_from_a_failure() -> None:
    better = PLAY.replace("Episode 2", "Episode 1").replace("e02", "e01")
    worse = better.replace("final score 3", "final score 1")
    assert ask({"success": bool}, better + "\n" + worse)["success"] is False
    assert ask({"success": bool}, worse + "\n" + better)["success"] is True


def test_what_is_already_listed_is_agreed_to() -> None:
    first = ask({"operations": list[Operation]})["operations"]
    assert {operation.kind for operation in first} == {"ADD"}
    listed = "1. Something else.\n2. " + first[0].text
    again = ask({"operations": list[Operation]}, insights=listed)["operations"]
    assert ("AGREE", 2) in {(operation.kind, operation.number) for operation in again}


class Mark(BaseModel):
    claim: str = Field(description="id of the claim")
    supports: list[str]
    contradicts: list[str]


def test_listed_entries_are_marked_by_the_steps_that_touch_them() -> None:
    known = (
        "rule, open: [c001] Do `pull_red`, `pull_blue`: it brought +8. (1 for)\n"
        "rule, open: [c002] Do `pull_green`: it brought +4. (1 for)\n"
        "rule, open: [c003] Do `pull_yellow`: it brought +4. (1 for)\n"
    )
    marks = ask({"marks": list[Mark]}, known=known)["marks"]
    assert [(mark.claim, mark.supports, mark.contradicts) for mark in marks] == [
        ("c001", ["e02/s002"], []),
        ("c002", [], ["e02/s004"]),
    ]


class Proposal(BaseModel):
    statement: str
    rewords: str = Field("", description="id of the listed claim that this puts better; empty if new")
    condition: str = "always"
    action: str = ""
    effect: str = ""


def test_a_field_that_may_stay_empty_does() -> None:
    first, *_ = ask({"claims": list[Proposal]})["claims"]
    assert first == Proposal(
        statement="Do `pull_red`, `pull_blue`: it brought +8.",
        condition="after `pull_red`",
        action="pull_blue",
        effect="score +8",
    )


class Workflow(BaseModel):
    description: str
    actions: list[str]


def test_workflows_are_runs_of_actions_that_paid() -> None:
    workflows = ask({"workflows": list[Workflow]})["workflows"]
    assert workflows
    assert workflows[0].actions == ["pull_red", "pull_blue"]
    assert all(len(workflow.actions) > 1 for workflow in workflows)


def test_code_that_was_given_is_given_back() -> None:
    code = "def extract(text):\n    return text[:80]"
    assert ask({"new_code": str}, old_code=code)["new_code"] == code


def test_words_renamed_give_the_reply_renamed() -> None:
    names = {"pull_red": "zo_ab", "pull_blue": "zo_cd", "pull_green": "zo_ef", "look": "wum", "leave": "aaa"}
    other = PLAY
    for old, new in names.items():
        other = other.replace(old, new)
    plan = ask({"plan": str})["plan"]
    for old, new in names.items():
        plan = plan.replace(f"`{old}`", f"`{new}`")
    assert ask({"plan": str}, other)["plan"] == plan


# --- acting on what was written --------------------------------------------------------------------------------------

PROMPT = """{guidance}=== Episode 3 of 5 ===
| A shed with three levers.
{moves}
Actions to choose from:
- pull_red
- pull_blue
- pull_green
- leave
This is step 1 of episode 3. What do you do?
"""


def act(guidance: str, seed: int, moves: str = "", **knobs: float) -> str:
    asked = [Message("user", PROMPT.format(guidance=guidance, moves=moves))]
    text = SimLearner(**{"explore": 0.0, **knobs}).complete(asked, purpose="act", seed=seed).text
    return text.rpartition("Action: ")[2]


def test_guidance_is_followed_as_often_as_the_knob_says() -> None:
    guidance = "1. Do `pull_green`: it brought +8.\n\n"
    assert {act(guidance, seed, obey=1.0) for seed in range(30)} == {"pull_green"}
    assert [act(guidance, seed, obey=0.0) for seed in range(30)] == [act("", seed, obey=0.0) for seed in range(30)]
    often = sum(act(guidance, seed, obey=0.5) == "pull_green" for seed in range(200))
    assert 100 < often < 150


def test_what_guidance_warns_of_is_avoided() -> None:
    guidance = "- Avoid `leave` early: the episode ended with it.\n- Never use pull_red.\n\n"
    assert {act(guidance, seed, obey=1.0) for seed in range(40)} == {"pull_blue", "pull_green"}


def test_an_order_is_kept() -> None:
    guidance = "Do `pull_red`, `leave`, `pull_blue`: it brought +8.\n\n"
    moves = "\n> pull_red\n| Click.\n[score 0]\n"
    assert {act(guidance, seed, obey=1.0) for seed in range(10)} == {"pull_red"}
    assert {act(guidance, seed, moves, obey=1.0) for seed in range(10)} == {"leave"}


def test_blanks_and_examples_are_filled_from_the_text() -> None:
    prompt = (
        "=== Episode 1 of 2 ===\n| Cases have two fields.\n| - heat: 10 to 20 degrees\n| - load: 0 to 5 kg\n"
        "| Cards: see below\n\nActions to choose from:\n"
        '- try {"heat": 15, "load": 2}\nThis is step 1 of episode 1.\n'
    )
    seen = set()
    for seed in range(60):
        text = SimLearner().complete([Message("user", prompt)], purpose="act", seed=seed).text
        found = re.search(r'Action: try \{"heat": ([\d.]+), "load": ([\d.]+)\}$', text)
        assert found is not None
        heat, load = float(found[1]), float(found[2])
        assert 10 <= heat <= 20
        assert 0 <= load <= 5
        assert heat == 15 or load == 2
        seen.add((heat, load))
    assert {(10, 2), (20, 2), (15, 0), (15, 5)} <= seen

    prompt = (
        "=== Episode 1 of 2 ===\n| On the table:\n| card_b: red\n| card_a: blue\n\nActions to choose from:\n"
        "- take <card>\nThis is step 1 of episode 1.\n"
    )
    taken = {SimLearner().complete([Message("user", prompt)], purpose="act", seed=seed).text for seed in range(30)}
    assert {text.rpartition("Action: ")[2] for text in taken} == {"take card_a", "take card_b"}
