"""Model Auditor: forty probes at a closed machine, then predict what it does with inputs it has not been given.

Re-shuffled: every (seed, episode) wires a new machine and sets a new exam. Data tables, the machine, the family of
machines and the drawing of instances, the exact solver, texts and the game, in this order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

# --- data -------------------------------------------------------------------------------------------------------

CHANNELS = 3
PROBES = 40
EXAM_STEPS = 10
CELLS = 2 * EXAM_STEPS
MAX_TURNS = 120
ANSWERS = 4
SHARED_CAP = 2
HELPER_CAPS = (2, 3)
PROPOSALS = 400
FALLBACK_EXAMS = 200
LEAST_EFFECT = 2
"""Exam steps in which a hidden part has to matter."""

Vector = tuple[int, ...]
Column = tuple[int, ...]

VECTORS: tuple[Vector, ...] = tuple(product(range(3), repeat=CHANNELS))
ZERO: Vector = (0,) * CHANNELS
HELD: tuple[Vector, ...] = ((2, 0, 0), (0, 2, 0), (0, 0, 2), (2, 2, 0), (2, 0, 2), (0, 2, 2))
SINGLE: tuple[Vector, ...] = ((1, 1, 0), (1, 0, 1), (0, 1, 1), (0, 1, 2))
BATTERY: tuple[tuple[Vector, ...], ...] = (
    *((vector,) * 4 + (ZERO,) * 2 for vector in HELD),
    *((vector,) for vector in SINGLE),
)
"""Experiments, each from the zero state, that tell any two machines of an accepted exam apart; 40 probes in all."""

# --- the machine ------------------------------------------------------------------------------------------------


class Driver(NamedTuple):
    """Joins two inputs: their sum mod 3, or whether it reaches `threshold` (0: no threshold)."""

    pair: tuple[int, int]
    threshold: int


class Coupled(NamedTuple):
    """The readout that joins the shared state with a helper or an input.

    `helper_cap` is None without a helper (then `channel` itself is the partner), 0 for a helper that echoes its
    channel, else the cap of one that counts up and down.
    """

    channel: int
    helper_cap: int | None
    threshold: int


class Machine(NamedTuple):
    """A wired machine. `shared_cap` 0: the shared state echoes the driver; `swapped`: the coupled readout is O1."""

    driver: Driver
    shared_cap: int
    anchor: int
    coupled: Coupled
    swapped: bool


class Memory(NamedTuple):
    """What a machine carries from tick to tick."""

    shared: int = 0
    helper: int = 0


RESET = Memory()


def join(threshold: int, total: int) -> int:
    """A sum that wraps at 3, or a threshold on it."""
    return int(total >= threshold) if threshold else total % 3


def remember(cap: int, memory: int, value: int) -> tuple[int, int]:
    """Output and new memory of an echo (cap 0: the value before) or of a level that rises and falls by one."""
    if not cap:
        return memory, value
    level = min(cap, memory + 1) if value >= 1 else max(0, memory - 1)
    return level, level


def tick(machine: Machine, memory: Memory, inputs: Vector) -> tuple[Memory, tuple[int, int]]:
    """One tick: the new memory, and the readouts as displayed."""
    (one, other), threshold = machine.driver
    shared, kept = remember(machine.shared_cap, memory.shared, join(threshold, inputs[one] + inputs[other]))
    coupled = machine.coupled
    partner, helper = inputs[coupled.channel], 0
    if coupled.helper_cap is not None:
        partner, helper = remember(coupled.helper_cap, memory.helper, partner)
    anchor_out, coupled_out = join(0, shared + inputs[machine.anchor]), join(coupled.threshold, shared + partner)
    shown = (coupled_out, anchor_out) if machine.swapped else (anchor_out, coupled_out)
    return Memory(kept, helper), shown


def run(machine: Machine, inputs: Sequence[Vector]) -> tuple[tuple[int, int], ...]:
    """The readouts of a sequence from the zero state."""
    memory, rows = RESET, []
    for vector in inputs:
        memory, shown = tick(machine, memory, vector)
        rows.append(shown)
    return tuple(rows)


def transcript(machine: Machine) -> tuple[tuple[int, int], ...]:
    """What the battery shows of a machine."""
    return tuple(row for experiment in BATTERY for row in run(machine, experiment))


# --- the family of machines -------------------------------------------------------------------------------------


def _recall(cap: int, values: Sequence[int]) -> Column:
    memory, outputs = 0, []
    for value in values:
        output, memory = remember(cap, memory, value)
        outputs.append(output)
    return tuple(outputs)


def shared_column(driver: Driver, cap: int, inputs: Sequence[Vector]) -> Column:
    """The shared state over a sequence from the zero state."""
    (one, other), threshold = driver
    return _recall(cap, [join(threshold, vector[one] + vector[other]) for vector in inputs])


def partner_column(coupled: Coupled, inputs: Sequence[Vector]) -> Column:
    """What the coupled readout adds to the shared state."""
    values = [vector[coupled.channel] for vector in inputs]
    return tuple(values) if coupled.helper_cap is None else _recall(coupled.helper_cap, values)


def readout(threshold: int, first: Sequence[int], second: Sequence[int]) -> Column:
    return tuple(join(threshold, one + other) for one, other in zip(first, second, strict=True))


def all_coupled() -> Iterator[Coupled]:
    """Every coupled readout the family has."""
    for channel in range(CHANNELS):
        for cap in (None, 0, *HELPER_CAPS):
            for threshold in range(2 + (cap or 2) + 1):
                yield Coupled(channel, cap, threshold)


@lru_cache(maxsize=1)
def family() -> Mapping[tuple[Column, Column], tuple[Machine, ...]]:
    """All machines by what the battery shows of them (column O1, column O2).

    The shared state has few forms, and so have the readouts on top of it; columns are worked out once each.
    """

    def over_battery(columns: Iterator[Column]) -> Column:
        return tuple(value for column in columns for value in column)

    partners = [
        (coupled, over_battery(partner_column(coupled, experiment) for experiment in BATTERY))
        for coupled in all_coupled()
    ]
    channels = [[vector[at] for experiment in BATTERY for vector in experiment] for at in range(CHANNELS)]
    found: dict[tuple[Column, Column], list[Machine]] = {}
    for pair, threshold, cap in product(combinations(range(CHANNELS), 2), range(5), (0, SHARED_CAP)):
        driver = Driver(pair, threshold)
        shared = over_battery(shared_column(driver, cap, experiment) for experiment in BATTERY)
        anchors = [readout(0, shared, channel) for channel in channels]
        for coupled, partner in partners:
            second = readout(coupled.threshold, shared, partner)
            for at, first in enumerate(anchors):
                found.setdefault((first, second), []).append(Machine(driver, cap, at, coupled, False))
                found.setdefault((second, first), []).append(Machine(driver, cap, at, coupled, True))
    return {key: tuple(machines) for key, machines in found.items()}


def look_up(rows: Sequence[tuple[int, int]]) -> tuple[Machine, ...]:
    """The machines that show this transcript."""
    first, second = zip(*rows, strict=True)
    return family().get((first, second), ())


# --- instances --------------------------------------------------------------------------------------------------


class Instance(NamedTuple):
    """What an episode decides: the machine, the exam's inputs, and the readouts they give from the zero state."""

    machine: Machine
    exam: tuple[Vector, ...]
    truth: tuple[tuple[int, int], ...]


def _draw_coupled(rng: random.Random) -> Coupled:
    helper_cap: int | None = None
    if rng.random() < 0.47:
        channel = rng.randrange(CHANNELS)
        helper_cap = 0 if rng.random() < 0.5 else rng.choice(HELPER_CAPS)
    else:
        channel = rng.randrange(CHANNELS)
    threshold = 0 if rng.random() < 0.5 else rng.randint(1, 2 + (helper_cap or 2))
    return Coupled(channel, helper_cap, threshold)


def draw_machine(rng: random.Random) -> Machine:
    """One proposed machine; the order of the draws is part of the rules."""
    one, other = sorted(rng.sample(range(CHANNELS), 2))
    driver = Driver((one, other), 0 if rng.random() < 0.5 else rng.randint(1, 4))
    shared_cap = 0 if rng.random() < 0.5 else SHARED_CAP
    anchor = rng.randrange(CHANNELS)
    return Machine(driver, shared_cap, anchor, _draw_coupled(rng), _draw_order(rng))


def _draw_order(rng: random.Random) -> bool:
    order = [False, True]
    rng.shuffle(order)
    return order[0]


def draw_exam(rng: random.Random) -> tuple[Vector, ...]:
    return tuple(tuple(rng.randint(0, 2) for _ in range(CHANNELS)) for _ in range(EXAM_STEPS))


def fair(machine: Machine, exam: Sequence[Vector]) -> bool:
    """Whether an exam asks for the hidden parts and can be answered by what the battery tells."""
    shared = shared_column(machine.driver, machine.shared_cap, exam)
    partner = partner_column(machine.coupled, exam)
    own = [vector[machine.anchor] for vector in exam]
    threshold, nothing = machine.coupled.threshold, (0,) * len(exam)
    anchor, coupled = readout(0, shared, own), readout(threshold, shared, partner)

    def differ(one: Column, other: Column) -> bool:
        return sum(a != b for a, b in zip(one, other, strict=True)) >= LEAST_EFFECT

    if len(set(anchor)) < 2 or len(set(coupled)) < 2:
        return False
    if not (differ(anchor, readout(0, nothing, own)) and differ(coupled, readout(threshold, nothing, partner))):
        return False
    if machine.coupled.helper_cap is not None and not differ(coupled, readout(threshold, shared, nothing)):
        return False
    truth = run(machine, exam)
    return all(run(twin, exam) == truth for twin in look_up(transcript(machine)))


@lru_cache(maxsize=1024)
def draw_instance(seed: int, episode: int) -> Instance:
    """The instance of an episode: the first fair proposal of its stream."""
    rng = random.Random(seed * 1000 + episode)
    for _ in range(PROPOSALS):
        machine = draw_machine(rng)
        exam = draw_exam(rng)
        if fair(machine, exam):
            return Instance(machine, exam, run(machine, exam))
    return fallback_instance(rng)


def fallback_instance(rng: random.Random) -> Instance:
    """A fixed wiring of shuffled inputs, for a stream without a fair proposal."""
    places = list(range(CHANNELS))
    rng.shuffle(places)
    one, other = sorted(places[:2])
    machine = Machine(Driver((one, other), 0), 0, places[0], Coupled(places[2], 2, 0), _draw_order(rng))
    for _ in range(FALLBACK_EXAMS):
        exam = draw_exam(rng)
        if fair(machine, exam):
            return Instance(machine, exam, run(machine, exam))
    raise RuntimeError("no fair exam was found for the fallback machine")


def score_of(machine: Machine, correct: int) -> int:
    """Points of an exam: 0 is what guessing gives, 100 is all right."""
    coupled = 2 if machine.coupled.threshold else 3
    chance = (1.0 / 3 + 1.0 / coupled) / 2
    normalized = (correct / CELLS - chance) / (1 - chance)
    return round(max(-1.0, min(1.0, normalized)) * 100)


def audit_actions(instance: Instance) -> list[str]:
    """The battery, and the answers of any machine that shows the same transcript."""
    actions: list[str] = []
    for experiment in BATTERY:
        actions += ["reset", *(f"probe {' '.join(map(str, vector))}" for vector in experiment)]
    model = look_up(transcript(instance.machine))[0]
    return actions + [f"predict_{value}" for row in run(model, instance.exam) for value in row]


def parse_probe(command: str) -> Vector | None:
    """The inputs of a probe (whatever its first word ends in), or None where they are not three of 0..2."""
    if not command.startswith("probe"):
        return None
    try:
        values = tuple(int(word) for word in command.split()[1:])
    except ValueError:
        return None
    return values if values in VECTORS else None


def parse_answer(command: str) -> int | None:
    """The answer an exam input stands for: digits, with or without `predict` before them; None for anything else."""
    digits = command.removeprefix("predict").lstrip("_ ").strip() if command.startswith("predict") else command
    try:
        value = int(digits) if digits.isdecimal() else ANSWERS  # isdecimal: no superscripts, signs or underscores
    except ValueError:  # more digits than int() reads
        return None
    return value if value < ANSWERS else None


# --- texts ------------------------------------------------------------------------------------------------------

OPENING = (
    "You sit down at a control desk wired to a closed machine. Nobody opens it; all you will ever know of it is what "
    "goes in and what comes out. Three channels, I1 to I3, take a value from 0 to 2 each; two dials, O1 and O2, show "
    "what the machine makes of them.\n"
    f"In the first phase you have {PROBES} probes. `probe a b c` sends one set of values and reads both dials. "
    "`reset` puts the machine back to its zero state and uses up no probe. `exam` ends the probing. `status` tells "
    "where you stand.\n"
    "The exam lays before you a new sequence of ten inputs, which has not been run, and asks you to predict both dials "
    "at every step, starting from the zero state. Your answers will not be commented on."
)
OVER = "The audit is closed; this episode is over."
PROBES_GONE = "That was the last probe."
TURNS_GONE = "Your turns are used up; whatever is unanswered is entered as 0."
RECORDED = "Recorded."
INVALID_PROBE = "A probe needs three values, each from 0 to 2, like `probe 0 1 2`."
INVALID_COMMAND = "The desk takes `probe a b c`, `reset`, `exam` or `status`."
INVALID_ANSWER = "An answer is `predict_` with a number from 0 to 3."


def dials_text(shown: Sequence[int], left: int) -> str:
    return f"O1 = {shown[0]}, O2 = {shown[1]}. Probes left: {left}."


def reset_text(left: int) -> str:
    return f"The machine falls back to its zero state: {dials_text((0, 0), left)}"


def vector_text(vector: Vector) -> str:
    return ", ".join(f"I{at} = {value}" for at, value in enumerate(vector, start=1))


def prompt_text(exam: Sequence[Vector], cell: int) -> str:
    step, dial = divmod(cell, 2)
    return (
        f"Question {cell + 1} of {CELLS}: step {step} ({vector_text(exam[step])}), what does O{dial + 1} show? "
        f"Choose 0, 1, 2 or 3."
    )


def exam_text(exam: Sequence[Vector]) -> str:
    lines = [f"Step {step}: {vector_text(vector)}" for step, vector in enumerate(exam)]
    return "\n".join(
        (
            "The exam is open. These inputs run one after the other from the zero state; answers are taken down "
            "without comment.",
            *lines,
            prompt_text(exam, 0),
        )
    )


def end_text(correct: int, score: int, probes: int) -> str:
    return (
        f"The audit is over. {correct} of {CELLS} answers are right ({100 * correct / CELLS:.1f} %). "
        f"Score: {score} (0 is what guessing gives, 100 is everything right). Probes used: {probes} of {PROBES}."
    )


def probing_text(turns: int, left: int) -> str:
    return f"Phase: probing. Turns: {turns} of {MAX_TURNS}. Probes left: {left} of {PROBES}."


def answering_text(turns: int, answered: int) -> str:
    return f"Phase: exam. Answered: {answered} of {CELLS}. Turns: {turns} of {MAX_TURNS}."


def closed_text(score: int) -> str:
    return f"Phase: closed. Score: {score} of 100."


# --- the game ---------------------------------------------------------------------------------------------------

PROBING = [f"probe {' '.join(map(str, vector))}" for vector in VECTORS] + ["reset", "exam", "status"]
ANSWERING = [*(f"predict_{value}" for value in range(ANSWERS)), "status"]


class ModelkeeperExpert(Game):
    """Actions: `probe a b c`, `reset`, `exam`, then `predict_0` to `predict_3`; `status` at any time."""

    spec = EnvSpec(
        id="learn2play/modelkeeper_expert",
        title="Model Auditor",
        suite="learn2play",
        kind="reshuffled",
        challenge=False,
        episodes=5,
        max_steps=210,
        seed=1,
        summary="Probe a closed machine, then predict its readouts on inputs it was never given.",
        about=(
            "A machine with three inputs and two readouts can be probed forty times; then ten inputs are shown and "
            "twenty readouts have to be predicted without any comment. Every episode brings another machine of the "
            "same make, so what carries over is how to find it out."
        ),
    )
    shared = ("puzzle", "memory")

    def start(self, episode: int) -> str:
        self.puzzle = draw_instance(self.seed, episode)
        self.memory = RESET
        self.turns = self.probes = 0
        self.phase = "probing"
        self.answers: list[int] = []
        self.score = 0
        return OPENING

    def play(self, action: str) -> Reply:
        command = action.strip().lower()
        if command == "status":
            return Reply(self._status())
        if self.phase == "closed":
            return Reply(OVER, False)
        self.turns += 1
        if self.turns > MAX_TURNS:
            self.answers += [0] * (CELLS - len(self.answers))
            return Reply(f"{TURNS_GONE}\n{self._close()}", False)
        return self._probing(command) if self.phase == "probing" else self._answering(command)

    def valid(self) -> list[str]:
        return {"probing": PROBING, "exam": ANSWERING, "closed": ["status"]}[self.phase]

    def points(self) -> int:
        return self.score

    def shown_points(self) -> int | None:
        return self.score if self.phase == "closed" else None

    def over(self) -> bool:
        return self.phase == "closed"

    def solve(self, episode: int) -> Solution:
        instance = draw_instance(self.seed, episode)
        actions = audit_actions(instance)
        answers = [int(action[-1]) for action in actions[-CELLS:]]
        value = score_of(instance.machine, self._right(instance, answers))
        return Solution(value, "exact", "forty fixed probes, looked up among all machines there are", tuple(actions))

    @property
    def probes_left(self) -> int:
        return PROBES - self.probes

    def _status(self) -> str:
        if self.phase == "probing":
            return probing_text(self.turns, self.probes_left)
        if self.phase == "exam":
            return answering_text(self.turns, len(self.answers))
        return closed_text(self.score)

    def _probing(self, command: str) -> Reply:
        if command.startswith("probe"):
            vector = parse_probe(command)
            return Reply(INVALID_PROBE, False) if vector is None else Reply(self._probe(vector))
        if command == "reset":
            self.memory = RESET
            return Reply(reset_text(self.probes_left))
        if command == "exam":
            return Reply(self._open_exam())
        return Reply(INVALID_COMMAND, False)

    def _probe(self, vector: Vector) -> str:
        self.memory, shown = tick(self.puzzle.machine, self.memory, vector)
        self.probes += 1
        text = dials_text(shown, self.probes_left)
        return text if self.probes_left else f"{text} {PROBES_GONE}\n{self._open_exam()}"

    def _open_exam(self) -> str:
        self.phase = "exam"
        return exam_text(self.puzzle.exam)

    def _answering(self, command: str) -> Reply:
        value = parse_answer(command)
        if value is None:
            return Reply(INVALID_ANSWER, False)
        self.answers.append(value)
        if len(self.answers) == CELLS:
            return Reply(f"{RECORDED}\n{self._close()}")
        return Reply(f"{RECORDED} {prompt_text(self.puzzle.exam, len(self.answers))}")

    def _close(self) -> str:
        self.phase = "closed"
        correct = self._right(self.puzzle, self.answers)
        self.score = score_of(self.puzzle.machine, correct)
        return end_text(correct, self.score, self.probes)

    @staticmethod
    def _right(instance: Instance, answers: Sequence[int]) -> int:
        cells = [value for row in instance.truth for value in row]
        return sum(answer == value for answer, value in zip(answers, cells, strict=True))


ENV = ModelkeeperExpert
