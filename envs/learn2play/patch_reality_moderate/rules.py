"""The rules of Patch Reality: how an instance is drawn, what an input does, how a level is settled and scored.

Nothing here is a sentence: an input yields events, which `texts` tells.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from evoplay.envs.learn2play.patch_reality_moderate.data import (
    AXES,
    CORE,
    CORE_NEEDED,
    EXISTENCE,
    FOCUS,
    INTEGRITY,
    LAST_PATCH,
    LEVELS,
    MEMORY,
    PAVEMENT,
    RESOURCES,
    STABILITY,
    START,
    SUSPICION,
    TIME,
    VARIED,
    Level,
    Patch,
)

SOLVED, RULE, MINOR, MEDIUM, INVALID, SETTLED = 100, 20, 5, 15, 10, 15
WEIGHTS = {STABILITY: 1, MEMORY: 2, TIME: 1, EXISTENCE: 4}
"""What each point lost since the start of the level costs."""
FATAL = {EXISTENCE: 100, MEMORY: 100, STABILITY: 100, TIME: 100, SUSPICION: 40}
"""What ends the whole campaign, in the order it is looked for, and its penalty."""
MOST_SUSPICION = 100
PRESSURE_FROM = 4
FAILED, IDLE, OUT_OF_TURNS = "objective_failed", "no_progress", "out_of_turns"
TAIL = ["FOR", "1t", "SCOPE", "local", "PAY", STABILITY]
TARGET_VERBS = ("observe", "audit", "check_anchor", "anchor", "reinforce_anchor")


# --- the instance -----------------------------------------------------------------------------------------------


class Drawn(NamedTuple):
    """What is drawn: the turn limit of each level, and memory and stability costs of the patches that vary."""

    limits: tuple[int, ...]
    costs: Mapping[str, tuple[int, int]]

    def cost(self, patch: Patch) -> tuple[int, int]:
        return self.costs.get(patch.name) or (patch.memory, patch.stability)

    @property
    def step_budget(self) -> int:
        return 8 * sum(self.limits) + 200


def draw(seed: int, resets: int) -> Drawn:
    """The instance of a seed after so many resets; the order of the draws is part of the rules."""
    rng = random.Random(f"{seed}:{resets}")
    limits: list[int] = []
    costs: dict[str, tuple[int, int]] = {}
    for level in LEVELS:
        limits.append(max(3, level.turns + rng.choice([-1, 0, 0, 1])))
        if PAVEMENT.name in level.patches:
            preferred = rng.choice([patch.target for patch in VARIED])
            for patch in VARIED:
                cheaper = patch.target == preferred
                memory, stability = (
                    min(0, cost + 1) if cheaper else cost - rng.choice([0, 1])
                    for cost in (patch.memory, patch.stability)
                )
                costs[patch.name] = memory, stability
    return Drawn(tuple(limits), costs)


# --- the state --------------------------------------------------------------------------------------------------


class Event(NamedTuple):
    """Something that happened; which fields matter depends on the kind."""

    kind: str
    what: str = ""
    number: int = 0
    amounts: tuple[tuple[str, int], ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    flag: bool = False


@dataclass(slots=True)
class Entry:
    """A patch applied in this level, and whether its hidden bill has been found."""

    patch: Patch
    revealed: bool = False


@dataclass(slots=True)
class Scene:
    """What belongs to one level alone."""

    entry: dict[str, int]
    """Resources at its start: losses count from there."""
    turn: int = 1
    focus: int = FOCUS
    idle: int = 0
    invalid: int = 0
    settlements: int = 0
    observed: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    diagnosis: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    ledger: list[Entry] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    """Names of the patches whose rule was found."""
    tried: set[tuple[str, str]] = field(default_factory=set)
    reason: str = ""
    """Why the level ends without its objective."""
    solved: bool = False


@dataclass(slots=True)
class Run:
    """A campaign. `number` counts levels from 0."""

    number: int = 0
    resources: dict[str, int] = field(default_factory=lambda: dict(START))
    anchors: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEVELS[0].anchors, INTEGRITY))
    scene: Scene = field(default_factory=lambda: Scene(dict(START)))
    steps: int = 0
    banked: int = 0
    turns: int = 0
    unsolved: list[str] = field(default_factory=list)
    failed: str = ""
    """Id of the level in which the campaign broke off."""
    ended: bool = False

    @property
    def level(self) -> Level:
        return LEVELS[self.number]


def fitting(run: Run) -> bool:
    """Whether all three axes are right at this moment."""
    return run.scene.diagnosis == run.level.right


def score(run: Run) -> int:
    return run.banked if run.ended else run.banked + _level_score(run)


def turns_used(run: Run) -> int:
    return run.turns if run.ended else run.turns + run.scene.turn - 1


def _level_score(run: Run) -> int:
    scene, now = run.scene, run.resources
    total = SOLVED * scene.solved + RULE * len(scene.rules)
    total -= sum(MEDIUM if entry.patch.medium else MINOR for entry in scene.ledger)
    total -= INVALID * scene.invalid + SETTLED * scene.settlements
    total -= sum(weight * max(0, scene.entry[name] - now[name]) for name, weight in WEIGHTS.items())
    return total - now[SUSPICION] - FATAL.get(scene.reason, 0)


def idle_budget(level: Level) -> int:
    return max(8, 4 * len(level.things) + 4)


_DIAGNOSES = [
    [f"diagnose {axis}={option}" for axis in AXES for option in level.options[axis]] for level in LEVELS
]  # fmt: skip


def valid_actions(run: Run) -> list[str]:
    """The listed actions, in the order of the rules; none after the end."""
    if run.ended:
        return []
    level, scene = run.level, run.scene
    focused = scene.focus > 0
    actions = [*(f"observe {thing}" for thing in level.things), *_DIAGNOSES[run.number]] if focused else []
    actions.append("wait")
    if scene.observed and fitting(run):
        ready = [p for p in level.patches.values() if p.thing in scene.observed and p.needs <= scene.tags]
        actions += [f"patch {patch.name}" for patch in sorted(ready, key=lambda patch: patch.thing)]
    if focused:
        if scene.ledger:
            actions.append("audit")
        actions += [f"audit {target}" for target in level.audits]
        actions += [f"check_anchor {name}" for name in run.anchors]
    return [*actions, "help", "status"]


# --- an input ---------------------------------------------------------------------------------------------------


class Fault(Exception):
    """An invalid input: what is wrong with it, the words in question, and whether it got as far as being carried out.

    Both kinds cost the same; only one that was carried out is followed by the state.
    """

    def __init__(self, kind: str, what: str = "", executed: bool = False) -> None:
        super().__init__(kind)
        self.kind, self.what, self.executed = kind, what, executed


def act(drawn: Drawn, run: Run, action: str) -> list[Event]:
    """Take an input, any string, and give what comes of it."""
    if run.ended:
        return [Event("over")]
    command = action.strip()
    word = command.lower()
    if word == "help":
        return [Event("help")]
    if word in ("", "status"):
        run.scene.idle += 1
        return _idled_out(run, "status") or [Event("status")]
    run.steps += 1
    if run.steps > drawn.step_budget:
        run.scene.reason = run.scene.reason or OUT_OF_TURNS
        return [Event("spent"), *(event for event in _settle(run) if event.kind in ("entered", "end"))]
    try:
        if word.startswith("diagnose ") and "=" in command:
            return _diagnose(run, command[len("diagnose ") :])
        return _carry_out(drawn, run, command.split())
    except Fault as fault:
        run.scene.invalid += 1
        return [Event("refused", fault.what, facts=((fault.kind,),), flag=fault.executed)]


def _idled_out(run: Run, by: str) -> list[Event]:
    """The end of the level where nothing new has been done for too long, else nothing."""
    scene = run.scene
    if scene.idle <= idle_budget(run.level):
        return []
    scene.invalid += 1
    scene.reason = scene.reason or IDLE
    return [Event("idled", by), *_settle(run)]


def _diagnose(run: Run, text: str) -> list[Event]:
    level, scene = run.level, run.scene
    axis, _, option = (part.strip().lower() for part in text.partition("="))
    if axis not in AXES:
        raise Fault("axis", axis)
    if option not in level.options[axis]:
        raise Fault("option", axis)
    if scene.focus <= 0:
        raise Fault("focus")
    scene.focus -= 1
    scene.idle = scene.idle + 1 if scene.diagnosis.get(axis) == option else 0
    scene.diagnosis[axis] = option
    fit = "" if len(scene.diagnosis) < len(AXES) else "fits" if fitting(run) else "misfit"
    return [Event("diagnosed", facts=((axis, option, fit),)), *_idled_out(run, "diagnosis")]


def _carry_out(drawn: Drawn, run: Run, words: list[str]) -> list[Event]:
    verb = words[0].lower()
    if verb == "wait" and len(words) == 1:
        return _pass_turn(drawn, run, [Event("waited")])
    if verb == "patch":
        return _pass_turn(drawn, run, [_apply(drawn, run, _patch_meant(run, words))])
    if verb == "audit" and len(words) == 1:
        return _look(run, verb, LAST_PATCH)
    if verb in TARGET_VERBS:
        if len(words) == 1:
            raise Fault("target", verb)
        return _look(run, verb, words[1].lower())
    if verb == "diagnose":
        raise Fault("diagnosis")
    raise Fault("verb", " ".join(words))


# --- looking ----------------------------------------------------------------------------------------------------


def _look(run: Run, verb: str, target: str) -> list[Event]:
    """The verbs that spend Focus: observe, audit, check_anchor."""
    scene = run.scene
    _check_target(run, verb, target)
    if scene.focus <= 0:
        raise Fault("focus", executed=True)
    scene.focus -= 1
    first = (verb, target) not in scene.tried
    event = _seen(run, verb, target, first)
    scene.idle = 0 if first else scene.idle + 1
    scene.tried.add((verb, target))
    if scene.idle > idle_budget(run.level):
        scene.invalid += 1
        scene.reason = IDLE
    scene.reason = _broken(run) or scene.reason
    return [event, *(_settle(run) if scene.reason else ())]


def _check_target(run: Run, verb: str, target: str) -> None:
    level = run.level
    if verb == "observe" and target not in level.things:
        raise Fault("object", target, executed=True)
    if verb == "check_anchor" and target not in run.anchors:
        raise Fault("anchor", target, executed=True)
    if verb == "audit" and not (run.scene.ledger if target == LAST_PATCH else target in level.audits):
        raise Fault("audit", target, executed=True)
    if verb in ("anchor", "reinforce_anchor"):
        raise Fault("unavailable", verb, executed=True)


def _seen(run: Run, verb: str, target: str, first: bool) -> Event:
    level, scene = run.level, run.scene
    if verb == "observe":
        scene.observed.add(target)
        scene.tags |= level.things[target]
        return Event("observed", target, flag=first)
    if verb == "check_anchor":
        return Event("anchor", target, run.anchors[target])
    run.resources[SUSPICION] += 1
    if target != LAST_PATCH:
        scene.tags.add(level.audits[target])
        return Event("audited", target, flag=first)
    entry = scene.ledger[-1]
    found = () if entry.revealed else entry.patch.hidden
    if not entry.revealed:
        _charge(run, entry)
        entry.revealed = True
    return Event("ledger", entry.patch.name, len(scene.ledger), found)


def _charge(run: Run, entry: Entry) -> None:
    """The hidden bill of a patch falls due, on the anchor of that name or the resource."""
    for name, amount in entry.patch.hidden:
        where = run.anchors if name in run.anchors else run.resources
        if name in where:
            where[name] += amount


# --- patching and time ------------------------------------------------------------------------------------------


def _patch_meant(run: Run, words: list[str]) -> Patch:
    """The patch an input names. Raises Fault with the first thing that stands against it."""
    level, scene = run.level, run.scene
    if len(words) < 3 or "." not in words[1]:
        raise Fault("patch form")
    target = words[1].lower()
    if target.partition(".")[0] not in scene.observed:
        raise Fault("not observed", target.partition(".")[0])
    if not fitting(run):
        raise Fault("unfitting")
    # The evidence is looked up with the change as typed: a typed `FOR` tail finds none to ask for.
    typed = level.patches.get(f"{target} {' '.join(words[2:])}")
    if typed and not typed.needs <= scene.tags:
        raise Fault("evidence")
    change = _change(words)
    if all(patch.target != target for patch in level.patches.values()):
        raise Fault("property", target, executed=True)
    patch = level.patches.get(f"{target} {change}")
    if patch is None:
        raise Fault("change", change, executed=True)
    return patch


def _change(words: list[str]) -> str:
    """What stands between the target and the first FOR; FOR, SCOPE and PAY must follow each other with words between.

    The words of the tail have no effect beyond that.
    """
    whole = [*words, *TAIL]
    upper = [word.upper() for word in whole]
    start, scope, pay = (upper.index(keyword) for keyword in ("FOR", "SCOPE", "PAY"))
    change = " ".join(whole[2:start])
    if not change or not start + 1 < scope or not scope + 1 < pay or " ".join(whole[pay + 1 :]) not in RESOURCES:
        raise Fault("grammar", executed=True)
    return change


def _apply(drawn: Drawn, run: Run, patch: Patch) -> Event:
    scene = run.scene
    costs = dict(zip((MEMORY, STABILITY), drawn.cost(patch), strict=True))
    for name, cost in costs.items():
        if cost < 0 and run.resources[name] + cost < 0:
            raise Fault("short", name, executed=True)
    for name, cost in costs.items():
        run.resources[name] += cost
    run.resources[SUSPICION] += patch.suspicion
    if patch.sets:
        scene.flags.add(patch.sets)
    if patch.rule and patch.name not in scene.rules:
        scene.rules.append(patch.name)
    scene.ledger.append(Entry(patch))
    return Event("patched", patch.name)


def _pass_turn(drawn: Drawn, run: Run, events: list[Event]) -> list[Event]:
    """A turn goes by: the fatal one may have come, the objective may be reached, the time may be up."""
    level, scene = run.level, run.scene
    scene.idle = 0
    scene.turn += 1
    if scene.turn == level.fatal and level.decisive not in scene.flags:
        scene.reason = FAILED
        events.append(Event("fatal"))
    scene.solved = scene.flags.issuperset(level.goals) and run.anchors.get(CORE, CORE_NEEDED) >= CORE_NEEDED
    scene.reason = _broken(run) or scene.reason
    if not scene.solved and not scene.reason and scene.turn > drawn.limits[run.number]:
        scene.reason = OUT_OF_TURNS
    if scene.solved or scene.reason:
        events += _settle(run)
    return events


def _broken(run: Run) -> str:
    """The resource that has given out, if one has."""
    for name in FATAL:
        value = run.resources[name]
        if value >= MOST_SUSPICION if name == SUSPICION else value <= 0:
            return name
    return ""


# --- the end of a level -----------------------------------------------------------------------------------------


def _settle(run: Run) -> list[Event]:
    """Close the level: hidden bills, pressure, score; then the next level or the end."""
    level, scene = run.level, run.scene
    events = []
    for number, entry in enumerate(scene.ledger, start=1):
        if entry.patch.hidden and not entry.revealed:
            _charge(run, entry)
            scene.settlements += 1
            events.append(Event("settled", entry.patch.name, number, entry.patch.hidden))
    events += _press(run)
    scene.reason = scene.reason or _broken(run)
    broken = scene.reason in FATAL
    if not scene.solved or broken:
        run.unsolved.append(level.id)
        events.append(_review(run))
    run.banked += _level_score(run)
    run.turns += scene.turn - 1
    run.anchors = {name: value for name, value in run.anchors.items() if value > 0}
    if broken:
        run.failed = level.id
    if broken or run.number + 1 == len(LEVELS):
        run.ended = True
        return [*events, Event("end")]
    run.number += 1
    for name in run.level.anchors:
        run.anchors.setdefault(name, INTEGRITY)
    run.scene = Scene(dict(run.resources))
    return [*events, Event("entered")]


def _press(run: Run) -> list[Event]:
    """Suspicion wears down reality, and from a point on memory too."""
    suspicion = run.resources[SUSPICION]
    if suspicion < PRESSURE_FROM:
        return []
    losses = ((STABILITY, -max(1, suspicion - 3)), (MEMORY, -max(0, suspicion - 6)))
    for name, amount in losses:
        run.resources[name] += amount
    return [Event("pressure", amounts=tuple(loss for loss in losses if loss[1]))]


def _review(run: Run) -> Event:
    """How each chosen value stood, and whether the evidence would have carried a patch that meets the cause."""
    level, scene = run.level, run.scene
    stands = []
    for axis in AXES:
        chosen = scene.diagnosis.get(axis, "")
        verdict = "unset" if not chosen else "match" if chosen == level.right[axis] else "mismatch"
        stands.append((axis, chosen, verdict))
    enough = any(patch.founded and patch.needs <= scene.tags for patch in level.patches.values())
    return Event("review", facts=tuple(stands), flag=enough)
