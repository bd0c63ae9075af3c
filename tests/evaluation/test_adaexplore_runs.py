"""AdaExplore through the one loop: every method plays it, and what is masked stays out of every later prompt."""

import json
import random
import re

import pytest

from evoplay.envs import make
from evoplay.evaluation.api import run
from evoplay.evaluation.resources import rules_of
from evoplay.methods.backbones.base import CallFailed
from evoplay.methods.backbones.policy import open_policy
from evoplay.methods.controls import Told
from evoplay.methods.memory import Memory
from evoplay.methods.naive import Naive
from tests.scripted import ScriptedBackbone

from .trials import play

ENV = "adaexplore/cybersecurity/login-risk"
METHODS = (
    "naive", "memory", "retrieval", "reflexion", "expel", "awm", "reasoningbank", "evotest", "evidence", "placebo",
    "told", "best-episode",
)  # fmt: skip


class Talker:
    """Probes in odd windows, answers batches at random, and gives away in its reasons what it saw and chose."""

    def __init__(self):
        self.rng = random.Random(5)
        self.number = 0

    def __call__(self, messages, purpose):
        text = messages[-1].content
        if purpose == "aside":
            return '{"factors": {"secret_aside": "+"}}'
        if purpose != "act":
            return "nothing"
        self.number += 1
        in_batch = text.rfind("is open. Choose an action") > text.rfind("Exploration window")
        if in_batch:
            open_cases = re.findall(r"case \d: (\{.*\})", text[text.rfind("is open. Choose an action") :])
            if self.rng.random() < 0.2:
                return "Reason: let me see.\nAction: calc 6.5 * 7.25"
            chosen = " ".join(self.rng.choice(("a0", "a1", "a2", "a3")) for _ in range(5))
            return f"Reason: telltale {self.number} {open_cases[0]} {chosen}.\nAction: submit {chosen}"
        example = re.findall(r"- (probe \{.*\})  \(", text)
        if example and self.rng.random() < 0.4:
            case = json.loads(example[-1].removeprefix("probe "))
            case["password_age" if "password_age" in case else next(iter(case))] = 100 + self.number % 50
            return f"Action: probe {json.dumps(case)}"
        return "Action: next"


def history_of(prompt):
    """A prompt without its last part: the actions to choose from are no history."""
    return prompt.partition("Actions to choose from:")[0]


def check_masking(records, calls, carries):
    """No prompt shows a case, reply or choice of a closed batch; probes, utilities and sums stay.

    `calls` are (episode, step, prompt) of the calls for an action; `carries`: earlier episodes stand in prompts too.
    """
    checked = 0
    for episode, step, prompt in calls:
        history = history_of(prompt)
        assert "telltale" not in prompt
        assert "secret_aside" not in prompt
        past = [one for record in records for one in record.steps if (record.episode, one.step) < (episode, step)]
        for one in past:
            if one.action.startswith("submit"):
                assert one.retained is not None
                assert f"> {one.action}" not in history
                assert not any(case in history for case in re.findall(r"case \d: (\{.*\})", one.observation))
                checked += 1
            if carries or one.episode == episode:
                if one.info["kind"] == "probe":
                    assert all(line in history for line in one.outcome.splitlines() if "->" in line)
                if one.info["kind"] == "submit":
                    assert one.outcome.splitlines()[0] in history
    return checked


@pytest.mark.parametrize("method", [Naive, Memory])
def test_masked_history_holds_no_case_reply_or_choice(method):
    backbone = ScriptedBackbone(Talker())
    records, events = play(make(ENV), method(), backbone, episodes=2)
    assert all(record.error is None for record in records)
    asked = [event for event in events if event["type"] == "call" and event["purpose"] == "act"]
    prompts = [call.text for call in backbone.calls if call.purpose == "act"]
    calls = [(event["episode"], event["step"], prompt) for event, prompt in zip(asked, prompts, strict=True)]
    assert check_masking(records, calls, carries=method is Memory) > 100
    assert any(step.info["kind"] == "probe" for record in records for step in record.steps)
    assert any(step.action.startswith("calc") and step.retained for record in records for step in record.steps)


def test_given_evidence_stays_in_the_history():
    backbone = ScriptedBackbone(Talker())
    records, _ = play(make(ENV, setting="evidence_given"), Naive(), backbone, episodes=1)
    last = history_of(backbone.calls[-2].text)
    submitted = [step for step in records[0].steps if step.action.startswith("submit")]
    assert len(submitted) == 12
    for step in submitted[:-1]:
        assert f"> {step.action}" in last
        assert all(case in last for case in re.findall(r"case \d: (\{.*\})", step.observation))


def test_the_simulated_learner_sees_no_masked_step(tmp_path):
    found = run(
        env=ENV, method="memory", backbone="sim/learner", episodes=2, trials=1, out=str(tmp_path / "r"), quiet=True
    )
    cell = found.cells[0]
    records = found.episodes_of(cell)
    calls = found.calls
    acts = calls[calls["purpose"] == "act"]
    prompts = found.prompts_of(cell)
    for row in acts.itertuples():
        history = history_of(prompts[row.n])
        for record in records:
            for step in record.steps:
                if (record.episode, step.step) < (row.episode, row.step) and step.retained is not None:
                    assert f"> {step.action}" not in history
                    for case in re.findall(r"case \d: (\{.*\})", step.observation):
                        assert case not in history or _still_open(records, row, case)


def _still_open(records, row, case):
    """The present batch repeats its own cases after an error or a calculation."""
    now = next((step for step in records[row.episode - 1].steps if step.step == row.step), None)
    return now is not None and case in now.observation


def test_every_method_plays_it(tmp_path):
    found = run(
        env=ENV, method=list(METHODS), backbone="sim/learner", episodes=2, trials=1, max_steps=14,
        out=str(tmp_path / "r"), quiet=True,
    )  # fmt: skip
    episodes = found.episodes
    assert set(episodes["contender"]) == set(METHODS)
    assert len(episodes) == 2 * len(METHODS)
    assert episodes["error"].isna().all()
    assert episodes["capped"].all()


def test_told_knows_what_is_true_of_every_rule():
    backbone = ScriptedBackbone(lambda messages, purpose: "Action: next" if purpose == "act" else "{}")
    play(make(ENV), Told(rules_of(ENV)), backbone, episodes=1, max_steps=3)
    assert "exactly one factor is replaced" in backbone.calls[0].text


def test_a_policy_that_the_environment_does_not_have_says_so():
    with pytest.raises(CallFailed, match="learn2play/gemforge has no reference agent 'oracle'"):
        play(make("learn2play/gemforge"), Naive(), open_policy("oracle").for_trial(), episodes=1)


def test_the_oracle_through_the_loop_scores_one_hundred():
    records, _ = play(make(ENV, setting="forced_probe"), Naive(), open_policy("oracle").for_trial(), episodes=2)
    assert [record.score for record in records] == [100.0, 100.0]
    assert [[aside.id for aside in record.asides] for record in records] == [["before", "end"]] * 2
