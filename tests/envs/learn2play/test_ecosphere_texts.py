"""What Ecosphere's texts reveal, fact by fact, what they keep to themselves, and its rules as arithmetic."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.envs import make
from evoplay.envs.learn2play.ecosphere import rules, solver
from evoplay.envs.learn2play.ecosphere.rules import ANIMALS, COSTS, DECOMPOSER, SPECIES, draw_ecology, simulate
from evoplay.envs.learn2play.ecosphere.texts import SHOWN_DAYS

ENV = "learn2play/ecosphere"
CAUSES = {
    "nothing it could eat": "no_food",
    "underfed for days": "starved",
    "competitor that eats the same plant": "outcompeted",
    "too many herbivores": "overgrazed",
    "too few decomposers": "toxified",
}


def jar_facts(text):
    """Stock, spent and left of an inspection."""
    left = int(re.search(r"Budget left: (\d+)\.", text).group(1))
    if "The jar is empty" in text:
        return {}, None, left
    held, spent = re.search(r"In the jar: (.*)\. Spent: (\d+)\.", text).groups()
    return {name: int(count) for name, count in re.findall(r"(\w+) (\d+)", held)}, int(spent), left


def counted(text):
    return tuple(re.search(r"one (\w+); the jar holds (\d+) now\. Budget left: (\d+)\.", text).groups())


def report_facts(text):
    """Table, chronicle, survivors and score of a report; the order of the parts is checked."""
    parts = [text.index(part) for part in ("Day   ", "Chronicle:", "Survivors:", "Final score:") if part in text]
    assert parts == sorted(parts)
    table = re.findall(r"^(\w+) ((?: +\d+){13})$", text, re.MULTILINE)
    rows = {name: list(map(int, row.split())) for name, row in table}
    assert rows.pop("Day") == list(SHOWN_DAYS)
    deaths = [
        (int(day), name, next(cause for said, cause in CAUSES.items() if said in why))
        for day, name, why in re.findall(r"^  Day (\d+): (\w+) (.*)\.$", text, re.MULTILINE)
    ]
    alive = re.search(r"^Survivors: (.*)\.$", text, re.MULTILINE)
    survivors = re.findall(r"(\w+) (\d+)( \(grown\))?", alive.group(1)) if alive else []
    return {
        "rows": rows,
        "deaths": deaths,
        "survivors": {name: (int(count), bool(grown)) for name, count, grown in survivors},
        "nothing": "Nothing is left alive" in text,
        "score": int(re.search(r"^Final score: (\d+)\.$", text, re.MULTILINE).group(1)),
    }


def stock_of(*counts):
    return dict(zip(SPECIES, counts, strict=True))


def stocking(*counts):
    return [f"add_{species}" for species, count in stock_of(*counts).items() for _ in range(count)]


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
    return obs


def test_the_opening_tells_budget_days_species_and_costs(env):
    obs = env.reset(1)
    assert dict(re.findall(r"(\w+) \((\d+)\)", obs.text)) == {species: str(cost) for species, cost in COSTS.items()}
    for fact in ("150 points", "30 days", "lives and multiplies", "dies out", "cannot be seen before it is sealed"):
        assert fact in obs.text
    for hidden in ("10", "40", "limit", "eat", "prey", "score", "decompos", "poison", "339"):
        assert hidden not in obs.text
    assert obs.visible_score is None


def test_adding_and_removing_tell_species_number_and_budget(env):
    assert counted(play(env, "add_newt").text) == ("newt", "1", "132")
    assert counted(play(env, " ADD_Moss ").text) == ("moss", "1", "128")
    assert counted(play(env, "remove_newt").text) == ("newt", "0", "146")
    assert "remove_newt" not in env.valid()
    assert env.turns == 3


@pytest.mark.parametrize(
    ("before", "action", "said"),
    [
        ((), "add_moss 3", "'moss 3'"),
        ((), "add_", "''"),
        ((), "remove_tiger", "'tiger'"),
        ((), "remove_moss", "no moss"),
        (["add_newt"] * 8, "add_snail", "budget does not allow another snail: 6 left"),
        (["add_moss"] * 10, "add_moss", "10 moss"),
        (["add_moss"] * 10, "add_moss", "no effect"),
        ((), "feed", "add_<species>, remove_<species>, seal, inspect"),
        ((), "add", "'add'"),
        ((), "", "''"),
    ],
)
def test_refusals_say_why_and_change_nothing(env, before, action, said):
    for name in before:
        env.step(name)
    state = dict(env.stock), env.spent, env.turns
    obs = env.step(action)
    assert said in obs.text
    assert not obs.accepted
    assert state == (env.stock, env.spent, env.turns)


def test_the_budget_is_looked_at_before_the_plant_limit(env):
    play(env, *["add_moss"] * 10, *["add_newt"] * 6)
    assert "does not allow" in env.step("add_moss").text


def test_inspecting_shows_what_is_in_the_jar(env):
    assert jar_facts(env.step("inspect").text) == ({}, None, 150)
    play(env, "add_snail", "add_snail", "add_microbe")
    for action in ("inspect", " Status "):
        assert jar_facts(env.step(action).text) == ({"snail": 2, "microbe": 1}, 17, 133)
    assert env.turns == 3


RUNS = [
    (1, (10, 9, 2, 2, 2, 0, 1, 8), (240, 162, 12, 18, 27, 0, 7, 8), [], 339),
    (1, (10, 9, 2, 2, 2, 1, 0, 8), (240, 162, 23, 16, 22, 2, 0, 8), [], 255),
    (
        1,
        (10, 8, 2, 0, 2, 0, 1, 0),
        (240, 144, 0, 0, 0, 0, 0, 0),
        [(2, "newt", "toxified"), (7, "daphnia", "toxified"), (8, "snail", "toxified")],
        0,
    ),
    (1, (2, 0, 4, 6, 0, 0, 0, 10), (48, 0, 0, 12, 0, 0, 0, 10), [(4, "snail", "outcompeted")], 48),
    (11, (0, 10, 0, 2, 2, 1, 1, 4), (0, 240, 0, 15, 12, 3, 2, 4), [], 208),
    (
        1,
        (1, 6, 8, 0, 2, 0, 0, 10),
        (0, 108, 0, 0, 18, 0, 0, 10),
        [(4, "moss", "overgrazed"), (7, "snail", "no_food")],
        72,
    ),
    (1, (10, 9, 2, 2, 0, 0, 0, 8), (240, 162, 0, 60, 0, 0, 0, 8), [(11, "snail", "outcompeted")], 106),
    (1, (0, 0, 0, 0, 0, 2, 2, 5), (0,) * 7 + (5,), [(6, "minnow", "no_food"), (6, "newt", "no_food")], 0),
]


@pytest.mark.parametrize(("seed", "counts", "final", "deaths", "score"), RUNS)
def test_the_report_tells_days_deaths_survivors_and_score(seed, counts, final, deaths, score):
    env = make(ENV, seed)
    env.reset(1)
    obs = play(env, *stocking(*counts), "seal")
    facts = report_facts(obs.text)
    stock, end = stock_of(*counts), stock_of(*final)
    outcome = simulate(env.ecology, stock)
    assert facts["score"] == obs.score == obs.visible_score == score
    assert facts["deaths"] == deaths == list(outcome.deaths)
    assert ("Chronicle" in obs.text) == bool(deaths)
    assert facts["survivors"] == {name: (count, count > stock[name]) for name, count in end.items() if count}
    expected = {
        name: [outcome.days[day][name] for day in SHOWN_DAYS]
        for name in SPECIES
        if name != DECOMPOSER and (stock[name] or any(day[name] for day in outcome.days))
    }
    assert facts["rows"] == expected
    assert obs.done


def test_the_days_of_the_best_jar(env):
    rows = report_facts(play(env, *stocking(10, 9, 2, 2, 2, 0, 1, 8), "seal").text)["rows"]
    assert rows["snail"] == [2, 3, 5, 7, 10, 14, 17, 19, 18, 11, 12, 12, 12]
    assert rows["shrimp"] == [2, 3, 5, 8, 11, 16, 21, 27, 32, 21, 20, 19, 18]
    assert rows["daphnia"] == [2, 3, 5, 8, 12, 17, 21, 25, 26, 22, 27, 27, 27]
    assert rows["newt"] == [1, 1, 1, 1, 2, 2, 3, 4, 6, 6, 8, 7, 7]


def test_starving_is_told_apart():
    env = make(ENV)
    env.reset(1)
    text = play(env, *stocking(1, 0, 8, 8, 0, 0, 0, 6), "seal").text
    assert "starved" in {cause for _, _, cause in report_facts(text)["deaths"]}


def test_an_empty_jar_leaves_nothing(env):
    facts = report_facts(env.step("seal").text)
    assert facts["nothing"]
    assert (facts["rows"], facts["score"]) == ({}, 0)


def test_the_fortieth_step_seals_the_jar(env):
    obs = play(env, *["add_moss", "remove_moss"] * 19, "add_snail", "bogus", "inspect", "add_moss")
    assert obs.done
    first, used, *_ = obs.text.split("\n")
    assert counted(first) == ("moss", "1", "138")
    assert "last step" in used
    assert report_facts(obs.text)["rows"]["moss"][0] == 24


def test_after_sealing(env):
    play(env, "add_moss", "seal")
    assert "over" in env.step("add_moss").text
    assert not env.step("inspect").accepted
    assert "Final score: 0." in env.step("status").text
    assert env.valid() == []


def test_leaving_unsealed_scores_nothing(env):
    play(env, *stocking(10, 9, 2, 2, 2, 0, 1, 8))
    obs = env.finish()
    assert obs.score == 0
    assert obs.visible_score is None


def test_the_ecology_is_hidden_until_sealed():
    one, other = make(ENV, 1), make(ENV, 7)
    assert one.reset(1) == other.reset(1)
    for action in ("add_moss", "add_snail", "inspect", "bogus", "remove_snail", "add_newt", "status"):
        assert one.step(action) == other.step(action)


@pytest.mark.parametrize(
    ("seed", "plants", "rank", "prey", "ratios", "capacity", "regrowth"),
    [
        (
            1,
            "moss moss algae",
            "daphnia shrimp snail",
            ("shrimp", "shrimp snail"),
            (3, 2, 3, 3, 2),
            (24, 18),
            (1.4, 1.6),
        ),
        (7, "algae moss algae", "shrimp snail daphnia", ("snail", "shrimp"), (4, 2, 2, 2, 3), (18, 12), (1.2, 1.2)),
        (11, "algae algae algae", "shrimp snail daphnia", ("shrimp", "daphnia"), (2, 3, 3, 2, 2), (24, 24), (1.6, 1.2)),
    ],
)
def test_ecologies_of_seeds(seed, plants, rank, prey, ratios, capacity, regrowth):
    ecology = draw_ecology(seed)
    assert [ecology.diet[species] for species in rules.HERBIVORES] == [(plant,) for plant in plants.split()]
    assert ecology.rank == tuple(rank.split())
    assert tuple(" ".join(ecology.diet[species]) for species in rules.CARNIVORES) == prey
    assert tuple(ecology.ratio[species] for species in ANIMALS) == ratios
    assert tuple(ecology.capacity.values()) == capacity
    assert tuple(ecology.regrowth.values()) == regrowth


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"newt": 0}, 174),
        ({"shrimp": 1}, 203),
        ({"snail": 1}, 235),
        ({"daphnia": 1}, 264),
        ({"microbe": 7}, 292),
        ({"microbe": 6}, 212),
        ({"moss": 9}, 311),
        ({"algae": 8}, 337),
    ],
)
def test_neighbours_of_the_best_jar(changes, score):
    assert simulate(draw_ecology(1), stock_of(10, 9, 2, 2, 2, 0, 1, 8) | changes).score == score


stocks = st.tuples(
    st.integers(0, 10), st.integers(0, 10), *[st.integers(0, 8)] * 3, st.integers(0, 3), st.integers(0, 3)
)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 500), jars=st.lists(stocks, min_size=8, max_size=8), microbes=st.integers(0, 12))
def test_many_jars_at_once_live_as_each_alone(seed, jars, microbes):
    np = pytest.importorskip("numpy")
    ecology = draw_ecology(seed)
    batch = solver.Batch(ecology, np.array(jars), np.full(len(jars), microbes))
    batch.pass_days()
    alone = [simulate(ecology, stock_of(*jar, microbes)) for jar in jars]
    assert batch.scores().tolist() == [outcome.score for outcome in alone]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 500), jar=stocks)
def test_microbes_beyond_those_needed_change_nothing(seed, jar):
    np = pytest.importorskip("numpy")
    ecology = draw_ecology(seed)
    clean = solver.Batch(ecology, np.array([jar]), None)
    clean.pass_days()
    needed = int(clean.microbes_needed(30)[0])
    if needed <= 30:
        runs = [simulate(ecology, stock_of(*jar, needed + more)) for more in (0, 1, 5)]
        assert {run.score for run in runs} == {int(clean.scores()[0])}
        assert not any(death.cause == "toxified" for run in runs for death in run.deaths)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 500), jar=stocks, microbes=st.integers(0, 12))
def test_the_dead_stay_dead_and_numbers_stay_bounded(seed, jar, microbes):
    stock = stock_of(*jar, microbes)
    outcome = simulate(draw_ecology(seed), stock)
    for death in outcome.deaths:
        assert all(day[death.species] == 0 for day in outcome.days[death.day :])
    assert len({death.species for death in outcome.deaths}) == len(outcome.deaths)
    assert all(day[species] <= 80 for day in outcome.days for species in ANIMALS)
    assert all(day[DECOMPOSER] == microbes for day in outcome.days)


def test_all_stockings_are_within_budget_and_steps():
    np = pytest.importorskip("numpy")
    found = solver._stockings(draw_ecology(11))
    assert (found @ np.array([COSTS[species] for species in SPECIES[:-1]]) <= 150).all()
    assert (found.sum(axis=1) <= 40).all()
    assert len(found) == len(np.unique(found, axis=0)) == 61405
    assert not found[:, 0].any()
