"""Carrying out a run: its trials side by side, logged, resumable, stopped cleanly."""

from __future__ import annotations

import platform
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from evoplay.envs.base import EnvSpec
from evoplay.envs.registry import make
from evoplay.evaluation.config import ConfigError, Contender, RunConfig, differences
from evoplay.evaluation.history import History, read_history, resume_point
from evoplay.evaluation.loop import MethodBroke, Stopped, Trial, run_trial
from evoplay.evaluation.planting import Planting, read_planting
from evoplay.evaluation.recorder import Event, Recorder
from evoplay.evaluation.resources import supplied
from evoplay.evaluation.rules_versions import changed_rules
from evoplay.evaluation.runlog import Cell, CellLog, RunFolder
from evoplay.evaluation.seeds import SeedOf
from evoplay.evaluation.stores import Stores
from evoplay.evaluation.trialcalls import LoggedBackbone
from evoplay.methods.backbones.base import Backbone, CallFailed, LimitReached, Usage
from evoplay.methods.backbones.spending import Spending
from evoplay.methods.base import Method
from evoplay.methods.registry import find_method
from evoplay.methods.services import Services

Listener = Callable[[Cell, Event], None]
LEAST_BUDGET = 500
"""Tokens below which a prompt has no room for a game."""


@dataclass(slots=True)
class Outcome:
    """How a run ended.

    played, kept : episodes played now and found finished. failed : episodes that failed, as (cell, episode, why).
    broken : trials that could not go on, as (cell, why). stopped : why the run stopped early, or None.
    """

    played: int = 0
    kept: int = 0
    failed: list[tuple[Cell, int, str]] = field(default_factory=list)
    broken: list[tuple[Cell, str]] = field(default_factory=list)
    stopped: str | None = None
    fatal: bool = False

    @property
    def exit_code(self) -> int:
        """0 all well, 1 something failed, 3 stopped early and resumable, 4 the backbone cannot be used."""
        if self.fatal:
            return 4
        if self.stopped is not None:
            return 3
        return 1 if self.failed or self.broken else 0

    def lines(self) -> list[str]:
        """What a user has to know, one line each: why it stopped, what failed."""
        said = []
        if self.stopped is not None:
            said.append(f"stopped: {self.stopped}; the same command goes on from here")
        said += [f"failed: {cell} episode {episode}: {why}" for cell, episode, why in self.failed]
        said += [f"cannot go on: {cell}: {why}" for cell, why in self.broken]
        return said

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON data."""
        return {
            "played": self.played,
            "kept": self.kept,
            "failed": [{"cell": str(cell), "episode": episode, "why": why} for cell, episode, why in self.failed],
            "broken": [{"cell": str(cell), "why": why} for cell, why in self.broken],
            "stopped": self.stopped,
            "exit_code": self.exit_code,
        }


class Run:
    """One run: a configuration and its folder. Raises ConfigError for an embedding that cannot be used.

    Parameters
    ----------
    cells : the trials to play (default: all of the configuration).
    until : the last episode to play of each, fewer than are planned (default: all that are planned).
    """

    def __init__(
        self,
        config: RunConfig,
        backbone: Backbone,
        listener: Listener | None = None,
        *,
        cells: Sequence[Cell] | None = None,
        until: int | None = None,
    ) -> None:
        self.config = config
        self.backbone = backbone
        self.folder = RunFolder(config.out)
        self.cells = config.cells() if cells is None else list(cells)
        self.until = until
        self.contenders = {row.label: row for row in config.contenders()}
        self.stores = Stores(config, backbone)
        self.planting = None if config.plant is None else read_planting(config.plant)
        self.stop = threading.Event()
        self.listener = listener
        self.why: tuple[str, bool] | None = None
        self.outcome = Outcome()
        self._ledger = threading.Lock()
        self._planned: dict[str, int] = {}

    # --- before ----------------------------------------------------------------------------------------------

    def prepare(self) -> dict[Cell, History]:
        """Check everything, lock the folder, write or compare run.json, read what is there already.

        Raises ConfigError, RunLogError, EnvError or MethodError before anything is written.
        """
        self._check()
        self.folder.lock()
        try:
            if self.folder.exists():
                self._compare(self.folder.read())
            else:
                self.folder.create(self._describe())
            logs = {cell: self.folder.log_of(cell) for cell in self.cells}
            histories = {cell: read_history(log.events(), log.path) for cell, log in logs.items()}
            self._count_spent(histories)
            return histories
        except BaseException:
            self.folder.unlock()
            raise

    def _count_spent(self, histories: Mapping[Cell, History]) -> None:
        """Limits hold for the whole run, however often it is resumed."""
        spending = getattr(self.backbone, "spending", None)
        if isinstance(spending, Spending):
            tokens = sum(history.tokens for history in histories.values())
            spending.add(Usage(input=tokens), sum(history.usd for history in histories.values()))

    def _check(self) -> None:
        self._budget(self.backbone)
        envs = {(cell.env_id, cell.seed) for cell in self.cells}
        for env_id, seed in envs:
            self._make_env(env_id, seed)
        for contender in self.contenders.values():
            kind = find_method(contender.spec.name)
            for env_id in {env_id for env_id, _ in envs}:
                contender.spec.build(**supplied(kind, env_id, 1, contender.spec.options))
            if contender.policy is not None:
                self._policy(contender)
        if self.planting is not None:
            self._check_planting(self.planting)

    def _check_planting(self, planting: Planting) -> None:
        if planting.env_id not in {cell.env_id for cell in self.cells}:
            raise ConfigError(f"--plant {self.config.plant} is about {planting.env_id}: add it with --env")
        kinds = [find_method(contender.spec.name) for contender in self.contenders.values()]
        if all(kind.plant is Method.plant for kind in kinds):
            raise ConfigError(f"--plant {self.config.plant}: none of the methods holds rules; evidence does")

    def _compare(self, found: Mapping[str, Any]) -> None:
        changed = differences(found["config"], self.config.decisive())
        rules = changed_rules(found["envs"], self._envs())
        changed += [f"rules of {env_id}: {then} -> {now}" for env_id, (then, now) in rules.items()]
        if changed:
            raise ConfigError(
                f"{self.folder.path} was made with another configuration ({'; '.join(changed)}): "
                "use those settings to go on, or another --out"
            )

    def _describe(self) -> dict[str, Any]:
        price = getattr(self.backbone, "price", None)
        return {
            "config": self.config.decisive(),
            "envs": self._envs(),
            "contenders": [
                {"label": row.label, "method": row.spec.name, "options": dict(row.spec.options), "policy": row.policy}
                for row in self.contenders.values()
            ],
            "cells": [
                {"id": cell.id, "path": cell.path, "env": cell.env_id, "seed": cell.seed}
                | {"contender": cell.contender, "trial": cell.trial}
                for cell in self.cells
            ],
            "backbone": {
                "name": self.backbone.name,
                "simulated": self.backbone.simulated,
                "context_window": self.backbone.context_window,
                "price": None if price is None else price.as_data(),
            },
            "versions": versions(),
            "created": round(time.time(), 3),
        }

    def _envs(self) -> dict[str, Any]:
        facts = {}
        for cell in self.cells:
            if cell.env_id not in facts:
                spec = self._make_env(cell.env_id, cell.seed).spec
                facts[cell.env_id] = {
                    "title": spec.title,
                    "suite": spec.suite,
                    "kind": spec.kind,
                    "challenge": spec.challenge,
                    "episodes": self._episodes(spec),
                    "rules_version": spec.rules_version,
                }
        return facts

    def _episodes(self, spec: EnvSpec) -> int:
        return self.config.episodes or spec.episodes

    def _make_env(self, env_id: str, seed: int) -> Any:
        options = dict(self.config.env_options)
        if self.config.episode_mode != "reshuffled":
            options["episode_mode"] = self.config.episode_mode
        try:
            return make(env_id, seed, **options)
        except TypeError as error:
            raise ConfigError(f"{env_id} cannot be made with {options}: {error}") from None

    # --- during ----------------------------------------------------------------------------------------------

    def execute(self, histories: Mapping[Cell, History]) -> Outcome:
        """Play what is missing. Ctrl-C stops cleanly; so do limits and a backbone that cannot be used."""
        todo = [cell for cell in self.cells if not self._finished(cell, histories[cell])]
        self.outcome.kept = sum(len(history.past.episodes) for history in histories.values())
        for cell, history in histories.items():
            for record in history.past.episodes:
                if record.error is not None:
                    self.outcome.failed.append((cell, record.episode, record.error))
        try:
            with ThreadPoolExecutor(self.config.concurrency, thread_name_prefix="trial") as pool, _Interrupt(self):
                waiting: set[Future[None]] = {pool.submit(self._guarded, cell, histories[cell]) for cell in todo}
                while waiting:
                    # A short wait lets the main thread take signals.
                    _, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        finally:
            self.folder.unlock()
        if self.why is not None:
            self.outcome.stopped, self.outcome.fatal = self.why
        return self.outcome

    def planned(self, cell: Cell) -> int:
        """Episodes of a trial."""
        if cell.env_id not in self._planned:
            self._planned[cell.env_id] = self._episodes(self._make_env(cell.env_id, cell.seed).spec)
        return self._planned[cell.env_id]

    def _finished(self, cell: Cell, history: History) -> bool:
        last = self.planned(cell) if self.until is None else min(self.until, self.planned(cell))
        return len(history.past.episodes) >= last and not history.pending

    def halt(self, why: str, *, fatal: bool = False) -> None:
        """Ask every trial to stop before its next step; the first reason is the one that is told."""
        with self._ledger:
            if self.why is None:
                self.why = (why, fatal)
        self.stop.set()

    def _guarded(self, cell: Cell, history: History) -> None:
        if self.stop.is_set():
            return
        try:
            self._play(cell, history)
        except Stopped:
            return
        except LimitReached as limit:
            self.halt(str(limit))
        except CallFailed as failure:
            self.halt(str(failure), fatal=True)
        except (MethodBroke, ValueError) as error:
            self._broke(cell, str(error))
        except OSError as error:
            self.halt(f"the run log of {cell} cannot be written: {error}")
        except Exception as error:  # noqa: BLE001  (a user's own environment or backbone: the other trials go on)
            self._broke(cell, f"{type(error).__name__}: {error}")

    def _broke(self, cell: Cell, why: str) -> None:
        with self._ledger:
            self.outcome.broken.append((cell, why))
        if self.listener is not None:
            self.listener(cell, {"type": "broken", "message": why})

    def _play(self, cell: Cell, history: History) -> None:
        config = self.config
        contender = self.contenders[cell.contender]
        env = self._make_env(cell.env_id, cell.seed)
        spec, twin = contender.spec, lambda: self._make_env(cell.env_id, cell.seed)
        method = spec.build(**supplied(find_method(spec.name), cell.env_id, cell.trial, spec.options, twin))
        backbone = (self._policy(contender) if contender.policy else self.backbone).for_trial()
        log = self.folder.log_of(cell)
        log.open()
        try:
            self._void_unfinished(log)
            recorder = Recorder(log.write, calls=history.calls, known=history.blocks)
            recorder.listen = lambda event: self._heard(cell, event)
            seed_of = SeedOf(config.seed, cell.path)
            logged = LoggedBackbone(backbone, recorder, lambda: (services.episode, services.step))
            services = Services(
                cell.id, logged, recorder.note, seed_of, lambda: self.stores.open(cell.id, history, services, recorder)
            )
            trial = Trial(
                env=env,
                method=method,
                backbone=backbone,
                cell=cell.id,
                episodes=self._episodes(env.spec),
                until=self.until,
                seed_of=seed_of,
                recorder=recorder,
                budget_tokens=self._budget(backbone),
                hide_actions=config.hide_actions,
                freeze_after=config.freeze_after,
                max_steps=config.max_steps,
                use_tools=config.use_tools,
                temperature=config.temperature,
                stop=self.stop,
                services=services,
                plant=self.planting.statement if self.planting and self.planting.env_id == cell.env_id else None,
            )
            try:
                run_trial(trial, history.past)
            finally:
                services.close()
        finally:
            log.close()

    def _policy(self, contender: Contender) -> Backbone:
        from evoplay.methods.backbones.registry import open_backbone

        assert contender.policy is not None
        return open_backbone(contender.policy)

    def _budget(self, backbone: Backbone) -> int | None:
        return prompt_budget(self.config, backbone.name, backbone.context_window, backbone.reply_tokens)

    def _void_unfinished(self, log: CellLog) -> None:
        point = resume_point(log.events())
        if point is not None:
            log.write([point])

    def _heard(self, cell: Cell, event: Event) -> None:
        with self._ledger:
            if event["type"] == "episode_finished":
                self.outcome.played += 1
                if event.get("error"):
                    self.outcome.failed.append((cell, event["episode"], event["error"]))
        if self.listener is not None:
            self.listener(cell, event)


def prompt_budget(config: RunConfig, model: str, window: int | None, reply_tokens: int) -> int | None:
    """Tokens a prompt may hold: the run's own budget, within what a model's window leaves beside a reply.

    None where there is no limit. Raises ConfigError where the window leaves too little to play in.
    """
    room = None if window is None else window - reply_tokens
    if room is not None and room < LEAST_BUDGET:
        raise ConfigError(
            f"{model}: a window of {window:,} tokens leaves {max(room, 0):,} for a prompt beside replies of "
            f"{reply_tokens:,}, at least {LEAST_BUDGET} are needed: give a smaller --reply-tokens"
        )
    given = [limit for limit in (config.budget_tokens, room) if limit is not None]
    return min(given, default=None)


class _Interrupt:
    """While it holds, Ctrl-C and a termination signal stop the run cleanly; a second Ctrl-C is not caught."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return

        def stop(number: int, frame: Any) -> None:
            self.run.halt("stopped by you" if number == signal.SIGINT else "asked to terminate")
            # Ends waits between retries.
            self.run.backbone.close()
            signal.signal(number, self.before[number])

        for number in (signal.SIGINT, signal.SIGTERM):
            self.before[number] = signal.signal(number, stop)

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


def versions() -> dict[str, str]:
    """Versions of Python, of evoplay and of what it stands on, without importing any of it."""
    found = {"python": platform.python_version()}
    for name in ("evoplay", "litellm", "dspy", "chromadb", "tiktoken"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
