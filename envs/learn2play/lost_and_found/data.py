"""What the cases of Lost and Found are made of: ten kinds of items, people, and the sizes of what is drawn."""

from __future__ import annotations

from typing import NamedTuple

CLAIMANTS = ("claimant_a", "claimant_b", "claimant_c", "claimant_d")
OWNER, FINDER, ASSOCIATE, MIMIC = ROLES = ("owner", "finder", "associate", "mimic")
TOPICS = ("concealed_detail", "relationship", "loss_timeline")
"""The topics always to be asked about; the later two open after enough questions."""
LATE_TOPICS = {"last_use": 2, "recovery_scene": 4}
"""Topic by the number of different questions the claimant must have been asked before it is listed."""
PUBLIC, PRIVATE = MODES = ("publicly", "privately")

CASES = 3
MAX_TURNS = 24
PRIVACY, ISOLATION, CHECKS, TRUST = 8, 3, 3, 100
NEUTRAL_EVENTS = 20
OPENINGS = {OWNER: 4, FINDER: 3, ASSOCIATE: 3, MIMIC: 4}
"""How many ways each role has to open its claim."""


class Bundle(NamedTuple):
    """What belongs together: a hidden alteration, why it was made, an ordinary content, where the loss was noticed."""

    marker: str
    purpose: str
    shallow: str
    last_place: str


class Archetype(NamedTuple):
    """A kind of item. Orders of events, relevant records and decoy records go by the drawn index 0 or 1."""

    names: tuple[str, ...]
    surfaces: tuple[str, ...]
    scenes: tuple[str, ...]
    bundles: tuple[Bundle, ...]
    orders: tuple[str, str]
    relevant: tuple[tuple[str, str], ...]
    decoys: tuple[tuple[str, str], ...]


ARCHETYPES = {
    "camera_case": Archetype(
        names=("canvas camera case", "hard-shell camera case", "slim camera case"),
        surfaces=("a grey lid with a scuffed corner", "a brown flap with a brass stud", "a black side with a sticker"),
        scenes=("under the bench by the carousel", "on the ledge of a ticket window", "beside the drinking fountain"),
        bundles=(
            Bundle(
                "a strip of blue felt glued under the lid",
                "the felt was glued in because the lens rattled on the school bus",
                "a lens cloth in a paper sleeve",
                "the ferry pier",
            ),
            Bundle(
                "a knot of green cord in place of the zip pull",
                "the cord was tied on after the old pull had broken off in a frozen car park",
                "two spent batteries",
                "the swan boats",
            ),
            Bundle(
                "a small bell sewn inside the strap",
                "the bell was sewn in to hear at once when a little nephew picks the case up",
                "a lens cap that fits nothing in it",
                "the rose garden",
            ),
        ),
        orders=("the carousel first, then the photo booth", "the lockers first, then the puppet theatre"),
        relevant=(
            (
                "photo_booth_log",
                "Photo booth, strip 31: such a case is in the frame, beside a wrist with a carousel stamp.",
            ),
            ("locker_access_log", "Locker 118: opened and shut again before the puppet theatre let in its audience."),
        ),
        decoys=(
            ("west_gate_camera", "West gate camera: umbrellas, and the backs of heads."),
            ("gift_shop_till", "Gift shop till: postcards and key rings, all paid in coins."),
        ),
    ),
    "backpack": Archetype(
        names=("hiking backpack", "roll-top backpack", "school backpack"),
        surfaces=("a red rain cover with a tear", "olive canvas gone pale at the seams", "a reflective band in front"),
        scenes=(
            "behind the hedge of the maze",
            "at the foot of the rope stairs",
            "on the last seat of the little train",
        ),
        bundles=(
            Bundle(
                "a second buckle sewn upside down on the left strap",
                "the buckle was turned because a stiff hand could not press the old one",
                "a half-empty water bottle",
                "the picnic lawn",
            ),
            Bundle(
                "a square of sailcloth stitched into the bottom",
                "the sailcloth went in after a night of rain had rotted the bottom through",
                "a rolled-up jumper",
                "the bird house",
            ),
            Bundle(
                "a row of five knots on the inner loop",
                "the knots were made to count the summits walked with a grandfather",
                "a bag of dried apple",
                "the lookout tower",
            ),
        ),
        orders=("the climbing wall first, then the rope bridge", "the north lockers first, then the mini golf"),
        relevant=(
            (
                "climbing_entry_log",
                "Climbing wall, slip 44: a backpack given back, its carrier bound for the rope bridge.",
            ),
            ("north_locker_log", "North lockers: a bag taken out again shortly before a round of mini golf was paid."),
        ),
        decoys=(
            ("south_locker_log", "South lockers: eleven doors opened, all of them for prams."),
            ("tram_manifest", "Tram manifest: forty passengers; luggage is not counted."),
        ),
    ),
    "thermos": Archetype(
        names=("steel thermos", "blue enamel thermos", "travel thermos"),
        surfaces=("a dent near the base", "a green cup for a lid", "a ring of worn paint at the neck"),
        scenes=("on the wall of the ice rink", "by the flower clock", "under a table of the tea garden"),
        bundles=(
            Bundle(
                "a band of copper wire under the base",
                "the wire was wound on because the flask slid off the tilted shelf of a crane cab",
                "an inch of cold tea",
                "the greenhouse",
            ),
            Bundle(
                "a cork ring pressed into the lid",
                "the cork was cut after the rubber seal had split on a winter march",
                "a tea bag still in its wrapper",
                "the aviary",
            ),
            Bundle(
                "three dots of red enamel inside the cup",
                "the dots were painted to show how much a sick mother had drunk",
                "a little sugar in a twist of paper",
                "the sundial",
            ),
        ),
        orders=("the ice rink first, then the warming hut", "the tea garden first, then the bandstand"),
        relevant=(
            ("rink_exit_log", "Rink exit: skates given back, and a flask carried on towards the warming hut."),
            ("tea_receipt", "Tea garden receipt: one refill, stamped before the band began to play."),
        ),
        decoys=(
            ("arcade_camera", "Arcade camera: flashing cabinets, and nobody's hands."),
            ("bakery_receipt", "Bakery receipt: six rolls, and nothing else."),
        ),
    ),
    "plush_toy": Archetype(
        names=("plush hare", "plush otter", "plush owl"),
        surfaces=("one ear lighter than the other", "a ribbon gone grey", "a bald patch on the belly"),
        scenes=("in the hollow of the story tree", "on the kerb of the parade route", "in the basket of a hired pram"),
        bundles=(
            Bundle(
                "a button of horn sewn under the left arm",
                "the button was sewn on because a small sister only sleeps with something to turn in her fingers",
                "a crumb of biscuit in a fold",
                "the duck pond",
            ),
            Bundle(
                "a seam in orange thread along the back",
                "the back was sewn up after a dog had carried the toy through a thorn hedge",
                "a bus ticket in the paw pocket",
                "the sand pit",
            ),
            Bundle(
                "a letter K stitched inside the collar",
                "the letter was stitched to tell the toy from a twin's",
                "a hair clip",
                "the bubble fountain",
            ),
        ),
        orders=("the story stage first, then the face painter", "the parade first, then the candy stall"),
        relevant=(
            (
                "story_stage_photo",
                "Story stage, photo 9: the toy in the second row, every face around it still unpainted.",
            ),
            ("parade_camera", "Parade camera: the toy is held up at the kerb while the candy stall is still shut."),
        ),
        decoys=(
            ("coat_check_log", "Coat check: nineteen coats and two hats."),
            ("east_gate_camera", "East gate camera: turned to the sky all day."),
        ),
    ),
    "notebook": Archetype(
        names=("cloth-bound notebook", "spiral notebook", "pocket notebook"),
        surfaces=("a coffee ring on the cover", "a cover of marbled paper", "a bent lower corner"),
        scenes=("on the sill of the map room", "between two seats of the science hall", "in a rack of leaflets"),
        bundles=(
            Bundle(
                "a hinge of surgical tape at the middle page",
                "the tape went in because the binding gave way in a hospital waiting room",
                "a shopping list",
                "the fossil wall",
            ),
            Bundle(
                "a hole through the last forty pages",
                "the hole was punched round and clean after a tripod spike had gone half through",
                "a pressed clover",
                "the star dome",
            ),
            Bundle(
                "a thread of violet wool as a second bookmark",
                "the wool marks the place where a friend who has died left off writing",
                "a stub of pencil",
                "the mineral cellar",
            ),
        ),
        orders=("the map room first, then the tide tank", "the science show first, then the echo tunnel"),
        relevant=(
            (
                "map_room_entry",
                "Map room, entry sheet: a reader leaves with a notebook and asks the way to the tide tank.",
            ),
            ("science_show_photo", "Science show, photo 3: a notebook on a knee, the echo tunnel still roped off."),
        ),
        decoys=(
            ("bookshop_till", "Bookshop till: nine paperbacks, no stationery."),
            ("west_hall_camera", "West hall camera: an empty hall and a clock that has stopped."),
        ),
    ),
    "headphone_case": Archetype(
        names=("round headphone case", "zipped headphone case", "hard headphone case"),
        surfaces=("a cracked corner", "a glossy black lid", "a strip of worn velvet along the edge"),
        scenes=("on the rear platform of the tram", "under a sofa of the quiet room", "on top of a parking meter"),
        bundles=(
            Bundle(
                "a patch of yellow oilcloth inside the lid",
                "the oilcloth was pasted in because water kept dripping from a tent roof",
                "a tangled cable",
                "the wind organ",
            ),
            Bundle(
                "a bent hairpin in place of the hinge pin",
                "the hairpin was put in after the hinge had snapped on a stage",
                "a spare ear pad",
                "the listening wall",
            ),
            Bundle(
                "two notches cut into the foam",
                "the notches make room for a pair of hearing aids",
                "a chewing gum wrapper",
                "the chime gate",
            ),
        ),
        orders=("the tram first, then the hall of mirrors", "the quiet room first, then the water organ"),
        relevant=(
            ("tram_boarding_log", "Tram boarding: a rider with such a case gets off at the hall of mirrors."),
            ("quiet_room_log", "Quiet room: one cushion given back, ten minutes before the water organ's first piece."),
        ),
        decoys=(
            ("arcade_prize_log", "Arcade prizes: four yo-yos given out."),
            ("north_gate_camera", "North gate camera: delivery vans, nothing but delivery vans."),
        ),
    ),
    "umbrella_sleeve": Archetype(
        names=("plain umbrella sleeve", "striped umbrella sleeve", "waxed umbrella sleeve"),
        surfaces=("a mud line along the seam", "a checked pattern", "a cord with a wooden toggle"),
        scenes=(
            "on the railing of the rain simulator",
            "in a bucket at the coat check",
            "across a bench at the lily pond",
        ),
        bundles=(
            Bundle(
                "a tongue of leather riveted in at the tip",
                "the leather was riveted in because the metal point kept piercing the bottom on bicycle rides",
                "a few grains of sand",
                "the moss garden",
            ),
            Bundle(
                "a ring of black tape round the middle",
                "the tape was wound on after a tram door had torn the sleeve",
                "the stub of a theatre ticket",
                "the cloud cinema",
            ),
            Bundle(
                "a loop of parachute line at the mouth",
                "the loop lets the sleeve hang from a wheelchair",
                "a damp leaf",
                "the weather tower",
            ),
        ),
        orders=("the rain simulator first, then the puddle course", "the coat check first, then the glass bridge"),
        relevant=(
            ("rain_sim_exit", "Rain simulator, exit: one dripping umbrella, carried off towards the puddle course."),
            (
                "coat_check_log",
                "Coat check: an umbrella in its sleeve handed out again, the glass bridge still closed.",
            ),
        ),
        decoys=(
            ("weather_desk", "Weather desk: showers until three, dry from then on."),
            ("south_gate_camera", "South gate camera: a wall of wet glass."),
        ),
    ),
    "card_wallet": Archetype(
        names=("leather card wallet", "fabric card wallet", "slim metal card wallet"),
        surfaces=("an edge with loose stitches", "a monogram worn past reading", "a blue stripe"),
        scenes=("in the tray of the reload machine", "on the floor before the lockers", "on a saddle of the pony ride"),
        bundles=(
            Bundle(
                "a sliver of x-ray film in the rear slot",
                "the film was slipped in because the cards used to crack in a cold workshop",
                "an expired bus card",
                "the ring toss",
            ),
            Bundle(
                "a line of white stitches across the fold",
                "the fold was sewn after it had torn on a nail in a mountain hut",
                "a dry cleaning slip",
                "the ghost train",
            ),
            Bundle(
                "a thumb hole cut into the side",
                "the hole lets the cards be pushed out with one hand",
                "a passport photo of a cat",
                "the tin can alley",
            ),
        ),
        orders=("the lockers first, then the bumper cars", "the reload machine first, then the flying chairs"),
        relevant=(
            ("locker_payment_log", "Locker payments: one card charged shortly before the bumper cars started up."),
            (
                "reload_machine_log",
                "Reload machine: a card topped up, and the next charge on it is at the flying chairs.",
            ),
        ),
        decoys=(
            ("cash_machine_log", "Cash machine: out of order since the morning."),
            ("retail_camera", "Retail camera: shelves, and a mop."),
        ),
    ),
    "lunch_bag": Archetype(
        names=("quilted lunch bag", "tin-lined lunch bag", "waxed paper lunch bag"),
        surfaces=("a tomato stain", "a checked flap", "a handle wrapped in string"),
        scenes=(
            "on the counter of the cooking show",
            "under a chair of the family room",
            "on a step of the open kitchen",
        ),
        bundles=(
            Bundle(
                "a pocket of mosquito net sewn to the lining",
                "the net was sewn in because a child with allergies must see what lies inside",
                "an apple core",
                "the herb spiral",
            ),
            Bundle(
                "a clasp made of a bicycle valve",
                "the clasp was made after the magnet had fallen out on a long ride",
                "a folded napkin",
                "the honey stand",
            ),
            Bundle(
                "a row of numbers inked under the flap",
                "the numbers are the hours of a father's medicine",
                "an empty yoghurt jar",
                "the bread oven",
            ),
        ),
        orders=("the cooking show first, then the cheese cellar", "the family room first, then the pedal boats"),
        relevant=(
            ("cooking_show_photo", "Cooking show, photo 12: the bag on a lap, the cheese cellar not yet called."),
            ("family_room_log", "Family room: one party out at a quarter past one, asking for the pedal boats."),
        ),
        decoys=(
            ("restaurant_booking", "Restaurant bookings: two tables, both cancelled."),
            ("kitchen_till", "Kitchen till: soup, soup and soup."),
        ),
    ),
    "console_pouch": Archetype(
        names=("padded console pouch", "knitted console pouch", "neoprene console pouch"),
        surfaces=("a loose zip", "a pattern of small squares", "a wrist strap with a plastic clip"),
        scenes=(
            "at a socket of the charging station",
            "on a cabinet of the retro arcade",
            "behind the waiting-room cushions",
        ),
        bundles=(
            Bundle(
                "a sheet of cardboard under the lining",
                "the cardboard was put in because the screen used to be squeezed in a full tram",
                "a stylus without a tip",
                "the laser maze",
            ),
            Bundle(
                "a blob of silver solder on the zip",
                "the zip was soldered after its slider had come off at a tournament",
                "a manual for some other game",
                "the giant chess",
            ),
            Bundle(
                "a tab of red ribbon on the left side",
                "the ribbon tells left from right in the dark",
                "a button cell",
                "the trick stairs",
            ),
        ),
        orders=("the charging station first, then the robot show", "the retro arcade first, then the slot cars"),
        relevant=(
            ("charging_station_log", "Charging station: socket six is free again just before the robot show."),
            ("retro_arcade_log", "Retro arcade: a last high score entered, and the player off to the slot cars."),
        ),
        decoys=(
            ("prize_counter_log", "Prize counter: tickets, counted twice."),
            ("food_hall_camera", "Food hall camera: steam on the lens."),
        ),
    ),
}

FIRST_NAMES = (
    "Adele", "Basil", "Corin", "Dalia", "Emeka", "Fenna", "Gaspar", "Hedda", "Idris", "Jolan", "Kaito", "Liesl",
    "Marek", "Nadia", "Otto", "Priya", "Quentin", "Rosa", "Stellan", "Tamar", "Ulrich", "Vera", "Wanda", "Xenia",
    "Yusuf", "Zelda", "Anselm", "Bruna", "Cosmo", "Delphine", "Erwin", "Flavia", "Goran", "Hanneke", "Ivo", "Judit",
    "Kester", "Lucia", "Malik", "Nerys",
)  # fmt: skip
BIOGRAPHIES = (
    "repairs clocks in a side street", "drives the night bus", "teaches swimming", "keeps bees on a roof",
    "sorts letters at the post office", "tunes pianos", "sells vegetables at the market", "is training as a nurse",
    "paints shop signs", "looks after a school library", "bakes before dawn", "measures land for the town",
    "mends nets by the harbour", "runs a stall of old records", "walks other people's dogs", "drives a crane",
    "translates letters for newcomers", "grows orchids", "referees football on Sundays", "is retired from the railway",
)  # fmt: skip
