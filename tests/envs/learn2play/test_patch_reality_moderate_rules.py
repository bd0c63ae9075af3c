"""The rules of Patch Reality: drawn instances, counters, fatal turns, bills, the patch grammar, the best line."""

import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import EnvError, make
from evoplay.envs.learn2play.patch_reality_moderate.data import AXES, LEVELS, START, SUSPICION
from evoplay.envs.learn2play.patch_reality_moderate.rules import (
    OUT_OF_TURNS,
    Run,
    Scene,
    act,
    draw,
    idle_budget,
    score,
    turns_used,
    valid_actions,
)

from .golden import golden

GAME = "patch_reality_moderate"
ENV = f"learn2play/{GAME}"
OFFICIAL = draw(1, 1)


def at_level(number, **resources):
    """A campaign that has just entered a level (counted from 1)."""
    run = Run(number=number - 1, resources=START | resources)
    run.anchors = {name: 100 for level in LEVELS[:number] for name in level.anchors}
    run.scene = Scene(dict(run.resources))
    return run


def play(run, *actions, drawn=OFFICIAL):
    return [act(drawn, run, action) for action in actions]


def right(number):
    return [f"diagnose {axis}={option}" for axis, option in LEVELS[number - 1].right.items()]


def kinds(events):
    return [event.kind for event in events]


def fault(events):
    return events[0].facts[0][0]


@pytest.mark.parametrize("index", range(len(golden(GAME)["extra_traces"])))
def test_instances_of_later_resets_replay(index):
    trace = golden(GAME)["extra_traces"][index]
    env = make(ENV, trace["seed"], resets=trace["resets"])
    obs = env.reset(1)
    for number, action in enumerate(trace["actions"]):
        if str(number) in trace["valid"]:
            assert sorted(obs.valid_actions) == trace["valid"][str(number)]
        obs = env.step(action)
        assert (obs.score, obs.done) == (trace["scores"][number], trace["dones"][number])
    assert obs.score == trace["final_score"]
    assert env.turns_used() == trace["final_turn_count"]


@pytest.mark.parametrize("index", range(len(golden(GAME)["traces"])))
def test_turns_are_counted_as_recorded(index):
    trace = golden(GAME)["traces"][index]
    run, drawn = Run(), draw(trace["seed"], 1)
    play(run, *trace["actions"], drawn=drawn)
    assert turns_used(run) == trace["final_turn_count"]


@pytest.mark.parametrize(
    ("seed", "resets", "limits", "pavement", "coin"),
    [
        (1, 1, "98788988", (-1, -1), (-2, -2)),
        (7, 1, "79988899", (0, 0), (-3, -4)),
        (11, 1, "99877887", (-1, -1), (-2, -2)),
        (1, 2, "79778978", (-1, -2), None),
    ],
)
def test_drawn_instances(seed, resets, limits, pavement, coin):
    drawn = draw(seed, resets)
    assert "".join(map(str, drawn.limits)) == limits
    assert drawn.costs["pavement.friction +15%"] == pavement
    assert coin in (None, drawn.costs["coin.path +3cm"])


def test_resets_choose_the_instance_and_its_reference():
    third = make(ENV, 1, resets=3)
    assert third.drawn.limits == (8, 7, 8, 9, 7, 10, 8, 8)
    assert third.reference(4).value == 863
    assert make(ENV, 1).reference(4).value == 860
    for wrong in (0, True, "2"):
        with pytest.raises(EnvError, match="resets"):
            make(ENV, 1, resets=wrong)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), resets=st.integers(1, 30))
def test_the_reference_follows_from_the_drawn_costs(seed, resets):
    env = make(ENV, seed, resets=resets)
    memory, stability = env.drawn.costs["pavement.friction +15%"]
    assert env.solve(resets).value == 863 + 2 * memory + stability


def test_the_scores_of_the_levels_on_the_best_line():
    run, gained = Run(), []
    for action in make(ENV).solve(1).actions:
        before = run.number, run.banked
        act(OFFICIAL, run, action)
        if run.number > before[0] or run.ended:
            gained.append(run.banked - before[1])
    assert gained == [112, 111, 110, 109, 109, 101, 105, 103]


def level_outcomes(number, suspicion):
    """Best score of a level by the suspicion it is left with: all of looking, right diagnoses, audits, patches."""
    start = at_level(number, **{SUSPICION: suspicion})
    best, seen, todo = {}, set(), [(start, 0)]
    idle = copy.deepcopy(start)
    while idle.number == start.number and not idle.ended:
        act(OFFICIAL, idle, "wait")
    best[idle.resources[SUSPICION]] = idle.banked
    while todo:
        run, audits = todo.pop()
        for action in valid_actions(run):
            verb, _, rest = action.partition(" ")
            more = audits + (verb == "audit")
            useful = {
                "observe": rest not in run.scene.observed,
                "diagnose": action in right(number) and rest.partition("=")[0] not in run.scene.diagnosis,
                "audit": more <= 2,
                "patch": len(run.scene.ledger) < 3,
            }
            if not useful.get(verb, False):
                continue
            after = copy.deepcopy(run)
            act(OFFICIAL, after, action)
            if after.ended or after.number > run.number:
                left = after.resources[SUSPICION]
                best[left] = max(best.get(left, -999), after.banked)
                continue
            scene = after.scene
            ledger = tuple((entry.patch.name, entry.revealed) for entry in scene.ledger)
            key = (frozenset(scene.observed), frozenset(scene.tags), len(scene.diagnosis), more, ledger)
            if key not in seen:
                seen.add(key)
                todo.append((after, more))
    return best


@pytest.mark.slow
def test_a_search_level_by_level_finds_nothing_better():
    totals = {0: 0}
    for number in range(1, 9):
        reached = {}
        for suspicion, total in totals.items():
            for left, gain in level_outcomes(number, suspicion).items():
                reached[left] = max(reached.get(left, -999), total + gain)
        # More suspicion with no more points leads nowhere better.
        totals = {s: total for s, total in reached.items() if all(total > reached[t] for t in reached if t < s)}
    assert max(totals.values()) == 860


def test_the_tail_asks_for_no_evidence():
    """With a typed FOR no evidence is asked for: the most any input can reach."""
    run = Run()
    looks = ("pavement", "residual_patch", "key", "wristband", "acoustic_log", "ledger archive_queue", "cameras",
             "name_anchor")  # fmt: skip
    for number, (level, things) in enumerate(zip(LEVELS, looks, strict=True), start=1):
        founded = [patch.name for patch in level.patches.values() if patch.founded]
        play(run, *(f"observe {thing}" for thing in things.split()), *right(number))
        play(run, *(f"patch {name} FOR" for name in founded))
    assert run.ended
    assert score(run) == 882


@pytest.mark.parametrize(
    ("tail", "kind"),
    [
        ("bind", "refused"), ("bind FOR", "patched"), ("bind for ever", "patched"),
        ("bind FOR 2t SCOPE all", "patched"), ("bind FOR 2t SCOPE", "patched"), ("bind FOR SCOPE all", "refused"),
        ("bind SCOPE all", "refused"), ("bind FOR 2t SCOPE all PAY memory", "refused"), ("bind PAY", "refused"),
        ("FOR", "refused"), ("Bind", "refused"), ("bind now", "refused"),
    ],
)  # fmt: skip
def test_the_wording_of_a_patch(tail, kind):
    run = at_level(4)
    play(run, "observe wristband", *right(4))
    assert act(OFFICIAL, run, f"PATCH Wristband.Identity {tail}")[0].kind == kind
    assert (run.number == 4) == (kind == "patched")
    assert score(run) == (111 if kind == "patched" else -10)


def test_faults_in_the_order_they_are_looked_for():
    run = at_level(8)
    seen = [
        ("patch name_anchor", "patch form", False),
        ("patch name_anchor reclaim", "patch form", False),
        ("patch name_anchor.binding reclaim", "not observed", False),
        ("observe name_anchor", None, None),
        ("patch name_anchor.colour red", "unfitting", False),
        *((action, None, None) for action in right(8)),
        ("patch name_anchor.binding reclaim", "evidence", False),
        ("patch name_anchor.colour red", "property", True),
        ("patch name_anchor.binding loosen", "change", True),
        ("diagnose source", "diagnosis", False),
        ("diagnose\tsource=object", "diagnosis", False),
        ("diagnose mood=object", "axis", False),
        ("diagnose source=object now", "option", False),
        ("observe", "target", False),
        ("observe moon", "object", True),
        ("audit", "audit", True),
        ("audit p1", "audit", True),
        ("check_anchor moon", "anchor", True),
        ("anchor core_identity", "unavailable", True),
        ("wait 2", "verb", False),
        ("help me", "verb", False),
        ("predict option_a", "verb", False),
    ]
    for action, kind, executed in seen:
        events = act(OFFICIAL, run, action)
        assert (events[0].kind == "refused") == (kind is not None), action
        if kind:
            assert (fault(events), events[0].flag) == (kind, executed), action
    faults = sum(kind is not None for _, kind, _ in seen)
    assert (run.scene.invalid, run.scene.turn, run.scene.focus, run.scene.idle) == (faults, 1, 6, 0)
    assert score(run) == -10 * faults


def test_words_after_a_target_and_case_do_not_matter():
    run = at_level(1)
    for action in ("  OBSERVE Coin at once ", "diagnose  Source = ENVIRONMENT", "Check_Anchor BLACK_NOTEBOOK", "WAIT"):
        assert act(OFFICIAL, run, action)[0].kind != "refused"
    assert run.scene.focus == 7


def test_without_focus_one_can_still_wait_and_patch():
    run = at_level(1)
    play(run, *right(1), "observe pavement", *["observe coin"] * 6)
    assert run.scene.focus == 0
    patches = ["patch coin.path +3cm", "patch pavement.friction +15%"]
    assert valid_actions(run) == ["wait", *patches, "help", "status"]
    assert fault(act(OFFICIAL, run, "observe coin")) == "focus"
    assert fault(act(OFFICIAL, run, "observe moon")) == "object"
    assert fault(act(OFFICIAL, run, "diagnose source=object")) == "focus"
    assert fault(act(OFFICIAL, run, "diagnose source=moon")) == "option"


def test_the_order_of_the_listed_actions():
    run = at_level(6)
    play(run, "observe ledger", "observe archive_queue", *right(6), "patch ledger.state reconcile")
    level = LEVELS[5]
    assert valid_actions(run) == [
        *(f"observe {thing}" for thing in ("ledger", "archive_queue", "security_log", "terminal")),
        *(f"diagnose {axis}={option}" for axis in AXES for option in level.options[axis]),
        "wait", "patch archive_queue.reindex halt", "patch ledger.state reconcile", "audit", "audit security_log",
        *(f"check_anchor {name}" for name in run.anchors), "help", "status",
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(1, 9))
def test_waiting_fails_a_level_at_its_fatal_turn(number):
    run = at_level(number)
    events = play(run, *["wait"] * (LEVELS[number - 1].fatal - 1))
    assert kinds(events[-1])[:3] == ["waited", "fatal", "review"]
    assert run.unsolved == [LEVELS[number - 1].id]


def test_a_halted_queue_averts_the_fatal_turn_but_not_the_limit():
    drawn = OFFICIAL._replace(limits=(*OFFICIAL.limits[:5], 10, *OFFICIAL.limits[6:]))
    run = at_level(6)
    play(run, "observe archive_queue", *right(6), "patch archive_queue.reindex halt", drawn=drawn)
    play(run, *["wait"] * 8, drawn=drawn)
    assert run.scene.turn == 10
    assert "review" in kinds(act(drawn, run, "wait"))
    assert run.number == 6


def test_signing_and_then_reclaiming_wins_unless_it_was_audited():
    for audited in (False, True):
        run = at_level(8)
        play(run, "observe name_record", "observe name_anchor", "observe agent_offer", "audit agent_offer", *right(8))
        play(run, "patch agent_offer.accept sign", *["audit"] * audited)
        assert run.anchors["core_identity"] == (50 if audited else 100)
        play(run, "patch name_anchor.binding reclaim")
        assert run.ended != audited
        assert run.unsolved == []
        if audited:
            play(run, *["wait"] * 6)
            assert run.turns == OFFICIAL.limits[7]
            assert run.unsolved == ["hard_08"]


def test_hidden_bills_fall_due_unless_audited_before():
    bills = {}
    for audits in (0, 1, 2):
        run = at_level(4)
        play(run, "observe hospital_ledger", *right(4), "patch hospital_ledger.status alive", *["audit"] * audits)
        assert run.anchors["true_name"] == (90 if audits else 100)
        act(OFFICIAL, run, "patch hospital_ledger.status alive")
        events = play(run, *["wait"] * 5)[-1]
        bills[audits] = [event.number for event in events if event.kind == "settled"]
        assert (run.resources["existence"], run.anchors["true_name"]) == (60, 80)
    assert bills == {0: [1, 2], 1: [2], 2: [2]}


def test_suspicion_presses_at_the_end_of_a_level():
    for suspicion, stability, memory in ((3, 0, 0), (4, 1, 0), (6, 3, 0), (7, 4, 1), (10, 7, 4)):
        run = at_level(1, agent_suspicion=suspicion)
        play(run, *["wait"] * 7)
        assert START["reality_stability"] - run.resources["reality_stability"] == stability
        assert START["memory"] - run.resources["memory"] == memory
        assert run.banked == -suspicion - stability - 2 * memory


@pytest.mark.parametrize(("number", "by"), [(n, by) for n in range(1, 9) for by in ("status", "diagnosis")])
def test_idling_ends_a_level(number, by):
    run, budget = at_level(number), idle_budget(LEVELS[number - 1])
    assert budget == {4: 12, 6: 20, 7: 20}.get(number, 16)
    act(OFFICIAL, run, right(number)[0])
    play(run, *["", "STATUS"] * (budget // 2))
    assert run.number == number - 1
    last = act(OFFICIAL, run, "status" if by == "status" else right(number)[0])
    assert (last[0 if by == "status" else 1].kind, run.unsolved) == ("idled", [LEVELS[number - 1].id])
    assert run.banked == -10


def test_a_new_act_ends_the_idling_and_refusals_do_not_touch_it():
    run = at_level(1)
    play(run, *["status"] * 10, "foo", "help")
    assert run.scene.idle == 10
    for action, idle in (("observe coin", 0), ("observe coin", 1), (right(1)[0], 0), (right(1)[0], 1), ("wait", 0)):
        act(OFFICIAL, run, action)
        assert run.scene.idle == idle


@pytest.mark.parametrize(
    ("resource", "penalty"),
    [("existence", 100), ("memory", 100), ("reality_stability", 100), ("personal_time", 100), ("agent_suspicion", 40)],
)
def test_a_resource_that_gives_out_ends_the_campaign(resource, penalty):
    value = 99 if resource == "agent_suspicion" else 0
    run = at_level(2, **{resource: value})
    act(OFFICIAL, run, right(2)[0])
    assert not run.ended
    events = act(OFFICIAL, run, "audit residual_patch")
    assert kinds(events)[-1] == "end"
    assert (run.ended, run.failed) == (True, "hard_02")
    suspicion = run.resources["agent_suspicion"]
    pressure = max(1, suspicion - 3) + 2 * (suspicion - 6) if suspicion >= 4 else 0
    assert score(run) == -penalty - suspicion - pressure


def test_existence_lost_at_the_settlement_ends_a_solved_level_too():
    run = at_level(4, existence=15)
    play(run, "observe hospital_ledger", "observe wristband", "audit hospital_ledger", *right(4))
    play(run, "patch hospital_ledger.status alive", "patch wristband.identity bind")
    assert (run.ended, run.failed, run.unsolved) == (True, "hard_04", ["hard_04"])


def test_a_patch_beyond_ones_means_is_refused():
    run = at_level(3, reality_stability=1)
    play(run, "observe key", "observe lighting", *right(3))
    assert fault(act(OFFICIAL, run, "patch key.state solidify")) == "short"
    assert (run.scene.turn, run.resources["reality_stability"]) == (1, 1)


def test_the_step_budget_ends_level_after_level():
    run = Run()
    assert OFFICIAL.step_budget == 8 * 65 + 200
    play(run, *["foo"] * OFFICIAL.step_budget, *["status", "help"] * 3)
    assert (run.number, score(run)) == (0, -10 * OFFICIAL.step_budget)
    for number in range(1, 8):
        assert kinds(act(OFFICIAL, run, "foo")) == ["spent", "entered"]
        assert run.number == number
    assert kinds(act(OFFICIAL, run, "wait")) == ["spent", "end"]
    assert run.unsolved == [level.id for level in LEVELS]
    assert score(run) == -10 * OFFICIAL.step_budget
    assert act(OFFICIAL, run, "wait")[0].kind == "over"


def test_the_step_budget_keeps_an_earlier_reason():
    run = at_level(1)
    run.steps = OFFICIAL.step_budget
    scene = run.scene
    act(OFFICIAL, run, "wait")
    assert scene.reason == OUT_OF_TURNS


def test_anchors_are_carried_and_not_doubled():
    run = at_level(3)
    run.anchors["true_name"] = 40
    run.anchors["home_address"] = 0
    play(run, *["wait"] * 7)
    assert run.anchors["true_name"] == 40
    assert "home_address" not in run.anchors


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_listed_actions_are_never_refused(seed):
    rng, run, drawn = random.Random(seed), Run(), draw(seed, 1)
    for _ in range(200):
        actions = valid_actions(run)
        if not actions:
            assert run.ended
            break
        assert act(drawn, run, rng.choice(actions))[0].kind != "refused"
