"""The rules of Lost and Found: what is drawn, who hears what, what a decision is worth."""

import hashlib
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.lost_and_found.data import (
    ARCHETYPES,
    ASSOCIATE,
    BIOGRAPHIES,
    CLAIMANTS,
    FINDER,
    FIRST_NAMES,
    MIMIC,
    OPENINGS,
    OWNER,
    ROLES,
    TOPICS,
)
from evoplay.envs.learn2play.lost_and_found.rules import Shift, answer, context_of, draw_cases, full_knowledge_line

ENV = "learn2play/lost_and_found"


def ask(who, topic, mode="publicly"):
    return f"interview {who} about {topic} {mode}"


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
        assert obs.accepted, obs.text
    return obs


def people(env):
    return {role: env.shift.case.claimant(role) for role in ROLES}


def test_the_sizes_that_the_draws_depend_on():
    assert list(ARCHETYPES) == [
        "camera_case", "backpack", "thermos", "plush_toy", "notebook", "headphone_case", "umbrella_sleeve",
        "card_wallet", "lunch_bag", "console_pouch",
    ]  # fmt: skip
    for archetype in ARCHETYPES.values():
        assert [len(part) for part in archetype] == [3, 3, 3, 3, 2, 2, 2]
    assert (len(set(FIRST_NAMES)), len(set(BIOGRAPHIES))) == (40, 20)
    assert OPENINGS == {OWNER: 4, FINDER: 3, ASSOCIATE: 3, MIMIC: 4}


def test_facts_of_a_kind_of_item_cannot_be_taken_for_one_another():
    for archetype in ARCHETYPES.values():
        texts = [part for bundle in archetype.bundles for part in bundle]
        texts += [*archetype.scenes, *archetype.orders, *(text for _, text in archetype.relevant + archetype.decoys)]
        assert len(set(texts)) == len(texts)


def test_contexts():
    assert context_of("the felt was glued in because it rattled") == "because it rattled"
    kinds = Counter(context_of(b.purpose).split()[0] for kind in ARCHETYPES.values() for b in kind.bundles)
    assert kinds == {"because": 10, "something": 10, "it": 10}


def test_cases_differ_by_seed_and_episode_and_repeat():
    assert draw_cases(1, 1) == draw_cases(1, 1)
    assert len({draw_cases(seed, episode)[0].order for seed in (1, 2) for episode in (1, 2)}) == 4


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(-10, 10**9), episode=st.integers(1, 50))
def test_the_full_information_line_takes_every_proof(seed, episode):
    cases = draw_cases(seed, episode)
    env = make(ENV, seed)
    env.reset(episode)
    for action in full_knowledge_line(cases):
        assert action in env.valid()
        obs = env.step(action)
    assert (obs.score, obs.done, env.shift.turn) == (1000, True, 18)
    assert [decision.points for decision in env.shift.decisions] == [331] * 3
    unclamped = 100 + 3 * 331 + round(0.45 * env.shift.trust) + 3 * env.shift.privacy + 5 * env.shift.checks
    assert unclamped == 1144


def test_the_list_is_ordered_by_digest(env):
    assert len(env.valid()) == 39
    for _ in range(2):
        number = len(env.shift.decisions)
        keys = [
            hashlib.sha256(f"lost_and_found:actions:1:1:{number}:{action}".encode()).digest() for action in env.valid()
        ]
        assert keys == sorted(keys)
        play(env, "store item")


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), draws=st.randoms(use_true_random=False))
def test_listed_play_never_lists_more_than_39(seed, draws):
    env = make(ENV, seed)
    obs = env.reset(1)
    while not obs.done:
        assert len(obs.valid_actions) <= 39
        assert 0 <= env.shift.trust <= 100
        obs = env.step(draws.choice([action for action in obs.valid_actions if action != "close_office"]))
    assert 0 <= obs.score <= 1000
    assert obs.valid_actions == ("status",)


def test_an_unlisted_private_question_can_make_the_list_longer(env):
    play(env, ask("claimant_a", "last_use", "privately"))
    assert len(env.valid()) == 40


def test_who_answers_what():
    case = draw_cases(1, 1)[0]
    assert answer(case, OWNER, "recovery_scene", {}) == ("", "unsure")
    assert answer(case, FINDER, "recovery_scene", {}) == ("recovery", "scene")
    assert answer(case, FINDER, "relationship", {}) == ("", "unsure")
    assert answer(case, ASSOCIATE, "last_use", {}) == ("last_use", "context")
    assert answer(case, ASSOCIATE, "concealed_detail", {}) == ("", "unsure")
    detail = ("shallow", "known") if case.was_open else ("", "unsure")
    assert answer(case, FINDER, "concealed_detail", {}) == detail


def test_the_mimic_repeats_what_it_heard_last():
    case = draw_cases(1, 1)[0]
    heard = {"concealed": (3, 2), "shallow": (3, 1), "timeline": (4, 3), "finder_timeline": (5, 4)}
    assert answer(case, MIMIC, "concealed_detail", heard) == ("concealed", "heard")
    assert answer(case, MIMIC, "last_use", heard) == ("finder_timeline", "heard")
    assert answer(case, MIMIC, "relationship", heard) == ("", "unsure")


def test_public_answers_reach_the_mimic_and_private_ones_do_not(env):
    who = people(env)
    play(env, ask(who[OWNER], "relationship", "privately"), ask(who[MIMIC], "relationship"))
    assert env.shift.desk.interviews[-1].fact == ""
    play(env, ask(who[OWNER], "relationship"), ask(who[MIMIC], "relationship", "privately"))
    assert env.shift.desk.interviews[-1].fact == "relationship"


def test_an_isolated_mimic_hears_nothing_and_is_not_told_later(env):
    who = people(env)
    play(env, f"isolate {who[MIMIC]}", "open item publicly", ask(who[MIMIC], "concealed_detail"))
    assert env.shift.desk.interviews[-1].fact == ""
    play(env, "release isolated claimant", ask(who[MIMIC], "concealed_detail", "privately"))
    assert env.shift.desk.interviews[-1].fact == ""
    assert set(env.shift.desk.first_public) == {"shallow", "concealed"}


def test_isolating_the_isolated_is_charged_again(env):
    play(env, "isolate claimant_a", "isolate claimant_a")
    assert (env.shift.isolation, env.shift.trust, env.shift.desk.isolated) == (1, 98, "claimant_a")
    play(env, "isolate claimant_b")
    assert env.shift.desk.isolated == "claimant_b"
    assert not env.step("isolate claimant_c").accepted
    play(env, "store item")
    assert env.shift.desk.isolated == ""


@pytest.mark.parametrize(
    ("before", "parts"),
    [
        (("look", "detail", "relationship", "timeline", "check"), (True, True, True)),
        (("detail", "relationship", "timeline", "look", "check"), (True, True, True)),
        (("detail", "open"), (True, False, False)),
        (("open", "detail"), (False, False, False)),
        (("detail", "relationship", "timeline"), (False, True, False)),
        (("last_use", "check"), (False, False, False)),
        (("public timeline", "public timeline", "check"), (False, False, True)),
    ],
)
def test_proofs(env, before, parts):
    who, case = people(env), env.shift.case
    forms = {
        "look": "inspect item privately",
        "open": "open item publicly",
        "detail": ask(who[OWNER], "concealed_detail", "privately"),
        "relationship": ask(who[OWNER], "relationship"),
        "timeline": ask(who[OWNER], "loss_timeline"),
        "public timeline": ask(who[OWNER], "loss_timeline"),
        "last_use": ask(who[OWNER], "last_use", "privately"),
        "check": f"check {case.relevant[0]}",
    }
    play(env, *(forms[step] for step in before))
    assert env.shift.parts() == parts
    play(env, f"return item to {who[OWNER]}")
    assert env.shift.decisions[0].parts == parts


@pytest.mark.parametrize(("turns", "bonus"), [(1, 24), (5, 24), (6, 21), (12, 3), (13, 0), (20, 0)])
def test_speed(env, turns, bonus):
    owner = people(env)[OWNER]
    other = next(claimant for claimant in CLAIMANTS if claimant != owner)
    play(env, *[ask(other, "concealed_detail")] * (turns - 1), f"return item to {owner}")
    assert env.shift.decisions[0].points == 180 + bonus


def test_decisions_and_trust(env):
    play(env, f"return item to {people(env)[FINDER]}")
    assert (env.shift.trust, env.shift.decisions[0].points) == (82, -220)
    play(env, "store item")
    assert (env.shift.trust, env.shift.decisions[1].points) == (79, -45)
    play(env, f"return item to {people(env)[OWNER]}")
    assert env.shift.trust == 83


def test_settlement_by_force():
    for leave in (lambda env: env.step("close office"), lambda env: env.finish()):
        env = make(ENV)
        env.reset(1)
        obs = leave(env)
        assert (obs.score, obs.done, env.shift.turn) == (0, True, 0)
        assert [decision.points for decision in env.shift.decisions] == [-65] * 3


def test_a_decision_at_the_last_turn_counts(env):
    play(env, "store item", "store item", *[ask("claimant_a", "relationship")] * 21)
    assert env.shift.turn == 23
    obs = play(env, f"return item to {people(env)[OWNER]}")
    assert [decision.result for decision in env.shift.decisions] == ["stored", "stored", "correct"]
    assert obs.done


def test_rounding_is_to_even():
    shift = Shift(draw_cases(1, 1))
    shift.trust, shift.privacy, shift.checks = 90, 0, 0
    assert shift.score() == 140


@pytest.mark.parametrize(
    "action",
    ["check a b", "interview claimant_a about relationship", "isolate claimant_e", "return item to", "RETURN  item",
     "interview  claimant_a about relationship publicly", "close  office", ""],
)  # fmt: skip
def test_malformed_commands_are_unknown(env, action):
    before = env.step("status").text
    obs = env.step(action)
    assert not obs.accepted
    assert "knows no such action" in obs.text
    assert env.step("status").text == before


def test_case_and_outer_blanks_do_not_matter(env):
    play(env, "  INSPECT Item privately ", "Interview CLAIMANT_A about Relationship Publicly")
    assert env.shift.turn == 2


def test_all_topics_occur_as_echo_topics():
    topics = Counter(case.echo_topic for episode in range(1, 30) for case in draw_cases(1, episode))
    assert set(topics) == set(TOPICS)


def test_random_play_is_the_same_again():
    def final():
        env, rng = make(ENV), random.Random(3)
        obs = env.reset(2)
        while not obs.done:
            obs = env.step(rng.choice(obs.valid_actions))
        return obs

    assert final() == final()
