"""What a trial of Catnip Singularity shows of the hidden rules (T1-T6).

The actions of a trial are played again, which gives back every state between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evoplay.envs import make
from evoplay.envs.learn2play.catnip.data import (
    ACTIONS,
    CALMING,
    ENERGY_DRINK,
    ITEM_MOVES,
    LAST,
    SALMON_TREAT,
    STAT_WORTH,
    TARGETS,
    Move,
)
from evoplay.envs.learn2play.catnip.game import Catnip
from evoplay.envs.learn2play.catnip.rules import FREE, Outcome, State, advance, normalised
from evoplay.envs.learn2play.events import Event
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

INSPECTOR, RESEARCHER = (
    next(at for at, person in enumerate(TARGETS) if person.id == name) for name in ("inspector", "researcher")
)
HIGH_SUSPICION, ASLEEP = 70, 10
REFRESHING = (ENERGY_DRINK, SALMON_TREAT)
FULL_STAT, ENOUGH_MOVES, ENOUGH_ARRIVALS, ENOUGH_TARGETS = 8, 12, 4, 4
EARLY, LATE = 17, 19


@dataclass(frozen=True)
class Played:
    """One step: the values before it, what happened, and the move's key where it is an influence action."""

    text: str
    target: int
    turn: int
    stats: dict[str, int]
    stress: int
    tier: int
    outcome: Outcome
    suspicion_after: int
    target_after: int
    turn_after: int
    done: bool

    @property
    def move(self) -> str | None:
        """The cat action or the item, where it was successfully used."""
        event = self.outcome.events[0]
        return event.what if event.kind in ("did", "used") else None

    @property
    def suits(self) -> bool:
        """Whether the text said that the move is in the person's nature."""
        return bool(self.move) and "modality" in self.outcome.events[0].more

    def event(self, kind: str) -> Event | None:
        return next((event for event in self.outcome.events if event.kind == kind), None)


Episode = Sequence[Played]


def rules_of(name: str) -> Move:
    return ACTIONS[name] if name in ACTIONS else ITEM_MOVES[name]


def steps_of(state: State, episode: EpisodeRecord) -> Iterator[Played]:
    """The steps of an episode, played again from its start."""
    for step in episode.steps:
        if state.done:
            return
        text = normalised(step.action)
        before = state.target, state.turn, dict(state.stats), state.stress, state.tier
        outcome = advance(state, text)
        yield Played(text, *before, outcome, state.suspicion, state.target, state.turn, state.done)


def grade(trial: TrialRecord) -> Grades:
    """T1 tastes, T2 repeats, T3 an early end, T4 the CEO's pay-off, T5 suspicion, T6 sleep and weariness."""
    game = make(trial.env_id, trial.seed)
    assert isinstance(game, Catnip)
    episodes: list[Episode] = []
    for record in trial.episodes:
        game.reset(record.episode)
        episodes.append(list(steps_of(game.state, record)))
    return {
        "T1": _tastes(episodes),
        "T2": _repeats(episodes),
        "T3": _early_end(episodes),
        "T4": _payoff(episodes),
        "T5": _suspicion(episodes),
        "T6": _condition(episodes),
    }


def _later(episodes: Sequence[Episode], known: Sequence[bool]) -> Sequence[Episode]:
    """The episodes after the first that `known` marks."""
    return episodes[known.index(True) + 1 :] if True in known else []


def _moves(episodes: Sequence[Episode]) -> list[Played]:
    return [step for episode in episodes for step in episode if step.move]


def _tastes(episodes: Sequence[Episode]) -> Grade:
    firsts: list[tuple[int, bool]] = []
    for target in range(LAST):
        seen = [
            any(s.target == target and s.move and "modality" in s.outcome.events[0].more for s in e) for e in episodes
        ]
        for episode in _later(episodes, seen):
            first = next((step for step in episode if step.target == target and step.move), None)
            if first and first.move:
                firsts.append((target, rules_of(first.move).modality in TARGETS[target].modalities))
    if not firsts:
        return "-"
    share = sum(fits for _, fits in firsts) / len(firsts)
    wide = len({target for target, _ in firsts}) >= ENOUGH_TARGETS
    complete = wide and len(firsts) >= ENOUGH_ARRIVALS and share >= 0.8
    return graded(complete, share >= 0.6 if wide else share == 1)


def _repeats(episodes: Sequence[Episode]) -> Grade:
    later = _later(episodes, [any("repeat" in step.outcome.warnings for step in episode) for episode in episodes])
    moves, repeats, parted = 0, 0, 0
    for episode in later:
        last, looked = None, False
        for step in episode:
            if step.move:
                moves += 1
                repeats += step.move == last and not looked
                parted += step.move == last and looked
                last, looked = step.move, False
            elif step.text in FREE:
                looked = True
            else:
                last, looked = None, False
    enough = len(later) >= 2 and moves >= ENOUGH_MOVES
    return graded(enough and not repeats and parted > 0, moves > 0 and repeats <= 0.1 * moves)


def _conversion(episode: Episode) -> Played | None:
    """The step that converted the last person, where there is one."""
    return next((step for step in episode if step.target == LAST and step.event("reward")), None)


def _early_end(episodes: Sequence[Episode]) -> Grade:
    early = on_time = 0
    for episode in _later(episodes, [bool(episode) and episode[-1].done for episode in episodes]):
        last = _conversion(episode)
        if last and last.turn_after <= EARLY and _left_at_once(episode):
            early += 1
        if last and last.turn_after <= LATE:
            on_time += 1
    return graded(early >= 2, early == 1 or on_time >= 2)


def _left_at_once(episode: Episode) -> bool:
    """Whether some person was left by the first action on them."""
    arrivals = [at for at, step in enumerate(episode) if at == 0 or step.target != episode[at - 1].target]
    first = (next((step for step in episode[at:] if step.turn_after > step.turn), None) for at in arrivals)
    return any(step is not None and step.event("left") for step in first)


def _payoff(episodes: Sequence[Episode]) -> Grade:
    conversions = [step for step in map(_conversion, episodes) if step][1:]
    best_taken, strong = True, False
    for step in conversions:
        chosen = step.event("reward")
        gains = [option.tiers[step.tier] for option in TARGETS[LAST].options]
        worth = [gain.progress + STAT_WORTH * step.stats[gain.stat or ""] for gain in gains]
        assert chosen is not None
        best_taken = best_taken and worth[chosen.amount] == max(worth)
        strong = strong or step.stats[gains[chosen.amount].stat or ""] >= FULL_STAT
    return graded(len(conversions) >= 2 and best_taken and strong, bool(conversions) and best_taken)


def _suspicion(episodes: Sequence[Episode]) -> Grade:
    expelled = [any(step.event("kicked out") for step in episode) for episode in episodes]
    known = expelled if any(expelled) else [any(_alarming(step) for step in episode) for episode in episodes]
    later = _later(episodes, known)
    calm = [not any(step.event("kicked out") for step in episode) for episode in later]
    won = [{step.target for step in episode if step.event("reward")} for episode in later]
    clean = sum(
        quiet and LAST in who and bool({INSPECTOR, RESEARCHER} & who) for quiet, who in zip(calm, won, strict=True)
    )
    return graded(clean >= 2, bool(later) and calm[-1] and LAST in won[-1])


def _alarming(step: Played) -> bool:
    stayed = step.target == step.target_after and step.target in (INSPECTOR, LAST)
    return bool(step.move) and stayed and step.suspicion_after >= HIGH_SUSPICION


def _condition(episodes: Sequence[Episode]) -> Grade:
    every = [step for episode in episodes for step in episode]
    warned = [bool({"drowsy", "tiring"} & set(step.outcome.warnings)) for step in every]
    moves = _moves([every[warned.index(True) + 1 :]]) if True in warned else []
    if not moves:
        return "-"
    bad = sum(_ill_timed(step) for step in moves)
    refreshed = sum(step.move in REFRESHING and step.stats["energy"] <= 5 for step in moves)
    return graded(bad <= 0.05 * len(moves) and refreshed >= 2, bad <= 0.15 * len(moves))


def _ill_timed(step: Played) -> bool:
    """A calming move on somebody almost asleep, or a move beyond the cat's strength."""
    name = step.move or ""
    lulled = rules_of(name).style == CALMING and step.stress < ASLEEP
    return lulled or (step.stats["energy"] <= 2 and name not in REFRESHING)
