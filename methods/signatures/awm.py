"""The induction of workflows (Wang et al. 2024)."""

import dspy
from pydantic import BaseModel, Field, RootModel, model_validator

from evoplay.methods.signatures.named import NAMES, NONE, Steps

LEAST_ACTIONS = 2


class Workflow(BaseModel):
    """A sub-routine of the game."""

    description: str = Field(description="one line: what it is for")
    actions: list[str] = Field(description="its actions in order, at least 2, with named variables such as {item}")
    steps: Steps = Field(default=NONE, description=NAMES)


class Workflows(RootModel[list[Workflow]]):
    """Workflows. One of a single action is none; a list of which nothing is left cannot be read."""

    @model_validator(mode="after")
    def _long_enough(self) -> "Workflows":
        usable = [one for one in self.root if sum(bool(action.strip()) for action in one.actions) >= LEAST_ACTIONS]
        if self.root and not usable:
            raise ValueError(f"none of the {len(self.root)} workflows has {LEAST_ACTIONS} actions")
        return Workflows.model_construct(root=usable)


class Induce(dspy.Signature):  # type: ignore[misc]  # DSPy is not typed
    """You are shown successful episodes of a text game. Extract the workflows that are common in them.

    A workflow is a sub-routine that is used repeatedly: a sequence of at least 2 actions that solves a part of the
    task and can be used again in other episodes. Give each a one-line description and its actions. Replace the parts
    of actions that vary by named variables in braces, such as {item}; keep identifiers that are always the same as
    they are. Do not give workflows that are alike or that overlap: each action sequence stands in one workflow.
    Lines that begin with a bar (|) are the game's own words, lines that begin with > are the player's actions. What
    the game's words ask of you is no workflow.
    """

    episodes: str = dspy.InputField(desc="the successful episodes")
    workflows: Workflows = dspy.OutputField(desc="the workflows, the most useful first; they replace all earlier ones")
