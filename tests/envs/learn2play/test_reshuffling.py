"""In a re-shuffled game the hidden rules stay from episode to episode and the instance does not; control repeats it."""

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play import GAMES

RULES = {
    "butterfly": lambda env: env.laws,
    "hauntedinn": lambda env: env.house,
    "hezu": lambda env: (env.house, env.target),
    "poisoner": lambda env: env.law,
    "synergycorp": lambda env: env.grammar,
}
"""What the seed alone decides. The other games' rules are constants of their modules: no seed changes them."""
INSTANCES = {
    "butterfly": lambda env: env.round,
    "hauntedinn": lambda env: env.guests,
    "hezu": lambda env: env.guests,
    "lost_and_found": lambda env: env.shift.cases,
    "modelkeeper_expert": lambda env: env.puzzle,
    "mola_tea": lambda env: env.week.shop,
    "plague": lambda env: repr(env.street),
    "poisoner": lambda env: env.menus,
    "roadside_observatory": lambda env: env.journey.road,
    "synergycorp": lambda env: env.boss,
}
"""What an episode's instance is made of."""
RESHUFFLED = [game for game in GAMES if make(f"learn2play/{game}").spec.kind == "reshuffled"]


def test_every_re_shuffled_game_is_here():
    assert set(RESHUFFLED) == set(INSTANCES)


def instances(game, episodes, **how):
    env = make(f"learn2play/{game}", **how)
    found = []
    for episode in episodes:
        env.reset(episode)
        found.append((INSTANCES[game](env), RULES[game](env) if game in RULES else None))
    return found


@pytest.mark.parametrize("game", RESHUFFLED)
def test_rules_stay_and_instances_change(game):
    found = instances(game, range(1, 6))
    assert all(rules == found[0][1] for _, rules in found)
    assert len({repr(instance) for instance, _ in found}) == 5


@pytest.mark.parametrize("game", RULES)
def test_another_seed_has_other_rules(game):
    assert len({repr(RULES[game](make(f"learn2play/{game}", seed))) for seed in (1, 2, 3)}) > 1


@pytest.mark.parametrize("game", RESHUFFLED)
def test_control_repeats_the_first_instance(game):
    first = instances(game, [1])[0]
    assert instances(game, range(1, 4), episode_mode="control") == [first] * 3
    control = make(f"learn2play/{game}", episode_mode="control")
    assert control.reference(4) == make(f"learn2play/{game}").reference(1)
