"""Generated episodes: what slots fix, what acceptance demands, what an export holds, and that a seed decides it all."""

import ast
import dataclasses
import hashlib
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evoplay.envs.adaexplore import TASKS, generation
from evoplay.envs.adaexplore.config import FAMILIES, WORLD
from evoplay.envs.adaexplore.exchange import ExchangeError, from_data, read_file, to_data, write_episodes
from evoplay.envs.adaexplore.generation import SlotError, generate, generate_split, with_new_cases
from evoplay.envs.adaexplore.slots import split_slots
from evoplay.envs.base import EnvError

from . import independent

SOME = (0, 5, 10, 15, 65, 71, 130, 204)


@pytest.fixture(scope="module")
def some():
    slots = split_slots("eval")
    return [generate(slots[index], 3)[0] for index in SOME]


def exported(episodes):
    out = io.StringIO()
    write_episodes(episodes, out)
    return out.getvalue()


def counts(slots, *names):
    return Counter(tuple(getattr(slot, name) for name in names) for slot in slots)


def test_evaluation_slots_are_balanced_exactly():
    slots = split_slots("eval")
    assert len(slots) == 256
    assert set(counts(slots, "domain", "family").values()) == {16}
    assert set(counts(slots, "task", "family").values()) == {4}
    assert counts(slots, "factors") == {(3,): 128, (4,): 128}
    assert set(counts(slots, "task", "family", "drift").values()) == {1}
    assert set(counts(slots, "task", "family", "factors").values()) == {2}
    assert set(counts(slots, "factors", "drift").values()) == {32}
    assert set(counts(slots, "family", "factors", "drift").values()) == {8}
    assert {slot.drift for slot in slots} == {5, 6, 7, 8}


def test_training_slots_are_as_even_as_a_thousand_can_be():
    slots = split_slots("train")
    assert len(slots) == 1000
    assert set(counts(slots, "family").values()) == {250}
    assert counts(slots, "factors") == {(3,): 500, (4,): 500}
    assert set(counts(slots, "drift").values()) == {250}
    assert set(counts(slots, "task", "family").values()) == {15, 16}
    assert set(counts(slots, "family", "factors").values()) == {125}


def test_an_unknown_split_names_those_there_are():
    with pytest.raises(EnvError, match="'test' is unknown: use one of eval, train"):
        split_slots("test")


def test_the_checker_imports_nothing_of_the_package():
    tree = ast.parse(Path(independent.__file__).read_text(encoding="utf-8"))
    imported = {
        (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {"json", "math", "numpy", "scipy"}


def test_accepted_episodes_keep_every_condition(some):
    assert [fault for line in exported(some).splitlines() for fault in independent.faults(line)] == []


def test_the_checker_sees_broken_conditions(some):
    line = to_data(some[0])
    spoiled = {
        "calibration": {**line, "calibration": [value + 0.01 for value in line["calibration"]]},
        "an illegal case": {**line, "cases": [[10**6] * 8, *line["cases"][1:]]},
        "priority": {**line, "after": {**line["after"], "factors": line["after"]["factors"][::-1]}},
        "changed cases": {**line, "cases": line["cases"][:1] * 60},
        "actions before": {**line, "cases": [line["cases"][0]] * 60},
    }
    for what, broken in spoiled.items():
        assert any(what in fault for fault in independent.faults(json.dumps(broken))), what


@pytest.mark.slow
def test_all_evaluation_episodes_keep_every_condition():
    episodes = [episode for episode, _ in generate_split("eval", 1)]
    assert len(episodes) == 256
    assert [fault for line in exported(episodes).splitlines() for fault in independent.faults(line)] == []


@pytest.mark.slow
def test_training_episodes_keep_every_condition():
    episodes = [episode for episode, _ in generate_split("train", 1)]
    assert [fault for line in exported(episodes[::10]).splitlines() for fault in independent.faults(line)] == []


def test_a_slot_fixes_what_rejection_may_not_touch(some):
    slots = split_slots("eval")
    for index, episode in zip(SOME, some, strict=True):
        slot = slots[index]
        assert episode.slot == slot
        assert episode.before.family == episode.after.family == slot.family
        assert len(episode.before.factors) == len(episode.after.factors) == slot.factors


def test_the_same_seed_gives_the_same_bytes_in_another_process(some):
    script = (
        "import sys, io, hashlib\n"
        "from evoplay.envs.adaexplore.generation import generate\n"
        "from evoplay.envs.adaexplore.slots import split_slots\n"
        "from evoplay.envs.adaexplore.exchange import write_episodes\n"
        "slots = split_slots('eval'); out = io.StringIO()\n"
        f"write_episodes([generate(slots[i], 3)[0] for i in {SOME}], out)\n"
        "print(hashlib.sha256(out.getvalue().encode()).hexdigest())\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hashlib.sha256(exported(some).encode()).hexdigest()


def test_seeds_and_splits_give_different_episodes(some):
    slot = split_slots("eval")[SOME[0]]
    other_seed = generate(slot, 4)[0]
    other_split = generate(split_slots("train")[SOME[0]], 3)[0]
    texts = {json.dumps(to_data(one)["cases"]) for one in (some[0], other_seed, other_split)}
    assert len(texts) == 3
    assert other_split.population_seed[1] != some[0].population_seed[1]


def test_candidates_are_counted_by_reason():
    slots = [slot for slot in split_slots("eval") if slot.task == "mail-gateway"]
    episode, tally = max((generate(slot, 1) for slot in slots[:6]), key=lambda found: found[1].drawn)
    assert tally.accepted == 1
    assert tally.drawn == 1 + sum(tally.rejected.values()) > 1
    assert set(tally.rejected) <= set(generation.REASONS)
    assert episode.population_seed[3] == tally.drawn - 1


def test_a_slot_without_episode_names_the_worst_condition(monkeypatch):
    strict = dataclasses.replace(WORLD, action_share=(0.25, 0.25), tries=5)
    monkeypatch.setattr(generation, "WORLD", strict)
    with pytest.raises(SlotError, match=r"failed 5 times, 5 of them because an action is best for too few"):
        generate(split_slots("eval")[0], 1)


def test_new_cases_keep_the_rule_and_the_conditions(some):
    fresh = [with_new_cases(some[1], 3, number) for number in (2, 3)]
    for one in fresh:
        assert (one.before, one.after, one.calibration, one.slot) == (
            some[1].before,
            some[1].after,
            some[1].calibration,
            some[1].slot,
        )
        assert independent.faults(exported([one])) == []
    assert len({one.cases.tobytes() for one in (some[1], *fresh)}) == 3
    assert (with_new_cases(some[1], 3, 2).cases == fresh[0].cases).all()


def test_an_export_reads_back_as_it_was(some, tmp_path):
    file = tmp_path / "episodes.jsonl"
    file.write_text(exported(some), encoding="utf-8")
    again = list(read_file(file))
    assert [to_data(one) for one in again] == [to_data(one) for one in some]
    assert exported(again) == exported(some)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 9}, "line 1: schema 9; expected 1"),
        ({"family": "magic"}, "line 1: not an episode .*family 'magic'"),
        ({"cases": [[1, 2]]}, "cases of shape"),
        ({"batches": 3}, "3 batches of 5; expected 12 of 5"),
        ({"calibration": None}, "line 1: not an episode"),
    ],
)
def test_a_spoiled_file_is_refused_by_line(some, tmp_path, change, said):
    file = tmp_path / "spoiled.jsonl"
    file.write_text(json.dumps({**to_data(some[0]), **change}), encoding="utf-8")
    with pytest.raises(ExchangeError, match=said):
        list(read_file(file))


def test_other_files_are_no_episodes(tmp_path):
    with pytest.raises(ExchangeError, match="cannot be read"):
        list(read_file(tmp_path / "none.jsonl"))
    file = tmp_path / "words.jsonl"
    file.write_text("once upon a time\n", encoding="utf-8")
    with pytest.raises(ExchangeError, match="line 1: not an episode"):
        list(read_file(file))
    with pytest.raises(KeyError):
        from_data({})


def test_every_domain_has_four_tasks_and_every_family_is_used():
    assert {domain: len(tasks) for domain, tasks in TASKS.items()} == dict.fromkeys(TASKS, 4)
    assert {slot.family for slot in split_slots("eval")} == set(FAMILIES)
