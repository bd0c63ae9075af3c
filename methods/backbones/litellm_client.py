"""litellm, imported once and made quiet: no telemetry, no fetching, no prices computed twice, no retries of its own.

Importing it takes 6-10 seconds, so it happens at the first call (or at `load`), never for a run that calls no model.
"""

from __future__ import annotations

import datetime
import gc
import logging
import os
import threading
from functools import cache
from typing import Any

_lock = threading.Lock()
_ready: Any = None


def load() -> Any:
    """The litellm module, ready for use."""
    global _ready
    if _ready is None:
        with _lock:
            if _ready is None:
                _ready = _import()
    return _ready


def _import() -> Any:
    # What litellm would otherwise fetch when imported or used; it ships copies of all of them.
    for name in ("MODEL_COST_MAP", "ANTHROPIC_BETA_HEADERS", "BLOG_POSTS", "POLICY_TEMPLATES", "AUTOROUTER_PRESETS"):
        os.environ[f"LITELLM_LOCAL_{name}"] = "True"
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.num_retries = 0
    # Embeddings take a 0 for "not given" and fall back to this.
    litellm.DEFAULT_MAX_RETRIES = 0
    litellm.cache = None
    for name in ("success_callback", "failure_callback", "callbacks", "input_callback"):
        setattr(litellm, name, [])
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.ERROR)
    # Its hundreds of thousands of objects stay for good: the collector need not walk them again and again.
    gc.collect()
    gc.freeze()
    return litellm


@cache
def _quiet_class() -> Any:
    """litellm's per-call record, without what it does after a call: prices (a quarter of its time) and callbacks."""
    try:
        from litellm._internal_context import is_internal_call
        from litellm.litellm_core_utils.litellm_logging import Logging

        class Quiet(Logging):  # type: ignore[misc]  # litellm is not followed by the type checker
            internal = is_internal_call

            def response_cost_calculator(self, *args: Any, **kwargs: Any) -> None:
                return None

            def success_handler(self, *args: Any, **kwargs: Any) -> None:
                return None

            def failure_handler(self, *args: Any, **kwargs: Any) -> None:
                return None

        _record(Quiet, "openai/any", "completion")
    except Exception:  # noqa: BLE001  # another litellm may build it otherwise; calls then are slower, not wrong
        return None
    return Quiet


def _record(quiet: Any, model: str, call_type: str) -> Any:
    return quiet(
        model=model,
        messages=[],
        stream=False,
        call_type=call_type,
        start_time=datetime.datetime.now(),
        litellm_call_id="evoplay",
        function_id="evoplay",
    )


def call(kind: str, model: str, **request: Any) -> Any:
    """One request through litellm: `kind` is "completion" or "embedding". Raises what litellm raises."""
    litellm = load()
    quiet = _quiet_class()
    if quiet is None:
        return getattr(litellm, kind)(model=model, num_retries=0, max_retries=0, **request)
    request["litellm_logging_obj"] = _record(quiet, model, kind)
    # An internal call is not handed to litellm's logging threads, which would only fight ours for the interpreter.
    token = quiet.internal.set(True)
    try:
        return getattr(litellm, kind)(model=model, num_retries=0, max_retries=0, **request)
    finally:
        quiet.internal.reset(token)


def supported(model: str) -> frozenset[str]:
    """The parameters litellm passes on to a model's provider."""
    try:
        return frozenset(load().get_supported_openai_params(model=model) or ())
    except Exception:  # noqa: BLE001  # litellm's own look-up; without it nothing optional is sent
        return frozenset()
