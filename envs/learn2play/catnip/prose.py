"""The longer prose of Catnip Singularity: people, scenes, what each reward reads like at each tier."""

from __future__ import annotations

DESCRIPTIONS = {
    "grad_student": "Nobody has spoken to her for days; she holds out a hopeful hand towards you, palm open.",
    "janitor": "He hums to himself over the mop, and the silent building at night suits him well.",
    "security_guard": "He starts at every flicker, and his eyes never come to rest.",
    "researcher": "Her tired eyes hang on a monitor, and she murmurs to herself to stay awake.",
    "inspector": "His look is fixed on his documents, and his uneasy fingers turn a pen over and over.",
    "ceo": "A hard executive whose eyes and ears miss nothing; behind the calm, something is off balance.",
}
SCENES = {
    "janitor": "Out in the corridor a mop slaps the floor to a hummed tune: the CALM JANITOR.",
    "security_guard": "Round the corner a lamp is swept about by a restless man: the NERVOUS SECURITY GUARD.",
    "researcher": "In a dim laboratory a woman half asleep is talking at a monitor: the SLEEPY RESEARCHER.",
    "inspector": "Behind a desk sits a stiff man with a pen between his fingers: the GOVERNMENT INSPECTOR.",
    "ceo": "On the top floor somebody sits motionless and watches the entrance: the CEO OF NIPTECH CORP.",
}
REWARD_TEXTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "grad_student": (
        (
            "She lets you sit on a few loose pages, and you read what you sit on.",
            "She pushes a whole folder over so that you have a soft place to lie.",
            "She falls asleep over the complete notebook, and it is yours until morning.",
        ),
        (
            "She scratches you behind the ear, and you learn how to tilt your head.",
            "She tells you about her week, and you learn when to blink slowly.",
            "She has decided that you are the only one who understands her, and you learn why.",
        ),
        (
            "Her leftover coffee makes your fur stand on end.",
            "Something from the third cup makes your claws come out by themselves.",
            "What she drinks before a deadline turns you into a thing with too many teeth.",
        ),
    ),
    "janitor": (
        (
            "He leaves the door to the broom cupboard on the latch for you.",
            "He shows you which flap leads into which floor.",
            "He hangs the whole ring of keys where a paw can reach it.",
        ),
        (
            "He says that floors creak only under those who hurry.",
            "He shows you how he crosses a whole hall without being noticed.",
            "He tells you what thirty years of night shifts have taught him about not being there.",
        ),
        (
            "He looks away while you go through the lower drawer of his cart.",
            "He opens the middle drawer and lets you pick.",
            "He turns the whole cart over to you and goes to lunch.",
        ),
    ),
    "security_guard": (
        (
            "He waves you through the first barrier without a look at the list.",
            "He makes you a pass with your picture on it, ears and all.",
            "He switches the cameras of a whole wing off, only for you.",
        ),
        (
            "He shows you a few things from his first week of training.",
            "He takes you along on a round and lets you lead the second half.",
            "He teaches you everything he knows, and whom to look at while doing it.",
        ),
        (
            "You may keep what lies on top in the confiscated box.",
            "You may dig a little in the confiscated box.",
            "You may have the confiscated box, and sit in it afterwards.",
        ),
    ),
    "researcher": (
        (
            "She prints a summary, and you happen to lie on the printer.",
            "She leaves her session open when she goes for tea.",
            "She writes the password on a note and sticks it to your forehead.",
        ),
        (
            "She reads you the first chapter of an introduction.",
            "She lectures until both of you see the world a little differently.",
            "She goes through the whole course with you, exercises included.",
        ),
        (
            "One shelf of the store room is at your disposal.",
            "Two shelves of the store room are at your disposal.",
            "The store room is at your disposal, and nobody counts.",
        ),
    ),
    "inspector": (
        (
            "He stamps one form, and the form is yours.",
            "He stamps the whole pile without reading it again.",
            "He leaves you the stamp.",
        ),
        (
            "He lets you attend the introductory seminar for public servants.",
            "He enrols you in the course on discretion and long meetings.",
            "He has you promoted through the whole programme in an afternoon.",
        ),
        (
            "In his case, under the files, is a small compartment.",
            "In his case, under the small compartment, is a second one.",
            "His case turns out to be nothing but compartments.",
        ),
    ),
    "ceo": (
        (
            "A chair is cleared for you at the far end of the board.",
            "Half of the board now votes as you do.",
            "The board has gone, and the chair at its head is warm.",
        ),
        (
            "There is a handshake, or near enough to one.",
            "There is a contract, signed and sealed.",
            "There is a joint company, and it was your idea all along.",
        ),
        (
            "You leave the office with what lay on the desk.",
            "You leave the office with what lay in the safe.",
            "You leave the office with what only one person had ever known.",
        ),
    ),
}
CAT_CHOSEN = {
    "british shorthair": "Round, golden and unhurried: you are a British Shorthair, and nothing ruffles you.",
    "ragdoll": "A white cloud with blue eyes: you are a Ragdoll, and hands reach for you by themselves.",
    "bobcat": "Tufted ears and a stare from the woods: you are a Bobcat, and rooms fall quiet when you enter.",
    "black cat": "A shadow that has left its owner: you are a Black Cat, and nobody has heard you come in.",
    "orange kitten": "All paws and no plan: you are an Orange Kitten, and something has already fallen over.",
}
CAT_HINTS = {
    "british shorthair": "even-tempered, not easily upset",
    "ragdoll": "soft and white, no good at sneaking or at scaring",
    "bobcat": "wild; a hunter's presence in place of elegance",
    "black cat": "unheard and unseen",
    "orange kitten": "disorderly, never tired, little finesse",
}
CLOSING = {
    "british shorthair": "You fold your paws on the highest desk of the city and close your eyes.",
    "ragdoll": "You lie down in the middle of the conference table, and it is yours.",
    "bobcat": "From the roof you look over the city as one looks over a hunting ground.",
    "black cat": "No one will ever know who pulled the strings; there is only a hair on the carpet.",
    "orange kitten": "You have won, you knock a vase down, and you have won again.",
}
RANK_LINES = {
    "Supreme Feline Overlord": "The world smells of catnip.",
    "Master Manipulator": "They will never know what happened to them.",
    "Cunning Cat": "More than one person will think of you tonight.",
    "Competent Kitten": "A beginning has been made.",
    "House Pet": "There is a bowl with your name on it, and that is all.",
}
ACTION_LINES = {
    "purr": "You let a purr roll through the room.",
    "scratch": "You put your claws to use.",
    "play": "You chase something only you can see.",
    "stare": "You stare without blinking.",
    "knead": "You knead with great seriousness.",
}
ITEM_LINES = {
    "MUSIC BOX": ("a thin melody eases the air", "eases tension"),
    "CATNIP TOY": ("you roll over it shamelessly, and hearts melt", "gains affection"),
    "SALMON TREAT": ("shared food makes friends", "gains trust"),
    "LASER POINTER": ("a red dot breaks loose and all order with it", "brings disorder"),
    "SCRATCHING POST": ("you show it who is master here", "lends authority"),
    "GROOMING KIT": ("every hair falls into place", "lends charm"),
    "SHADOW CLOAK": ("the corners of the room fold around you", "lends stealth"),
    "ENERGY DRINK": ("it smells of tuna and sleepless nights", "gives stamina"),
}
