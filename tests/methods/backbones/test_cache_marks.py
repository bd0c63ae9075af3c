"""Marks for prompt caching: the blocks of one call have to be the first blocks of the next."""

from hypothesis import given
from hypothesis import strategies as st

from evoplay.methods.backbones.base import Message
from evoplay.methods.backbones.cache_marks import CHUNK, marked, plain
from evoplay.methods.backbones.providers import wants_cache_marks

lines = st.lists(
    st.text(st.characters(exclude_characters="\n"), max_size=300).map(lambda line: f"{line}\n"), max_size=120
)


def texts(message):
    content = message["content"]
    return [content] if isinstance(content, str) else [block["text"] for block in content]


@given(before=lines, more=lines, tail=st.text(max_size=50))
def test_a_longer_prompt_begins_with_the_marked_blocks_of_the_shorter(before, more, tail):
    stable = "".join(before) * 3
    first = marked([Message("user", stable + tail, len(stable))])[0]
    longer = stable + "".join(more) * 3
    second = marked([Message("user", longer + tail, len(longer))])[0]
    assert "".join(texts(first)) == stable + tail
    if not isinstance(first["content"], str) and tail:
        until = next(at for at, block in enumerate(first["content"]) if "cache_control" in block) + 1
        assert texts(second)[:until] == texts(first)[:until]


@given(before=lines, tail=st.text(max_size=50))
def test_no_block_is_blank_and_no_mark_stands_on_what_changes(before, tail):
    stable = "".join(before) * 3
    message = marked([Message("user", stable + tail, len(stable))])[0]
    if isinstance(message["content"], str):
        return
    assert all(block["text"].strip() for block in message["content"])
    until = 0
    for block in message["content"]:
        until += len(block["text"])
        if "cache_control" in block:
            assert until <= len(stable)


def test_a_long_prompt_is_marked_near_the_end_of_what_stays():
    stable = "a line of the game\n" * 2000
    messages = [Message("system", "rules", 5), Message("user", stable + "now?", len(stable))]
    system, user = marked(messages)
    assert system["content"] == [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}]
    covered = 0
    for block in user["content"]:
        covered += len(block["text"])
        if "cache_control" in block:
            break
    assert len(stable) - 2 * CHUNK < covered <= len(stable)


def test_only_where_the_provider_needs_it():
    assert wants_cache_marks("anthropic/claude-sonnet-4-5")
    assert wants_cache_marks("openrouter/anthropic/claude-sonnet-4.5")
    assert wants_cache_marks("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0")
    assert not wants_cache_marks("openai/gpt-4o")
    assert not wants_cache_marks("hosted_vllm/my-claude")
    assert plain([Message("user", "x", 1)]) == [{"role": "user", "content": "x"}]
