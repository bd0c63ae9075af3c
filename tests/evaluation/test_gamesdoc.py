"""The page of the games is what the program writes, and shows every game whole."""

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play import GAMES
from evoplay.evaluation.gamesdoc import PAGE, STEPS, document, sample, section


def test_the_committed_page_is_what_the_program_writes():
    assert PAGE.read_text(encoding="utf-8") == document()


@pytest.mark.parametrize("game", GAMES)
def test_a_section_tells_the_facts_and_shows_play(game):
    env = make(f"learn2play/{game}")
    text = section(env.spec)
    for fact in (env.spec.title, env.spec.id, env.spec.about, f"official seed {env.spec.seed}"):
        assert fact in text
    assert text.count("```") == 2
    assert 1 <= text.count("\n> ") <= STEPS
    assert sample(make(f"learn2play/{game}")) in text
