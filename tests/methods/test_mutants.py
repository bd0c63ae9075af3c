"""The fidelity tests can fail: each of these small departures from the descriptions makes one of them do so."""

import functools

import pytest

from evoplay.evaluation.loop import MethodBroke
from evoplay.methods import awm, insights, retrieval
from evoplay.methods.awm import Awm
from evoplay.methods.evotest import EvoTest, Tree
from evoplay.methods.expel import Expel
from evoplay.methods.pool import Pool
from evoplay.methods.reasoningbank import ReasoningBank
from evoplay.methods.reflexion import Reflexion
from evoplay.methods.retrieval import Retrieval
from evoplay.methods.structured import StructuredFailed

from . import test_awm, test_evotest, test_expel, test_reasoningbank, test_reflexion, test_retrieval

FOUND = (AssertionError, LookupError, MethodBroke)
"""How a check fails: what it says is not so, a field is not there, or a call was made that nobody expected."""


def with_option(kind, **options):
    """The method with another default."""
    return functools.partial(kind, **options)


class Forgetful(Reflexion):
    """Does not show the earlier plans to the backbone."""

    def held(self):
        return super().held()[-1:]


class PairsWithTheNewest(Expel):
    def pair(self, pool):
        found = super().pair(pool)
        if found is None:
            return None
        newest, label = pool.episodes[-1], pool.labels()[-1]
        other = pool.of(not label)[-1]
        return (newest, other) if label else (other, newest)


class NoParseCheck(Awm):
    def induce(self, episodes):
        try:
            return super().induce(episodes)
        except StructuredFailed:
            return []


class TakesWhatCannotBeParsedAsSilence(Awm):
    def end_episode(self, episode):
        try:
            super().end_episode(episode)
        except StructuredFailed:
            for claim in self.workflows():
                self.services.store.retract(claim.id)


class AlwaysTheFirst(ReasoningBank):
    def choose(self, rollouts):
        super().choose(rollouts)
        return 0


class NoContrast(ReasoningBank):
    def from_rollouts(self, kept):
        return self.from_one(kept, True)


class NeverThaws(EvoTest):
    def end_episode(self, episode):
        self.reused = False
        super().end_episode(episode)


class TrustsEveryExtractor(EvoTest):
    def accepted(self, code, before, episode):
        return code


class DeepestFirst(Tree):
    def pick(self):
        return len(self.nodes) - 1


MUTANTS = {
    "reflexion: a window of 2": (test_reflexion.check_one_trial, with_option(Reflexion, window=2)),
    "reflexion: a window of 4": (test_reflexion.check_one_trial, with_option(Reflexion, window=4)),
    "reflexion: failures only": (test_reflexion.check_one_trial, with_option(Reflexion, reflect_on="failure")),
    "reflexion: one plan is shown": (test_reflexion.check_one_trial, Forgetful),
    "expel: the newest opposite": (test_expel.check_one_trial, PairsWithTheNewest),
    "expel: one example": (test_expel.check_one_trial, with_option(Expel, k=1)),
    "expel: successes one by one": (test_expel.check_one_trial, with_option(Expel, success_batch=1)),
    "awm: no parse check": (test_awm.check_replacement, NoParseCheck),
    "awm: an unreadable list empties it": (test_awm.check_replacement, TakesWhatCannotBeParsedAsSilence),
    "reasoningbank: top 2": (test_reasoningbank.check_one_trial, with_option(ReasoningBank, k=2)),
    "reasoningbank: 4 items": (test_reasoningbank.check_one_trial, with_option(ReasoningBank, max_items=4)),
    "reasoningbank: the first rollout": (test_reasoningbank.check_rollouts, AlwaysTheFirst),
    "reasoningbank: no contrast": (test_reasoningbank.check_rollouts, NoContrast),
    "evotest: alpha 1": (test_evotest.check_one_trial, with_option(EvoTest, alpha=1.0)),
    "evotest: no fall is deep enough": (test_evotest.check_one_trial, with_option(EvoTest, drop_threshold=1.0)),
    "evotest: it never thaws": (test_evotest.check_one_trial, NeverThaws),
    "evotest: another temperature": (test_evotest.check_one_trial, with_option(EvoTest, temperature=1.0)),
    "evotest: 4 moves": (test_evotest.check_moves, with_option(EvoTest, positives=4)),
    "evotest: longer loops": (test_evotest.check_loops, with_option(EvoTest, least_loop=5)),
    "evotest: any extractor": (test_evotest.check_extractor, TrustsEveryExtractor),
    "retrieval: 4 steps": (test_retrieval.check_one_trial, with_option(Retrieval, k=4)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name):
    check, mutant = MUTANTS[name]
    check()
    with pytest.raises(FOUND):
        check(mutant)


PATCHES = {
    "expel: ADD counts 1": (test_expel.check_counts, insights, "ADDED", 1),
    "expel: AGREE counts 2": (test_expel.check_counts, insights, "AGREED", 2),
    "expel: ADD comes first": (test_expel.check_order, insights, "ORDER", ("ADD", "REMOVE", "AGREE", "EDIT")),
    "expel: AGREE and EDIT the other way round": (
        test_expel.check_order, insights, "ORDER", ("REMOVE", "ADD", "EDIT", "AGREE"),
    ),
    "expel: -1 when full": (test_expel.check_full, insights, "REMOVED_WHEN_FULL", 1),
    "expel: full from 20": (test_expel.check_full, insights, "BEYOND", 0),
    "expel: 5 operations": (test_expel.check_at_most_four, insights, "MOST_OPERATIONS", 5),
    "expel: repetition is added": (test_expel.check_counts, insights, "restates", lambda text, known: False),
    "awm: refused steps stay": (test_awm.check_one_trial, awm, "distinct", lambda pool: pool.of(True)),
    "awm: from all episodes": (test_awm.check_one_trial, awm, "distinct", lambda pool: list(pool.episodes)),
    "awm: from the newest only": (test_awm.check_one_trial, awm, "distinct", lambda pool: pool.of(True)[-1:]),
    "retrieval: nothing is merged": (test_retrieval.check_one_trial, retrieval, "change_of", lambda step: step.id),
    "evotest: the last node": (test_evotest.check_one_trial, Tree, "pick", DeepestFirst.pick),
    "success: any score above 0": (
        test_awm.check_one_trial, Pool, "labels", lambda pool: [(one.score or 0) > 0 for one in pool.episodes],
    ),
    "success: the first is known at once": (
        test_reasoningbank.check_one_trial, Pool, "labels",
        lambda pool: [one.score == max(other.score for other in pool.episodes) for one in pool.episodes],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_a_patched_piece_is_found(name, monkeypatch):
    check, where, attribute, value = PATCHES[name]
    check()
    monkeypatch.setattr(where, attribute, value)
    with pytest.raises(FOUND):
        check()
