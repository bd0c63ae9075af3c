"""What a trial of Patch Reality shows of the hidden rules (T1-T6). Each episode is played again to see what it hid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evoplay.envs import make
from evoplay.envs.learn2play.patch_reality_moderate import PatchReality
from evoplay.envs.learn2play.patch_reality_moderate.data import AXES, LEVELS
from evoplay.envs.learn2play.patch_reality_moderate.rules import Drawn, Event, Run, act
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

ENOUGH_LEVELS = 6
"""An episode counts if it entered so many."""
UNTAUGHT = range(2, 8)
AUDITED = (1, 3, 4, 6, 7)
"""Levels (from 0) whose patch needs the finding of an audit."""
TWO_LAYERS = 5
LAYERS = {"ledger.state reconcile", "archive_queue.reindex halt"}
NEEDLESS = "security_log"
FEW_AUDITS = 5
BILLED = {patch.name for level in LEVELS for patch in level.patches.values() if patch.hidden}
FOUNDED = {patch.name for level in LEVELS for patch in level.patches.values() if patch.founded}
UNSUPPORTED = ("unfitting", "evidence")


@dataclass
class Seen:
    """What an episode came to; levels are counted from 0."""

    entered: int = 0
    solved: set[int] = field(default_factory=set)
    diagnoses: dict[int, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    moves: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Per level in order: `audit <target>`, `wait` and the names of patches."""
    faults: list[str] = field(default_factory=list)
    settled: set[str] = field(default_factory=set)

    @property
    def audits(self) -> list[str]:
        return [move for moves in self.moves.values() for move in moves if move.startswith("audit ")]

    @property
    def patches(self) -> set[str]:
        return {move for moves in self.moves.values() for move in moves} & (BILLED | FOUNDED)


def look(drawn: Drawn, record: EpisodeRecord) -> Seen:
    """Play an episode again and note what it came to."""
    run, seen = Run(), Seen()
    for action in record.actions:
        number, over = run.number, run.ended
        for event in act(drawn, run, action):
            _note(seen, number, event)
        if not over and (run.number > number or run.ended) and LEVELS[number].id not in run.unsolved:
            seen.solved.add(number)
    seen.entered = run.number + 1
    return seen


def _note(seen: Seen, number: int, event: Event) -> None:
    if event.kind == "diagnosed":
        axis, option, _ = event.facts[0]
        seen.diagnoses[number].append((axis, option))
    elif event.kind == "patched":
        seen.moves[number].append(event.what)
    elif event.kind in ("audited", "ledger"):
        seen.moves[number].append(f"audit {event.what}")
    elif event.kind == "waited":
        seen.moves[number].append("wait")
    elif event.kind == "refused":
        seen.faults.append(event.facts[0][0])
    elif event.kind == "settled":
        seen.settled.add(event.what)


def grade(trial: TrialRecord) -> Grades:
    """T1 diagnoses known, T2 evidence first, T3 few audits, T4 two layers, T5 no hidden bills, T6 no invalid input."""
    env = make(trial.env_id, trial.seed)
    assert isinstance(env, PatchReality)
    seen = [one for one in (look(env.drawn, record) for record in trial.episodes) if one.entered >= ENOUGH_LEVELS]
    later = seen[1:]
    known = max((_known(one) for one in later), default=0)
    proven = max((_proven(one) for one in later), default=0)
    return {
        "T1": graded(known >= 5, known >= 3),
        "T2": graded(proven == len(AUDITED), proven >= 3),
        "T3": _few_audits(seen),
        "T4": graded(any(_both_layers(one) for one in later), any(TWO_LAYERS in one.solved for one in seen)),
        "T5": _no_bills(seen),
        "T6": _no_faults(seen),
    }


def _known(seen: Seen) -> int:
    """Untaught levels diagnosed with three actions and no wrong value."""
    return sum(
        len(seen.diagnoses[number]) == len(AXES) and dict(seen.diagnoses[number]) == LEVELS[number].right
        for number in UNTAUGHT
    )


def _proven(seen: Seen) -> int:
    """Levels whose audit came before the patch it supports; none where a patch was refused for lack of support."""
    return 0 if any(fault in UNSUPPORTED for fault in seen.faults) else sum(_supported(seen, n) for n in AUDITED)


def _supported(seen: Seen, number: int) -> bool:
    moves = seen.moves[number]
    patch = next((at for at, move in enumerate(moves) if move in FOUNDED), 0)
    return any(f"audit {target}" in moves[:patch] for target in LEVELS[number].audits)


def _few_audits(seen: Sequence[Seen]) -> Grade:
    complete = any(
        len(one.solved) == len(LEVELS)
        and len(one.audits) <= FEW_AUDITS
        and f"audit {NEEDLESS}" not in one.audits
        and any(len(earlier.audits) > len(one.audits) for earlier in seen[:at])
        for at, one in enumerate(seen)
    )
    # Where nothing is solved, fewer audits show nothing.
    partial = any(
        one.solved and len(one.audits) < len(seen[0].audits) and len(one.solved) >= len(seen[0].solved)
        for one in seen[1:]
    )
    return graded(complete, partial)


def _both_layers(seen: Seen) -> bool:
    turns = [move for move in seen.moves[TWO_LAYERS] if not move.startswith("audit ")]
    return any({first, second} == LAYERS for first, second in pairwise(turns))


def _no_bills(seen: Sequence[Seen]) -> Grade:
    billed = [at for at, one in enumerate(seen) if one.patches & BILLED]
    if not billed or not any(one.settled for one in seen):
        return "-"
    spared = len(seen) - 1 - billed[-1]
    return graded(spared >= 2, spared == 1)


def _no_faults(seen: Sequence[Seen]) -> Grade:
    if len(seen) < 2 or not seen[0].faults:
        return "-"
    later = [len(one.faults) for one in seen[1:]]
    return graded(len(later) >= 2 and not any(later), sum(later) / len(later) <= len(seen[0].faults) / 3)
