"""The run log: append-only, cut lines, locks, voided episodes."""

import json
import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.evaluation.history import read_history, resume_point, valid_events
from evoplay.evaluation.runlog import Cell, CellLog, RunFolder, RunLogError, read_events


def started(episode):
    return {"type": "episode_started", "episode": episode, "opening": "Begin.", "at": 0}


def step(episode, number, score=1):
    return {
        "type": "step", "id": f"c/e{episode:02d}/s{number:03d}", "episode": episode, "step": number, "call": None,
        "action": "a", "accepted": True, "outcome": "So.", "valid": [], "score": score, "visible": None,
        "done": False, "seconds": [0, 0],
    }  # fmt: skip


def finished(episode, score=1):
    return {"type": "episode_finished", "episode": episode, "score": score, "closing": "", "seconds": 0, "steps": 1}


def closed(episode, state=None):
    return {"type": "episode_closed", "episode": episode, "state": state or {}}


def call(number):
    return {
        "type": "call", "n": number, "purpose": "act", "episode": 1, "step": 1, "seed": 0, "reply": "r", "messages": [],
    }  # fmt: skip


CLAIM = {"type": "claim", "op": "claim", "claim": "c/c001", "episode": 2, "kind": "rule", "text": "Fire pays."}


def one(episode, *more):
    return [started(episode), step(episode, 1), *more, finished(episode), closed(episode, {"after": episode})]


def opened(tmp_path, *events):
    log = CellLog(tmp_path / "cells" / "t1.jsonl")
    log.open()
    log.write(events)
    log.close()
    return log


def test_events_come_back_as_they_were_written(tmp_path):
    events = [{"type": "y", "text": "zwölf\nBären \ud800"}, {"type": "x", "n": [1, 2.5, None, {"a": True}]}]
    log = opened(tmp_path, *events)
    kept = list(log.events())
    assert kept[0] == {"type": "opened", "schema": 1}
    assert kept[2] == events[1]
    assert kept[1]["text"] == "zwölf\nBären ?"


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_half_written_last_line_is_left_out_and_cut_on_opening(tmp_path, cut):
    log = opened(tmp_path, *one(1))
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b'{"type":"step","outcome":"' + b"x" * 100_000 + b"y" * cut)
    assert [event["type"] for event in log.events()][-1] == "episode_closed"
    log.open()
    log.write([started(2)])
    log.close()
    assert log.path.read_bytes().startswith(whole)
    assert list(log.events())[-1] == started(2)


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    log = opened(tmp_path, *one(1))
    lines = log.path.read_bytes().splitlines(keepends=True)
    lines[2] = b"{broken\n"
    log.path.write_bytes(b"".join(lines))
    with pytest.raises(RunLogError, match="line 3, is not an event"):
        list(log.events())


def test_another_schema_is_refused(tmp_path):
    path = tmp_path / "t1.jsonl"
    path.write_text('{"type":"opened","schema":99}\n')
    with pytest.raises(RunLogError, match="schema 99, this version reads schema 1"):
        list(read_events(path))
    (tmp_path / "run.json").write_text(json.dumps({"schema": 99}))
    with pytest.raises(RunLogError, match="schema 99"):
        RunFolder(tmp_path).read()


def test_an_unfinished_episode_is_voided_and_its_calls_stay_counted(tmp_path):
    log = opened(tmp_path, *one(1, call(1)), started(2), step(2, 1), call(2))
    point = resume_point(log.events())
    assert point == {"type": "resumed", "keep_until": 0}
    log.open()
    log.write([point, started(2), step(2, 1, score=7), finished(2, 7)])
    log.close()
    history = read_history(log.events())
    assert [(record.episode, record.score) for record in history.past.episodes] == [(1, 1), (2, 7)]
    assert history.past.unclosed
    assert history.calls == 2
    voided = [event["type"] for event, holds in valid_events(log.events()) if not holds]
    assert voided == ["episode_started", "step", "call"]


def test_a_finished_episode_is_kept_when_taking_it_in_was_cut_off():
    events = [*one(1), started(2), step(2, 1), finished(2), call(2), CLAIM]
    point = resume_point(events)
    history = read_history([*events, point])
    assert len(history.past.episodes) == 2
    assert history.past.unclosed
    assert history.claims == []
    again = read_history([*events, point, call(3), CLAIM, closed(2)])
    assert len(again.claims) == 1
    assert not again.pending


def test_nothing_to_void_gives_no_point():
    assert resume_point([]) is None
    assert resume_point([{"type": "opened", "schema": 1}]) is None
    assert resume_point([{"type": "opened", "schema": 1}, *one(1)]) is None
    assert resume_point([*one(1), started(2), finished(2)]) is None


@given(st.integers(0, 40), st.integers(0, 40))
def test_wherever_a_log_is_cut_resuming_leaves_every_episode_once(first, second):
    """Cut the log of three episodes at two places, each time resuming: the finished episodes are 1, 2, 3 in the end."""
    events = []
    for cut in (first, second, 10**6):
        point = resume_point(events)
        if point is not None:
            events.append(point)
        history = read_history(events)
        rest = []
        if history.past.unclosed:
            rest += [call(0), closed(history.past.episodes[-1].episode)]
        for episode in range(len(history.past.episodes) + 1, 4):
            rest += one(episode, call(0))
        events += rest[:cut]
    history = read_history(events)
    assert [record.episode for record in history.past.episodes] == [1, 2, 3]
    assert not history.pending
    assert sum(event["type"] == "episode_finished" and holds for event, holds in valid_events(events)) == 3


def _try_lock(path, answer):
    try:
        RunFolder(path).lock()
        answer.put("locked")
    except RunLogError as error:
        answer.put(str(error))


def test_a_second_process_is_told(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.lock()
    answer = multiprocessing.Queue()
    other = multiprocessing.Process(target=_try_lock, args=(tmp_path / "run", answer))
    other.start()
    assert "another process is running" in answer.get(timeout=20)
    other.join()
    folder.unlock()
    folder.lock()
    folder.unlock()


def test_cells_are_told_apart_and_their_ids_say_nothing():
    cells = [
        Cell("learn2play/gemforge", 1, "memory", 1),
        Cell("learn2play/gemforge", 1, "memory:keep=best", 1),
        Cell("learn2play/gemforge", 2, "memory", 1),
        Cell("./my game.py:Game", 1, "memory", 1),
        Cell("./my_game.py:Game", 1, "memory", 1),
    ]
    assert len({cell.path for cell in cells}) == len({cell.id for cell in cells}) == len(cells)
    assert all("gem" not in cell.id and "/" not in cell.id for cell in cells)
    assert cells[0].path == "learn2play.gemforge.s1/memory/t1"
