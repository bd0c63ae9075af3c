"""The rules of Roadside Observatory: the drawn road, each person, tags, risk and the score."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.roadside_observatory.data import (
    ASTRONOMER,
    CLUE,
    COLLECTOR,
    DRIVER,
    HIKER,
    KIT,
    MAP,
    MECHANIC,
    RANGER,
    THERMOS,
    TOKEN,
    WEATHERS,
)
from evoplay.envs.learn2play.roadside_observatory.rules import Journey, draw_road, informed_journey

ENV = "learn2play/roadside_observatory"


def test_the_first_road_of_the_official_seed():
    road = draw_road(2, 1)
    assert (road.traveller, road.weather) == ("June", WEATHERS[2])
    assert (road.distance, road.energy, road.supplies, road.cash) == (117, 85, 2, 4)
    assert list(road.items.values()) == [
        "pocket road map", "green thermos", "pocket repair roll", "small brass marker", "inked switchback clue",
    ]  # fmt: skip
    assert [place.name for place in road.places] == [
        "Westbend Kiosk", "Sun Dial Pullout", "Cinder Turnout", "Willow Bus Shed", "Dry Creek Stand",
        "North Switchback", "Ridge Orchard", "Scree Mile", "Wind Gap", "Mount Sable Observatory",
    ]  # fmt: skip
    assert [place.distance for place in road.places] == [117, 104, 91, 78, 65, 52, 39, 26, 13, 0]
    assert [place.person.name for place in road.places if place.person] == [
        "Voss", "Sana", "Toma", "Jun", "Cale", "Dr. Vey",
    ]  # fmt: skip
    assert [place.kind for place in road.places if place.kind] == [
        DRIVER, MECHANIC, RANGER, COLLECTOR, HIKER, ASTRONOMER,
    ]  # fmt: skip
    assert [number for number, place in enumerate(road.places) if place.notice] == [0, 2, 8]


def test_the_first_road_of_another_seed():
    road = draw_road(7, 1)
    assert (road.traveller, road.weather) == ("Oren", WEATHERS[0])
    assert (road.distance, road.energy, road.supplies, road.cash) == (112, 79, 3, 5)
    assert [place.person.name for place in road.places[2:7]] == ["Rook", "Sana", "Cale", "Voss", "Pell"]
    assert [number for number, place in enumerate(road.places) if place.notice] == [0, 2, 4, 6]


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(-10, 10**9), episode=st.integers(1, 100))
def test_the_informed_journey_reaches_the_clamp(seed, episode):
    journey, line = informed_journey(draw_road(seed, episode))
    assert (journey.score(), len(line), journey.aligned) == (1000, 20, True)


def at(kind, **state):
    """A journey that stands before the person of a kind."""
    journey = Journey(draw_road(2, 1))
    journey.at = next(number for number, place in enumerate(journey.road.places) if place.kind == kind)
    for name, value in state.items():
        setattr(journey, name, value)
    return journey


def do(journey, *actions):
    """Play actions; the kind of the last thing told."""
    for action in actions:
        assert action in journey.actions(), action
        journey.act(action)
    return journey.events[-1].kind


def show(journey, item):
    return f"show item {journey.road.items[item]}"


# --- people -----------------------------------------------------------------------------------------------------


def test_who_is_asked_bluntly_stays_closed():
    journey = at(MECHANIC)
    assert do(journey, "ask ride") == "brushed off"
    assert do(journey, "offer help") == "helped"
    assert do(journey, "ask ride") == "brushed off"
    assert do(journey, "ask route") == "not willing"
    assert journey.successes == set()


@pytest.mark.parametrize("request_", ["ask ride", "ask route"])
def test_help_before_the_request(request_):
    journey = at(MECHANIC)
    assert do(journey, "observe person", request_) == "not willing"
    assert do(journey, "inspect vehicle", request_) == "real help"
    assert KIT in journey.items
    assert journey.successes == {MECHANIC}
    assert do(journey, request_) == "real help"
    assert journey.items == [MAP, KIT]
    assert do(journey, show(journey, KIT)) == "kit known"


def test_traces_of_a_rough_ride_pass_after_three_turns():
    journey = at(MECHANIC, turn=4, tags=[("took_risky_ride", 2)])
    assert do(journey, "offer help") == "cold shoulder"
    assert do(journey, "rest", "offer help") == "helped"


def test_repairing_is_no_request():
    journey = at(MECHANIC)
    assert do(journey, "repair gear") == "nothing to mend"
    assert do(journey, "offer help", "ask ride", "repair gear") == "nothing to mend"
    journey.risk = 2
    assert do(journey, "repair gear") == "mended"
    assert journey.risk == 1


def test_the_path_and_what_keeps_it_back():
    journey = at(RANGER, energy=44)
    assert do(journey, "ask weather") == "rest first"
    assert do(journey, "ask shortcut") == "rest before the path"
    journey.energy = 45
    assert do(journey, "ask shortcut") == "conditions first"
    assert do(journey, "ask trail") == "paths explained"
    assert do(journey, "ask shortcut") == "steadier pace"
    journey.last_travel = "hitch risky"
    assert do(journey, "rest", "ask shortcut") == "rough traces"
    journey.last_travel = "take bus"
    assert do(journey, "ask shortcut") == "path shown"
    assert do(journey, "ask route") == "warden's way"


def test_an_unverified_ride_counts_as_a_rough_one_for_three_turns():
    journey = at(RANGER, tags=[("took_risky_ride", 1), ("slow_route", 1)], turn=3, energy=90)
    assert do(journey, "ask weather") == "paths explained"
    journey.turn = 3
    assert do(journey, "ask shortcut") == "rough traces"
    assert do(journey, "ask shortcut") == "path shown"


@pytest.mark.parametrize("gift", ["share supply", "trade cash"])
@pytest.mark.parametrize("listening_first", [True, False])
def test_giving_and_listening(gift, listening_first):
    journey = at(HIKER)
    supplies, cash = journey.supplies, journey.cash
    pair = ("listen", gift) if listening_first else (gift, "listen")
    assert do(journey, *pair) == "way marked"
    assert journey.items == [MAP, THERMOS, CLUE]
    assert supplies + cash - journey.supplies - journey.cash == 1
    assert do(journey, "listen") == "marked already"
    assert do(journey, gift) in ("food taken", "money taken")
    assert journey.successes == {HIKER}


def test_snacks():
    journey = at(HIKER, supplies=5)
    assert do(journey, "ask item") == "snack"
    assert journey.supplies == 5
    assert do(journey, "ask item") == "no more to give"
    assert do(journey, "listen") == "waits for something"


def test_the_landmark_makes_the_story():
    journey = at(COLLECTOR)
    assert do(journey, "tell story") == "story flat"
    assert do(journey, show(journey, MAP)) == "item looked at"
    journey.tags = [("saw_landmark", 1)]
    assert do(journey, "tell story") == "story taken"
    assert do(journey, "tell story") == "told already"
    assert journey.items == [MAP, CLUE]
    journey = at(COLLECTOR, items=[MAP, TOKEN])
    assert do(journey, show(journey, TOKEN)) == "story taken"
    journey = at(COLLECTOR, items=[MAP, TOKEN])
    assert do(journey, "tell story") == "story taken"


def test_the_clue_is_received_once():
    journey = at(COLLECTOR, items=[MAP, TOKEN, CLUE])
    do(journey, "tell story")
    assert journey.items == [MAP, TOKEN, CLUE]


def test_offers():
    journey = at(DRIVER)
    assert do(journey, "accept offer") == "detour"
    assert (journey.risk, journey.false_help, journey.last_travel) == (3, True, "")
    assert do(journey, "question detail") == "smooth answer"
    assert do(journey, "refuse offer", "question detail") == "particulars"
    place, energy = journey.at, journey.energy
    assert do(journey, "accept offer") == "good ride"
    assert (journey.at, journey.energy, journey.last_travel) == (place + 1, energy, "")
    assert journey.successes == {DRIVER}
    journey = at(DRIVER)
    assert do(journey, "question detail") == "particulars"
    journey = at(DRIVER)
    assert do(journey, "observe person", "question detail") == "smooth answer"


def test_leaving_closes_the_place():
    journey = at(DRIVER)
    do(journey, "leave")
    assert journey.person is None
    assert journey.meetings[journey.at].first_action == ""
    assert not any(action.startswith(("show", "accept")) for action in journey.actions())


@pytest.mark.parametrize(("energy", "successes", "aligned"), [(25, 2, True), (24, 5, False), (90, 1, False)])
def test_alignment(energy, successes, aligned):
    journey = at(ASTRONOMER, energy=energy, items=[MAP, CLUE], successes=set("abcde"[:successes]))
    assert do(journey, "listen") == "comet talk"
    assert do(journey, show(journey, MAP)) == "no interest"
    assert not journey.ended
    assert do(journey, show(journey, CLUE)) == ("seen well" if aligned else "mark too late")
    assert (journey.ended, journey.aligned) == (True, aligned)


@pytest.mark.parametrize(("action", "told"), [("ask route", "let in"), ("check map", "map alone")])
def test_other_ends(action, told):
    journey = at(ASTRONOMER)
    assert do(journey, action) == told
    assert journey.ended
    assert not journey.aligned


# --- the way ----------------------------------------------------------------------------------------------------


def test_tags_are_forgotten_after_sixteen():
    journey = Journey(draw_road(2, 2))
    do(journey, "walk main road", "visit landmark")
    assert "visit landmark" not in journey.actions()
    do(journey, *["rest"] * 15)
    assert journey.has("saw_landmark")
    do(journey, "rest")
    assert not journey.has("saw_landmark")
    assert do(journey, "visit landmark") == "landmark again"
    assert journey.items == [MAP, TOKEN]


def test_exhaustion_adds_risk_but_stops_nothing():
    journey = Journey(draw_road(2, 1))
    journey.energy = 3
    do(journey, "forage")
    assert (journey.energy, journey.risk) == (0, 0)
    do(journey, "walk main road")
    assert (journey.energy, journey.risk, journey.at) == (0, 1, 1)


def test_the_bus_and_supplies_cost_cash():
    journey = Journey(draw_road(2, 1))
    journey.cash, journey.supplies = 2, 4
    do(journey, "buy supply")
    assert "buy supply" not in journey.actions()
    do(journey, "take bus")
    assert "take bus" not in journey.actions()
    assert (journey.cash, journey.supplies) == (0, 5)


def test_the_list_of_actions_in_order():
    assert Journey(draw_road(2, 1)).actions() == [
        "status", "rest", "forage", "check map", "walk main road", "walk scenic trail", "hitch safe", "hitch risky",
        "take bus", "inspect noticeboard", "buy supply",
    ]  # fmt: skip
    hiker = at(HIKER)
    assert hiker.actions()[10:] == [
        "observe person", "listen", "ask item", "ask route", "leave", "share supply", "trade cash",
        "show item pocket road map",
    ]  # fmt: skip
    dome = at(ASTRONOMER, cash=0)
    assert dome.actions() == [
        "status", "rest", "forage", "check map", "observe person", "listen", "ask route", "show item pocket road map",
    ]  # fmt: skip
    mechanic = at(MECHANIC, risk=1, items=[MAP, KIT])
    assert mechanic.actions().count("repair gear") == 1
    assert mechanic.actions().index("repair gear") < mechanic.actions().index("observe person")


def test_the_turn_limit():
    journey = Journey(draw_road(2, 1))
    do(journey, *["rest"] * 28)
    assert journey.ended
    assert journey.actions() == ["status"]


# --- the score --------------------------------------------------------------------------------------------------


def ended(**state):
    journey = Journey(dataclasses.replace(draw_road(2, 1), distance=120))
    plain = {"energy": 0, "supplies": 0, "cash": 0, "ended": True}
    for name, value in (plain | state).items():
        setattr(journey, name, value)
    return journey.score()


@pytest.mark.parametrize(
    ("state", "score"),
    [
        ({"at": 9, "turn": 28}, 250),
        ({"at": 9, "turn": 27}, 355),
        ({"at": 9, "turn": 5}, 430),
        ({"at": 9, "turn": 28, "energy": 100, "supplies": 5, "cash": 6}, 350),
        ({"at": 9, "turn": 28, "energy": 77}, 300),
        ({"at": 9, "turn": 28, "risk": 3}, 190),
        ({"at": 9, "turn": 28, "risk": 9}, 170),
        ({"at": 9, "turn": 28, "false_help": True}, 170),
        ({"at": 9, "turn": 28, "aligned": True, "successes": {"a", "b"}}, 560),
        ({"at": 9, "turn": 28, "successes": {COLLECTOR}, "items": [CLUE], "tags": [("saw_landmark", 1)]}, 430),
        ({"at": 9, "turn": 28, "items": [CLUE]}, 295),
        ({"at": 8, "turn": 28}, 142),
        ({"at": 8, "turn": 28, "energy": 100, "supplies": 5, "cash": 6}, 206),
        ({"at": 0, "turn": 28, "risk": 2}, 0),
    ],
)
def test_the_parts_of_the_score(state, score):
    assert ended(**state) == score


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), draws=st.randoms(use_true_random=False))
def test_random_journeys_keep_their_bounds(seed, draws):
    env = make(ENV, seed)
    obs = env.reset(1)
    while not obs.done:
        assert obs.score == 0
        assert len(set(obs.valid_actions)) == len(obs.valid_actions)
        obs = env.step(draws.choice(obs.valid_actions[1:]))
        journey = env.journey
        assert 0 <= journey.energy <= 100
        assert 0 <= journey.supplies <= 5
        assert journey.cash >= 0
        assert len(journey.tags) <= 16
    assert 0 <= obs.score <= 1000


@pytest.mark.parametrize("action", ["", "show item", "show item nothing", "show item pocket", "fly", "restx", "1"])
def test_what_does_not_fit_changes_nothing(action):
    env = make(ENV)
    env.reset(1)
    obs = env.step(action)
    assert (obs.accepted, env.journey.turn) == (False, 0)
    assert "does not fit" in obs.text


def test_blanks_and_case_do_not_matter():
    env = make(ENV)
    env.reset(1)
    assert env.step("  Walk\tMAIN \n road ").accepted
    env.step("walk main road")
    assert env.step("SHOW item  Pocket ROAD map").accepted
    assert env.journey.turn == 3
