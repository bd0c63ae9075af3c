"""The one episode loop. Nothing else drives an environment.

For each episode: reset, begin_episode, then context -> prompt -> backbone -> action -> step -> record -> observe until
the game is over, the cap is reached or the player leaves, then end_episode. What happened goes to a recorder.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evoplay.envs.base import Env, Observation
from evoplay.evaluation.recorder import Recorder
from evoplay.evaluation.returned import fault
from evoplay.memory.blocks import Block
from evoplay.memory.claims import Statement
from evoplay.memory.records import AsideRecord, Episode, EpisodeRecord, Step, StepRecord, step_id
from evoplay.methods.actor import Actor, Prompt, present_key
from evoplay.methods.backbones.base import Backbone, CallFailed, Completion, LimitReached, Message
from evoplay.methods.backbones.policy import LEAVE, Policy
from evoplay.methods.base import EMPTY, Method, Task, View
from evoplay.methods.parsing import EXPECTED, extract_action
from evoplay.methods.render import one_line, opening_block, quoted, score_line, step_block
from evoplay.methods.services import Services
from evoplay.methods.structured import StructuredFailed

PLANT_AFTER = 2
"""The episode after which a false claim is planted."""


class Stopped(RuntimeError):
    """The run was asked to stop; the episode in hand is not finished."""


class MethodBroke(RuntimeError):
    """A hook of a method raised, or returned what it must not; the message names method, hook and error."""


@dataclass(slots=True)
class Past:
    """What a log holds of a trial that goes on: finished episodes, the state after the last closed one.

    `unclosed` says that the last episode was finished but the method had not yet taken it in. `dropped` and `left_out`
    are what prompts had to do without (see `Actor`). `rolled_out` are the rollouts of an unclosed last episode.
    """

    episodes: list[EpisodeRecord] = field(default_factory=list)
    state: Mapping[str, Any] = field(default_factory=dict)
    unclosed: bool = False
    dropped: set[str] = field(default_factory=set)
    left_out: dict[str, int] = field(default_factory=dict)
    rolled_out: Sequence[Episode] = ()


@dataclass(slots=True)
class Trial:
    """Everything one trial needs.

    Parameters
    ----------
    cell : the opaque id of the trial, the prefix of its step ids.
    seed_of : the seed of a call from (episode, step, purpose).
    episodes : how many the player is told of. until : the last one to play now (None: all of them).
    budget_tokens : what a prompt may hold (None: no limit).
    hide_actions : do not list valid actions. freeze_after : learn so many episodes, then only use what was learned.
    max_steps : the cap (None: the environment's own). use_tools : offer the environment's tools to the backbone.
    plant : a false statement that the method is made to hold after episode 2, where it can hold one.
    """

    env: Env
    method: Method
    backbone: Backbone
    cell: str
    episodes: int
    seed_of: Callable[[int, int, str], int]
    recorder: Recorder
    until: int | None = None
    budget_tokens: int | None = None
    hide_actions: bool = False
    freeze_after: int | None = None
    max_steps: int | None = None
    use_tools: bool = False
    temperature: float | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    services: Services | None = None
    plant: Statement | None = None


def run_trial(trial: Trial, past: Past | None = None) -> list[EpisodeRecord]:
    """Play all episodes of a trial, going on after `past`. Every episode is in the result, failed ones too.

    Raises Stopped when asked to stop, LimitReached when the run's limit is used up, CallFailed for a failure that every
    other call would share, MethodBroke when a hook raises or returns what it must not.
    """
    return _Player(trial).play(past or Past())


class _Player:
    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.env, self.method, self.recorder = trial.env, trial.method, trial.recorder
        self.actor = Actor(trial.budget_tokens, trial.hide_actions)
        self.cap = trial.max_steps or trial.env.spec.max_steps
        self.policy = trial.backbone if isinstance(trial.backbone, Policy) else None
        self.tools = trial.env.tools if trial.use_tools else ()
        if self.policy is not None:
            self.policy.bind(trial.env)
        self.method.planned, self.method.budget_tokens = trial.episodes, trial.budget_tokens or 0
        if trial.services is not None:
            self._hook("attach", trial.services)

    def play(self, past: Past) -> list[EpisodeRecord]:
        done = list(past.episodes)
        self.actor.dropped |= past.dropped
        self.actor.left_out |= past.left_out
        if done:
            learned = [record.view() for record in done if record.error is None]
            if past.unclosed and learned:
                learned.pop()
            self._hook("restore", past.state, self._taken_in(learned))
            if past.unclosed:
                self.method.rolled_out = past.rolled_out
                self._close(done[-1])
        last = min(self.trial.episodes, self.trial.until or self.trial.episodes)
        for number in range(len(done) + 1, last + 1):
            record = self._episode(number)
            done.append(record)
            self._close(record)
        return done

    def _taken_in(self, learned: list[Episode]) -> list[Episode]:
        after = self.trial.freeze_after
        return learned if after is None else [episode for episode in learned if episode.episode <= after]

    # --- an episode -------------------------------------------------------------------------------------------

    def _episode(self, number: int) -> EpisodeRecord:
        trial = self.trial
        self.method.frozen = trial.freeze_after is not None and number > trial.freeze_after
        self._at(number, 0)
        start = time.perf_counter()
        observation = self.env.reset(number)
        record = EpisodeRecord(number, observation.text, opening_retained=observation.retained)
        self.recorder.episode_started(record)
        task = Task(observation.text, number, trial.episodes, trial.budget_tokens or 0)
        try:
            if self.policy is not None:
                self.policy.begin(number)
            self._remember(number, "begin_episode", task)
            play = self._steps if self.method.rollouts == 1 else self._rollouts
            final = play(record, task, observation)
        except CallFailed as failure:
            record.error = f"{failure.kind}: {failure}"
            record.seconds = time.perf_counter() - start
            self.recorder.failed("act", failure, number, len(record.steps) + 1)
            self.recorder.episode_finished(record)
            if failure.fatal:
                raise
            return record
        record.score, record.closing = final.score, final.text
        record.seconds = time.perf_counter() - start
        self.recorder.episode_finished(record)
        return record

    def _rollouts(self, record: EpisodeRecord, task: Task, observation: Observation) -> Observation:
        """Play the episode several times from its start, on clones; the one the method chooses becomes the record.

        The others are logged as rollouts and count as cost. One that fails is out; the episode fails if all do.
        """
        played: list[tuple[EpisodeRecord, Observation]] = []
        start, failed = self.env, CallFailed("no rollout was played", kind="rollout")
        try:
            for at in range(1, self.method.rollouts + 1):
                self.recorder.rollout, self.env = at, start.clone()
                self.actor.left_out.pop(present_key(record.episode), None)
                if self.policy is not None:
                    self.policy.bind(self.env)
                    self.policy.begin(record.episode)
                one = EpisodeRecord(record.episode, record.opening, opening_retained=record.opening_retained)
                try:
                    final = self._steps(one, task, observation)
                    one.score, one.closing = final.score, final.text
                    played.append((one, final))
                except CallFailed as failure:
                    if failure.fatal:
                        raise
                    one.error, failed = f"{failure.kind}: {failure}", failure
                    self.recorder.failed("rollout", failure, record.episode, len(one.steps) + 1)
                self.recorder.episode_finished(one)
        finally:
            self.recorder.rollout, self.env = 0, start
        if not played:
            raise failed
        self.method.rolled_out = [one.view() for one, _ in played]
        self._at(record.episode, 0)
        chosen = self._remember(record.episode, "choose", self.method.rolled_out) if len(played) > 1 else 0
        kept, final = played[chosen or 0]
        record.steps, record.asides, record.capped, record.left = kept.steps, kept.asides, kept.capped, kept.left
        self.recorder.kept(record)
        for step in [] if self.method.frozen else record.steps:
            self._remember(record.episode, "observe", step.view())
        return final

    def _steps(self, record: EpisodeRecord, task: Task, observation: Observation) -> Observation:
        """Play until the end; the settled last observation."""
        # `past` holds blocks in the form later prompts show; the present observation may read otherwise.
        past: list[Block] = [opening_block(record.episode, task.episodes, _past_text(observation))]
        present = opening_block(record.episode, task.episodes, observation.text)
        views: list[Step] = []
        while not observation.done and len(record.steps) < self.cap:
            if self.trial.stop.is_set():
                raise Stopped(f"stopped in episode {record.episode}, step {len(record.steps) + 1}")
            self._at(record.episode, len(record.steps) + 1)
            view = View(
                task, views, observation.text, observation.valid_actions, observation.visible_score,
                len(record.steps) + 1, self.cap,
            )  # fmt: skip
            context = self._remember(record.episode, "context", view) or EMPTY
            prompt = self.actor.prompt(context, [*past[:-1], present], observation, view)
            self.recorder.dropped(prompt.drops, record.episode, view.step)
            self._asides(record, observation, prompt)
            step = self._act(record, observation, prompt)
            if step is None:
                break
            record.steps.append(step[0])
            before, observation = observation, step[1]
            seen = step[0].view()
            views.append(seen)
            past.append(step_block(seen))
            present = past[-1] if observation.retained is None else _present(step[0], before, observation)
            if not self.method.frozen and not self.recorder.rollout:
                self._remember(record.episode, "observe", seen)
        if not observation.done:
            record.capped = len(record.steps) >= self.cap
            record.left = True
            observation = self.env.finish()
            present = Block(quoted(observation.text))
        if observation.asides:
            view = View(task, views, observation.text, (), observation.visible_score, len(views) + 1, self.cap)
            context = self._remember(record.episode, "context", view) or EMPTY
            self._asides(record, observation, self.actor.prompt(context, past, observation, view))
        return observation

    def _act(
        self, record: EpisodeRecord, observation: Observation, prompt: Prompt
    ) -> tuple[StepRecord, Observation] | None:
        number = len(record.steps) + 1
        if self.policy is not None:
            self.policy.see(observation)
        messages = prompt.messages()
        completion = self._complete(messages, "act", record.episode, number, prompt)
        action, notes = self._action_of(completion)
        if action is None:
            retry = [*messages, Message("assistant", completion.text), Message("user", EXPECTED)]
            repaired = self._complete(retry, "repair", record.episode, number, None)
            action, notes = self._action_of(repaired)
            notes = ("the first reply held no action and was sent back once", *notes)
            completion = repaired
            if action is None:
                action, notes = repaired.text, (*notes, "the raw reply was given to the environment")
        if action == LEAVE:
            return None
        start = time.perf_counter()
        after = self.env.step(action)
        step = StepRecord(
            id=step_id(self.trial.cell, record.episode, number),
            episode=record.episode,
            step=number,
            observation=observation.text,
            valid_actions=observation.valid_actions,
            reply=completion.text,
            action=action,
            outcome=after.text,
            accepted=after.accepted,
            score_before=observation.score,
            score_after=after.score,
            visible_before=observation.visible_score,
            visible_after=after.visible_score,
            done=after.done,
            retained=observation.retained,
            outcome_retained=after.retained,
            seconds=(completion.seconds, time.perf_counter() - start),
            call=self.recorder.calls,
            notes=notes,
            info=after.info,
        )
        self.recorder.stepped(step)
        return step, after

    def _action_of(self, completion: Completion) -> tuple[str | None, tuple[str, ...]]:
        if completion.tool_calls:
            first, *rest = completion.tool_calls
            notes = (f"{len(rest)} further tool calls were not played",) if rest else ()
            return self.env.tool_action(first.name, first.arguments), notes
        found = extract_action(completion.text)
        return found.action, found.notes

    def _complete(
        self, messages: Sequence[Message], purpose: str, episode: int, step: int, prompt: Prompt | None
    ) -> Completion:
        trial = self.trial
        where = f"{trial.cell} episode {episode} step {step}"
        rollout = self.recorder.rollout
        seed = trial.seed_of(episode, step, f"{purpose} in rollout {rollout}" if rollout > 1 else purpose)
        try:
            completion = trial.backbone.complete(
                messages,
                purpose=purpose,
                seed=seed,
                tools=self.tools or None,
                temperature=trial.temperature,
                where=where,
            )
        except CallFailed as failure:
            self.recorder.call_failed(messages, purpose, seed, episode, step, failure, prompt)
            raise
        self.recorder.called(messages, purpose, seed, episode, step, completion, prompt)
        return completion

    def _asides(self, record: EpisodeRecord, observation: Observation, prompt: Prompt) -> None:
        """Ask what the environment asks outside the episode, on a copy of the context."""
        for aside in observation.asides:
            number = len(record.steps) + 1
            system, user = prompt.messages()
            question = [
                system,
                Message("user", f"{user.content[: user.cacheable]}\n{aside.question}\n", user.cacheable),
            ]
            reply: str | None = None
            try:
                reply = self._complete(question, "aside", record.episode, number, None).text
                self.env.answer(aside.id, reply)
            except CallFailed as failure:
                self.recorder.failed("aside", failure, record.episode, number)
                if failure.fatal:
                    raise
            asked = AsideRecord(aside.id, record.episode, number, aside.question, reply)
            record.asides.append(asked)
            self.recorder.asided(asked)

    # --- between episodes -------------------------------------------------------------------------------------

    def _close(self, record: EpisodeRecord) -> None:
        """Let the method take a finished episode in, and log what it has learned."""
        self._at(record.episode, len(record.steps))
        shown = self._hook("shown_rules")
        if record.error is None and not self.method.frozen:
            self._remember(record.episode, "end_episode", record.view())
        self._plant(record.episode)
        held = self._hook("rules")
        if held is not None:
            self.recorder.rules(record.episode, shown, held)
        self.recorder.episode_closed(record.episode, self._hook("state"))

    def _plant(self, episode: int) -> None:
        """Make the method hold the planted statement, once there is a record that it could have come from."""
        statement, services = self.trial.plant, self.trial.services
        if statement is None or services is None or episode != PLANT_AFTER or type(self.method).plant is Method.plant:
            return
        planted = self._hook("plant", statement) if services.store.steps else None
        self.recorder.note({"type": "planted", "episode": episode, "claim": planted and planted.id})

    def _at(self, episode: int, step: int) -> None:
        if self.trial.services is not None:
            self.trial.services.episode, self.trial.services.step = episode, step

    def _remember(self, episode: int, hook: str, *arguments: Any) -> Any:
        """A hook that may call the model: a failed call costs what it would have added, never the episode."""
        try:
            return self._hook(hook, *arguments)
        except (CallFailed, StructuredFailed) as failure:
            step = self.trial.services.step if self.trial.services is not None else 0
            self.recorder.failed("memory", failure, episode, step)
            if getattr(failure, "fatal", False):
                raise
        return None

    def _hook(self, name: str, *arguments: Any) -> Any:
        try:
            value = getattr(self.method, name)(*arguments)
        except (CallFailed, StructuredFailed, LimitReached, Stopped):
            raise
        except Exception as error:  # a user's own method: whatever it raises is reported as the method's
            raise MethodBroke(f"{self._named()} raised in {name}: {type(error).__name__}: {error}") from error
        if (wrong := fault(name, value, arguments) or self._foreign(name, value)) is not None:
            raise MethodBroke(f"{self._named()}: {name} {wrong}")
        return value

    def _foreign(self, hook: str, value: Any) -> str | None:
        """What is wrong with claims that the log does not hold: nobody could tell later what they say."""
        claims = value if hook in ("rules", "shown_rules") else [value] if hook == "plant" else ()
        if not claims or self.trial.services is None:
            return None
        made = {claim.id for claim in self.trial.services.store.claims()}
        foreign = next((claim.id for claim in claims if claim.id not in made), None)
        if foreign is None:
            return None
        return f"returned the claim {foreign!r}, which is not in the evidence store: make it with services.store.claim"

    def _named(self) -> str:
        method = type(self.method)
        return f"method '{getattr(method, 'name', method.__name__)}'"


def _past_text(observation: Observation) -> str:
    return observation.text if observation.retained is None else observation.retained


def _present(step: StepRecord, before: Observation, after: Observation) -> Block:
    """The present observation in full where its past form will be another."""
    said = "" if before.retained is not None else f"> {one_line(step.action)}\n"
    return Block(f"\n{said}{quoted(after.text)}{score_line(before.visible_score, after.visible_score)}")
