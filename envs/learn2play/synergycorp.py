"""SynergyCorp: an office in which one boss follows another, and each must be won over by what he lets show.

Re-shuffled: the seed decides how bosses work, (seed, episode) who comes. Data tables, pure rules, the exact solver,
texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

MODALITIES = ("diligent", "verbal", "visual", "predatory")
BASE = {
    "overtime": 5, "steal_lunch": 5, "buzzwords": 4, "nap_in_board": 6,
    "praise_boss": 4, "spread_rumor": 5, "submit_report": 5, "grab_mic": 6,
}  # fmt: skip
MODALITY = {
    "overtime": "diligent",
    "steal_lunch": "predatory",
    "buzzwords": "verbal",
    "nap_in_board": "visual",
    "praise_boss": "verbal",
    "spread_rumor": "predatory",
    "submit_report": "diligent",
    "grab_mic": "visual",
}
ACTIONS = tuple(BASE)
ACTIONS_OF = {kind: tuple(action for action in ACTIONS if MODALITY[action] == kind) for kind in MODALITIES}
TRAITS = (
    "family_photo",
    "tidy_desk",
    "marathon_medal",
    "goji_thermos",
    "dual_monitors",
    "figurines",
    "overtime_selfie",
    "english_mix",
    "lunch_gym",
    "fish_tank",
    "golf_clubs",
    "lozenges",
)
END = "结束"
STATUS = "status"
ALIASES = {str(number): action for number, action in enumerate(ACTIONS, start=1)} | dict.fromkeys(
    ("done", "end", "end_game", "quit_game"), END
)
LAST_TURN = 30
DEMERIT = 8
LOVED, LIKED, DISLIKED, HATED = 2.0, 0.6, -1.2, -1.8
STREAK_FACTORS = (1.0, 0.6, 0.3)
COMBO_FACTOR = 2.5
SALTS = {
    1: ["0c7", "1c5", "2c36", "3c1", "4c57", "5c14", "6c11", "7c56", "8c11", "9c3", "10c3", "11c20"],
    2: ["0c1", "1c8", "2c6", "3c6", "4c3", "5c12", "6c3", "7c11", "8c12", "9c18", "10c12", "11"],
}
"""Streams of bosses chosen so that every episode of the seed is worth the same; others are searched for."""
CALIBRATION_STREAMS = 32
SALT_TRIES = 600
SURNAMES = (
    "Abernathy", "Brandt", "Castellan", "Dufour", "Ekdahl", "Fairweather", "Grubb", "Hollister",
    "Ibarra", "Jankowski", "Kessler", "Lindqvist", "Moreau", "Novak", "Oakes", "Pemberton",
)  # fmt: skip
TITLES = ("Director", "Vice President", "Department Head", "Team Lead", "Controller", "Partner", "Chief of Staff")

# --- rules ------------------------------------------------------------------------------------------------------


class Grammar(NamedTuple):
    """What a seed decides: the signals of each preference, what it makes of each modality, taboo and combo."""

    signals: Mapping[str, tuple[str, ...]]
    decoys: tuple[str, ...]
    factors: Mapping[str, Mapping[str, float]]
    taboo_trait: str
    taboo_action: str
    combo: tuple[str, str]

    def combo_works_for(self, preference: str) -> bool:
        """Whether setup and follow-up both please this preference, the follow-up most of all."""
        setup, follow = self.combo
        return MODALITY[follow] == preference and self.factors[preference][MODALITY[setup]] > 0


class Boss(NamedTuple):
    """One boss of a stream; `drift` is the preference he may turn to, None for those who never change."""

    name: str
    preference: str
    drift: str | None
    traits: tuple[str, ...]
    threshold: int
    prize: int


class Standing(NamedTuple):
    """How the player stands with the present boss."""

    approval: float = 0.0
    previous: str = ""
    streak: int = 0
    drifted: bool = False


class Turn(NamedTuple):
    """What one action did: the new standing, the change (None: taboo), and whether he drifted or was won over."""

    standing: Standing
    delta: float | None
    drifts: bool
    won: bool


NEWCOMER = Standing()


def draw_grammar(seed: int) -> Grammar:
    """The grammar of a seed; the order of the draws is part of the rules."""
    rng = random.Random(seed)
    traits = list(TRAITS)
    rng.shuffle(traits)
    liked = list(range(4))
    rng.shuffle(liked)
    while any(at == kind for at, kind in enumerate(liked)):
        liked = list(range(4))
        rng.shuffle(liked)
    factors: dict[str, dict[str, float]] = {}
    for at, preference in enumerate(MODALITIES):
        second = MODALITIES[liked[at]]
        others = [kind for kind in MODALITIES if kind not in (preference, second)]
        rng.shuffle(others)
        factors[preference] = {preference: LOVED, second: LIKED, others[0]: DISLIKED, others[1]: HATED}
    taboo_trait, taboo_action = rng.choice(TRAITS), rng.choice(ACTIONS)
    follow = rng.choice(MODALITIES)
    setup = next(kind for kind in MODALITIES if factors[follow][kind] == LIKED)
    combo = (rng.choice(ACTIONS_OF[setup]), rng.choice(ACTIONS_OF[follow]))
    signals = {kind: tuple(traits[2 * at : 2 * at + 2]) for at, kind in enumerate(MODALITIES)}
    return Grammar(signals, tuple(traits[8:]), factors, taboo_trait, taboo_action, combo)


def draw_boss(grammar: Grammar, seed: int, salt: str, number: int) -> Boss:
    """Boss `number` (from 0) of a stream; each has a generator of his own."""
    rng = random.Random(f"{seed}-ep{salt}-boss{number}")
    preference = rng.choice(MODALITIES)
    drift = None
    if number and rng.random() < 0.15:
        drift = rng.choice([kind for kind in MODALITIES if kind != preference])
        traits = [rng.choice(grammar.signals[preference]), rng.choice(grammar.signals[drift])]
        traits.append(rng.choice(grammar.decoys))
    elif rng.random() < 0.3:
        traits = [*grammar.signals[preference], rng.choice(grammar.decoys)]
    else:
        traits = [rng.choice(grammar.signals[preference]), *rng.sample(grammar.decoys, 2)]
    rng.shuffle(traits)
    threshold = 20 + 2 * number + rng.randrange(0, 5)
    surname, title = rng.choice(SURNAMES), rng.choice(TITLES)
    return Boss(f"{title} {surname}", preference, drift, tuple(traits), threshold, round(threshold / 2))


def change(grammar: Grammar, loved: str, action: str, streak: int, combo: bool) -> float:
    """Change of approval by an action, to one decimal."""
    result = BASE[action] * grammar.factors[loved][MODALITY[action]] * STREAK_FACTORS[min(streak, 3) - 1]
    if combo and result > 0:
        result *= COMBO_FACTOR
    return round(result, 1)


def respond(grammar: Grammar, boss: Boss, standing: Standing, action: str) -> Turn:
    """One turn with a boss."""
    streak = standing.streak + 1 if action == standing.previous else 1
    delta: float | None = None
    approval = 0.0
    if not (action == grammar.taboo_action and grammar.taboo_trait in boss.traits):
        loved = boss.drift if standing.drifted and boss.drift else boss.preference
        delta = change(grammar, loved, action, streak, (standing.previous, action) == grammar.combo)
        approval = standing.approval + delta
    drifts = boss.drift is not None and not standing.drifted and approval >= boss.threshold / 2
    after = Standing(approval, action, streak, standing.drifted or drifts)
    return Turn(after, delta, drifts, approval >= boss.threshold)


def meaning(command: str) -> str:
    """The action a command stands for: its name, its number or another word for the end; anything else as it is."""
    act = command.strip().lower()
    return ALIASES.get(act, act)


def partial_credit(boss: Boss, approval: float) -> int:
    """What a boss who is half won over is worth."""
    return round(min(1, max(0, approval) / boss.threshold) * boss.prize * 0.5)


def knowing_action(grammar: Grammar, boss: Boss, standing: Standing) -> str:
    """What a player who knows the grammar does without planning ahead."""
    loved = boss.drift if standing.drifted and boss.drift else boss.preference
    taboo = grammar.taboo_action if grammar.taboo_trait in boss.traits else None
    setup, follow = grammar.combo
    if grammar.combo_works_for(loved) and taboo not in grammar.combo:
        return follow if standing.previous == setup else setup
    choices = [action for action in ACTIONS_OF[loved] if action != taboo]
    return choices[1] if len(choices) == 2 and standing.previous == choices[0] else choices[0]


def knowing_score(grammar: Grammar, seed: int, salt: str) -> int:
    """Score of `knowing_action` on a whole stream."""
    number = points = demerits = 0
    boss, standing = draw_boss(grammar, seed, salt, 0), NEWCOMER
    for _ in range(LAST_TURN):
        turn = respond(grammar, boss, standing, knowing_action(grammar, boss, standing))
        standing = turn.standing
        demerits += turn.delta is None
        if turn.won:
            points += boss.prize
            number += 1
            boss, standing = draw_boss(grammar, seed, salt, number), NEWCOMER
    return max(0, points + partial_credit(boss, standing.approval) - DEMERIT * demerits)


@lru_cache(maxsize=256)
def usual_score(seed: int) -> int:
    """The most frequent score of the knowing policy over the streams of calibration (ties: the highest)."""
    grammar = draw_grammar(seed)
    scores = Counter(knowing_score(grammar, seed, f"cal{number}") for number in range(CALIBRATION_STREAMS))
    return max(scores, key=lambda score: (scores[score], score))


@lru_cache(maxsize=1024)
def choose_salt(seed: int, episode: int) -> str:
    """The salt of an episode: tabled, or the first (else the nearest) whose stream is worth the usual score."""
    index = episode - 1
    known = SALTS.get(seed, [])
    if index < len(known):
        return known[index]
    grammar, target = draw_grammar(seed), usual_score(seed)
    nearest, gap = "", -1
    for number in range(SALT_TRIES):
        salt = f"{index}c{number}" if number else str(index)
        off = abs(knowing_score(grammar, seed, salt) - target)
        if gap < 0 or off < gap:
            nearest, gap = salt, off
        if off == 0:
            break
    return nearest


# --- the exact solver -------------------------------------------------------------------------------------------


class _Node(NamedTuple):
    """A way to stand with a boss: approval in tenths, demerits paid, habit and drift, how it came about."""

    approval: int
    demerits: int
    previous: str = ""
    streak: int = 0
    drifted: bool = False
    before: _Node | None = None

    def actions(self) -> list[str]:
        return [*self.before.actions(), self.previous] if self.before else []


class _Layer(NamedTuple):
    """The ways that are left after so many turns with a boss: those that won him over, and the others."""

    won: list[_Node]
    open: list[_Node]


def _undominated(nodes: Iterable[_Node], boss: Boss) -> list[_Node]:
    """The nodes worth going on from.

    Of two with the same habit and drift the one with less approval and no fewer demerits never ends better, save
    with a boss who may still drift: drifting late can be worth it, so there only equal approvals are compared.
    """
    kept: dict[tuple[str, int, bool, int], list[_Node]] = {}
    for new in nodes:
        apart = new.approval if boss.drift and not new.drifted else 0
        group = kept.setdefault((new.previous, new.streak, new.drifted, apart), [])
        if not any(node.approval >= new.approval and node.demerits <= new.demerits for node in group):
            group[:] = [node for node in group if node.approval > new.approval or node.demerits < new.demerits]
            group.append(new)
    return [node for group in kept.values() for node in group]


def _ways(grammar: Grammar, boss: Boss) -> list[_Layer]:
    """What can be reached with a boss turn by turn, up to the first win without a demerit (nothing later helps)."""
    taboo = grammar.taboo_action if grammar.taboo_trait in boss.traits else None
    layers = [_Layer([], [_Node(0, 0)])]
    while len(layers) <= LAST_TURN and all(node.demerits for node in layers[-1].won):
        won: list[_Node] = []
        going: list[_Node] = []
        for node in layers[-1].open:
            loved = boss.drift if node.drifted and boss.drift else boss.preference
            for action in ACTIONS:
                streak = min(3, node.streak + 1) if action == node.previous else 1
                gain = round(10 * change(grammar, loved, action, streak, (node.previous, action) == grammar.combo))
                approval = 0 if action == taboo else node.approval + gain
                drifted = node.drifted or (boss.drift is not None and 2 * approval >= 10 * boss.threshold)
                new = _Node(approval, node.demerits + (action == taboo), action, streak, drifted, node)
                (won if approval >= 10 * boss.threshold else going).append(new)
        layers.append(_Layer(won, _undominated(going, boss)))
    return layers


def best_line(grammar: Grammar, boss_at: Callable[[int], Boss], turns: int = LAST_TURN) -> tuple[int, tuple[str, ...]]:
    """Best score of a stream and the actions for it.

    Bosses share nothing but the turns, so the best from a new boss on depends on his number and the turns left only.
    """
    ways = cache(lambda number: _ways(grammar, boss_at(number)))

    @cache
    def best(number: int, left: int) -> tuple[int, tuple[str, ...]]:
        if not left:
            return 0, ()
        boss, layers = boss_at(number), ways(number)
        plans: list[tuple[int, tuple[str, ...]]] = []
        for spent, layer in enumerate(layers[: left + 1]):
            for node in layer.won:
                later, line = best(number + 1, left - spent)
                plans.append((boss.prize + later - DEMERIT * node.demerits, (*node.actions(), *line)))
        if left < len(layers):
            for node in layers[left].open:
                value = partial_credit(boss, node.approval / 10) - DEMERIT * node.demerits
                plans.append((value, tuple(node.actions())))
        return max(plans, key=lambda plan: plan[0])

    score, actions = best(0, turns)
    return max(0, score), actions


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "Welcome to SynergyCorp. There is no handbook here and no job description that anybody reads; what counts is "
    "whether the boss likes you. What a boss likes, you have to gather from how he takes what you do. When one has "
    "been won over, the next steps in. Win over as many as you can within {turns} turns."
)
SEEN = {
    "family_photo": "A framed photo of spouse and children faces visitors.",
    "tidy_desk": "On the desk every pencil lies parallel to the edge.",
    "marathon_medal": "A marathon medal hangs on the lamp.",
    "goji_thermos": "A thermos with goji berries stands within reach.",
    "dual_monitors": "Two large monitors glow side by side.",
    "figurines": "A row of collectible figurines guards the shelf.",
    "overtime_selfie": "A selfie taken in the dark office, captioned with the hour, is pinned to the wall.",
    "english_mix": "Every other sentence is stuffed with foreign catchwords.",
    "lunch_gym": "A gym bag waits packed for the lunch break.",
    "fish_tank": "A fish tank bubbles in the corner.",
    "golf_clubs": "A set of golf clubs leans against the cabinet.",
    "lozenges": "An open tin of throat lozenges is passed from hand to hand.",
}
NARRATION = {
    "overtime": "You let the evening pass at your desk, lamp on, sleeves rolled up.",
    "steal_lunch": "You lift a labelled lunch box out of the fridge and eat it without blinking.",
    "buzzwords": "You leverage, align and circle back until no plain word is left in the room.",
    "nap_in_board": "You put your head down on the board table, in full view, and doze off.",
    "praise_boss": "You tell {name} to his face how lucky this company is to have him.",
    "spread_rumor": "You drop a word about a colleague beside the coffee machine and watch it travel.",
    "submit_report": "You hand in a report, bound, with an appendix.",
    "grab_mic": "You take the microphone out of the presenter's hand and do the rest yourself.",
}
REACTIONS = (
    (10, "He is delighted and says so loudly."),
    (5, "He is clearly pleased."),
    (0.1, "He gives a faint nod."),
    (-4, "He frowns a little."),
)
DISPLEASED = "His face goes hard."
WIPED = (
    "Then a letter comes down from Personnel: there has been a matter, and whatever goodwill you had with this boss "
    "is gone."
)
DRIFTED = "Something about this boss has changed just now, though you could not say what."
RANKS = (
    "Visitor Badge Holder",
    "Intern",
    "Junior Assistant",
    "Assistant",
    "Associate",
    "Senior Associate",
    "Coordinator",
    "Manager",
    "Senior Manager",
    "Head of Division",
    "Executive",
    "Chairman of Everything",
)
REMARKS = (
    (9, "They are already choosing the frame for your portrait in the lobby."),
    (6, "People hold the lift for you now."),
    (3, "Your name is spelled right on most of the mail."),
    (0, "The plant in your cubicle will miss you."),
)
GAME_OVER = "The game is over; your badge no longer opens the door."


def numbered(actions: Sequence[str]) -> str:
    return "  ".join(f"{number}. {action}" for number, action in enumerate(actions, start=1))


MENU = f"Actions: {numbered(ACTIONS)}"


def signed(delta: float) -> str:
    return f"{delta:+g}"


def one_decimal(approval: float) -> str:
    # Adding zero turns the minus zero of a float sum into zero.
    return f"{round(approval, 1) + 0.0:.1f}"


def boss_text(boss: Boss, number: int, approval: float) -> str:
    return (
        f"Boss {number + 1}: {boss.name}. {' '.join(SEEN[trait] for trait in boss.traits)}\n"
        f"Approval: {one_decimal(approval)} / {boss.threshold}"
    )


def reaction(delta: float) -> str:
    return next((text for least, text in REACTIONS if delta >= least), DISPLEASED)


def endorsement(boss: Boss) -> str:
    return f"{boss.name} is won over and puts in a word for you upstairs: {boss.prize} points."


def delta_text(boss: Boss, turn: Turn, promoted: int) -> str:
    shift = "wiped out" if turn.delta is None else signed(turn.delta)
    approval = one_decimal(turn.standing.approval)
    return f"Approval {shift}, now {approval} / {boss.threshold}. Bosses won over: {promoted}."


def ending_text(promoted: int, demerits: int, score: int) -> str:
    marks = f" | Demerits on file: {demerits}" if demerits else ""
    remark = next(text for least, text in REMARKS if promoted >= least)
    rank = RANKS[min(promoted, len(RANKS) - 1)]
    return (
        f"The {LAST_TURN} turns are up. Bosses won over: {promoted}{marks}\n"
        f"You leave with the title of {rank}. Final score: {score}. {remark}"
    )


def left_text(score: int) -> str:
    return f"You clear your desk and end the game yourself. Final score: {score}."


def refusal_text(action: str) -> str:
    return f"Nobody at SynergyCorp knows what '{action}' would be. {MENU}"


# --- the game ---------------------------------------------------------------------------------------------------


class SynergyCorp(Game):
    """Actions: eight ways to behave at the office (by name or number), `status`, and `结束` to end."""

    spec = EnvSpec(
        id="learn2play/synergycorp",
        title="SynergyCorp",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=90,
        seed=2,
        summary="Win over one boss after another by reading what each of them likes.",
        about=(
            "An office with eight ways to behave and a queue of bosses. Each shows three traits and answers what you "
            "do with more or less approval; with enough of it he promotes you and the next one comes. How bosses work "
            "stays the same for a whole trial, who comes changes from episode to episode."
        ),
    )
    shared = ("grammar", "boss", "standing")

    def build(self) -> None:
        self.grammar = draw_grammar(self.seed)

    def start(self, episode: int) -> str:
        self.salt = choose_salt(self.seed, episode)
        self.turns = self.prizes = self.demerits = self.promoted = 0
        self.ended = self.score_told = False
        self.boss = draw_boss(self.grammar, self.seed, self.salt, 0)
        self.standing = NEWCOMER
        return f"{OPENING.format(turns=LAST_TURN)}\n\n{boss_text(self.boss, 0, 0.0)}\n{MENU}"

    def play(self, action: str) -> Reply:
        if self.ended:
            return Reply(GAME_OVER, False)
        act = meaning(action)
        if act == STATUS:
            self.score_told = True
            return Reply(self._status())
        if act == END:
            self.ended = self.score_told = True
            return Reply(left_text(self.points()))
        if act not in BASE:
            return Reply(refusal_text(action), False)
        return Reply(self._turn(act))

    def valid(self) -> list[str]:
        return [] if self.ended else [*ACTIONS, STATUS, END]

    def points(self) -> int:
        partial = partial_credit(self.boss, self.standing.approval)
        return max(0, self.prizes + partial - DEMERIT * self.demerits)

    def shown_points(self) -> int | None:
        return self.points() if self.score_told else None

    def over(self) -> bool:
        return self.ended

    def gloss(self, valid: list[str]) -> Mapping[str, str]:
        return {END: "end the game now"} if END in valid else {}

    def solve(self, episode: int) -> Solution:
        salt = choose_salt(self.seed, episode)
        boss_at = cache(lambda number: draw_boss(self.grammar, self.seed, salt, number))
        value, actions = best_line(self.grammar, boss_at)
        how = "exact search boss by boss, over turns, approval, habit and drift"
        return Solution(value, "exact", how, actions)

    def _status(self) -> str:
        return (
            f"Turn {self.turns} / {LAST_TURN} | Bosses won over: {self.promoted} | Score: {self.points()}\n"
            f"{boss_text(self.boss, self.promoted, self.standing.approval)}\n{MENU}"
        )

    def _turn(self, action: str) -> str:
        boss, turn = self.boss, respond(self.grammar, self.boss, self.standing, action)
        self.turns += 1
        self.score_told = False
        self.standing = turn.standing
        parts = [NARRATION[action].format(name=boss.name)]
        if turn.delta is None:
            self.demerits += 1
            parts.append(WIPED)
        else:
            parts.append(reaction(turn.delta))
        if turn.drifts:
            parts.append(DRIFTED)
        if turn.won:
            self.promoted += 1
            self.prizes += boss.prize
            parts.append(endorsement(boss))
            self.boss = draw_boss(self.grammar, self.seed, self.salt, self.promoted)
            self.standing = NEWCOMER
        told = " ".join(parts)
        if self.turns >= LAST_TURN:
            self.ended = self.score_told = True
            return f"{told}\n{ending_text(self.promoted, self.demerits, self.points())}"
        if turn.won:
            return f"{told}\n{boss_text(self.boss, self.promoted, 0.0)}"
        return f"{told}\n{delta_text(boss, turn, self.promoted)}"


ENV = SynergyCorp
