"""From ids and options to environments: what cannot be made is told in one line."""

import pytest

from evoplay.envs import EnvError, make, registry


@pytest.mark.parametrize(
    ("env_id", "options", "said"),
    [
        ("learn2play/gemforge", {"setting": "default"}, "its options are episode_mode"),
        ("adaexplore/finance/card-fraud", {"strem": "mixed"}, "its options are "),
        ("learn2play/gemforge", {"seed_": 3}, r"has no option 'seed_' \(given as 3\): leave it out"),
    ],
)
def test_an_option_that_an_environment_does_not_have_is_named_with_those_it_has(env_id, options, said):
    with pytest.raises(EnvError, match=said) as raised:
        make(env_id, 1, **options)
    assert f"{env_id} has no option '{next(iter(options))}'" in str(raised.value)


def test_a_factory_that_takes_any_option_is_given_them_all(monkeypatch):
    given = {}
    monkeypatch.setitem(registry._registered, "mine/any", lambda seed=None, **options: given.update(options))
    make("mine/any", 1, odd=2)
    assert given == {"odd": 2}
