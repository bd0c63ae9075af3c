"""Counting the tokens of prompts that grow, line by line, with tiktoken's o200k encoding as litellm ships it."""

from __future__ import annotations

import importlib.util
import os
from functools import cache, lru_cache
from pathlib import Path
from typing import Any


@cache
def _encoding() -> Any:
    # tiktoken would fetch the encoding from the network; litellm carries it (found without importing litellm).
    spec = importlib.util.find_spec("litellm")
    if "TIKTOKEN_CACHE_DIR" not in os.environ and spec is not None and spec.origin is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")
    import tiktoken

    return tiktoken.get_encoding("o200k_base")


@lru_cache(maxsize=30_000)
def _of_line(line: str) -> int:
    return len(_encoding().encode_ordinary(line))


def count(text: str) -> int:
    """Tokens of a text, counted line by line: lines come again and again, and are counted once."""
    return sum(map(_of_line, text.splitlines(keepends=True)))
