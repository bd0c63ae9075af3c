"""Prices: the figure of the specification, tiers, tables of one's own, and models nobody has a price for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoplay.methods.backbones.base import BackboneError, Usage
from evoplay.methods.backbones.prices import Price, PriceTable, Rates


def test_the_figure_of_the_specification(tmp_path):
    table = tmp_path / "prices.toml"
    table.write_text('["openai/m"]\ninput = 1.4\ncached = 0.26\noutput = 4.4\n')
    price = PriceTable(table).price("openai/m")
    assert price.usd(Usage(27_147, 351, cached=27_146)) == pytest.approx(0.00860376, abs=1e-12)


def test_litellm_s_names_are_usd_a_token(tmp_path):
    table = tmp_path / "prices.json"
    entry = {
        "input_cost_per_token": 1.4e-6,
        "cache_read_input_token_cost": 0.26e-6,
        "output_cost_per_token": 4.4e-6,
        "context_window": 4096,
    }
    table.write_text(json.dumps({"openai/m": entry}))
    prices = PriceTable(table)
    assert prices.price("openai/m").usd(Usage(27_147, 351, cached=27_146)) == pytest.approx(0.00860376, abs=1e-12)
    assert prices.context_window("openai/m") == 4096


def test_the_bundled_table_is_read_under_full_and_bare_names():
    table = PriceTable()
    assert table.price("openai/gpt-4o").rates == Rates(2.5e-6, 1e-5, 1.25e-6, 2.5e-6)
    assert table.context_window("openai/gpt-4o") == 128_000


@pytest.mark.parametrize("model", ["hosted_vllm/gpt-4o", "openai/nobody-has-this-model", "openrouter/openai/gpt-4o-x"])
def test_another_provider_s_price_is_not_taken_and_unknown_is_none(model):
    assert PriceTable().price(model) is None


def test_cache_writes_have_a_price_of_their_own():
    price = PriceTable().price("anthropic/claude-sonnet-4-5")
    written = price.usd(Usage(1000, 0, cache_write=1000))
    assert written == pytest.approx(1000 * 3.75e-6)
    assert written > price.usd(Usage(1000, 0))


def test_a_long_prompt_is_dearer_where_the_table_says_so():
    price = PriceTable().price("gemini/gemini-2.5-pro")
    assert price.usd(Usage(200_000, 0)) == pytest.approx(200_000 * 1.25e-6)
    assert price.usd(Usage(200_001, 0)) == pytest.approx(200_001 * 2.5e-6)


rates = st.floats(0, 1e-3, allow_nan=False)
counts = st.integers(0, 10**7)


@given(fresh=counts, cached=counts, written=counts, output=counts, a=rates, b=rates, c=rates, d=rates)
def test_a_call_costs_the_sum_of_its_parts(fresh, cached, written, output, a, b, c, d):
    usage = Usage(fresh + cached + written, output, cached, written)
    expected = fresh * a + cached * b + written * c + output * d
    assert Price(Rates(a, d, b, c)).usd(usage) == pytest.approx(expected)


@given(usage=st.builds(Usage, counts, counts, counts, counts), a=rates)
def test_no_call_earns_money(usage, a):
    assert Price(Rates(a, a, a, a)).usd(usage) >= 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.toml", "nonsense", "not valid toml"),
        ("p.json", "{", "not valid json"),
        ("p.json", "[]", "a table for each model"),
        ("p.json", '{"openai/m": {"input": 1}}', "needs both input and output"),
        ("p.json", '{"openai/m": {"input": "1", "output": 2}}', "give a number"),
        ("p.json", '{"openai/m": {"inptu": 1, "output": 2}}', "unknown 'inptu'"),
    ],
)
def test_an_unusable_table_is_said_to_be_one(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BackboneError, match=said) as caught:
        PriceTable(path)
    assert "\n" not in str(caught.value).strip()


def test_a_missing_table(tmp_path):
    with pytest.raises(BackboneError, match="cannot be read"):
        PriceTable(tmp_path / "none.toml")
