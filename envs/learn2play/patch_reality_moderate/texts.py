"""What the player reads, put together from events and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evoplay.envs.learn2play.patch_reality_moderate import prose
from evoplay.envs.learn2play.patch_reality_moderate.data import AXES, FOCUS, INTEGRITY, LEVELS, RESOURCES, Level
from evoplay.envs.learn2play.patch_reality_moderate.rules import Drawn, Event, Run, score

VERBS = "OBSERVE, PATCH, AUDIT, WAIT, CHECK_ANCHOR"
OVER = "The campaign is over; nothing you do changes it."
BARE = {"help", "status", "over", "end"}
"""Events no footer follows."""
VERDICTS = {"match": "matched", "mismatch": "did not match", "unset": "was not set"}


def opening(drawn: Drawn, run: Run) -> str:
    return f"{prose.HELP}\n\n{level_view(run)}\n{footer(drawn, run)}"


def level_view(run: Run) -> str:
    """The page a level starts with."""
    level = run.level
    lines = [
        f"Level {run.number + 1}/{len(LEVELS)}: {level.name} (phase {level.phase})",
        prose.PREMISES[run.number],
        f"Objective: {prose.OBJECTIVES[run.number]}.",
        f"You can observe: {', '.join(level.things)}",
        f"Verbs: {VERBS} | Focus limit: {FOCUS}",
    ]
    if run.number in prose.INTRO:
        lines.append(prose.INTRO[run.number])
    lines += [f"Options for {axis}: {' | '.join(level.options[axis])}" for axis in AXES]
    return "\n".join([*lines, prose.CONSISTENT])


def footer(drawn: Drawn, run: Run) -> str:
    """The line of state that closes most observations; the score is not in it."""
    scene, held = run.scene, run.resources
    resources = " | ".join([f"{name} {held[name]}" for name in RESOURCES])
    return (
        f"[Level {run.number + 1}/{len(LEVELS)} | Turn {scene.turn}/{drawn.limits[run.number]} | "
        f"Focus {scene.focus}/{FOCUS} | {resources}]"
    )


def answer(drawn: Drawn, run: Run, before: int, events: Sequence[Event]) -> str:
    """The text of an input's events; `before` is the number of the level it was given in."""
    level = LEVELS[before]
    lines = [_TELLING[event.kind](event, run, level) for event in events]
    last = events[-1]
    bare = last.kind in BARE or (last.kind == "refused" and not last.flag)
    return "\n".join(lines if bare else [*lines, footer(drawn, run)])


def amounts(pairs: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {amount:+d}" for name, amount in pairs)


# --- events -----------------------------------------------------------------------------------------------------


def _help(event: Event, run: Run, level: Level) -> str:
    return prose.HELP


def _status(event: Event, run: Run, level: Level) -> str:
    scene = run.scene
    chosen = "; ".join(f"{axis}: {scene.diagnosis.get(axis, 'open')}" for axis in AXES)
    lines = [
        f"Level {run.number + 1}/{len(LEVELS)}: {level.name}",
        f"Objective: {prose.OBJECTIVES[run.number]}.",
        f"Turn {scene.turn} | Focus {scene.focus}/{FOCUS}",
        f"Resources: {', '.join(f'{name} {run.resources[name]}' for name in RESOURCES)}",
        f"Observed: {', '.join(thing for thing in level.things if thing in scene.observed) or 'nothing yet'}",
        f"Patches in this level: {len(scene.ledger)}",
        f"Diagnosis: {chosen} ({'resolved' if scene.diagnosis == level.right else 'not resolved'})",
        *(f"Rule found: {prose.RULES[name]}" for name in scene.rules),
        f"Campaign score: {score(run)}",
    ]
    return "\n".join(lines)


def _diagnosed(event: Event, run: Run, level: Level) -> str:
    axis, option, fit = event.facts[0]
    text = f"Diagnosis: {axis} is set to {option}."
    if fit == "fits":
        return f"{text} The diagnosis is consistent; patches are stable."
    if fit == "misfit":
        return f"{text} This combination does not fit. Think again."
    return text


def _observed(event: Event, run: Run, level: Level) -> str:
    text = f"{event.what}: {prose.CLUES[event.what]}"
    return f"{text}\n{prose.LESSONS[event.what]}" if event.flag and event.what in prose.LESSONS else text


def _audited(event: Event, run: Run, level: Level) -> str:
    text = f"Audit of {event.what}: {prose.FINDINGS[event.what]}"
    return f"{text}\n{prose.QUESTIONS}" if event.flag and level is LEVELS[1] else text


def _ledger(event: Event, run: Run, level: Level) -> str:
    found = f"hidden costs found: {amounts(event.amounts)}" if event.amounts else "no hidden costs were found"
    return f"Audit of patch {event.number}: {found}. Note: {prose.NOTES[event.what]}"


def _anchor(event: Event, run: Run, level: Level) -> str:
    return f"Anchor {event.what}: integrity {event.number}/{INTEGRITY}. It stands for {prose.ANCHORS[event.what]}."


def _patched(event: Event, run: Run, level: Level) -> str:
    return prose.RESULTS[event.what]


def _waited(event: Event, run: Run, level: Level) -> str:
    return "You wait. Time passes."


def _fatal(event: Event, run: Run, level: Level) -> str:
    return prose.LOST[LEVELS.index(level)]


def _idled(event: Event, run: Run, level: Level) -> str:
    cause = "asking how things stand" if event.what == "status" else "setting what was already set"
    return f"You have kept {cause} without doing anything new, and the scene moves on without you."


def _settled(event: Event, run: Run, level: Level) -> str:
    note = prose.NOTES[event.what]
    return f"A hidden bill falls due. Patch {event.number}: {amounts(event.amounts)}. Note: {note}"


def _pressure(event: Event, run: Run, level: Level) -> str:
    return f"The agents' suspicion presses on you: {amounts(event.amounts)}."


def _review(event: Event, run: Run, level: Level) -> str:
    stands = "; ".join(
        f"{axis}={chosen} {VERDICTS[verdict]}" if chosen else f"{axis} {VERDICTS[verdict]}"
        for axis, chosen, verdict in event.facts
    )
    would = "would" if event.flag else "would not"
    return f"Review: {stands}. The evidence you held {would} have supported a well-founded patch."


def _spent(event: Event, run: Run, level: Level) -> str:
    return "You have spent too much time on this campaign; the scene closes."


def _entered(event: Event, run: Run, level: Level) -> str:
    return f"\n{level_view(run)}"


def _end(event: Event, run: Run, level: Level) -> str:
    if run.failed:
        how = f"The campaign breaks off: it has failed at level {run.failed}."
    elif run.unsolved:
        how = "The campaign is finished, with levels left unresolved."
    else:
        how = "The campaign is finished: all levels are solved."
    cleared = run.number + 1 - len(run.unsolved)
    open_ids = f" Unresolved: {', '.join(run.unsolved)}." if run.unsolved else ""
    return f"\n{how} Levels cleared: {cleared}/{len(LEVELS)}.{open_ids} Total score: {score(run)}."


def _over(event: Event, run: Run, level: Level) -> str:
    return OVER


def _refused(event: Event, run: Run, level: Level) -> str:
    kind, what = event.facts[0][0], event.what
    if kind == "option":
        return f"Not an option for {what}. The options are: {' | '.join(level.options[what])}."
    return _REFUSALS[kind].format(what)


_REFUSALS = {
    "verb": "'{}' is not something you can do.",
    "target": "{} needs a target.",
    "diagnosis": "A diagnosis has the form diagnose <axis>=<option>.",
    "axis": "'{}' is no axis of a diagnosis.",
    "focus": "You have no Focus left for that.",
    "patch form": "A patch has the form patch <object>.<property> <change>.",
    "not observed": "You have not observed '{}' in this level.",
    "unfitting": "No patch holds: the diagnosis is not right.",
    "evidence": "The evidence is not sufficient for this patch. Investigate further.",
    "grammar": "The wording of this patch cannot be read.",
    "property": "There is no property '{}' to change.",
    "change": "The change '{}' has no effect here.",
    "short": "This patch is beyond your means: {} is too low.",
    "unavailable": "{} is not available.",
    "object": "There is no '{}' to observe here.",
    "anchor": "You hold no anchor '{}'.",
    "audit": "There is nothing to audit under '{}'.",
}

_TELLING: dict[str, Callable[[Event, Run, Level], str]] = {
    "help": _help,
    "status": _status,
    "diagnosed": _diagnosed,
    "observed": _observed,
    "audited": _audited,
    "ledger": _ledger,
    "anchor": _anchor,
    "patched": _patched,
    "waited": _waited,
    "fatal": _fatal,
    "idled": _idled,
    "settled": _settled,
    "pressure": _pressure,
    "review": _review,
    "spent": _spent,
    "entered": _entered,
    "end": _end,
    "over": _over,
    "refused": _refused,
}
