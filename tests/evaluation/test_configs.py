"""The run files that come with evoplay play what they say."""

import re
from pathlib import Path

import pytest

from evoplay.evaluation.config import make_config, read_toml
from evoplay.evaluation.publications import published
from evoplay.evaluation.runner import Run
from evoplay.methods.backbones.registry import open_backbone

FOLDER = Path(__file__).parents[2] / "configs"


def planned(config):
    run = Run(config, open_backbone(config.backbone))
    return {cell: run.planned(cell) for cell in config.cells()}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_run_file_can_be_run_and_needs_no_key(path):
    config = make_config(read_toml(path))
    assert config.backbone == "sim/learner"
    assert planned(config)
    said = re.search(r"([\d,]+) (?:evaluation )?episodes", path.read_text(encoding="utf-8"))
    if said:
        assert sum(planned(config).values()) == int(said[1].replace(",", ""))


def test_the_methods_are_compared_under_the_published_protocol():
    protocol = published("learn2play")["protocol"]
    episodes = planned(make_config(read_toml(FOLDER / "learn2play-methods.toml")))
    challenge = {f"learn2play/{game}" for game in protocol["challenge"]}
    assert len({cell.env_id for cell in episodes}) == protocol["games"]
    assert len({cell.contender for cell in episodes}) == 7
    assert {cell.trial for cell in episodes} == set(range(1, protocol["trials"] + 1))
    for cell, count in episodes.items():
        assert count == protocol["episodes_challenge" if cell.env_id in challenge else "episodes_normal"]
