"""SynergyCorp: what its texts reveal and keep, its arithmetic, and instances worked out by hand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.synergycorp import (
    ACTIONS,
    END,
    LAST_TURN,
    MODALITIES,
    MODALITY,
    NARRATION,
    NEWCOMER,
    RANKS,
    REMARKS,
    SEEN,
    TRAITS,
    Standing,
    best_line,
    change,
    choose_salt,
    draw_boss,
    draw_grammar,
    partial_credit,
    reaction,
    respond,
    usual_score,
)

ENV = "learn2play/synergycorp"
HIDDEN = (*MODALITIES, "multiplier", "taboo", "combo", "streak", "prize", "demerit", "signal", "decoy")


def boss_facts(text):
    """Number, name, traits in order, approval and threshold, read from a boss's presentation."""
    number, name, rest = re.search(r"Boss (\d+): ([^.]+)\. (.*)", text).groups()
    seen = sorted((rest.index(sentence), trait) for trait, sentence in SEEN.items() if sentence in rest)
    approval, threshold = re.search(r"Approval: (-?\d+\.\d) / (\d+)", text).groups()
    return int(number), name, tuple(trait for _, trait in seen), float(approval), int(threshold)


def delta_facts(text):
    """Change (None: wiped), approval, threshold and bosses won, read from the last line of a turn."""
    line = r"Approval (wiped out|[+-]\S+), now (-?\d+\.\d) / (\d+)\. Bosses won over: (\d+)\."
    shift, approval, threshold, promoted = re.search(line, text).groups()
    return None if shift == "wiped out" else float(shift), float(approval), int(threshold), int(promoted)


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def taboo_env():
    """A game whose first boss shows the taboo trait."""
    env = make(ENV)
    env.reset(1)
    env.boss = env.boss._replace(traits=(env.grammar.taboo_trait, *env.boss.traits[1:]))
    return env


# --- texts ------------------------------------------------------------------------------------------------------


def test_the_opening_tells_the_first_boss_and_the_actions_only(env):
    obs = env.reset(1)
    assert boss_facts(obs.text) == (1, env.boss.name, env.boss.traits, 0.0, env.boss.threshold)
    assert all(f"{number}. {action}" in obs.text for number, action in enumerate(ACTIONS, start=1))
    assert "Win over as many as you can within 30 turns" in obs.text
    for word in (*HIDDEN, "status", END, "Score"):
        assert word not in obs.text
    assert obs.visible_score is None


@pytest.mark.parametrize("action", ACTIONS)
def test_every_turn_is_narrated_graded_and_measured(env, action):
    text = env.step(action).text
    assert text.startswith(NARRATION[action].format(name=env.boss.name))
    delta, approval, threshold, promoted = delta_facts(text)
    assert approval == round(env.standing.approval, 1) == delta
    assert reaction(delta) in text
    assert (threshold, promoted) == (env.boss.threshold, 0)
    assert not any(word in text.lower() for word in (*HIDDEN, "score"))


def test_reactions_have_five_grades():
    grades = [reaction(delta) for delta in (25, 10, 9.9, 5, 4.9, 0.7, -0.7, -4, -4.1, -10)]
    assert [grades.index(text) for text in grades] == [0, 0, 2, 2, 4, 4, 6, 6, 8, 8]


def test_taboo_wipes_approval_and_says_no_number():
    env = taboo_env()
    text = env.step(env.grammar.taboo_action).text
    assert "Personnel" in text
    assert delta_facts(text) == (None, 0.0, env.boss.threshold, 0)
    assert "8" not in text.replace(str(env.boss.threshold), "")
    assert not any(word in text.lower() for word in HIDDEN)
    assert not any(reaction(delta) in text for delta in (12, 6, 1, -1, -9))


def test_drift_is_one_sentence_and_hides_where_to():
    texts = set()
    for turns_to in ("verbal", "visual"):
        env = make(ENV)
        env.reset(1)
        env.boss = env.boss._replace(preference="diligent", drift=turns_to, threshold=24, traits=TRAITS[:3])
        texts.add(play(env, "overtime", "submit_report").text)
        assert env.standing.drifted
    assert len(texts) == 1
    assert "has changed" in texts.pop()


def test_promotion_shows_reaction_prize_and_the_next_boss(env):
    line = env.solution(1)
    first = env.boss
    for action in line:
        text = env.step(action).text
        if env.promoted:
            break
    assert f"{first.name} is won over" in text
    assert f"{first.prize} points" in text
    assert any(reaction(delta) in text for delta in (12, 6, 1))
    assert boss_facts(text) == (2, env.boss.name, env.boss.traits, 0.0, env.boss.threshold)
    assert "now" not in text.split("\n", 1)[1]


def test_the_last_turn_tells_the_ending_and_not_the_next_boss(env):
    obs = play(env, *env.solution(1))
    assert obs.done
    assert "Boss " not in obs.text
    promoted = int(re.search(r"Bosses won over: (\d+)", obs.text).group(1))
    assert promoted == env.promoted
    assert RANKS[min(promoted, 11)] in obs.text
    assert next(remark for least, remark in REMARKS if promoted >= least) in obs.text
    assert f"Final score: {env.points()}" in obs.text
    assert "Demerits" not in obs.text
    assert obs.visible_score == obs.score == 137


def test_the_ending_names_demerits_when_there_are_some():
    env = taboo_env()
    text = play(env, *[env.grammar.taboo_action] * LAST_TURN).text
    assert f"Demerits on file: {env.demerits}" in text
    assert "Final score: 0" in text


def test_status_shows_the_score_without_its_parts(env):
    play(env, *env.solution(1)[:7])
    assert env.step("overtime").visible_score is None
    obs = env.step("status")
    assert f"Turn 8 / 30 | Bosses won over: {env.promoted} | Score: {obs.score}" in obs.text
    assert obs.visible_score == obs.score
    approval = round(env.standing.approval, 1)
    assert boss_facts(obs.text) == (env.promoted + 1, env.boss.name, env.boss.traits, approval, env.boss.threshold)
    assert all(action in obs.text for action in ACTIONS)
    assert env.step("nonsense").visible_score == obs.score


@pytest.mark.parametrize("word", [END, "done", "END", " end_game ", "quit_game"])
def test_ending_it_tells_the_score_without_a_panel(env, word):
    obs = play(env, *env.solution(1)[:5], word)
    assert obs.done
    assert f"Final score: {obs.score}" in obs.text
    assert "title" not in obs.text
    after = env.step("status")
    assert "over" in after.text
    assert not re.search(r"\d", after.text)
    assert (after.done, after.accepted, after.valid_actions) == (True, False, ())


def test_refusals_list_the_eight_actions_and_cost_nothing(env):
    for text in ("dance", "9", "", "OVERTIME!"):
        obs = env.step(text)
        assert not obs.accepted
        assert all(action in obs.text for action in ACTIONS)
        assert END not in obs.text
    assert env.turns == 0


def test_numbers_and_names_are_the_same_action(env):
    other = make(ENV)
    other.reset(1)
    for number, action in enumerate(ACTIONS, start=1):
        assert env.step(f" {number} ") == other.step(action.upper())


def test_the_foreign_word_has_a_gloss(env):
    assert env.reset(1).glosses == {END: "end the game now"}


def test_bosses_that_differ_only_in_what_they_love_read_the_same():
    texts = set()
    for preference in MODALITIES:
        env = make(ENV)
        env.reset(1)
        env.boss = env.boss._replace(preference=preference)
        texts.add(env.step("status").text)
    assert len(texts) == 1


# --- rules ------------------------------------------------------------------------------------------------------


def test_the_official_grammar():
    grammar = draw_grammar(2)
    assert grammar.signals == {
        "diligent": ("fish_tank", "lozenges"),
        "verbal": ("goji_thermos", "dual_monitors"),
        "visual": ("english_mix", "overtime_selfie"),
        "predatory": ("lunch_gym", "marathon_medal"),
    }
    assert grammar.decoys == ("figurines", "golf_clubs", "tidy_desk", "family_photo")
    assert [[grammar.factors[love][kind] for kind in MODALITIES] for love in MODALITIES] == [
        [2.0, 0.6, -1.2, -1.8],
        [-1.2, 2.0, -1.8, 0.6],
        [0.6, -1.2, 2.0, -1.8],
        [-1.2, -1.8, 0.6, 2.0],
    ]
    assert (grammar.taboo_trait, grammar.taboo_action) == ("overtime_selfie", "buzzwords")
    assert grammar.combo == ("steal_lunch", "buzzwords")
    bosses = [draw_boss(grammar, 2, choose_salt(2, 1), number) for number in range(6)]
    assert [(boss.preference, boss.threshold) for boss in bosses] == [
        ("predatory", 22), ("visual", 25), ("predatory", 28), ("diligent", 28), ("visual", 31), ("visual", 32),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seed", "episode", "salt"), [(7, 1, "0c5"), (11, 1, "0c62"), (2, 13, "12c32"), (1, 3, "2c36")]
)
def test_salts(seed, episode, salt):
    assert choose_salt(seed, episode) == salt


def test_the_usual_score_of_a_seed():
    assert (usual_score(7), usual_score(11)) == (139, 125)


@pytest.mark.parametrize("seed", [2, 7])
def test_the_solver_finds_what_a_plain_enumeration_finds(seed):
    """Against a dynamic program over whole states, on the first six turns of a stream."""
    grammar = draw_grammar(seed)
    bosses = [draw_boss(grammar, seed, choose_salt(seed, 1), number) for number in range(10)]
    layer = {(0, NEWCOMER): 0}
    for _ in range(6):
        following = {}
        for (number, standing), value in layer.items():
            for action in ACTIONS:
                turn = respond(grammar, bosses[number], standing, action)
                after = turn.standing._replace(
                    approval=round(turn.standing.approval, 1), streak=min(3, turn.standing.streak)
                )
                key = (number + 1, NEWCOMER) if turn.won else (number, after)
                new = value + (bosses[number].prize if turn.won else 0) - (8 if turn.delta is None else 0)
                following[key] = max(following.get(key, -999), new)
        layer = following
    plain = max(value + partial_credit(bosses[number], at.approval) for (number, at), value in layer.items())
    assert best_line(grammar, bosses.__getitem__, turns=6)[0] == plain


@given(st.sampled_from(MODALITIES), st.sampled_from(ACTIONS), st.integers(1, 9))
def test_repeating_weakens_whatever_the_sign(loved, action, streak):
    grammar = draw_grammar(2)
    first, again = change(grammar, loved, action, 1, False), change(grammar, loved, action, streak, False)
    assert abs(again) <= abs(first)
    assert again * first > 0
    assert again == change(grammar, loved, action, streak, True) or again > 0


@given(st.sampled_from(ACTIONS), st.floats(-50, 20), st.integers(1, 4))
def test_taboo_counts_for_the_streak(previous, approval, streak):
    grammar = draw_grammar(2)
    boss = draw_boss(grammar, 2, "0c1", 0)._replace(traits=(grammar.taboo_trait,))
    turn = respond(grammar, boss, Standing(approval, previous, streak), grammar.taboo_action)
    assert turn.delta is None
    assert turn.standing.approval == 0.0
    assert turn.standing.streak == (streak + 1 if previous == grammar.taboo_action else 1)


def test_prizes_and_credit_round_half_to_even():
    grammar = draw_grammar(2)
    bosses = [draw_boss(grammar, 2, "0c1", number) for number in range(24)]
    assert all(boss.prize == round(boss.threshold / 2) for boss in bosses)
    boss = bosses[0]._replace(threshold=21, prize=10)
    assert [partial_credit(boss, approval) for approval in (-5, 0, 10.5, 21, 99)] == [0, 0, 2, 5, 5]


def test_modalities_pair_the_actions():
    assert all(sum(MODALITY[action] == kind for action in ACTIONS) == 2 for kind in MODALITIES)
