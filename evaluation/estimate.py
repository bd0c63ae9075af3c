"""What a run would take, before it starts: calls and tokens from a simulated run, USD by the price table.

Replies are counted as the simulated ones, which are short: a model that thinks aloud writes more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evoplay.evaluation.config import RunConfig
from evoplay.evaluation.simulation import LIMIT, Simulation, simulate
from evoplay.evaluation.taken import Taken
from evoplay.methods.backbones.prices import Price, PriceTable, Rates

FREE = Price(Rates(0.0, 0.0, 0.0, 0.0), source="free")


@dataclass(slots=True)
class Estimate:
    """What a method would take in a whole run: calls, tokens, and the input that a cache could serve.

    planned, simulated : its episodes, and those of them that the figures rest on; 0 of a policy, which calls no model.
    digits : significant digits that can be told: 3 where all was simulated, 2 where a whole trial of every environment
    was, 1 where less was.
    """

    calls: float = 0.0
    input: float = 0.0
    cacheable: float = 0.0
    output: float = 0.0
    planned: int = 0
    simulated: int = 0
    digits: int = 3

    def add(self, episodes: Sequence[Taken], times: float = 1.0) -> None:
        """Add episodes, so many times over."""
        for part in (part for one in episodes for part in (one.play, one.learn)):
            self.calls += times * part.calls
            self.input += times * part.input
            self.cacheable += times * (part.input - part.fresh)
            self.output += times * part.output

    def usd(self, price: Price | None) -> tuple[float, float] | None:
        """USD with every cacheable token read from a cache, and with none; None where there is no price."""
        if price is None:
            return None
        # The tiers of long prompts are those of one call.
        rates = price.rates_at(self.input / max(self.calls, 1))
        plain = self.input * rates.input + self.output * rates.output
        return plain - self.cacheable * (rates.input - rates.cached), plain


@dataclass(slots=True)
class Part:
    """The estimates by method with prompts of at most `budget` tokens (None: no limit), and the prices of models.

    longest : tokens of the longest prompt. episodes : those of the run, policies' too.
    """

    budget: int | None
    methods: dict[str, Estimate]
    longest: float
    episodes: int
    prices: dict[str, Price | None] = field(default_factory=dict)

    @property
    def all(self) -> Estimate:
        """The sum over the methods."""
        found = Estimate(digits=min(one.digits for one in self.methods.values()))
        for one in self.methods.values():
            for name in ("calls", "input", "cacheable", "output", "planned", "simulated"):
                setattr(found, name, getattr(found, name) + getattr(one, name))
        return found

    def as_dict(self) -> dict[str, Any]:
        return {
            "budget_tokens": self.budget,
            "longest_prompt": round(self.longest),
            "methods": {
                name: {
                    **{key: round(getattr(found, key)) for key in Estimate.__dataclass_fields__},
                    "usd": {model: found.usd(price) for model, price in self.prices.items()},
                }
                for name, found in self.methods.items()
            },
        }


@dataclass(slots=True)
class Forecast:
    """A run's estimates: one where the windows of all named models hold the prompts, else one for each that does not.

    without : a provider's embedding model, the calls of which are not in it; or "".
    """

    simulated_with: str
    parts: list[Part]
    without: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "simulated_with": self.simulated_with,
            "without": self.without,
            "episodes": self.parts[0].episodes,
            "estimates": [part.as_dict() for part in self.parts],
        }


def forecast(config: RunConfig, models: Sequence[str] = (), limit: float = LIMIT) -> Forecast:
    """Estimate a run by playing it in advance, as far as a limit of work allows (see `simulation`).

    models : those to price it for, in the windows of which it is played (default: the run's own backbone).

    Raises BackboneError for a model that is none, ConfigError for a run that cannot be played.
    """
    from evoplay.evaluation.recorded import recorded_calls
    from evoplay.methods.backbones.registry import look_up

    look_up(config.backbone, recorded_calls)
    table = PriceTable(config.prices)
    named = {model: _about(config, model, table) for model in dict.fromkeys(models or [config.backbone])}
    parts: list[Part] = []
    simulated_with = config.backbone
    # From the widest on: a narrower window in which everything has room changes nothing.
    for budget in sorted({budget for _, budget in named.values()}, key=lambda b: (b is not None, -(b or 0))):
        if not parts or not _has_room(parts[-1], budget):
            simulation = simulate(config.model_copy(update={"budget_tokens": budget}), limit)
            simulated_with = simulation.config.backbone
            parts.append(_part(simulation, budget))
        parts[-1].prices |= {model: price for model, (price, own) in named.items() if own == budget}
    for part in parts:
        part.prices = {model: part.prices[model] for model in named if model in part.prices}
    return Forecast(simulated_with, parts, config.embeddings if "/" in config.embeddings else "")


def _about(config: RunConfig, model: str, table: PriceTable) -> tuple[Price | None, int | None]:
    """The price of a model and the tokens its prompts may hold. Raises BackboneError, ConfigError."""
    from evoplay.evaluation.recorded import recorded_calls
    from evoplay.evaluation.runner import prompt_budget
    from evoplay.methods.backbones.base import Backbone
    from evoplay.methods.backbones.registry import look_up
    from evoplay.methods.backbones.settings import ModelSettings

    found = look_up(model, recorded_calls)
    if found is None:
        longest = {"max_tokens": config.reply_tokens} if config.reply_tokens else {}
        settings = ModelSettings.of(config.model_options | longest)
        window = settings.context_window or table.context_window(model)
        return table.price(model), prompt_budget(config, model, window, settings.max_tokens)
    window, reply = getattr(found, "context_window", None), getattr(found, "reply_tokens", Backbone.reply_tokens)
    return FREE if getattr(found, "free", False) else table.price(model), prompt_budget(config, model, window, reply)


def _has_room(part: Part, budget: int | None) -> bool:
    """Whether nothing in a part's prompts would be cut by a narrower budget, of which guidance may take a quarter."""
    return budget is None or part.longest <= budget / 4


def _part(simulation: Simulation, budget: int | None) -> Part:
    methods = {cell.contender: Estimate() for cell in simulation.planned}
    longest = 0.0
    whole = {contender: simulation.whole(contender) for contender in methods}
    for (contender, _), cells in simulation.rows.items():
        estimate, begun = methods[contender], [cell for cell in cells if cell in simulation.played]
        estimate.planned += sum(simulation.planned[cell] for cell in cells)
        if any(len(simulation.played[cell]) < simulation.planned[cell] for cell in begun):
            estimate.digits = 1
        elif len(begun) < len(cells):
            estimate.digits = min(estimate.digits, 2)
        for cell in begun:
            episodes = whole[contender][cell]
            estimate.add(episodes, len(cells) / len(begun))
            estimate.simulated += len(simulation.played[cell])
            longest = max([longest, *(one.longest for one in episodes)])
    return Part(budget, methods, longest, sum(simulation.planned.values()))
