"""Claims that can be checked without a model: an action, a condition it stands under, and the effect it is to have.

The forms are few and in plain words, so that a model writes them and a person reads them:

condition : "always"; "after `a`, `b`" (the accepted actions just before it in the episode, in this order);
    "sees: TEXT" and "not sees: TEXT" (in the observation before it); several joined by ";".
effect : "score +5", "score -3", "score up", "score down", "no change" (of the score); "shows: TEXT" (in the observation
    after it); "refused"; "ends" (the episode).
action : one action, "*" standing for any characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from evoplay.memory.records import Step

FORMS = __doc__.partition("\n\n")[2].strip() if __doc__ else ""
"""The forms in words, for prompts."""

Effect = Literal["gain", "up", "down", "same", "shows", "refused", "ends"]

_ALWAYS = frozenset(("", "always", "any", "anytime", "at any time", "none"))
_GAIN = re.compile(r"^(?:the )?(?:score|points)?\s*(?:by\s+)?([+-]\d+(?:\.\d+)?)(?: points?)?$")
_WORDED: dict[Effect, frozenset[str]] = {
    "up": frozenset(("score up", "score rises", "score goes up", "score increases")),
    "down": frozenset(("score down", "score falls", "score goes down", "score decreases")),
    "same": frozenset(("no change", "score same", "score unchanged", "score stays", "nothing")),
    "refused": frozenset(("refused", "the action is refused", "is refused")),
    "ends": frozenset(("ends", "episode ends", "the episode ends", "game over", "ends the episode")),
}
_TOLERANCE = 1e-6


class Checkable(Protocol):
    """What names an action, a condition and an effect: a claim or a statement."""

    @property
    def condition(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def effect(self) -> str: ...


@dataclass(frozen=True)
class Check:
    """A claim in checkable form. `after` are actions, `sees` and `lacks` texts, all in lower case, blanks joined."""

    action: str
    effect: Effect
    amount: float = 0.0
    text: str = ""
    after: tuple[str, ...] = ()
    sees: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()

    def touches(self, step: Step, before: Sequence[Step]) -> bool:
        """Whether a step is the action under the condition. `before` are the steps of its episode before it."""
        return not step.masked and self.is_action(step.action) and self.holds(step.observation, before)

    def is_action(self, action: str) -> bool:
        return self._pattern.fullmatch(plain(action)) is not None

    def holds(self, observation: str, before: Sequence[Step]) -> bool:
        """Whether the condition holds before an action."""
        if self.after:
            # Refused actions did nothing, so they do not come between.
            done = [plain(step.action) for step in before if step.accepted and not step.masked]
            if tuple(done[-len(self.after) :]) != self.after:
                return False
        if not self.sees and not self.lacks:
            return True
        text = plain(observation)
        return all(part in text for part in self.sees) and not any(part in text for part in self.lacks)

    def verdict(self, step: Step, before: Sequence[Step]) -> bool | None:
        """Whether a step shows the effect (True) or the opposite (False); None where it says nothing about it.

        A refused action shows nothing but its refusal, and where the score is not shown nothing is known of it.
        """
        if not self.touches(step, before):
            return None
        if self.effect == "refused":
            return not step.accepted
        if not step.accepted:
            return None
        if self.effect == "ends":
            return step.done
        if self.effect == "shows":
            return self.text in plain(step.outcome)
        if step.score_before is None or step.score_after is None:
            return None
        gain = step.gain
        if self.effect == "gain":
            return abs(gain - self.amount) <= _TOLERANCE
        return {"up": gain > _TOLERANCE, "down": gain < -_TOLERANCE, "same": abs(gain) <= _TOLERANCE}[self.effect]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(".*".join(re.escape(part) for part in self.action.split("*")), re.DOTALL)


def check_of(claim: Checkable) -> Check | None:
    """A claim as a check, or None where its action, condition or effect is none of the forms."""
    action = plain(claim.action.strip().strip("`"))
    effect = _effect(claim.effect)
    condition = _condition(claim.condition)
    if not action.strip("* ") or effect is None or condition is None:
        return None
    kind, amount, text = effect
    after, sees, lacks = condition
    return Check(action, kind, amount, text, after, sees, lacks)


def verdicts(check: Check, steps: Sequence[Step]) -> tuple[list[str], list[str]]:
    """Ids of the steps of one episode, given from its first on, that show an effect and that show the opposite."""
    shown: list[str] = []
    against: list[str] = []
    for at, step in enumerate(steps):
        said = check.verdict(step, steps[:at]) if check.is_action(step.action) else None
        if said is not None:
            (shown if said else against).append(step.id)
    return shown, against


def plain(text: str) -> str:
    """A text as it is compared: lower case, every stretch of blanks one blank."""
    return " ".join(text.casefold().split())


def _effect(said: str) -> tuple[Effect, float, str] | None:
    text = said.strip()
    if text.casefold().startswith("shows:"):
        wanted = plain(text[len("shows:") :].strip().strip("\"'`“”"))
        return ("shows", 0.0, wanted) if wanted else None
    words = plain(text).rstrip(".")
    gain = _GAIN.match(words)
    if gain is not None:
        amount = float(gain[1])
        return ("gain", amount, "") if amount else ("same", 0.0, "")
    for kind, forms in _WORDED.items():
        if words in forms:
            return kind, 0.0, ""
    return None


def _condition(said: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    after: tuple[str, ...] = ()
    sees: list[str] = []
    lacks: list[str] = []
    for piece in said.split(";"):
        part = plain(piece).rstrip(".")
        if part in _ALWAYS:
            continue
        if part.startswith("after "):
            listed = part[len("after ") :]
            quoted = re.findall(r"`([^`]+)`", listed)
            after = tuple(plain(one) for one in quoted or listed.split(",") if one.strip())
        elif part.startswith("sees:"):
            sees.append(plain(part[len("sees:") :]).strip("\"'`“”"))
        elif part.startswith("not sees:"):
            lacks.append(plain(part[len("not sees:") :]).strip("\"'`“”"))
        else:
            return None
    if not all((*sees, *lacks)):
        return None
    return after, tuple(sees), tuple(lacks)
