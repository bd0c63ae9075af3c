"""litellm's providers without importing litellm: which there are, which key each needs, which cache on request."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from evoplay.methods.backbones.base import BackboneError
from evoplay.methods.backbones.prices import bundled

KEYS: dict[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "azure": ("AZURE_API_KEY", "AZURE_AD_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY",),
    "cohere_chat": ("COHERE_API_KEY",),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshot": ("MOONSHOT_API_KEY",),
    "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "replicate": ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
    "voyage": ("VOYAGE_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "zai": ("ZAI_API_KEY",),
}
"""Environment variables that hold a provider's key; one of them is enough."""

_BASES = {"openai": ("OPENAI_API_BASE", "OPENAI_BASE_URL"), "hosted_vllm": ("HOSTED_VLLM_API_BASE",)}
_ENUM = re.compile(r"^class LlmProviders\(.*?\):\n(?P<body>(?:[ \t]+.*\n|\n)*)", re.MULTILINE)
_MEMBER = re.compile(r"^\s+[A-Z0-9_]+ = \"(?P<name>[^\"]+)\"", re.MULTILINE)


@cache
def providers() -> frozenset[str]:
    """The prefixes litellm routes by, read from its source; those of its price table where that is not found."""
    spec = importlib.util.find_spec("litellm")
    found: set[str] = {str(entry.get("litellm_provider", "")) for entry in bundled().values()}
    if spec is not None and spec.origin is not None:
        source = Path(spec.origin).parent / "types" / "utils.py"
        listed = _ENUM.search(source.read_text(encoding="utf-8")) if source.is_file() else None
        if listed is not None:
            found |= {member["name"] for member in _MEMBER.finditer(listed["body"])}
    return frozenset(found - {""})


def provider_of(model: str) -> str | None:
    """The provider a model name is routed to, None if litellm knows none."""
    prefix, slash, rest = model.partition("/")
    if not slash or not rest:
        return None
    if prefix in providers():
        return prefix
    entry = bundled().get(model)
    return str(entry.get("litellm_provider")) if entry else None


def nearest_models(name: str, others: Iterable[str] = ()) -> list[str]:
    """Names like one that is unknown, at most three."""
    known = {
        model if provider_of(model) else f"{entry.get('litellm_provider')}/{model}": None
        for model, entry in bundled().items()
        if entry.get("mode") in ("chat", "responses", "embedding")
    }
    candidates = [*others, *known]
    tail = name.rpartition("/")[2]
    exact = [candidate for candidate in candidates if candidate.partition("/")[2] == tail]
    # A bare name in the table is the maker's own; hosts come after it, the most alike first.
    exact.sort(key=lambda model: (tail not in bundled() or model in bundled(), -_alike(name, model)))
    return list(dict.fromkeys([*exact[:3], *difflib.get_close_matches(name, candidates, n=3, cutoff=0.7)]))[:3]


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def key_names(model: str) -> tuple[str, ...]:
    """The environment variables one of which has to hold the key of a model; none if it needs no key we know of."""
    return KEYS.get(provider_of(model) or "", ())


def check_key(model: str, api_base: str | None = None) -> None:
    """Raises BackboneError naming the variable when a model's key is missing from the environment.

    A server of one's own (`api_base`) needs none.
    """
    provider = provider_of(model) or ""
    if api_base or any(os.environ.get(name) for name in _BASES.get(provider, ())):
        return
    if provider == "hosted_vllm":
        raise BackboneError(f"{model} needs the server's address: give --api-base, such as http://localhost:8000/v1")
    names = key_names(model)
    if names and not any(os.environ.get(name, "").strip() for name in names):
        others = f" (or {', '.join(names[1:])})" if names[1:] else ""
        raise BackboneError(f"no key for {model}: set the environment variable {names[0]}{others}")


def key_or_placeholder(model: str) -> str | None:
    """For a server of one's own: a placeholder where the environment holds no key, since clients refuse to send none.

    None where it holds one, which litellm finds by itself.
    """
    return None if holds_key(model) else "none"


def holds_key(model: str) -> bool:
    """Whether the environment holds a key for a model, needed or not."""
    names = key_names(model) or (f"{model.partition('/')[0].upper()}_API_KEY",)
    return any(os.environ.get(name, "").strip() for name in names)


def wants_cache_marks(model: str) -> bool:
    """Whether the provider caches only what the request marks with `cache_control` (Claude, wherever it is served)."""
    provider = provider_of(model)
    hosts = ("bedrock", "bedrock_converse", "vertex_ai", "openrouter", "databricks", "azure_ai", "vercel_ai_gateway")
    return provider == "anthropic" or (provider in hosts and ("claude" in model or "anthropic" in model))
