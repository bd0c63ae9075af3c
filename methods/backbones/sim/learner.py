"""The simulated backbone `sim/learner`: embedded, deterministic, free, and not a language model."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.methods.backbones.base import Backbone, BackboneError, Completion, Message, Usage
from evoplay.methods.backbones.sim.choose import Case, decide
from evoplay.methods.backbones.sim.counting import count
from evoplay.methods.backbones.sim.experience import Experience
from evoplay.methods.backbones.sim.features import Features
from evoplay.methods.backbones.sim.reading import Reading
from evoplay.methods.backbones.sim.structured import answer, is_form
from evoplay.methods.backbones.sim.templates import fill, filled_form
from evoplay.methods.backbones.sim.transcript import Tail, read_tail

_KEPT = 4
"""Prompts whose reading is kept for those that extend them."""


class SimLearner(Backbone):
    """A simulated backbone that learns from what it reads, by counting. It sees the messages and a seed, nothing else.

    To act, it reads past and present play out of the prompt by structure (bars, `>` lines, brackets, lists). It counts
    which runs of actions led to gains, what followed an action where the same lines were read, and what the words
    beside an option foretold; goes on along the best line that began exactly like this episode; ends an episode when
    longer ones brought no more; tries the untried in the hope of what first tries brought; heeds advice in plain text.
    History whose openings agree in what the present opening lacks is taken for another place's and set aside.
    Structured calls get the runs that paid, the moves that cost and the steps that show them, field by field.
    Words mean nothing to it but that they are equal or not, those of advice excepted (do, avoid, brought, ...).

    Parameters
    ----------
    explore : share of actions that are tried instead of trusted, and how hopeful it is about the untried, 0 to 1
        (default 0.2); the share falls with the square root of the number of episodes that are remembered.
    recall : share of earlier episodes' moves that are not overlooked, 0 to 1 (default 0.9); 0: earlier episodes are
        not read at all.
    obey : share of decisions in which advice and single moves shown outside episodes are heeded, 0 to 1 (default 0.8).

    Raises
    ------
    BackboneError : a knob outside 0 to 1.
    """

    simulated = True
    free = True
    context_window = None

    def __init__(self, explore: float = 0.2, recall: float = 0.9, obey: float = 0.8) -> None:
        for knob, value in (("explore", explore), ("recall", recall), ("obey", obey)):
            if not 0 <= value <= 1:
                raise BackboneError(f"sim/learner: {knob}={value!r} is out of range: give a share from 0 to 1")
        self.name = "sim/learner"
        self.explore, self.recall, self.obey = explore, recall, obey
        self._readings: list[tuple[str, Reading]] = []
        self._lock = threading.Lock()

    def for_trial(self) -> SimLearner:
        """Its own for every trial, so that what is kept of prompts goes with the trial."""
        fresh = SimLearner(self.explore, self.recall, self.obey)
        fresh.name = self.name
        return fresh

    def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        seed: int,
        tools: Sequence[Mapping[str, Any]] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        where: str = "",
    ) -> Completion:
        began = time.perf_counter()
        rng = random.Random(seed)
        system = "\n".join(message.content for message in messages if message.role == "system")
        asked = next((message for message in messages if message.role == "user"), Message("user", ""))
        if is_form(system) or is_form(asked.content):
            text, read = answer(system, asked.content, rng), count(asked.content)
        else:
            text, read = self._act(asked, rng)
        # The rest: what the system says, and a reply that was sent back with the request to do better.
        read += sum(count(message.content) for message in messages if message is not asked)
        usage = Usage(input=read, output=count(text), source="counted")
        return Completion(text, usage, 0.0, time.perf_counter() - began, self.name)

    def _act(self, prompt: Message, rng: random.Random) -> tuple[str, int]:
        """The reply to a prompt that asks for an action, and the tokens of that prompt."""
        stable, end = _split(prompt)
        tail = read_tail(end)
        reading = self._read(stable, tail.numbers)
        try:
            return self._choose(reading, tail, rng), reading.tokens + count(end)
        finally:
            self._keep(stable, reading)

    def _choose(self, reading: Reading, tail: Tail, rng: random.Random) -> str:
        names = reading.names
        actions = tail.actions or reading.actions()
        lines = reading.lines()
        if not tail.actions:
            form = filled_form(tail.before, [*lines, *actions], rng)
            if form is not None:
                return form
        if not actions:
            return "I see no action to choose from."
        listed = [names.number(action) for action in dict.fromkeys(actions)]
        best = reading.node.best if reading.node is not None else None
        # What is remembered of another place is no guide to this one.
        same = reading.same_place()
        obeyed = rng.random() < self.obey
        case = Case(
            names=names,
            listed=listed,
            past=reading.past if same else Experience(names),
            now=reading.now,
            trace=reading.trace,
            best_line=best if best is not None and best[0] in listed else None,
            level=reading.level(),
            explore=self.explore,
            features=reading.features if same else Features(),
            advice=reading.guidance(actions, tail.before) if obeyed else (),
        )
        choice = decide(case, rng)
        return f"{choice.reason}.\nAction: {fill(names.texts[choice.action], lines, rng)}"

    def _read(self, stable: str, asked: Sequence[float]) -> Reading:
        with self._lock:
            found = [at for at, (text, _) in enumerate(self._readings) if stable.startswith(text)]
            if found:
                best = max(found, key=lambda at: len(self._readings[at][0]))
                text, reading = self._readings.pop(best)
            else:
                text, reading = "", Reading(self.recall)
        reading.update(stable[len(text) :], asked)
        return reading

    def _keep(self, stable: str, reading: Reading) -> None:
        with self._lock:
            self._readings.append((stable, reading))
            del self._readings[:-_KEPT]


def _split(message: Message) -> tuple[str, str]:
    """The part of a prompt that later ones extend, and its end. Both are whole lines."""
    content = message.content
    at = content.rfind("\n", 0, message.cacheable) + 1 if message.cacheable else 0
    if not at:
        at = max(content.rfind("\n| "), content.rfind("\n["), content.rfind("\n> "))
        at = content.find("\n", at + 1) + 1 if at >= 0 else 0
    return content[:at], content[at:]
