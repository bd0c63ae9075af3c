"""Model Auditor: what its texts reveal and keep, the machine's parts, instances and the score table."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.modelkeeper_expert import (
    BATTERY,
    CELLS,
    PROBING,
    RESET,
    VECTORS,
    Coupled,
    Driver,
    Machine,
    draw_instance,
    fair,
    fallback_instance,
    family,
    look_up,
    parse_answer,
    parse_probe,
    remember,
    run,
    score_of,
    tick,
    transcript,
)

ENV = "learn2play/modelkeeper_expert"
HIDDEN = ("mix", "gate", "hold", "echo", "driver", "helper", "shared", "threshold", "delay", "level", "memory", "mod 3")
MACHINES = st.sampled_from([machine for machines in list(family().values())[::50] for machine in machines])


def dials(text):
    """O1, O2 and the probes left."""
    return tuple(map(int, re.search(r"O1 = (\d), O2 = (\d)\. Probes left: (\d+)", text).groups()))


def vectors(text):
    """The exam's inputs by step."""
    found = re.findall(r"^Step (\d): I1 = (\d), I2 = (\d), I3 = (\d)$", text, re.MULTILINE)
    assert [int(step) for step, *_ in found] == list(range(10))
    return tuple(tuple(map(int, values)) for _, *values in found)


def prompt(text):
    """Cell (from 1), step, the step's inputs, and the readout that is asked for."""
    line = r"Question (\d+) of 20: step (\d) \(I1 = (\d), I2 = (\d), I3 = (\d)\), what does O(\d) show\?"
    assert "Choose 0, 1, 2 or 3" in text
    cell, step, *inputs, dial = map(int, re.search(line, text).groups())
    return cell, step, tuple(inputs), dial


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


# --- texts ------------------------------------------------------------------------------------------------------


def test_the_opening_tells_the_task_and_nothing_of_the_inside(env):
    text = env.reset(1).text
    for fact in (
        "I1 to I3",
        "0 to 2",
        "O1 and O2",
        "40 probes",
        "new sequence of ten",
        "zero state",
        "not be commented",
    ):
        assert fact in text
    for word in ("`probe a b c`", "`reset`", "`exam`", "`status`", "uses up no probe"):
        assert word in text
    assert not any(word in text.lower() for word in (*HIDDEN, "score", "point", "guess"))


def test_a_probe_shows_the_readouts_and_what_is_left(env):
    rng, done = random.Random(5), []
    for number in range(1, 40):
        vector = rng.choice(VECTORS)
        done.append(vector)
        text = env.step(f"probe {' '.join(map(str, vector))}").text
        assert dials(text) == (*run(env.puzzle.machine, done)[-1], 40 - number)
        assert not any(word in text.lower() for word in HIDDEN)


def test_reset_shows_zeros_and_clears_the_machine(env):
    first = env.step("probe 2 2 2").text
    play(env, "probe 2 1 2", "probe 0 2 2")
    assert dials(env.step("RESET").text) == (0, 0, 37)
    assert dials(env.step("probe 2 2 2").text)[:2] == dials(first)[:2]


@pytest.mark.parametrize("by", ["exam", "probes"])
def test_the_exam_shows_its_inputs_and_the_first_prompt(env, by):
    if by == "exam":
        text = env.step("Exam").text
    else:
        text = play(env, *["probe 1 1 1"] * 40).text
        assert dials(text)[2] == 0
        assert "last probe" in text
        assert text.index("O1 =") < text.index("Step 0")
    assert vectors(text) == env.puzzle.exam
    assert prompt(text) == (1, 0, env.puzzle.exam[0], 1)
    assert "zero state" in text
    assert "without comment" in text


def test_answers_are_recorded_and_never_judged(env):
    env.step("exam")
    twin = env.clone()
    for cell in range(1, CELLS):
        text = env.step(f"predict_{cell % 4}").text
        assert text == twin.step("predict_3").text
        assert text.startswith("Recorded.")
        step, dial = divmod(cell, 2)
        assert prompt(text) == (cell + 1, step, env.puzzle.exam[step], dial + 1)


def test_the_end_tells_the_sum_and_not_the_cells(env):
    obs = play(env, *env.solution(1)[:-1], "predict_3")
    assert obs.done
    assert "19 of 20 answers are right (95.0 %)" in obs.text
    assert f"Score: {obs.score} " in obs.text
    assert "0 is what guessing gives, 100 is everything right" in obs.text
    assert "Probes used: 40 of 40" in obs.text
    assert not any(word in obs.text.lower() for word in HIDDEN)
    assert obs.visible_score == obs.score
    assert env.step("status").text == f"Phase: closed. Score: {obs.score} of 100."
    after = env.step("predict_1")
    assert "over" in after.text
    assert (after.accepted, after.done, after.valid_actions) == (False, True, ("status",))


def test_status_tells_the_phase(env):
    play(env, "probe 1 1 1", "reset", "nonsense", "probe 9 9 9")
    obs = env.step(" Status ")
    assert obs.text == "Phase: probing. Turns: 4 of 120. Probes left: 39 of 40."
    assert obs.visible_score is None
    play(env, "exam", "predict_1", "probe 1 1 1")
    assert env.step("status").text == "Phase: exam. Answered: 1 of 20. Turns: 7 of 120."


def test_hints_say_which_form_is_needed(env):
    assert "three values" in env.step("probe 1 2").text
    assert "0 to 2" in env.step("probe 3 3 3").text
    command = env.step("dance").text
    assert all(word in command for word in ("probe a b c", "reset", "exam", "status"))
    env.step("exam")
    for text in ("reset", "predict_4", "predict_-1"):
        answer = env.step(text)
        assert not answer.accepted
        assert "predict_" in answer.text
        assert "0 to 3" in answer.text


def test_the_turn_cap_fills_the_answers_with_zeros(env):
    env.step("exam")
    obs = play(env, *["predict_1"] * 3, *["nonsense"] * 116)
    assert not obs.done
    obs = env.step("predict_1")
    assert obs.done
    assert env.answers == [1, 1, 1] + [0] * 17
    assert "used up" in obs.text
    assert env.turns == 121


def test_machines_that_differ_inside_read_the_same_until_they_are_probed():
    one, other = make(ENV), make(ENV)
    for env in (one, other):
        env.reset(1)
    other.puzzle = draw_instance(7, 5)._replace(exam=one.puzzle.exam)
    for action in ("status", "reset", "bogus", "probe 1", "exam", "predict_1", "status"):
        assert one.step(action) == other.step(action)


def test_listed_actions_in_order(env):
    obs = env.reset(1)
    assert obs.valid_actions == tuple(PROBING)
    assert PROBING[:4] == ["probe 0 0 0", "probe 0 0 1", "probe 0 0 2", "probe 0 1 0"]
    assert PROBING[27:] == ["reset", "exam", "status"]
    assert env.step("exam").valid_actions == ("predict_0", "predict_1", "predict_2", "predict_3", "status")


# --- reading commands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["probe 1 0 2", "probe2 1 0 2", "probe  01 +0   2"])
def test_probes_read(text):
    assert parse_probe(text) == (1, 0, 2)


@pytest.mark.parametrize(
    "text", ["probe", "probe 1 2", "probe 1 2 0 0", "probe 1.0 0 0", "probe -1 0 0", "1 0 2", "probing 1 0 2"]
)
def test_no_probes(text):
    assert parse_probe(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "predict_2",
        "predict 2",
        "predict2",
        "predict__2",
        "predict_ 2",
        "2",
        "02",
        "predict_0002",
        "predict_\uff10\uff12",
    ],
)
def test_answers_read(text):
    assert parse_answer(text) == 2


@pytest.mark.parametrize(
    "text", ["predict", "predict_-1", "predict_1.5", "predict_1 2", "predict_4", "", "_2", "²", "predict_²", "9" * 5000]
)
def test_no_answers(text):
    assert parse_answer(text) is None


# --- the machine and the family ---------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2), max_size=12))
def test_an_echo_is_one_tick_late(values):
    memory, heard = 0, []
    for value in values:
        output, memory = remember(0, memory, value)
        heard.append(output)
    assert heard == [0, *values][: len(values)]


@given(st.lists(st.integers(0, 2), max_size=12), st.integers(2, 3))
def test_a_level_moves_by_one_within_its_cap(values, cap):
    level = 0
    for value in values:
        output, after = remember(cap, level, value)
        assert output == after
        assert after == (min(cap, level + 1) if value else max(0, level - 1))
        level = after


@given(MACHINES, st.lists(st.sampled_from(VECTORS), min_size=1, max_size=8))
def test_readouts_stay_below_three_and_runs_are_ticks(machine, inputs):
    memory, rows = RESET, []
    for vector in inputs:
        memory, shown = tick(machine, memory, vector)
        rows.append(shown)
    assert run(machine, inputs) == tuple(rows)
    assert all(value <= 2 for row in rows for value in row)


@given(MACHINES)
def test_the_index_holds_the_machine_under_its_transcript(machine):
    assert machine in look_up(transcript(machine))


def test_the_family():
    assert len(family()) == 4758
    assert sum(map(len, family().values())) == 11340
    assert len(set().union(*family().values())) == 11340
    assert sum(map(len, BATTERY)) == 40


# --- instances and score ----------------------------------------------------------------------------------------

SUM, ECHO = 0, 0


@pytest.mark.parametrize(
    ("seed", "episode", "machine", "exam", "truth"),
    [
        (
            1,
            1,
            Machine(Driver((1, 2), SUM), ECHO, 1, Coupled(0, 2, SUM), False),
            "002 102 001 100 212 002 002 211 022 102",
            "00 20 22 12 12 01 22 00 12 12",
        ),
        (
            1,
            2,
            Machine(Driver((1, 2), SUM), ECHO, 1, Coupled(2, ECHO, SUM), True),
            "011 021 120 111 211 002 220 112 200 222",
            "01 01 12 20 00 02 11 20 20 02",
        ),
        (
            7,
            1,
            Machine(Driver((0, 1), SUM), ECHO, 2, Coupled(0, None, 2), False),
            "101 220 122 122 110 112 020 100 001 202",
            "10 11 01 20 00 11 21 21 20 21",
        ),
        (
            7,
            5,
            Machine(Driver((1, 2), 1), 2, 0, Coupled(1, ECHO, SUM), True),
            "012 100 011 001 211 102 000 002 011 112",
            "11 11 11 02 21 00 11 22 22 00",
        ),
    ],
)
def test_known_instances(seed, episode, machine, exam, truth):
    found = draw_instance(seed, episode)
    assert found.machine == machine
    assert [" ".join("".join(map(str, row)) for row in rows) for rows in (found.exam, found.truth)] == [exam, truth]


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_every_instance_is_fair_and_solved(seed, episode):
    instance = draw_instance(seed, episode)
    assert fair(instance.machine, instance.exam)
    env = make(ENV, seed)
    assert env.solve(episode).value == 100


def test_the_fallback_is_fair():
    instance = fallback_instance(random.Random(3))
    assert fair(instance.machine, instance.exam)
    assert instance.machine.coupled.helper_cap == 2


@pytest.mark.parametrize(
    ("threshold", "table"),
    [
        (0, "-50 -42 -35 -27 -20 -12 -5 2 10 18 25 33 40 48 55 62 70 77 85 92 100"),
        (2, "-71 -63 -54 -46 -37 -29 -20 -11 -3 6 14 23 31 40 49 57 66 74 83 91 100"),
    ],
)
def test_the_score_table(threshold, table):
    machine = Machine(Driver((0, 1), 0), 0, 0, Coupled(0, None, threshold), False)
    assert [score_of(machine, correct) for correct in range(CELLS + 1)] == list(map(int, table.split()))
