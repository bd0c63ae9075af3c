"""The sentences of Mola Tea. Events with a drawn wording have exactly as many as the rules draw from."""

from __future__ import annotations

from collections.abc import Callable

from evoplay.envs.learn2play.mola_tea.data import (
    BARGAIN,
    DISCOUNT_PERCENT,
    LAST_DAY,
    MAX_TURNS,
    MERCHANDISE,
    PRODUCTS,
    REGULAR,
    SHARER,
    TASTER,
    TURNS_A_DAY,
    WATCHER,
)
from evoplay.envs.learn2play.mola_tea.rules import Drink, Event, Ledger, Refusal, Shop, Week

OPENING = (
    "For one week of seven days the little tea shop is in your hands. You can bring out new drinks from the recipe "
    "cards, pour tastings, run campaigns, hand out freebies and see to the stock. Be warned: a shift can be busy and "
    "still lose money, some of those who come today will never come again, and a menu that gives nobody any rest may "
    "cost you guests who were loyal to the shop. What you are after is lasting profit from people who return, and the "
    "way to it is to watch over several turns how they react. The week closes after day 7, and not before then are "
    "you told a score."
)
WEATHER = (
    "A thin rain hangs over the street, and umbrellas drip by the door.",
    "The morning is clear and cool; the awning throws a short shadow.",
    "Fog from the river lies between the houses.",
    "A dry wind pushes leaves along the pavement.",
    "It is close and still, and the windows stand open.",
    "Low sun falls through the glass onto the counter.",
)
CLUES = {
    TASTER: (
        "{G} talked for a quarter of an hour over a thimbleful of tea and never asked what a whole cup costs.",
        "{G} wanted to know what had been done to the recipe and why; the price board they left unread.",
        "{G} asked for a novelty and the house drink side by side and sipped from one and the other by turns.",
        '"One change I can follow," said a voice among {g}; "when all of it is new, I taste nothing."',
        "{G} let it be known that they might come again for a cup with one new idea, if it is still this shop's cup.",
        "{G} pushed a muddle of novelties aside after one sip and asked how the plain recipe is brewed.",
    ),
    BARGAIN: (
        "{G} read the prices first and the names of the drinks not at all.",
        "{G} asked what can be had for nothing today.",
        "{G} were out of the door before the sign of the last offer had come down.",
        "{G} spoke of coupons all afternoon, and hardly a word of anything they had bought before.",
        "{G} filled their bags with giveaways and counted the change twice.",
        "{G} looked in, saw that nothing was reduced, and went on to the next street.",
    ),
    WATCHER: (
        "{G} walked past the posters as if the wall were bare.",
        "{G} kept their eyes on the till and noted who bought the same cup a second time.",
        "{G} used the leaflet with the new drinks to steady a table.",
        "{G} would rather wait, they said, until they have seen known faces pay the full price again.",
        '"Let the others come back for it first," somebody among {g} murmured.',
        "{G} shrugged at the word new and asked which neighbours had bought again without a coupon.",
    ),
    SHARER: (
        "{G} asked what everybody is drinking; what nobody talks about they do not pass on.",
        "{G} turned a keepsake over in their hands and looked for a well-known cup to stand it beside.",
        "{G} told the whole street of last month's favourite and nothing of the unknown cup before them.",
        "{G} liked the merchandise best next to a drink that people know by name.",
        '"Nobody forwards a secret," laughed someone among {g}; "we forward what is going round already."',
        "{G} left a keepsake lying beside a cup nobody had heard of.",
    ),
    REGULAR: (
        "{G} ordered the house drink without a look at the board.",
        "{G} nodded at the one new name on the board and took the usual.",
        "{G} frowned for a while at a menu that had moved again, then found the house drink.",
        "{G} took the table by the radiator, and the house drink stood there before they had asked.",
        "{G} said that one novelty hurts nobody, but a board that changes every day is another matter.",
        "{G} asked quietly whether the house drink will always be there.",
    ),
}
WORDINGS = {
    "launch": (
        "The new cup is on the counter, and its first buyers crowd in for a moment.",
        "A fresh name on the board draws a quick knot of first buyers.",
        "The lid comes off something new; first buyers queue, and soon the queue is gone.",
        "Word of a new cup runs down the pavement, and a handful of first buyers come to look.",
        "You wipe the board and write a new line; first buyers lean in at once.",
        "Something new stands beside the kettle, and the first buyers are there and away again.",
        "The bell over the door rings more than usual: first buyers, drawn by the new line.",
        "For the length of a song the counter is full of first buyers of the new cup.",
    ),
    "return": (
        "Somebody who had tasted {d} came again, asked for no offer and paid in full.",
        "A face from the tasting of {d} came again and paid in full without a word about offers.",
        "{d}: a guest who had only tried it came again and, no offer in sight, paid in full.",
        "No sign was out, no offer made, and still a guest who had tasted {d} came again and paid in full.",
        "One of those who had tasted {d} came again of their own accord and paid in full.",
        "Quietly, somebody from the tasting came again for {d} and paid in full; nobody had offered anything.",
        "A guest of the tasting came again, pointed at {d} and paid in full before you could speak of offers.",
        "Without any offer one who had only tasted {d} came again and paid in full.",
    ),
    "confirmation": (
        "Bystanders had seen someone come back for {d}; they bought too, without any offer.",
        "People at the window had noticed the guest who returned for {d}, and bought too, no offer needed.",
        "{d} sold to onlookers: they had watched a guest return and, without an offer, bought too.",
        "The return for {d} had not gone unseen; those who saw it bought too, and no offer was out.",
        "Two tables had looked on as a guest came back for {d}; now they bought too, without an offer.",
        "Who had seen the guest come back to {d} bought too, and nobody asked for an offer.",
        "Seeing that someone had come back for {d}, the bystanders bought too; no offer was named.",
        "Someone had come back for {d}, others had seen it, and these bought too without an offer.",
    ),
    "spread": (
        "Word of {d} travels along with the {m}, and strangers come in asking for it.",
        "The {m} goes from hand to hand and the name of {d} with it; strangers ask for it at the door.",
        "Strangers ask for {d}: they have seen the {m} and heard the story that goes with it.",
        "Down the street they show the {m} and speak of {d}; strangers come asking.",
        "Where the {m} turns up, {d} is talked about, and strangers come in to ask for it.",
        "A {m} on a bag, a word about {d}, and strangers stand at the counter asking for it.",
        "The {m} and the name of {d} reach streets you have never served; strangers come asking for it.",
        "{d} is on many lips, the {m} in many pockets, and strangers ask where it is sold.",
    ),
    "tired": (
        "People are tired of that promotion; they look past the sign.",
        "The same pitch once more, and tired faces turn away from that promotion.",
        "Someone yawns at the sign: they are tired of that promotion.",
        "That promotion meets tired smiles.",
        'A tired "again?" is all that promotion gets.',
        "Heads no longer turn; the street has grown tired of that promotion.",
        "They have heard it, they say; that promotion leaves them tired.",
        "That promotion is talked over; the room seems tired of it.",
    ),
    "lost": (
        "A loyal guest found nothing familiar on the counter and went for good.",
        "The counter has grown strange to a loyal guest, who will not be back.",
        "A loyal guest looked over the unfamiliar counter, set the cup down and is lost to the shop.",
        "So much on the counter is unfamiliar that a loyal guest has taken leave of the shop.",
        "A loyal guest no longer recognises the counter; the usual seat stays empty from now on.",
        "Over the unfamiliar counter a loyal guest said goodbye.",
        "One loyal guest fewer: the counter was no longer the one they knew.",
        "A loyal guest asked what had become of the counter, did not wait for the answer, and is gone.",
    ),
    "rush": (
        "A short rush: people who had seen the price, bought and left.",
        "For a moment the counter is full of people who talk of nothing but the price.",
        "The price brings in a quick crowd; it is gone as quickly.",
        "A burst of orders from people who compare the price with the shop next door.",
        "They come in a rush, ask for the price, drink up and are off.",
        "A brief run on the counter, and the price was all that was spoken of.",
    ),
    "freebie": (
        "Every {m} is gone and people ask for more of them; the drink stood by unnoticed.",
        "They took the {m}, asked for more of it, and gave the drink no attention.",
        'The {m} is gone in no time. "Have you more?" they ask; nobody looks at the drink.',
        "Hands reach for the {m} until none is left and more are wanted; the drink gets no attention.",
        "More of the {m}, people ask, now that it is gone. Of the drink nobody speaks.",
        "The {m} went fast and more is asked for; the drink might as well not have been there.",
    ),
    "stockout": (
        "More was asked for than the stock could cover.",
        "The stock ran dry before the orders did.",
        "Some went without: the stock did not cover what was wanted.",
        "You shake the last drops from the jug; the stock was smaller than the demand.",
        "Orders came in that the stock could not meet.",
        "An apology at the counter: the stock is not enough for all who ask.",
    ),
}
PLAIN = {
    "develop": "You work through the card, and {d} stands ready as a prototype.",
    "restock": "{n} more cups of {d} are brought in.",
    "hold": "You change nothing; the house menu is in view.",
    "restore": "You put the board back to the classics; the house menu is in view.",
    "tasting": "{G} take the tasting seriously, measure {d} against the house drink and empty their cups.",
    "friendly": "{G} are friendly about the tasting, and nothing follows from it.",
    "crowd": "Many buy {d} at its normal price.",
    "curious": "A few buy out of curiosity.",
    "sets": "The sets of {d} and the {m} sell.",
    "no sets": "Hardly any set is sold.",
}
ENDS = {
    "week": "The seventh day is over, and the week with it.",
    "insolvent": "The money is gone: the shop is insolvent and has to shut.",
    "closed": "You hang up the apron and close the shop for good.",
}
NOT_UNDERSTOOD = "The shop makes nothing of that. Use one of the listed actions."


def money(cents: int) -> str:
    return f"${cents / 100:.2f}" if cents >= 0 else f"-${-cents / 100:.2f}"


_DRINK_NAMES = {product: f"{product.replace('_', ' ').title()} Tea" for product in PRODUCTS}


def drink_name(product: str) -> str:
    """The shown name of a drink."""
    return _DRINK_NAMES[product]


def event_text(event: Event, shop: Shop) -> str:
    """The line of an event."""
    kind = event.kind
    if kind == "clue":
        line = CLUES[shop.roles[event.group]][event.variant]
    else:
        line = WORDINGS[kind][event.variant] if kind in WORDINGS else PLAIN[kind]
    if "{" not in line:
        return line
    if event.group:
        group = shop.groups[event.group]
        line = line.replace("{G}", f"The {group}").replace("{g}", f"the {group}")
    if event.drink:
        line = line.replace("{d}", drink_name(event.drink)).replace("{n}", str(event.number))
    return line.replace("{m}", MERCHANDISE[event.merch]) if event.merch else line


# --- refusals ---------------------------------------------------------------------------------------------------


def _named(label: str, names: list[str]) -> str:
    return f"{label}: {', '.join(names)}." if names else f"{label}: none."


_Refusing = Callable[[Week, Refusal], str]
_REFUSALS: dict[str, _Refusing] = {
    "prototype places": lambda week, no: "Both places for prototypes are taken.",
    "launch places": lambda week, no: "Both places for launched drinks are taken.",
    "developed": lambda week, no: f"{no.name} has been developed already.",
    "cups": lambda week, no: f"A tasting needs 3 cups; there are not as many of {drink_name(no.name)}.",
    "out of stock": lambda week, no: f"{drink_name(no.name)} is out of stock.",
    "units": lambda week, no: f"Not enough of the {MERCHANDISE[no.name]}: units left: {no.number}.",
    "cards": lambda week, no: _named(
        "No such card. Cards not developed", [card.card for card in week.shop.cards if card.card not in week.developed]
    ),
    "prototypes": lambda week, no: _named("No such prototype. Prototypes", list(week.prototypes)),
    "launched": lambda week, no: _named("No such drink on sale. Launched drinks", list(week.launched)),
    "groups": lambda week, no: _named(
        "No such group. Groups", [group for group, members in week.members.items() if members]
    ),
    "merchandise": lambda week, no: _named("No such merchandise. Merchandise", list(week.merch)),
}


def refusal_text(refusal: Refusal | None, week: Week) -> str:
    """The error line of a refused command; None: it was not understood."""
    return NOT_UNDERSTOOD if refusal is None else _REFUSALS[refusal.reason](week, refusal)


# --- the view ---------------------------------------------------------------------------------------------------


def head_text(week: Week) -> str:
    shop = week.shop
    return (
        f"Day {min(LAST_DAY, week.turn // TURNS_A_DAY + 1)} | Turn {week.turn}/{MAX_TURNS} | "
        f"Cash {money(week.cash)} | Gross revenue {money(week.gross)} | Recorded spending {money(week.spending)}\n"
        f"House drink: {shop.house_name} ({', '.join(shop.house)}), {money(shop.house_price)}"
    )


def shop_lines(week: Week) -> list[str]:
    """What only the full view shows: cards, groups, merchandise, costs."""
    shop = week.shop
    lines = ["Recipe cards:"]
    for card in shop.cards:
        state = "developed" if card.card in week.developed else "not developed"
        lines.append(f"- {card.card}: {drink_name(card.product)} ({', '.join(card.recipe)}), {state}")
    lines.append(f"Groups: {', '.join(f'{group} {name}' for group, name in shop.groups.items())}")
    lines.append("Merchandise:")
    for item, units in week.merch.items():
        lines.append(f"- {item}: {MERCHANDISE[item]}, {units} units, unit cost {money(shop.merch_costs[item])}")
    costs = {name: money(cost) for name, cost in shop.costs.items()}
    lines.append(
        f"Costs: develop {costs['develop']}, launch {costs['launch']}, sample {costs['sample']}, "
        f"feature {costs['feature']}, small discount ({DISCOUNT_PERCENT['small']} % off) {costs['small']}, "
        f"deep discount ({DISCOUNT_PERCENT['deep']} % off) {costs['deep']}, gift {costs['gift']}, "
        f"bundle {costs['bundle']}; a bundled set costs {money(shop.markup)} more than the drink"
    )
    return lines


def prototype_text(drink: Drink) -> str:
    return (
        f"Prototype {drink.product}: {drink_name(drink.product)} ({', '.join(drink.recipe)}), planned price "
        f"{money(drink.price)}, unit stock cost {money(drink.unit_cost)}"
    )


def launched_text(drink: Drink) -> str:
    return (
        f"On sale {drink.product}: {drink_name(drink.product)}, stock {drink.stock}, price {money(drink.price)}, "
        f"unit restock cost {money(drink.unit_cost)}"
    )


def ledger_text(ledger: Ledger, shop: Shop) -> str:
    lines = [
        f"Ledger of day {ledger.day}: orders {ledger.orders}, gross revenue {money(ledger.gross)}, ingredient cost "
        f"{money(ledger.ingredients)}, promotion cost {money(ledger.promotion)}, cash at the close "
        f"{money(ledger.cash)}; noted that day:"
    ]
    return "\n".join(lines + [f"* {event_text(event, shop)}" for event in ledger.events])


def end_text(week: Week) -> str:
    return (
        f"The books are closed: gross {money(week.gross)}, spending {money(week.spending)}, net "
        f"{money(week.gross - week.spending)}, stock of new drinks thrown away {money(week.discarded())}, customers "
        f"lost {week.lost}.\nFinal score: {week.score()}"
    )


def view(week: Week, feedback: list[str], full: bool) -> str:
    """What the player sees: the whole shop where `full`, else what a turn can change."""
    lines = [head_text(week)]
    if full:
        lines += shop_lines(week)
    lines += map(prototype_text, week.prototypes.values())
    lines += map(launched_text, week.launched.values())
    lines.append("Recent observations:")
    shown = [*feedback, ENDS[week.end]] if week.end else feedback
    lines += [f"- {line}" for line in shown[-6:]]
    if week.ledger is not None and (full or week.ledger_fresh):
        lines.append(ledger_text(week.ledger, week.shop))
    if week.end:
        lines.append(end_text(week))
    return "\n".join(lines)
