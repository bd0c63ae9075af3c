"""The environment: exploration windows and evaluation batches in turn, under a rule that may drift.

Every task of the suite is a class of its own (see `class_for`); its episodes are the task's evaluation episodes, or
another stream of them. What a player is told stands in `texts`, what an action means in `calls`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from evoplay.envs.adaexplore import texts
from evoplay.envs.adaexplore.assessment import BEFORE, END, read_assessment
from evoplay.envs.adaexplore.calculator import CalculatorError, calculate
from evoplay.envs.adaexplore.calls import (
    CallError,
    check_expression,
    check_probe,
    check_submission,
    read_call,
    tool_text,
    tools,
)
from evoplay.envs.adaexplore.config import ACTIONS, PLAY, SETTINGS, SPLITS, STREAMS, WORLD, Family, Setting, Stream
from evoplay.envs.adaexplore.dynamics import Array, Rule, utilities_of
from evoplay.envs.adaexplore.generation import Episode, case_utilities
from evoplay.envs.adaexplore.sampling import free_draws, keeps
from evoplay.envs.adaexplore.specs import spec_of_task
from evoplay.envs.adaexplore.streams import episode_of
from evoplay.envs.base import (
    Aside,
    Env,
    EnvError,
    Observation,
    Player,
    Reference,
    check_episode,
    check_mode,
    check_seed,
)

CALCULATIONS_KEPT = 20


@dataclass(slots=True)
class _State:
    """Where an episode stands. `batch` is the open one, or the one the window leads to."""

    batch: int = 1
    open: bool = False
    total: float = 0.0
    calibrated: float = 0.0
    answered: int = 0
    probes: int = 0
    probed: set[tuple[float, ...]] = field(default_factory=set)
    calculations: list[str] = field(default_factory=list)
    errors: int = 0
    steps: int = 0
    over: bool = False
    left: bool = False
    assessments: dict[str, dict[str, int] | None] = field(default_factory=dict)

    def copied(self) -> _State:
        twin = copy.copy(self)
        twin.probed, twin.calculations = set(self.probed), list(self.calculations)
        twin.assessments = dict(self.assessments)
        return twin


class AdaExplore(Env):
    """One task. The score of an episode is the mean calibrated accuracy (CA, in per cent) of the cases answered so
    far, and at the end of all cases, unanswered ones counting 0; the visible score is the sum of utilities shown.

    Parameters
    ----------
    seed : the integer the whole set of episodes comes from.
    setting : "default" (drift, masked), "stationary" (no drift), "evidence_given" (not masked), "forced_probe".
    stream : "mixed" (the task's evaluation episodes in a fixed shuffled order), "same_family", "same_rule".
    family : of the stream same_family (None: the one of the first mixed episode).
    split : "eval" or "train": which episodes the streams mixed and same_rule take.
    file : an exported file to take them from instead.
    episode_mode : "control" plays the first episode again and again.
    """

    domain: ClassVar[str]
    task: ClassVar[str]
    tools: Sequence[Mapping[str, Any]] = tools()

    def __init__(
        self,
        seed: int | None = None,
        *,
        setting: Setting = "default",
        stream: Stream = "mixed",
        family: Family | None = None,
        split: str = "eval",
        file: str | None = None,
        episode_mode: str = "reshuffled",
    ) -> None:
        self.seed = check_seed(seed, self.spec.seed)
        self.setting: Setting = _one_of(setting, SETTINGS, "setting")  # type: ignore[assignment]
        self.stream: Stream = _one_of(stream, STREAMS, "stream")  # type: ignore[assignment]
        self.split = _one_of(split, tuple(SPLITS), "split")
        self.family = family
        self.file = file
        self.episode_mode = check_mode(episode_mode)
        self.masked = setting != "evidence_given"
        self.drifts = setting != "stationary"
        self._episode: Episode | None = None
        self._state = _State()

    # --- the contract -----------------------------------------------------------------------------------------

    def reset(self, episode: int = 1) -> Observation:
        number = 1 if self.episode_mode == "control" else check_episode(episode)
        self._episode = episode_of(
            self.domain, self.task, self.seed, number, self.stream, split=self.split, family=self.family, file=self.file
        )
        self._values = _case_values(self._episode, self.drifts)
        self._state = _State()
        return self._observe(texts.opening(self._episode, self.setting), info={"kind": "open"})

    def step(self, action: str) -> Observation:
        if not isinstance(action, str):
            raise TypeError(f"an action is a string, not {type(action).__name__} ({action!r})")
        state = self._state
        self._now()
        if state.over or state.left:
            return self._observe(texts.OVER, accepted=False, info={"kind": "over"})
        state.steps += 1
        try:
            call = read_call(action)
            answer = getattr(self, f"_{call.kind}")(call.argument)
        except (CallError, CalculatorError) as error:
            return self._refuse(error)
        state.errors = 0
        observation: Observation = answer
        return observation

    def finish(self) -> Observation:
        self._now()
        state = self._state
        if state.over or state.left:
            state.left = True
            return self._observe(texts.OVER, info=self._closing())
        state.left = True
        unanswered = WORLD.batches * WORLD.cases - state.answered
        return self._observe(
            texts.left_early(state.total, unanswered), info=self._closing(), asides=(Aside(END, texts.QUESTION),)
        )

    def reference(self, episode: int = 1) -> Reference:
        check_episode(episode)
        return Reference(100.0, "exact", "the best action in every case has a calibrated accuracy of 100 by definition")

    def solution(self, episode: int = 1) -> list[str]:
        """The best action in every case; under forced_probe the batch's own cases are probed before."""
        twin = type(self)(**self._options())
        twin.reset(episode)
        return _best_line(twin)

    def answer(self, aside: str, reply: str) -> None:
        if aside not in (BEFORE, END):
            raise EnvError(f"there is no assessment '{aside}': use {BEFORE} or {END}")
        self._state.assessments[aside] = read_assessment(reply)

    def player(self, name: str) -> Player | None:
        from evoplay.envs.adaexplore.reference.players import PLAYERS

        return PLAYERS[name][0](self) if name in PLAYERS else None

    def clone(self) -> AdaExplore:
        twin = copy.copy(self)
        twin._state = self._state.copied()
        return twin

    def tool_action(self, name: str, arguments: Mapping[str, Any]) -> str:
        return tool_text(name, arguments)

    # --- privileged: for analysis and for policies bound to the env -------------------------------------------

    @property
    def assessments(self) -> Mapping[str, Mapping[str, int] | None]:
        """Assessments as read, by id; None where the reply was unreadable."""
        return self._state.assessments

    def rule_now(self) -> Rule:
        """The rule in force."""
        episode = self._now()
        return episode.rule(self._state.batch) if self.drifts else episode.before

    def rule_asked(self) -> Rule:
        """The rule an assessment asked for at this moment is about: just before the drift the one that still held."""
        episode, state = self._now(), self._state
        held = max(state.batch - (0 if state.open else 1), 1)
        return episode.rule(held) if self.drifts else episode.before

    def best_action(self) -> str:
        """The action that plays the best choice in every case."""
        if not self._state.open:
            missing = PLAY.forced_probes - len(self._state.probed) if self.setting == "forced_probe" else 0
            if missing > 0:
                names = self._now().ranges.names
                cases = [case for case in self._cases() if tuple(case) not in self._state.probed][:missing]
                return f"probe [{', '.join(texts.case_text(names, case) for case in cases)}]"
            return "next"
        return "submit " + " ".join(ACTIONS[int(number)] for number in self._batch_values().argmax(axis=1))

    def random_action(self, draw: Any) -> str:
        """`next` in a window (with the probes that forced_probe asks for), uniform actions in a batch.

        `draw` is a `random.Random`.
        """
        if not self._state.open:
            return self.best_action()
        return "submit " + " ".join(draw.choice(ACTIONS) for _ in range(WORLD.cases))

    # --- actions ----------------------------------------------------------------------------------------------

    def _probe(self, argument: object) -> Observation:
        episode, state = self._now(), self._state
        if state.open:
            raise CallError(texts.WRONG_PHASE["probe"])
        left = PLAY.probes_per_window - state.probes
        cases = check_probe(argument, episode.fields, episode.constraints, left)
        values = utilities_of(self.rule_now(), episode.calibration, episode.ranges, np.asarray(cases))
        state.probes += len(cases)
        state.probed.update(cases)
        info = {"kind": "probe", "window": state.batch, "drifted": self._has_drifted(), "cases": cases}
        return self._observe(texts.probed(episode.ranges.names, cases, values.tolist(), left - len(cases)), info=info)

    def _next(self, argument: object) -> Observation:
        state = self._state
        if state.open:
            raise CallError(texts.WRONG_PHASE["next"])
        if self.setting == "forced_probe" and len(state.probed) < PLAY.forced_probes:
            raise CallError(texts.too_few_probes(len(state.probed)))
        return self._open(forced=False)

    def _submit(self, argument: object) -> Observation:
        if not self._state.open:
            raise CallError(texts.WRONG_PHASE["submit"])
        return self._close(check_submission(argument, WORLD.cases), [False] * WORLD.cases)

    def _calc(self, argument: object) -> Observation:
        expression = check_expression(argument)
        text = texts.calculated(expression, calculate(expression))
        state = self._state
        if state.open:
            state.calculations = [*state.calculations, text][-CALCULATIONS_KEPT:]
            return self._observe(self._open_text(), info={"kind": "calc"})
        return self._observe(text, info={"kind": "calc"})

    def _refuse(self, error: Exception) -> Observation:
        """Answer an unusable action; after too many in a row, go on by default."""
        state = self._state
        state.errors += 1
        reason = texts.refused(str(error))
        if state.errors < PLAY.errors_in_a_row:
            text = f"{reason}\n{self._open_text()}" if state.open else reason
            return self._observe(text, accepted=False, info={"kind": "error"})
        state.errors = 0
        if not state.open:
            return self._open(forced=True, note=f"{reason} {texts.forced_next()}\n")
        given = [*getattr(error, "partial", ()), *[None] * WORLD.cases][: WORLD.cases]
        chosen = [0 if action is None else ACTIONS.index(action) for action in given]
        return self._close(chosen, [action is None for action in given], accepted=False)

    # --- moving on --------------------------------------------------------------------------------------------

    def _open(self, *, forced: bool, note: str = "") -> Observation:
        state = self._state
        state.open = True
        state.calculations = []
        info = {"kind": "next", "batch": state.batch, "forced": forced}
        return self._observe(note + self._open_text(), accepted=not forced, info=info)

    def _close(self, chosen: list[int], forced: list[bool], *, accepted: bool = True) -> Observation:
        state, episode = self._state, self._now()
        values = self._batch_values()
        realised = [round(float(row[number]), PLAY.decimals) for row, number in zip(values, chosen, strict=True)]
        mean, best = values.mean(axis=1), values.max(axis=1)
        picked = values[np.arange(len(chosen)), chosen]
        # Divided first: the best action is worth exactly 100.
        state.calibrated += float((100.0 * ((picked - mean) / (best - mean))).sum())
        state.answered += len(chosen)
        state.total = round(state.total + sum(realised), PLAY.decimals)
        info = {
            "kind": "submit",
            "batch": state.batch,
            "drifted": self._has_drifted(),
            "utilities": values.tolist(),
            "actions": chosen,
            "forced": [int(one) for one in forced],
        }
        closed = texts.batch_closed(state.batch, realised, state.total, any(forced))
        state.open = False
        state.batch += 1
        state.probes, state.probed = 0, set()
        if state.batch > WORLD.batches:
            state.over = True
            text = f"{closed}\n{texts.finished(state.total)}"
            return self._observe(text, accepted, info | self._closing(), (Aside(END, texts.QUESTION),))
        asides = (Aside(BEFORE, texts.QUESTION),) if self.drifts and state.batch == episode.slot.drift else ()
        return self._observe(f"{closed}\n{texts.window_open(state.batch)}", accepted, info, asides)

    # --- inner ------------------------------------------------------------------------------------------------

    def _observe(
        self, text: str, accepted: bool = True, info: Mapping[str, Any] | None = None, asides: tuple[Aside, ...] = ()
    ) -> Observation:
        state = self._state
        over = state.over or state.left
        facts = dict(info or {})
        if state.steps == 1 or over:
            facts["episode"] = self._facts()
        answered = WORLD.batches * WORLD.cases if over else state.answered
        valid, glosses = self._listed()
        return Observation(
            text=text,
            valid_actions=valid,
            accepted=accepted,
            score=state.calibrated / answered if answered else 0.0,
            visible_score=state.total,
            done=over,
            retained=texts.batch_retained(state.batch) if state.open and not over and self.masked else None,
            asides=asides,
            glosses=glosses,
            info=facts,
        )

    def _listed(self) -> tuple[tuple[str, ...], dict[str, str]]:
        state = self._state
        if state.over or state.left:
            return (), {}
        if state.open:
            actions = tuple(f"submit {' '.join([action] * WORLD.cases)}" for action in ACTIONS)
            return actions, dict.fromkeys(actions, texts.SUBMIT_GLOSS)
        listed = []
        glosses = {}
        if state.probes < PLAY.probes_per_window:
            episode = self._now()
            example = f"probe {texts.case_text(episode.ranges.names, example_case(episode))}"
            listed.append(example)
            glosses[example] = texts.PROBE_GLOSS
        if self.setting != "forced_probe" or len(state.probed) >= PLAY.forced_probes:
            listed.append("next")
        return tuple(listed), glosses

    def _open_text(self) -> str:
        episode, state = self._now(), self._state
        return texts.batch_open(state.batch, episode.ranges.names, self._cases(), state.calculations)

    def _cases(self) -> list[list[float]]:
        start = (self._state.batch - 1) * WORLD.cases
        cases: list[list[float]] = self._now().cases[start : start + WORLD.cases].tolist()
        return cases

    def _batch_values(self) -> Array:
        start = (self._state.batch - 1) * WORLD.cases
        return self._values[start : start + WORLD.cases]

    def _has_drifted(self) -> bool:
        return self.drifts and self._state.batch >= self._now().slot.drift

    def _facts(self) -> dict[str, Any]:
        """What analysis needs to know of the instance; never shown."""
        episode = self._now()
        slot = episode.slot
        return {
            "family": slot.family,
            "task": f"{slot.domain}/{slot.task}",
            "index": slot.index,
            "setting": self.setting,
            "stream": self.stream,
            "batches": WORLD.batches,
            "cases": WORLD.cases,
            "drift": slot.drift if self.drifts else None,
            "before": episode.before.directions,
            "after": episode.after.directions if self.drifts else None,
        }

    def _closing(self) -> dict[str, Any]:
        return {"unanswered": WORLD.batches * WORLD.cases - self._state.answered}

    def _options(self) -> dict[str, Any]:
        names = ("seed", "setting", "stream", "family", "split", "file", "episode_mode")
        return {name: getattr(self, name) for name in names}

    def _now(self) -> Episode:
        if self._episode is None:
            raise EnvError(f"{self.spec.id} has not been started: call reset(episode) first")
        return self._episode


@lru_cache(maxsize=512)
def _case_values(episode: Episode, drifts: bool) -> Array:
    """Exact utilities of all cases as they will be played, shape (n, 4)."""
    old = case_utilities(episode, episode.before)
    if not drifts:
        return old
    new = case_utilities(episode, episode.after)
    batch = np.arange(len(old)) // WORLD.cases + 1
    return np.where((batch >= episode.slot.drift)[:, None], new, old)


@lru_cache(maxsize=512)
def example_case(episode: Episode) -> tuple[float, ...]:
    """A legal case near the middle of the ranges."""
    names = list(episode.ranges.names)
    low, high = np.asarray(episode.ranges.low), np.asarray(episode.ranges.high)
    decimals = [spec.decimals for spec in episode.fields]
    middle = [round(float(value), places) for value, places in zip((low + high) / 2, decimals, strict=True)]
    cases = np.concatenate([np.asarray([middle]), free_draws(np.random.default_rng(0), episode.fields, 4096)])
    for constraint in episode.constraints:
        cases = cases[keeps(constraint, names, cases)]
    distance = np.abs((cases - (low + high) / 2) / (high - low)).max(axis=1)
    return tuple(float(value) for value in cases[int(distance.argmin())])


def _best_line(env: AdaExplore) -> list[str]:
    line: list[str] = []
    done = False
    while not done:
        line.append(env.best_action())
        done = env.step(line[-1]).done
    return line


def _one_of(value: object, known: Sequence[str], what: str) -> str:
    if value not in known:
        raise EnvError(f"{what} {value!r} is unknown: use one of {', '.join(known)}")
    return str(value)


@cache
def class_for(domain: str, task: str) -> type[AdaExplore]:
    """The class of a task, with its spec. Raises EnvError for a task there is not."""
    spec = spec_of_task(domain, task)
    name = "".join(part.capitalize() for part in task.split("-"))
    return type(name, (AdaExplore,), {"spec": spec, "domain": domain, "task": task, "__module__": __name__})
