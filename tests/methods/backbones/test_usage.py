"""What providers report of their tokens, made sense of."""

from hypothesis import given
from hypothesis import strategies as st

from evoplay.methods.backbones.base import Message, Usage
from evoplay.methods.backbones.failures import added
from evoplay.methods.backbones.usage import read_usage

PROMPT = [Message("user", "some words to count")]
number = st.one_of(st.none(), st.integers(-5, 10**6), st.floats(allow_nan=False, allow_infinity=False, width=32))


@given(a=number, b=number, c=number, d=number, e=number, f=number)
def test_no_report_makes_a_count_negative(a, b, c, d, e, f):
    reported = {
        "prompt_tokens": a,
        "completion_tokens": b,
        "total_tokens": c,
        "prompt_tokens_details": {"cached_tokens": d, "cache_creation_tokens": e},
        "completion_tokens_details": {"reasoning_tokens": f},
    }
    usage = read_usage(reported, PROMPT, "reply")
    assert min(usage.input, usage.output, usage.cached, usage.cache_write, usage.reasoning, usage.fresh) >= 0
    if usage.cached + usage.cache_write > usage.input or usage.reasoning > usage.output:
        assert usage.flags


@given(
    fresh=st.integers(1, 10**6), cached=st.integers(0, 10**6), written=st.integers(0, 10**6), out=st.integers(0, 9999)
)
def test_a_coherent_report_is_taken_as_it_is(fresh, cached, written, out):
    given_ = fresh + cached + written
    reported = {
        "prompt_tokens": given_,
        "completion_tokens": out,
        "total_tokens": given_ + out,
        "prompt_tokens_details": {"cached_tokens": cached},
        "cache_creation_input_tokens": written,
    }
    assert read_usage(reported, PROMPT, "reply") == Usage(given_, out, cached, written, 0, "provider")


def test_thinking_that_is_left_out_of_the_output_is_added():
    reported = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 115,
        "completion_tokens_details": {"reasoning_tokens": 100},
    }
    usage = read_usage(reported, PROMPT, "reply")
    assert (usage.output, usage.reasoning) == (105, 100)
    assert usage.flags == ("reasoning was not part of output; added",)


def test_a_total_that_is_not_the_sum_is_flagged():
    usage = read_usage({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 99}, PROMPT, "reply")
    assert usage.flags == ("total 99 is not input 10 and output 5",)


def test_usages_add_up():
    one, two = Usage(5, 1, 2, 1, 1, "provider", ("a",)), Usage(7, 2, source="counted", flags=("b",))
    assert added(one, two) == Usage(12, 3, 2, 1, 1, "provider", ("a", "b"))
