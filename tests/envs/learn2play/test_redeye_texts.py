"""RedEye: what its texts reveal and keep, and the rules case by case."""

import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.redeye.rules import (
    BOARDING,
    HOME,
    LAYERS,
    NEIGHBOURS,
    NEVER_LISTED,
    PEOPLE,
    act,
    listed_at,
    shortest_win,
)
from evoplay.envs.learn2play.redeye.texts import (
    DARKNESS,
    EVENTS,
    LABELS,
    LOOKS,
    NOTICED,
    OVER,
    PHASES,
    PLACES,
    PROLOGUE,
    TALK,
    UNKNOWN,
    scene,
)

ENV = "learn2play/redeye"
WIN = [
    "talk_caller",
    "talk_backpacker",
    "go_dining",
    "talk_capped",
    "search",
    "go_platform",
    "ask_ground",
    "go_firstclass",
    "confront_suit",
    "go_vestibule",
    "talk_graycoat",
    "talk_graycoat",
    "talk_graycoat",
    "comfort_graycoat",
    "disarm",
]
READY = ["go_dining", "search", "go_hardseat", "talk_caller", "talk_backpacker"]


def scene_facts(text):
    """Place, people with what was noticed of them, ways and segment, read from a scene."""
    block = re.search(
        r"^(.+?)\. (.+)\n(?:(The set .+)\n)?People here: (.+)\.\nWays: (.+)\.\nSegment (\d+)/30$", text, re.M
    )
    place, phase, radio, people, ways, segment = block.groups()
    here = {person for person, look in LOOKS.items() if look in people}
    noticed = {person for person in here if NOTICED[person] in people}
    return {
        "place": next(name for name, title in PLACES.items() if title == place),
        "phase": phase,
        "radio": radio,
        "here": here,
        "noticed": noticed,
        "ways": tuple(next(name for name, title in PLACES.items() if title == way) for way in ways.split(", ")),
        "segment": int(segment),
    }


def play(env, *actions):
    return [env.step(action) for action in actions][-1]


def started(*actions, episode=3):
    env = make(ENV)
    env.reset(episode)
    return env, play(env, *actions) if actions else None


# --- openings and the prologue ----------------------------------------------------------------------------------


def test_the_prologue_tells_nothing_and_ends_with_any_word():
    for word in ("doze", "", "dance", "tell_crew"):
        env = make(ENV)
        obs = env.reset(1)
        assert obs.text == PROLOGUE
        assert obs.valid_actions == ("doze",)
        assert not re.search(r"\d|loop|sink|segment", obs.text.lower().replace("sea-azure", ""))
        assert env.step("status").text == PROLOGUE
        obs = env.step(word)
        assert (obs.done, obs.score, obs.valid_actions) == (True, 0, ("status",))
        assert "core" not in obs.text
        assert scene_facts(env.step("look").text)["segment"] == 0
        assert env.step("doze").text == OVER


def test_the_second_opening_states_no_goal():
    text = make(ENV).reset(2).text
    said, block = text.split("\n\n")
    assert "dream" in said
    assert not re.search(r"\d|loop|stop", said)
    assert scene_facts(block)["place"] == "hardseat"


def test_later_openings_state_the_loop_and_the_goal():
    texts = {make(ENV).reset(episode).text for episode in (3, 4, 9)}
    assert len(texts) == 1
    said = texts.pop().split("\n\n")[0]
    for fact in ("loop", "drown", "alone remember", "30 segments", "who does it and why", "stop it"):
        assert fact in said
    assert "score" not in said.lower()


def test_seed_and_mode_change_nothing():
    runs = []
    for env in (make(ENV), make(ENV, 77), make(ENV, episode_mode="control")):
        env.reset(4)
        runs.append([env.step(action) for action in WIN])
    assert runs[0] == runs[1] == runs[2]


# --- the scene --------------------------------------------------------------------------------------------------


def test_the_scene_shows_the_place_and_who_was_looked_at():
    env, obs = started("examine_caller", "go_vestibule", "examine_graycoat", "go_hardseat")
    facts = scene_facts(obs.text)
    assert (facts["here"], facts["noticed"]) == ({"caller", "backpacker"}, {"caller"})
    assert facts["ways"] == NEIGHBOURS["hardseat"]
    assert facts["segment"] == env.loop.segment == 4
    assert env.step("status").text == env.step("look").text == scene(env.loop)
    assert "score" not in obs.text.lower()


@pytest.mark.parametrize(("segment", "phase"), [(0, 0), (3, 0), (4, 1), (24, 1), (25, 2), (26, 3), (30, 3)])
def test_four_phases_and_the_radio(segment, phase):
    facts = scene_facts(scene(BOARDING._replace(place="platform", segment=segment)))
    assert facts["phase"] == PHASES[phase][1]
    assert ("can be reached" in facts["radio"]) == ("help" in facts["radio"]) == (segment <= 24)


def test_two_loops_that_differ_only_in_hidden_facts_show_the_same_scene():
    loop = BOARDING._replace(place="window", segment=7)
    hidden = loop._replace(story=True, device=True, link=True, evidence=True, exposed=True, trusted=True, told=(1,) * 6)
    assert scene(loop) == scene(hidden)


def test_listed_actions_in_order_with_labels_that_name_nobody():
    assert listed_at("dining") == (
        *("look", "go_hardseat", "go_window", "go_platform"),
        *("talk_capped", "examine_capped", "confront_capped", "comfort_capped", "restrain_capped"),
        *("search", "tell_crew"),
    )
    obs = make(ENV).reset(3)
    assert set(obs.glosses) == set(obs.valid_actions)
    assert obs.glosses["go_vestibule"] == "go to the Stern Deck"
    every = " ".join(LABELS.values()).lower()
    assert not set(re.findall(r"\w+", every)) & {*PEOPLE, "owner", "culprit", "ally", "engineer"}
    for action, fact in {"search": "records at the bar", "ask_ground": "coast guard", "disarm": "device"}.items():
        assert fact in LABELS[action]


# --- what is heard and seen -------------------------------------------------------------------------------------


@pytest.mark.parametrize("person", PEOPLE)
def test_every_layer_is_told_once_and_in_order(person):
    env, _ = started()
    env.loop = BOARDING._replace(place=HOME[person], link=True)
    for layer, facts in enumerate(LAYERS[person]):
        before = env.loop
        obs = env.step(f"talk_{person}")
        assert TALK[person][layer] in obs.text
        assert env.loop.segment == layer + 1
        gained = {name for name in ("story", "device", "evidence") if getattr(env.loop, name) > getattr(before, name)}
        assert gained == set(facts) - {"clue", "link"}
        assert (person in env.loop.clues) == any("clue" in known for known in LAYERS[person][: layer + 1])
    obs = env.step(f"talk_{person}")
    assert "nothing more" in obs.text
    assert env.loop.segment == len(LAYERS[person])


def test_the_owner_keeps_silent_without_a_lever():
    env, obs = started("go_vestibule", "go_firstclass", *["talk_suit"] * 3)
    assert "lever" in obs.text
    assert env.loop.segment == 5
    assert "lever" in env.step("talk_suit").text
    env.loop = env.loop._replace(link=True)
    assert "he is the owner" in env.step("talk_suit").text


@pytest.mark.parametrize("person", PEOPLE)
def test_examining_tells_the_detail_every_time(person):
    env, _ = started()
    env.loop = BOARDING._replace(place=HOME[person])
    for times in (1, 2):
        obs = env.step(f"examine_{person}")
        assert NOTICED[person] in obs.text.split("\n\n")[0]
        assert env.loop.segment == times
    assert env.loop.device == (person == "graycoat")


def test_plain_words_of_the_facts_that_matter():
    """Facts a player must be able to read are there, and nothing says that they score."""
    facts = {
        "searched": ("unfit", "insured high", "certified", "Twice", "evidence"),
        "radio_called": ("boat", "before dawn", "engine-room"),
        "radio_refused": ("nothing solid", "emergency channel"),
        "radio_late": ("out of reach", "no rescue"),
        "exposed": ("evidence", "insurance", "crew"),
        "trusted": ("ally", "owner", "hull"),
        "crew": ("nothing to show",),
        "no_reception": ("reception", "dining bar"),
        "radio_elsewhere": ("radio room",),
        "disarm_elsewhere": ("stern",),
        "wrong_person": ("wrong person", "confusion"),
        "no_evidence": ("nothing to back it", "strikes early"),
        "too_vague": ("not certain enough", "strikes first"),
        "comfort_early": ("free", "threat", "alone", "before the time"),
        "comfort_ignorant": ("do not know what happened", "owner has sent"),
        "restrained_ally": ("ship's side", "free hand"),
        "restrained_other": ("nothing to go on", "real danger"),
        "disarm_alone": ("alone", "by mistake"),
        "disarm_blind": ("where the rig sits", "how it works", "by mistake"),
        "one_end": ("stern is made safe", "engine room", "both ends", "goes down"),
        "won": ("valve at the stern", "coast guard", "accomplice", "Nobody but you", "loop is over", "alive"),
    }
    for event, words in facts.items():
        assert all(word in EVENTS[event] for word in words), event
        assert not re.search(r"\d|point|score|milestone", EVENTS[event].lower())
    assert not any(word in EVENTS["too_vague"] for word in ("two", "clue"))
    assert "24" not in EVENTS["radio_late"]
    assert not any(name in EVENTS["wrong_person"] for name in ("owner", "suit"))


# --- endings ----------------------------------------------------------------------------------------------------


def test_a_win_tells_its_score():
    env, obs = started(*WIN)
    assert (obs.done, obs.score, obs.visible_score) == (True, 100, 100)
    assert "Score of this loop: 100" in obs.text
    assert "Segment" not in obs.text
    assert obs.valid_actions == ("status",)
    assert env.loop.segment == 14
    assert scene_facts(env.step("status").text)["place"] == "vestibule"
    assert env.step("go_hardseat").text == OVER


@pytest.mark.parametrize(
    ("actions", "event", "score"),
    [
        (["confront_caller"], "wrong_person", 0),
        (["go_vestibule", "go_firstclass", "confront_suit"], "no_evidence", 0),
        ([*READY[:4], "go_platform", "go_firstclass", "confront_suit"], "too_vague", 20),
        (["go_vestibule", "comfort_graycoat"], "comfort_early", 0),
        (
            [*READY, "go_platform", "go_firstclass", "confront_suit", "go_vestibule", "comfort_graycoat"],
            "comfort_ignorant",
            40,
        ),
        (["go_vestibule", "restrain_graycoat"], "restrained_ally", 0),
        (["restrain_caller"], "restrained_other", 0),
        (["go_vestibule", "disarm"], "disarm_alone", 0),
        ([action for action in WIN if action != "talk_capped"], "disarm_blind", 80),
    ],
)
def test_failures_end_the_loop_at_once(actions, event, score):
    env, _ = started(*actions[:-1])
    segment = env.loop.segment
    obs = env.step(actions[-1])
    assert EVENTS[event] in obs.text
    assert DARKNESS in obs.text
    assert f"Score of this loop: {score}." in obs.text
    assert (obs.done, obs.score, obs.visible_score) == (True, score, score)
    assert env.loop.segment == segment


def test_without_the_coast_guard_it_ends_at_sixty():
    _, obs = started(*[action for action in WIN if action != "ask_ground"])
    assert EVENTS["one_end"] in obs.text
    assert obs.score == 60


def test_time_out_shows_the_last_scene_and_pays_milestones():
    _, obs = started(*WIN[:-1], *["tell_crew"] * 16)
    assert obs.done
    assert obs.score == 80
    assert EVENTS["crew"] in obs.text
    assert scene_facts(obs.text)["segment"] == 30
    assert "goes down" in obs.text
    assert "Score of this loop: 80." in obs.text


def test_a_milestone_of_the_last_segment_counts():
    _, obs = started("go_dining", *["tell_crew"] * 28, "search")
    assert (obs.done, obs.score) == (True, 20)


def test_leaving_pays_nothing():
    env, _ = started(*WIN[:-1])
    obs = env.finish()
    assert (obs.done, obs.score, obs.visible_score) == (True, 0, None)
    env, _ = started(*WIN)
    assert env.finish().score == 100


# --- free commands and refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "event"),
    [
        ("dance", "unknown"),
        ("", "unknown"),
        ("talk caller", "unknown"),
        ("go_nowhere", "unknown"),
        ("go_", "unknown"),
        ("talk_nobody", "unknown"),
        ("confront_nobody", "unknown"),
        ("doze", "unknown"),
        ("go_hardseat", "unreachable"),
        ("go_window", "unreachable"),
        ("talk_suit", "absent"),
        ("confront_suit", "absent"),
        ("restrain_nobody", "absent"),
        ("search", "no_reception"),
        ("ask_ground", "radio_elsewhere"),
        ("disarm", "disarm_elsewhere"),
    ],
)
def test_what_is_never_listed_is_free_and_refused(command, event):
    done = act(BOARDING, command)
    assert (done.event, done.loop) == (event, BOARDING)
    assert event in NEVER_LISTED
    env, obs = started(command)
    assert not obs.accepted
    assert obs.text == (UNKNOWN if event == "unknown" else f"{EVENTS[event]}\n\n{scene(env.loop)}")


def test_repeated_successes_are_free():
    env, _ = started(*WIN[:7])
    for action, event, more in (
        ("ask_ground", "radio_again", WIN[7:9]),
        ("confront_suit", "exposed_again", WIN[9:14]),
        ("comfort_graycoat", "trusted_again", ["tell_crew"]),
    ):
        segment = env.loop.segment
        obs = env.step(action)
        assert EVENTS[event] in obs.text
        assert obs.accepted
        assert env.loop.segment == segment
        play(env, *more)


def test_the_radio_window_is_that_of_the_segment_before():
    loop = BOARDING._replace(place="platform", evidence=True)
    assert act(loop._replace(segment=24), "ask_ground").event == "radio_called"
    late = act(loop._replace(segment=25), "ask_ground")
    assert (late.event, late.loop.segment) == ("radio_late", 25)
    refused = act(loop._replace(evidence=False, segment=24), "ask_ground")
    assert (refused.event, refused.loop.segment) == ("radio_refused", 25)


def test_the_shortest_win_has_fifteen_commands():
    line = shortest_win()
    assert len(line) == len(WIN) == 15
    assert started(*line)[1].score == 100
