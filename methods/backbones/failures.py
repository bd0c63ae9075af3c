"""What went wrong with a call, whether another attempt may help, and how long to wait before it."""

from __future__ import annotations

import email.utils
import json
import logging
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from evoplay.methods.backbones import litellm_client
from evoplay.methods.backbones.base import CallFailed, Usage
from evoplay.methods.backbones.scrub import scrubbed

Result = TypeVar("Result")
log = logging.getLogger("evoplay.backbones")

LONGEST_WAIT = 60.0
"""Seconds between two attempts, unless the provider asks for more."""
LONGEST_ASKED = 600.0
"""A provider that asks for a longer wait than this fails the call."""
_SHOWN = 300
_CLASSES = re.compile(r"\A(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?:: | - |:))+")
"""The class names litellm puts before a message, some of them twice."""
_AGAIN = {"rate_limit", "timeout", "server", "connection", "cut", "empty"}
_COSTLY = {"length": 2, "empty": 3}
"""Attempts beyond the first for failures that are billed like an answer."""
_BY_STATUS = {401: "auth", 403: "auth", 408: "timeout", 409: "server", 425: "server", 429: "rate_limit"}


class AttemptFailed(Exception):
    """One attempt that gave no completion; `usage` is what it cost all the same."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        again: bool,
        fatal: bool = False,
        wait: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.again = again
        self.fatal = fatal
        self.wait = wait
        self.usage = usage


def classified(error: Exception) -> AttemptFailed:
    """An error of litellm or of the wire as a failed attempt. Its text holds no key."""
    chain = _chain(error)
    names = [name for link in chain for name in (cls.__name__ for cls in type(link).__mro__)]
    cut = next((link for link in chain if isinstance(link, json.JSONDecodeError)), None)
    text = f"the reply is not whole JSON: {cut}" if cut is not None else _one_line(scrubbed(str(error)))
    status = next((int(code) for link in chain if isinstance(code := getattr(link, "status_code", None), int)), None)
    if cut is not None:
        kind = "cut"
    elif "ContextWindowExceededError" in names or status == 413:
        return AttemptFailed("context", f"the prompt is longer than the model reads: {text}", again=False)
    elif "ContentPolicyViolationError" in names:
        return AttemptFailed("refused", text, again=False)
    elif any(name in names for name in ("Timeout", "APITimeoutError", "TimeoutException")):
        kind = "timeout"
    elif any(
        name in names for name in ("ReadError", "ConnectError", "RemoteProtocolError", "ConnectionError", "WriteError")
    ):
        kind = "connection"
    elif status is not None:
        kind = _BY_STATUS.get(status, "bad_request" if 400 <= status < 500 else "server")
    else:
        kind = "connection" if "APIConnectionError" in names else "server"
    if kind == "rate_limit" and any(
        word in text.lower() for word in ("insufficient_quota", "exceeded your current quota")
    ):
        return AttemptFailed("quota", f"the account has no quota left: {text}", again=False, fatal=True)
    again = kind in _AGAIN
    return AttemptFailed(kind, text, again=again, fatal=not again, wait=_retry_after(chain))


def request_once(kind: str, model: str, request: Mapping[str, Any]) -> Any:
    """One request through litellm. Raises AttemptFailed, without a trace of the error that may quote a key."""
    try:
        return litellm_client.call(kind, model, **request)
    except Exception as error:  # noqa: BLE001  # whatever litellm or the wire raises is sorted here
        failure = classified(error)
    raise failure


def with_retries(
    attempt: Callable[[], Result],
    *,
    retries: int,
    backoff: float,
    where: str,
    closed: threading.Event,
    spent: Callable[[Usage], None],
) -> tuple[Result, tuple[str, ...], Usage]:
    """Call `attempt` until it gives a result; the result, a line for each failed attempt, and what those cost.

    Waits double from `backoff` seconds, with jitter, and are never shorter than the provider asked for. Raises
    CallFailed when another attempt cannot help or `retries` are used up; a set `closed` ends a wait at once.
    """
    import tenacity

    lines: list[str] = []
    wasted = Usage()
    counts: dict[str, int] = {}

    def wait(state: tenacity.RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        doubled = min(backoff * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT) * random.uniform(0.5, 1.0)
        asked = failure.wait if isinstance(failure, AttemptFailed) else None
        # A little over what was asked, so that those who were sent away together do not come back together.
        return doubled if asked is None else max(asked + random.uniform(0, min(0.1 * asked, 1.0)), 0.0)

    def again(error: BaseException) -> bool:
        if not isinstance(error, AttemptFailed) or not error.again or (error.wait or 0) > LONGEST_ASKED:
            return False
        return counts[error.kind] <= _COSTLY.get(error.kind, retries)

    def before_sleep(state: tenacity.RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        log.warning("%s; again in %.1f s", lines[-1], seconds)

    def once() -> Result:
        nonlocal wasted
        try:
            return attempt()
        except AttemptFailed as failure:
            counts[failure.kind] = counts.get(failure.kind, 0) + 1
            cost = ""
            if failure.usage is not None and failure.usage.total:
                wasted = added(wasted, failure.usage)
                spent(failure.usage)
                cost = f" ({failure.usage.input} + {failure.usage.output} tokens spent)"
            lines.append(f"{where or 'call'}: attempt {len(lines) + 1} failed ({failure.kind}): {failure}{cost}")
            raise

    retrying = tenacity.Retrying(
        stop=tenacity.stop_any(tenacity.stop_after_attempt(retries + 1), tenacity.stop_when_event_set(closed)),
        wait=wait,
        retry=tenacity.retry_if_exception(again),
        sleep=tenacity.sleep_using_event(closed),
        before_sleep=before_sleep,
        reraise=True,
    )
    try:
        return retrying(once), tuple(lines), wasted
    except AttemptFailed as last:
        attempts = f" after {len(lines)} attempts" if len(lines) > 1 else ""
        failure = CallFailed(
            f"{where or 'call'}: {last.kind}{attempts}: {last}",
            kind="cut" if last.kind == "length" else last.kind,
            attempts=len(lines),
            fatal=last.fatal,
            retries=tuple(lines),
            usage=wasted,
        )
    raise failure


def added(one: Usage, other: Usage) -> Usage:
    """The sum of two usages; where either counted, its source stands."""
    source = one.source if one.source != "none" else other.source
    return Usage(
        one.input + other.input,
        one.output + other.output,
        one.cached + other.cached,
        one.cache_write + other.cache_write,
        one.reasoning + other.reasoning,
        source,
        (*one.flags, *other.flags),
    )


def _chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain


def _retry_after(chain: list[BaseException]) -> float | None:
    """Seconds the provider asked to wait, from its headers: `retry-after-ms`, or `retry-after` as seconds or a date."""
    for link in chain:
        response = getattr(link, "response", None)
        for headers in (getattr(response, "headers", None), getattr(link, "litellm_response_headers", None)):
            if headers is None or not hasattr(headers, "get"):
                continue
            said, unit = headers.get("retry-after-ms"), 0.001
            if said is None:
                said, unit = headers.get("retry-after"), 1.0
            if said is None:
                continue
            try:
                return max(float(said) * unit, 0.0)
            except ValueError:
                pass
            try:
                return max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), 0.0)
            except (TypeError, ValueError):
                continue
    return None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    line = _CLASSES.sub("", line) or line
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
