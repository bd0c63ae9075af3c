"""What Plague Doctor's texts reveal, fact by fact, what they keep to themselves, and its rules on their own."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.plague import (
    CELLS,
    NAMES,
    VILLAGERS,
    Street,
    draw_carriers,
    plan_actions,
    reach_of,
)

ENV = "learn2play/plague"
HEADER = re.compile(
    r"^Day (\d+) of 14 \| Action points (\d) of 4 \| Alive (\d+) of 20 \(sick (\d+)\) \| "
    r"Quarantined (\d) of 3 \| Score (\d+) of 100$",
    re.MULTILINE,
)
STREET = re.compile(r"^Street: (.+)$", re.MULTILINE)
NIGHT = re.compile(r"^In the night (\d+) fell ill(?:: ([A-T, ]+))?\.(?: Died: ([A-T, ]+)\.)?$", re.MULTILINE)
END = re.compile(r"^The outbreak is over\. Survivors: (\d+) of 20\. Score: (\d+) of 100\.$", re.MULTILINE)


def numbers(text):
    return tuple(NAMES.index(name) for name in text.split(", ")) if text else ()


def facts(text):
    """Header and street, read back."""
    shown = []
    for name, word in zip(NAMES, STREET.search(text).group(1).split(), strict=True):
        assert word[0] == name
        mark = word[1:].strip("[]")
        shown.append((mark != "x", int(mark) if mark.isdigit() else 0, "[" in word))
    return tuple(map(int, HEADER.search(text).groups())), shown


def state(env):
    street = env.street
    living = street.alive.count(True)
    sick = sum(severity > 0 for severity in street.severity)
    header = (min(env.day, 14), env.action_points, living, sick, street.quarantined.count(True), 5 * living)
    return header, list(zip(street.alive, street.severity, street.quarantined, strict=True))


def villagers(env):
    return state(env)[1]


def message(text):
    """The line of a view that is neither header, night report, end, street nor legend."""
    lines = [line for line in text.split("\n") if not any(p.search(line) for p in (HEADER, STREET, NIGHT, END))]
    return [line for line in lines if not line.startswith("(A is")]


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def test_the_opening_is_the_title_and_the_view_alone(env):
    text = env.reset(1).text
    title, view = text.split("\n", 1)
    assert title == "Plague Doctor"
    assert facts(view) == state(env)
    assert message(view) == []
    assert env.step("status").text == view
    for hidden in ("carrier", "spread", "source", "immun", "reach", "night", "die"):
        assert hidden not in text.lower()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 300), st.integers(1, 10), st.randoms())
def test_every_view_shows_the_state_and_the_night(seed, episode, rng):
    env = make(ENV, seed)
    obs = env.reset(episode)
    while not obs.done:
        before, day = villagers(env), env.day
        obs = env.step(rng.choice(obs.valid_actions[:-1]))  # all but status
        assert facts(obs.text) == state(env)
        nights = NIGHT.findall(obs.text)
        assert len(nights) == (env.day > day)
        for count, infected, dead in nights:
            ill = [i for i, (_, severity, _) in enumerate(villagers(env)) if severity == 1 and not before[i][1]]
            gone = [i for i, (alive, _, _) in enumerate(villagers(env)) if before[i][0] and not alive]
            assert int(count) == len(numbers(infected))
            assert set(ill) <= set(numbers(infected))
            assert list(numbers(dead)) == gone
        assert obs.visible_score == obs.score == 5 * sum(alive for alive, _, _ in villagers(env))
    survivors, score = map(int, END.search(obs.text).groups())
    assert score == obs.score == 5 * survivors
    assert env.step("status").text == obs.text
    assert env.step("end_day").text == obs.text


def test_messages_of_treatment(env):
    play(env, "end_day")
    one, other = env.street.carriers
    text = env.step(f"treat_{one - 1}").text
    assert message(text) == [f"You treat {NAMES[one - 1]}, who recovers and is immune for 1 day."]
    play(env, "end_day")
    text = env.step(f"treat_{other - 1}").text
    assert message(text) == [f"You treat {NAMES[other - 1]}; the illness eases to severity 1."]
    assert message(env.step("status").text) == message(text)
    healthy = next(i for i, severity in enumerate(env.street.severity) if not severity and i not in (one, other))
    for villager in (healthy, one):
        obs = env.step(f"treat_{villager}")
        assert not obs.accepted
        assert message(obs.text) == [f"{NAMES[villager]} shows no symptoms."]


def test_messages_of_quarantine_and_release(env):
    texts = [message(env.step(f"quarantine_{villager}").text) for villager in (0, env.street.carriers[0])]
    assert texts[0][0][1:] == texts[1][0][1:]
    assert "neither spreads nor catches" in texts[0][0]
    assert message(env.step("quarantine_00").text) == ["A is already quarantined."]
    play(env, "quarantine_1")
    assert message(env.step("quarantine_2").text) == ["The quarantine is full (3 cells)."]
    assert message(env.step(" release_0 ").text) == ["A is released from quarantine."]
    assert message(env.step("release_0").text) == ["A is not quarantined."]


def test_other_refusals(env):
    refusals = {
        "treat_20": "There is no such villager.",
        "treat_-1": "There is no such villager.",
        "treat_x": "There is no such villager.",
        "treat_": "There is no such villager.",
        "treat_ 3": "There is no such villager.",
        "quarantine_4_5": "There is no such villager.",
        "treat_²": "There is no such villager.",
        "treat_" + "9" * 5000: "There is no such villager.",
        "heal_3": "Invalid action.",
        "Treat_3": "Invalid action.",
        "END_DAY": "There is no such villager.",
        "end day": "Invalid action.",
        " status ": "Invalid action.",
        "": "Invalid action.",
    }
    for turns, (action, text) in enumerate(refusals.items(), start=1):
        obs = env.step(action)
        assert not obs.accepted
        assert message(obs.text) == [text]
        assert env.turns == turns
        assert env.action_points == 4
    play(env, *["end_day"] * 5)
    dead = env.street.alive.index(False)
    for verb in ("treat", "release", "heal"):
        assert message(env.step(f"{verb}_{dead}").text) == [f"{NAMES[dead]} is already dead."]


def test_the_last_action_point_brings_the_night_in_the_same_step(env):
    obs = play(env, *(f"quarantine_{villager}" for villager in (0, 1, 2)), "release_0")
    assert message(obs.text) == ["A is released from quarantine."]
    assert NIGHT.search(obs.text)
    assert facts(obs.text)[0][:2] == (2, 4)


def test_the_turn_limit_swallows_the_action_and_lists_all_nights(env):
    play(env, "end_day", *["junk"] * 139)
    carrier = env.street.carriers[0]
    obs = env.step(f"quarantine_{carrier}")
    assert obs.done
    assert not obs.accepted
    assert len(NIGHT.findall(obs.text)) == 13
    assert END.search(obs.text)
    assert not env.street.quarantined[carrier]


def test_leaving_plays_the_remaining_nights(env):
    play(env, "end_day", "end_day")
    twin = env.clone()
    obs = env.finish()
    assert len(NIGHT.findall(obs.text)) == 12
    assert obs.score == play(twin, *["end_day"] * 12).score == 15


def test_the_carriers_are_hidden(env):
    """Two streets that differ only in what is hidden read the same until the night."""
    other = make(ENV)
    other.reset(1)
    other.street.carriers, other.street.ages, other.street.immunity = (3, 12), [4, 4], [1] * VILLAGERS
    for action in ("status", "quarantine_7", "treat_7", "quarantine_3", "release_7", "junk"):
        assert env.step(action) == other.step(action)


@pytest.mark.parametrize(
    ("seed", "carriers"),
    [
        (2, "7,14 6,17 8,17 2,12 4,14 8,14 6,17 4,11 5,17 4,11"),
        (7, "7,15 6,16 6,12 7,15 5,14 5,11 6,13 3,13 6,17 7,15"),
        (11, "8,14 6,11 6,17 4,17 5,12 5,14 6,13 7,14 8,12 8,14"),
    ],
)
def test_carriers_of_known_seeds(seed, carriers):
    drawn = [draw_carriers(seed, episode) for episode in range(1, 11)]
    assert " ".join(f"{a},{b}" for a, b in drawn) == carriers


def test_reach_grows_every_second_night():
    assert [reach_of(night) for night in range(1, 15)] == [1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]


def test_untreated_illness_kills_in_the_third_night_after():
    street = Street((5, 14))
    assert street.night().infected == (4, 6, 13, 15)
    assert street.night().dead == ()
    assert [street.severity[i] for i in (4, 3)] == [2, 1]
    assert street.night().dead == ()
    street.quarantined[4] = True
    assert street.night().dead == (4, 6, 13, 15)
    assert not any(street.quarantined)


def test_a_cure_protects_for_one_night():
    street = Street((5, 14))
    street.night()
    street.severity[4], street.immunity[4] = 0, 1
    assert 4 not in street.night().infected
    assert 4 in street.night().infected


def test_a_carrier_in_a_cell_stands_still_and_goes_on_later():
    street = Street((5, 14))
    street.night()
    street.quarantined[5] = True
    assert not {3, 7} & set(street.night().infected)
    assert street.ages == [1, 2]
    street.quarantined[5] = False
    assert {3, 7} <= set(street.night().infected)
    assert street.ages == [2, 3]


@given(st.integers(0, 10**6), st.integers(1, 20))
def test_the_plan_saves_everybody(seed, episode):
    env = make(ENV, seed)
    env.reset(episode)
    assert env.street.carriers == draw_carriers(seed, episode)
    obs = play(env, *plan_actions(env.street.carriers))
    assert obs.done
    assert obs.score == 100
    assert sum(env.street.quarantined) <= CELLS
