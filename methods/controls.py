"""The three controls that make «the score comes from memory» testable.

`placebo` carries as many tokens as memory would, of another game's history: what it gains is not from its own past.
`told` carries the game's rules: the ceiling of any memory. `best-episode` carries only the best-scoring episode so far.
No calls beyond the actor's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode
from evoplay.methods.base import Context, Method, Task, View
from evoplay.methods.render import episode_blocks


class Placebo(Method):
    """As many tokens of another game's history as memory would carry of its own.

    `other_history` are episodes of another game, in order, supplied by the runner; they are repeated where they do not
    reach, and cut at a step where they would exceed.
    """

    name = "placebo"
    carries = "as many tokens of another game's history"
    needs = ("other_history",)

    def __init__(self, other_history: Sequence[Episode]) -> None:
        self.other = list(other_history)
        self.episodes = 1
        self.own_tokens: list[int] = []
        self.blocks: list[Block] = []

    def begin_episode(self, task: Task) -> None:
        self.episodes = task.episodes

    def context(self, view: View) -> Context:
        return Context(history=self.blocks)

    def end_episode(self, episode: Episode) -> None:
        self._add(sum(block.tokens for block in episode_blocks(episode, self.episodes)))

    def state(self) -> Mapping[str, Any]:
        return {"episodes": self.episodes, "own_tokens": self.own_tokens}

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.episodes = state.get("episodes", self.planned)
        for tokens in state.get("own_tokens", ()):
            self._add(tokens)

    def _add(self, tokens: int) -> None:
        number = len(self.own_tokens) + 1
        self.own_tokens.append(tokens)
        source = self.other[(number - 1) % len(self.other)]
        pieces = episode_blocks(source, self.episodes)
        head = Block(f"=== Episode {number} of {self.episodes} ===\n" + pieces[0].text.partition("\n")[2])
        ending, middle = pieces[-1], pieces[1:-1]
        room = tokens - head.tokens - ending.tokens
        kept: list[Block] = []
        at = 0
        while middle and room >= middle[at % len(middle)].tokens:
            kept.append(middle[at % len(middle)])
            room -= kept[-1].tokens
            at += 1
        self.blocks.append(Block.joined([head, *kept, ending], key=f"episode {number}", priority=number))


class Told(Method):
    """The game's hidden rules, in words of ours (`rules`, supplied by the runner)."""

    name = "told"
    carries = "the game's rules: the ceiling of any memory"
    needs = ("rules",)

    def __init__(self, rules: str) -> None:
        self.block = Block(f"The rules of this game:\n{rules.strip()}\n\n", cacheable=True)

    def context(self, view: View) -> Context:
        return Context(guidance=(self.block,))


class BestEpisode(Method):
    """Only the best-scoring episode so far (the latest of equals), in full."""

    name = "best-episode"
    carries = "only the best-scoring episode so far, in full"

    def __init__(self) -> None:
        self.episodes = 1
        self.best: Episode | None = None
        self.blocks: tuple[Block, ...] = ()

    def begin_episode(self, task: Task) -> None:
        self.episodes = task.episodes

    def context(self, view: View) -> Context:
        return Context(history=self.blocks)

    def end_episode(self, episode: Episode) -> None:
        if self.best is None or (episode.score or 0) >= (self.best.score or 0):
            self.best = episode
            blocks = episode_blocks(episode, self.episodes)
            self.blocks = (Block.joined(blocks, key=f"episode {episode.episode}"),)

    def state(self) -> Mapping[str, Any]:
        return {"episodes": self.episodes}

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.episodes = state.get("episodes", self.planned)
        for episode in episodes:
            self.end_episode(episode)
