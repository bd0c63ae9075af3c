"""The one way a transcript is written for a prompt: episodes, steps, scores, actions to choose from.

Whatever comes from an environment stands behind a bar (`| `), line by line, so that an observation that imitates a
heading or an instruction of ours stays what it is. A step once written never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evoplay.memory.blocks import Block
from evoplay.memory.records import Episode, Step

BAR = "| "
LONGEST_TEXT = 20_000
LONGEST_ACTION = 500


def clipped(text: str, longest: int) -> str:
    """A text of at most `longest` characters, with a note of how many were left out."""
    return text if len(text) <= longest else f"{text[:longest]} [{len(text) - longest} more characters]"


def quoted(text: str) -> str:
    """Untrusted text, every line behind a bar."""
    return "".join([f"{BAR}{line}\n" for line in clipped(text, LONGEST_TEXT).splitlines()]) or f"{BAR}\n"


def one_line(action: str) -> str:
    """An action on one line, whatever was in it."""
    return clipped(" ".join(action.split()), LONGEST_ACTION)


def number(value: float) -> str:
    """A score as a player reads it."""
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"


def score_line(before: float | None, after: float | None) -> str:
    """The visible score after a step and its change, or nothing where the game does not show it."""
    if after is None:
        return ""
    change = ""
    if before is not None and after != before:
        change = f" ({'+' if after > before else '-'}{number(abs(after - before))})"
    return f"[score {number(after)}{change}]\n"


def opening_block(episode: int, episodes: int, opening: str) -> Block:
    """How an episode begins: its number and the opening observation."""
    return Block(f"=== Episode {episode} of {episodes} ===\n{quoted(opening)}", cacheable=True)


def step_block(step: Step) -> Block:
    """A past step: the action, what came of it, the visible score. Of a masked step only what is retained stands."""
    action = "" if step.masked else f"> {one_line(step.action)}\n"
    score = score_line(step.score_before, step.score_after)
    return Block(f"\n{action}{quoted(step.outcome)}{score}", cacheable=True)


def ending_block(score: float | None) -> Block:
    """How an episode ended: its final score."""
    return Block(f"[end of episode, final score {'unknown' if score is None else number(score)}]\n\n", cacheable=True)


def episode_blocks(episode: Episode, episodes: int) -> list[Block]:
    """A finished episode as it stood in its own prompts, plus its ending."""
    opening = opening_block(episode.episode, episodes, episode.opening)
    return [opening, *(step_block(step) for step in episode.steps), ending_block(episode.score)]


def actions_text(actions: Sequence[str], glosses: Mapping[str, str]) -> str:
    """The actions to choose from, one a line, with the English meaning where the identifier is not English."""
    lines = (f"- {action}{f'  ({glosses[action]})' if action in glosses else ''}\n" for action in actions)
    return "".join(("Actions to choose from:\n", *lines))
