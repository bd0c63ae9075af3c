"""The sentences of Lost and Found. The wording of an answer depends on its kind alone, in every case and episode."""

from __future__ import annotations

from evoplay.envs.learn2play.lost_and_found.data import (
    ASSOCIATE,
    CASES,
    CLAIMANTS,
    FINDER,
    MAX_TURNS,
    MIMIC,
    OWNER,
    PRIVATE,
)
from evoplay.envs.learn2play.lost_and_found.rules import (
    CLOSING,
    CONTEXT,
    CORRECT,
    HEARD,
    INCOMPATIBLE,
    KNOWN,
    SCENE,
    STORED,
    UNSURE,
    WRONG,
    Case,
    Interview,
    Shift,
)

OPENING = (
    "You have the lost-property desk of the park to yourself for one shift. Three items will come before you, one by "
    "one, and for each of them four people who all say it is theirs. A detail that turns out right proves nothing by "
    "itself: it may come from somebody who saw the thing lying there, from a story told at second hand, or simply "
    "from what has just been said aloud at the counter. You can look at the item, put questions, look up a few "
    "records, and then hand the item over or keep it here. To give it to the wrong person is bad; to keep everything "
    "on the shelf is not good either. The office closes after 24 turns, and only the closing report tells you a "
    "score."
)
STATEMENTS = {
    OWNER: (
        '"Its outer colour I may have only roughly right; one sees so little of it in daily use."',
        '"When I lost it I can say only roughly; I did not look at the time."',
        '"How many odds and ends are in it I could not swear to."',
        '"Where it was found I do not know; but there is something I changed about it myself."',
    ),
    FINDER: (
        '"I can tell you exactly where it was: {scene}."',
        '"I know it; it lay there all alone, {scene}."',
        '"I know the thing from outside, and I know the place as well."',
    ),
    ASSOCIATE: (
        '"I have heard the story of it often, though perhaps not of every change that was made to it."',
        '"It was missed when our group went separate ways; by which way it went I am not clear."',
        '"There is a habit that belongs to it, and I know that habit."',
    ),
    MIMIC: (
        '"That looks like mine, it really does."',
        '"It holds what one takes along on an outing, so it will be mine."',
        '"I missed it when I came away from one of the attractions."',
        '"I know what it looks like from outside."',
    ),
}
TRUST_LABELS = ((90, "steady"), (75, "watchful"), (55, "uneasy"), (0, "strained"))
RESULTS = {CORRECT: "no dispute", WRONG: "disputed", STORED: "stored", CLOSING: "stored at closing"}
CLOSING_TIME = "It is closing time; whatever is still unresolved goes into storage."

ANSWERS = {
    KNOWN: "{name} does not look at the counter and describes it straight away: {fact}.",
    HEARD: "{name} pauses, and only then says: {fact}.",
    SCENE: "{name} is precise about the place of the find: {fact}. Nothing personal is attached to it.",
    CONTEXT: "{name} has it at second hand: {fact}; the physical particulars are missing.",
    INCOMPATIBLE: "{name} puts together a shaky order of events: {fact}. {name} is not sure of it.",
    UNSURE: "{name} speaks in generalities and admits to not knowing.",
}
KNOWN_BY_TOPIC = {
    "relationship": "{name} explains how it came about: {fact}.",
    "loss_timeline": '{name} recalls it in the first person: "I remember: {fact}."',
    "last_use": '{name} recalls it in the first person: "I remember: {fact}."',
}
ECHO = " It sounds like what was just said in public."
REPEATED = "{name} says the same again: {fact}."
REPEATED_NOTHING = "{name} says that there is nothing more."

REFUSALS = {
    "unknown": "The desk knows no such action; look at the list of actions.",
    "inspect": "A private inspection is not available now.",
    "opened": "The item lies open on the counter already.",
    "tag": "The recovery tag has been read already.",
    "nobody": "Nobody is isolated.",
    "isolation": "No isolation tokens are left.",
    "privacy": "No privacy tokens are left.",
    "checks": "No record checks are left.",
    "other case": "That record does not belong to the present case.",
    "checked": "That record has been checked already in this case.",
}


def trust_label(trust: int) -> str:
    return next(label for floor, label in TRUST_LABELS if trust >= floor)


def who(case: Case, claimant: str) -> str:
    return f"{case.names[claimant]} ({claimant})"


def case_text(case: Case, number: int) -> str:
    """A case as it comes to the counter."""
    lines = [
        f"Case {number} of {CASES}: a {case.item}, from outside known by {case.surface}.",
        "Before you stand:",
        *(f"- {who(case, claimant)}, who {case.biographies[claimant]}" for claimant in CLAIMANTS),
        "They speak in this order:",
    ]
    for claimant in case.speaking:
        statement = STATEMENTS[case.roles[claimant]][case.openings[claimant]]
        lines.append(f"- {case.names[claimant]}: {statement.format(scene=case.facts['recovery'])}")
    return "\n".join(lines)


def resources_text(shift: Shift) -> str:
    case, desk = shift.case, shift.desk
    return (
        f"Turn {shift.turn}/{MAX_TURNS} | Privacy tokens {shift.privacy} | Isolation tokens {shift.isolation} | "
        f"Record checks {shift.checks} | Trust {trust_label(shift.trust)} | "
        f"Isolated: {who(case, desk.isolated) if desk.isolated else 'none'}"
    )


def answer_text(case: Case, given: Interview) -> str:
    """An answer, worded by its kind; a repetition shows no kind."""
    name, fact = case.names[given.claimant], case.facts[given.fact] if given.fact else ""
    if given.repeated:
        return REPEATED.format(name=name, fact=fact) if fact else REPEATED_NOTHING.format(name=name)
    wording = ANSWERS[given.kind]
    if given.kind == KNOWN:
        wording = KNOWN_BY_TOPIC.get(given.topic, wording)
    echo = ECHO if given.kind == HEARD and given.topic == case.echo_topic else ""
    return wording.format(name=name, fact=fact) + echo


def interview_text(case: Case, given: Interview) -> str:
    manner = "aside, out of hearing" if given.mode == PRIVATE else "in public, at the counter"
    return f"You ask {who(case, given.claimant)} {manner} about {given.topic}. {answer_text(case, given)}"


def inspected_text(case: Case) -> str:
    return (
        f"Behind the screen, where nobody hears you, you find an alteration somebody has made: "
        f"{case.facts['concealed']}. An ordinary thing lies inside: {case.facts['shallow']}."
    )


def opened_text(case: Case, listeners: list[str]) -> str:
    names = ", ".join(case.names[claimant] for claimant in listeners)
    return (
        f"You open the {case.item} on the counter and say aloud what there is: {case.facts['shallow']}; and then "
        f"{case.facts['concealed']}. Listening: {names}."
    )


def tag_text(case: Case) -> str:
    return f"The recovery tag notes the place of the find: {case.facts['recovery']}."


def isolated_text(case: Case, claimant: str, before: str) -> str:
    if before == claimant:
        moved = f"{who(case, claimant)} is shown into the side room once more."
    elif before:
        moved = f"{who(case, before)} comes back to the counter, and {who(case, claimant)} goes to the side room."
    else:
        moved = f"{who(case, claimant)} goes to the side room."
    return f"{moved} What is said in the meantime is missed there, and it is not told again on return."


def released_text(case: Case, claimant: str) -> str:
    return f"{who(case, claimant)} comes back to the counter; what was said meanwhile is not told again."


def checked_text(case: Case, record: str) -> str:
    if record == case.relevant[0]:
        return f"{case.relevant[1]} This supports a sequence of events but identifies nobody."
    return case.decoy[1]


def returned_text(case: Case, claimant: str) -> str:
    return (
        f"{who(case, claimant)} signs for the {case.item}, and it is handed over. The case is noted for a later review."
    )


def stored_text(case: Case) -> str:
    return f"The {case.item} goes onto the shelf until a later appointment."


def _listed(title: str, lines: list[str]) -> list[str]:
    return [f"{title}: none"] if not lines else [f"{title}:", *(f"- {line}" for line in lines)]


def status_text(shift: Shift) -> str:
    case, desk = shift.case, shift.desk
    exposed = [case.facts[fact] for fact in sorted(desk.first_public)]
    noted = [case.facts[fact] for fact in ("concealed", "shallow")] if desk.inspected else []
    records = [f"{record}: {text}" for record, text in (case.relevant, case.decoy) if record in desk.checked]
    interviews = [
        f"turn {one.turn}, {case.names[one.claimant]}, {one.topic}, {one.mode}: {answer_text(case, one)}"
        for one in desk.interviews[-8:]
    ]
    return "\n".join(
        [
            f"Case {len(shift.decisions) + 1} of {CASES}: a {case.item} | Cases completed {len(shift.decisions)}",
            resources_text(shift),
            *_listed("Details exposed in public", exposed),
            *_listed("Noted at the private inspection", noted),
            *_listed("Records checked", records),
            *_listed("Last interviews", interviews),
        ]
    )


def report_text(shift: Shift) -> str:
    results = [decision.result for decision in shift.decisions]
    lines = ["Closing report"]
    for number, decision in enumerate(shift.decisions, start=1):
        lines.append(f"- Case {number}, {decision.item}: {RESULTS[decision.result]}")
    lines += [
        f"Correct returns {results.count(CORRECT)} | Disputed returns {results.count(WRONG)} | "
        f"Items stored {results.count(STORED) + results.count(CLOSING)}",
        f"Trust {trust_label(shift.trust)} | Privacy tokens {shift.privacy}",
        f"Final score: {shift.score()}",
    ]
    return "\n".join(lines)
