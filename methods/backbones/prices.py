"""What tokens cost and how much a model reads: litellm's bundled table, read without importing it, or a user's own.

A model that stands in neither has no price: None, never 0.
"""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from evoplay.methods.backbones.base import BackboneError, Usage

_BUNDLED = "model_prices_and_context_window_backup.json"
_PER_MILLION = {"input": "input", "cached": "cached", "cache_write": "cache_write", "output": "output"}
_PER_TOKEN = {
    "input": "input_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
    "output": "output_cost_per_token",
}
_TIER = re.compile(r"_above_(?P<thousands>\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class Rates:
    """USD a token. `cached` and `cache_write` are the input price where a table has no price for them."""

    input: float
    output: float
    cached: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: its rates, those that hold above so many input tokens, and where they come from."""

    rates: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()
    source: str = ""

    def usd(self, usage: Usage) -> float:
        """The price of a call. Cached input is part of the input; reasoning is part of the output."""
        rates = self.rates_at(usage.input)
        return (
            usage.fresh * rates.input
            + usage.cached * rates.cached
            + usage.cache_write * rates.cache_write
            + usage.output * rates.output
        )

    def rates_at(self, tokens: float) -> Rates:
        """The rates of a call with so many tokens of input."""
        rates = self.rates
        for above, dearer in self.tiers:
            if tokens > above:
                rates = dearer
        return rates

    def __str__(self) -> str:
        rates = self.rates
        return (
            f"USD {rates.input * 1e6:g} input, {rates.cached * 1e6:g} cached, {rates.cache_write * 1e6:g} cache-write, "
            f"{rates.output * 1e6:g} output a million tokens ({self.source})"
        )

    def as_data(self) -> dict[str, Any]:
        """For the run's configuration: USD a million tokens."""
        return {
            "usd_per_million": {
                "input": self.rates.input * 1e6,
                "cached": self.rates.cached * 1e6,
                "cache_write": self.rates.cache_write * 1e6,
                "output": self.rates.output * 1e6,
            },
            "tiers_above_tokens": [above for above, _ in self.tiers],
            "source": self.source,
        }


class PriceTable:
    """Prices and context windows by model, the user's table before the bundled one.

    Parameters
    ----------
    path : a JSON or TOML file. A table for each model as it is given to `--backbone`, with `input`, `output` and
        perhaps `cached`, `cache_write` in USD a million tokens (or litellm's names, in USD a token), and perhaps
        `context_window`. Raises BackboneError where it cannot be read.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._own: dict[str, Mapping[str, Any]] = {} if path is None else _read_table(Path(path))
        self._source = "" if path is None else f"the table {Path(path).name}"

    def price(self, model: str) -> Price | None:
        """The price of a model, None if it has none that is known."""
        if model in self._own:
            return _price(self._own[model], self._source)
        entry = _bundled_entry(model)
        return None if entry is None else _price(entry, f"litellm {_litellm_version()}")

    def context_window(self, model: str) -> int | None:
        """Tokens of prompt and reply together; None if unknown."""
        own = self._own.get(model, {}).get("context_window")
        entry = _bundled_entry(model) or {}
        window = own or entry.get("max_input_tokens") or entry.get("max_tokens")
        return int(window) if window else None


def bundled() -> Mapping[str, Mapping[str, Any]]:
    """litellm's table as it ships, by model name."""
    return _load_bundled()


@cache
def _load_bundled() -> Mapping[str, Mapping[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / _BUNDLED
    if not path.is_file():
        return {}
    table: dict[str, Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    table.pop("sample_spec", None)
    return table


@cache
def _litellm_version() -> str:
    return metadata.version("litellm")


def _bundled_entry(model: str) -> Mapping[str, Any] | None:
    """The entry of a model: under its full name, or under its bare name if it is that provider's."""
    table = bundled()
    if model in table:
        return table[model]
    provider, _, bare = model.partition("/")
    entry = table.get(bare)
    if entry is not None and _family(str(entry.get("litellm_provider", ""))) == _family(provider):
        return entry
    return None


def _family(provider: str) -> str:
    """Providers that litellm splits into several names, such as vertex_ai-anthropic_models or bedrock_converse."""
    return re.split(r"[-]", provider.removesuffix("_converse").removesuffix("_chat"))[0]


def _price(entry: Mapping[str, Any], source: str) -> Price | None:
    rates = _rates(entry, "")
    if rates is None:
        return None
    tiers: dict[int, Rates] = {}
    for key in entry:
        tier = _TIER.search(key)
        if tier is not None and key == f"{_PER_TOKEN['input']}{tier[0]}":
            dearer = _rates(entry, tier[0], rates)
            if dearer is not None:
                tiers[1000 * int(tier["thousands"])] = dearer
    return Price(rates, tuple(sorted(tiers.items())), source)


def _rates(entry: Mapping[str, Any], tier: str, below: Rates | None = None) -> Rates | None:
    def rate(kind: str) -> float | None:
        value = entry.get(_PER_TOKEN[kind] + tier)
        if value is None and not tier and kind in entry:
            value = entry[_PER_MILLION[kind]] / 1e6
        return None if value is None else float(value)

    fresh, output = rate("input"), rate("output")
    if output is None:
        # An embedding model has no output; a tier may leave the output's price as it was.
        output = below.output if below else (0.0 if entry.get("mode") == "embedding" else None)
    if fresh is None or output is None:
        return None
    cached, written = rate("cached"), rate("cache_write")
    return Rates(fresh, output, fresh if cached is None else cached, fresh if written is None else written)


def _read_table(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise BackboneError(f"the price table {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise BackboneError(f"the price table {path} is not valid {path.suffix[1:] or 'json'}: {error}") from error
    known = {*_PER_MILLION.values(), *_PER_TOKEN.values(), "context_window", "mode", "max_input_tokens"}
    if not isinstance(data, dict):
        raise BackboneError(f"the price table {path} has to hold a table for each model")
    for model, entry in data.items():
        if not isinstance(entry, dict):
            raise BackboneError(f"the price table {path}: '{model}' has to be a table with input and output")
        for key, value in entry.items():
            if key not in known and not _TIER.search(key):
                raise BackboneError(
                    f"the price table {path}: '{model}' has an unknown '{key}': use input, cached, cache_write, output "
                    "(USD a million tokens), context_window"
                )
            if key != "mode" and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
                raise BackboneError(f"the price table {path}: {key} of '{model}' is {value!r}: give a number")
        if _price(entry, "") is None:
            raise BackboneError(f"the price table {path}: '{model}' needs both input and output")
    return data
