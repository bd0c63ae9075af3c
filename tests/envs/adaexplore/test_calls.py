"""Malformed actions: whatever is said, an error that helps, nothing consumed, no crash. 500 inputs per tool."""

import copy
import json
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.adaexplore.calls import CallError, check_submission, read_call, tool_text, tools
from evoplay.envs.adaexplore.config import ACTIONS, PLAY
from evoplay.envs.adaexplore.env import example_case

hard = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def window():
    env = make("adaexplore/finance/credit-line")
    env.reset(1)
    return env


@pytest.fixture(scope="module")
def batch(window):
    env = window.clone()
    env.step("next")
    return env


def good_case(env):
    return dict(zip(env._episode.ranges.names, example_case(env._episode), strict=True))


def state_of(env):
    return copy.deepcopy(env._state)


def check_refused(env, action):
    """The action is refused with a sentence, and only the count of errors moves."""
    env = env.clone()
    before = state_of(env)
    answer = env.step(action)
    assert not answer.accepted, action
    assert answer.info["kind"] == "error"
    assert answer.text.startswith("This cannot be used: ")
    assert len(answer.text.splitlines()[0]) > 30
    after = state_of(env)
    before.errors, before.steps = after.errors, after.steps
    assert after == before
    assert after.errors == 1


def spoiled_cases(case):
    """Strategies that each break a good case in one way."""
    names = sorted(case)
    some_name = st.sampled_from(names)
    bad_number = st.sampled_from([1e12, -1e12, 10**400, True, None, "12", [1], {}, ""])
    return st.one_of(
        st.builds(lambda name: {k: v for k, v in case.items() if k != name}, some_name),
        st.builds(lambda name, value: {**case, name: value}, some_name, bad_number),
        st.builds(
            lambda name, value: {**case, name: value},
            st.text(max_size=15).filter(lambda name: name not in case),
            st.integers(0, 5),
        ),
        JSON.filter(lambda value: not isinstance(value, dict) or set(value) != set(case)),
    )


@hard
@given(data=st.data())
def test_bad_probes(window, data):
    case = good_case(window)
    broken = data.draw(spoiled_cases(case))
    argument = data.draw(
        st.sampled_from([broken, [broken], [case, broken], [case] * (PLAY.probes_per_call + 1), [], "", 3, [[case]]])
    )
    style = data.draw(st.integers(0, 3))
    if style == 0:
        action = tool_text("probe_batch", {"cases": argument})
        assume(argument not in (case, [case]))
    elif style == 1:
        action = f"probe {json.dumps(argument)}"
    elif style == 2:
        action = f"probe {json.dumps(case)[: data.draw(st.integers(0, len(json.dumps(case)) - 1))]}"
    else:
        action = f"probe {data.draw(st.text(max_size=40))}"
    check_refused(window, action)


@hard
@given(
    words=st.lists(st.sampled_from([*ACTIONS, "a4", "A9", "", "stop", "0", "a 1"]) | st.text(max_size=6), max_size=9),
    style=st.integers(0, 3),
    junk=JSON,
)
def test_bad_submissions(batch, words, style, junk):
    argument = words if style < 3 else junk
    good = [word.strip().lower() for word in words if isinstance(word, str)]
    assume(not (len(good) == 5 and all(word in ACTIONS for word in good)))
    if style == 0:
        # The words as they would be read from a line.
        spoken = [word.lower() for word in re.split(r"[\s,;]+", " ".join(words)) if word]
        assume(not (len(spoken) == 5 and all(word in ACTIONS for word in spoken)))
        action = "submit " + " ".join(words)
        assume(not action.removeprefix("submit ").lstrip(": \n\t").startswith(("{", "[")))
    elif style == 1:
        action = f"submit {json.dumps(words)}"
    else:
        action = tool_text("submit_action_batch", {"actions": argument})
    check_refused(batch, action)


@hard
@given(rest=st.text(min_size=1, max_size=30), name=st.sampled_from(["next", "request_next_batch"]))
def test_bad_requests_of_the_next_batch(window, batch, rest, name):
    assume(rest.strip(" :\t\n\r\x0b\x0c") not in ("", "{}"))
    action = f"{name} {rest}"
    if read_or_none(action) is None:
        check_refused(window, action)
    check_refused(batch, name)


def read_or_none(action):
    try:
        return read_call(action)
    except CallError:
        return None


@hard
@given(expression=st.text(max_size=40) | JSON, name=st.sampled_from(["calc", "calculator"]))
def test_bad_calculations(window, expression, name):
    from evoplay.envs.adaexplore.calculator import CalculatorError, calculate

    action = f"calc {expression}" if name == "calc" else tool_text("calculator", {"expression": expression})
    call = read_or_none(action)
    if call is not None and isinstance(call.argument, str):
        try:
            calculate(call.argument)
        except CalculatorError:
            check_refused(window, action)
        else:
            answer = window.clone().step(action)
            assert answer.accepted
            assert answer.info == {"kind": "calc"} or "episode" in answer.info
    else:
        check_refused(window, action)


@hard
@given(action=st.text(max_size=60))
def test_any_other_text(window, batch, action):
    call = read_or_none(action)
    assume(call is None)
    check_refused(window, action)
    check_refused(batch, action)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("dance", "'dance' is not an action; expected probe, next, submit or calc"),
        ("probe", "nothing follows; expected probe"),
        ("probe {'a': 1}", "this is not valid JSON"),
        ('probe {"nonsense": 1}', "unknown field nonsense; the fields are"),
        ("probe {}", "lacks .*; every field needs a value"),
        ("probe " + "[" * 9000, "nested too deeply|not valid JSON"),
        ("probe NaN", "NaN is not a number a field can have"),
        ("x" * 30_000, "the action has 30000 characters; at most 20000 are read"),
        ("submit a0", "no batch is open; expected next"),
        ("next please", "next stands alone; 'please' came after it"),
        ("calc", "there is no expression"),
        ("request_next_batch [1]", "next stands alone"),
        ('probe_batch {"case": 1}', "takes an object with 'cases' alone"),
        ('calculator {"expression": 5}', "calc takes an expression; got 5"),
    ],
)
def test_errors_say_what_was_wrong_and_what_was_expected(window, action, said):
    answer = window.clone().step(action)
    assert re.search(said, answer.text), answer.text
    assert not answer.accepted


def test_values_and_limits_are_named(window):
    case = good_case(window)
    high = window.clone().step(f"probe {json.dumps({**case, 'bureau_score': 900})}")
    assert "case 1: bureau_score is 900; expected 300 to 850" in high.text
    broken = window.clone().step(f"probe {json.dumps({**case, 'debt_to_income': 80, 'savings_buffer': 12})}")
    assert "case 1 breaks a limit: debt_to_income + 4 * savings_buffer <= 72 is needed, and the left side is 128" in (
        broken.text
    )
    twice = json.dumps(case)[:-1] + ', "bureau_score": 400}'
    assert "'bureau_score' is given twice" in window.clone().step(f"probe {twice}").text


def test_a_window_has_so_many_probes(window):
    env = window.clone()
    full = json.dumps([good_case(env)] * PLAY.probes_per_call)
    for _ in range(PLAY.probes_per_window // PLAY.probes_per_call):
        assert env.step(f"probe {full}").accepted
    answer = env.step(f"probe {json.dumps(good_case(env))}")
    assert "1 cases, but 0 of 40 probes are left in this window" in answer.text
    assert answer.valid_actions == ("next",)


def test_wrong_phase(batch):
    for action, said in (("next", "a batch is open already"), ("probe {}", "a batch is open; expected submit")):
        answer = batch.clone().step(action)
        assert said in answer.text
        assert "case 5:" in answer.text


@pytest.mark.parametrize(
    "action",
    [
        "submit a0 a1 a2 a3 a0",
        "SUBMIT A0, A1, A2, A3, A0",
        "submit: a0;a1;a2;a3;a0",
        'submit ["a0", "a1", "a2", "a3", "a0"]',
        'submit_action_batch {"actions": ["a0", "a1", "a2", "a3", "a0"]}',
    ],
)
def test_ways_to_submit(batch, action):
    assert batch.clone().step(action).info["actions"] == [0, 1, 2, 3, 0]


def test_ways_to_probe_and_to_go_on(window):
    case = good_case(window)
    texts = {
        window.clone().step(action).text
        for action in (
            f"probe {json.dumps(case)}",
            f"probe [{json.dumps(case)}]",
            f"Probe: {json.dumps(case, indent=1)}",
            tool_text("probe_batch", {"cases": [case]}),
        )
    }
    assert len(texts) == 1
    assert window.clone().step("request_next_batch {}").text == window.clone().step("NEXT").text


def test_usable_parts_of_a_submission_are_kept_for_the_default():
    with pytest.raises(CallError) as caught:
        check_submission(["a3", "b", 7, "A1"], 5)
    assert caught.value.partial == ("a3", None, None, "a1")


def test_tools_are_json_schemas_of_the_four_calls():
    import jsonschema

    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools()}
    assert set(schemas) == {"probe_batch", "request_next_batch", "submit_action_batch", "calculator"}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"actions": ["a0"] * 5}, schemas["submit_action_batch"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"actions": ["a4"] * 5}, schemas["submit_action_batch"])
    json.dumps(tools())


def test_a_tool_call_that_makes_no_sense_becomes_an_action_that_is_refused(window):
    for action in (tool_text("fly", {"to": "moon"}), tool_text("probe_batch", {"cases": {1, 2}})):
        check_refused(window, action)
