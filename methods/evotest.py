"""evotest carries over an evolved guide, a state extractor, moves that raised the score, and loops to avoid.

He et al. 2025, «EvoTest: Evolutionary Test-Time Learning for Self-Improving Agentic Systems», arXiv:2510.13220.

A tree of configurations; a node is a guide and an extractor, with the episodes played with it. Before each episode but
the first a parent is picked by UCB and the evolver writes a child from the parent's guide, extractor and transcript.
If the last score fell far below the best, or the last episode was won by the game's own words, the best node is used
again instead; where that misses, evolution goes on. Moves that raised the visible score are kept and similar ones are
shown at each step; runs that lead back to known states and gain nothing are kept as loops, for the evolver.
The extractor is Python written by the model and runs in a sandbox (`methods.sandbox`).

Settings
--------
c, alpha : of UCB = score / best + c * alpha^depth * sqrt(ln N / (1 + children)), N the number of nodes (1.0, 0.8).
drop_threshold : a fall below the best by this share of it brings the best node back (0.5).
temperature : of the evolver (0.7). positives : how many moves that raised the score are shown at each step (3).
least_loop : steps of the shortest loop (4).
judge : what a win is: "text" (the game says so) or "llm" (the evolver is asked in the same call).

Calls: 1 an episode (`evolve`), none where the best node is used again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode, Step
from evoplay.methods.base import Context, Method, Task, View
from evoplay.methods.guidance import told
from evoplay.methods.moments import LEAST_SIMILAR, moment_block, score_change
from evoplay.methods.options import one_of, real, whole
from evoplay.methods.render import one_line, quoted
from evoplay.methods.sandbox import ExtractorFailed, extract_all
from evoplay.methods.transcripts import so_far, transcript

GUIDE, POSITIVE, LOOP = "guide", "positive", "loop"
FIRST_GUIDE = (
    "Explore with a plan: try every kind of action, note what changes the score and what does not, and repeat what "
    "raises it. Do not do again what changed nothing."
)
FIRST_EXTRACTOR = 'def extract(transcript):\n    return ""\n'
HEADING = "Guide for this game, evolved over the episodes so far:"
MOVES = "Moves of earlier episodes that raised the score in similar moments, most similar first:"
STATE = "How far this episode has come, by the state extractor:"
_WON = re.compile(
    r"\byou(?:'ve| have)? (?:win|won)\b(?! (?:nothing|no\b))|\bvictory\b|\bcongratulations\b|\bthe game is won\b",
    re.IGNORECASE,
)
_NOT_WON = re.compile(r"\b(?:no|not|never|without|almost|nearly)\b[^.!?]{0,20}\b(?:win|won|victory)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """A configuration: what was played with it as (episode, score), and where it stands in the tree.

    `fallback` is the extractor before this one, `claim` the id of its guide in the store ("" : the first guide).
    """

    guide: str
    extractor: str
    fallback: str = ""
    parent: int | None = None
    depth: int = 0
    plays: tuple[tuple[int, float], ...] = ()
    claim: str = ""

    @property
    def score(self) -> float:
        """The mean score of the episodes played with it."""
        return sum(score for _, score in self.plays) / len(self.plays) if self.plays else 0.0


@dataclass(frozen=True, slots=True)
class Tree:
    """All configurations so far, in the order they were made."""

    nodes: tuple[Node, ...]
    c: float
    alpha: float

    def having(self, at: int, node: Node) -> Tree:
        """The tree with a node in the place of another."""
        return replace(self, nodes=(*self.nodes[:at], node, *self.nodes[at + 1 :]))

    def best_score(self) -> float:
        """The best score of the trial."""
        return max((score for node in self.nodes for _, score in node.plays), default=0.0)

    def best(self) -> int:
        """The played node with the highest score (of equals the latest)."""
        return max(range(len(self.nodes)), key=lambda at: (bool(self.nodes[at].plays), self.nodes[at].score, at))

    def pick(self) -> int:
        """The parent of the next node by UCB (of equals the latest)."""
        return max((at for at, node in enumerate(self.nodes) if node.plays), key=lambda at: (self.ucb(at), at))

    def ucb(self, at: int) -> float:
        """score / best + c * alpha^depth * sqrt(ln N / (1 + children))."""
        node, best = self.nodes[at], self.best_score()
        children = sum(other.parent == at for other in self.nodes)
        wide = math.sqrt(math.log(max(len(self.nodes), 2)) / (1 + children))
        return (node.score / best if best > 0 else 0.0) + self.c * self.alpha**node.depth * wide


class EvoTest(Method):
    """Guides evolved in a tree."""

    name = "evotest"
    carries = "an evolved guide, a state extractor, score-raising moves, loops to avoid"
    paper = "He et al. 2025, arXiv:2510.13220"

    def __init__(
        self,
        c: float = 1.0,
        alpha: float = 0.8,
        drop_threshold: float = 0.5,
        temperature: float = 0.7,
        positives: int = 3,
        least_loop: int = 4,
        judge: str = "text",
    ) -> None:
        self.c = real(self.name, "c", c, 0.0, 100.0)
        self.alpha = real(self.name, "alpha", alpha, 0.0, 1.0)
        self.drop_threshold = real(self.name, "drop_threshold", drop_threshold, 0.0, 1.0)
        self.temperature = real(self.name, "temperature", temperature, 0.0, 2.0)
        self.positives = whole(self.name, "positives", positives, 0)
        self.least_loop = whole(self.name, "least_loop", least_loop)
        self.judge = one_of(self.name, "judge", judge, ("text", "llm"))
        self.tree = Tree((Node(FIRST_GUIDE, FIRST_EXTRACTOR),), self.c, self.alpha)
        self.current = 0
        self.reused = False
        """The current node is used again without evolution: it is frozen."""
        self.episodes: dict[int, Episode] = {}
        self.guidance: tuple[Block, ...] = ()

    @property
    def node(self) -> Node:
        """The configuration in use."""
        return self.tree.nodes[self.current]

    # --- what reaches the prompt ------------------------------------------------------------------------------

    def begin_episode(self, task: Task) -> None:
        if self.frozen:
            # A child that was never played is no part of what was learned.
            self.current = self.tree.best()
        self.guidance = told(HEADING, self.node.guide, self.guidance_tokens)

    def context(self, view: View) -> Context:
        return Context(guidance=self.guidance, hints=[*self.state_hint(view), *self.moves_hint(view)])

    def state_hint(self, view: View) -> list[Block]:
        """What the extractor says of the episode so far."""
        text = "".join(so_far(view.task.episode, self.planned, view.task.opening, view.steps))
        node, (state,) = self.read(self.node, [text])
        self.tree = self.tree.having(self.current, node)
        return [Block(f"\n{STATE}\n{quoted(state)}")] if state.strip() else []

    def moves_hint(self, view: View) -> list[Block]:
        """Moves that raised the score in similar moments."""
        store = self.services.store
        if not self.positives or not store.claims(POSITIVE):
            return []
        hits = store.search(view.observation, kind=POSITIVE, k=self.positives, min_similarity=LEAST_SIMILAR)
        moves = [hit.claim for hit in hits if hit.claim is not None]
        blocks = [moment_block(move.key, move.action, score_change(move.data["gain"])) for move in moves]
        return [Block(f"\n{MOVES}\n"), *blocks] if blocks else []

    # --- what is learned: first everything is worked out, then it is kept ---------------------------------------

    def end_episode(self, episode: Episode) -> None:
        store = self.services.store
        store.add_steps(episode.steps)
        node, states = self.read(self.node, self.prefixes(episode))
        node = replace(node, plays=(*node.plays, (episode.episode, episode.score or 0.0)))
        tree, episodes = self.tree.having(self.current, node), {**self.episodes, episode.episode: episode}
        runs = loops(episode, states, self.least_loop)
        current, reused, child = self.current, self.reused, None
        if episode.episode < self.planned:
            best, last = tree.best_score(), episode.score or 0.0
            fell = best > 0 and best - last >= self.drop_threshold * best
            won = self.judge == "text" and win_stated(episode)
            # A node that is used again and misses is frozen no longer.
            if not won and (reused or not fell):
                child = self.evolve(tree, tree.pick(), episodes, episode, runs)
            # Where there is no child (a win, a fall) the best node is used again.
            current, reused = (len(tree.nodes), False) if child is not None else (tree.best(), True)
        with store.atomic():
            self.keep_moves(episode)
            self.keep_loops(runs)
            if child is not None:
                supports = [step.id for step in episodes[tree.nodes[child.parent or 0].plays[-1][0]].steps]
                claim = store.claim(kind=GUIDE, text=child.guide, supports=supports)
                tree = replace(tree, nodes=(*tree.nodes, replace(child, claim=claim.id)))
        self.tree, self.current, self.reused, self.episodes = tree, current, reused, episodes

    def evolve(
        self, tree: Tree, at: int, episodes: Mapping[int, Episode], last: Episode, runs: Sequence[Sequence[Step]]
    ) -> Node | None:
        """A child of a node by the evolver; None where the last episode is judged a success, or has nothing to show."""
        from evoplay.methods.signatures.evotest import Evolve, EvolveAndJudge

        parent = tree.nodes[at]
        shown = episodes[parent.plays[-1][0]]
        if not shown.steps:
            return None
        known = [claim.text for claim in self.services.store.claims(LOOP)]
        inputs: dict[str, Any] = {
            "guide": parent.guide,
            "extractor": parent.extractor,
            "transcript": self.told(shown),
            "loops": list(dict.fromkeys([*known, *(written(run) for run in runs)])),
        }
        asked: Any = Evolve
        if self.judge == "llm":
            asked, inputs["last"] = EvolveAndJudge, self.told(last)
        said = self.services.structured.ask(asked, purpose="evolve", temperature=self.temperature, **inputs)
        if self.judge == "llm" and said.success:
            return None
        extractor = self.accepted(said.new_extractor, parent.extractor, shown)
        guide = said.new_guide.strip() or parent.guide
        return Node(guide, extractor, parent.extractor, at, parent.depth + 1)

    def told(self, episode: Episode) -> str:
        """An episode as text for the evolver."""
        return transcript([episode], self.planned, self.reading_tokens // 2)

    # --- the extractor ----------------------------------------------------------------------------------------

    def accepted(self, code: str, before: str, episode: Episode) -> str:
        """A new extractor if it works on all of an episode, else the one before; a refusal is put on record."""
        if not code.strip():
            return before
        try:
            extract_all(code, self.prefixes(episode))
        except ExtractorFailed as failure:
            self.refused(failure)
            return before
        return code

    def read(self, node: Node, texts: Sequence[str]) -> tuple[Node, list[str]]:
        """The state of each text by a node's extractor; one that fails gives way to the one before it."""
        if node.extractor == FIRST_EXTRACTOR:
            return node, [""] * len(texts)
        try:
            return node, extract_all(node.extractor, texts)
        except ExtractorFailed as failure:
            self.refused(failure)
        return self.read(replace(node, extractor=node.fallback, fallback=FIRST_EXTRACTOR), texts)

    def refused(self, failure: ExtractorFailed) -> None:
        """Put on record that an extractor was refused or stopped."""
        at = {"episode": self.services.episode, "step": self.services.step}
        self.services.emit({"type": "extractor", "accepted": False, "why": str(failure), **at})

    def prefixes(self, episode: Episode) -> list[str]:
        """What the extractor is given in an episode: its text before each step, and all of it."""
        pieces = so_far(episode.episode, self.planned, episode.opening, episode.steps)
        return ["".join(pieces[: at + 1]) for at in range(len(pieces))]

    # --- what is kept of an episode ---------------------------------------------------------------------------

    def keep_moves(self, episode: Episode) -> None:
        """Every step that raised the visible score, as (state, action, change)."""
        store = self.services.store
        known = {(claim.key, claim.action): claim.id for claim in store.claims(POSITIVE)}
        for step in episode.steps:
            if step.gain <= 0 or step.masked or not step.action.strip():
                continue
            at = (step.observation, step.action)
            if at in known:
                supports = [*store.get(known[at]).supports, step.id]
                store.revise(known[at], data={"gain": step.gain}, supports=supports)
            else:
                text = f"`{step.action}` raised the score: {score_change(step.gain)}."
                links: dict[str, Any] = {"supports": [step.id], "key": step.observation, "data": {"gain": step.gain}}
                known[at] = store.claim(kind=POSITIVE, text=text, action=step.action, **links).id

    def keep_loops(self, runs: Sequence[Sequence[Step]]) -> None:
        """Every run that led back to known states and gained nothing, by its actions."""
        store = self.services.store
        known = {claim.text: claim.id for claim in store.claims(LOOP)}
        for run in runs:
            text, steps = written(run), [step.id for step in run]
            if text in known:
                store.support(known[text], steps)
            else:
                known[text] = store.claim(kind=LOOP, text=text, supports=steps).id

    # --- state ------------------------------------------------------------------------------------------------

    def state(self) -> Mapping[str, Any]:
        nodes = [asdict(node) for node in self.tree.nodes]
        return {"nodes": nodes, "current": self.current, "reused": self.reused}

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.episodes = {episode.episode: episode for episode in episodes}
        if state:
            nodes = [{**node, "plays": tuple((at, score) for at, score in node["plays"])} for node in state["nodes"]]
            self.tree = replace(self.tree, nodes=tuple(Node(**node) for node in nodes))
            self.current, self.reused = state["current"], state["reused"]


def loops(episode: Episode, states: Sequence[str], least: int) -> list[list[Step]]:
    """Runs of at least `least` steps, each of which led to a state seen before in the episode and gained nothing.

    states : by the extractor, before the first step and after each; where one is empty the observation is the state.
    """
    seen = {states[0].strip() or episode.opening}
    runs: list[list[Step]] = [[]]
    for step, state in zip(episode.steps, states[1:], strict=True):
        here = state.strip() or step.outcome
        if here in seen and step.gain <= 0:
            runs[-1].append(step)
        elif runs[-1]:
            runs.append([])
        seen.add(here)
    return [run for run in runs if len(run) >= least]


def written(run: Sequence[Step]) -> str:
    """A run of steps by its actions."""
    return ", ".join(one_line(step.action) or "(nothing)" for step in run)


def win_stated(episode: Episode) -> bool:
    """Whether the game's last words say that it was won."""
    return bool(_WON.search(episode.closing)) and not _NOT_WON.search(episode.closing)
