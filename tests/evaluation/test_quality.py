"""Memory quality: rules tried on clones of the game, and how long a planted false one is shown."""

import pytest

from evoplay.envs import make
from evoplay.evaluation.config import ConfigError, make_config
from evoplay.evaluation.load import load
from evoplay.evaluation.planting import read_planting
from evoplay.evaluation.quality import quality_of, table_of, try_claims
from evoplay.evaluation.runner import Run
from evoplay.memory.checks import check_of
from evoplay.memory.claims import Claim
from evoplay.memory.records import EpisodeRecord, StepRecord
from tests.scripted import ScriptedBackbone, fields

GEM, INN = "learn2play/gemforge", "learn2play/hauntedinn"


def played(env, *lines):
    """Records of episodes with these actions."""
    episodes = []
    for number, actions in enumerate(lines, start=1):
        before = env.reset(number)
        record = EpisodeRecord(number, before.text)
        for at, action in enumerate(actions, start=1):
            after = env.step(action)
            record.steps.append(
                StepRecord(
                    f"t/e{number:02d}/s{at:03d}",
                    number,
                    at,
                    before.text,
                    before.valid_actions,
                    "",
                    action,
                    after.text,
                    after.accepted,
                    before.score,
                    after.score,
                    before.visible_score,
                    after.visible_score,
                    after.done,
                )
            )
            before = after
        episodes.append(record)
    return episodes


def verdict(env, episodes, **told):
    (tried,) = try_claims([Claim("t/c001", "rule", "So it is.", **told)], env, episodes)
    return tried.verdict, tried.held, tried.tried


def test_rules_of_gemforge_are_told_apart_by_trying_them():
    env = make(GEM, 1)
    episodes = played(env, ["add_sulfur", "add_iron", "status", "add_salt", "fire"], ["add_ash", "fire", "add_salt"])
    # Sulfur and iron make zenith, worth 20, on this seed.
    right = {"condition": "after `add_sulfur`, `add_iron`", "action": "fire"}
    assert verdict(env, episodes, **right, effect="score +20") == ("true", 1, 1)
    assert verdict(env, episodes, **right, effect="score +5") == ("false", 0, 1)
    # Wherever there is something to fire: twice in the first episode, after the two adds; once in the second.
    assert verdict(env, episodes, action="fire", effect="score up")[0] == "true"
    assert verdict(env, episodes, action="fire", effect="no change")[:2] == ("false", 0)
    # True in some places is not true.
    assert verdict(env, episodes, action="fire", effect="score +1")[0] == "false"
    assert verdict(env, episodes, action="add_*", effect="no change")[0] == "true"
    assert verdict(env, episodes, action="add_celestial", effect="refused")[0] == "true"


def test_what_cannot_be_tried_is_unchecked():
    env = make(GEM, 1)
    episodes = played(env, ["add_sulfur"])
    assert verdict(env, episodes) == ("unchecked", 0, 0)
    assert verdict(env, episodes, action="fire", effect="it will be well") == ("unchecked", 0, 0)
    assert verdict(env, episodes, condition="after `done`", action="fire", effect="score up") == ("unchecked", 0, 0)


def test_trying_leaves_no_trace_and_takes_a_bounded_number_of_moments():
    env = make(GEM, 1)
    episodes = played(env, ["status"] * 100)
    assert verdict(env, episodes, action="status", effect="no change") == ("true", 60, 60)


def test_an_instance_claim_is_tried_in_the_last_episode_only():
    env = make(INN)
    episodes = played(env, ["room_1", "room_2", "open"], ["room_1", "turn_away"])
    told = {"action": "turn_away", "effect": "no change"}
    assert verdict(env, episodes, **told)[2] == 5
    assert verdict(env, episodes, **told, scope="instance")[2] == 2


@pytest.mark.parametrize(("name", "env_id"), [("gemforge", GEM), ("hauntedinn", INN)])
def test_what_we_plant_is_false_on_every_seed(name, env_id):
    planting = read_planting(name)
    said = planting.statement
    assert planting.env_id == env_id
    assert check_of(said) is not None
    for seed in range(1, 6):
        env = make(env_id, seed)
        solution = env.solution(1)
        env.reset(1)
        verdict_, held, tried = verdict(
            env, played(env, solution), condition=said.condition, action=said.action, effect=said.effect
        )
        assert (verdict_, held) == ("false", 0)
        assert tried > 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "has no 'env'"),
        ('env = "a/b"\ntext = "x"\naction = "go"', "has no 'effect'"),
        ('env = "a/b"\ntext = "x"\naction = "go"\neffect = "it is nice"', "cannot be checked"),
        ('env = "a/b"\ntext = "x"\naction = "go"\neffect = "ends"\ncolour = "red"', "'colour' is not one of"),
        ('env = "a/b"\ntext = "x"\naction = "go"\neffect = "ends"\nscope = "all"', "scope 'all' is unknown"),
        ("env = ", "is not TOML"),
    ],
)
def test_a_file_that_cannot_be_planted_is_named_with_the_reason(tmp_path, content, says):
    file = tmp_path / "false.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=says):
        read_planting(str(file))


NOTHING_NEW = {
    "claim": fields(claims="[]"),
    "reflect": fields(mistake="None.", plan="Go on like that.", steps="[]"),
    "insight": fields(operations="[]"),
    "judge": fields(reasons="So it looks.", success="True"),
    "extract": fields(why="By luck.", memory_items="[]"),
}


def run(out, method, plant, env=GEM, episodes=4, actions=("add_sulfur", "fire", "add_salt", "fire")):
    """A run of a player that fires a material twice an episode, whose calls bring nothing new."""

    def answer(messages, purpose):
        if purpose != "act":
            return NOTHING_NEW[purpose]
        step = int(messages[-1].content.rpartition("This is step ")[2].split()[0])
        return f"Action: {actions[step - 1]}"

    config = make_config(
        {"env": env, "method": method, "episodes": episodes, "trials": 1, "max_steps": 4, "out": str(out)}
        | ({"plant": plant} if plant else {})
    )
    runner = Run(config, ScriptedBackbone(answer))
    outcome = runner.execute(runner.prepare())
    assert outcome.exit_code == 0, outcome.lines()
    return load(out)


def test_evidence_shows_a_planted_false_rule_for_one_episode(tmp_path):
    loaded = run(tmp_path / "r", "evidence", "gemforge", episodes=6)
    quality = quality_of(loaded, loaded.cells[0])
    assert quality.planted is not None
    # Two firings an episode speak against it: reopened in episode 3, retracted by the sixth of them, in episode 5.
    assert (quality.planted.shown, quality.planted.episodes) == ([3], 1)
    assert (quality.planted.claim.status, quality.planted.claim.counts) == ("retracted", (3, 6))
    (row,) = table_of(loaded)
    assert (row["planted"], row["survived"], row["gone_after"]) == (1, 0, [1])


def test_beside_evidence_the_others_go_on_showing_what_every_episode_contradicts(tmp_path):
    methods = ["evidence", "reflexion", "expel", "reasoningbank"]
    loaded = run(tmp_path / "r", methods, "gemforge", episodes=7)
    planted = {cell.contender: quality_of(loaded, cell).planted for cell in loaded.cells}
    shown = {name: (survival.shown, survival.episodes) for name, survival in planted.items() if survival}
    assert shown == {
        "evidence": ([3], 1),
        # It leaves reflexion's window of three by its age.
        "reflexion": ([3, 4, 5], 3),
        "expel": ([3, 4, 5, 6, 7], None),
        "reasoningbank": ([3, 4, 5, 6, 7], None),
    }
    rows = {row["contender"]: row for row in table_of(loaded)}
    assert rows["evidence"]["false"] == rows["reflexion"]["false"] == 0
    assert rows["expel"]["false"] == rows["reasoningbank"]["false"] == 1
    # Plans name no action, condition and effect that could be tried.
    assert rows["reflexion"]["unchecked"] == 3


def test_a_planted_rule_nobody_tests_survives(tmp_path):
    loaded = run(tmp_path / "r", "evidence", "gemforge", actions=("add_sulfur", *["status"] * 3))
    (row,) = table_of(loaded)
    assert (row["survived"], row["rules"], row["false"], row["share_true"]) == (1, 1, 1, 0.0)
    quality = quality_of(loaded, loaded.cells[0])
    assert quality.planted is not None
    assert (quality.planted.shown, quality.planted.episodes) == ([3, 4], None)


def test_methods_without_rules_have_no_quality(tmp_path):
    loaded = run(tmp_path / "r", "naive", None)
    assert table_of(loaded) == []
    assert not quality_of(loaded, loaded.cells[0]).holds


@pytest.mark.parametrize(
    ("method", "env", "says"),
    [("naive", GEM, "none of the methods holds rules"), ("evidence", INN, "is about learn2play/gemforge")],
)
def test_planting_where_nothing_can_be_planted_is_refused(tmp_path, method, env, says):
    with pytest.raises(ConfigError, match=says):
        run(tmp_path / "r", method, "gemforge", env=env)
