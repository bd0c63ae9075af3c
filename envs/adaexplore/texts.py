"""Every sentence a player of AdaExplore reads. The reference agents find their facts by these very sentences."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evoplay.envs.adaexplore.calls import formula, number_text, shown
from evoplay.envs.adaexplore.config import ACTIONS, PLAY, WORLD, Setting
from evoplay.envs.adaexplore.generation import Episode

FAMILY_TEXT = (
    "- additive: the factors are weighted and added up, so that a strong value of one can make up for a weak value of "
    "another.\n"
    "- conjunctive: every factor is compared with a threshold of its own, and the factor that does worst against its "
    "threshold decides alone.\n"
    "- disjunctive: every factor is compared with a threshold of its own, and the factor that does best against its "
    "threshold decides alone.\n"
    "- lexicographic: the factors are looked at in a fixed order, and the first whose distance from its threshold "
    "exceeds a fixed band decides alone; if none does, the last one decides."
)
OVER = "The episode is over; nothing more can be done in it."
QUESTION = (
    "A question outside the episode; your answer changes nothing in it and is not shown again. By what you know now, "
    "which fields are factors of the rule as it stands, and in which direction does each act? + means that higher "
    "values call for a stronger action, - that lower values do. Answer with JSON alone, in this form:\n"
    '{"factors": {"name_of_a_field": "+", "name_of_another_field": "-"}}'
)
PROBE_GLOSS = f"an example; any case within the limits will do, or a JSON list of up to {PLAY.probes_per_call} cases"
SUBMIT_GLOSS = "an example; any action for each case, in case order"


def opening(episode: Episode, setting: Setting) -> str:
    """Everything that is told before the first action."""
    fields = "\n".join(
        f"- {spec.name}: {number_text(spec.low)} to {number_text(spec.high)} {spec.unit}; {spec.meaning}"
        for spec in episode.fields
    )
    limits = "\n".join(f"- {formula(constraint)} ({constraint.why})" for constraint in episode.constraints)
    actions = "\n".join(f"- {name}: {text}" for name, text in zip(ACTIONS, episode.actions, strict=True))
    centres = ", ".join(f"{centre:g} for {name}" for name, centre in zip(ACTIONS, WORLD.centres, strict=True))
    example = " ".join(ACTIONS[number % len(ACTIONS)] for number in range(WORLD.cases))
    parts = [
        f"Assignment: {episode.title}\n{episode.role} {episode.scenario}",
        f"A case is described by {len(episode.fields)} fields:\n{fields}",
        *([f"Every case keeps these limits, and so must the cases you make up:\n{limits}"] if limits else []),
        f"The actions, from the weakest intervention to the strongest:\n{actions}",
        "How an action is valued: a rule that you are not told turns some of the fields, its factors, into a score s "
        f"between -1 and 1; the higher it is, the stronger the action that is called for. An action is worth "
        f"1 - |s - c|, where c is {centres}. So a0 is best below s = -0.5, a1 up to 0, a2 up to 0.5 and a3 above.",
        "Every factor acts in a direction: + (higher values call for a stronger action) or - (lower values do). The "
        f"rule belongs to one of four families:\n{FAMILY_TEXT}\n"
        "A fixed rising curve turns the outcome into s. Not told: the family, the factors, their directions, weights, "
        "thresholds and order.",
        f"There are {WORLD.batches} evaluation batches of {WORLD.cases} cases, each after an exploration window.\n"
        f'In a window, `probe {{"field": value, ...}}` tries out a case that you make up, with a value for every '
        f"field, and shows what each of the four actions would be worth; a JSON list tries out up to "
        f"{PLAY.probes_per_call} cases at once. A window allows {PLAY.probes_per_window} cases. `next` closes the "
        f"window and shows the next batch.\n"
        f"In a batch, `submit {example}` gives one action for each case, in case order, and shows what each was "
        f"worth.\n"
        "At any time, `calc (3 + 4) / 2` calculates: numbers, + - * / ** ( ), min, max, abs, sqrt, log, exp, mean.\n"
        f"One action a turn, on one line. An action that cannot be used changes nothing, but after "
        f"{PLAY.errors_in_a_row} of them in a row the episode goes on by itself: with next in a window, with a0 for "
        f"what is missing in a batch.",
        *_setting_notes(setting),
        "Choose so that the sum of the utilities over all batches is as high as possible.",
        window_open(1),
    ]
    return "\n\n".join(parts)


def _setting_notes(setting: Setting) -> list[str]:
    notes = []
    if setting != "evidence_given":
        notes.append("A closed batch leaves nothing on record but the utilities your choices brought.")
    if setting == "forced_probe":
        notes.append(f"Every window needs probes of at least {PLAY.forced_probes} different cases before `next`.")
    return notes


def window_open(number: int) -> str:
    return f"Exploration window {number} of {WORLD.batches} is open; {PLAY.probes_per_window} cases can be probed."


def case_text(names: Sequence[str], values: Sequence[float]) -> str:
    """A case as JSON, numbers without needless decimals."""
    whole = (int(value) if float(value).is_integer() else float(value) for value in values)
    return json.dumps(dict(zip(names, whole, strict=True)))


def utility_text(value: float) -> str:
    """A utility as it is shown; never -0.00."""
    return f"{round(value, PLAY.decimals) + 0.0:.{PLAY.decimals}f}"


def probed(names: Sequence[str], cases: Sequence[Sequence[float]], values: Sequence[Sequence[float]], left: int) -> str:
    lines = [
        f"{case_text(names, case)} -> {' '.join(utility_text(value) for value in row)}"
        for case, row in zip(cases, values, strict=True)
    ]
    return (
        f"What {', '.join(ACTIONS)} would be worth:\n" + "\n".join(lines) + f"\nThis window allows {left} more cases."
    )


def batch_open(number: int, names: Sequence[str], cases: Sequence[Sequence[float]], calculations: Sequence[str]) -> str:
    lines = "\n".join(f"case {at}: {case_text(names, case)}" for at, case in enumerate(cases, start=1))
    text = f"Batch {number} of {WORLD.batches} is open. Choose an action for each case.\n{lines}"
    if calculations:
        text += "\nCalculated so far: " + "; ".join(calculations)
    return text


def batch_retained(number: int) -> str:
    return f"[Batch {number} was open here; it is not kept.]"


def batch_closed(number: int, realised: Sequence[float], total: float, forced: bool) -> str:
    note = (
        f"After {PLAY.errors_in_a_row} unusable actions in a row the batch was completed by default. " if forced else ""
    )
    values = " ".join(utility_text(value) for value in realised)
    return (
        f"{note}Batch {number} is closed. Utilities of your choices: {values}. Sum so far: {total:.{PLAY.decimals}f}."
    )


def finished(total: float) -> str:
    return f"That was the last batch, and the episode is over. Sum of utilities: {total:.{PLAY.decimals}f}."


def left_early(total: float, unanswered: int) -> str:
    return f"You leave the episode with {unanswered} cases unanswered. Sum of utilities: {total:.{PLAY.decimals}f}."


def refused(reason: str) -> str:
    return f"This cannot be used: {reason}."


def forced_next() -> str:
    return f"After {PLAY.errors_in_a_row} unusable actions in a row the window was closed by default."


def calculated(expression: str, value: float) -> str:
    return f"{shown(expression)} = {value:.10g}"


WRONG_PHASE = {
    "probe": "probing is for exploration windows, and a batch is open; expected submit with one action for each case",
    "next": "a batch is open already; expected submit with one action for each case",
    "submit": "no batch is open; expected next, which shows the next one, or probe",
}


def too_few_probes(done: int) -> str:
    return (
        f"this window needs probes of at least {PLAY.forced_probes} different cases before next, and there are {done} "
        f"so far; expected probe"
    )
