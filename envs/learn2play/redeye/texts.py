"""All that RedEye says: openings, the scene, what is heard and seen, endings."""

from __future__ import annotations

from collections.abc import Mapping

from evoplay.envs.learn2play.redeye.rules import LAST_SEGMENT, NEIGHBOURS, PEOPLE, PRESENT, VERBS, Act, Loop

PLACES = {
    "hardseat": "Atrium Lounge",
    "vestibule": "Stern Deck",
    "dining": "Dining Bar",
    "firstclass": "Top-Deck Suites",
    "window": "Observation Lounge",
    "platform": "Radio Room",
}
LOOKS = {
    "graycoat": "a traveller standing by himself, a tool bag in his hand",
    "suit": "a well-dressed middle-aged man who has a suite on the top deck",
    "oldman": "an old man with a wooden box in his arms",
    "caller": "someone who makes one phone call after another",
    "capped": "a youth in a cap",
    "backpacker": "a student with both arms round a backpack",
}
NOTICED = {
    "graycoat": (
        "in the tool bag lie tools, wire and a diagram of the hull's pipes with places marked in red; what he is "
        "looking for is the mechanism, down in the hull, that is to sink this ship"
    ),
    "suit": "he murmurs into a satellite phone, too low to be heard, his face dark; it hardly looks like business",
    "oldman": "the box is plain and worn with age, and he holds it tight",
    "caller": "the display shows calls nobody answered, and job vacancies",
    "capped": "one hand has crushed a ticket",
    "backpacker": "hair of some animal, a cat by the look of it, sticks out of the bag",
}

PROLOGUE = (
    "Midnight at the quay. You drag your bag aboard the night ferry Sea-Azure, tired to the bone; about this ship and "
    "the people on it you know nothing. In the lounge the seats are soft and the engines hum. There is nothing to do "
    "here but doze off."
)
SECOND_TIME = (
    "You start awake, and you are boarding. The same hall, the same people at the same places around you. There was a "
    "ship that leaned and did not come back, there was water like ice, there was the dark. Did you dream that?"
)
LATER = (
    "You open your eyes and you are boarding, once more. It is a loop: every night the Sea-Azure goes down with "
    "everyone aboard, all of them drown, and you alone remember it. You have "
    f"{LAST_SEGMENT} segments of time to find out who does it and why, and to stop it."
)

PHASES = (
    (3, "The ferry is leaving port; the radio can still reach the coast guard."),
    (24, "Coastal waters; the radio still has a signal."),
    (25, "Open sea. The radio has gone dead, and there is a tension over the decks."),
    (LAST_SEGMENT, "Fog all round. The moment is near."),
)
RADIO_OPEN = "The set crackles: the coast can be reached, and help could be asked for from here."
RADIO_CLOSED = "The set gives nothing but noise: the coast cannot be reached."

TALK: Mapping[str, tuple[str, ...]] = {
    "graycoat": (
        "“Leave me alone,” he says, and looks at the water.",
        "“I was an engineer on this ship,” he says at last. “I know the state she is in.”",
        "“She is ripe for the breakers. The owner has insured her for far more than she is worth, and he wants her to "
        "go down. I found that out. It cost me my post, and very nearly my life.”",
        "“The man who rigged the sinking is aboard himself, and he has bribed someone in the engine room. I came to "
        "take the rig out while there is time. The stern I can do myself. For the engine-room end I need another.”",
        "He opens the tool bag and gives you photographs and a copy of the policy: insured far too high, the paper "
        "that calls her seaworthy a forgery. “Here is your proof,” he says. “Believe me.”",
    ),
    "suit": (
        "He stands you a drink and makes polite small talk.",
        "You bring up the ship. His voice goes cold; that is not a subject he will discuss.",
        "You call him by what he is, and he cracks. Yes, he is the owner; yes, he has arranged for her to sink, and a "
        "satellite phone lies ready to get him away afterwards.",
    ),
    "oldman": (
        "The box holds his wife's ashes. She wanted to be given to the sea, and here is where he will do it.",
        "“The man with the tool bag was staring at the gentleman from the suites,” he says, “and the gentleman kept "
        "out of his way. And she sits wrong in the water, this ship.”",
    ),
    "caller": (
        "It is all about work that does not come. Then, lower: “The well-dressed one upstairs was on a satellite "
        "phone. About it going down. About the insurance.”",
    ),
    "capped": (
        "He has troubles of his own, and tells you. Then he says that he saw the man with the tool bag prising a panel "
        "open, with a diagram of pipes in his hand.",
    ),
    "backpacker": (
        "There is a cat in the backpack; please tell nobody. Oh, and the man with the tool bag was staring at the one "
        "in the fine suit, who dodged him.",
    ),
}
"""What each layer of talk says."""
SPEAKER = {
    "graycoat": "the traveller with the tool bag",
    "suit": "the well-dressed man",
    "oldman": "the old man",
    "caller": "the one with the phone",
    "capped": "the youth in the cap",
    "backpacker": "the student with the backpack",
}
WITHHELD = "He smiles and says nothing. You have no lever against him, not so far."
SILENT = "There is nothing more to be had here."

EVENTS: Mapping[str, str] = {
    "moved": "You go on to the next place.",
    "unreachable": "That cannot be reached from here.",
    "absent": "There is no such person here.",
    "searched": (
        "At the bar you look up the old records. The ship was declared unfit long ago, and yet she is insured high by "
        "her present owner, and certified. Twice before an accident was paid out for ships of his. You save it all as "
        "evidence."
    ),
    "no_reception": "The reception here is too bad for looking anything up; at the dining bar it might do.",
    "crew": "The crew hear you out. You have nothing to show, and they send you back to your seat, politely.",
    "radio_elsewhere": "The coast can only be called from the radio room.",
    "radio_late": "The coast is out of reach. On this run there will be no rescue.",
    "radio_refused": "You have nothing solid to offer. They tell you to leave the emergency channel free.",
    "radio_called": (
        "What you have convinces them. A boat is setting out; it will come alongside before dawn and take care of the "
        "engine-room side."
    ),
    "radio_again": "The boat is on its way already.",
    "exposed": (
        "You lay the evidence before everyone: this is the man who wants the ship sunk, for the insurance. The crew "
        "take him and hold him."
    ),
    "exposed_again": "He sits under guard; the crew have him.",
    "no_comfort": "Kind words, and nothing comes of them.",
    "trusted": (
        "Something in his face gives way. He takes you for an ally against the owner, and leads you down to where the "
        "hull has been prepared."
    ),
    "trusted_again": "You have his trust already; he is ready to begin.",
    "disarm_elsewhere": "Here is nothing to take apart. You think of the stern, and of the man who stands there.",
    "wrong_person": (
        "You accuse the wrong person. In the confusion the one who really wants the ship to sink does what he came for."
    ),
    "no_evidence": (
        "You say it to his face: he means to scuttle her for the insurance. And you have nothing to back it. He denies "
        "it, turns it round and calls the crew; and now that he is warned, he strikes early."
    ),
    "too_vague": (
        "You accuse him, but you are not certain enough and the charge stays vague. He turns it round, calls the crew, "
        "and strikes first."
    ),
    "comfort_early": (
        "“And he walks about up there,” says the man, for the owner is free and a threat still. He will not trust you; "
        "he goes off alone, the owner gets wind of it and opens the valve before the time."
    ),
    "comfort_ignorant": (
        "You do not know what happened to him, and he hears that. He takes you for somebody the owner has sent."
    ),
    "restrained_ally": "You hold down the only one who was on the ship's side. The real owner has a free hand now.",
    "restrained_other": (
        "You attack somebody with nothing to go on. Everyone comes between, and meanwhile the real danger breaks out."
    ),
    "disarm_alone": "You go down alone and without the skill for it, and open one of the valves by mistake.",
    "disarm_blind": (
        "You know neither where the rig sits nor how it works. Feeling your way, you open a valve by mistake."
    ),
    "one_end": (
        "The stern is made safe. But in the engine room nobody stopped the owner's accomplice, and you could not be at "
        "both ends. The ship goes down."
    ),
    "won": (
        "Both ends are closed: the valve at the stern, which you shut together with the man with the tool bag; and the "
        "engine room, where the coast guard came aboard in time and caught the accomplice. Morning, and a safe port. "
        "Nobody but you remembers, and the loop is over. Everyone is alive."
    ),
}
UNKNOWN = "You do not know how to do that."
DARKNESS = "Then darkness; and you wake, and you are boarding again."
SINKING = "Water comes in from below, and the Sea-Azure goes down. You wake, and you are boarding again."
DOZED = "You doze off. Screams, water to the ceiling, cold. And you wake up again."
OVER = "This loop is over."
LEFT = "You shut your eyes and let the night take its course. The Sea-Azure sinks."

LABELS = {
    "look": "look around",
    "status": "look around",
    "doze": "doze off",
    "search": "look up old case records at the bar",
    "ask_ground": "call the coast guard",
    "disarm": "see to the device",
    "tell_crew": "report to the crew",
} | {f"go_{place}": f"go to the {name}" for place, name in PLACES.items()}
"""What each action means, without anyone's name or part."""
_DOING = {
    "talk": "talk to",
    "examine": "look closely at",
    "confront": "accuse",
    "comfort": "comfort",
    "restrain": "hold down",
}
LABELS |= {f"{verb}_{person}": f"{_DOING[verb]} {LOOKS[person]}" for person in PEOPLE for verb in VERBS}


WAYS = {place: f"Ways: {', '.join(PLACES[way] for way in ways)}." for place, ways in NEIGHBOURS.items()}


def opening(episode: int) -> str:
    """What is said before the scene in episodes after the prologue."""
    return SECOND_TIME if episode == 2 else LATER


def scene(loop: Loop) -> str:
    """Where the player is, what time it is, who is there, where one can go."""
    phase = next(text for last, text in PHASES if loop.segment <= last)
    lines = [f"{PLACES[loop.place]}. {phase}"]
    if loop.place == "platform":
        lines.append(RADIO_OPEN if loop.radio_reaches else RADIO_CLOSED)
    here = [
        f"{LOOKS[person]} ({NOTICED[person]})" if person in loop.examined else LOOKS[person]
        for person in PRESENT[loop.place]
    ]
    lines.append(f"People here: {'; '.join(here) if here else 'nobody'}.")
    lines.append(WAYS[loop.place])
    lines.append(f"Segment {loop.segment}/{LAST_SEGMENT}")
    return "\n".join(lines)


def score_line(score: int) -> str:
    return f"Score of this loop: {score}."


def message(done: Act) -> str:
    """What a command led to, without the scene."""
    person = done.person
    if done.event == "told":
        return f"You talk to {SPEAKER[person]}. {TALK[person][done.layer]}"
    if done.event == "withheld":
        return f"You talk to {SPEAKER[person]}. {WITHHELD}"
    if done.event == "silent":
        return f"You talk to {SPEAKER[person]}. {SILENT}"
    if done.event == "noticed":
        return f"You look closely at {LOOKS[person]}: {NOTICED[person]}."
    return EVENTS[done.event]


def answer(done: Act) -> str:
    """The whole observation after a command."""
    loop = done.loop
    if done.event == "unknown":
        return UNKNOWN
    if not loop.outcome:
        return f"{message(done)}\n\n{scene(loop)}"
    if loop.outcome == "sunk":
        return f"{message(done)}\n\n{scene(loop)}\n\n{SINKING} {score_line(loop.score)}"
    after = f" {DARKNESS}" if loop.outcome == "failed" else ""
    return f"{message(done)}{after} {score_line(loop.score)}"
