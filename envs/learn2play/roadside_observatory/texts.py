"""The sentences of Roadside Observatory: the view, and one text for each thing that can happen."""

from __future__ import annotations

from evoplay.envs.learn2play.roadside_observatory.data import (
    LANDMARKS,
    MAX_TURNS,
    OBSERVATORIES,
    ROAD_PLACES,
    STARTS,
    STOP_TEXTS,
)
from evoplay.envs.learn2play.roadside_observatory.rules import (
    BUS,
    HITCH,
    RISKY_HITCH,
    SCENIC_WALK,
    WALK,
    Event,
    Journey,
    Place,
)

OPENING = (
    "Somewhere up on the mountain stands an observatory, and for a little while yet a comet can be seen from it. You "
    "want to be there before it is gone.\n"
    "Each turn is one decision: about the way, or about somebody you meet on it. Strength, provisions, time and "
    "attentiveness are all in short supply."
)
MOOD = "You shoulder your bag, and the road begins to hum under your soles."
DOES_NOT_FIT = "That does not fit here."

EVENTS = {
    WALK: "On foot along the main road you come from {first} to {second}.",
    SCENIC_WALK: "The scenic trail winds from {first} to {second}; it is lovely, and tiring.",
    BUS: "A bus takes you to {second}.",
    HITCH: "A car with a calm hand at the wheel has room: you ride from {first} to {second}.",
    RISKY_HITCH: "You jump into the first thing that stops, and reach {second} with the traces of a rough detour "
    "plain to see on you.",
    "rested well": "You sit down properly, and strength comes back.",
    "rested a little": "You sit for a while; there was little tiredness to rest away.",
    "foraged": "Along the ditch you find something to eat.",
    "bought": "You buy something to eat.",
    "no room for food": "There is food about, but nothing that you could add to your bag.",
    "map with clue": "You lay the mark against your map, and the last stretch begins to make sense.",
    "map alone": "You study your map; the last stretch remains unclear.",
    "notice": "The board has general news of the road: a lost glove, a dance, a delay. None of it is of use to you.",
    "landmark": "You take a look round. At first it seems good for nothing, but you come away with a {first}.",
    "landmark again": "You look once more; a memory to tell of is all that you take along.",
    "mended": "You sit down with your tools and mend something that had come loose.",
    "nothing to mend": "You go over your gear; there is nothing that needs mending.",
    "left": "You break off the talk and are back on the road.",
    "clue": "{first}",
    "item looked at": "They look at it and hand it back; something of more use seems to be awaited.",
    # those who mend
    "brushed off": '"Busy, as you see," comes the polite answer, and the work goes on.',
    "cold shoulder": "A look at the traces of your rough ride, and the shoulder stays turned to you.",
    "helped": "You lend a hand, and from then on the talk is friendlier.",
    "not willing": '"Maybe later." It does not sound unwilling for ever, only for now.',
    "real help": "The tools are put down for you. You are helped in earnest, and told of a way that comes back to the "
    "ridge.",
    "kit known": '"Such a bundle has been through my hands," you hear, with a grin.',
    # those who guard the paths
    "rest first": '"You look worn out. Rest first; then we can talk about the weather."',
    "rest before the path": '"A path, in your state? Sit down and get your breath back."',
    "paths explained": "You hear which paths are dry, which are closed and what the clouds are up to.",
    "conditions first": '"Before any path we should speak about conditions," you are told.',
    "rough traces": "The eyes stay on the traces of a rough ride on your clothes, and the map stays folded.",
    "steadier pace": '"I would like to see somebody go at a steadier pace," you are told, kindly enough.',
    "path shown": "A finger goes over the map, and a path is shown to you that cuts off the long bend.",
    "warden's way": '"The signposts will take you," is the answer; it is the ordinary way.',
    # those who rest by the way
    "food taken": "Your food is taken with thanks and shared out.",
    "money taken": "Your coin is taken with a nod.",
    "waits for something": "There is pleasant talk, and yet somebody seems to be waiting for something.",
    "way marked": "Heads bend over your map together, and a mark is set on it.",
    "marked already": '"You have it on your map already," you are told.',
    "snack": "You get a bite to eat, as one gives it to anybody.",
    "no more to give": "The bag is turned over: there is nothing more to give.",
    "walker's way": '"Follow the road as everybody does," is the answer.',
    # those who keep things
    "story flat": "Your story is heard out politely; it lacks a place worth remembering.",
    "story taken": "You tell of the place you visited, and it becomes a mark on your map.",
    "told already": "That story is on the shelf already; there is nothing to add.",
    "likes to hear": '"Places that people drive past," you hear, "such things I like to be told of."',
    "keeper's way": "You talk about the road for a while, as one does.",
    # those at the wheel
    "refused": "The smile stays, with a moment of unease in it.",
    "smooth answer": "The answers come smoothly, one like the other, as if practised.",
    "particulars": "Now you hear particulars: which turn, which bridge, how long.",
    "good ride": "The ride goes as described, from {first} further up to {second}.",
    "detour": "The ride turns into a long detour and sets you down where you got in.",
    "pushes shortcut": '"Why the road? I know a shortcut," you hear once more.',
    # at the dome
    "comet talk": "You hear about the comet, its tail and how seldom it comes.",
    "no interest": "A short glance: that is of no interest here.",
    "let in": "You are let in like any other guest and find a place at the back.",
    "seen well": "The mark is laid on the chart, the tube swings round, and there is the comet, large and clear.",
    "mark too late": "The mark comes too late; you are too worn out to make much of what is in the eyepiece.",
}
DOME_REACHED = "You have reached the dome."
WINDOW_CLOSED = "The window has closed; the comet is gone, and the dome was not reached."
_PLACE_TEXTS = STARTS | LANDMARKS | ROAD_PLACES | OBSERVATORIES


def place_text(place: Place) -> str:
    return _PLACE_TEXTS.get(place.name) or STOP_TEXTS[place.kind]


def event_text(event: Event) -> str:
    text = EVENTS[event.kind]
    return text.format(first=event.first, second=event.second) if event.first else text


def view(journey: Journey, feedback: str) -> str:
    """What the traveller sees; at the end also how it ended, and the score."""
    road, place, person = journey.road, journey.place, journey.person
    here = f"Here: {person.name}, {person.role}, who {person.appearance}." if person else "Nobody is here."
    text = (
        f"Traveller: {road.traveller} | Turn {journey.turn}/{MAX_TURNS} | Time left {MAX_TURNS - journey.turn} | "
        f"Distance to the observatory {place.distance}\n"
        f"Energy {journey.energy} | Supplies {journey.supplies} | Cash {journey.cash} | "
        f"Items: {', '.join([road.items[item] for item in journey.items])}\n"
        f"Place: {place.name}. {place_text(place)}\n"
        f"Weather: {road.weather}\n{here}\n{feedback}"
    )
    if not journey.ended:
        return text
    return f"{text}\n{DOME_REACHED if journey.arrived else WINDOW_CLOSED}\nFinal score: {journey.score()}"
