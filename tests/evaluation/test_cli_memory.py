"""evoplay memory and evoplay why, on a run of a scripted backbone."""

import json
import shutil

import pytest

from evoplay.evaluation.cli import main
from evoplay.evaluation.config import make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.runner import Run
from tests.scripted import ScriptedBackbone, fields

ACTIONS = ("add_sulfur", "add_iron", "fire", "add_salt", "fire")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two trials of three episodes: a claim, another wording of it, and one that is retracted."""
    out = tmp_path_factory.mktemp("runs") / "r"
    calls = {}

    def answer(messages, purpose):
        if purpose == "act":
            return f"Action: {ACTIONS[int(messages[-1].content.rpartition('This is step ')[2].split()[0]) - 1]}"
        text = messages[-1].content
        made = calls[text] = calls.get(text, 0) + 1
        assert made <= 2
        if "none yet" in text:
            first = {"statement": "Fire pays.", "action": "fire", "effect": "score up", "steps": ["3"]}
            second = {"statement": "Iron pays 20.", "action": "fire", "effect": "score +20", "steps": ["3"]}
            return fields(claims=json.dumps([first, second]))
        if "[c001] Fire pays." in text:
            better = {"statement": "Sulfur and iron pay 20.", "rewords": "c001", "action": "fire", "steps": ["3"],
                      "condition": "after `add_sulfur`, `add_iron`", "effect": "score +20"}  # fmt: skip
            return fields(claims=json.dumps([better]))
        return fields(claims="[]")

    config = make_config(
        {"env": "learn2play/gemforge", "method": "evidence", "episodes": 3, "trials": 2, "max_steps": 5}
        | {"concurrency": 1, "out": str(out)}
    )
    run = Run(config, ScriptedBackbone(answer))
    assert run.execute(run.prepare()).exit_code == 0
    return out


@pytest.fixture
def evoplay(capsys, monkeypatch):
    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["evoplay", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return call


def test_claims_are_listed_with_counts_and_status(evoplay, folder):
    code, out, _ = evoplay("memory", folder, "--cell", "t1")
    assert code == 0
    first, *rows = out.splitlines()
    assert first.endswith("2 of 2 claims")
    assert rows == [
        "c001  rule, established, 3 for, 0 against: Sulfur and iron pay 20.",
        "c002  rule, hypothesis, 3 for, 3 against: Iron pays 20.",
    ]
    assert "c001" not in evoplay("memory", folder, "--cell", "t1", "--status", "hypothesis")[1]
    assert len(json.loads(evoplay("memory", folder, "--cell", "t2", "--json")[1])) == 2


def test_why_shows_the_steps_behind_a_claim_and_every_wording(evoplay, folder):
    code, out, _ = evoplay("why", folder, "c001", "--cell", "t1")
    assert code == 0
    assert "\nrule, established: 3 for, 0 against\n  Sulfur and iron pay 20." in out
    assert "wording 1, until episode 2:\n  Fire pays." in out
    assert "episode 2: revised by e01/s003, e02/s003" in out
    assert "episode 3: now established" in out
    steps = out.partition("steps for it, oldest first:")[2]
    assert [steps.index(f"/e0{n}/s003\n| You put Iron") for n in (1, 2, 3)] == sorted(
        steps.index(f"/e0{n}/s003\n| You put Iron") for n in (1, 2, 3)
    )
    assert steps.count("> fire\n") == steps.count("[score 20 (+20)]") == 3
    against = evoplay("why", folder, "c002", "--cell", "t1")[1].partition("steps against it")[2]
    assert against.count("[score 21 (+1)]") == 3


def test_why_names_a_trial_by_the_claims_own_id_and_speaks_json(evoplay, folder):
    (first, *_) = json.loads(evoplay("memory", folder, "--cell", "t2", "--json")[1])
    data = json.loads(evoplay("why", folder, first["id"], "--json")[1])
    assert data["claim"]["text"] == "Sulfur and iron pay 20."
    assert [step["action"] for step in data["supports"]] == ["fire"] * 3
    assert [change["op"] for change in data["changes"]][:2] == ["claim", "support"]


def test_the_truth_of_rules_is_told_without_a_cell(evoplay, folder):
    code, out, _ = evoplay("memory", folder)
    assert code == 0
    assert out == (
        "evidence: 2 rules held at the end of 2 trials: 2 true, 0 false, 0 unchecked; true 100 % of those checked\n"
    )
    assert json.loads(evoplay("memory", folder, "--json")[1])[0]["true"] == 2


def test_a_claim_that_one_trial_has_needs_no_cell(evoplay, folder, tmp_path):
    again = shutil.copytree(folder, tmp_path / "r")
    path = again / "cells/learn2play.gemforge.s1/evidence/t2.jsonl"
    made = next(line for line in path.read_text().splitlines() if '"op":"claim"' in line and "/c002" in line)
    with path.open("a") as log:
        log.write(f"{made.replace('/c002', '/c003')}\n")
    assert evoplay("why", again, "c003")[1].startswith(f"{load(again).find_cell('t2').id}/c003  ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("why", "c001"), "2 trials have a claim c001: add --cell, one of learn2play.gemforge.s1/evidence/t1, "),
        (("why", "c009"), "no trial of {} has a claim c009: `evoplay memory {} --cell ...` lists those of a trial"),
        (("why", "c009", "--cell", "t1"), "there is no claim c009"),
        (("why", "c001", "--cell", "t7"), "'t7' names 0 trials of {}: use one of"),
        (("memory", "--kind", "rule"), "--kind rule picks claims of a trial: name the trial with --cell"),
        (("memory", "--status", "hypothesis"), "--status hypothesis picks claims of a trial"),
        (("memory", "--cell", "t1", "--kind", "rul"), "evidence/t1 has no such claims: use one of rule"),
        (
            ("memory", "--cell", "t1", "--status", "hyp"),
            "--status 'hyp' is unknown: use one of active, hypothesis, established, aside, retracted",
        ),
    ],
)
def test_what_cannot_be_found_is_one_line_with_the_fix(evoplay, folder, arguments, says):
    code, out, err = evoplay(arguments[0], folder, *arguments[1:])
    assert (code, out) == (2, "")
    assert says.format(folder, folder) in err
    assert err.count("\n") == 1
