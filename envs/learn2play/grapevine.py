"""Grapevine: three sources, one rumour, and a town whose acquaintances nobody has drawn. Fixed: the town never changes.

Data tables, pure rules, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

CITIZENS = "ABCDEFGHIJKLMNOPQRST"
COUNT = len(CITIZENS)
BUDGET = 3
MAX_TURNS = 12
CANDIDATES = 2000
"""Networks drawn at most while looking for one that punishes the choice of the three strongest citizens."""
OUT_DEGREES, WEIGHTS, THRESHOLDS = (2, 2, 3), (1, 1, 2), (1, 1, 2, 2, 3, 4)
LEAST_SINGLE, MOST_SINGLE = 3, 7
WANTED_BEST, WANTED_TRAP, ENOUGH_TRAP = 16, 6, 8


# --- rules ------------------------------------------------------------------------------------------------------


class Network(NamedTuple):
    """Who hears whom: by citizen number, the influences (origin, weight) that reach it, and what sways it."""

    incoming: tuple[tuple[tuple[int, int], ...], ...]
    thresholds: tuple[int, ...]


class Judgement(NamedTuple):
    """How good a candidate network is; compared as a tuple."""

    meets: bool
    trap: int
    best: int


def draw_candidate(rng: random.Random) -> Network:
    """One network from the stream; the order of the draws is part of the rules."""
    incoming: list[list[tuple[int, int]]] = [[] for _ in range(COUNT)]
    for origin in range(COUNT):
        others = [citizen for citizen in range(COUNT) if citizen != origin]
        for target in rng.sample(others, rng.choice(OUT_DEGREES)):
            incoming[target].append((origin, rng.choice(WEIGHTS)))
    thresholds = tuple(rng.choice(THRESHOLDS) for _ in range(COUNT))
    return Network(tuple(tuple(influences) for influences in incoming), thresholds)


def spread(network: Network, sources: Iterable[int]) -> list[list[int]]:
    """The waves of a rumour: the sources, then those persuaded in each round, each wave in ascending order."""
    waves = [sorted(sources)]
    active = set(waves[0])
    while True:
        joining = [
            citizen
            for citizen, influences in enumerate(network.incoming)
            if citizen not in active
            and sum(weight for origin, weight in influences if origin in active) >= network.thresholds[citizen]
        ]
        if not joining:
            return waves
        waves.append(joining)
        active.update(joining)


class Reach:
    """Everyone persuaded in the end by a set of sources, as bit masks: fast enough for all trios of many networks.

    Growing is monotone, so a trio's reach is grown from the union of the reaches of its pairs.
    """

    def __init__(self, network: Network) -> None:
        self.rows: list[tuple[int, int, int, int]] = []
        for citizen, influences in enumerate(network.incoming):
            threshold = network.thresholds[citizen]
            if sum(weight for _, weight in influences) >= threshold:
                every = sum(1 << origin for origin, _ in influences)
                double = sum(1 << origin for origin, weight in influences if weight == 2)
                self.rows.append((1 << citizen, every, double, threshold))
        self.known: dict[int, int] = {}
        self.single = [self.grown(1 << citizen) for citizen in range(COUNT)]

    def grown(self, start: int) -> int:
        """The mask of all active citizens once the rumour from `start` has come to rest."""
        found = self.known.get(start)
        if found is not None:
            return found
        active, rows = start, self.rows
        while True:
            before, rest = active, []
            for row in rows:
                bit, every, double, threshold = row
                if active & bit:
                    continue
                if (active & every).bit_count() + (active & double).bit_count() >= threshold:
                    active |= bit
                else:
                    rest.append(row)
            if active == before:
                self.known[start] = active
                return active
            rows = rest

    def best_trio(self) -> tuple[int, tuple[int, int, int]]:
        """The most citizens any trio persuades, and the first such trio in lexicographic order."""
        pairs = {(a, b): self.grown(self.single[a] | self.single[b]) for a, b in combinations(range(COUNT), 2)}
        best, trio = -1, (0, 1, 2)
        for a, b, c in combinations(range(COUNT), 3):
            count = self.grown(pairs[a, b] | pairs[a, c] | pairs[b, c]).bit_count()
            if count > best:
                best, trio = count, (a, b, c)
        return best, trio

    def strongest(self) -> list[int]:
        """The three citizens who persuade most on their own, ties to the earlier letter."""
        return sorted(range(COUNT), key=lambda citizen: -self.single[citizen].bit_count())[:BUDGET]


def judge(network: Network) -> Judgement | None:
    """The rank of a candidate, or None where its strongest citizen is too strong or too weak."""
    reach = Reach(network)
    strongest = max(mask.bit_count() for mask in reach.single)
    if not LEAST_SINGLE <= strongest <= MOST_SINGLE:
        return None
    greedy = 0
    for citizen in reach.strongest():
        greedy |= reach.single[citizen]
    best, _ = reach.best_trio()
    trap = best - reach.grown(greedy).bit_count()
    return Judgement(best >= WANTED_BEST and trap >= WANTED_TRAP, trap, best)


def draw_network(seed: int) -> Network:
    """The network of a seed: the best-ranked of the candidates, the first that is good enough ending the search."""
    rng = random.Random(seed)
    kept: tuple[Judgement, Network] | None = None
    for _ in range(CANDIDATES):
        network = draw_candidate(rng)
        rank = judge(network)
        if rank is None:
            continue
        if kept is None or rank > kept[0]:
            kept = rank, network
        if rank.meets and rank.trap >= ENOUGH_TRAP:
            break
    if kept is None:
        raise ValueError(f"seed {seed} yields no town in {CANDIDATES} draws: choose another seed")
    return kept[1]


def citizen_named(name: str) -> int | None:
    """The number of the citizen with this letter (either case, padded or not), or None."""
    letter = name.strip().upper()
    return CITIZENS.index(letter) if len(letter) == 1 and letter in CITIZENS else None


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "You have a rumour to sell to a town of twenty citizens, A to T. Whom each of them listens to, and how hard a head "
    "each of them has, is written on nobody's face. Win over up to three sources with seed_X, then let the rumour go "
    "with release: it travels on in waves, and what counts in the end is how many people it has convinced. There is "
    "one release to a game, so what you learn about the town has to be gathered over many games. Find the best trio."
)


def letters(citizens: Iterable[int]) -> str:
    return " ".join(CITIZENS[citizen] for citizen in citizens) or "none"


def planning_text(message: str, sources: Sequence[int]) -> str:
    row = " ".join(f"[{name}]" if number in sources else name for number, name in enumerate(CITIZENS))
    said = f"{message}\n" if message else ""
    return f"{said}Citizens: {row}\nSources: {letters(sources)}\nBudget: {len(sources)}/{BUDGET}"


def result_text(waves: Sequence[Sequence[int]]) -> str:
    active = {citizen for wave in waves for citizen in wave}
    lines = [
        f"Wave {number}: {letters(wave)}{' (your sources)' if number == 0 else ''}" for number, wave in enumerate(waves)
    ]
    lines.append(f"The rumour has come to rest. Convinced: {len(active)} of {COUNT}.")
    lines.append(f"Unmoved: {letters(citizen for citizen in range(COUNT) if citizen not in active)}")
    return "\n".join(lines)


# --- the game ---------------------------------------------------------------------------------------------------


class Grapevine(Game):
    """Actions: `seed_X`, `unseed_X`, `release`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/grapevine",
        title="Grapevine",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=1,
        summary="Pick three sources so that a rumour convinces as much of a town as it can.",
        about=(
            "Twenty citizens, and ties between them that nobody can see. Choose up to three of them, let a rumour go "
            "and watch in which order the town falls for it. A game has one release only, but the town stays the same, "
            "so every spread that was watched narrows down what the next choice can be built on."
        ),
    )
    shared = ("network",)

    def build(self) -> None:
        self.network = draw_network(self.seed)

    def start(self, episode: int) -> str:
        self.sources: list[int] = []
        self.turns = 0
        self.message = ""
        self.convinced = 0
        self.final_view = ""
        return f"{OPENING}\n\n{planning_text('', self.sources)}"

    def play(self, action: str) -> Reply:
        act = action.strip()
        if self.final_view:
            return Reply(self.final_view, act == "status")
        accepted = True
        if act == "release":
            self._release()
        elif act.startswith(("seed_", "unseed_")):
            word, _, name = act.partition("_")
            accepted = self._seed(name) if word == "seed" else self._unseed(name)
            self.turns += 1
            if self.turns >= MAX_TURNS:
                self._release()
        elif act != "status":
            self.message = f"Nobody in town knows what '{act}' should mean."
            accepted = False
        return Reply(self.final_view or planning_text(self.message, self.sources), accepted)

    def valid(self) -> list[str]:
        if self.final_view:
            return ["status"]
        listed: list[str] = []
        if len(self.sources) < BUDGET:
            listed += [f"seed_{name}" for number, name in enumerate(CITIZENS) if number not in self.sources]
        listed += [f"unseed_{CITIZENS[number]}" for number in self.sources]
        return [*listed, "release", "status"]

    def points(self) -> int:
        return self.convinced

    def shown_points(self) -> int | None:
        return self.convinced if self.final_view else None

    def over(self) -> bool:
        return bool(self.final_view)

    def solve(self, episode: int) -> Solution:
        best, trio = Reach(self.network).best_trio()
        actions = (*(f"seed_{CITIZENS[citizen]}" for citizen in trio), "release")
        return Solution(best, "exact", "enumeration of all 1140 trios", actions)

    def _seed(self, name: str) -> bool:
        citizen = citizen_named(name)
        if citizen is None:
            self.message = f"No citizen is called '{name.strip()}'."
        elif citizen in self.sources:
            self.message = f"{CITIZENS[citizen]} is one of your sources already."
        elif len(self.sources) >= BUDGET:
            self.message = f"Your budget is spent: {BUDGET} sources are all you can pay for."
        else:
            self.sources.append(citizen)
            self.message = f"You have won over {CITIZENS[citizen]}."
            return True
        return False

    def _unseed(self, name: str) -> bool:
        citizen = citizen_named(name)
        if citizen is None or citizen not in self.sources:
            self.message = f"{name.strip() or 'Nobody'} is not one of your sources."
            return False
        self.sources.remove(citizen)
        self.message = f"You have dropped {CITIZENS[citizen]}."
        return True

    def _release(self) -> None:
        waves = spread(self.network, self.sources)
        self.convinced = sum(map(len, waves))
        self.final_view = result_text(waves)


ENV = Grapevine
