"""Finished episodes as text for a structured call, with a label above every step, and the way back from the labels.

A label is the step's id without the cell (`e02/s017`), so that what a model derives can name the steps it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode, Step
from evoplay.methods.render import ending_block, opening_block, step_block

_LABEL = re.compile(r"e(?:pisode)?\s*0*(\d+)\D{1,8}?0*(\d+)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"^\D{0,12}0*(\d+)\s*$")


def label(step: Step) -> str:
    """What a step is called in a transcript."""
    return f"e{step.episode:02d}/s{step.step:03d}"


def transcript(episodes: Sequence[Episode], planned: int, budget_tokens: int = 0, *, labels: bool = True) -> str:
    """Episodes in order, as the actor saw them, each step under its label (none without `labels`).

    planned : how many episodes the trial has. budget_tokens : what the whole may take (0: no limit); the middle steps
    of episodes longer than their share are left out.
    """
    share = budget_tokens // max(len(episodes), 1)
    texts = [_one(episode, planned, share if budget_tokens else 0, labels) for episode in episodes]
    return "".join(texts).rstrip("\n")


def so_far(episode: int, planned: int, opening: str, steps: Sequence[Step]) -> list[str]:
    """An episode in hand as pieces of text: its opening, then each step."""
    head = opening_block(episode, planned, opening)
    return [head.text, *(step_block(step).text for step in steps)]


def steps_named(names: Iterable[str], episodes: Sequence[Episode]) -> list[str]:
    """The ids of the steps that are named, in any spelling; names of steps that were not shown are passed over.

    A bare number is a step where only one episode was shown.
    """
    known = {(step.episode, step.step): step.id for episode in episodes for step in episode.steps}
    found: list[str] = []
    for name in names:
        if match := _LABEL.search(name.strip()):
            at = (int(match[1]), int(match[2]))
        elif len(episodes) == 1 and (match := _NUMBER.match(name.strip())):
            at = (episodes[0].episode, int(match[1]))
        else:
            continue
        if at in known:
            found.append(known[at])
    return list(dict.fromkeys(found))


def evidence(names: Iterable[str], episodes: Sequence[Episode]) -> list[str]:
    """The steps that a derived text rests on: those it names, or, where it names none, all it was derived from."""
    return steps_named(names, episodes) or [step.id for episode in episodes for step in episode.steps]


def _one(episode: Episode, planned: int, budget_tokens: int, labels: bool) -> str:
    above = [f"\nstep {label(step)}" if labels else "" for step in episode.steps]
    blocks = [Block(head + step_block(step).text) for head, step in zip(above, episode.steps, strict=True)]
    head, ending = opening_block(episode.episode, planned, episode.opening), ending_block(episode.score)
    out = 0
    if budget_tokens:
        room = budget_tokens - head.tokens - ending.tokens
        size = sum(block.tokens for block in blocks)
        while size > room and out < len(blocks) - 1:
            # The first step and the latest ones say most.
            size -= blocks[1 + out].tokens if 1 + out < len(blocks) else 0
            out += 1
    if out:
        blocks = [*blocks[:1], Block(f"\n[{out} steps left out]\n"), *blocks[1 + out :]]
    return "".join(block.text for block in (head, *blocks, ending))
