"""The graders of Plague Doctor: complete, partial and no evidence, on play made for it (seed 2)."""

from collections import Counter

from evoplay.envs import make
from evoplay.envs.learn2play.plague import draw_carriers, plan_actions
from evoplay.evaluation.rules.plague import course_of, grade

from .play import play_trial, random_trial, solver_trial

ENV = "learn2play/plague"


def carriers(episode):
    return draw_carriers(2, episode)


def solved(episode):
    return plan_actions(carriers(episode))


def locking(*villagers):
    return [f"quarantine_{villager}" for villager in villagers]


def got(rule, scripts):
    return grade(play_trial(ENV, scripts))[rule]


def test_the_solver_shows_every_rule():
    assert set(grade(solver_trial(ENV)).values()) == {"S"}


def test_random_play_shows_almost_nothing():
    grades = Counter((rule, got) for number in range(20) for rule, got in grade(random_trial(ENV, number)).items())
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6"):
        assert grades[rule, "S"] == 0
        assert grades[rule, "-"] >= 15


def test_sources():
    one = [locking(0, carriers(episode)[0]) for episode in (1, 2, 3, 4)]
    both = [locking(*carriers(episode)) for episode in (1, 2, 3, 4)]
    assert got("T1", [[], [], both[2], both[3]]) == "S"
    assert got("T1", [both[0], both[1], [], []]) == "P"
    assert got("T1", [one[0], [], one[2], []]) == "P"
    assert got("T1", [one[0], [], [], []]) == "-"
    assert got("T1", [locking(0, 1, carriers(episode)[0]) for episode in (1, 2)]) == "-"


def test_an_action_the_turn_limit_swallows_is_no_deed(monkeypatch):
    env = make(ENV)
    monkeypatch.setattr("evoplay.envs.learn2play.plague.MAX_TURNS", 1)
    (record,) = play_trial(ENV, [["end_day", *locking(0)]]).episodes
    assert course_of(env, record).locked == []


def test_early_isolation():
    def on_day(episode, day):
        return ["end_day"] * (day - 1) + locking(*carriers(episode))

    assert got("T2", [[], on_day(2, 3), on_day(3, 3)]) == "S"
    assert got("T2", [[], on_day(2, 3), on_day(3, 4)]) == "P"
    assert got("T2", [on_day(1, 6), [], []]) == "P"
    assert got("T2", [on_day(1, 7), [], []]) == "-"


def test_the_sick_left_free():
    def sick(episode):
        return ["end_day", *locking(carriers(episode)[0] + 1)]

    healthy = locking(0)
    assert got("T3", [sick(1), [], healthy, healthy]) == "S"
    assert got("T3", [[], [], healthy, sick(4)]) == "P"
    assert got("T3", [[], [], sick(3), sick(4)]) == "-"
    assert got("T3", [healthy, healthy, healthy, []]) == "-"


def test_carriers_kept_in():
    def freed(episode, *after):
        one = carriers(episode)[0]
        return [*locking(*carriers(episode)), f"release_{one}", *after, f"quarantine_{one}"]

    kept = [locking(*carriers(episode)) for episode in (1, 2, 3, 4)]
    assert got("T4", [[], [], kept[2], kept[3]]) == "S"
    assert got("T4", [[], [], kept[2], freed(4, "end_day", "end_day")]) == "P"
    assert got("T4", [[], [], kept[2], freed(4, "end_day", "end_day", "end_day")]) == "-"
    assert got("T4", [[], [], freed(3), freed(4)]) == "-"
    assert got("T4", [[], [], [], kept[3]]) == "-"


def test_worst_first():
    def one_lost(episode):
        """The plan without its last patient, with the points given to people who need them less."""
        one, _ = carriers(episode)
        return [*solved(episode)[:7], f"release_{one}", f"quarantine_{one}", *["end_day"] * 12]

    assert got("T5", [[], solved(2), solved(3)]) == "S"
    assert got("T5", [[], solved(2), one_lost(3)]) == "P"
    assert got("T5", [[], solved(2), []]) == "-"
    assert got("T5", [[], solved(2), ["end_day"] * 14]) == "-"


def test_searching_anew():
    def found(episode):
        return ["end_day", *locking(carriers(episode)[0])]

    assert got("T6", [[], [], found(3), found(4), found(5)]) == "S"
    assert got("T6", [[], [], found(3), locking(carriers(4)[0]), found(5)]) == "P"
    assert got("T6", [[], [], found(3), ["end_day", *locking(0)], found(5)]) == "P"
    assert got("T6", [[], [], found(3), [], []]) == "-"
    assert got("T6", [found(1), found(2)]) == "-"
