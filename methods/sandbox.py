"""Running code that a model wrote: in a sandboxed interpreter (pydantic-monty) in another process, never by exec here.

The code defines `extract(transcript)`, which gives a short text. It has no files, no network, no environment, no clock,
and limits on time, memory, recursion and output. Whatever it does, the answer is a text or ExtractorFailed.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from evoplay.methods.base import MethodError

FUNCTION = "extract"
SECONDS = 1.0
"""Of one call, and of defining the function."""
SECONDS_IN_ALL = 5.0
MEMORY = 64 * 2**20
RECURSION = 200
PRINTED = 10_000
"""Bytes it may print; they go nowhere."""
LONGEST_CODE = 20_000
LONGEST_STATE = 1_000
"""Characters of a state; what is longer is cut."""
_STILL: Any = {
    "datetime": datetime(2000, 1, 1, tzinfo=UTC),
    "sleep": "zero",
    "process_time": "zero",
    "random_start": {"seed": 0},
}

_lock = threading.Lock()
_pool: Any = None


class ExtractorFailed(RuntimeError):
    """An extractor that was refused, stopped, or gave no text; the message says why, in a line."""


def extract_all(code: str, transcripts: Sequence[str]) -> list[str]:
    """The state of each transcript by the code's `extract`. Raises ExtractorFailed."""
    from pydantic_monty import CollectString, MontyError

    if len(code) > LONGEST_CODE:
        raise ExtractorFailed(f"it has {len(code):,} characters; {LONGEST_CODE:,} are allowed")
    limits: Any = {"max_feed_duration_secs": SECONDS, "max_memory": MEMORY, "max_recursion_depth": RECURSION}
    states: list[str] = []
    end = time.monotonic() + SECONDS_IN_ALL
    try:
        with _workers().checkout(limits=limits, os_policy=_STILL) as session:
            session.feed_run(code, print_callback=CollectString(max_bytes=PRINTED))
            for transcript in transcripts:
                if time.monotonic() > end:
                    raise ExtractorFailed(f"it takes more than {SECONDS_IN_ALL:g} s for an episode")
                state = session.feed_run(
                    f"{FUNCTION}(_transcript)",
                    inputs={"_transcript": transcript},
                    print_callback=CollectString(max_bytes=PRINTED),
                )
                states.append(_text(state))
    except MontyError as error:
        raise ExtractorFailed(" ".join(str(error).split())[:300]) from None
    return states


def _text(state: object) -> str:
    # The interpreter's own texts only: whatever else crosses over is none.
    if type(state) is not str:
        raise ExtractorFailed(f"it gives {type(state).__name__} where a text is expected")
    return state[:LONGEST_STATE]


def _workers() -> Any:
    """The pool of sandbox processes, one for this process, started when first needed."""
    global _pool
    with _lock:
        if _pool is None:
            from pydantic_monty import Monty

            try:
                _pool = Monty(request_timeout=10 * SECONDS).__enter__()
            except OSError as error:
                raise MethodError(f"the sandbox cannot be started ({error}): reinstall pydantic-monty") from None
            atexit.register(_pool.__exit__, None, None, None)
        return _pool
