"""The tests of evidence can fail: each of these small departures from the description makes one of them do so."""

from functools import partial

import pytest

from evoplay.evaluation.loop import MethodBroke
from evoplay.memory import belief
from evoplay.methods import evidence, evidence_prompt
from evoplay.methods.evidence import Evidence
from tests.memory import test_belief

from . import test_evidence as tests


def never_reopened(outcomes):
    seen = list(outcomes)
    supports = sum(seen)
    against = len(seen) - supports
    if len(seen) >= belief.ENOUGH and belief.mean(supports, against) < belief.DOUBTFUL:
        return "retracted"
    return "established" if supports >= belief.ENOUGH else "hypothesis"


def trusts_the_model(claim):
    return None


MUTANTS = {
    "two failures are enough": ((belief, "ENOUGH", 2), partial(test_belief.test_the_status_after, "--", "hypothesis")),
    "sure too early": ((belief, "SURE", 0.75), partial(test_belief.test_the_status_after, "-++++++", "hypothesis")),
    "retracted too early": (
        (belief, "DOUBTFUL", 0.5),
        tests.test_a_reversed_rule_is_reopened_at_once_and_retracted_by_the_sixth_contradiction,
    ),
    "a contradiction does not reopen": (
        (evidence, "status_of", never_reopened),
        tests.test_a_planted_false_rule_is_shown_once_and_dropped_within_the_count,
    ),
    "one failure is enough": (
        (evidence, "status_of", lambda outcomes: "established" if list(outcomes)[-1:] == [True] else "hypothesis"),
        tests.test_one_failure_never_becomes_a_ban,
    ),
    "no direct check": (
        (evidence, "check_of", trusts_the_model),
        tests.test_a_checkable_claim_is_counted_over_the_whole_record_and_not_as_the_model_says,
    ),
    "instances are all alike": (
        (evidence, "instance_of", lambda opening: "same"),
        tests.test_instance_claims_are_set_aside_and_come_back_with_their_instance,
    ),
    "every episode counts for an instance claim": (
        (Evidence, "_belongs", lambda self, claim, episode: True),
        tests.test_what_contradicts_an_instance_claim_elsewhere_does_not_count_against_it,
    ),
    "never proposed as a rule": (
        (Evidence, "_confirm_elsewhere", lambda self, claim, shown, against: None),
        tests.test_an_instance_claim_confirmed_in_two_instances_is_proposed_as_a_rule,
    ),
    "not set aside early": (
        (Evidence, "observe", lambda self, step: None),
        tests.test_a_contradiction_early_in_an_episode_sets_an_instance_claim_aside,
    ),
    "the budget is not kept": (
        (evidence, "claims_block", lambda claims, store, room: evidence_prompt.claims_block(claims, store, None)),
        tests.test_claims_are_packed_into_their_share_of_the_budget_rules_first,
    ),
    "exploration to the end": (
        (Evidence, "_exploring", lambda self: self.explore),
        tests.test_exploration_takes_its_share_of_the_steps_and_falls_to_nothing,
    ),
    "the latest episode in full": (
        (evidence_prompt, "_short_step", lambda step: evidence_prompt.step_block(step).text),
        tests.test_one_trial,
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_departure_is_found(name, monkeypatch):
    (where, what, instead), test = MUTANTS[name]
    test()
    monkeypatch.setattr(where, what, instead)
    with pytest.raises((AssertionError, ValueError, MethodBroke)):
        test()
