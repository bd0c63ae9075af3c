"""Names, people and places of Roadside Observatory (the order of each list matters), and the figures of the rules."""

from __future__ import annotations

from typing import NamedTuple

TRAVELLERS = ("Ari", "Nell", "Sol", "Mara", "Tavi", "June", "Oren", "Lina", "Pax", "Vale")
WEATHERS = (
    "A high thin haze lies over the hills.",
    "The sky is clear, and the air smells of warm dust.",
    "Clouds drift from the west and leave blue between them.",
    "A cold wind comes down from the mountain.",
    "After rain the road shines.",
)

MAP, THERMOS, KIT, TOKEN, CLUE = ITEM_KINDS = ("map", "thermos", "repair kit", "token", "map clue")
ITEM_NAMES = {
    MAP: ("creased map", "folded route sheet", "old ridge chart", "pocket road map"),
    THERMOS: ("warm flask", "green thermos", "tin tea bottle", "wrapped cocoa jar"),
    KIT: ("patched cable kit", "pocket repair roll", "spare clamp set", "taped tool pouch"),
    TOKEN: ("lookout sketch", "pinecone charm", "stamped trail card", "small brass marker"),
    CLUE: ("coded ridge mark", "star-bend note", "inked switchback clue", "observatory map scrap"),
}

STARTS = {
    "Milepost Cafe": "Cups clink behind the counter, and somebody has chalked the distance to everywhere on the wall.",
    "Lowbridge Market": "Crates are being stacked under the arches; the last stall still sells bread.",
    "Juniper Depot": "Freight cars without wheels stand in a row, and juniper grows between them.",
    "Old Quarry Stop": "A pale bite out of the hillside keeps the wind off the road.",
    "Westbend Kiosk": "The kiosk sells papers of last week and has its shutter half down.",
    "Pinewash Store": "Resin drips from the porch roof onto a bench of split logs.",
}
LANDMARKS = {
    "Glasswater Overlook": "Far below lies a lake so still that it holds the whole sky.",
    "Split Pine View": "Lightning has parted a pine down to the root, and the valley shows through the gap.",
    "Echo Culvert": "Under the road runs a pipe that gives every word back, a little later and a little deeper.",
    "Sun Dial Pullout": "In the gravel somebody has laid out a sundial as wide as a barn.",
    "Blue Lichen Wall": "A cliff beside the road is overgrown with lichen of a blue you have not seen before.",
}
ROAD_PLACES = {
    "Scree Mile": "Loose stone has run down over half the road.",
    "Switchback Orchard": "Apple trees lean over three tight bends.",
    "Mica Shoulder": "The verge glitters as if it had been swept together from mirrors.",
    "Cold Spring Fork": "A spring comes out of the bank where the road divides and joins again.",
    "Wind Gap": "Here the mountain lets the wind through, and talk with it.",
}
OBSERVATORIES = {
    "Harrow Peak Observatory": "A dome of riveted plates sits on the bare peak.",
    "Mount Sable Observatory": "Dark slate leads up to a dome that stands open by a hand's breadth.",
    "Northglass Dome": "The dome is of frosted glass and glows from within.",
    "Cairnlight Observatory": "Cairns with lamps in them line the way to a small round house.",
    "Silver Fir Station": "Between firs white with frost a narrow dome looks out.",
}
STOPS = (
    "Willow Bus Shed", "Dry Creek Stand", "Mossgate Bend", "North Switchback", "Tin Roof Halt", "Maple Pump",
    "Cinder Turnout", "Ridge Orchard", "Bellpost Corner", "Hollow Bridge",
)  # fmt: skip

MECHANIC, RANGER, HIKER, COLLECTOR, DRIVER = TYPES = ("mechanic", "ranger", "hiker", "collector", "driver")
ASTRONOMER = "astronomer"
"""Hidden types of people; no text names them."""
STOP_TEXTS = {
    MECHANIC: "Tools hang in rows, and something broken lies in its parts on a cloth.",
    RANGER: "Footpaths begin here, each with its own worn signpost.",
    HIKER: "There is shade, a flat stone and a reason to pause.",
    COLLECTOR: "Papers are put on show behind glass, each with a label in a careful hand.",
    DRIVER: "There is room here for vehicles to stop and turn.",
}


class Person(NamedTuple):
    """Somebody on the road: name, trade, what one sees at once, what one sees by looking closely."""

    name: str
    role: str
    appearance: str
    clue: str


PEOPLE = {
    MECHANIC: (
        Person(
            "Mira",
            "bicycle fitter",
            "kneels beside an upturned bicycle and threads a chain",
            "Mira looks up at those who really follow what is being done, and past all the others.",
        ),
        Person(
            "Old Len",
            "tyre mender",
            "turns a worn tyre in a tub and looks for bubbles",
            "Old Len glances at the tools and then at your hands, as if he waited for these before any word.",
        ),
        Person(
            "Sana",
            "engine hand",
            "bends into an open engine with a lamp between her teeth",
            "Sana is short with people in passing and thaws a little towards whoever stays.",
        ),
    ),
    RANGER: (
        Person(
            "Rook",
            "path warden",
            "writes wind and cloud into a fat book",
            "Rook looks you over, the knees, the breath, the colour of the face.",
        ),
        Person(
            "Edda",
            "ridge keeper",
            "compares a barometer with a list of closed paths",
            "Edda nods after the careful and shakes her head after the quick.",
        ),
        Person(
            "Toma",
            "guardian of the shelter",
            "chalks the state of the paths onto a board",
            "Toma asks everyone how they are and waits for an honest reply.",
        ),
    ),
    HIKER: (
        Person(
            "Iris",
            "long-distance walker",
            "sits on her pack and cuts an apple into slices",
            "Iris clears a place beside her before she says a word.",
        ),
        Person(
            "Cale",
            "wanderer",
            "dries his socks on a stone and stirs a pot",
            "On the map over Cale's knees runs a turn that no public map has.",
        ),
        Person(
            "Niko",
            "rambler",
            "has unlaced his boots and spread out a blanket with his gear",
            "Where Niko sits, tales and small gifts go round first, and tips later.",
        ),
    ),
    COLLECTOR: (
        Person(
            "Jun",
            "keeper of postcards",
            "sorts old picture cards into a glass case",
            "Jun looks along the road you came by, curious about what lies behind you.",
        ),
        Person(
            "Pell",
            "recorder of tales",
            "pins handwritten slips to a wall of cork",
            "Pell's slips are all about odd places, the odder the better.",
        ),
        Person(
            "Mae",
            "album keeper",
            "turns the pages of an album full of tickets",
            "Mae's eye rests on pockets, as if a keepsake might look out of one.",
        ),
    ),
    DRIVER: (
        Person(
            "Voss",
            "trucker",
            "waits at the wheel with the motor running and waves you nearer",
            "Voss makes his offer before you have told him where you are going.",
        ),
        Person(
            "Talia",
            "minibus operator",
            "holds a door open, motor humming, and smiles at the free seats",
            "Talia tells of a shortcut in the manner of a thing learnt by rote.",
        ),
        Person(
            "Rem",
            "van courier",
            "leans from a running van and pats the seat beside him",
            "Rem is a good deal friendlier than he is precise.",
        ),
    ),
    ASTRONOMER: (
        Person(
            "Dr. Vey",
            "head of the dome",
            "adjusts the slit of the roof and does not turn round at once",
            "Dr. Vey watches the sky, and beside it how much alertness is left in you.",
        ),
        Person(
            "Lio",
            "dome assistant",
            "polishes an eyepiece by the entrance",
            "Lio looks at maps, and longest at those that have a mark on them.",
        ),
        Person(
            "Ansel",
            "telescope keeper",
            "notes the time at the foot of the great telescope",
            "Ansel would like some proof of the way by which you came.",
        ),
    ),
}

MAX_TURNS = 28
LAST_PLACE = 9
TAGS_KEPT = 16
RECENT = 3
MAX_SUPPLIES = 5
MAX_ENERGY = 100
RANGER_ENERGY = 45
DOME_ENERGY = 25
DOME_SUCCESSES = 2
NOTICE_CHANCE = 0.25
