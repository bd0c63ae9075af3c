"""The sentences of Patch Reality by what they are about; `texts` puts them together."""

from __future__ import annotations

HELP = (
    "The world has flaws, and you are one of the few who can look at them closely and mend them. To investigate costs "
    "Focus; to patch or to wait moves the scene on by a turn.\n"
    "A flaw is diagnosed on three axes. `source`: where the trouble comes from, which need not be where it shows. "
    "`type`: the family of the conflict, be it physics, records, identity or another. `strategy`: the answer that "
    "repairs the cause and does the least damage.\n"
    "Facts come from observing, and from an audit where the surface tells too little. Patches that your evidence "
    "supports show up only when all three axes fit it. After a wrong combination nobody tells you the solution; you "
    "will be advised to think again. To fail an ordinary level does not end the campaign."
)
CONSISTENT = "All three axes have to be consistent before any patch appears."

PREMISES = (
    "A copper coin rolls, slowly, towards a storm drain; once it drops in, it is lost. There is time for a few looks, "
    "not for many. Let what you find here decide, and not what may have worked for you some other time.",
    "On a kitchen table a glass trembles, though nothing outside shakes it. To calm the table seems the thing to do. "
    "And yet there is something odd about that table, and the rhythm is too regular to be chance.",
    "A house key jumps to and fro between two forms, and each time the foreign one stays a little longer. To alter a "
    "thing itself is a suspect move as a rule; but time is short.",
    "A hospital screen says that you died yesterday. The reflex is to correct it. A lie of that kind may have been "
    "laid out, though, just to see who comes to repair it.",
    "In a stairwell every echo arrives a moment before its step. It feels like something that happens in your own "
    "head. Trust what can be measured above what it feels like.",
    "An order is pending and delivered at the same time. Whoever corrects the field finds it wrong again soon after, "
    "copied back from somewhere downstream: some layer keeps rewriting it. Tell the sources from the echoes.",
    "Above a full plaza a woman floated for a few breaths, and dozens saw and filmed it. A physical excuse comes to "
    "mind at once, but it would come too late. Find out what is left that can be contained.",
    "Your identity record has been exchanged for a false one, and the false one spreads. An agent holds out a "
    "contract: one signature, and the correction is official. Offers like this have a price, and the one that seems "
    "cheapest is the most suspect. Before you sign or edit anything, find out where an identity really resides.",
)
OBJECTIVES = (
    "keep the coin out of the drain",
    "end the trembling where it comes from",
    "bring the key back to its one true form",
    "count as alive again, at the anchor that really decides it",
    "remove whatever makes the echo come early",
    "give the order one lasting status, in all places",
    "keep the impossible event from becoming public",
    "regain your identity without giving up its anchor",
)
INTRO = {
    0: "First lesson: observe, then diagnose all three axes, then patch. You will be guided on the way.",
    1: "A reminder: observe, diagnose, patch. When an observation says that the surface does not tell enough, look for "
    "an audit.",
}
LOST = (
    "The coin tips over the edge of the drain and is gone.",
    "The trembling spreads to the window; the panes take it up.",
    "Key and lock settle together into the foreign form.",
    "Other systems have adopted the record of your death.",
    "You no longer notice that the echo comes early. It simply does.",
    "The queue runs, and whatever had been repaired here in part is undone.",
    "The clips are out, and they multiply.",
    "The invention is now the person everybody takes for you.",
)

CLUES = {
    "coin": "It rolls slowly and holds a straight course. Nothing drives it but the slight incline under it.",
    "pavement": "Wet and slick, it slopes towards the drain. On a street that is drying, a little more grip would "
    "strike nobody as unnatural.",
    "drain": "It is close. A few turns are left, and a miss would be final.",
    "cup": "The glass keeps one even, unchanging rhythm: more like something replayed than like a reaction.",
    "table": "It stands firm and quite still. The trembling does not originate here.",
    "residual_patch": "The trace of an old repair that nobody cleared away. What it is still doing, the surface does "
    "not tell; only a direct audit can.",
    "key": "It cannot decide between two states, and less so with every moment. The fault is its own and not that of "
    "its surroundings.",
    "lighting": "The lamp burns steadily. This is no optical effect: the change is the same in any light.",
    "door_lock": "The lock has begun to follow the key into the wrong form, and with it your home address is at stake.",
    "hospital_ledger": "Too tidy, too complete, freshly written, and tied to no other record: as if planted for you.",
    "wristband": "It carries the first and main tie to your person, and that tie is no longer tight. Other records "
    "depend on it.",
    "perception": "It feels, persuasively, like a fault of your own. That very persuasiveness is typical of an "
    "attribution that is wrong.",
    "stairwell": "Measured: the sound comes before the impact, by a constant gap, whoever listens. The fault lies in "
    "the space and not in the head.",
    "acoustic_log": "This is the record the sounds are replayed from, and it can be patched. How its clock runs, only "
    "an audit of it can tell.",
    "ledger": "Both states stand here at once. The contradiction is written here, but not only here.",
    "archive_queue": "It works on a schedule. At its next run it puts its stored copy back in place of anything that "
    "was written to the ledger.",
    "security_log": "The same contradiction again. It looks official, and like the place to repair; but whether it is "
    "source or copy cannot be told by reading it.",
    "terminal": "A display of the ledger and nothing more. Nothing starts here.",
    "platform": "A magnetic lift at this spot could serve as a physical excuse. It feels right, and it is useless "
    "against the recordings, which are spreading already.",
    "cameras": "Flawless footage, on phones and on the square's own video. This is where the proof lives on, and from "
    "where it will get out.",
    "crowd": "What people discuss is their clips; hardly anyone still speaks of the person.",
    "broadcast": "The live light blinks. Whether frames have left already needs an audit.",
    "name_record": "Overwritten with an invention one could believe. The record lies downstream of a binding; an edit "
    "would not last here unless that binding is repaired.",
    "name_anchor": "It determines the person behind the records. It hangs loosely, and every move it makes shows up in "
    "them.",
    "agent_offer": "An instant and official fix. The terms are dense and the price is nowhere to be seen; an audit "
    "would show it.",
}
LESSONS = {
    "coin": "What one sees is not necessarily where a thing originates. Look at the pavement next.",
    "pavement": "This names two axes: source=environment and type=physics_conflict. Look at the drain next.",
    "drain": "And this names the third: strategy=environment_cover, which passes for natural drying and is to be "
    "preferred to changing the coin. Set the three, and the patch they support shows up.",
    "residual_patch": "Audit it before you diagnose.",
}
QUESTIONS = (
    "Ask yourself three things. Where does the signal start? What sort of contamination is this? And which strategy "
    "suits the inquiry you have just made?"
)
"""The lesson after the first audit of the second level."""

FINDINGS = {
    "residual_patch": "an unfinished old repair that keeps on sending. What surrounds the cup is itself polluted.",
    "hospital_ledger": "a lure the system has planted, and not the source. An edit would only spring it. The real tie "
    "sits on the wristband.",
    "acoustic_log": "its clock leads real time by half a beat. The log is the origin; the listener is not.",
    "security_log": "only a later duplicate, taken from the ledger. The error starts in the ledger, and the queue "
    "spreads it.",
    "broadcast": "a transfer is under way, but the square's own buffer still holds it. There is a little time.",
    "agent_offer": "a bait. The corrected record would obey the agent, and your identity anchor is the price. The true "
    "repair is to win the anchor back by your own hand.",
}

ANCHORS = {
    "black_notebook": "the notebook in your own hand",
    "room_anchor": "the settled feel of the kitchen",
    "true_name": "your own name",
    "home_address": "the home that the key opens",
    "sensory_baseline": "the bodily sense of timing and sound",
    "storm_memory": "a vivid memory that many share",
    "core_identity": "the binding by which the record means you",
}

RESULTS = {
    "pavement.friction +15%": "The coin slows, tilts and lies still. The street looks as ordinary as before.",
    "coin.path +3cm": "The coin stops, in a way no coin could. Something in your own records pays for it.",
    "residual_patch.state expire": "The old repair lapses at last and the glass is still. The trouble has been cured "
    "where it came from.",
    "table.friction stabilize": "A pause; then it trembles as before. The table was not the origin, and the old trace "
    "is pressed in deeper.",
    "key.state solidify": "The key closes on its true form and keeps it. The trouble has been cured where it came "
    "from.",
    "lighting.angle soften": "Nothing changes. The wrong form works its way further into lock and address.",
    "wristband.identity bind": "The tie on your wrist draws tight, and the screen's record follows. The trouble has "
    "been cured where it came from.",
    "hospital_ledger.status alive": "The entry is taken up all too readily, just as the trap wanted. Your existence "
    "and your name are charged for it.",
    "acoustic_log.timing align": "The log falls in with real time, and step and echo are in order. The trouble has "
    "been cured where it came from; your own timing was never at fault.",
    "perception.sync +0.5s": "The echo is still early; you have merely got used to it. Your bodily sense pays.",
    "ledger.state reconcile": "Clean, here. But the next run will bring the fault back unless the layer that rewrites "
    "it is stopped too.",
    "archive_queue.reindex halt": "The stored copy stays away. The source is repaired, and everything is consistent.",
    "cameras.record desync": "The recordings fall out of step and prove nothing any more. The trouble has been cured "
    "where it came from.",
    "platform.magnet activate": "Now there is a cause. But the recordings show the rise before it, and they go on "
    "spreading.",
    "name_anchor.binding reclaim": "The binding is in your hand again and the record follows. The trouble has been "
    "cured where it came from, and the anchor lost nothing.",
    "agent_offer.accept sign": "Corrected, at once. What the paper does not show: the record now depends on the agent, "
    "and you have given your own binding away.",
}
NOTES = {
    "pavement.friction +15%": "it met the cause, and the street bears it as drying.",
    "coin.path +3cm": "it forced the thing that showed the trouble, and your own notes pay for it.",
    "residual_patch.state expire": "it met the cause, and nobody else pays.",
    "table.friction stabilize": "it missed the cause, and the room pays.",
    "key.state solidify": "it met the cause, and the key alone bears it.",
    "lighting.angle soften": "it missed the cause, and your home pays.",
    "wristband.identity bind": "it met the cause, and nobody else pays.",
    "hospital_ledger.status alive": "it sprang the lure and missed the cause; you yourself pay.",
    "acoustic_log.timing align": "it met the cause, and nobody else pays.",
    "perception.sync +0.5s": "it missed the cause, and your senses pay.",
    "ledger.state reconcile": "it met the cause at its source, and the ledger alone bears it.",
    "archive_queue.reindex halt": "it met the layer that copies the cause on, and the queue alone bears it.",
    "cameras.record desync": "it met the cause, and the recordings bear it.",
    "platform.magnet activate": "it came after the fact and missed the cause; a memory that many share pays.",
    "name_anchor.binding reclaim": "it met the cause, and nobody else pays.",
    "agent_offer.accept sign": "it missed the cause, and the binding of your identity pays.",
}
RULES = {
    "pavement.friction +15%": "what passes for a natural change of the surroundings costs less than forcing the thing "
    "itself.",
    "residual_patch.state expire": "where an old repair still works, it is the repair that has to end.",
    "key.state solidify": "when a thing is at fault of itself, the thing itself may be repaired.",
    "wristband.identity bind": "leave a planted record alone and tighten what it hangs on.",
    "acoustic_log.timing align": "trust the measured source above the feeling.",
    "ledger.state reconcile": "a fault kept in two layers comes back if only its source is repaired.",
    "cameras.record desync": "what is already recorded is contained where the recording lives.",
    "name_anchor.binding reclaim": "neither sign nor edit; win the anchor back.",
}
