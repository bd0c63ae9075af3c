"""What the texts of Patch Reality reveal, read back fact by fact, and what they keep to themselves."""

import random
import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.patch_reality_moderate import prose
from evoplay.envs.learn2play.patch_reality_moderate.data import AXES, FOCUS, LEVELS, RESOURCES, START
from evoplay.envs.learn2play.patch_reality_moderate.rules import Scene, idle_budget
from evoplay.envs.learn2play.patch_reality_moderate.texts import level_view

ENV = "learn2play/patch_reality_moderate"
FOOTER = re.compile(
    r"^\[Level (\d)/8 \| Turn (\d+)/(\d+) \| Focus (\d+)/10 \| "
    + r" \| ".join(rf"{name} (-?\d+)" for name in RESOURCES)
    + r"\]$",
    re.MULTILINE,
)
TAGS = {tag for level in LEVELS for tags in level.things.values() for tag in tags} | {
    tag for level in LEVELS for tag in level.audits.values()
}
BY_PATCH = [(number, patch) for number, level in enumerate(LEVELS, 1) for patch in level.patches.values()]
BILLED = [(number, patch) for number, patch in BY_PATCH if patch.hidden]


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def enter(env, number, **resources):
    """Put the game at the start of a level (counted from 1)."""
    env.reset(1)
    run = env.run
    run.number = number - 1
    run.resources = START | resources
    run.anchors = {name: 100 for level in LEVELS[:number] for name in level.anchors}
    run.scene = Scene(dict(run.resources))
    return env


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def right(number):
    return [f"diagnose {axis}={option}" for axis, option in LEVELS[number - 1].right.items()]


def prepared(env, number, **resources):
    """A level in which everything was looked at, audited and rightly diagnosed; Focus does not run short."""
    level = enter(env, number, **resources).run.level
    for action in (*(f"observe {t}" for t in level.things), *(f"audit {t}" for t in level.audits), *right(number)):
        env.run.scene.focus = FOCUS
        assert env.step(action).accepted
    env.run.scene.focus = FOCUS
    return env


def footer(text):
    found = FOOTER.findall(text)
    assert len(found) == 1
    assert text.endswith("]")
    return [int(number) for number in found[0]]


def state(env):
    run = env.run
    held = [run.resources[name] for name in RESOURCES]
    return [run.number + 1, run.scene.turn, env.drawn.limits[run.number], run.scene.focus, *held]


def view_facts(text):
    """The facts of a level view."""
    number, name, phase = re.search(r"^Level (\d)/8: (.*) \(phase (\d)\)$", text, re.MULTILINE).groups()
    things = re.search(r"^You can observe: (.*)$", text, re.MULTILINE).group(1).split(", ")
    verbs, focus = re.search(r"^Verbs: (.*) \| Focus limit: (\d+)$", text, re.MULTILINE).groups()
    options = {
        axis: tuple(line.split(" | ")) for axis, line in re.findall(r"^Options for (\w+): (.*)$", text, re.MULTILINE)
    }
    return int(number), name, int(phase), things, verbs.split(", "), int(focus), options


# --- level views ------------------------------------------------------------------------------------------------


def test_the_opening_gives_the_help_the_first_level_and_the_state(env):
    text = env.reset(1).text
    assert text.startswith(env.step("help").text)
    assert level_view(env.run) in text
    assert footer(text) == state(env)


def test_the_help_tells_how_things_work(env):
    text = env.step("help").text
    for fact in ("Focus", "`source`", "`type`", "`strategy`", "audit", "all three axes", "think again", "does not end"):
        assert fact in text


@pytest.mark.parametrize("number", range(1, 9))
def test_a_level_view_tells_what_can_be_done_and_hides_the_rest(env, number):
    level = enter(env, number).run.level
    text = level_view(env.run)
    verbs = ["OBSERVE", "PATCH", "AUDIT", "WAIT", "CHECK_ANCHOR"]
    facts = (number, level.name, level.phase, list(level.things), verbs, FOCUS, level.options)
    assert view_facts(text) == facts
    assert prose.PREMISES[number - 1] in text
    assert prose.OBJECTIVES[number - 1] in text
    assert (prose.INTRO.get(number - 1, "no lesson here") in text) == (number <= 2)
    assert "All three axes" in text
    before_options = text.partition("Options for")[0]
    for hidden in (*RESOURCES, *env.run.anchors, *(p.target for p in level.patches.values()), *TAGS):
        assert not re.search(rf"\b{hidden}\b", text)
    for value in level.right.values():
        # An object may bear the name of a value: that is no hint.
        assert value in level.things or value not in before_options


def test_premises_and_clues_never_name_a_right_value_outside_the_lessons():
    for number, level in enumerate(LEVELS):
        told = [prose.PREMISES[number], *(prose.CLUES[thing] for thing in level.things)]
        told += [prose.FINDINGS[target] for target in level.audits]
        for value in level.right.values():
            assert not any(re.search(rf"\b{value}\b", text) for text in told if "_" in value)


def test_no_text_names_evidence():
    words = [
        text
        for table in (
            prose.CLUES,
            prose.LESSONS,
            prose.FINDINGS,
            prose.RESULTS,
            prose.NOTES,
            prose.RULES,
            prose.ANCHORS,
        )
        for text in table.values()
    ]
    assert not [tag for tag in TAGS for text in (*words, *prose.PREMISES, *prose.LOST) if tag in text]


# --- looking ----------------------------------------------------------------------------------------------------

KEY_FACTS = {
    "coin": ("slowly", "straight", "incline"),
    "pavement": ("slick", "towards the drain", "drying", "grip"),
    "drain": ("close", "few turns", "final"),
    "cup": ("even", "unchanging", "replayed"),
    "table": ("firm", "still", "not originate"),
    "residual_patch": ("old repair", "nobody cleared", "direct audit"),
    "key": ("two states", "less so with every moment", "its own"),
    "lighting": ("steadily", "no optical effect", "any light"),
    "door_lock": ("follow the key", "wrong form", "home address"),
    "hospital_ledger": ("tidy", "freshly", "no other record", "planted"),
    "wristband": ("first and main tie", "no longer tight", "depend"),
    "perception": ("fault of your own", "persuasiveness", "wrong"),
    "stairwell": ("before the impact", "constant gap", "whoever", "space"),
    "acoustic_log": ("replayed from", "can be patched", "audit"),
    "ledger": ("Both states", "not only here"),
    "archive_queue": ("schedule", "next run", "stored copy"),
    "security_log": ("same contradiction", "official", "cannot be told"),
    "terminal": ("display", "Nothing starts"),
    "platform": ("magnetic lift", "physical excuse", "useless"),
    "cameras": ("Flawless", "proof lives", "get out"),
    "crowd": ("clips",),
    "broadcast": ("live light", "audit"),
    "name_record": ("Overwritten", "downstream", "would not last"),
    "name_anchor": ("determines", "loosely", "shows up"),
    "agent_offer": ("instant", "dense", "price", "audit"),
}


@pytest.mark.parametrize(("number", "thing"), [(n, t) for n, level in enumerate(LEVELS, 1) for t in level.things])
def test_an_observation_carries_its_clue(env, number, thing):
    text = enter(env, number).step(f"observe {thing}").text
    for fact in KEY_FACTS[thing]:
        assert fact in text
    assert footer(text) == state(env)
    again = env.step(f"observe {thing}").text
    lesson = prose.LESSONS.get(thing)
    assert (lesson in text) if lesson else text.count("\n") == 1
    assert again.count("\n") == 1
    assert prose.CLUES[thing] in again


def test_the_lessons_of_the_first_two_levels():
    assert "source=environment" in prose.LESSONS["pavement"]
    assert "type=physics_conflict" in prose.LESSONS["pavement"]
    assert "strategy=environment_cover" in prose.LESSONS["drain"]
    assert "pavement next" in prose.LESSONS["coin"]
    assert not any(option in prose.QUESTIONS for option in LEVELS[1].right.values())


@pytest.mark.parametrize(("number", "target"), [(n, t) for n, level in enumerate(LEVELS, 1) for t in level.audits])
def test_an_audit_tells_its_finding_and_the_footer_the_suspicion(env, number, target):
    first = enter(env, number).step(f"audit {target}").text
    again = env.step(f"audit {target}").text
    for text in (first, again):
        assert prose.FINDINGS[target] in text
    assert (prose.QUESTIONS in first) == (number == 2)
    assert prose.QUESTIONS not in again
    assert [footer(text)[-1] for text in (first, again)] == [1, 2]


def test_anchors_show_name_integrity_and_what_they_stand_for(env):
    enter(env, 8).run.anchors["room_anchor"] = 64
    for name, meaning in prose.ANCHORS.items():
        text = env.step(f"check_anchor {name}").text
        shown, integrity, stands = re.match(
            r"Anchor (\w+): integrity (-?\d+)/100\. It stands for (.*)\.", text
        ).groups()
        assert (shown, int(integrity), stands) == (name, 64 if name == "room_anchor" else 100, meaning)
        assert footer(text) == state(env)


# --- diagnosing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 9))
def test_a_diagnosis_tells_only_whether_the_whole_fits(env, number):
    level = enter(env, number).run.level
    first, second, third = right(number)
    for action in (first, second):
        text = env.step(action).text
        axis, option = re.match(r"Diagnosis: (\w+) is set to (\w+)\.\n\[", text).groups()
        assert action == f"diagnose {axis}={option}"
    assert "consistent" in env.step(third).text
    wrong = set()
    for axis in AXES:
        other = next(option for option in level.options[axis] if option != level.right[axis])
        text = env.step(f"diagnose {axis}={other}").text
        assert f"{axis} is set to {other}" in text
        assert footer(text) == state(env)
        wrong.add(text.partition(f"{other}.")[2].partition("\n")[0])
        env.step(f"diagnose {axis}={level.right[axis]}")
    assert wrong == {" This combination does not fit. Think again."}


# --- patching and time ------------------------------------------------------------------------------------------

RESULT_FACTS = {
    "pavement.friction +15%": ("lies still", "ordinary"),
    "coin.path +3cm": ("no coin could", "your own records"),
    "table.friction stabilize": ("pause", "not the origin", "deeper"),
    "lighting.angle soften": ("Nothing changes", "lock and address"),
    "wristband.identity bind": ("screen's record follows", "cured"),
    "hospital_ledger.status alive": ("too readily", "trap", "existence", "name"),
    "acoustic_log.timing align": ("never at fault", "cured"),
    "perception.sync +0.5s": ("still early", "got used", "bodily sense"),
    "ledger.state reconcile": ("Clean, here", "next run", "stopped too"),
    "archive_queue.reindex halt": ("stays away", "source is repaired", "consistent"),
    "platform.magnet activate": ("cause", "before it", "spreading"),
    "name_anchor.binding reclaim": ("lost nothing", "cured"),
    "agent_offer.accept sign": ("Corrected", "depends on the agent", "binding"),
}


@pytest.mark.parametrize(("number", "patch"), BY_PATCH)
def test_a_patch_shows_the_scene_and_neither_bill_nor_rule(env, number, patch):
    text = prepared(env, number).step(f"patch {patch.name}").text
    scene = text.partition("\n")[0]
    assert scene == prose.RESULTS[patch.name]
    for fact in RESULT_FACTS.get(patch.name, ("cured where it came from",)):
        assert fact in scene
    assert not re.search(r"\d", scene)
    assert "solved" not in scene.lower()
    assert prose.RULES.get(patch.name, "no rule") not in text


@pytest.mark.parametrize(("number", "patch"), BILLED)
def test_an_audit_of_a_patch_tells_its_bill_once(env, number, patch):
    prepared(env, number)
    if number == 1:
        return  # That patch ends its level, so nothing can be audited there.
    play(env, f"patch {patch.name}")
    first, again = env.step("audit").text, env.step("audit last_patch").text
    order, bill, note = re.match(r"Audit of patch (\d+): hidden costs found: (.*)\. Note: (.*)", first).groups()
    assert (int(order), note) == (1, prose.NOTES[patch.name])
    assert bill == ", ".join(f"{name} {amount:+d}" for name, amount in patch.hidden)
    assert "no hidden costs were found" in again
    assert prose.NOTES[patch.name] in again
    assert footer(again) == state(env)


def test_the_halted_queue_speaks_as_if_all_were_well_also_when_it_is_not(env):
    alone = prepared(env, 6).step("patch archive_queue.reindex halt").text.partition("\n")[0]
    play(prepared(env, 6), "patch ledger.state reconcile")
    assert env.step("patch archive_queue.reindex halt").text.partition("\n")[0] == alone


@pytest.mark.parametrize("number", range(1, 9))
def test_the_fatal_turn_tells_what_is_lost(env, number):
    enter(env, number)
    waits = [env.step("wait").text for _ in range(LEVELS[number - 1].fatal - 1)]
    assert all(text.startswith("You wait. Time passes.\n[") for text in waits[:-1])
    assert waits[-1].split("\n")[1] == prose.LOST[number - 1]


# --- the end of a level -----------------------------------------------------------------------------------------


def review_facts(text):
    stands, would = re.search(
        r"^Review: (.*)\. The evidence you held (would|would not) have supported a well-founded patch\.$",
        text,
        re.MULTILINE,
    ).groups()
    found = {}
    for part in stands.split("; "):
        axis, value, verdict = re.match(r"(\w+)(?:=(\w+))? (matched|did not match|was not set)", part).groups()
        found[axis] = (value, verdict)
    return found, would == "would"


def test_a_review_gives_the_choices_and_never_a_right_value(env):
    enter(env, 3)
    text = play(env, "diagnose source=object", "diagnose type=record_conflict", *["wait"] * 7).text
    before_next = text.partition("Level 4/8")[0]
    chosen = {"source": ("object", "matched"), "type": ("record_conflict", "did not match")}
    assert review_facts(before_next) == (chosen | {"strategy": (None, "was not set")}, False)
    for value in ("physics_conflict", "target_repair"):
        assert value not in before_next
    assert "solved" not in text.lower()


@pytest.mark.parametrize(
    ("looks", "enough"),
    [((), False), (("ledger",), True), (("archive_queue",), True), (("terminal", "security_log"), False)],
)
def test_a_review_tells_whether_the_evidence_was_enough(env, looks, enough):
    enter(env, 6)
    text = play(env, *(f"observe {thing}" for thing in looks), *["wait"] * 8).text
    assert review_facts(text)[1] == enough


def test_a_solved_level_just_goes_on(env):
    text = prepared(env, 2).step("patch residual_patch.state expire").text
    scene, view = text.split("\n\n")
    assert "\n" not in scene
    assert view_facts(view)[0] == 3
    assert footer(view) == state(env)


@pytest.mark.parametrize(("number", "patch"), BILLED)
def test_hidden_settlements_are_shown_at_the_end_of_the_level(env, number, patch):
    prepared(env, number)
    text = env.step(f"patch {patch.name}").text
    while env.run.number == number - 1 and not env.run.ended:
        text = env.step("wait").text
    order, bill, note = re.search(r"^A hidden bill falls due\. Patch (\d+): (.*)\. Note: (.*)$", text, re.M).groups()
    assert (int(order), note) == (1, prose.NOTES[patch.name])
    assert bill == ", ".join(f"{name} {amount:+d}" for name, amount in patch.hidden)


def test_pressure_is_shown_with_its_amounts(env):
    for suspicion, shown in ((3, None), (4, "reality_stability -1"), (8, "reality_stability -5, memory -2")):
        enter(env, 1, agent_suspicion=suspicion)
        found = re.search(r"suspicion presses on you: (.*)\.$", play(env, *["wait"] * 7).text, re.MULTILINE)
        assert (found.group(1) if found else None) == shown


def test_idling_out_names_its_cause_where_it_was_status_or_diagnosis(env):
    budget = idle_budget(LEVELS[0])
    text = play(env, *["status"] * (budget + 1)).text
    assert text.startswith("You have kept asking how things stand")
    enter(env, 1)
    text = play(env, right(1)[0], *["status"] * budget, right(1)[0]).text
    assert "You have kept setting what was already set" in text
    enter(env, 1)
    text = play(env, "observe coin", *["status"] * budget, "observe coin").text
    assert "You have kept" not in text
    assert env.run.number == 1


def test_the_step_budget_shows_a_line_about_time_alone(env):
    prepared(env, 2)
    play(env, "patch table.friction stabilize")
    env.run.steps = env.drawn.step_budget
    text = env.step("wait").text
    assert text.startswith("You have spent too much time")
    assert "Review" not in text
    assert "hidden bill" not in text
    assert footer(text) == state(env)


# --- status, end, refusals --------------------------------------------------------------------------------------


def status_facts(text):
    number, name = re.search(r"^Level (\d)/8: (.*)$", text, re.MULTILINE).groups()
    turn, focus = re.search(r"^Turn (\d+) \| Focus (\d+)/10$", text, re.MULTILINE).groups()
    chosen, resolved = re.search(r"^Diagnosis: (.*) \((resolved|not resolved)\)$", text, re.MULTILINE).groups()
    observed = re.search(r"^Observed: (.*)$", text, re.MULTILINE).group(1)
    resources = re.search(r"^Resources: (.*)$", text, re.MULTILINE).group(1)
    return {
        "level": (int(number), name),
        "turn": int(turn),
        "focus": int(focus),
        "resources": {name: int(value) for name, value in (part.split() for part in resources.split(", "))},
        "observed": [] if observed == "nothing yet" else observed.split(", "),
        "patches": int(re.search(r"^Patches in this level: (\d+)$", text, re.MULTILINE).group(1)),
        "diagnosis": dict(part.split(": ") for part in chosen.split("; ")),
        "resolved": resolved == "resolved",
        "rules": re.findall(r"^Rule found: (.*)$", text, re.MULTILINE),
        "score": int(re.search(r"^Campaign score: (-?\d+)$", text, re.MULTILINE).group(1)),
    }


def test_status_shows_the_state_and_the_score(env):
    enter(env, 6)
    first = status_facts(env.step("status").text)
    assert first["diagnosis"] == dict.fromkeys(AXES, "open")
    assert (first["observed"], first["rules"], first["resolved"]) == ([], [], False)
    play(env, "observe archive_queue", "observe ledger", *right(6), "patch ledger.state reconcile")
    obs = env.step("")
    assert status_facts(obs.text) == {
        "level": (6, LEVELS[5].name),
        "turn": 2,
        "focus": 5,
        "resources": env.run.resources,
        "observed": ["ledger", "archive_queue"],
        "patches": 1,
        "diagnosis": dict(LEVELS[5].right),
        "resolved": True,
        "rules": [prose.RULES["ledger.state reconcile"]],
        "score": obs.score,
    }
    assert not FOOTER.search(obs.text)


def test_the_score_is_shown_by_status_and_the_end_alone(env):
    solution = env.solution(1)
    for action in solution[:-1]:
        obs = env.step(action)
        assert obs.visible_score is None
        assert "score" not in obs.text.lower()
    assert env.step("status").visible_score == env.points()
    assert env.step("help").visible_score is None
    last = env.step(solution[-1])
    assert last.visible_score == last.score == 860
    assert "Total score: 860." in last.text


def end_facts(text):
    cleared, total = re.search(r"Levels cleared: (\d)/8\..* Total score: (-?\d+)\.$", text).groups()
    unresolved = re.search(r"Unresolved: (.*?)\. Total", text)
    return int(cleared), unresolved.group(1).split(", ") if unresolved else [], int(total)


def test_the_three_ends(env):
    obs = play(env, *env.solution(1))
    assert "all levels are solved" in obs.text
    assert end_facts(obs.text) == (8, [], 860)
    enter(env, 8).run.unsolved = ["hard_02"]
    obs = play(env, *["wait"] * 7)
    assert "left unresolved" in obs.text
    assert end_facts(obs.text) == (6, ["hard_02", "hard_08"], obs.score)
    obs = enter(env, 3, memory=0).step("wait")
    assert "failed at level hard_03" in obs.text
    assert end_facts(obs.text) == (2, ["hard_03"], obs.score)
    assert not FOOTER.search(obs.text)
    assert env.step("wait") == env.step("status")
    assert not env.step("status").accepted
    assert env.step("status").score == obs.score


@pytest.mark.parametrize(
    ("action", "fact", "with_state"),
    [
        ("dance", "'dance' is not something you can do", False),
        ("observe", "needs a target", False),
        ("diagnose source", "diagnose <axis>=<option>", False),
        ("diagnose mood=calm", "'mood' is no axis", False),
        ("diagnose source=moon", "object | environment | perception", False),
        ("patch coin", "patch <object>.<property> <change>", False),
        ("patch drain.depth +1", "not observed 'drain'", False),
        ("patch pavement.friction +15%", "diagnosis is not right", False),
        ("observe moon", "no 'moon'", True),
        ("check_anchor moon", "no anchor 'moon'", True),
        ("audit", "nothing to audit", True),
        ("anchor black_notebook", "not available", True),
    ],
)
def test_refusals_name_the_kind_of_fault(env, action, fact, with_state):
    env.step("observe pavement")
    obs = env.step(action)
    assert not obs.accepted
    assert fact in obs.text
    assert bool(FOOTER.search(obs.text)) == with_state


def test_refusals_of_patches(env):
    enter(env, 4, reality_stability=1)
    play(env, "observe wristband", "observe hospital_ledger", *right(4))
    assert "evidence is not sufficient" in env.step("patch wristband.identity bind").text
    assert "mirror" not in env.step("patch wristband.identity bind").text
    assert "no property 'wristband.colour'" in env.step("patch wristband.colour red").text
    assert "'loosen' has no effect" in env.step("patch wristband.identity loosen").text
    assert "reality_stability is too low" in env.step("patch hospital_ledger.status alive").text


def test_what_is_drawn_shows_only_where_it_is_paid():
    """Instances that differ in limits and costs read the same but for limits and the resources left."""
    one, other = make(ENV, 1), make(ENV, 7)
    one.reset(1), other.reset(1)
    rng = random.Random(3)
    for _ in range(12):
        action = rng.choice([action for action in one.valid() if not action.startswith("patch")])
        texts = [re.sub(r"Turn (\d+)/\d+", r"Turn \1", env.step(action).text) for env in (one, other)]
        assert texts[0] == texts[1]
