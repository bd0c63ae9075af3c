"""Claims checked without a model: what the forms mean, and what is no form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.memory.checks import check_of, verdicts
from evoplay.memory.claims import Statement
from evoplay.memory.records import Step


def step(action, *, saw="A hall.", then="A lever moves.", gain=0.0, accepted=True, done=False, shown=True, number=1):
    before, after = (10.0, 10.0 + gain) if shown else (None, None)
    return Step(f"t/e01/s{number:03d}", 1, number, saw, (), "", action, then, accepted, before, after, done)


def check(action="pull", effect="no change", condition=""):
    found = check_of(Statement("It is so.", condition, action, effect))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("effect", "gain", "verdict"),
    [
        ("score +5", 5.0, True), ("score +5", 4.0, False), ("+5", 5, True), ("Score -2.5 points.", -2.5, True),
        ("score up", 0.1, True), ("score up", 0.0, False), ("score rises", 3, True), ("score down", -1, True),
        ("score down", 1, False), ("no change", 0.0, True), ("No change.", -1, False), ("score +0", 0, True),
    ],
)  # fmt: skip
def test_effects_on_the_score(effect, gain, verdict):
    assert check(effect=effect).verdict(step("pull", gain=gain), []) is verdict
    assert check(effect=effect).verdict(step("push", gain=gain), []) is None
    assert check(effect=effect).verdict(step("pull", gain=gain, shown=False), []) is None
    assert check(effect=effect).verdict(step("pull", gain=gain, accepted=False), []) is None


def test_other_effects():
    assert check(effect="refused").verdict(step("pull", accepted=False), []) is True
    assert check(effect="refused").verdict(step("pull"), []) is False
    assert check(effect="ends").verdict(step("pull", done=True, shown=False), []) is True
    assert check(effect="the episode ends").verdict(step("pull"), []) is False
    assert check(effect="shows: 'a  LEVER'").verdict(step("pull"), []) is True
    assert check(effect="shows: smoke").verdict(step("pull"), []) is False


def test_conditions():
    before = [step("a"), step("noise", accepted=False), step("b")]
    for condition, holds in (
        ("always", True), ("after `b`", True), ("after `a`, `b`", True), ("after a, b", True), ("after `a`", False),
        ("after `x`, `a`, `b`", False), ("sees: a HALL", True), ("sees: smoke", False), ("not sees: smoke", True),
        ("sees: hall; not sees: hall", False), ("after `b`; sees: hall", True),
    ):  # fmt: skip
        assert check(condition=condition).touches(step("Pull "), before) is holds, condition


def test_patterns_of_actions():
    assert check("add_*").is_action("ADD_salt")
    assert not check("add_*").is_action("remove_salt")
    assert check("`pull (a.b)`").is_action("pull (a.b)")
    assert not check("pull (a.b)").is_action("pull (aXb)")


@pytest.mark.parametrize(
    "told",
    [
        {"effect": "it pays well"}, {"effect": ""}, {"effect": "shows:"}, {"action": ""}, {"action": "*"},
        {"condition": "when it rains"}, {"condition": "sees:"},
    ],
)  # fmt: skip
def test_what_is_no_form_is_no_check(told):
    assert check_of(Statement("x", **{"action": "pull", "effect": "no change", "condition": "always"} | told)) is None


def test_verdicts_of_an_episode():
    steps = [step("pull", gain=gain, number=at) for at, gain in enumerate((0, 2, 0), start=1)]
    assert verdicts(check(), steps) == (["t/e01/s001", "t/e01/s003"], ["t/e01/s002"])


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_words_are_a_check_or_none(condition, action, effect):
    found = check_of(Statement("x", condition, action, effect))
    assert found is None or found.verdict(step(action), []) in (True, False, None)
