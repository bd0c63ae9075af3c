"""Every criterion that a grader grades has words for people, and no other has."""

import tomllib
from pathlib import Path

import pytest

from evoplay.envs import suite_ids
from evoplay.evaluation.rules import grades
from evoplay.evaluation.rules.grades import criteria_of, grader_of

from .play import random_trial

GAMES = suite_ids("learn2play")


@pytest.mark.parametrize("env_id", GAMES)
def test_its_words_are_those_of_its_grader(env_id):
    told = criteria_of(env_id)
    assert list(told) == list(grader_of(env_id)(random_trial(env_id, 1)))
    assert all(0 < len(words) < 60 for words in told.values())
    assert len(set(told.values())) == len(told)


def test_there_are_no_others():
    written = tomllib.loads(Path(grades.__file__).with_name("criteria.toml").read_text(encoding="utf-8"))
    assert {f"learn2play/{name}" for name in written} == set(GAMES)
    assert criteria_of("adaexplore/finance/credit-line") == {}
