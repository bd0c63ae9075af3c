"""The reference agents: what they read out of a prompt, that they read nothing else, and how the fits do."""

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evoplay.envs import make
from evoplay.envs.adaexplore.assessment import read_assessment
from evoplay.envs.adaexplore.dynamics import Calibration, Factor, Ranges, Rule, evidence, scores, utilities
from evoplay.envs.adaexplore.reference.arithmetic import exp, log, log_of_product, solve, weighted_sum
from evoplay.envs.adaexplore.reference.design import relevance
from evoplay.envs.adaexplore.reference.experimenter import Experimenter, _eras
from evoplay.envs.adaexplore.reference.fitting import FAMILIES, band_variants, fit_family, scores_from
from evoplay.envs.adaexplore.reference.players import PLAYERS
from evoplay.envs.adaexplore.reference.reading import Probe, read

ENV = "adaexplore/finance/credit-line"
ROOT = Path(__file__).parents[3]


def bars(text):
    return "".join(f"| {line}\n" for line in text.splitlines())


class Teller:
    """Writes prompts as the actor does: the opening, what came of each action, masked steps withheld."""

    def __init__(self, env, episode=1):
        self.env = env
        self.obs = env.reset(episode)
        self.past = ["Guidance that means nothing.\n=== Episode 1 ===\n", bars(self.obs.text)]

    @property
    def text(self):
        return "".join(self.past)

    def step(self, action):
        before, self.obs = self.obs, self.env.step(action)
        if before.retained is not None:
            self.past[-1] = bars(before.retained)
        said = "" if before.retained is not None else f"> {action[:500]}\n"
        self.past.append(said + bars(self.obs.text))
        return self.obs


def test_a_prompt_is_read_back_into_facts():
    env = make(ENV)
    teller = Teller(env)
    episode = env._episode
    facts = read(teller.text)
    assert tuple(facts.names) == episode.ranges.names
    assert tuple(facts.low) == episode.ranges.low
    assert tuple(facts.high) == episode.ranges.high
    assert (facts.window, facts.left, facts.cases, facts.least) == (1, 40, None, 0)
    assert facts.legal(episode.cases).all()
    assert len(facts.limits) == len(episode.constraints)
    first = teller.obs.valid_actions[0]
    teller.step(first)
    teller.step("next")
    facts = read(teller.text)
    assert facts.probes[0].case == tuple(json.loads(first.removeprefix("probe ")).values())
    assert len(facts.probes[0].utilities) == 4
    assert facts.left == 39
    assert facts.cases == [tuple(case) for case in episode.cases[:5].tolist()]
    teller.step("submit a0 a1 a2 a3 a0")
    facts = read(teller.text)
    assert facts.cases is None
    assert facts.window == 2
    assert len(facts.closed) == 1
    assert len(facts.closed[0]) == 5


def test_only_the_last_episode_of_a_prompt_counts():
    old = Teller(make("adaexplore/healthcare/sepsis-ward"))
    old.step(old.obs.valid_actions[0])
    new = Teller(make(ENV))
    facts = read(old.text + new.text)
    assert tuple(facts.names) == new.env._episode.ranges.names
    assert facts.probes == []


def test_limits_are_read_with_their_signs():
    text = (
        "Assignment: T\nA case is described by 2 fields:\n- one: 0 to 10 u; m\n- two: -2 to 10.5 u; m\n\n"
        "Every case keeps these limits, and so must the cases you make up:\n- one - 2.5 * two <= -3 (why)\n"
    )
    facts = read(text)
    assert facts.limits == [[1.0, -2.5, -3.0]]
    assert facts.legal(np.array([[0.0, 2.0], [0.0, 1.0], [11.0, 9.0]])).tolist() == [True, False, False]


def test_scores_are_read_from_rounded_utilities():
    truth = np.linspace(-1, 1, 401)
    shown = np.round(utilities(truth), 2)
    assert np.abs(scores_from(shown) - truth).max() < 0.006


def test_fields_that_matter_are_found_by_pairs():
    cases = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]
    found = relevance(cases, np.array([0.0, 0.3, 0.01, -0.2, 0.1])).directions
    assert found == {0: 1, 2: 0}


def test_a_contradiction_begins_an_era():
    def probe(window, case, value):
        return Probe(window, (case,), (value,))

    probes = [probe(1, 1.0, 0.5), probe(1, 2.0, 0.5), probe(2, 2.0, 0.5), probe(3, 7.0, 0.1), probe(3, 1.0, 0.4)]
    assert _eras(probes) == [probes[:3], probes[3:]]
    assert _eras(probes[:4]) == [probes[:4]]
    assert _eras([]) == [[]]


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_is_recognised_from_noise_free_probes(family):
    rng = np.random.default_rng(4)
    ranges = Ranges(tuple("abcdef"), (-1.0,) * 6, (1.0,) * 6)
    factors = (Factor("b", 1, 0.5, 0.1), Factor("d", -1, 0.3, -0.2), Factor("e", 1, 0.2, 0.05))
    calibration = Calibration(-0.4, 0.0, 0.45)
    cases = rng.uniform(-1, 1, (90, 6))
    rule = Rule(family, factors)
    s = scores_from(np.round(utilities(scores(evidence(rule, ranges, cases), calibration)), 2))
    fits = {name: fit_family(name, cases, s, (1, 3, 4), [(1, -1, 1)], np.random.default_rng(0))[0] for name in FAMILIES}
    assert min(fits, key=lambda name: fits[name].loss) == family
    fresh = rng.uniform(-1, 1, (500, 6))
    truth = scores(evidence(rule, ranges, fresh), calibration)
    best = fits[family]
    if family == "lexicographic":
        best = band_variants(best, cases, s, rng)[0]
    agree = np.digitize(best.predict(fresh), (-0.5, 0, 0.5)) == np.digitize(truth, (-0.5, 0, 0.5))
    assert agree.mean() > 0.95


def test_an_earlier_rule_decides_where_probes_do_not():
    cases = np.zeros((3, 2))
    cases[:, 0] = (-0.5, 0.0, 0.5)
    s = cases[:, 0].copy()
    earlier = fit_family("additive", cases, s, (0, 1), [(1, 1)], np.random.default_rng(0))[0]
    earlier = dataclasses.replace(earlier, theta=(0.0, 1.2, 0.0, 0.0))
    found = fit_family("additive", cases, s, (0, 1), [(1, 1)], np.random.default_rng(5), earlier=earlier)[0]
    assert found.theta == pytest.approx((0.0, 1.2, 0.0, 0.0), abs=0.05)


def play(name, setting="default", env_id=ENV, episode=1, upto=None):
    env = make(env_id, setting=setting)
    teller, player, rng = Teller(env, episode), PLAYERS[name][0](env), random.Random(0)
    replies, actions = {}, []
    while not teller.obs.done and (upto is None or len(actions) < upto):
        for aside in teller.obs.asides:
            replies[aside.id] = read_assessment(player.assess(f"{teller.text}\n{aside.question}", rng))
        actions.append(player.act(teller.text, rng))
        assert teller.step(actions[-1]).accepted, teller.obs.text
    for aside in teller.obs.asides:
        replies[aside.id] = read_assessment(player.assess(f"{teller.text}\n{aside.question}", rng))
    return teller, replies, actions


@pytest.mark.parametrize("setting", ["default", "stationary", "evidence_given", "forced_probe"])
@pytest.mark.parametrize("name", ["random", "prior", "oracle"])
def test_simple_agents_play_every_setting_to_the_end(name, setting):
    teller, replies, _ = play(name, setting)
    assert teller.obs.done
    if name == "oracle":
        episode = teller.env._episode
        assert teller.obs.score == 100.0
        last = episode.before if setting == "stationary" else episode.after
        assert replies["end"] == last.directions
        assert setting == "stationary" or replies["before"] == episode.before.directions
    elif name == "prior":
        assert replies["end"] == {}
    else:
        assert len(replies["end"]) in (3, 4)
        assert set(replies["end"]) <= set(teller.env._episode.ranges.names)


def test_own_arithmetic_is_as_exact_as_the_libraries():
    rng = np.random.default_rng(3)
    x = np.concatenate([np.linspace(-20, 20, 10_001), np.linspace(-700, 700, 1001)])
    assert exp(x) == pytest.approx(np.exp(x), rel=1e-15)
    y = np.concatenate([np.exp(x), np.linspace(0.6, 1.6, 1001)])
    assert log(y) == pytest.approx(np.log(y), rel=1e-15)
    factors = rng.uniform(1, 2**13, (5, 200))
    assert log_of_product(factors) == pytest.approx(np.log(factors).sum(axis=1), rel=1e-13)
    assert log_of_product(factors[:, :0]).tolist() == [0.0] * 5
    weights, columns = rng.normal(size=(4, 3)), rng.normal(size=(4, 6, 3))
    assert weighted_sum(weights, columns) == pytest.approx((columns @ weights[:, :, None])[:, :, 0])
    half = rng.normal(size=(6, 5, 5))
    matrix, right = half @ half.transpose(0, 2, 1) + 0.1 * np.eye(5), rng.normal(size=(6, 5))
    lower = [[matrix[:, row, column] for column in range(row + 1)] for row in range(5)]
    found = np.stack(solve(lower, list(right.T)), axis=1)
    assert found == pytest.approx(np.linalg.solve(matrix, right[:, :, None])[:, :, 0], rel=1e-9)


KINDS_OF_PROCESSOR = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Prescott, numpy without its fast loops": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX,-AVX512F",
    },
}


def test_the_experimenter_does_the_same_on_every_processor():
    """Thousands of fits compete on the way: one last bit that the processor decides would lead to other probes."""
    script = (
        "from tests.envs.adaexplore.test_reference import play\n"
        "import json\n"
        "print(json.dumps(play('designed', episode=2)[2]))\n"
    )
    here, compared = play("designed", episode=2)[2], []
    for kind, settings in KINDS_OF_PROCESSOR.items():
        env, command = {**os.environ, **settings}, [sys.executable, "-c", script]
        run = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode == -signal.SIGILL:
            continue  # this processor lacks what that kind has
        assert run.returncode == 0, (kind, run.stderr)
        assert json.loads(run.stdout) == here, kind
        compared.append(kind)
    # The least of them can be had everywhere.
    assert "Prescott, numpy without its fast loops" in compared


def additive_episode():
    """The first episode of the task with an additive rule."""
    env = make(ENV)
    return next(number for number in range(1, 17) if env.reset(number) and env._episode.slot.family == "additive")


def test_the_experimenter_learns_notices_and_learns_again():
    teller, replies, actions = play("designed", episode=additive_episode())
    truth = teller.env._episode
    assert teller.obs.score > 80
    assert replies == {"before": truth.before.directions, "end": truth.after.directions}
    assert sum(action.startswith("probe") for action in actions) < 60


def test_the_experimenter_reads_only_the_prompt():
    teller, _, actions = play("designed", upto=9)
    # The same text in a process that has no environment at all leads to the same next action.
    expected = Experimenter().act(teller.text)
    script = (
        "import sys\n"
        "from evoplay.envs.adaexplore.reference.experimenter import Experimenter\n"
        "print(Experimenter().act(sys.stdin.read()))\n"
        "assert 'evoplay.envs.adaexplore.env' not in sys.modules\n"
        "assert 'evoplay.envs.adaexplore.generation' not in sys.modules\n"
    )
    run = subprocess.run([sys.executable, "-c", script], input=teller.text, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == expected
    assert len(actions) == 9


@pytest.mark.parametrize("name", ["designed", "sentinel", "prior"])
def test_players_that_read_are_given_nothing_else(name):
    reached, todo = set(), [PLAYERS[name][0](make(ENV))]
    while todo:
        thing = todo.pop()
        if id(thing) in reached or isinstance(thing, str | int | float | type(None)):
            continue
        reached.add(id(thing))
        assert "AdaExplore" not in {kind.__name__ for kind in type(thing).__mro__}
        todo += list(getattr(thing, "__dict__", {}).values())
        todo += list(thing.values()) if isinstance(thing, dict) else list(thing) if isinstance(thing, list) else []
    assert reached


def test_the_sentinel_repeats_known_cases_in_every_window():
    _, _, actions = play("sentinel", upto=14, episode=additive_episode())
    at = actions.index("next")
    first = {json.dumps(case) for a in actions[:at] if a.startswith("probe") for case in json.loads(a[6:])}
    second = json.loads(actions[at + 2].removeprefix("probe "))
    assert len(second) == 5
    assert {json.dumps(case) for case in second} <= first


@pytest.mark.slow
def test_a_task_played_through_by_the_experimenters():
    """Sixteen episodes, four of each family: what the document gives for all 256 shows here too."""

    def scores(name, setting="default"):
        found = []
        for episode in range(1, 17):
            teller, replies, _ = play(name, setting, "adaexplore/cybersecurity/login-risk", episode)
            found.append((teller.obs.score, replies["end"] == dict(teller.env.rule_asked().directions)))
        return np.mean([score for score, _ in found]), np.mean([right for _, right in found])

    (reactive, named), (proactive, _), (still, _) = (
        scores("designed"),
        scores("sentinel"),
        scores("designed", "stationary"),
    )
    assert reactive > 80
    assert named > 0.8
    assert proactive > reactive
    assert still > reactive
