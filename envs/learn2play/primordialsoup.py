"""Primordial Soup: six substances, a hot spring, and molecules to be coaxed out of it. Fixed: always the same spring.

Data tables, pure rules, the exact search, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

COMPOUNDS = ("A", "B", "C", "D", "E", "F")
PRIMARY, MIDDLE, TOP = ("L1a", "L1b", "L1c"), ("L2a", "L2b"), "L3"
MOLECULES = (*PRIMARY, *MIDDLE, TOP)
WORTH = {**dict.fromkeys(PRIMARY, 10), **dict.fromkeys(MIDDLE, 25), TOP: 80}
LEVELS = {"L1": PRIMARY, "L2": MIDDLE, "L3": (TOP,)}
ADDS = tuple(f"add_{compound.lower()}" for compound in COMPOUNDS)
TURN_ACTIONS = (*ADDS, "react", "synthesize", "submit")
MAX_TURNS = 50
MOST_LEVEL, MIDDLE_NEEDS, TOP_NEEDS = 3, 1, 2
BONUS = 5
FREE_TURNS, PENALTY = 30, 0.5
ATTEMPTS = 20

Drawing = Callable[[], list[str]]
Pair = tuple[str, str]
Counts = Mapping[str, int]


# --- rules ------------------------------------------------------------------------------------------------------


class Spring(NamedTuple):
    """What a seed decides: the catalyst, the stock, and the recipes by product in the order they are tried."""

    catalyst: str
    stock: dict[str, int]
    primary: dict[str, Pair]
    middle: dict[str, Pair]
    top: Pair


def draw_spring(seed: int) -> Spring:
    """The instance of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    catalyst = rng.choice(COMPOUNDS)
    stock = {compound: rng.randint(3, 6) for compound in COMPOUNDS}
    inert = [compound for compound in COMPOUNDS if compound != catalyst]
    rng.shuffle(inert)

    primary: dict[str, Pair] = {}
    for label in PRIMARY[: rng.randint(2, 3)]:
        _draw_recipe(primary, label, lambda: rng.sample(inert, 2))
    made = list(primary)

    def middle_pair() -> list[str]:
        two = rng.choice((True, False)) if len(made) >= 2 else False
        return rng.sample(made, 2) if two else [rng.choice(made), rng.choice(inert)]

    middle: dict[str, Pair] = {}
    for label in MIDDLE[: rng.randint(1, 2)]:
        _draw_recipe(middle, label, middle_pair)
    advanced = list(middle)
    if len(advanced) == 2:
        first, second = rng.sample(advanced, 2)
    elif advanced:
        first, second = advanced[0], rng.choice(made)
    else:
        first, second = rng.choice(made), rng.choice(inert)
    return Spring(catalyst, stock, primary, middle, (first, second))


def _draw_recipe(recipes: dict[str, Pair], label: str, draw: Drawing) -> None:
    """Give a label the first pair drawn that no other has; a rejected pair has used its draws up."""
    known = [frozenset(pair) for pair in recipes.values()]
    for _ in range(ATTEMPTS):
        first, second = draw()
        if frozenset((first, second)) not in known:
            recipes[label] = (first, second)
            return


def score_of(molecules: Counts, bonus: bool, turns: int) -> int:
    """Points of what is in the soup now, less the penalty for late turns; cut to a whole number, never below 0."""
    value = sum([WORTH[label] * count for label, count in molecules.items() if count]) + BONUS * bonus
    return max(0, int(value - penalty(turns)))


def penalty(turns: int) -> float:
    return max(0.0, (turns - FREE_TURNS) * PENALTY)


def present(pair: Pair, soup: Counts) -> bool:
    """Whether one of each reactant is there."""
    return soup.get(pair[0], 0) > 0 and soup.get(pair[1], 0) > 0


def fired(spring: Spring, soup: dict[str, int]) -> tuple[str, ...]:
    """The primary recipes that react in a soup, each once at most; what they use is taken from it."""
    made = []
    for label, pair in spring.primary.items():
        if present(pair, soup):
            made.append(label)
            for name in pair:
                soup[name] -= 1
    return tuple(made)


def product_of(spring: Spring, level: int, soup: Counts) -> str | None:
    """What a synthesis makes of a soup at a catalyst level, if anything."""
    if level >= TOP_NEEDS and present(spring.top, soup):
        return TOP
    if level < MIDDLE_NEEDS:
        return None
    return next((label for label, pair in spring.middle.items() if present(pair, soup)), None)


# --- the exact search -------------------------------------------------------------------------------------------


class State(NamedTuple):
    """A soup in a clean run, where everything added is used by the next react or synthesis."""

    stock: tuple[int, ...]
    molecules: tuple[int, ...]
    level: int = 0
    bonus: bool = False


Step = tuple[State, tuple[str, ...]]


class Search:
    """All clean runs, by turns used. They lose nothing: an addition put off until it is used changes no reaction."""

    def __init__(self, spring: Spring) -> None:
        self.spring = spring
        self.catalyst = COMPOUNDS.index(spring.catalyst)
        sizes = range(len(spring.primary) + 1)
        batches = [batch for size in sizes for batch in combinations(spring.primary, size)]
        self.batches = [batch for batch in batches if self._fires(batch)]
        pairs = (*spring.middle.values(), spring.top)
        self.partners = (None, *sorted({name for pair in pairs for name in pair if name in COMPOUNDS}))

    def _fires(self, batch: tuple[str, ...]) -> bool:
        """Whether just what these recipes need makes them react, and no earlier one that takes a share of it."""
        soup = Counter(name for label in batch for name in self.spring.primary[label])
        return fired(self.spring, soup) == batch

    def best_run(self) -> tuple[int, list[str]]:
        """The best score of a run that is handed in, and the run."""
        start = State(tuple(self.spring.stock.values()), (0,) * len(MOLECULES))
        layers: list[list[State]] = [[] for _ in range(MAX_TURNS + 1)]
        layers[0].append(start)
        came: dict[State, tuple[int, State | None, tuple[str, ...]]] = {start: (0, None, ())}
        best, best_state = 0, start
        for turns, layer in enumerate(layers):
            for state in layer:
                if came[state][0] < turns:
                    continue
                score = score_of(dict(zip(MOLECULES, state.molecules, strict=True)), state.bonus, turns + 1)
                if turns < MAX_TURNS and score > best:
                    best, best_state = score, state
                for after, actions in self._steps(state):
                    reached = turns + len(actions)
                    if reached < MAX_TURNS and (after not in came or came[after][0] > reached):
                        came[after] = (reached, state, actions)
                        layers[reached].append(after)
        return best, [*self._line(came, best_state), "submit"]

    def _line(self, came: dict[State, tuple[int, State | None, tuple[str, ...]]], end: State) -> list[str]:
        parts: list[tuple[str, ...]] = []
        state: State | None = end
        while state is not None:
            _, state, actions = came[state]
            parts.append(actions)
        return [action for part in reversed(parts) for action in part]

    def _steps(self, state: State) -> Iterator[Step]:
        yield from self._reacts(state)
        if state.level >= MIDDLE_NEEDS:
            yield from self._syntheses(state)

    def _reacts(self, state: State) -> Iterator[Step]:
        """A react with just what some recipes need, and up to two units of the catalyst."""
        for batch in self.batches:
            used = [name for label in batch for name in self.spring.primary[label]]
            stock = list(state.stock)
            for name in used:
                stock[COMPOUNDS.index(name)] -= 1
            if min(stock) < 0:
                continue
            molecules = list(state.molecules)
            for label in batch:
                molecules[MOLECULES.index(label)] += 1
            for units in range(min(TOP_NEEDS, stock[self.catalyst]) + 1):
                if not batch and units in (0, state.level):
                    continue
                left = list(stock)
                left[self.catalyst] -= units
                adds = tuple(f"add_{name.lower()}" for name in (*used, *[self.spring.catalyst] * units))
                bonus = state.bonus or units >= TOP_NEEDS
                yield State(tuple(left), tuple(molecules), units, bonus), (*adds, "react")

    def _syntheses(self, state: State) -> Iterator[Step]:
        """A synthesis, of molecules alone or with one compound that it uses."""
        soup = dict(zip(MOLECULES, state.molecules, strict=True))
        for partner in self.partners:
            if partner is not None and not state.stock[COMPOUNDS.index(partner)]:
                continue
            label = product_of(self.spring, state.level, soup if partner is None else {**soup, partner: 1})
            if label is None:
                continue
            pair = self.spring.top if label == TOP else self.spring.middle[label]
            if partner is not None and partner not in pair:
                continue
            molecules, stock = list(state.molecules), list(state.stock)
            for name in pair:
                if name in COMPOUNDS:
                    stock[COMPOUNDS.index(name)] -= 1
                else:
                    molecules[MOLECULES.index(name)] -= 1
            molecules[MOLECULES.index(label)] += 1
            adds = () if partner is None else (f"add_{partner.lower()}",)
            yield state._replace(stock=tuple(stock), molecules=tuple(molecules)), (*adds, "synthesize")


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "Deep down, where no light has ever been, a hot spring breaks from the sea floor. Around it drift six substances, "
    "A to F. Stir them into the hollow, let them react, join what has formed, and see whether life can come of it."
)
NOTHING_THERE = "The hollow is empty; nothing happens."
TOO_CALM = "Nothing joins: it is too calm in the hollow. More catalysis could help."
TOP_MADE = "It succeeds: a product of the top level has formed, and it stirs."
MIDDLE_MADE = "It succeeds: a product of the middle level has formed."
TOO_WEAK = "The partners are there, but for the advanced product the catalysis is too weak."
NO_PARTNER = "What is there does not combine. Try other kinds."
HANDED_IN = "You hand in what has come about."
LIMIT = f"The spring runs dry: the limit of {MAX_TURNS} turns is reached."
GAME_OVER = "This attempt at life is already over."
CLOSINGS = {
    "L3": "Something in the hollow has begun to copy itself.",
    "L2": "Long chains hang in the warm water, not yet alive.",
    "L1": "A few simple molecules drift apart again.",
    "": "The hollow is as lifeless as it was.",
}


def added_text(compound: str, left: int) -> str:
    return f"You stir in one unit of {compound}; {left} left in stock."


def out_of_stock_text(compound: str) -> str:
    return f"Your stock of {compound} is used up."


def catalyst_only_text(level: int) -> str:
    return f"A catalyst spreads, its concentration is {level} now, but there is no other substance for it to work on."


def reacted_text(formed: int, level: int) -> str:
    if formed == 0:
        outcome = "The hollow turns murky, and nothing forms: these substances do not suit each other."
    elif formed == 1:
        outcome = "It bubbles up, and one primary molecule forms."
    else:
        outcome = f"It bubbles up, and {formed} primary molecules form."
    return f"{outcome} Catalyst concentration: {level}."


def counted(counts: Counts) -> str:
    return ", ".join([f"{name} {count}" for name, count in counts.items() if count])


def status_text(stock: Counts, soup: Counts, molecules: Counts, level: int, turns: int, score: int) -> str:
    made = {name: counted({label: molecules[label] for label in labels}) for name, labels in LEVELS.items()}
    grouped = "; ".join([f"{name}: {held}" for name, held in made.items() if held])
    floating = ", ".join([held for held in (counted(soup), *made.values()) if held])
    return (
        f"Stock: {', '.join([f'{name} {count}' for name, count in stock.items()])}\n"
        f"Soup: {floating or 'empty'}\n"
        f"Catalyst concentration: {level}\n"
        f"Molecules: {grouped or 'none'}\n"
        f"Score: {score} | Turn {turns}/{MAX_TURNS}"
    )


def settlement_text(molecules: Counts, bonus: bool, turns: int, score: int) -> str:
    counts = {name: sum(molecules[label] for label in labels) for name, labels in LEVELS.items()}
    lines = [f"{name}: {count} x {WORTH[LEVELS[name][0]]} points" for name, count in counts.items()]
    closing = next((name for name in reversed(LEVELS) if counts[name]), "")
    return "\n".join(
        [
            "The account:",
            *lines,
            f"Bonus for catalysis: +{BONUS * bonus}",
            f"Penalty for late turns: {penalty(turns):.1f}",
            f"Final score: {score} | Turns used: {turns}",
            CLOSINGS[closing],
        ]
    )


def refusal_text(action: str) -> str:
    return f"The spring does not know '{action}'. You can: {', '.join(TURN_ACTIONS)}."


# --- the game ---------------------------------------------------------------------------------------------------


class PrimordialSoup(Game):
    """Actions: `add_a` to `add_f`, `react`, `synthesize`, `submit`, `status`, all of them at any time."""

    spec = EnvSpec(
        id="learn2play/primordialsoup",
        title="Primordial Soup",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=60,
        seed=1,
        summary="Mix six substances at a hot spring until something like life comes of them.",
        about=(
            "Six substances lie around a hot spring in the deep sea. Stirred together in the right pairs they react, "
            "and what has formed may be joined to something higher. Stocks are short and every step counts; the spring "
            "is the same in every episode, so each mixture tried is a lesson for the next."
        ),
    )
    shared = ("spring",)

    def build(self) -> None:
        self.spring = draw_spring(self.seed)

    def start(self, episode: int) -> str:
        self.stock = dict(self.spring.stock)
        self.soup = dict.fromkeys(COMPOUNDS, 0)
        self.molecules = dict.fromkeys(MOLECULES, 0)
        self.level = self.turns = 0
        self.bonus = False
        self.ended = False
        return f"{OPENING}\n\n{self._status()}"

    def play(self, action: str) -> Reply:
        if self.ended:
            return Reply(GAME_OVER, False)
        act = action.strip().lower()
        if act == "status":
            return Reply(self._status())
        if act not in TURN_ACTIONS:
            return Reply(refusal_text(act), False)
        self.turns += 1
        if act == "submit":
            self.ended = True
            text = HANDED_IN
        elif act == "react":
            text = self._react()
        elif act == "synthesize":
            text = self._synthesize()
        else:
            text = self._add(act[-1].upper())
        if self.turns >= MAX_TURNS and not self.ended:
            self.ended = True
            text = f"{text}\n{LIMIT}"
        if not self.ended:
            return Reply(f"{text}\n{self._status()}")
        return Reply(f"{text}\n{settlement_text(self.molecules, self.bonus, self.turns, self.points())}")

    def valid(self) -> list[str]:
        return [] if self.ended else [*TURN_ACTIONS, "status"]

    def points(self) -> int:
        return score_of(self.molecules, self.bonus, self.turns)

    def shown_points(self) -> int:
        return self.points()

    def over(self) -> bool:
        return self.ended

    def solve(self, episode: int) -> Solution:
        score, actions = Search(self.spring).best_run()
        return Solution(score, "exact", "search of all runs without waste that are handed in", tuple(actions))

    # --- inner ------------------------------------------------------------------------------------------------

    def _status(self) -> str:
        return status_text(self.stock, self.soup, self.molecules, self.level, self.turns, self.points())

    def _add(self, compound: str) -> str:
        if not self.stock[compound]:
            return out_of_stock_text(compound)
        self.stock[compound] -= 1
        self.soup[compound] += 1
        return added_text(compound, self.stock[compound])

    def _react(self) -> str:
        molecules_there = any(self.molecules.values())
        if not molecules_there and not any(self.soup.values()):
            return NOTHING_THERE
        self.level = min(MOST_LEVEL, self.soup[self.spring.catalyst])
        self.soup[self.spring.catalyst] = 0
        self.bonus = self.bonus or self.level >= TOP_NEEDS
        if not molecules_there and not any(self.soup.values()):
            return catalyst_only_text(self.level)
        formed = fired(self.spring, self.soup)
        for label in formed:
            self.molecules[label] += 1
        return reacted_text(len(formed), self.level)

    def _synthesize(self) -> str:
        if self.level < MIDDLE_NEEDS:
            return TOO_CALM
        soup = {**self.soup, **self.molecules}
        label = product_of(self.spring, self.level, soup)
        if label is None:
            return TOO_WEAK if self.level < TOP_NEEDS and present(self.spring.top, soup) else NO_PARTNER
        for name in self.spring.top if label == TOP else self.spring.middle[label]:
            (self.soup if name in self.soup else self.molecules)[name] -= 1
        self.molecules[label] += 1
        return TOP_MADE if label == TOP else MIDDLE_MADE


ENV = PrimordialSoup
