"""What a trial of Mola Tea shows of the hidden rules (T1-T6). Each episode is played again to see what it hid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evoplay.envs import make
from evoplay.envs.learn2play.mola_tea import MolaTea
from evoplay.envs.learn2play.mola_tea.data import TASTER
from evoplay.envs.learn2play.mola_tea.rules import PUSHES, SEEDED, TIRED, TRENDING, Command, Week, parse
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

LATE = 3
"""The last episodes of a trial, in which a rule must show."""


@dataclass
class Seen:
    """What an episode came to."""

    first_card: int | None = None
    """Distance of the first card developed."""
    first_taster: bool | None = None
    """Whether the first sample of a viable drink went to the curious group."""
    left_alone: list[bool] = field(default_factory=list)
    """For each seeding sample, whether the next turn spared that drink."""
    gifted: set[str] = field(default_factory=set)
    confirmed: bool = False
    spread: bool = False
    """Some drink was confirmed in its window and spread by the first gift it was given."""
    trending: bool = False
    tired: bool = False
    lost: int = 0
    sets_sold: bool = False
    returns: int = 0


def look(env: MolaTea, record: EpisodeRecord) -> Seen:
    """Play an episode again and note what it came to."""
    env.reset(record.episode)
    week, seen = env.week, Seen()
    seeded = ""
    for action in record.actions:
        command, turn = parse(action, week.shop), week.turn
        if command is None:
            continue
        first_gift = command.verb == "gift" and command.drink not in seen.gifted
        env.step(action)
        if week.turn == turn:
            continue
        if seeded:
            seen.left_alone.append(not (command.verb in PUSHES and command.drink == seeded))
        seeded = _note(week, command, seen, first_gift)
    if seeded:
        seen.left_alone.append(False)
    drinks = week.launched.values()
    seen.confirmed = any("confirmation" in drink.milestones for drink in drinks)
    seen.sets_sold = any("bundle" in drink.milestones for drink in drinks)
    seen.returns = sum("return" in drink.milestones for drink in drinks)
    seen.trending = any("spread" in drink.milestones for drink in drinks)
    seen.lost = week.lost
    return seen


def _note(week: Week, command: Command, seen: Seen, first_gift: bool) -> str:
    """Note a turn; gives the drink it seeded, if it did."""
    drink = week.launched.get(command.drink)
    if command.verb == "develop" and seen.first_card is None:
        seen.first_card = next(card.distance for card in week.shop.cards if card.card == command.card)
    seen.tired = seen.tired or any(other.stage == TIRED for other in week.launched.values())
    if drink is None:
        return ""
    if command.verb == "gift":
        seen.gifted.add(command.drink)
        seen.spread = seen.spread or (first_gift and drink.stage == TRENDING and drink.wave == week.turn + 1)
    if command.verb == "sample" and drink.viable:
        if seen.first_taster is None:
            seen.first_taster = week.shop.roles[command.group] == TASTER
        if drink.stage == SEEDED and any(event.kind == "tasting" for event in week.events):
            return command.drink
    return ""


def grade(trial: TrialRecord) -> Grades:
    """T1 one change, T2 tasters first, T3 leave alone, T4 timing, T5 measure, T6 sets and a second."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, MolaTea)
    seen = [look(env, record) for record in trial.episodes]
    late = seen[-LATE:]
    calm = sum(one.trending and one.lost <= 1 and not one.tired for one in late)
    sets, second = any(one.sets_sold for one in seen), any(one.returns >= 2 for one in seen)
    together = any(one.sets_sold and one.returns >= 2 for one in seen)
    return {
        "T1": _in_late(one.first_card == 1 for one in late),
        "T2": _in_late(one.first_taster is True for one in late),
        "T3": _in_late(bool(one.left_alone) and all(one.left_alone) for one in late),
        "T4": _timing(late),
        "T5": graded(calm >= 2, calm == 1),
        "T6": graded(together, sets or second),
    }


def _in_late(hits: Iterable[bool]) -> Grade:
    count = sum(hits)
    return graded(count >= LATE, count >= 2)


def _timing(late: Sequence[Seen]) -> Grade:
    spread, confirmed = sum(one.spread for one in late), sum(one.confirmed for one in late)
    return graded(spread >= 2, spread == 1 or confirmed >= 2)
