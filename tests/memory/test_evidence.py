"""The evidence store: what it refuses, what it keeps, what it finds, and that it stands again from its events."""

import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoplay.memory.claims import rebuilt
from evoplay.memory.evidence import EvidenceError, EvidenceStore
from evoplay.memory.records import Step, step_id

WORDS = ("lantern", "river", "ghost", "iron", "salt", "kettle", "parrot", "stairs", "cellar", "music")


def step(number, *, episode=1, cell="cell", saw="You stand in the hall.", action="wait", gain=0.0):
    return Step(
        step_id(cell, episode, number), episode, number, saw, ("wait",), f"Action: {action}", action, "Nothing.",
        True, 0.0, gain, False,
    )  # fmt: skip


def filled(count=6, **options):
    events = []
    store = EvidenceStore("cell", events.append, **options)
    store.add_steps(step(number, saw=f"You see the {WORDS[number % 10]}.") for number in range(1, count + 1))
    return store, events


def ids(*numbers):
    return [step_id("cell", 1, number) for number in numbers]


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({}, "has no evidence"),
        ({"supports": ids(99)}, "no step cell/e01/s099 in the record"),
        ({"supports": ["other/e01/s001"]}, "belongs to another trial .other."),
        ({"supports": ["s001"]}, "is no id"),
        ({"supports": "cell/e01/s001"}, "is one text"),
        ({"supports": ids(1), "contradicts": ids(1)}, "cannot both support and contradict"),
        ({"supports": ids(1), "scope": "world"}, "scope 'world' is unknown: use one of rule, instance"),
        ({"supports": ids(1), "status": "sure"}, "status 'sure' is unknown"),
        ({"supports": ids(1), "text": " "}, "without words"),
        ({"supports": ids(1), "kind": "step"}, "kind 'step' cannot be made"),
    ],
)
def test_a_claim_that_cannot_be_traced_is_refused_and_leaves_no_trace(told, says):
    store, events = filled()
    with pytest.raises(EvidenceError, match=says):
        store.claim(**{"kind": "insight", "text": "Ghosts fear salt.", **told})
    assert store.claims() == []
    assert events == []


def test_links_are_checked_like_claims():
    store, events = filled()
    claim = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1))
    for change in (
        lambda: store.support(claim.id, ids(77)),
        lambda: store.contradict(claim.id, ["other/e01/s002"]),
        lambda: store.support(claim.id, []),
        lambda: store.revise(claim.id, supports=[]),
        lambda: store.revise(claim.id, text=""),
        lambda: store.retract("c009"),
        lambda: store.retract("other/c001"),
    ):
        with pytest.raises(EvidenceError):
            change()
    assert store.get("c001") == claim
    assert len(events) == 1


def test_steps_of_another_trial_and_steps_that_changed_are_refused():
    store, _ = filled()
    with pytest.raises(EvidenceError, match="belongs to another trial"):
        store.add_steps([step(9), step(1, cell="other")])
    assert len(store.steps) == 6
    with pytest.raises(EvidenceError, match="never changes"):
        store.add_steps([step(1, action="run")])
    store.add_steps(store.steps)
    assert len(store.steps) == 6


# --- history ----------------------------------------------------------------------------------------------------


def test_a_trail_holds_raw_steps_oldest_first_and_every_earlier_wording():
    store, _ = filled()
    claim = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(5, 2), action="throw salt")
    store.contradict(claim.id, ids(4))
    store.revise(claim.id, text="Ghosts fear iron.", supports=ids(3), contradicts=[], action="", why="salt failed")
    store.revise(claim.id, text="Ghosts fear cold iron.", data={"count": 2})
    store.support(claim.id, ids(1))
    trail = store.trail(claim.id)
    assert [one.id for one in trail.steps] == ids(1, 3)
    assert [one.observation for one in trail.supports] == ["You see the river.", "You see the iron."]
    first, second = trail.earlier
    assert (first.text, first.action, first.supports, first.contradicts) == (
        "Ghosts fear salt.", "throw salt", tuple(ids(5, 2)), tuple(ids(4)),
    )  # fmt: skip
    assert (first.why, second.text, second.supports) == ("salt failed", "Ghosts fear iron.", tuple(ids(3)))
    assert trail.claim.counts == (2, 0)


def test_a_step_stands_on_one_side_and_counts_once():
    store, events = filled()
    claim = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1, 1, 2))
    assert claim.counts == (2, 0)
    store.support(claim.id, ids(2))
    assert len(events) == 1
    assert store.contradict(claim.id, ids(2, 3)).counts == (1, 2)


def test_a_retracted_claim_stays_with_its_evidence():
    store, _ = filled()
    claim = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1))
    store.retract(claim.id, "they do not")
    assert store.get(claim.id).status == "retracted"
    assert store.trail(claim.id).supports[0].id == ids(1)[0]
    assert store.search("ghosts fear salt", kind="insight") == []
    assert [hit.claim.id for hit in store.search("ghosts fear salt", status="retracted")] == [claim.id]


def test_a_transaction_that_fails_changes_nothing_and_says_nothing():
    store, events = filled()
    kept = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1))
    store.search("salt")

    def fail_halfway():
        with store.atomic():
            store.retract(kept.id)
            store.claim(kind="insight", text="Ghosts fear iron.", supports=ids(2))
            assert len(store.search("ghosts", kind="insight")) == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert store.claims() == [kept]
    assert len(events) == 1
    assert [hit.claim for hit in store.search("ghosts", kind="insight")] == [kept]
    with store.atomic():
        store.claim(kind="insight", text="Ghosts fear music.", supports=ids(2))
    assert [event["claim"] for event in events] == ["cell/c001", "cell/c002"]


operations = st.lists(
    st.tuples(
        st.sampled_from(["claim", "support", "contradict", "revise", "reword", "retract", "mark"]),
        st.integers(0, 5),
        st.lists(st.integers(1, 6), max_size=3),
        st.sampled_from(WORDS),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(operations)
def test_a_store_stands_again_from_its_events_alone(plan):
    store, events = filled()
    for operation, which, numbers, word in plan:
        made = store.claims()
        target = made[which % len(made)].id if made else "c001"
        try:
            if operation == "claim":
                store.claim(kind=word, text=f"About the {word}.", supports=ids(*numbers), data={"word": word})
            elif operation in ("support", "contradict"):
                getattr(store, operation)(target, ids(*numbers), why=word)
            elif operation == "revise":
                store.revise(target, supports=ids(*numbers), data={"word": word}, status="hypothesis")
            elif operation == "reword":
                store.revise(target, text=f"More of the {word}.", condition=word, scope="instance", why="better")
            elif operation == "retract":
                store.retract(target, word)
            else:
                store.mark(target, "established")
        except EvidenceError:
            continue
    logged = json.loads(json.dumps(events))
    again = EvidenceStore("cell")
    again.restore(logged, store.steps)
    assert again.claims() == store.claims()
    assert list(rebuilt(logged).values()) == store.claims()
    for claim in store.claims():
        assert claim.supports or claim.contradicts
        assert not set(claim.supports) & set(claim.contradicts)


def test_a_log_that_speaks_of_unknown_steps_is_refused():
    store, events = filled()
    store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1, 2))
    with pytest.raises(EvidenceError, match="no step cell/e01/s002"):
        EvidenceStore("cell").restore(events, store.steps[:1])


# --- searching --------------------------------------------------------------------------------------------------


def test_steps_are_found_by_what_was_seen_before_the_action():
    store, _ = filled(9)
    hits = store.search("There is a parrot here, a parrot!", kind="step", k=2)
    assert hits[0].step.observation == "You see the parrot."
    assert hits[0].similarity > hits[1].similarity
    same = store.search("You see the parrot.", kind="step", k=1)[0]
    assert same.similarity == pytest.approx(1)


def test_equal_steps_are_found_latest_first_and_none_is_lost():
    store = EvidenceStore("cell")
    for episode in range(1, 8):
        store.add_steps(step(number, episode=episode) for number in range(1, 11))
    hits = store.search("You stand in the hall.", kind="step", k=12)
    assert [hit.step.episode for hit in hits] == [7] * 10 + [6] * 2
    assert [hit.step.step for hit in hits] == [*range(10, 0, -1), 10, 9]
    assert len(store.search("You stand in the hall.", k=100)) == 70


def test_claims_are_found_by_kind_scope_and_status():
    store, _ = filled()
    for number, (kind, scope, status) in enumerate(
        [
            ("insight", "rule", "active"),
            ("insight", "instance", "active"),
            ("insight", "rule", "hypothesis"),
            ("guide", "rule", "active"),
        ],
        start=1,
    ):
        store.claim(kind=kind, text=f"Salt {WORDS[number]}", scope=scope, status=status, supports=ids(number))

    def found(**filters):
        return sorted(hit.claim.short_id for hit in store.search("salt", k=9, **filters))

    assert found(kind="insight") == ["c001", "c002", "c003"]
    assert found(kind="insight", scope="rule") == ["c001", "c003"]
    assert found(status="active") == ["c001", "c002", "c004"]
    assert found(status=("hypothesis", "aside")) == ["c003"]
    assert found(kind="insight", scope="instance", status="active") == ["c002"]
    assert found(kind="poem") == []
    everything = store.search("salt", k=99)
    assert sum(hit.claim is not None for hit in everything) == 4
    assert sum(hit.step is not None for hit in everything) == 6
    with pytest.raises(EvidenceError):
        store.search("salt", status="sure")


def test_what_changed_is_found_as_it_is_now():
    store, _ = filled()
    claim = store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1), status="hypothesis")
    assert store.search("salt", status="hypothesis")
    store.mark(claim.id, "established")
    assert store.search("salt", status="hypothesis") == []
    store.revise(claim.id, text="Ghosts love music.")
    assert store.search("Ghosts love music.", status="established")[0].similarity == pytest.approx(1)
    store.revise(claim.id, key="kettle")
    assert store.search("kettle", kind="insight")[0].similarity == pytest.approx(1)


def test_the_index_can_be_thrown_away_at_any_time():
    store, _ = filled()
    store.claim(kind="insight", text="Ghosts fear salt.", supports=ids(1))
    before = store.search("salt and ghosts", k=5)
    store.close()
    assert store.search("salt and ghosts", k=5) == before
    store.close()
    store.close()


def test_nothing_resembles_anything_in_an_empty_store():
    store = EvidenceStore("cell")
    assert store.search("anything") == []
    assert store.similarities("anything", []) == []
    store.add_steps([step(1, saw="")])
    assert len(store.search("")) == 1


def test_similarities_are_those_of_the_search():
    store, _ = filled()
    hit = store.search("the river", kind="step", k=1)[0]
    assert store.similarities("the river", ["You see the ghost.", hit.step.observation])[1] == hit.similarity


# --- isolation --------------------------------------------------------------------------------------------------


def test_eight_trials_in_one_process_see_only_themselves():
    found, failures = {}, []

    def trial(cell):
        try:
            store = EvidenceStore(cell)
            for episode in range(1, 4):
                store.add_steps(
                    step(number, episode=episode, cell=cell, saw=f"{cell} sees {WORDS[number % 10]} {episode}")
                    for number in range(1, 21)
                )
                first = step_id(cell, episode, 1)
                store.claim(kind="insight", text=f"{cell} thinks of {episode}", supports=[first])
                # The others' words, asked for by name.
                found.setdefault(cell, []).extend(store.search(f"cell{(int(cell[-1]) + 1) % 8} sees the river", k=40))
            store.close()
        except Exception as error:  # noqa: BLE001
            failures.append((cell, error))

    threads = [threading.Thread(target=trial, args=(f"cell{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(found) == 8
    for cell, hits in found.items():
        assert len(hits) == 21 + 40 + 40
        assert all(hit.step.id.startswith(f"{cell}/") for hit in hits if hit.step)
        assert all(hit.claim.id.startswith(f"{cell}/") for hit in hits if hit.claim)


def test_two_stores_of_one_name_do_not_mix():
    first = EvidenceStore("cell", name="run-cell")
    first.add_steps([step(1, saw="a lantern")])
    first.search("lantern")
    second = EvidenceStore("cell", name="run-cell")
    assert second.search("lantern") == []
    second.add_steps([step(1, saw="a kettle")])
    assert [hit.step.observation for hit in second.search("lantern", k=9)] == ["a kettle"]
    # The first one going away takes nothing of the second with it.
    first.close()
    assert len(second.search("kettle", k=9)) == 1
