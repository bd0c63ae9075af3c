"""Every number of the suite that is a choice of ours, in one place: the paper's appendix with its own is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Family = Literal["additive", "conjunctive", "disjunctive", "lexicographic"]
FAMILIES: tuple[Family, ...] = get_args(Family)
Setting = Literal["default", "stationary", "evidence_given", "forced_probe"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
Stream = Literal["mixed", "same_family", "same_rule"]
STREAMS: tuple[Stream, ...] = get_args(Stream)
Split = Literal["eval", "train"]
SPLITS: dict[str, int] = {"eval": 256, "train": 1000}
"""Episodes of each split."""
ACTIONS = ("a0", "a1", "a2", "a3")
"""The actions by rising intervention strength."""


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """How episodes are drawn and which candidates are accepted. Shares are fractions of 1.

    Parameters
    ----------
    centres : the intervention score each action suits best.
    population : feasible cases that fix the calibration and test the factors.
    quartile_gap : least distance between neighbouring quartiles of the raw evidence.
    fields : fields shown in an episode, factors among them.
    factor_counts : numbers of factors, in turn over a task's episodes.
    weight_range : |w| of an additive factor before they are normalised to sum 1.
    threshold_quantiles : a threshold lies between these quantiles of its field.
    delta : indifference band of the lexicographic family, in normalised units.
    batches, cases : evaluation batches of an episode, cases of a batch.
    drift_batches : first and last batch before which the rule may change: the middle third.
    action_share : least and greatest share of the evaluation cases for which an action is best.
    changed_share : least and greatest share of the evaluation cases whose best action the drift changes.
    stale_loss : utility that following the old rule must cost in one case at least of each batch after the drift.
    factor_effect : least share of the population whose best action depends on a factor.
    tries : candidates drawn for a slot before it is an error.
    draw_rounds : rounds of rejection sampling before a set of constraints is called infeasible.
    """

    centres: tuple[float, float, float, float] = (-0.75, -0.25, 0.25, 0.75)
    population: int = 4096
    quartile_gap: float = 1e-3
    fields: int = 8
    factor_counts: tuple[int, int] = (3, 4)
    weight_range: tuple[float, float] = (0.5, 1.5)
    threshold_quantiles: tuple[float, float] = (0.4, 0.6)
    delta: float = 0.5
    batches: int = 12
    cases: int = 5
    drift_batches: tuple[int, int] = (5, 8)
    action_share: tuple[float, float] = (0.10, 0.45)
    changed_share: tuple[float, float] = (0.30, 0.80)
    stale_loss: float = 0.25
    factor_effect: float = 0.04
    tries: int = 2000
    draw_rounds: int = 40


@dataclass(frozen=True, slots=True)
class PlayConfig:
    """Limits of play.

    Parameters
    ----------
    probes_per_call, probes_per_window : most cases of one probe call, and of one exploration window.
    forced_probes : distinct cases each window needs before `next` under the setting forced_probe.
    decimals : of the utilities as shown; scores use the exact ones.
    errors_in_a_row : refused actions in a row after which the episode goes on by default.
    max_action : characters of an action that are read at all.
    max_steps : steps after which the loop settles an episode.
    stream_length : episodes of a stream.
    """

    probes_per_call: int = 10
    probes_per_window: int = 40
    forced_probes: int = 4
    decimals: int = 2
    errors_in_a_row: int = 5
    max_action: int = 20_000
    max_steps: int = 250
    stream_length: int = 16


WORLD = WorldConfig()
PLAY = PlayConfig()
