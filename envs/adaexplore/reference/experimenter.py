"""The textbook experimenter behind `designed` and `sentinel`: a pure function from the text of a prompt to an action.

It keeps nothing between calls but remembered fits: whatever it knows stands in the prompt. Evidence is divided into
eras by its own repeated probes: where a case gives other utilities than before, the rule has changed, and only what
was probed since counts.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from evoplay.envs.adaexplore.assessment import write_assessment
from evoplay.envs.adaexplore.dynamics import Array
from evoplay.envs.adaexplore.reference.design import Case, Designer, disputed, relevance, unique
from evoplay.envs.adaexplore.reference.fitting import FAMILIES, Fit, band_variants, fit_family, scores_from
from evoplay.envs.adaexplore.reference.reading import Probe, Situation, read

CALL = 10
SUSPICIOUS = 0.64
"""The best action is never worth less than 0.75; a choice worth less than this was wrong by a wide margin."""
GOOD = 0.03
"""A fit whose worst residual is below this explains its probes."""
SENTINELS = 5
MOST_PROBES = 140
_REMEMBERED = 400


@dataclass(frozen=True, slots=True)
class Belief:
    """What the probes of an era say: relevant fields with directions, and fits, best first."""

    directions: dict[int, int]
    fits: tuple[Fit, ...]

    @property
    def best(self) -> Fit | None:
        return self.fits[0] if self.fits else None

    def factors(self) -> dict[int, int]:
        """Columns of the factors with directions as the best fit has them, else as seen."""
        if self.best is not None:
            return dict(zip(self.best.columns, self.best.signs, strict=True))
        return {column: direction or 1 for column, direction in self.directions.items()}


class Experimenter:
    """`sentinels` fixed re-probes open every window; with 0 it re-probes only after a drop in utility."""

    def __init__(self, sentinels: int = 0) -> None:
        self.sentinels = sentinels
        self._beliefs: OrderedDict[str, Belief] = OrderedDict()
        self._designer: tuple[str, Designer] | None = None

    def act(self, text: str) -> str:
        """The next action for a prompt."""
        facts = read(text)
        eras = _eras(facts.probes)
        if facts.cases is not None:
            return self._submission(facts, eras)
        cases = self._plan(facts, eras)[: min(CALL, facts.left)]
        return probe_action(facts, cases) if cases else "next"

    def assess(self, text: str) -> str:
        """The answer to a question about the factors."""
        facts = read(text)
        factors = self._belief(facts, _eras(facts.probes)).factors()
        return write_assessment({facts.names[column]: sign for column, sign in factors.items()})

    def basics(self, facts: Situation) -> list[Case]:
        """The cases every experiment begins with: the centre and both ends of each field."""
        return self._design(facts).one_at_a_time({})

    # --- choosing ---------------------------------------------------------------------------------------------

    def _submission(self, facts: Situation, eras: list[list[Probe]]) -> str:
        cases = facts.cases or []
        best = self._belief(facts, eras).best
        if best is None:
            return "submit " + " ".join(["a1"] * len(cases))
        scores = best.predict(facts.normalised(cases))
        return "submit " + " ".join(f"a{int(number)}" for number in np.digitize(scores, (-0.5, 0.0, 0.5)))

    def _plan(self, facts: Situation, eras: list[list[Probe]]) -> list[Case]:
        """What to probe next in a window; nothing if enough is known."""
        era = eras[-1]
        known = {probe.case for probe in era}
        here = [probe for probe in facts.probes if probe.window == facts.window]
        designer = self._design(facts)
        directions = relevance(*_evidence(era)).directions
        # A changed rule shows only where an old case is tried again.
        if era and not here and era[0].window < facts.window:
            again = self._repeats(facts, eras, designer)
            if again:
                return again
        basic = designer.one_at_a_time(directions if len(eras) == 1 else self._belief(facts, eras[:-1]).factors())
        missing = [case for case in basic if case not in known]
        # In the window of a change the old rule is the best guide; the extremes can wait for the next window.
        changed_here = len(eras) > 1 and era[0].window == facts.window
        if not missing and not changed_here:
            missing = [case for case in designer.from_extremes(directions) if case not in known]
        if missing:
            return missing
        if len(era) < MOST_PROBES:
            extra = self._refine(facts, eras, designer, known, here)
            if extra:
                return extra
        short = facts.least - len({probe.case for probe in here})
        return self._sentinel_cases(facts, eras, designer)[:short] if short > 0 else []

    def _repeats(self, facts: Situation, eras: list[list[Probe]], designer: Designer) -> list[Case]:
        """Own earlier cases to try again at the start of a window."""
        if _suspicious(facts):
            factors = self._belief(facts, eras).factors()
            return [case for case in designer.one_at_a_time(factors) if case in {p.case for p in eras[-1]}]
        return self._sentinel_cases(facts, eras, designer)[: self.sentinels]

    def _sentinel_cases(self, facts: Situation, eras: list[list[Probe]], designer: Designer) -> list[Case]:
        """The era's cases that tell a change best: for each factor the end that moved the score most, the centre."""
        era = eras[-1]
        cases, s = _evidence(era)
        score = dict(zip(cases, s.tolist(), strict=True))
        centre = designer.case(designer.centre)
        telling = []
        for column in self._belief(facts, eras).factors():
            ends = [case for case in designer.ends(designer.centre, [column]) if case in score]
            if ends and centre in score:
                telling.append(max(ends, key=lambda case: abs(score[case] - score[centre])))
        return unique([*telling, *([centre] if centre in score else []), *cases])

    def _refine(
        self, facts: Situation, eras: list[list[Probe]], designer: Designer, known: set[Case], here: Sequence[Probe]
    ) -> list[Case]:
        """Cases that decide between the fits left, or show a factor not seen so far; nothing when all is settled."""
        belief = self._belief(facts, eras)
        best = belief.best
        if best is None:
            return []
        basics = len(designer.one_at_a_time({}))
        if len(eras) == 1:
            basics += len(designer.from_extremes(belief.directions))
        extra = len(eras[-1]) - basics
        rng = np.random.default_rng(_seed(facts.key, len(eras[-1])))
        near = [fit for fit in belief.fits if fit.loss < best.loss + 8.0]
        cases, share = disputed(designer, near, known, CALL, rng)
        surprised = _suspicious(facts) and not here[CALL:]
        if best.worst < GOOD and extra >= CALL and share < 0.02 and not surprised:
            return []
        if best.worst > 0.2 and len(belief.directions) < 4:
            odd = self._around_surprise(facts, eras, designer, best)
            odd = [case for case in odd if case not in known]
            if odd:
                return odd[:CALL]
        return cases

    def _around_surprise(self, facts: Situation, eras: list[list[Probe]], designer: Designer, best: Fit) -> list[Case]:
        """Both ends of the fields thought irrelevant, from the case the best fit explains worst."""
        cases, s = _evidence(eras[-1])
        points = facts.normalised(list(cases))
        worst = points[int(np.abs(best.predict(points) - s).argmax())]
        return designer.ends(worst, [column for column in range(len(facts.names)) if column not in best.columns])

    # --- believing --------------------------------------------------------------------------------------------

    def _belief(self, facts: Situation, eras: list[list[Probe]]) -> Belief:
        key = hashlib.sha256(
            repr((facts.key, [[(p.case, p.utilities) for p in era] for era in eras])).encode()
        ).hexdigest()
        found = self._beliefs.get(key)
        if found is None:
            found = self._believe(facts, eras)
            self._beliefs[key] = found
            while len(self._beliefs) > _REMEMBERED:
                self._beliefs.popitem(last=False)
        return found

    def _believe(self, facts: Situation, eras: list[list[Probe]]) -> Belief:
        cases, s = _evidence(eras[-1])
        directions = relevance(cases, s).directions
        columns = tuple(sorted(directions))[:5]
        if not columns:
            return Belief(directions, ())
        # A rule that changed is likely to be of its old family still, and near what it was.
        earlier = self._belief(facts, eras[:-1]).best if len(eras) > 1 else None
        if earlier is not None and earlier.worst > 2 * GOOD:
            earlier = None
        families = FAMILIES if earlier is None else (earlier.family,)
        points = facts.normalised(list(cases))
        rng = np.random.default_rng(_seed(facts.key, len(cases)))
        sets = [columns]
        if earlier is not None and len(columns) < len(earlier.columns):
            # As many fields as before are likely to matter: one of the old factors may be hidden behind the others.
            sets += [tuple(sorted((*columns, column))) for column in earlier.columns if column not in columns]
        fits: list[Fit] = []
        for family, some in product(families, sets):
            if family == "lexicographic" and fits and min(fit.worst for fit in fits) < GOOD and earlier is None:
                continue
            signs = list(product(*[(directions[c],) if directions.get(c) else (1, -1) for c in some]))
            fits += fit_family(family, points, s, some, signs, rng, earlier=earlier)
        fits.sort(key=lambda fit: fit.loss)
        if fits[0].family == "lexicographic":
            fits = [*band_variants(fits[0], points, s, rng), *fits[1:]]
        return Belief(directions, tuple(fits))

    def _design(self, facts: Situation) -> Designer:
        if self._designer is None or self._designer[0] != facts.key:
            self._designer = (facts.key, Designer(facts))
        return self._designer[1]


def probe_action(facts: Situation, cases: Sequence[Case]) -> str:
    """The action that probes these cases."""
    return f"probe {json.dumps([dict(zip(facts.names, case, strict=True)) for case in cases])}"


def _suspicious(facts: Situation) -> bool:
    """Whether a choice in the last batch was worth so little that the belief behind it must be wrong."""
    return bool(facts.closed) and min(facts.closed[-1]) < SUSPICIOUS


def _eras(probes: Sequence[Probe]) -> list[list[Probe]]:
    """Probes divided where one of them contradicts an earlier one; the whole window of the contradiction is new."""
    eras: list[list[Probe]] = [[]]
    seen: dict[Case, tuple[float, ...]] = {}
    for at, probe in enumerate(probes):
        if seen.get(probe.case, probe.utilities) != probe.utilities:
            window = [earlier for earlier in probes[:at] if earlier.window == probe.window]
            eras[-1] = [earlier for earlier in eras[-1] if earlier.window != probe.window]
            eras.append(window)
            seen = {earlier.case: earlier.utilities for earlier in window}
        seen[probe.case] = probe.utilities
        eras[-1].append(probe)
    return eras


def _evidence(era: Sequence[Probe]) -> tuple[list[Case], Array]:
    """Distinct cases of an era with their scores."""
    last = {probe.case: probe.utilities for probe in era}
    if not last:
        return [], np.zeros(0)
    return list(last), scores_from(np.asarray(list(last.values())))


def _seed(key: str, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{number}/{key}".encode()).digest()[:8], "big")
