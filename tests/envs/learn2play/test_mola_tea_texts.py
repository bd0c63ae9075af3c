"""What Mola Tea's texts reveal, fact by fact, and what they keep to themselves."""

import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.mola_tea.data import GROUPS, MERCHANDISE
from evoplay.envs.learn2play.mola_tea.rules import Event, draw_shop
from evoplay.envs.learn2play.mola_tea.texts import CLUES, PLAIN, WORDINGS, drink_name, event_text, money

ENV = "learn2play/mola_tea"
SIGNS = {
    "launch": "first buyers",
    "return": "came again.* paid in full",
    "confirmation": "bought too",
    "spread": "[Ss]trangers",
    "tired": "tired",
    "lost": "loyal guest",
    "rush": r"\b[Tt]he price\b",
    "freebie": "drink (?:stood|no att)|at the drink|the drink (?:gets|might)|Of the drink",
    "stockout": "[Tt]he stock",
    "develop": "prototype",
    "restock": "brought in",
    "hold": "change nothing",
    "restore": "classics",
    "tasting": "take the tasting seriously",
    "friendly": "friendly",
    "crowd": "Many buy",
    "curious": "curiosity",
    "sets": "^The sets of",
    "no sets": "Hardly any set",
}
"""A sign by which a reader knows each kind of line from all others."""
NAMED = {
    "return": "d", "confirmation": "d", "spread": "dm", "freebie": "m", "develop": "d", "restock": "d",
    "tasting": "dg", "friendly": "g", "crowd": "d", "sets": "dm",
}  # fmt: skip


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
        assert obs.accepted, obs.text
    return obs


def cents(shown):
    return round(float(shown.replace("$", "")) * 100)


AMOUNT = r"(-?\$\d+\.\d\d)"


def head(text):
    found = re.search(
        rf"^Day (\d) \| Turn (\d+)/21 \| Cash {AMOUNT} \| Gross revenue {AMOUNT} \| Recorded spending {AMOUNT}\n"
        rf"House drink: (.+) \((.+)\), {AMOUNT}$",
        text,
        re.MULTILINE,
    )
    day, turn, cash, gross, spending, name, recipe, price = found.groups()
    return {
        "day": int(day), "turn": int(turn), "cash": cents(cash), "gross": cents(gross), "spending": cents(spending),
        "name": name, "recipe": tuple(recipe.split(", ")), "price": cents(price),
    }  # fmt: skip


def expected_head(week):
    shop = week.shop
    return {
        "day": min(7, week.turn // 3 + 1), "turn": week.turn, "cash": week.cash, "gross": week.gross,
        "spending": week.spending, "name": shop.house_name, "recipe": shop.house, "price": shop.house_price,
    }  # fmt: skip


def observations(text):
    block = re.search(r"^Recent observations:\n((?:- .*\n?)+)", text, re.MULTILINE).group(1)
    return [line.removeprefix("- ") for line in block.strip().split("\n")]


def test_the_opening_tells_the_goal_and_no_more(env):
    opening = env.reset(1).text.split("\n\n")[0]
    for fact in ("one week of seven days", "new drinks", "tastings", "campaigns", "freebies", "stock", "lose money",
                 "never come again", "loyal", "lasting profit", "return", "watch", "several turns", "after day 7",
                 "score"):  # fmt: skip
        assert fact in opening
    for hidden in ("one attribute", "stage", "window", "pressure", "1000", "gift", "role"):
        assert hidden not in opening


def test_every_view_has_the_head(env):
    for action in ("status", "hold", "nonsense", "develop recipe_d", "launch paper_kite", "hold"):
        assert head(env.step(action).text) == expected_head(env.week)


def test_the_full_view_shows_cards_groups_goods_and_costs(env):
    play(env, "develop recipe_d")
    text = env.step("status").text
    shop = env.week.shop
    for card in shop.cards:
        state = "developed" if card.card == "recipe_d" else "not developed"
        assert f"{card.card}: {drink_name(card.product)} ({', '.join(card.recipe)}), {state}" in text
    assert all(f"{group} {name}" in text for group, name in shop.groups.items())
    for item, cost in shop.merch_costs.items():
        assert f"{item}: {MERCHANDISE[item]}, 12 units, unit cost {money(cost)}" in text
    costs = re.search(r"^Costs: (.*)$", text, re.MULTILINE).group(1)
    shown = {name: cents(amount) for name, amount in re.findall(rf"(\w+)[^,;$]* {AMOUNT}", costs.split(";")[0])}
    assert shown == shop.costs
    assert "15 % off" in costs
    assert "30 % off" in costs
    assert money(shop.markup) in costs
    assert money(shop.house_cost) not in text


def test_the_short_view_leaves_them_out(env):
    for action in ("develop recipe_d", "launch paper_kite", "nonsense"):
        text = env.step(action).text
        assert "Recipe cards" not in text
        assert "Costs:" not in text
        assert "group_a" not in text


def test_prototypes_and_drinks_on_sale(env):
    drink = env.week.prototypes["paper_kite"] if play(env, "develop recipe_d") else None
    text = env.step("nothing").text
    assert (
        f"Prototype paper_kite: Paper Kite Tea ({', '.join(drink.recipe)}), planned price {money(drink.price)}, "
        f"unit stock cost {money(drink.unit_cost)}"
    ) in text
    text = play(env, "launch paper_kite").text
    assert (
        f"On sale paper_kite: Paper Kite Tea, stock {drink.stock}, price {money(drink.price)}, "
        f"unit restock cost {money(drink.unit_cost)}"
    ) in text
    assert "Prototype" not in text


@pytest.mark.parametrize("kind", SIGNS)
def test_each_kind_of_line_is_known_by_its_sign_alone(kind):
    shop, _ = draw_shop(1, 1)
    wordings = WORDINGS.get(kind, (PLAIN.get(kind),))
    for variant in range(len(wordings)):
        line = event_text(Event(kind, variant, "paper_kite", "group_b", "mola_pin", 10), shop)
        assert [known for known, sign in SIGNS.items() if re.search(sign, line)] == [kind], line
        assert "{" not in line
        named = NAMED.get(kind, "")
        assert ("Paper Kite Tea" in line) == ("d" in named), line
        assert (MERCHANDISE["mola_pin"] in line) == ("m" in named), line
        assert (shop.groups["group_b"] in line) == ("g" in named), line


def test_wordings_are_as_many_as_are_drawn():
    sixes = ("rush", "freebie", "stockout")
    assert {kind: len(lines) for kind, lines in WORDINGS.items()} == {
        kind: 6 if kind in sixes else 8 for kind in WORDINGS
    }
    assert all(len(set(lines)) == len(lines) for lines in WORDINGS.values())


def test_restock_tells_cups_and_drink(env):
    play(env, "develop recipe_d", "launch paper_kite")
    for size, cups in (("small", 10), ("large", 24)):
        assert f"{cups} more cups of Paper Kite Tea" in play(env, f"restock paper_kite {size}").text


def test_clues_go_round_the_groups_and_through_six_each(env):
    names = env.week.shop.groups
    seen = {group: [] for group in GROUPS}
    for turn in range(20):
        lines = observations(play(env, "inspect customers").text)
        groups = [GROUPS[(3 * turn + step) % 5] for step in range(3)]
        assert len(lines) == 3 or "stock" in lines[-1]
        for group, line in zip(groups, lines, strict=False):
            assert names[group] in line
            seen[group].append(line)
    for lines in seen.values():
        assert len(set(lines[:6])) == 6
        assert lines[6:12] == lines[:6]


def test_no_line_names_what_is_hidden():
    lines = [line for lines in (*CLUES.values(), *WORDINGS.values()) for line in lines] + list(PLAIN.values())
    hidden = re.compile(
        r"taster|bargain|watcher|sharer|regulars?\b|viable|stage|pressure|score|trend|seed|\brole", re.I
    )
    assert [line for line in lines if hidden.search(line)] == []


def test_refusals_replace_the_observations_with_one_line(env):
    cases = {
        "gibberish": "listed actions",
        "develop recipe_z": "recipe_a, recipe_b",
        "launch nothing": "none",
        "feature nothing": "none",
    }
    for action, fact in cases.items():
        obs = env.step(action)
        (line,) = observations(obs.text)
        assert fact in line
        assert not obs.accepted
        assert obs.text.count("Turn 0/21") == 1
    play(env, "develop recipe_d")
    assert "already" in observations(env.step("develop recipe_d").text)[0]
    play(env, "develop recipe_h")
    assert "places for prototypes" in observations(env.step("develop recipe_a").text)[0]
    assert "paper_kite, cedar_jelly" in observations(env.step("launch x").text)[0]
    play(env, "launch paper_kite", "develop recipe_a", "launch cedar_jelly")
    assert "places for launched" in observations(env.step("develop recipe_b").text)[0]
    assert "places for launched" in observations(env.step("launch lantern_foam").text)[0]
    assert "paper_kite, cedar_jelly" in observations(env.step("feature x").text)[0]
    assert "group_a, group_b" in observations(env.step("sample paper_kite group_z").text)[0]
    assert "crane_sticker, river_patch" in observations(env.step("bundle paper_kite x").text)[0]
    env.week.launched["paper_kite"].stock = 2
    assert "3 cups" in observations(env.step("sample paper_kite group_b").text)[0]
    env.week.launched["paper_kite"].stock = 0
    assert "out of stock" in observations(env.step("feature paper_kite").text)[0]
    env.week.merch["river_patch"] = 3
    assert "units left: 3" in observations(env.step("gift river_patch cedar_jelly group_a").text)[0]


def test_the_ledger_of_a_day(env):
    play(env, "develop recipe_d", "launch paper_kite")
    start = env.week.cash
    gross_before, spent_before = env.week.gross, env.week.spending
    assert "Ledger" not in env.step("status").text
    text = play(env, "hold").text
    found = re.search(
        rf"^Ledger of day (\d): orders (\d+), gross revenue {AMOUNT}, ingredient cost {AMOUNT}, promotion cost "
        rf"{AMOUNT}, cash at the close {AMOUNT}; noted that day:\n((?:\* .*\n?)+)",
        text,
        re.MULTILINE,
    )
    day, _, gross, ingredients, promotion, cash, lines = found.groups()
    costs = env.week.shop.costs
    assert (int(day), cents(cash), cents(gross)) == (1, env.week.cash, env.week.gross)
    assert cents(promotion) == costs["develop"] + costs["launch"]
    assert cents(promotion) + cents(ingredients) == env.week.spending
    assert len(lines.strip().split("\n")) <= 3
    assert start + (env.week.gross - gross_before) - (env.week.spending - spent_before) == env.week.cash
    assert "Ledger of day 1" in env.step("nonsense").text
    assert "Ledger of day 1" in env.step("status").text
    assert "Ledger" not in play(env, "hold").text
    assert "Ledger of day 1" in env.step("status").text
    assert "Ledger" not in env.step("nonsense").text


def test_the_end_shows_the_account_and_the_score(env):
    obs = play(env, *env.solution(1))
    week = env.week
    assert obs.visible_score == obs.score == 1000
    assert "Recipe cards" not in obs.text
    assert f"gross {money(week.gross)}, spending {money(week.spending)}" in obs.text
    assert f"net {money(week.gross - week.spending)}" in obs.text
    assert f"thrown away {money(week.discarded())}" in obs.text
    assert "lost 0" in obs.text
    assert "Final score: 1000" in obs.text
    assert "seventh day is over" in observations(obs.text)[-1]
    after = env.step("hold")
    assert not after.accepted
    assert "Recipe cards" in after.text
    assert "Final score: 1000" in after.text
    assert after.text == env.step("status").text
    assert after.valid_actions == ("status",)


def test_leaving_and_closing_show_the_full_view_and_the_score():
    texts = []
    for leave in (lambda env: env.finish(), lambda env: env.step("close_shop")):
        env = make(ENV)
        env.reset(1)
        play(env, "hold")
        obs = leave(env)
        assert "Recipe cards" in obs.text
        assert f"Final score: {obs.score}" in obs.text
        assert obs.visible_score == obs.score > 0
        texts.append(obs.text)
    assert texts[0] == texts[1]


def test_the_score_is_unknown_before_the_end(env):
    for action in ("develop recipe_d", "status", "hold"):
        obs = env.step(action)
        assert (obs.score, obs.visible_score) == (0, None)
        assert "core" not in obs.text


def test_hidden_facts_do_not_show():
    """Two weeks that differ only in what is hidden read the same."""
    one, other = make(ENV), make(ENV)
    for env in (one, other):
        env.reset(1)
        play(env, "develop recipe_d", "launch paper_kite", "restock paper_kite large")
    week, drink = other.week, other.week.launched["paper_kite"]
    week.menu_pressure, week.waste = 3, 4
    drink.spoilt, drink.viable, drink.credited = True, False, 8
    drink.deltas, drink.milestones = [1, 1, 1], {"return", "bundle"}
    drink.samples = {"group_b": 3}
    for action in ("status", "hold", "nonsense", "restore_classic", "status"):
        assert one.step(action) == other.step(action)
