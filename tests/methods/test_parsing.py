"""Reading the action out of a reply, in every form models use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.methods.parsing import extract_action


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("Stock is low.\nAction: add_salt", "add_salt"),
        ("Stock is low.\naction : add_salt ", "add_salt"),
        ("**Action:** add_salt", "add_salt"),
        ("**Action: add_salt**", "add_salt"),
        ("ACTION：add_salt", "add_salt"),
        ("> Action: `add_salt`", "add_salt"),
        ('Action: "look around"', "look around"),
        ("Next action: go_3", "go_3"),
        ("- Action: go_3", "go_3"),
        ("add_salt", "add_salt"),
        ("  add_salt  \n", "add_salt"),
        ("`add_salt`", "add_salt"),
        ("I try this.\n```\nadd_salt\n```", "add_salt"),
        ("```text\nadd_salt\n```", "add_salt"),
        ('{"reason": "low", "action": "add_salt"}', "add_salt"),
        ('```json\n{"Action": "add_salt"}\n```', "add_salt"),
        ("<think>Action: fire?\nno</think>Action: add_salt", "add_salt"),
        ('Action: probe {"income": 3.5, "age": 40}', 'probe {"income": 3.5, "age": 40}'),
        ("7", "7"),
        ("Action: 7", "7"),
        ("I cannot help with that.", "I cannot help with that."),
    ],
)
def test_forms_of_an_action(reply, action):
    assert extract_action(reply).action == action


@pytest.mark.parametrize(
    "reply", ["", "   \n", "<think>hm</think>", "One thought.\nAnother thought.", "Action:", "{}"[:0]]
)
def test_nothing_to_read(reply):
    assert extract_action(reply).action is None


def test_of_several_actions_the_first_counts_and_the_rest_is_noted():
    found = extract_action("Action: add_salt\nAction: fire\nAction: done")
    assert found.action == "add_salt"
    assert "2 further actions were not played: fire, done" in found.notes[0]
    assert extract_action('{"action": ["a", "b"]}').notes


@given(st.text(max_size=400))
def test_any_reply_is_taken_without_a_crash(reply):
    found = extract_action(reply)
    assert found.action is None or found.action


@given(st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="*_`\"'"), min_size=1, max_size=60))
def test_a_labelled_action_comes_out_as_it_went_in(action):
    assert extract_action(f"Because.\nAction: {action}").action == action
