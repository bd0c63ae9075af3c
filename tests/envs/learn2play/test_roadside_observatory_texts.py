"""What Roadside Observatory's texts reveal, fact by fact, and what they keep to themselves."""

import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.roadside_observatory.data import (
    ASTRONOMER,
    CLUE,
    COLLECTOR,
    DRIVER,
    HIKER,
    KIT,
    LANDMARKS,
    MAP,
    MECHANIC,
    OBSERVATORIES,
    PEOPLE,
    RANGER,
    ROAD_PLACES,
    STARTS,
    STOP_TEXTS,
    THERMOS,
    TOKEN,
    TYPES,
    WEATHERS,
)
from evoplay.envs.learn2play.roadside_observatory.texts import DOES_NOT_FIT, EVENTS, MOOD, OPENING

ENV = "learn2play/roadside_observatory"
FORBIDDEN = re.compile(
    rf"\b({'|'.join(TYPES)}|{ASTRONOMER})|trust|protocol|score|\b(right|wrong|traps?|points?|gains?|loss(es)?)\b", re.I
)


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
        assert obs.accepted, (action, obs.text)
    return obs


def at(kind, **state):
    env = make(ENV)
    env.reset(1)
    env.journey.at = next(n for n, place in enumerate(env.journey.road.places) if place.kind == kind)
    for name, value in state.items():
        setattr(env.journey, name, value)
    return env


def facts(text):
    """What a view shows, read back."""
    found = re.search(
        r"^Traveller: (\w+) \| Turn (\d+)/28 \| Time left (\d+) \| Distance to the observatory (\d+)\n"
        r"Energy (\d+) \| Supplies (\d) \| Cash (\d) \| Items: (.*)\n"
        r"Place: ([^.]+)\. (.*)\nWeather: (.*)\n(?:Here: (.+?), (.+?), who (.+)\.|Nobody is here\.)\n(.*)",
        text,
        re.MULTILINE,
    )
    return found.groups()


def expected(env):
    journey = env.journey
    road, place, person = journey.road, journey.place, journey.person
    described = (STARTS | LANDMARKS | ROAD_PLACES | OBSERVATORIES).get(place.name) or STOP_TEXTS[place.kind]
    numbers = (journey.turn, 28 - journey.turn, place.distance, journey.energy, journey.supplies, journey.cash)
    return (
        road.traveller, *map(str, numbers), ", ".join(road.items[item] for item in journey.items), place.name,
        described, road.weather, *(person[:3] if person else (None, None, None)),
    )  # fmt: skip


def feedback(obs):
    return facts(obs.text)[-1]


def test_the_opening_adds_aim_and_form_to_the_view(env):
    obs = env.reset(1)
    opening, view = obs.text.split("\n\n")
    for fact in ("observatory", "mountain", "comet", "be there before", "Each turn is one decision", "the way",
                 "somebody you meet", "Strength", "provisions", "time", "attentiveness", "short"):  # fmt: skip
        assert fact in opening
    assert facts(view)[:-1] == expected(env)
    assert feedback(obs) == MOOD


def test_every_view_shows_the_state():
    env = make(ENV)
    for episode in (1, 2, 3):
        env.reset(episode)
        for action in env.solution(episode):
            obs = env.step(action)
            assert facts(obs.text)[:-1] == expected(env)
            assert facts(env.step("status").text) == facts(obs.text)
            assert facts(env.step("nonsense").text)[:-1] == expected(env)


def test_each_kind_of_place_is_described_alike():
    assert len(set(STOP_TEXTS.values())) == 5
    for episode in (1, 2):
        env = make(ENV)
        env.reset(episode)
        for number, place in enumerate(env.journey.road.places[2:7], start=2):
            env.journey.at = number
            assert STOP_TEXTS[place.kind] in env.step("status").text


def test_people_are_eighteen_and_each_has_a_clue_of_its_own():
    people = [person for group in PEOPLE.values() for person in group]
    for part in range(4):
        assert len({person[part] for person in people}) == 18
    for kind, group in PEOPLE.items():
        env = at(kind)
        person = env.journey.person
        assert person in group
        assert person.clue not in env.step("status").text
        assert feedback(play(env, "observe person")) == person.clue


def test_nothing_forbidden_is_said_before_the_end():
    said = [OPENING, MOOD, DOES_NOT_FIT, *EVENTS.values(), *STOP_TEXTS.values(), *WEATHERS]
    said += [text for table in (STARTS, LANDMARKS, ROAD_PLACES, OBSERVATORIES) for text in table.values()]
    said += [part for group in PEOPLE.values() for person in group for part in person]
    assert [text for text in said if FORBIDDEN.search(text)] == []


def test_event_texts_differ():
    assert len(set(EVENTS.values())) == len(EVENTS)


def test_rest_has_two_texts(env):
    env.journey.energy = 85
    well = feedback(play(env, "rest"))
    little = feedback(play(env, "rest"))
    assert "strength comes back" in well
    assert "little tiredness" in little


@pytest.mark.parametrize(("action", "sign"), [("forage", "find something to eat"), ("buy supply", "buy something")])
def test_food(env, action, sign):
    assert sign in feedback(play(env, action))


def test_no_room_for_food(env):
    env.journey.supplies = 5
    assert "nothing that you could add" in feedback(play(env, "forage"))


def test_the_map_speaks_when_it_bears_the_mark(env):
    assert "remains unclear" in feedback(play(env, "check map"))
    env.journey.items.append(CLUE)
    assert "begins to make sense" in feedback(play(env, "check map"))


def test_the_notice_is_useless_and_always_the_same(env):
    first = feedback(play(env, "inspect noticeboard"))
    assert "of use" in first
    assert feedback(play(env, "inspect noticeboard")) == first


def test_the_landmark_names_its_token_once(env):
    text = feedback(play(env, "walk main road", "visit landmark"))
    assert env.journey.road.items[TOKEN] in text
    assert "good for nothing" in text
    env.journey.tags = []
    again = feedback(play(env, "visit landmark"))
    assert "memory" in again
    assert env.journey.road.items[TOKEN] not in again


def test_mending(env):
    env.journey.items.append(KIT)
    env.journey.risk = 4
    texts = {feedback(play(env, "repair gear")) for _ in range(3)}
    assert len(texts) == 1
    assert "mend something" in texts.pop()
    assert "nothing that needs mending" in feedback(play(at(MECHANIC), "repair gear"))


@pytest.mark.parametrize(
    ("means", "sign", "names_start"),
    [
        ("walk main road", "foot", True),
        ("walk scenic trail", "tiring", True),
        ("hitch safe", "ride", True),
        ("take bus", "bus", False),
        ("hitch risky", "traces of a rough detour", False),
    ],
)
def test_travel_names_means_and_places(env, means, sign, names_start):
    start = env.journey.place.name
    text = feedback(play(env, means))
    assert sign in text
    assert env.journey.place.name in text
    assert (start in text) == names_start
    assert not re.search(r"\d", text)


def test_leaving():
    env = at(HIKER)
    obs = play(env, "leave")
    assert "break off the talk" in feedback(obs)
    assert "Nobody is here." in obs.text
    assert "Nobody is here." in play(env, "rest").text


SIGNS = {
    MECHANIC: {
        "brushed off": "polite answer",
        "cold shoulder": "traces of your rough ride",
        "helped": "friendlier",
        "not willing": "Maybe later",
        "real help": "helped in earnest, and told of a way that comes back to the ridge",
        "kit known": "been through my hands",
    },
    RANGER: {
        "rest first": "look worn out",
        "rest before the path": "get your breath back",
        "paths explained": "which paths are dry",
        "conditions first": "speak about conditions",
        "rough traces": "traces of a rough ride",
        "steadier pace": "steadier pace",
        "path shown": "a path is shown",
        "warden's way": "the ordinary way",
    },
    HIKER: {
        "food taken": "Your food is taken",
        "money taken": "Your coin is taken",
        "waits for something": "waiting for something",
        "way marked": "a mark is set",
        "marked already": "already",
        "snack": "a bite to eat",
        "no more to give": "nothing more to give",
        "walker's way": "as everybody does",
    },
    COLLECTOR: {
        "story flat": "lacks a place",
        "story taken": "becomes a mark on your map",
        "told already": "nothing to add",
        "likes to hear": "like to be told",
        "keeper's way": "talk about the road",
    },
    DRIVER: {
        "refused": "moment of unease",
        "smooth answer": "practised",
        "particulars": "particulars",
        "good ride": "further up",
        "detour": "long detour",
        "pushes shortcut": "I know a shortcut",
    },
    ASTRONOMER: {
        "comet talk": "about the comet",
        "no interest": "of no interest",
        "let in": "like any other guest",
        "seen well": "large and clear",
        "mark too late": "too late",
    },
}


@pytest.mark.parametrize("kind", SIGNS)
def test_each_answer_can_be_told_from_the_others(kind):
    for event, sign in SIGNS[kind].items():
        assert [name for name in SIGNS[kind] if re.search(sign, EVENTS[name])] == [event]


def test_answers_as_they_come_in_play():
    env = at(MECHANIC)
    for action, event in (("ask ride", "brushed off"), ("offer help", "helped"), ("ask route", "not willing")):
        assert feedback(play(env, action)) == EVENTS[event]
    env = at(HIKER)
    assert feedback(play(env, "listen")) == EVENTS["waits for something"]
    assert feedback(play(env, "share supply")) == f"{EVENTS['food taken']} {EVENTS['way marked']}"


def test_things_received_show_in_the_items_line_only():
    env = at(HIKER)
    obs = play(env, "listen", "share supply")
    names = env.journey.road.items
    for item in (THERMOS, CLUE):
        assert names[item] in facts(obs.text)[7]
        assert names[item] not in feedback(obs)
    env = at(MECHANIC)
    obs = play(env, "offer help", "ask ride")
    assert names[KIT] in facts(obs.text)[7]
    assert names[KIT] not in feedback(obs)


@pytest.mark.parametrize("kind", [MECHANIC, RANGER, HIKER, COLLECTOR, DRIVER, ASTRONOMER])
def test_other_items_shown(kind):
    env = at(kind)
    text = feedback(play(env, f"show item {env.journey.road.items[MAP]}"))
    assert ("more use" in text) == (kind != ASTRONOMER)
    assert ("no interest" in text) == (kind == ASTRONOMER)


def test_what_does_not_fit_is_one_neutral_sentence(env):
    play(env, "rest")
    texts = {feedback(env.step(action)) for action in ("fly", "ask ride", "show item x", "")}
    assert texts == {DOES_NOT_FIT}
    assert feedback(env.step("status")) == DOES_NOT_FIT


def test_the_end_tells_how_it_ended_and_the_score(env):
    obs = play(env, *env.solution(1))
    assert "reached the dome" in obs.text
    assert "Final score: 1000" in obs.text
    assert obs.visible_score == 1000
    again = env.step("rest")
    assert (again.text, again.accepted, again.done) == (obs.text, False, True)
    assert env.step("status").text == obs.text


def test_leaving_early_closes_the_window():
    env = make(ENV)
    env.reset(1)
    play(env, "rest")
    obs = env.finish()
    assert "window has closed" in obs.text
    assert f"Final score: {obs.score}" in obs.text
    env.reset(1)
    obs = play(env, *["rest"] * 28)
    assert "window has closed" in obs.text


def test_arriving_alone_ends_nothing_but_counts(env):
    obs = play(env, *["walk main road"] * 9)
    assert not obs.done
    assert obs.visible_score is None
    obs = env.finish()
    assert "reached the dome" in obs.text


def test_hidden_facts_do_not_show():
    """Two journeys that differ only in what is hidden read the same."""
    one, other = make(ENV), make(ENV)
    for env in (one, other):
        env.reset(1)
        play(env, "walk main road", "walk main road", "walk main road")
    journey = other.journey
    journey.risk, journey.false_help, journey.last_travel = 5, True, "hitch risky"
    journey.successes = {DRIVER, RANGER}
    journey.tags = [("checked_map", 1)] * 16
    for action in ("status", "rest", "observe person", "nonsense", "check map", "ask ride", "leave", "hitch safe"):
        assert one.step(action) == other.step(action)
