"""A real HTTP server on loopback that speaks the OpenAI chat and embedding protocols, scripted call by call.

(Of Anthropic's protocol it speaks as much as a text reply with its usage needs.)

    with ModelServer([fault("429", retry_after=0.1), "Action: wait"]) as server:
        open_backbone("openai/stub", api_base=server.url)

For benchmarks it runs in a process of its own: `with served(latency=1.0) as url` (or `python tests/server.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAULTS = (
    "429",  # rate limit, with retry-after
    "500",
    "reset",  # the connection is reset before a byte of the answer
    "hang",  # nothing until the client gives up
    "truncated",  # JSON that stops in the middle, sent as if whole
    "cut",  # a body shorter than it was announced to be
    "empty",  # no choices
    "null",  # a choice without text that ends for length
    "refusal",  # the model declines
    "no_action",  # a reply in which no action stands
    "long",  # 200 KB of text
)
"""What can go wrong; see `fault`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the server.

    text : the reply. status, error : an HTTP error instead. latency : seconds until it is sent. usage : as reported
    (None: counted as characters / 3, which is nobody's tokenizer). model : as served. body : raw bytes instead.
    """

    text: str | None = ""
    status: int = 200
    error: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    latency: float | None = None
    usage: Mapping[str, Any] | None = None
    model: str | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    choices: int = 1
    how: str = "whole"


Script = Iterable[Answer | str] | Callable[[Mapping[str, Any]], Answer | str]


def fault(kind: str, *, retry_after: float | None = 0.05, error: str = "") -> Answer:
    """The answer for one of FAULTS."""
    match kind:
        case "429":
            headers = {} if retry_after is None else {"retry-after": str(retry_after)}
            return Answer(status=429, error=error or "Rate limit reached for requests", headers=headers)
        case "500":
            return Answer(status=500, error=error or "The server had an error")
        case "reset" | "hang" | "truncated" | "cut":
            return Answer("Action: wait", how=kind)
        case "empty":
            return Answer(choices=0)
        case "null":
            return Answer(None, finish_reason="length")
        case "refusal":
            return Answer(None, refusal="I'm sorry, but I can't help with that.")
        case "no_action":
            return Answer("I would rather think about it for a while.\nThere is much to consider here.")
        case "long":
            return Answer("All work and no play makes a dull reply. " * 5000)
    raise ValueError(f"no fault is called {kind!r}: use one of {', '.join(FAULTS)}")


def listed_action(body: Mapping[str, Any]) -> str:
    """One of the actions the prompt lists, chosen by the seed of the request; what an agent would answer."""
    prompt = "\n".join(_content(message) for message in body.get("messages", ()))
    actions = re.findall(r"^- (.+?)(?:  \(.*\))?$", prompt.rpartition("Actions to choose from:")[2], re.MULTILINE)
    if not actions:
        return "There is nothing to choose from."
    chosen = hashlib.sha256(f"{body.get('seed')}".encode()).digest()[0] % len(actions)
    return f"I try something.\nAction: {actions[chosen]}"


class ModelServer:
    """The server; `requests` are the bodies it got, `headers` theirs.

    Parameters
    ----------
    script : answers in order, then `after` for ever; or a function of the request's body. Default: a listed action.
    latency : seconds every answer takes that does not say otherwise.
    """

    def __init__(
        self,
        script: Script = listed_action,
        *,
        after: Answer | str = "Action: wait",
        latency: float = 0.0,
        port: int = 0,
    ) -> None:
        self._answer = script if callable(script) else None
        self._answers = iter(()) if callable(script) else iter(list(script))
        self._after = after
        self.latency = latency
        self.requests: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.times: list[float] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), _handler_of(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The address to give as api_base."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        self._http.serve_forever()

    def next_answer(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
        """The answer to a request, which is recorded."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            said = self._after if self._answer is not None else next(self._answers, self._after)
        if self._answer is not None:
            said = self._answer(body)
        return Answer(said) if isinstance(said, str) else said


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


def _handler_of(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, format: str, *args: Any) -> None:
            """Requests are kept, not printed."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = server.next_answer(body, {key.lower(): value for key, value in self.headers.items()})
            latency = server.latency if answer.latency is None else answer.latency
            if latency:
                server.closing.wait(latency)
            if answer.how == "hang":
                server.closing.wait(600)
                self.close_connection = True
                return
            if answer.how == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            content = json.dumps(_payload(self.path, body, answer)).encode()
            announced = len(content)
            if answer.how in ("truncated", "cut"):
                content = content[: len(content) // 2]
                announced = len(content) if answer.how == "truncated" else announced
            self.send_response(answer.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(announced))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = answer.how == "cut"

    return Handler


def _payload(path: str, body: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    model = answer.model or body["model"]
    if answer.status != 200:
        return {"error": {"message": answer.error, "type": "error", "code": str(answer.status)}}
    if path.endswith("/embeddings"):
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        data = [{"object": "embedding", "index": at, "embedding": _vector(text)} for at, text in enumerate(texts)]
        tokens = sum(len(text) // 3 for text in texts)
        return {
            "object": "list",
            "model": model,
            "data": data,
            "usage": answer.usage or {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    if path.endswith("/messages"):
        return {
            "id": "msg_stub",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": answer.text}],
            "stop_reason": "end_turn",
            "usage": answer.usage or {"input_tokens": 1, "output_tokens": 1},
        }
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    if answer.tool_calls:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": dict(call)}
            for at, call in enumerate(answer.tool_calls)
        ]
    sent = sum(len(_content(message)) for message in body["messages"]) // 3
    said = len(answer.text or "") // 3
    usage = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice] * answer.choices,
        "usage": usage if answer.usage is None else answer.usage,
    }


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _vector(text: str, size: int = 8) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 for byte in digest[:size]]


@contextmanager
def served(latency: float = 0.0) -> Iterator[str]:
    """The address of a server in a process of its own, which answers with a listed action after `latency` seconds."""
    command = [sys.executable, __file__, "--latency", str(latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--latency", type=float, default=0.0, help="seconds every answer takes")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--text", default=None, help="what to answer (default: a listed action)")
    options = parser.parse_args()
    script: Script = listed_action if options.text is None else (lambda body: options.text)
    server = ModelServer(script, latency=options.latency, port=options.port)
    print(server.url, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
