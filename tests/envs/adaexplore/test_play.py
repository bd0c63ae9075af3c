"""Playing an episode: windows and batches, masking, assessments, defaults, settings, settling, streams."""

import copy
import json
import random

import numpy as np
import pytest

from evoplay.envs import EnvError, UnknownEnv, check_env, ids, make, suite_ids
from evoplay.envs.adaexplore import TASK_IDS
from evoplay.envs.adaexplore.assessment import read_assessment, write_assessment
from evoplay.envs.adaexplore.env import example_case
from evoplay.envs.adaexplore.exchange import to_data, write_episodes
from evoplay.envs.adaexplore.generation import case_utilities
from evoplay.envs.adaexplore.streams import order

ENV = "adaexplore/finance/credit-line"


def started(**options):
    env = make(ENV, **options)
    return env, env.reset(1)


def case_of(env, **changes):
    return dict(zip(env._episode.ranges.names, example_case(env._episode), strict=True)) | changes


def played(env, choose):
    """All observations of an episode."""
    seen = [env.reset(1)]
    while not seen[-1].done:
        seen.append(env.step(choose(env)))
    return seen


def best(env):
    return env.best_action()


def careless(env):
    return "submit a1 a2 a1 a2 a1" if env._state.open else "next"


def test_the_registry_knows_the_suite():
    assert suite_ids("adaexplore") == list(TASK_IDS)
    assert len(TASK_IDS) == 16
    assert set(TASK_IDS) < set(ids())
    with pytest.raises(UnknownEnv, match=r"adaexplore/finance/credit-line"):
        make("adaexplore/finance/credit-lines")


@pytest.mark.parametrize("env_id", [TASK_IDS[1], TASK_IDS[14]])
def test_contracts_hold(env_id):
    assert check_env(env_id, steps=12) == []


@pytest.mark.parametrize("env_id", TASK_IDS)
def test_every_task_opens_and_answers(env_id):
    env = make(env_id)
    opening = env.reset(2)
    assert env.spec.episodes == 16
    assert env.spec.max_steps == 250
    assert all(env.clone().step(action).accepted for action in opening.valid_actions)
    assert env.reference(2).value == 100


def test_the_opening_tells_what_is_told_and_hides_what_is_hidden():
    env, opening = started()
    text, episode = opening.text, env._episode
    for spec in episode.fields:
        assert f"- {spec.name}: " in text
        assert spec.meaning in text
    for word in ("additive", "conjunctive", "disjunctive", "lexicographic", "12 evaluation batches of 5 cases", "calc"):
        assert word in text
    for word in ("drift", "change", "replace", str(episode.calibration.q50)):
        assert word not in text.replace("changes nothing", "")
    assert opening.score == 0
    assert opening.visible_score == 0
    # Factors and distractors are listed alike, in an order that says nothing.
    assert text.count("\n- ") == len(episode.fields) + len(episode.constraints) + 4 + 4


def test_windows_and_batches_alternate_and_the_sum_adds_up():
    env, _ = started()
    seen = played(env, careless)
    kinds = [obs.info["kind"] for obs in seen]
    assert kinds == ["open", *["next", "submit"] * 12]
    closed = [obs for obs in seen if obs.info["kind"] == "submit"]
    total = 0.0
    for obs in closed:
        rows, chosen = obs.info["utilities"], obs.info["actions"]
        shown = [round(row[number], 2) for row, number in zip(rows, chosen, strict=True)]
        total += sum(shown)
        assert " ".join(f"{value + 0.0:.2f}" for value in shown) in obs.text
        assert obs.visible_score == pytest.approx(total)
        assert f"Sum so far: {total:.2f}" in obs.text
    u, a = np.array([o.info["utilities"] for o in closed]).reshape(-1, 4), np.array([o.info["actions"] for o in closed])
    chosen = u[np.arange(60), a.ravel()]
    ca = 100 * (chosen - u.mean(axis=1)) / (u.max(axis=1) - u.mean(axis=1))
    assert seen[-1].score == pytest.approx(ca.mean())
    assert closed[2].score == pytest.approx(ca[:15].mean())
    assert seen[-1].done
    assert seen[-1].valid_actions == ()


def test_probing_shows_the_utilities_of_the_rule_in_force():
    env, _ = started()
    episode, drift = env._episode, env._episode.slot.drift
    gap = np.abs(case_utilities(episode, episode.before) - case_utilities(episode, episode.after)).max(axis=1)
    values = episode.cases[int(gap.argmax())].tolist()
    action = f"probe {json.dumps(dict(zip(episode.ranges.names, values, strict=True)))}"
    shown = {}
    for batch in range(1, 13):
        shown[batch] = env.step(action).text.splitlines()[1]
        info = env.clone().step(action).info
        assert info["drifted"] == (batch >= drift)
        assert info["window"] == batch
        env.step("next")
        env.step("submit a0 a0 a0 a0 a0")
    before, after = {shown[b] for b in shown if b < drift}, {shown[b] for b in shown if b >= drift}
    assert len(before) == len(after) == 1
    assert before != after


def test_a_stationary_episode_is_the_same_without_the_drift():
    usual, still = make(ENV), make(ENV, setting="stationary")
    one, other = played(usual, careless), played(still, careless)
    drift = usual._episode.slot.drift
    assert [obs.text for obs in one[1 : 2 * drift - 1]] == [obs.text for obs in other[1 : 2 * drift - 1]]
    cases = [obs.text for obs in one if obs.info["kind"] == "next"]
    assert cases == [obs.text for obs in other if obs.info["kind"] == "next"]
    assert one[-1].score != other[-1].score
    assert [obs.asides[0].id for obs in one if obs.asides] == ["before", "end"]
    assert [obs.asides[0].id for obs in other if obs.asides] == ["end"]
    assert other[-1].info["episode"]["drift"] is None


def test_assessments_come_just_before_the_drift_and_at_the_end():
    env, _ = started()
    seen = played(env, best)
    asked = {obs.asides[0].id: at for at, obs in enumerate(seen) if obs.asides}
    drift = env._episode.slot.drift
    assert asked == {"before": 2 * (drift - 1), "end": 24}
    assert all('"factors"' in obs.asides[0].question for obs in seen if obs.asides)
    assert f"Exploration window {drift} of 12 is open" in seen[asked["before"]].text
    env.answer("before", '{"factors": {"bureau_score": "-"}}')
    env.answer("end", "no idea")
    assert env.assessments == {"before": {"bureau_score": -1}, "end": None}
    with pytest.raises(EnvError, match="no assessment 'middle': use before or end"):
        env.answer("middle", "")


def test_while_a_batch_is_open_everything_is_repeated_and_later_withheld():
    env, _ = started()
    opened = env.step("next")
    cases = opened.text.splitlines()[1:]
    assert len(cases) == 5
    again = [env.step(action) for action in ("calc 2 * 21", "submit a9", "calc 1 / 3")]
    for obs in (opened, *again):
        assert obs.retained == "[Batch 1 was open here; it is not kept.]"
        assert all(case in obs.text for case in cases)
    assert "Calculated so far: 2 * 21 = 42; 1 / 3 = 0.3333333333" in again[-1].text
    closed = env.step("submit a0 a1 a2 a3 a0")
    assert closed.retained is None
    assert not any(case in closed.text for case in cases)
    assert not any(action in closed.text for action in ("a0", "a1", "a2", "a3"))
    assert "Calculated" not in env.step("next").text


def test_given_evidence_is_kept():
    env, _ = started(setting="evidence_given")
    assert all(obs.retained is None for obs in played(env, careless))


def test_five_errors_in_a_row_close_a_window():
    env, _ = started()
    for number in range(1, 5):
        assert "Batch" not in env.step("what?").text, number
    forced = env.step("what?")
    assert forced.text.startswith("This cannot be used: 'what?' is not an action")
    assert "the window was closed by default" in forced.text
    assert "Batch 1 of 12 is open" in forced.text
    assert forced.info["kind"] == "next"
    assert forced.info["forced"] is True
    assert not forced.accepted


def test_five_errors_in_a_row_complete_a_batch_with_what_is_usable():
    env, _ = started()
    env.step("next")
    for _ in range(4):
        env.step("submit a1")
    forced = env.step("submit a3 nonsense A2 a1")
    assert forced.info["actions"] == [3, 0, 2, 1, 0]
    assert forced.info["forced"] == [0, 1, 0, 0, 1]
    assert "completed by default" in forced.text
    assert "Exploration window 2 of 12 is open" in forced.text
    assert env._state.errors == 0


def test_a_usable_action_ends_a_row_of_errors():
    env, _ = started()
    for _ in range(3):
        for _ in range(4):
            assert env.step("what?").info["kind"] == "error"
        assert env.step("calc 1").accepted
    assert not env._state.open


def test_errors_in_every_turn_still_end_the_episode():
    env, obs = started()
    steps = 0
    while not obs.done:
        obs = env.step("?")
        steps += 1
    assert steps == 12 * 2 * 5
    assert obs.score == pytest.approx(env.finish().score)


def test_forced_probing_asks_for_four_different_cases():
    env, opening = started(setting="forced_probe")
    assert "probes of at least 4 different cases" in opening.text
    assert "next" not in opening.valid_actions
    name = env._episode.fields[0].name
    low = env._episode.fields[0].low
    same = f"probe {json.dumps([case_of(env)] * 4)}"
    assert env.step(same).accepted
    refused = env.step("next")
    assert "there are 1 so far; expected probe" in refused.text
    legal = [case_of(env), *[case_of(env, **{name: low + step}) for step in (0, 1, 2)]]
    assert env.step(f"probe {json.dumps(legal)}").accepted
    assert env.step("next").accepted
    assert played(make(ENV, setting="forced_probe"), best)[-1].score == 100


def test_leaving_counts_unanswered_cases_as_nothing():
    env, _ = started()
    for _ in range(3):
        env.step(env.best_action())
        env.step(env.best_action())
    left = env.finish()
    assert left.done
    assert left.score == pytest.approx(100 * 15 / 60)
    assert left.info["unanswered"] == 45
    assert "45 cases unanswered" in left.text
    assert left.asides[0].id == "end"
    assert env.finish().score == left.score
    assert not env.step("next").accepted


@pytest.mark.parametrize("setting", ["default", "stationary", "evidence_given", "forced_probe"])
def test_the_solution_scores_exactly_one_hundred(setting):
    env = make(ENV, setting=setting)
    obs = env.reset(3)
    for action in env.solution(3):
        obs = env.step(action)
    assert obs.done
    assert obs.score == 100.0
    assert env.reference(3).value == 100.0


def test_a_uniform_choice_has_an_expectation_of_zero_in_every_case():
    env = make(ENV)
    obs = played(env, best)
    rows = np.array([row for o in obs if o.info["kind"] == "submit" for row in o.info["utilities"]])
    mean, top = rows.mean(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
    assert np.abs((100 * (rows - mean) / (top - mean)).mean(axis=1)).max() < 1e-12
    assert ((rows >= top - 1e-12).sum(axis=1) == 1).mean() > 0.9


def test_clones_go_on_alike_and_apart():
    env, _ = started()
    env.step("next")
    twin = env.clone()
    state = copy.deepcopy(env._state)
    twin.step("submit a0 a0 a0 a0 a0")
    assert env._state == state
    assert env.step("submit a0 a0 a0 a0 a0") == make_closed()


def make_closed():
    env, _ = started()
    env.step("next")
    return env.step("submit a0 a0 a0 a0 a0")


def test_mixed_plays_the_tasks_evaluation_episodes_once_each():
    env = make(ENV)
    seen = []
    for episode in range(1, 17):
        env.reset(episode)
        seen.append(env._episode.slot)
    assert len({slot.index for slot in seen}) == 16
    assert sorted(slot.index for slot in seen) != [slot.index for slot in seen]
    assert tuple(seen) == order("finance", "credit-line", 1, "eval")
    with pytest.raises(EnvError, match=r"episode 17 .*'mixed' has 16"):
        env.reset(17)


def test_same_family_changes_everything_else():
    env = make(ENV, stream="same_family", family="disjunctive")
    drawn = []
    for episode in (1, 2, 3):
        env.reset(episode)
        drawn.append(env._episode)
    assert {one.slot.family for one in drawn} == {"disjunctive"}
    assert len({json.dumps(to_data(one)["cases"]) for one in drawn}) == 3
    default = make(ENV, stream="same_family")
    default.reset(1)
    assert default._episode.slot.family == order("finance", "credit-line", 1, "eval")[0].family


def test_same_rule_changes_the_cases_alone():
    env, mixed = make(ENV, stream="same_rule"), make(ENV)
    mixed.reset(1)
    env.reset(1)
    assert env._episode is mixed._episode
    first = env._episode
    env.reset(20)
    assert (env._episode.before, env._episode.after) == (first.before, first.after)
    assert not np.array_equal(env._episode.cases, first.cases)


def test_control_repeats_the_first_episode():
    control = make(ENV, episode_mode="control")
    assert control.reset(9) == make(ENV).reset(1)


def test_episodes_can_come_from_a_file(tmp_path):
    env = make(ENV, seed=5)
    env.reset(1)
    episode, file = env._episode, tmp_path / "episodes.jsonl"
    with file.open("w", encoding="utf-8") as out:
        write_episodes([episode], out)
    from_file = make(ENV, file=str(file))
    assert from_file.reset(1) == env.reset(1)
    with pytest.raises(EnvError, match="has 1"):
        from_file.reset(2)
    with pytest.raises(EnvError, match="holds no episode of healthcare/sepsis-ward"):
        make("adaexplore/healthcare/sepsis-ward", file=str(file)).reset(1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"setting": "easy"}, "setting 'easy' is unknown: use one of default"),
        ({"stream": "all"}, "stream 'all' is unknown"),
        ({"split": "test"}, "split 'test' is unknown"),
        ({"family": "additive"}, "family 'additive' with stream 'mixed'"),
        ({"stream": "same_family", "family": "magic"}, "family 'magic'"),
        ({"seed": "x"}, "seed 'x' is not an integer"),
    ],
)
def test_unknown_options_are_named(options, said):
    with pytest.raises(EnvError, match=said):
        make(ENV, **options).reset(1)


def test_using_it_wrongly_is_said_plainly():
    with pytest.raises(EnvError, match="has not been started"):
        make(ENV).step("next")
    env, _ = started()
    with pytest.raises(TypeError, match="an action is a string"):
        env.step(3)


def test_random_actions_are_uniform():
    env, _ = started()
    env.step("next")
    rng = random.Random(1)
    drawn = " ".join(env.random_action(rng) for _ in range(800)).split()
    shares = [drawn.count(action) / 4000 for action in ("a0", "a1", "a2", "a3")]
    assert shares == pytest.approx([0.25] * 4, abs=0.03)


# --- assessments as text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"factors": {"a": "+", "b": "-"}}', {"a": 1, "b": -1}),
        ('I think so.\n```json\n{"factors": {"a": "positive"}}\n```\nDone.', {"a": 1}),
        ('{"factors": [{"field": "a", "direction": "-1"}, {"name": "b", "sign": 1}]}', {"a": -1, "b": 1}),
        ('{"factors": ["a", "b"]}', {"a": 0, "b": 0}),
        ('{"factors": {"a": {"direction": "decreasing"}}}', {"a": -1}),
        ('{"factors": {}}', {}),
        ('{"factors": {"a": "sideways"}}', {"a": 0}),
        ('first {"factors": {"a": "+"}}, no: {"factors": {"b": "-"}}', {"b": -1}),
        ('<think>{"factors": {"a": "+"}}</think>{"factors": {"b": "−"}}', {"b": -1}),
        ('{"x": {"y": 1}} {"factors": {"a": "+"}} {broken', {"a": 1}),
        ('{"factors": "a"}', None),
        ('{"factors": [7]}', None),
        ("a and b", None),
        ("", None),
        (None, None),
        ("{" * 5000, None),
        ('{"factors": ' + "[" * 50_000, None),
    ],
)
def test_answers_are_read_kindly(reply, found):
    assert read_assessment(reply) == found


def test_what_is_written_is_read():
    assert read_assessment(write_assessment({"a": 1, "b": -1})) == {"a": 1, "b": -1}
