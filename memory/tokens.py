"""Counting tokens offline, with tiktoken's o200k encoding from the copy that litellm ships."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import Any

ENCODING = "o200k_base"


@cache
def _encoding() -> Any:
    # tiktoken would fetch the encoding from the network; litellm carries it (found without importing litellm).
    spec = importlib.util.find_spec("litellm")
    if "TIKTOKEN_CACHE_DIR" not in os.environ and spec is not None and spec.origin is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")
    import tiktoken

    return tiktoken.get_encoding(ENCODING)


def count_tokens(text: str) -> int:
    """Tokens of a text (o200k); an estimate of what another model's tokenizer counts."""
    return len(_encoding().encode_ordinary(text))


def truncate_tokens(text: str, limit: int) -> str:
    """The longest head of a text within `limit` tokens."""
    if len(text.encode()) <= limit:
        return text
    encoding = _encoding()
    tokens = encoding.encode_ordinary(text)
    if len(tokens) <= limit:
        return text
    head: str = encoding.decode(tokens[:limit])
    return head.rstrip("\ufffd")
