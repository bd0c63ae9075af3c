"""Catnip Singularity: its arithmetic, its draws, what a text is read as, and what the texts reveal and hide."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.catnip.data import CATS, ITEMS, LAST, TARGETS
from evoplay.envs.learn2play.catnip.prose import CLOSING, DESCRIPTIONS, ITEM_LINES, REWARD_TEXTS
from evoplay.envs.learn2play.catnip.rules import (
    choice_in,
    drowsiness,
    final_score,
    item_named,
    normalised,
    noticed,
    tier_of,
    wearied,
)
from evoplay.envs.learn2play.catnip.texts import (
    INFLUENCE,
    MATCHES,
    NERVES,
    RAISED,
    SUSPICION,
    TIERS,
    TONES,
    WARNINGS,
    count_word,
    tone,
)

ENV = "learn2play/catnip"
FIRST_GAME = [
    ("b", 0, 1, (0, 10, 72, 16), (7, 3, 3, 12)), ("knead", 1, 1, (12, 27, 63, 22), (7, 3, 3, 10)),
    ("knead", 2, 1, (25, 41, 54, 27), (7, 3, 3, 8)), ("look", 2, 1, (25, 41, 54, 27), (7, 3, 3, 8)),
    ("knead", 3, 1, (41, 54, 48, 33), (7, 3, 3, 6)), ("use kit", 4, 1, (54, 68, 43, 35), (8, 3, 3, 5)),
    ("stare", 5, 1, (56, 63, 54, 60), (8, 3, 3, 4)), ("use drink", 6, 1, (60, 60, 55, 65), (8, 3, 3, 13)),
    ("use drink", 7, 1, (59, 59, 57, 72), (8, 3, 3, 12)), ("scratch", 8, 1, (67, 54, 70, 96), (8, 3, 3, 10)),
    ("convert", 9, 1, (67, 54, 70, 96), (8, 3, 3, 9)), ("convert q", 9, 2, (0, -6, 30, 18), (8, 3, 3, 9)),
    ("convert b", 10, 2, (-2, -8, 34, 33), (8, 3, 3, 8)), ("purr", 11, 2, (11, 10, 24, 35), (8, 3, 3, 7)),
    ("use music-box", 12, 2, (10, 9, 26, 42), (8, 3, 3, 6)), ("purr", 13, 2, (20, 25, 17, 46), (8, 3, 3, 5)),
    ("purr", 14, 2, (30, 41, 6, 48), (8, 3, 3, 4)), ("knead", 15, 2, (38, 56, 0, 58), (8, 3, 3, 2)),
    ("knead", 16, 2, (42, 68, 0, 72), (8, 3, 3, 0)), ("play", 17, 2, (38, 78, 0, 86), (8, 3, 3, 0)),
    ("play", 18, 2, (35, 90, 0, 95), (8, 3, 3, 0)), ("stare", 19, 3, (0, -24, 80, 40), (8, 3, 3, 0)),
]  # fmt: skip
SECOND_GAME = [
    ("d", 0, 1, (0, 10, 72, 16), (5, 5, 7, 8)), ("use cloak", 1, 1, (11, 16, 66, 5), (5, 5, 8, 7)),
    ("stare", 2, 1, (18, 5, 74, 17), (5, 5, 8, 6)), ("convert", 3, 1, (18, 5, 74, 17), (5, 5, 8, 5)),
    ("c", 3, 2, (0, -6, 30, 18), (5, 8, 8, 5)), ("use energy", 4, 2, (5, -6, 33, 24), (5, 8, 8, 14)),
    ("knead", 5, 2, (11, 11, 26, 28), (5, 8, 8, 12)), ("knead", 6, 2, (18, 22, 19, 31), (5, 8, 8, 10)),
    ("knead", 7, 2, (26, 34, 13, 34), (5, 8, 8, 8)), ("purr", 8, 2, (37, 53, 1, 36), (5, 8, 8, 7)),
    ("scratch", 9, 2, (41, 46, 14, 48), (5, 8, 8, 5)), ("purr", 10, 2, (54, 65, 4, 49), (5, 8, 8, 4)),
    ("stare", 11, 2, (56, 56, 16, 61), (5, 8, 8, 3)), ("convert", 12, 2, (56, 56, 16, 61), (5, 8, 8, 2)),
    ("a", 12, 3, (0, -24, 80, 40), (5, 8, 8, 2)), ("xyz", 13, 3, (-1, -25, 83, 44), (5, 8, 8, 1)),
    ("use laser", 14, 3, (9, -20, 114, 47), (5, 8, 8, 0)),
]  # fmt: skip


def begun(cat="a", seed=1, **state):
    """A game with the cat chosen and the state set by hand."""
    env = make(ENV, seed)
    env.reset(1)
    env.step(cat)
    for name, value in state.items():
        setattr(env.state, name, value)
    return env


def at(target, **state):
    env = begun(target=target, **state)
    person = env.state.person
    for name in ("stress", "affection", "suspicion"):
        if name not in state:
            setattr(env.state, name, getattr(person, name))
    return env


def in_menu(target, tier):
    """A game with the reward menu of a person open at a tier."""
    env = at(target, influence=TARGETS[target].tiers[tier])
    return env, env.step("convert")


def block_facts(text):
    """The facts of a status block, read back."""
    turn = re.search(r"^Turn (\d+) of 20$", text, re.MULTILINE).group(1)
    stats = re.search(r"^Cuteness (\d+), menace (\d+), stealth (\d+), energy (\d+)$", text, re.MULTILINE).groups()
    held = re.search(r"^Supplies: (.*)$", text, re.MULTILINE)
    person, name = re.search(r"^Person (\d) of 6: ([A-Z ]+)\. ", text, re.MULTILINE).groups()
    readings = re.search(r"^Influence: (.*) \| Nerves: (.*) \| Suspicion: (.*)$", text, re.MULTILINE).groups()
    return {
        "turn": int(turn),
        "progress": int(re.search(r"^Catnip progress: (\d+)%$", text, re.MULTILINE).group(1)),
        "cat": re.search(r"^Cat: (.*)$", text, re.MULTILINE).group(1),
        "stats": tuple(map(int, stats)),
        "supplies": dict(re.findall(r"([A-Z]+ [A-Z]+) (\w+)", held.group(1))) if held else {},
        "person": (int(person), name),
        "levels": tuple(
            words.index(word) for words, word in zip((INFLUENCE, NERVES, SUSPICION), readings, strict=True)
        ),
    }


def below(value, limits):
    return sum(value >= limit for limit in limits)


def state_facts(env):
    s = env.state
    low = s.person.tiers[0]
    return {
        "turn": min(s.turn + 1, 20),
        "progress": s.progress,
        "cat": CATS[s.cat].label if s.cat else "none chosen yet",
        "stats": tuple(s.stats.values()),
        "supplies": {item: count_word(count) for item, count in s.items.items() if count},
        "person": (s.target + 1, s.person.name),
        "levels": (
            below(s.influence, (low // 2, *s.person.tiers)),
            below(s.stress, (10, 25, 40, 55, 75)),
            below(s.suspicion, (25, 50, 70)),
        ),
    }


def result(text):
    """The lines between the turn and the progress."""
    return text.split("\n", 1)[1].split("\nCatnip progress", 1)[0]


def warned(text):
    return [line[2:] for line in text.split("\n") if line.startswith("! ")]


# --- rules ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [FIRST_GAME, SECOND_GAME])
def test_known_games_of_seed_7(game):
    env = make(ENV, 7)
    env.reset(1)
    for action, turn, target, mood, stats in game:
        env.step(action)
        s = env.state
        assert (s.turn, s.target + 1) == (turn, target), action
        assert (s.influence, s.affection, s.stress, s.suspicion) == mood, action
        assert tuple(s.stats.values()) == stats, action


@given(delta=st.integers(-40, 60), stealth=st.integers(0, 30))
def test_suspicion(delta, stealth):
    got = noticed(delta, stealth)
    assert got == delta or delta > 0
    if delta > 0:
        assert (got == 0) == (stealth >= 14 or round(delta * (1 - 0.12 * (stealth - 5))) == 0)
        assert got >= delta or stealth > 5
    assert noticed(delta, stealth + 1) <= got


@given(gain=st.integers(-30, 40), energy=st.integers(0, 30))
def test_weariness(gain, energy):
    got = wearied(gain, energy)
    assert (got == gain) or (gain > 0 and energy < 4)
    assert gain <= 0 or wearied(gain, 0) <= got <= gain


@pytest.mark.parametrize(("stress", "lost"), [(0, 4), (9, 4), (10, 2), (21, 2), (22, 0), (120, 0)])
def test_drowsiness(stress, lost):
    assert drowsiness(stress) == lost


def test_ties_round_to_even_and_the_score_keeps_its_order_of_operations():
    assert wearied(5, 0) == 2
    assert wearied(15, 0) == 8
    assert final_score(25, 13) == 43
    assert final_score(228, 16) == 319
    assert final_score(100, 21) == 100


@given(text=st.text(max_size=40))
def test_any_text_is_taken(text):
    env = begun()
    assert isinstance(env.step(text).text, str)
    env, _ = in_menu(2, 1)
    assert isinstance(env.step(text).text, str)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("use music box", "MUSIC BOX"), ("use music-box", "MUSIC BOX"), ("salmon", "SALMON TREAT"),
        ("use energy", "ENERGY DRINK"), ("use shadow thing", "SHADOW CLOAK"), ("tuna essence", "ENERGY DRINK"),
        ("use -", None), ("use the drink", None), ("use xyz", None),
    ],
)  # fmt: skip
def test_item_names(text, item):
    assert item_named(text) == item


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("a", 0), ("convert b", 1), ("b please", 1), ("research notes", 0), ("i want c", None), ("don't b", None),
        ("convert_a", None), ("partnership", 1), ("x takeover", 0), ("emotional bond", 1), ("1", None), ("", None),
    ],
)  # fmt: skip
def test_choices(text, choice):
    assert choice_in(text, TARGETS[0]) == choice


def test_normalisation():
    assert normalised("  Use\t Salmon \n treat ") == "use salmon treat"
    assert normalised("\u2003PURR\u00a0 ") == "purr"


def test_a_look_lifts_the_punishment_of_a_repeat():
    env = begun(seed=7, cat="b")
    env.step("knead")
    straight, parted = env.clone(), env.clone()
    straight.step("knead")
    parted.step("look")
    parted.step("knead")
    assert parted.state.influence - 12 == 17
    assert straight.state.influence - 12 == round(17 * 0.75)


def test_every_episode_has_the_same_stream():
    env = make(ENV)
    seen = []
    for episode in (1, 4, 1):
        env.reset(episode)
        seen.append([env.step(action).text for action in ("e", "play", "purr", "stare")])
    assert seen[0] == seen[1] == seen[2]


def test_a_clone_draws_on_its_own():
    env = begun()
    twin = env.clone()
    for _ in range(3):
        twin.step("play")
    fresh = begun()
    assert [env.step("play") for _ in range(3)] == [fresh.step("play") for _ in range(3)]


def test_a_menu_opened_on_the_last_turn_may_be_answered():
    env = at(2, influence=40, turn=19)
    assert not env.step("convert").done
    obs = env.step("a")
    assert not obs.done
    assert obs.score == 36
    assert "Turn 20 of 20" in obs.text
    assert env.step("purr").done
    assert (env.state.turn, env.points()) == (21, 36)


def test_leaving_pays_no_bonus():
    env = at(1, progress=50, turn=3)
    assert env.finish().score == 50


def test_tiers():
    ceo = TARGETS[LAST]
    assert [tier_of(value, ceo) for value in (-5, 19, 20, 29, 30, 41, 42, 90)] == [-1, -1, 0, 0, 1, 1, 2, 2]


# --- the frame --------------------------------------------------------------------------------------------------


def test_the_opening():
    env = make(ENV)
    text = env.reset(1).text
    for fact in ("Mittens", "world of catnip", "won over", "raise your influence", "Turn 1 of 20", "Cuteness helps",
                 "Menace helps", "suspicion sooner", "Stealth lowers suspicion", "Energy helps you play"):  # fmt: skip
        assert fact in text
    for number, cat in enumerate(CATS.values()):
        assert f"{'ABCDE'[number]}. {cat.label}: " in text
    assert block_facts(text) == state_facts(env)
    for hidden in ("purr", "knead", "scratch", "stare", "threshold", "multipl", "free", "75%", "repeat"):
        assert hidden not in text.lower()
    assert "Mittens" not in env.step("nothing").text
    assert "Mittens" not in env.step("a").text


def test_the_first_phase():
    env = make(ENV)
    env.reset(1)
    for text, fact in (("status", "have to choose"), ("zebra", "from A to E"), ("", "from A to E")):
        obs = env.step(text)
        assert fact in obs.text
        assert "A. British Shorthair" in obs.text
        assert block_facts(obs.text) == state_facts(env)
        assert env.state.turn == 0


@pytest.mark.parametrize("key", CATS)
def test_choosing_a_cat(key):
    env = make(ENV)
    env.reset(1)
    text = env.step(CATS[key].aliases[0]).text
    assert not re.search(r"\d", result(text))
    assert "A. British Shorthair" not in text
    assert block_facts(text) == state_facts(env)
    assert block_facts(text)["cat"] == CATS[key].label
    assert (CATS[key].item in block_facts(text)["supplies"]) if CATS[key].item else True


@given(number=st.integers(0, 10**6))
def test_the_block_shows_the_state_and_no_more(number):
    rng = random.Random(number)
    env = begun(
        target=rng.randrange(6), influence=rng.randint(-10, 60), affection=rng.randint(-100, 100),
        stress=rng.randint(0, 120), suspicion=rng.randint(0, 99), progress=rng.randint(0, 200),
    )  # fmt: skip
    env.state.items = {item: rng.randint(0, 6) for item in ITEMS}
    text = env.step("look").text
    assert block_facts(text) == state_facts(env)
    env.state.affection = rng.randint(-100, 100)
    assert env.step("look").text == text


def test_counts_are_words():
    assert [count_word(count) for count in range(1, 7)] == ["1", "2", "few", "few", "many", "many"]


@pytest.mark.parametrize("person", TARGETS, ids=lambda person: person.id)
def test_descriptions_only_hint(person):
    text = DESCRIPTIONS[person.id].lower()
    assert not any(word in text for word in ("comfort", "chaos", "visual", "sound", "touch", "calming"))


# --- events -----------------------------------------------------------------------------------------------------


def test_tones():
    tones = [tone(change) for change in (30, 10, 9, 5, 4, 1, 0, -2, -3, -20)]
    assert [TONES.index(text) for text in tones] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    ("target", "action", "state", "notes"),
    [
        (0, "knead", {"affection": 11}, ["modality", "comfort"]),
        (0, "knead", {"affection": 12}, ["modality", "comfort", "fond"]),
        (0, "stare", {"stress": 71}, ["nerves"]),
        (0, "stare", {"stress": 70}, []),
        (2, "stare", {"stress": 71}, ["modality", "chaos", "nerves"]),
        (3, "purr", {"affection": 5}, ["modality"]),
        (5, "play", {}, ["modality", "chaos"]),
        (5, "purr", {"affection": 50}, ["modality", "comfort", "fond"]),
    ],
)
def test_actions_tell_tone_change_and_reasons(target, action, state, notes):
    env = at(target, **state)
    before = env.state.influence
    text = result(env.step(action).text)
    change = env.state.influence - before
    assert f"(influence {change:+d})" in text
    assert tone(change) in text
    tail = text[text.index(")") + 1 :].strip()
    assert tail == " ".join(MATCHES[note] for note in notes)


def test_a_change_of_nothing_is_shown_as_plus_nothing():
    env = at(1)
    for _ in range(40):
        env.state.stats["energy"], env.state.turn, env.state.suspicion = 0, 0, 0
        text = env.step("stare").text
        if "influence +0)" in text:
            return
    pytest.fail("no change of 0 was met")


def test_items():
    env = at(3)
    env.state.items["LASER POINTER"] = 1
    text = result(env.step("use laser").text)
    assert text.startswith("LASER POINTER: ")
    assert f"(influence {env.state.influence:+d})" in text
    assert MATCHES["modality"] in text
    gone = result(env.step("use laser").text)
    assert "LASER POINTER" in gone
    assert "used up" in gone
    unknown = result(env.step("use unicorn").text)
    assert "never had" in unknown
    for text in (gone, unknown):
        assert "influence" not in text


@pytest.mark.parametrize(
    ("target", "action", "fact"),
    [(1, "convert", "too early"), (1, "fly away", "'fly away'"), (LAST, "exit", "no way out")],
)
def test_failures_tell_no_numbers(target, action, fact):
    env = at(target)
    obs = env.step(action)
    assert fact in result(obs.text)
    assert not re.search(r"\d", result(obs.text))
    assert obs.accepted == (action == "convert")


def test_looking():
    env = begun()
    assert "look around" in result(env.step("look").text)
    assert "ENERGY DRINK 1" in result(env.step("i").text)
    env.state.items = dict.fromkeys(ITEMS, 0)
    text = env.step("inventory").text
    assert "There is nothing" in result(text)
    assert "Supplies" not in text


@pytest.mark.parametrize("tier", range(3))
@pytest.mark.parametrize("target", range(6))
def test_the_menu(target, tier):
    env, obs = in_menu(target, tier)
    person, text = TARGETS[target], result(obs.text)
    assert person.name in text
    assert TIERS[tier] in text
    assert text.endswith("Answer with one of the letters A, B or C.")
    for number, option in enumerate(person.options):
        line = next(line for line in text.split("\n") if line.startswith(f"{'ABC'[number]}. {option.name}: "))
        assert REWARD_TEXTS[person.id][number][tier] in line
        gain = option.tiers[tier]
        if target == LAST:
            assert not re.search(r"\d", line)
            assert not any(stat in line for stat in ("menace", "cuteness", "stealth"))
            continue
        shown = re.search(r"\+(\d+)% progress", line)
        assert int(shown.group(1) if shown else 0) == gain.progress
        raised = {stat: int(n) for stat, n in re.findall(r"(cuteness|menace|stealth|energy) \+(\d+)", line)}
        assert raised == dict(gain.stats)
        assert ("permanently" in line) == bool(gain.stats)
        supplied = dict(re.findall(r"([A-Z]+ [A-Z]+) (\d|few|many) \(", line))
        assert supplied == {item: count_word(count) for item, count in gain.items.items()}
        assert all(f"({ITEM_LINES[item][1]})" in line for item in gain.items)
    assert ("different strength" in text) == (target == LAST)
    assert "Answer with one" in result(env.step("look").text)
    assert "awaited" in result(env.step("look").text)
    refused = env.step("purr")
    assert not refused.accepted
    assert "not one of the options" in result(refused.text)
    assert "A. " in result(refused.text)


def test_every_reward_reads_differently():
    every = [text for options in REWARD_TEXTS.values() for tiers in options for text in tiers]
    assert len(set(every)) == len(every) == 54


@pytest.mark.parametrize("choice", range(3))
@pytest.mark.parametrize("target", range(5))
def test_a_reward_taken(target, choice):
    env, _ = in_menu(target, 2)
    text = env.step("abc"[choice]).text
    person, gain = TARGETS[target], TARGETS[target].options[choice].tiers[2]
    told = result(text)
    assert f"{person.name} is converted" in told
    assert person.options[choice].name in told
    assert [stat for stat in RAISED if RAISED[stat] in told] == list(gain.stats)
    assert all(f"{item} {count_word(count)} ({ITEM_LINES[item][1]})" in told for item, count in gain.items.items())
    assert TARGETS[target + 1].name in told
    assert block_facts(text) == state_facts(env)
    assert block_facts(text)["progress"] == gain.progress


def test_the_last_reward_ends_the_game():
    env = at(LAST, influence=42, turn=12, progress=100)
    env.step("convert")
    obs = env.step("c")
    assert obs.done
    assert obs.score == round(210 * 1.7)
    for fact in (CLOSING["british shorthair"], "progress: 210%", "+70% (x1.70)", "Final score: 357", "Overlord"):
        assert fact in obs.text
    assert "Turn " not in obs.text
    assert env.step("status").text == env.step("purr").text == obs.text
    assert env.valid() == ["inventory", "look", "status"]


def test_leaving_a_person():
    text = result(at(0).step("exit").text)
    assert TARGETS[0].name in text
    assert TARGETS[1].name in text


@pytest.mark.parametrize("target", [1, LAST])
def test_thrown_out(target):
    env = at(target, suspicion=99, stress=60)
    obs = env.step("scratch")
    assert "influence" in obs.text
    assert f"too high: {TARGETS[target].name}" in obs.text
    if target == LAST:
        assert obs.done
        assert "Final score: 0" in obs.text
    else:
        assert TARGETS[target + 1].name in result(obs.text)
        assert warned(obs.text) == []


def test_thrown_out_of_the_menu():
    env, _ = in_menu(1, 0)
    env.state.suspicion = 99
    obs = env.step("no")
    assert "not one of the options" in obs.text
    assert "too high" in obs.text
    assert env.state.target == 2
    assert env.state.turn == 1


def test_time_up():
    env = at(1, turn=19, progress=60)
    text = env.step("purr").text
    assert "Your time has run out" in text
    assert "Early end" not in text
    assert "Final score: 60" in text
    assert "Competent Kitten" in text


# --- warnings ---------------------------------------------------------------------------------------------------


def test_warnings_of_the_person():
    assert WARNINGS["nerves"] in warned(at(1, stress=74).step("scratch").text)
    assert WARNINGS["nerves"] not in warned(at(1, stress=75).step("scratch").text)
    assert WARNINGS["suspicion"] in warned(at(1, suspicion=69).step("stare").text)
    assert WARNINGS["suspicion"] not in warned(at(1, suspicion=70).step("stare").text)
    assert WARNINGS["drowsy"] in warned(at(1, stress=23).step("purr").text)
    assert WARNINGS["drowsy"] not in warned(at(1, stress=22).step("purr").text)


def test_the_warning_of_a_repeat_comes_at_the_second_time_only():
    env = begun()
    seen = [WARNINGS["repeat"] in warned(env.step(action).text) for action in ("purr", "purr", "purr", "look", "purr")]
    assert seen == [False, True, False, False, False]
    assert "%" not in WARNINGS["repeat"]


def test_warnings_of_the_cat():
    env = begun()
    seen = []
    env.state.stats["energy"] = 5
    for action in ("purr", "play", "purr", "play", "purr"):
        said = warned(env.step(action).text)
        seen.append((WARNINGS["tiring"] in said, WARNINGS["spent"] in said))
    assert seen == [(False, False), (True, False), (False, False), (False, True), (False, False)]
    assert warned(env.step("look").text) == []


def test_nothing_is_said_of_what_works_against_the_action():
    text = result(at(0, stress=60).step("stare").text)
    assert text.endswith(")")
