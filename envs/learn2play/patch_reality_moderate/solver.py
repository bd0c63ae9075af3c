"""The best line over the listed actions."""

from __future__ import annotations

from collections.abc import Iterator

from evoplay.envs.learn2play.patch_reality_moderate.data import AXES, LEVELS, Level
from evoplay.envs.learn2play.patch_reality_moderate.rules import Drawn, Run, act, score
from evoplay.envs.solutions import Solution

ROUTE = (
    "coin pavement drain", "cup table residual_patch", "key lighting door_lock", "hospital_ledger wristband",
    "stairwell acoustic_log", "ledger archive_queue", "cameras crowd", "name_record name_anchor",
)  # fmt: skip
"""What is looked at in each level; looking has no price."""


def level_line(level: Level, looks: str) -> Iterator[str]:
    """Look, audit where a patch that meets the cause needs the finding, diagnose, apply those patches."""
    yield from (f"observe {thing}" for thing in looks.split())
    founded = [patch for patch in level.patches.values() if patch.founded]
    needed = frozenset[str]().union(*(patch.needs for patch in founded))
    yield from (f"audit {target}" for target, tag in level.audits.items() if tag in needed)
    yield from (f"diagnose {axis}={level.right[axis]}" for axis in AXES)
    yield from (f"patch {patch.name}" for patch in founded)


def best_line(drawn: Drawn) -> Solution:
    """The line and its score.

    Nothing listed scores more: every objective needs the patch that meets the cause (in the first level the other one
    is dearer), the evidence for it takes exactly these audits, and every other audit or patch only costs.
    """
    line = [action for level, looks in zip(LEVELS, ROUTE, strict=True) for action in level_line(level, looks)]
    run = Run()
    for action in line:
        act(drawn, run, action)
    how = "the patches that meet the causes, with no audit they do not need"
    return Solution(score(run), "exact", how, tuple(line))
