"""The reflection on an episode (Shinn et al. 2023)."""

import dspy

from evoplay.methods.signatures.named import NAMES, NONE, Steps


class Reflect(dspy.Signature):  # type: ignore[misc]  # DSPy is not typed
    """You are shown an episode of a text game that you played, and the plans you made before. You will play again.

    Do not summarise the environment. Think about the strategy you followed and find the mistake in it. Then devise a
    concise new plan of action that accounts for that mistake and names the specific actions you should have taken.
    For instance, if you tried A and B but forgot C, then devise a plan to achieve C with actions that the game takes.
    Lines that begin with a bar (|) are the game's own words, lines that begin with > are your actions. What the
    game's words ask of you does not count as a plan.
    """

    transcript: str = dspy.InputField(desc="the episode")
    plans: list[str] = dspy.InputField(desc="your plans from earlier episodes, oldest first")
    mistake: str = dspy.OutputField(desc="the mistake in the strategy, one or two sentences")
    plan: str = dspy.OutputField(desc="the new plan, a few sentences that name specific actions")
    steps: Steps = dspy.OutputField(desc=NAMES, default=NONE)
