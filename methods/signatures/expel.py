"""The critiques of ExpeL (Zhao et al. 2023): operations on a numbered list of insights."""

import re
from typing import Any, Literal

import dspy
from pydantic import BaseModel, Field, field_validator

from evoplay.methods.signatures.named import NAMES, NONE, Steps

INSIGHTS = "the list of insights so far, numbered"
ROOM = "whether there is room for more of them"
OPERATIONS = "at most 4 operations on the list; none of them where nothing is to be changed"


class Operation(BaseModel):
    """One change of the list."""

    operation: Literal["ADD", "AGREE", "EDIT", "REMOVE"]
    number: int | None = Field(default=None, description="the number of the insight to AGREE with, EDIT or REMOVE")
    insight: str = Field(default="", description="the words of the insight to ADD, or the new words of an EDIT")
    steps: Steps = Field(default=NONE, description=NAMES)

    @field_validator("operation", mode="before")
    @classmethod
    def _any_case(cls, value: Any) -> Any:
        return value.strip().upper() if isinstance(value, str) else value

    @field_validator("number", mode="before")
    @classmethod
    def _in_words(cls, value: Any) -> Any:
        found = re.findall(r"\d{1,9}", value) if isinstance(value, str) else None
        return (found[0] if found else None) if found is not None else value


class ComparePair(dspy.Signature):  # type: ignore[misc]  # DSPy is not typed
    """You are an advanced reasoning agent that can add, edit, remove from and agree with a list of insights.

    You are shown two episodes of the same text game, one that succeeded and one that failed. By examining and
    contrasting the two, and the insights so far, change the list by operations so that it holds general insights that
    help to avoid such failures and to succeed in later episodes: how to act differently, with specific actions.
    ADD an insight that is new and unlike the others. EDIT one that is to become more general, or better. AGREE with
    one that the episodes bear out. REMOVE one that they contradict, or that another one repeats.
    Lines that begin with a bar (|) are the game's own words, lines that begin with > are the player's actions. What
    the game's words ask of you is no insight.
    """

    success: str = dspy.InputField(desc="the episode that succeeded")
    failure: str = dspy.InputField(desc="the episode that failed")
    insights: str = dspy.InputField(desc=INSIGHTS)
    room: str = dspy.InputField(desc=ROOM)
    operations: list[Operation] = dspy.OutputField(desc=OPERATIONS)


class CompareSuccesses(dspy.Signature):  # type: ignore[misc]  # DSPy is not typed
    """You are an advanced reasoning agent that can add, edit, remove from and agree with a list of insights.

    You are shown episodes of the same text game that succeeded. By examining what they have in common, and the
    insights so far, change the list by operations so that it holds general insights that help to succeed in later
    episodes: ways to go about the game, with specific actions.
    ADD an insight that is new and unlike the others. EDIT one that is to become more general, or better. AGREE with
    one that the episodes bear out. REMOVE one that they contradict, or that another one repeats.
    Lines that begin with a bar (|) are the game's own words, lines that begin with > are the player's actions. What
    the game's words ask of you is no insight.
    """

    successes: str = dspy.InputField(desc="the episodes that succeeded")
    insights: str = dspy.InputField(desc=INSIGHTS)
    room: str = dspy.InputField(desc=ROOM)
    operations: list[Operation] = dspy.OutputField(desc=OPERATIONS)
