"""evidence against its description: claims, counting, status, instances, prompts, exploration."""

import json
from dataclasses import replace

import pytest

from evoplay.memory.checks import check_of
from evoplay.memory.claims import Claim, Statement
from evoplay.methods.base import MethodError, Task, View
from evoplay.methods.evidence import Evidence
from evoplay.methods.evidence_prompt import least_known
from evoplay.methods.instances import instance_of

from .levers import Levers, Player, Trialled, asked, said

NOTHING = said(claims="[]")


def proposal(statement="Pulling pays.", **told):
    return {"statement": statement, "condition": "always", "action": "", "effect": "", "steps": []} | told


def proposing(*proposals):
    return said(claims=json.dumps(proposals))


def marking(*marks):
    return said(marks=json.dumps(marks))


def trial(plans, claim, judge=(), episodes=None, options=None, **settings):
    """One trial; episodes without an answer of their own propose nothing."""
    episodes = episodes or max(plans)
    player = Player(plans, claim=[*claim, *[NOTHING] * (episodes - len(claim))], judge=judge)
    return Trialled(Evidence(**({"explore": 0} | (options or {}))), player, episodes, **settings)


def one(played, name="c001"):
    return played.store.get(name)


def ids(played, *places):
    return tuple(f"{played.services.cell}/e{episode:02d}/s{step:03d}" for episode, step in places)


EARNING = proposal("Earning 2 pays 2.", action="earn 2", effect="score +2", steps=["e01/s001"])


# --- one trial, written by hand ---------------------------------------------------------------------------------


def test_one_trial():
    plans = {
        1: ["earn 2", "stop"],
        2: ["go cellar", "earn 2", "earn 2", "stop"],
        3: ["lose 1", "stop"],
    }
    cellar = proposal("The cellar is safe.", steps=["e02/s001"])
    judged = [marking({"claim": "c002", "supports": ["e02/s001"], "contradicts": []}), marking()]
    played = trial(plans, [proposing(EARNING), proposing(cellar)], judge=judged)
    first, second, third = played.player.calls("claim")
    assert asked(first)["known_claims"] == "none yet"
    assert asked(first)["transcript"] == (
        "=== Episode 1 of 3 ===\n| A hall with levers.\n"
        "\nstep e01/s001\n> earn 2\n| A lever moves (earn 2).\n[score 2 (+2)]\n"
        "\nstep e01/s002\n> stop\n| The end.\n[score 2]\n[end of episode, final score 2]"
    )
    # The new steps were counted before the model is asked for more.
    assert asked(second)["known_claims"] == (
        "rule, established: [c001] Earning 2 pays 2. (3 for, 0 against: e01/s001, e02/s002, e02/s003) "
        "condition: always; action: earn 2; effect: score +2"
    )
    # Only what cannot be checked without a model is judged by one.
    assert len(played.player.calls("judge")) == 2
    assert asked(played.player.calls("judge")[0])["known_claims"] == (
        "rule, hypothesis: [c002] The cellar is safe. (1 for, 0 against: e02/s001) condition: always"
    )
    assert one(played).supports == ids(played, (1, 1), (2, 2), (2, 3))
    assert one(played).status == "established"
    assert one(played, "c002").supports == ids(played, (2, 1))
    assert played.player.prompt(1).startswith("=== Episode 1 of 3 ===\n")
    assert played.player.prompt(2).startswith(
        "What the record of this game shows. For and against count steps; their ids (e01/s003: episode 1, step 3) "
        "follow.\n"
        "Guesses, not rules; test them where it costs little:\n"
        "- [c001] Earning 2 pays 2. (1 for, 0 against: e01/s001). To test it: `earn 2` (always)\n"
        "Steps behind them:\n"
        "\ne01/s001 (c001):\n> earn 2\n| A lever moves (earn 2).\n[score 2 (+2)]\n"
        "\n=== Episode 1 of 3 ===\n| A hall with levers.\n\n> earn 2\n"
    )
    assert played.player.prompt(3).startswith(
        "What the record of this game shows. For and against count steps; their ids (e01/s003: episode 1, step 3) "
        "follow.\n"
        "Established rules:\n"
        "- [c001] Earning 2 pays 2. (3 for, 0 against: e01/s001, e02/s002, e02/s003)\n"
        "Guesses, not rules; test them where it costs little:\n"
        "- [c002] The cellar is safe. (1 for, 0 against: e02/s001)\n"
        "Steps behind them:\n"
        "\ne02/s003 (c001):\n> earn 2\n| A lever moves (earn 2).\n[score 4 (+2)]\n"
        "\ne02/s001 (c002):\n> go cellar\n| You are in the cellar.\n[score 0]\n"
        "\n=== Episode 2 of 3 ===\n"
    )
    # The best episode in full, the latest, where it is another, in short.
    fourth = trial({**plans, 4: ["stop"]}, []).player.prompt(4)
    assert fourth.index("=== Episode 2 of 4 ===") < fourth.index("=== Episode 3 of 4 ===")
    assert "=== Episode 1 of 4 ===" not in fourth
    assert "=== Episode 3 of 4 ===\n| A hall with levers.\n> lose 1\n[score -1 (-1)]\n> stop\n[end" in fourth
    assert len(third.messages) == 2


def test_calls_stay_within_their_row():
    played = trial(
        {1: ["stop"], 2: ["stop"], 3: ["stop"]},
        [proposing(proposal(steps=["e01/s001"]), EARNING), NOTHING, NOTHING],
        judge=[marking(), marking(), marking()],
    )
    for episode in (1, 2, 3):
        made = [c for c in played.player.backbone.calls if c.purpose != "act" and f"/e{episode:02d}/" in c.where]
        assert [call.purpose for call in made] == ["claim", "judge"]
    checked = trial({1: ["earn 2", "stop"], 2: ["stop"]}, [proposing(EARNING)])
    assert [call.purpose for call in checked.player.backbone.calls if call.purpose != "act"] == ["claim", "claim"]


# --- counting ---------------------------------------------------------------------------------------------------


def test_one_failure_never_becomes_a_ban():
    ban = proposal("Never lose 1.", action="lose 1", effect="score down", steps=["e01/s001"])
    other = proposal("Losing is bad.", steps=["e01/s001", "e01/s001", "1", "step 1", "s001"])
    played = trial({1: ["lose 1", "stop"], 2: ["stop"], 3: ["stop"]}, [proposing(ban, other)], judge=[marking()] * 3)
    assert [one(played, name).counts for name in ("c001", "c002")] == [(1, 0), (1, 0)]
    assert {claim.status for claim in played.store.claims()} == {"hypothesis"}
    assert "Established rules" not in played.player.prompt(3)
    assert played.method.rules() == []


def test_a_reversed_rule_is_reopened_at_once_and_retracted_by_the_sixth_contradiction():
    plans = {1: ["earn 2"] * 3 + ["stop"], 2: ["earn 2", "stop"], 3: ["earn 2"] * 4 + ["stop"], 4: ["earn 2", "stop"]}

    class Reversed(Levers):
        def step(self, action):
            if action == "earn 2" and self.episode > 1:
                return self.look("The lever is dead.")
            return super().step(action)

    played = trial(plans, [proposing(EARNING)], env=Reversed())
    history = [(e["episode"], e["op"], e.get("status")) for e in played.events if e["type"] == "claim"]
    assert history == [
        (1, "claim", "hypothesis"), (1, "mark", "established"),
        (2, "contradict", None), (2, "mark", "hypothesis"),
        (3, "contradict", None),
        (4, "contradict", None), (4, "retract", "retracted"),
    ]  # fmt: skip
    assert one(played).counts == (3, 6)
    assert "Established rules:\n- [c001]" in played.player.prompt(2)
    assert "Guesses, not rules; test them where it costs little:\n- [c001]" in played.player.prompt(3)
    assert "(3 for, 5 against:" in played.player.prompt(4)


def test_a_retracted_claim_is_not_taken_again_and_the_model_is_told():
    plans = {1: ["lose 1"] * 3 + ["stop"], 2: ["stop"]}
    wrong = proposal("Losing pays.", action="lose 1", effect="score up", steps=["e01/s001"])
    right = proposal("Losing costs.", action="lose *", effect="score -1", steps=["e01/s001"])
    played = trial(plans, [proposing(wrong, right), proposing(right)])
    assert [claim.text for claim in played.store.claims()] == ["Losing costs."]
    assert [e["message"] for e in played.events if e["type"] == "refused"] == [
        "no step of the record shows 'Losing pays.' as its condition and effect say it"
    ]
    three = {1: ["earn 1", "lose 1", "stop"], 2: ["lose 1"] * 4 + ["stop"], 3: ["stop"]}

    class Turned(Levers):
        def step(self, action):
            return super().step("earn 1" if action == "lose 1" and self.episode == 1 else action)

    played = trial(three, [proposing(wrong | {"steps": ["e01/s002"]}), NOTHING, proposing(wrong)], env=Turned())
    assert one(played).status == "retracted"
    assert one(played).counts == (1, 4)
    assert "retracted: [c001] Losing pays." in asked(played.player.calls("claim")[2])["known_claims"]
    assert [e["message"] for e in played.events if e["type"] == "refused"] == [
        "c001 'Losing pays.' was retracted: it is not taken again"
    ]


def test_a_checkable_claim_is_counted_over_the_whole_record_and_not_as_the_model_says():
    plans = {1: ["earn 2", "earn 1", "stop"], 2: ["earn 2", "lose 1", "stop"]}
    early = proposal("Earning 2 pays 2.", action="earn 2", effect="score +2", steps=["e02/s002"])
    played = trial(plans, [NOTHING, proposing(early)])
    assert one(played).supports == ids(played, (1, 1), (2, 1))


def test_a_claim_worded_anew_starts_from_the_steps_that_show_the_new_words():
    plans = {1: ["earn 2", "earn 1", "stop"], 2: ["earn 1", "stop"]}
    first = proposal("Levers pay.", steps=["e01/s001", "e01/s002"])
    better = proposal("Earning 1 pays 1.", rewords="[c001]", action="earn 1", effect="score +1", steps=["e02/s001"])
    played = trial(plans, [proposing(first), proposing(better)], judge=[marking()] * 2)
    trail = played.store.trail("c001")
    assert (trail.claim.text, trail.claim.supports) == ("Earning 1 pays 1.", ids(played, (1, 2), (2, 1)))
    assert [(old.text, old.supports) for old in trail.earlier] == [("Levers pay.", ids(played, (1, 1), (1, 2)))]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"steps": ["e07/s001"]}, "there is no step cell/e07/s001 in the record"),
        ({"steps": ["other/e01/s001"]}, "belongs to another trial"),
        ({"steps": ["the first one"]}, "is no id"),
        ({"steps": []}, "has no evidence"),
        ({"statement": " ", "steps": ["1"]}, "without words"),
        ({"steps": ["1"], "rewords": "c042"}, "there is no claim c042"),
    ],
)
def test_what_the_record_does_not_carry_is_refused_alone(told, why):
    played = trial({1: ["earn 2", "stop"]}, [proposing(proposal(**told), EARNING)])
    assert [claim.text for claim in played.store.claims()] == ["Earning 2 pays 2."]
    (event,) = [event for event in played.events if event["type"] == "refused"]
    assert why in event["message"]


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ({"claim": "c009", "supports": ["e02/s001"]}, "'c009' is none of the claims"),
        ({"claim": "c001", "supports": ["e01/s002"]}, "is no step of the episode"),
        ({"claim": "c001", "supports": ["9"]}, "is no step of the episode"),
        ({"claim": "c001", "supports": ["1"], "contradicts": ["e02/s001"]}, "both for and against"),
    ],
)
def test_marks_of_what_is_not_there_are_refused_alone(mark, why):
    played = trial(
        {1: ["earn 2", "stop"], 2: ["earn 2", "stop"]},
        [proposing(proposal(steps=["1"]), proposal("Stopping ends it.", steps=["2"]))],
        judge=[marking(), marking(mark, {"claim": "c002", "supports": ["e02/s002"]})],
    )
    assert [one(played, name).counts for name in ("c001", "c002")] == [(1, 0), (2, 0)]
    (event,) = [event for event in played.events if event["type"] == "refused"]
    assert why in event["message"]


# --- instances --------------------------------------------------------------------------------------------------


def test_an_opening_without_its_round_number_tells_instances_apart():
    assert instance_of("Round 1\nA red hall") == instance_of("round 12\nA  red hall")
    assert instance_of("Episode 3 of 10: dawn") == instance_of("Episode 4 of 10: dawn")
    assert instance_of("第 3 轮，大厅") == instance_of("第 4 轮，大厅")
    assert instance_of("Room 1 is dark") != instance_of("Room 2 is dark")


RED, BLUE = "A red hall. Round {}.", "A blue hall. Round {}."
HERE = proposal("Here earning 2 pays 2.", scope="instance", action="earn 2", effect="score +2", steps=["1"])


def openings(*colours):
    return Levers(openings={at: colour.format(at) for at, colour in enumerate(colours, start=1)})


def test_instance_claims_are_set_aside_and_come_back_with_their_instance():
    plans = {1: ["earn 2"] * 3 + ["stop"], 2: ["stop"], 3: ["earn 2", "stop"]}
    played = trial(plans, [proposing(HERE)], env=openings(RED, BLUE, RED))
    assert "Here earning 2" not in played.player.prompt(2).partition("=== Episode")[0]
    assert "Established rules:\n- [c001] Here earning 2 pays 2." in played.player.prompt(3)
    marks = [(e["episode"], e["status"]) for e in played.events if e["type"] == "claim" and e["op"] == "mark"]
    assert marks == [(1, "established"), (2, "aside"), (3, "established")]
    assert one(played).counts == (4, 0)


def test_what_contradicts_an_instance_claim_elsewhere_does_not_count_against_it():
    class Only(Levers):
        def step(self, action):
            return super().step("earn 1" if action == "earn 2" and self.episode == 2 else action)

    env = Only(openings={1: "Red.", 2: "Blue.", 3: "Red."})
    played = trial({1: ["earn 2", "stop"], 2: ["earn 2"] * 5 + ["stop"], 3: ["stop"]}, [proposing(HERE)], env=env)
    assert (one(played).counts, one(played).status, one(played).scope) == ((1, 0), "hypothesis", "instance")


def test_an_instance_claim_confirmed_in_two_instances_is_proposed_as_a_rule():
    played = trial({1: ["earn 2", "stop"], 2: ["earn 2", "stop"]}, [proposing(HERE)], env=openings(RED, BLUE))
    claim = one(played)
    assert (claim.scope, claim.status, claim.supports) == ("rule", "hypothesis", ids(played, (1, 1), (2, 1)))
    assert [old.scope for old in claim.earlier] == ["instance"]
    judged = trial(
        {1: ["earn 2", "stop"], 2: ["earn 2", "stop"]},
        [proposing(proposal(scope="instance", steps=["1"]))],
        judge=[marking(), marking({"claim": "c001", "supports": ["e02/s001"]})],
        env=openings(RED, BLUE),
    )
    assert (one(judged).scope, one(judged).counts) == ("rule", (2, 0))


def test_a_contradiction_early_in_an_episode_sets_an_instance_claim_aside():
    class Changed(Levers):
        def step(self, action):
            return super().step("earn 1" if action == "earn 2" and self.episode == 2 else action)

    plans = {1: ["earn 2"] * 3 + ["stop"], 2: ["earn 2", "go hall", "stop"], 3: ["stop"]}
    played = trial(plans, [proposing(HERE)], env=Changed())
    assert "- [c001]" in played.player.prompt(2, step=1)
    assert "- [c001]" not in played.player.prompt(2, step=2)
    # The opening is the same, so it comes back, with the contradiction counted.
    assert "Guesses, not rules; test them where it costs little:\n- [c001]" in played.player.prompt(3)
    assert one(played).counts == (3, 1)
    late = trial(plans, [proposing(HERE)], env=Changed(), options={"early": 0})
    assert "- [c001]" in late.player.prompt(2, step=2)


# --- prompts ----------------------------------------------------------------------------------------------------


def test_claims_are_packed_into_their_share_of_the_budget_rules_first():
    plans = {1: ["earn 2"] * 3 + [f"earn {n}" for n in range(3, 12)] + ["stop"], 2: ["stop"]}
    many = [
        proposal(f"Earning {n} pays {n}.", action=f"earn {n}", effect=f"score +{n}", steps=["1"]) for n in range(3, 12)
    ]
    tight = trial(
        plans, [proposing(*many[:8], EARNING)], options={"max_new": 9}, env=None, budget_tokens=900
    ).player.prompt(2)
    wide = trial(plans, [proposing(*many[:8], EARNING)], options={"max_new": 9}).player.prompt(2)
    assert "Earning 2 pays 2." in tight
    assert tight.count("- [c0") < wide.count("- [c0") == 9
    assert tight.index("Earning 2 pays 2.") < tight.index("Earning 3 pays 3.")


def test_every_shown_claim_carries_its_counts_and_step_ids():
    plans = {1: ["earn 2"] * 8 + ["stop"], 2: ["stop"]}
    prompt = trial(plans, [proposing(EARNING)]).player.prompt(2)
    assert "(8 for, 0 against: e01/s004, e01/s005, e01/s006, e01/s007, e01/s008 and 3 more)" in prompt


# --- exploration ------------------------------------------------------------------------------------------------


def hints(played, episode, steps):
    return [
        prompt.partition("about the action `")[2].partition("`")[0]
        for prompt in (played.player.prompt(episode, step) for step in range(1, steps + 1))
    ]


def test_exploration_takes_its_share_of_the_steps_and_falls_to_nothing():
    plan = ["go hall"] * 10
    played = trial({1: plan, 2: plan, 3: plan}, [], options={"explore": 0.4}, max_steps=10)
    assert [step for step, hint in enumerate(hints(played, 1, 10), start=1) if hint] == [3, 5, 8, 10]
    assert [step for step, hint in enumerate(hints(played, 2, 10), start=1) if hint] == [5, 10]
    assert not any(hints(played, 3, 10))


def test_the_action_least_tried_in_the_situation_is_suggested():
    plan = ["go hall", "earn 1", "go hall", "go hall", "go hall", "stop"]
    played = trial({1: plan, 2: ["stop"]}, [], options={"explore": 1}, max_steps=6)
    assert hints(played, 1, 6) == ["go hall", "earn 1", "stop", "stop", "stop", "stop"]
    # `stop` has ended an episode by now, so what it does is known.
    again = trial({1: plan, 2: ["go hall"] * 6, 3: ["stop"]}, [], options={"explore": 1}, max_steps=6)
    assert "stop" not in hints(again, 2, 6)


@pytest.mark.parametrize(("about", "counts", "suggested"), [("a", (9, 0), "b"), ("a", (0, 0), "a"), ("b", (1, 1), "a")])
def test_of_actions_tried_alike_the_one_under_the_least_certain_claim_is_suggested(about, counts, suggested):
    claim = Claim("t/c001", "rule", "So.", action=about, effect="no change")
    claim = replace(claim, supports=tuple(map(str, range(counts[0]))), contradicts=tuple("xyz"[: counts[1]]))
    view = View(Task("", 1, 2, 0), (), "A hall.", ("a", "b"), 0, 1, 9)
    assert least_known(view, (), [(claim, check_of(claim))]) == suggested


@pytest.mark.parametrize("told", [{"explore": 1.5}, {"explore": "much"}, {"max_new": 0}, {"share": -1}, {"early": 0.5}])
def test_options_out_of_range_are_named(told):
    with pytest.raises(MethodError, match=f"evidence: {next(iter(told))}="):
        Evidence(**told)


# --- resuming, freezing, planting -------------------------------------------------------------------------------


PLANS = {n: ["earn 2", "go hall", "earn 2", "stop"] for n in range(1, 6)}


@pytest.mark.parametrize("at", range(1, 5))
def test_a_trial_goes_on_where_its_log_ends(at):
    claims = [proposing(EARNING), NOTHING, proposing(HERE | {"statement": "Odd."}), NOTHING, NOTHING]
    env = openings(RED, BLUE, RED, RED, BLUE)
    whole = trial(PLANS, claims, env=env, options={"explore": 0.5})
    closed = [n for n, event in enumerate(whole.events) if event["type"] == "episode_closed"]
    player = Player(PLANS, claim=claims[at:])
    again = Trialled(Evidence(explore=0.5), player, 5, events=whole.events[: closed[at - 1] + 1], env=env)
    assert again.store.claims() == whole.store.claims()
    assert again.method.state() == whole.method.state()
    for episode in range(at + 1, 6):
        assert player.prompt(episode, 3) == whole.player.prompt(episode, 3)


def test_a_frozen_memory_sets_instance_claims_aside_and_changes_nothing():
    plans = {1: ["earn 2"] * 3 + ["stop"], 2: ["earn 2", "stop"], 3: ["earn 2", "stop"]}
    played = trial(plans, [proposing(HERE)], env=openings(RED, BLUE, RED), freeze_after=1)
    assert "Here earning 2" not in played.player.prompt(2).partition("=== Episode")[0]
    assert "Established rules:\n- [c001]" in played.player.prompt(3)
    assert {event["episode"] for event in played.events if event["type"] == "claim"} == {1}
    assert len(played.player.calls("claim")) == 1


FALSE = Statement("Earning 1 costs dearly: never do it.", action="earn 1", effect="score down")


def test_a_planted_false_rule_is_shown_once_and_dropped_within_the_count():
    plan = ["earn 1", "earn 1", "stop"]
    played = trial(dict.fromkeys(range(1, 7), plan), [], episodes=6, plant=FALSE)
    shown = [bool("never do it" in played.player.prompt(n).partition("Guesses")[0]) for n in range(1, 7)]
    assert shown == [False, False, True, False, False, False]
    assert "never do it" in played.player.prompt(4)
    # Two contradictions an episode: the sixth comes in episode 5.
    assert one(played).counts == (3, 6)
    assert [(e["episode"], e["op"]) for e in played.events if e["type"] == "claim"][-1] == (5, "retract")
    assert "never do it" not in played.player.prompt(6)
    told = [(e["episode"], e["shown"], e["held"]) for e in played.events if e["type"] == "rules"]
    assert told[1:4] == [(2, [], ["cell/c001"]), (3, ["cell/c001"], []), (4, [], [])]


def test_a_planted_rule_that_is_never_tested_stays():
    played = trial({n: ["go hall", "stop"] for n in range(1, 6)}, [], episodes=5, plant=FALSE)
    assert "Established rules:\n- [c001]" in played.player.prompt(5)
