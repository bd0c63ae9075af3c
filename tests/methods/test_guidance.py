"""Derived texts in a prompt: under one heading, indented, cut where room is short."""

from hypothesis import given
from hypothesis import strategies as st

from evoplay.memory.records import Episode
from evoplay.memory.tokens import count_tokens
from evoplay.methods.guidance import LEAST, listed, numbered, told
from evoplay.methods.transcripts import evidence, label, steps_named, transcript

from .levers import Player, Trialled
from .test_reflexion import PLANS, Reflexion, reflection

texts = st.lists(
    st.one_of(st.text(max_size=60), st.sampled_from(["=== Episode 1 of 2 ===\n| x\n> y", "a\n\n- b\n[score 1]", "\n"])),
    min_size=1,
    max_size=5,
)


@given(texts)
def test_no_derived_text_begins_a_line_at_the_margin(derived):
    (block,) = listed("Heading:", derived)
    heading, *lines = block.text.split("\n")
    assert heading == "Heading:"
    numbers = [line for line in lines if line and not line.startswith("   ")]
    assert [line.partition(".")[0] for line in numbers if line[0].isdigit()] == [
        str(at) for at in range(1, len(derived) + 1)
    ]
    assert not any(line.startswith(("|", ">", "=", "-", "[")) for line in lines)


@given(st.lists(st.text(alphabet="abc d", min_size=1, max_size=3000), min_size=1, max_size=20), st.integers(0, 4000))
def test_what_they_take_stays_near_what_they_may(derived, room):
    blocks = listed("H:", derived, room)
    if room:
        assert len(blocks[0].text) <= max(3 * room, LEAST * len(derived)) + 40 * len(derived) + 10
    assert told("H:", "   \n ") == ()
    assert len(told("H:", "x" * 50_000, room)[0].text) <= (max(3 * room, LEAST) if room else 8_000) + 60


def test_a_small_budget_cuts_the_plans_and_not_the_episode():
    long = [reflection(n).replace("pull the lever.", "pull the lever. " * 200) for n in range(1, 6)]
    played = Trialled(Reflexion(), Player(PLANS, reflect=long), 5, budget_tokens=900)
    prompt = played.player.prompt(5)
    assert "more characters]" in prompt
    assert "=== Episode 5 of 5 ===\n| A hall with levers.\n" in prompt
    assert len(prompt) < 900 * 6


def episode():
    return Trialled(Reflexion(), Player({1: ["go x"] * 15 + ["stop"]}, reflect=[reflection(1)]), 1).records[0].view()


def test_a_transcript_too_long_loses_its_middle():
    whole = episode()
    text = transcript([whole], 1, 250)
    assert text.startswith("=== Episode 1 of 1 ===")
    assert "step e01/s001\n" in text
    assert "steps left out]" in text
    assert text.endswith("[end of episode, final score 0]")
    assert count_tokens(text) <= 265 < count_tokens(transcript([whole], 1))
    assert transcript([], 1, 100) == ""


def test_steps_are_found_however_they_are_named():
    whole = episode()
    ids = [step.id for step in whole.steps]
    assert label(whole.steps[2]) == "e01/s003"
    for name in ("e01/s003", "step e01/s003", "cell/e01/s003", "e1s3", "episode 1, step 3", "3", "step 3", "s003"):
        assert steps_named([name], [whole]) == [ids[2]], name
    assert steps_named(["e02/s001", "e01/s099", "the first", "", "-"], [whole]) == []
    assert evidence(["nothing"], [whole]) == ids
    assert steps_named(["3"], [whole, Episode(2, "o", (), 0.0)]) == []
    assert numbered(["a", "b\nc"]) == "1. a\n2. b\n   c\n"
