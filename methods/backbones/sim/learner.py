"""The simulated backbone `sim/learner`: embedded, deterministic, free, and not a language model."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from evoplay.methods.backbones.base import Backbone, BackboneError, Completion, Message, Usage
from evoplay.methods.backbones.sim.choose import Case, decide
from evoplay.methods.backbones.sim.experience import Experience
from evoplay.methods.backbones.sim.features import Features
from evoplay.methods.backbones.sim.guidance import read_advice
from evoplay.methods.backbones.sim.reading import Reading
from evoplay.methods.backbones.sim.structured import answer, is_form
from evoplay.methods.backbones.sim.transcript import read_tail

_KEPT = 4
"""Prompts whose reading is kept for those that extend them."""


class SimLearner(Backbone):
    """A simulated backbone that learns from what it reads, by counting. It sees the messages and a seed, nothing else.

    Parameters
    ----------
    explore : share of actions that are tried instead of trusted, 0 to 1 (default 0.2); it falls with the number of
        episodes that are remembered.
    recall : share of earlier episodes' moves that are not overlooked, 0 to 1 (default 0.9); 0: earlier episodes are
        not read at all.
    obey : share of decisions in which guidance found in the prompt is followed, 0 to 1 (default 0.8).

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
        user = next((message.content for message in messages if message.role == "user"), "")
        form = is_form(user) or is_form(system)
        text = answer(system, user, rng) if form else self._act(messages, rng)
        size = sum(len(message.content) for message in messages)
        usage = Usage(input=size // 4, output=len(text) // 4, source="counted")
        return Completion(text, usage, 0.0, time.perf_counter() - began, self.name)

    def _act(self, messages: Sequence[Message], rng: random.Random) -> str:
        asked = next(message for message in reversed(messages) if message.role == "user" and message.content)
        main = next((m for m in messages if m.role == "user"), asked)
        stable, end = _split(main)
        tail = read_tail(end)
        reading = self._read(stable, tail.numbers)
        try:
            actions = tail.actions or tuple(dict.fromkeys(reading.names.texts))
            if not actions:
                return "I see no action to choose.\nAction: "
            listed = [reading.names.number(action) for action in dict.fromkeys(actions)]
            plays = reading.scanner.plays
            level = plays[reading.present].level if reading.present >= 0 else None
            # What is remembered of another place is no guide to this one.
            same = reading.same_place()
            past = reading.past if same else Experience(reading.names)
            features = reading.features if same else Features()
            best = reading.node.best if reading.node is not None else None
            if best is not None and best[0] not in listed:
                best = None
            obeyed = rng.random() < self.obey
            advice = read_advice(reading.guidance() + "\n" + tail.before, actions) if obeyed else ()
            case = Case(
                reading.names,
                listed,
                past,
                reading.now,
                reading.trace,
                best,
                level,
                self.explore,
                features,
                advice,
            )
            choice = decide(case, self.explore, rng)
            return f"{choice.reason}.\nAction: {reading.names.texts[choice.action]}"
        finally:
            self._keep(stable, reading)

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
