"""The one loop: what reaches the backbone, what is recorded, what a failure costs."""

import re

import pytest

from evoplay.envs import make
from evoplay.evaluation.history import read_history
from evoplay.evaluation.loop import MethodBroke
from evoplay.evaluation.recorded import calls_with_messages
from evoplay.methods.backbones.base import Backbone, CallFailed, Completion
from evoplay.methods.backbones.policy import open_policy
from evoplay.methods.base import Context, Method
from evoplay.methods.memory import Memory
from evoplay.methods.naive import Naive
from tests.scripted import ScriptedBackbone

from .trials import play
from .windows import Cards


def guess(messages, purpose):
    """Names the card when it stands in the prompt; says blue to every question."""
    if purpose in ("aside", "reflect"):
        return "blue"
    return f"I see it.\nAction: say {re.findall(r'card says ([0-9])', messages[-1].content)[-1]}"


def test_episodes_are_played_in_order_and_settled():
    records, events = play(Cards(), Naive(), ScriptedBackbone(guess))
    assert [(record.episode, record.score, len(record.steps)) for record in records] == [
        (1, 3, 3),
        (2, 3, 3),
        (3, 3, 3),
    ]
    kinds = [
        event["type"] for event in events if event["type"] in ("episode_started", "episode_finished", "episode_closed")
    ]
    assert kinds == ["episode_started", "episode_finished", "episode_closed"] * 3


def test_a_masked_step_is_seen_once_and_never_again():
    backbone = ScriptedBackbone(guess)
    play(Cards(), Memory(), backbone)
    for call in backbone.calls:
        text = call.messages[-1].content
        assert len(re.findall(r"card says", text)) == 1
        assert "> say" not in text
    assert backbone.calls[-1].messages[-1].content.count("withheld") == 8
    assert "That paid 1." in backbone.calls[-1].messages[-1].content


def test_the_log_keeps_what_prompts_no_longer_show():
    records, events = play(Cards(), Naive(), ScriptedBackbone(guess))
    assert records[0].steps[1].observation.startswith("That paid 1. The card says")
    assert records[0].steps[1].action.startswith("say ")
    again = read_history(events).past.episodes
    for record in (*records, *again):
        record.seconds = 0.0
        for step in record.steps:
            step.seconds = (0.0, 0.0)
    assert again == records


def test_asides_go_to_the_environment_and_never_into_later_prompts():
    env, backbone = Cards(), ScriptedBackbone(guess)
    records, events = play(env, Memory(), backbone, episodes=2)
    assert env.answers == [(1, "colour", "blue"), (2, "colour", "blue")]
    asked = [call for call in backbone.calls if call.purpose == "aside"]
    assert [call.messages[-1].content.count("Which colour") for call in asked] == [1, 1]
    others = [call for call in backbone.calls if call.purpose == "act"]
    assert not any(
        "colour" in message.content or "blue" in message.content for call in others for message in call.messages
    )
    assert [aside.reply for record in records for aside in record.asides] == ["blue", "blue"]
    assert [event["reply"] for event in events if event["type"] == "aside"] == ["blue", "blue"]


def test_a_failed_aside_is_recorded_and_not_answered():
    def fail_aside(messages, purpose):
        if purpose == "aside":
            raise CallFailed("too slow", kind="timeout", attempts=3)
        return guess(messages, purpose)

    env = Cards()
    records, events = play(env, Naive(), ScriptedBackbone(fail_aside), episodes=1)
    assert env.answers == []
    assert records[0].score == 3
    assert records[0].asides[0].reply is None
    assert [event["what"] for event in events if event["type"] == "error"] == ["aside"]


def test_the_cap_settles_an_episode():
    records, _ = play(Cards(), Naive(), ScriptedBackbone(lambda messages, purpose: "Action: peek"), episodes=1)
    assert (records[0].capped, len(records[0].steps), records[0].score) == (True, 12, 0)


def test_what_cannot_be_read_goes_back_once_then_to_the_environment_as_it_is():
    replies = iter(["First I wonder.\n\nThen I wonder more.", "Still\nwondering", *["Action: say 0"] * 20])
    backbone = ScriptedBackbone(lambda messages, purpose: "blue" if purpose == "aside" else next(replies))
    records, _ = play(Cards(), Naive(), backbone, episodes=1)
    first = records[0].steps[0]
    assert (first.action, first.accepted, first.reply) == ("Still\nwondering", False, "Still\nwondering")
    assert [call.purpose for call in backbone.calls][:3] == ["act", "repair", "act"]
    assert "Action:" in backbone.calls[1].messages[-1].content
    assert any("sent back once" in note for note in first.notes)


def test_a_repaired_reply_is_played():
    replies = iter(["First I wonder.\n\nThen I wonder more.", "Action: peek", *["Action: say 0"] * 20])
    backbone = ScriptedBackbone(lambda messages, purpose: "blue" if purpose == "aside" else next(replies))
    records, _ = play(Cards(), Naive(), backbone, episodes=1)
    assert (records[0].steps[0].action, records[0].steps[0].accepted) == ("peek", True)


def test_a_failed_call_fails_its_episode_and_the_next_one_is_played():
    def flaky(messages, purpose):
        if "Episode 2 of" in messages[-1].content and "step 2" in messages[-1].content:
            raise CallFailed("no answer", kind="timeout", attempts=5)
        return guess(messages, purpose)

    records, events = play(Cards(), Memory(), ScriptedBackbone(flaky))
    assert [record.score for record in records] == [3, None, 3]
    assert records[1].error == "timeout: no answer"
    assert [event["failed"] for event in events if event["type"] == "call" and "failed" in event] == ["timeout"]


def test_a_failure_that_every_call_would_share_stops_the_trial():
    def refused(messages, purpose):
        raise CallFailed("bad key", kind="auth", fatal=True)

    with pytest.raises(CallFailed, match="bad key"):
        play(Cards(), Naive(), ScriptedBackbone(refused))


class Learner(Method):
    """Counts what it is told, and calls the model at each end."""

    name = "learner"

    def __init__(self):
        self.known = []
        self.seen = 0

    def context(self, view):
        return Context()

    def observe(self, step):
        self.seen += 1

    def end_episode(self, episode):
        self.services.backbone.complete([], purpose="reflect", seed=0)
        self.known.append(episode.score)

    def state(self):
        return {"known": list(self.known)}

    def restore(self, state, episodes):
        self.known = list(state["known"])


def test_a_failed_memory_call_keeps_the_score_and_the_memory():
    def forget(messages, purpose):
        if purpose == "reflect":
            raise CallFailed("no answer", kind="server", attempts=5)
        return guess(messages, purpose)

    method = Learner()
    records, events = play(Cards(), method, ScriptedBackbone(forget))
    assert [record.score for record in records] == [3, 3, 3]
    assert method.known == []
    assert [event["what"] for event in events if event["type"] == "error"] == ["memory"] * 3
    assert [event["state"] for event in events if event["type"] == "episode_closed"] == [{"known": []}] * 3


def test_frozen_memory_is_read_only():
    method = Learner()
    records, events = play(Cards(), method, ScriptedBackbone(guess), freeze_after=1)
    assert len(records) == 3
    assert method.known == [3]
    assert method.seen == 3
    assert sum(event["type"] == "call" and event["purpose"] == "reflect" for event in events) == 1


def test_frozen_memory_stays_frozen_on_resuming():
    _, events = play(Cards(), Memory(), ScriptedBackbone(guess), episodes=2, freeze_after=1)
    method = Memory()
    play(Cards(), method, ScriptedBackbone(guess), past=read_history(events).past, freeze_after=1)
    assert [block.key for block in method.blocks] == ["episode 1"]


def test_a_hook_that_raises_is_named():
    class Broken(Method):
        name = "broken"

        def observe(self, step):
            raise KeyError("lost")

    with pytest.raises(MethodBroke, match="method 'broken' raised in observe: KeyError: 'lost'"):
        play(Cards(), Broken(), ScriptedBackbone(guess))


def test_a_trial_goes_on_where_its_log_ends():
    whole, _ = play(Cards(), Memory(), ScriptedBackbone(guess))
    _, events = play(Cards(), Memory(), ScriptedBackbone(guess), episodes=2)
    records, more = play(Cards(), Memory(), ScriptedBackbone(guess), past=read_history(events).past)
    assert [record.actions for record in records] == [record.actions for record in whole]
    assert [event["episode"] for event in more if event["type"] == "episode_started"] == [3]


def test_an_episode_that_was_not_taken_in_is_taken_in_first():
    _, events = play(Cards(), Learner(), ScriptedBackbone(guess), episodes=2)
    last = max(at for at, event in enumerate(events) if event["type"] == "episode_finished")
    method = Learner()
    play(Cards(), method, ScriptedBackbone(guess), past=read_history(events[: last + 1]).past)
    assert method.known == [3, 3, 3]


def test_logged_prompts_are_what_was_sent():
    backbone = ScriptedBackbone(guess)
    _, events = play(Cards(), Memory(), backbone)
    sent = [[(message.role, message.content) for message in call.messages] for call in backbone.calls]
    logged = [[(message.role, message.content) for message in messages] for _, messages in calls_with_messages(events)]
    assert logged == sent


def test_only_policies_are_bound_to_the_environment():
    class Watching(Backbone):
        name = "watching"
        bound = False

        def bind(self, env):
            self.bound = True

        def complete(self, messages, **how):
            return Completion("Action: peek")

    backbone = Watching()
    play(Cards(), Naive(), backbone, episodes=1)
    assert not backbone.bound
    policy = open_policy("solver")
    records, _ = play(Cards(), Naive(), policy)
    assert policy.env is not None
    assert [record.score for record in records] == [3, 3, 3]


def test_a_task_tells_nothing_of_the_environment():
    seen = []

    class Curious(Method):
        name = "curious"

        def begin_episode(self, task):
            seen.append(task)

        def context(self, view):
            seen.append(view)
            return Context()

    play(make("learn2play/gemforge"), Curious(), open_policy("random"), episodes=1, cell="abc")
    told = repr(seen)
    assert "gemforge" not in told.lower()
    assert "learn2play" not in told


def test_what_was_dropped_stays_dropped_on_resuming():
    def sent(backbone):
        return [call.messages[-1].content for call in backbone.calls]

    long = {"budget_tokens": 620, "episodes": 6}
    whole = ScriptedBackbone(lambda messages, purpose: "blue" if purpose == "aside" else "Action: peek")
    _, events = play(Cards(), Memory(), whole, **long)
    assert any(event["type"] == "drop" and event["parts"] == 0 for event in events)
    assert any(event["type"] == "drop" and event["parts"] > 0 for event in events)
    for episode in range(1, 6):
        end = next(at for at, e in enumerate(events) if e["type"] == "episode_closed" and e["episode"] == episode)
        rest = ScriptedBackbone(lambda messages, purpose: "blue" if purpose == "aside" else "Action: peek")
        play(Cards(), Memory(), rest, past=read_history(events[: end + 1]).past, **long)
        assert sent(rest) == sent(whole)[-len(sent(rest)) :]
