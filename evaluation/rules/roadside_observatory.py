"""What a trial of Roadside Observatory shows of the hidden rules (T1-T6). Each episode is played again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evoplay.envs import make
from evoplay.envs.learn2play.roadside_observatory import RoadsideObservatory
from evoplay.envs.learn2play.roadside_observatory.data import (
    ASTRONOMER,
    CLUE,
    COLLECTOR,
    DRIVER,
    HIKER,
    MECHANIC,
    RANGER,
    RANGER_ENERGY,
    TOKEN,
)
from evoplay.envs.learn2play.roadside_observatory.rules import Journey
from evoplay.evaluation.rules.grades import Grade, Grades, graded
from evoplay.memory.records import EpisodeRecord, TrialRecord

_TO_NOBODY = frozenset(
    {
        "rest", "forage", "check map", "walk main road", "walk scenic trail", "hitch safe", "hitch risky", "take bus",
        "visit landmark", "inspect noticeboard", "buy supply", "repair gear", "leave",
    }
)  # fmt: skip
_HELP = frozenset({"offer help", "inspect vehicle"})
_REQUEST = frozenset({"ask ride", "ask route"})
_TALK = frozenset({"ask weather", "ask trail"})
_PAY = frozenset({"share supply", "trade cash"})


@dataclass
class Visit:
    """What was done towards a person: actions in order, the energy each was done with, and whether it succeeded."""

    actions: list[str] = field(default_factory=list)
    energies: list[int] = field(default_factory=list)
    seen_landmark: bool = False
    success: bool = False

    def but_observing(self) -> list[str]:
        return [action for action in self.actions if action != "observe person"]


@dataclass
class Seen:
    """An episode: the visits by type of person, whether an offer was taken unverified, whether the clue was shown."""

    visits: dict[str, Visit] = field(default_factory=dict)
    false_help: bool = False
    clue_shown: bool = False


def look(env: RoadsideObservatory, record: EpisodeRecord) -> Seen:
    """Play an episode again and note what was done towards whom."""
    env.reset(record.episode)
    journey, seen = env.journey, Seen()
    landmark = False
    for text in record.actions:
        kind, energy, turn = journey.place.kind, journey.energy, journey.turn
        env.step(text)
        if journey.turn == turn:
            continue
        action = _named(journey, " ".join(text.split()).lower())
        landmark = landmark or action == "visit landmark"
        if kind and action not in _TO_NOBODY:
            visit = seen.visits.setdefault(kind, Visit(seen_landmark=landmark))
            visit.actions.append(action)
            visit.energies.append(energy)
            visit.success = kind in journey.successes or (kind == ASTRONOMER and journey.aligned)
        seen.clue_shown = seen.clue_shown or (kind == ASTRONOMER and action == f"show {CLUE}")
        if journey.person is not None:
            seen.visits.setdefault(journey.place.kind, Visit(seen_landmark=landmark))
    seen.false_help = journey.false_help
    return seen


def _named(journey: Journey, action: str) -> str:
    """The action, with an item shown by its kind."""
    shown = action.removeprefix("show item ")
    kind = next((kind for kind in journey.items if journey.road.items[kind] == shown), "")
    return f"show {kind}" if action != shown and kind else action


def grade(trial: TrialRecord) -> Grades:
    """T1 help first, T2 condition and pace, T3 give and listen, T4 the landmark, T5 verified offers, T6 the clue."""
    env = make(trial.env_id, trial.seed, episode_mode=trial.episode_mode)
    assert isinstance(env, RoadsideObservatory)
    episodes = [look(env, record) for record in trial.episodes]
    dome = _criterion(episodes, ASTRONOMER, _clean_dome)
    if dome == "-" and any(one.clue_shown for one in episodes):
        dome = "P"
    return {
        "T1": _criterion(episodes, MECHANIC, _clean_help),
        "T2": _criterion(episodes, RANGER, _clean_path),
        "T3": _criterion(episodes, HIKER, _clean_giving),
        "T4": _criterion(episodes, COLLECTOR, _clean_story),
        "T5": _criterion(episodes, DRIVER, _clean_offer),
        "T6": dome,
    }


def _criterion(episodes: Sequence[Seen], kind: str, clean: Callable[[Visit, Seen], bool]) -> Grade:
    met = [(one.visits[kind], one) for one in episodes if kind in one.visits]
    last = [visit.success and clean(visit, one) for visit, one in met[-2:]]
    return graded(len(last) == 2 and all(last), any(visit.success for visit, _ in met))


def _clean_help(visit: Visit, seen: Seen) -> bool:
    *helps, request = visit.but_observing()
    return request in _REQUEST and _HELP.issuperset(helps)


def _clean_path(visit: Visit, seen: Seen) -> bool:
    *talks, last = visit.but_observing()
    strong = all(
        energy >= RANGER_ENERGY
        for action, energy in zip(visit.actions, visit.energies, strict=True)
        if action != "observe person"
    )
    return last == "ask shortcut" and _TALK.issuperset(talks) and strong


def _clean_giving(visit: Visit, seen: Seen) -> bool:
    actions = visit.but_observing()
    return len(actions) == 2 and "listen" in actions and bool(_PAY.intersection(actions))


def _clean_story(visit: Visit, seen: Seen) -> bool:
    return visit.seen_landmark and visit.but_observing() in (["tell story"], [f"show {TOKEN}"])


def _clean_offer(visit: Visit, seen: Seen) -> bool:
    verified = ["question detail", "accept offer"]
    return visit.actions in (verified, ["refuse offer", *verified]) and not seen.false_help


def _clean_dome(visit: Visit, seen: Seen) -> bool:
    return visit.actions == [f"show {CLUE}"]
