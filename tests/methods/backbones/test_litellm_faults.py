"""A litellm backbone against a real server on loopback that does everything wrong, one fault at a time."""

import threading
import time

import pytest

from evoplay.methods.backbones.base import BackboneError, CallFailed, LimitReached, Message
from evoplay.methods.backbones.registry import open_backbone

from ...server import Answer, ModelServer, fault

PROMPT = [Message("system", "You are playing a game."), Message("user", "Actions to choose from:\n- wait\n", 0)]
WHERE = "gemforge/naive/1/e02/s007"


def opened(server, **settings):
    settings = {"timeout": 30.0, "backoff": 0.01, "retries": 3, **settings}
    return open_backbone("openai/stub", api_base=server.url, **settings)


def ask(backbone, **call):
    return backbone.complete(PROMPT, **{"purpose": "act", "seed": 7, "where": WHERE, **call})


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("429", "rate_limit"),
        ("500", "server"),
        ("reset", "connection"),
        ("hang", "timeout"),
        ("truncated", "cut"),
        ("cut", "connection"),
        ("empty", "empty"),
        ("null", "length"),
    ],
)
def test_a_fault_is_retried_and_named(kind, named):
    with ModelServer([fault(kind)], after="Action: wait") as server:
        completion = ask(opened(server, timeout=1.5 if kind == "hang" else 30.0))
    assert completion.text == "Action: wait"
    assert completion.attempts == len(server.requests) == 2
    assert len(completion.retries) == 1
    assert completion.retries[0].startswith(f"{WHERE}: attempt 1 failed ({named}): ")


@pytest.mark.parametrize(
    ("kind", "text"), [("refusal", "I can't help"), ("no_action", "think about it"), ("long", "dull")]
)
def test_an_unwanted_reply_is_handed_on_as_it_is(kind, text):
    with ModelServer([fault(kind)]) as server:
        completion = ask(opened(server))
    assert completion.attempts == len(server.requests) == 1
    assert text in completion.text
    assert len(completion.text) > 200_000 or kind != "long"


def test_the_wait_is_never_shorter_than_the_provider_asks_for():
    with ModelServer([fault("429", retry_after=0.7)]) as server:
        ask(opened(server))
    assert server.times[1] - server.times[0] >= 0.7


@pytest.mark.parametrize(
    ("status", "error", "kind", "fatal"),
    [
        (401, "Incorrect API key provided", "auth", True),
        (403, "not allowed", "auth", True),
        (400, "unknown parameter", "bad_request", True),
        (404, "the model does not exist", "bad_request", True),
        (429, "You exceeded your current quota (insufficient_quota)", "quota", True),
        (400, "This model's maximum context length is 8192 tokens", "context", False),
    ],
)
def test_what_cannot_be_helped_is_not_tried_again(status, error, kind, fatal):
    with ModelServer([], after=Answer(status=status, error=error)) as server, pytest.raises(CallFailed) as caught:
        ask(opened(server))
    assert (caught.value.kind, caught.value.fatal, caught.value.attempts) == (kind, fatal, 1)
    assert len(server.requests) == 1
    assert error in str(caught.value)


def test_retries_end_and_their_cost_is_counted():
    spent = Answer(None, usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
    with ModelServer([], after=spent) as server:
        backbone = opened(server)
        with pytest.raises(CallFailed) as caught:
            ask(backbone)
    failure = caught.value
    assert (failure.kind, failure.fatal) == ("empty", False)
    assert failure.attempts == len(server.requests) == len(failure.retries) == 4
    assert failure.usage.input == 40
    assert backbone.spending.tokens == 60


def test_a_wasted_attempt_is_part_of_what_the_call_cost():
    wasted = Answer(choices=0, usage={"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101})
    good = Answer("Action: wait", usage={"prompt_tokens": 100, "completion_tokens": 4, "total_tokens": 104})
    with ModelServer([wasted, good]) as server:
        backbone = opened(server)
        completion = ask(backbone)
    assert (completion.usage.input, completion.usage.output) == (200, 5)
    assert backbone.spending.tokens == 205


def test_the_provider_s_count_is_used_and_cached_input_is_part_of_input():
    usage = {
        "prompt_tokens": 27_147,
        "completion_tokens": 351,
        "total_tokens": 27_498,
        "prompt_tokens_details": {"cached_tokens": 27_146},
        "completion_tokens_details": {"reasoning_tokens": 300},
    }
    with ModelServer([Answer("Action: wait", usage=usage)]) as server:
        completion = ask(opened(server))
    said = completion.usage
    assert (said.input, said.cached, said.fresh, said.output, said.reasoning) == (27_147, 27_146, 1, 351, 300)
    assert (said.source, said.flags) == ("provider", ())
    assert completion.usd is None


def test_contradictory_counts_are_flagged_and_never_negative():
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 99},
    }
    with ModelServer([Answer("Action: wait", usage=usage)]) as server:
        said = ask(opened(server)).usage
    assert said.fresh == 0
    assert said.flags == ("cached 99 and cache-written 0 exceed input 10",)


def test_without_a_count_tokens_are_counted_here():
    with ModelServer([Answer("Action: wait", usage={})]) as server:
        said = ask(opened(server)).usage
    assert said.source == "counted"
    assert said.input > 10
    assert said.output == 3


def test_where_the_provider_caches_on_request_the_prefix_is_marked_and_writes_are_priced(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789abcdef")
    usage = {
        "input_tokens": 50,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 2000,
        "output_tokens": 10,
    }
    stable = "a line of the game\n" * 500
    messages = [Message("system", "rules", 5), Message("user", stable + "What do you do?", len(stable))]
    with ModelServer([Answer("Action: wait", usage=usage)]) as server:
        base = server.url.removesuffix("/v1")
        backbone = open_backbone("anthropic/claude-sonnet-4-5", api_base=base, backoff=0.01)
        completion = backbone.complete(messages, purpose="act", seed=7)
    (request,) = server.requests
    blocks = [*request["system"], *request["messages"][0]["content"]]
    assert "".join(block["text"] for block in blocks) == "rules" + stable + "What do you do?"
    assert [("cache_control" in block) for block in blocks] == [True, False, True, False]
    said = completion.usage
    assert (said.input, said.cached, said.cache_write, said.fresh, said.output) == (2350, 2000, 300, 50, 10)
    assert completion.usd == pytest.approx(50 * 3e-6 + 2000 * 0.3e-6 + 300 * 3.75e-6 + 10 * 15e-6)
    assert (said.flags, completion.text) == ((), "Action: wait")


def test_a_change_of_model_in_mid_run_is_flagged(caplog):
    with ModelServer([Answer("a", model="stub-1"), Answer("b", model="stub-2"), Answer("c", model="stub-2")]) as server:
        backbone = opened(server)
        completions = [ask(backbone) for _ in range(3)]
    assert [completion.model for completion in completions] == ["stub-1", "stub-2", "stub-2"]
    assert [bool(completion.usage.flags) for completion in completions] == [False, True, True]
    assert backbone.served == ["stub-1", "stub-2"]
    assert sum("the model changed" in record.message for record in caplog.records) == 1


def test_what_is_sent_is_what_was_set():
    with ModelServer() as server:
        backbone = opened(server, temperature=0.3, max_tokens=77, top_p=0.5)
        ask(backbone, seed=2**40 + 5)
        ask(backbone, temperature=0.9, max_tokens=5)
    first, second = server.requests
    assert (first["temperature"], first["max_tokens"], first["top_p"], first["seed"]) == (0.3, 77, 0.5, 5)
    assert (second["temperature"], second["max_tokens"]) == (0.9, 5)
    assert [message["content"] for message in first["messages"]] == [message.content for message in PROMPT]


def test_tool_calls_are_read_and_bad_arguments_handed_on():
    calls = ({"name": "move", "arguments": '{"to": "hall"}'}, {"name": "move", "arguments": '{"to": '})
    tool = {"type": "function", "function": {"name": "move", "parameters": {"type": "object", "properties": {}}}}
    with ModelServer([Answer(None, tool_calls=calls, finish_reason="tool_calls")]) as server:
        completion = ask(opened(server), tools=[tool])
    assert server.requests[0]["tools"] == [tool]
    assert [call.name for call in completion.tool_calls] == ["move", "move"]
    assert [dict(call.arguments) for call in completion.tool_calls] == [{"to": "hall"}, {"unreadable": '{"to": '}]


def test_no_more_calls_are_under_way_than_allowed():
    at_once, most, lock = 0, 0, threading.Lock()

    def answer(body):
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.05)
        with lock:
            at_once -= 1
        return "Action: wait"

    with ModelServer(answer) as server:
        backbone = opened(server, concurrency=3, timeout=20)
        threads = [threading.Thread(target=ask, args=(backbone,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.requests) == 12
    assert most == 3


def test_limits_stop_the_run_before_the_next_call(tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text('["openai/stub"]\ninput = 1.0\noutput = 10.0\n')
    answer = Answer("Action: wait", usage={"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100})
    with ModelServer([], after=answer) as server:
        by_money = opened(server, max_usd=0.003, prices=str(prices))
        assert ask(by_money).usd == pytest.approx(0.002)
        ask(by_money)
        with pytest.raises(LimitReached, match=r"0\.003 USD is used up"):
            ask(by_money)
        by_tokens = opened(server, max_tokens_total=1100)
        ask(by_tokens)
        with pytest.raises(LimitReached, match="1,100 tokens is used up"):
            ask(by_tokens)
    assert len(server.requests) == 3


def test_a_money_limit_needs_a_known_price():
    with pytest.raises(BackboneError, match="no known price"):
        open_backbone("openai/stub", api_base="http://127.0.0.1:1/v1", max_usd=1.0)


def test_closing_ends_a_wait_at_once():
    with ModelServer([], after=fault("429", retry_after=30)) as server:
        backbone = opened(server)
        started = time.monotonic()
        threading.Timer(0.3, backbone.close).start()
        with pytest.raises(CallFailed) as caught:
            ask(backbone)
    assert caught.value.kind == "rate_limit"
    assert time.monotonic() - started < 20


def test_a_key_shows_nowhere(monkeypatch, caplog):
    key = "sk-verysecret0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    quoting = [
        Answer(status=500, error=f"upstream said: bad key {key}"),
        Answer(f"Your key is {key}.\nAction: wait"),
        Answer(status=401, error=f"Incorrect API key provided: {key}"),
    ]
    with ModelServer(quoting) as server:
        backbone = opened(server)
        completion = ask(backbone)
        with pytest.raises(CallFailed) as caught:
            ask(backbone)
    assert server.headers[0]["authorization"] == f"Bearer {key}"
    shown = [
        repr(completion),
        str(caught.value),
        repr(caught.value),
        repr(backbone),
        repr(backbone.settings),
        caplog.text,
    ]
    link = caught.value
    while link is not None:
        shown.append(str(link))
        link = link.__cause__ or link.__context__
    assert all(key not in text for text in shown)
    assert "***" in completion.text
    assert "***" in str(caught.value)


def test_nobody_waits_for_a_server_that_is_not_there():
    backbone = open_backbone("openai/stub", api_base="http://127.0.0.1:9/v1", retries=1, backoff=0.01)
    with pytest.raises(CallFailed) as caught:
        ask(backbone)
    assert (caught.value.kind, caught.value.fatal, caught.value.attempts) == ("connection", False, 2)
