"""How `evidence` writes its claims, the steps behind them and its suggestions into a prompt, within a room."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoplay.memory.belief import mean, variance
from evoplay.memory.blocks import Block
from evoplay.memory.checks import Check, plain
from evoplay.memory.claims import Claim
from evoplay.memory.evidence import EvidenceStore
from evoplay.memory.records import Episode, Step
from evoplay.methods.base import View
from evoplay.methods.render import ending_block, episode_blocks, one_line, opening_block, score_line, step_block

HEAD = (
    "What the record of this game shows. For and against count steps; their ids (e01/s003: episode 1, step 3) follow.\n"
)
RULES = "Established rules:\n"
GUESSES = "Guesses, not rules; test them where it costs little:\n"
BEHIND = "Steps behind them:\n"
IDS_SHOWN = 5
"""Step ids shown on each side of a claim."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The blocks of a prompt, and the ids of the claims they show as rules."""

    blocks: tuple[Block, ...]
    rules: tuple[str, ...]


def claim_line(claim: Claim) -> str:
    """A claim on a line: id, statement, counts and step ids."""
    shown, against = (_ids(ids) for ids in (claim.supports, claim.contradicts))
    where = "; ".join(part for part in (shown, against and f"against: {against}") if part)
    counts = f"{len(claim.supports)} for, {len(claim.contradicts)} against"
    return f"[{claim.short_id}] {one_line(claim.text)} ({counts}: {where})"


def details(claim: Claim) -> str:
    """Condition, action and effect of a claim, as far as they are said."""
    named = (("condition", claim.condition), ("action", claim.action), ("effect", claim.effect))
    return "; ".join(f"{name}: {one_line(value)}" for name, value in named if value)


def claims_block(claims: Sequence[Claim], store: EvidenceStore, room: int | None) -> Shown:
    """Rules, then guesses, then the strongest step for and against each, as long as `room` tokens hold them."""
    rules = sorted((claim for claim in claims if claim.status == "established"), key=_use)
    guesses = sorted((claim for claim in claims if claim.status != "established"), key=_interest)
    left = float("inf") if room is None else room - Block(HEAD).tokens
    parts: list[Block] = []
    listed: list[Claim] = []
    for title, some, line in ((RULES, rules, _rule), (GUESSES, guesses, _guess)):
        block = Block(title, cacheable=True)
        left -= block.tokens
        for claim in some:
            piece = Block(line(claim), cacheable=True)
            if piece.tokens > left:
                break
            if block not in parts:
                parts.append(block)
            parts.append(piece)
            listed.append(claim)
            left -= piece.tokens
    if not listed:
        return Shown((), ())
    parts += _behind(listed, store, left)
    shown = tuple(claim.id for claim in listed if claim.status == "established")
    return Shown((Block.joined([Block(HEAD, cacheable=True), *parts, Block("\n", cacheable=True)]),), shown)


def past_blocks(past: Sequence[Episode], episodes: int) -> list[Block]:
    """The best episode in full, and the latest, where it is another, in short."""
    if not past:
        return []
    best = max(past, key=lambda episode: (episode.score or 0.0, episode.episode))
    blocks = [
        Block.joined(episode_blocks(best, episodes), key=f"best: episode {best.episode}", priority=1),
    ]
    if past[-1] is not best:
        blocks.append(_short(past[-1], episodes))
    return blocks


def exploration(
    view: View, past: Sequence[Episode], claims: Sequence[tuple[Claim, Check | None]], share: float
) -> tuple[Block, ...]:
    """The suggestion of this step, if it is one of the `share` of steps that have one."""
    if int(view.step * share) == int((view.step - 1) * share):
        return ()
    action = least_known(view, past, claims)
    if action is None:
        return ()
    return (Block(f"Least is known here about the action `{one_line(action)}`: worth a try if it costs little.\n"),)


def least_known(view: View, past: Sequence[Episode], claims: Sequence[tuple[Claim, Check | None]]) -> str | None:
    """The listed action with the fewest tries in this situation; of equals the one under the least certain claim.

    A situation is an observation without its numbers. An action that always ended the episode is known well enough.
    """
    here, anywhere, ended = Counter[str](), Counter[str](), Counter[str]()
    situation = _situation(view.observation)
    for steps in (*(episode.steps for episode in past), view.steps):
        for step in steps:
            anywhere[step.action] += 1
            ended[step.action] += step.done
            if step.action in view.valid_actions and _situation(step.observation) == situation:
                here[step.action] += 1

    def unsure(action: str) -> float:
        touching = [
            variance(*claim.counts)
            for claim, check in claims
            if check is not None and check.is_action(action) and check.holds(view.observation, view.steps)
        ]
        return max(touching, default=variance(0, 0))

    open_ones = [action for action in view.valid_actions if not ended[action] or ended[action] < anywhere[action]]
    return min(open_ones, key=lambda action: (here[action], -unsure(action), anywhere[action]), default=None)


@lru_cache(maxsize=10_000)
def _situation(observation: str) -> str:
    return re.sub(r"\d+", "#", plain(observation))


def _use(claim: Claim) -> tuple[float, int]:
    """Rules in order of expected use: the surest first, of equals those that came up most often."""
    return -mean(*claim.counts), -len(claim.supports)


def _interest(claim: Claim) -> tuple[float, str]:
    """Guesses in order of what a test would tell: the least certain first."""
    return -variance(*claim.counts), claim.id


def _rule(claim: Claim) -> str:
    return f"- {claim_line(claim)}\n"


def _guess(claim: Claim) -> str:
    if not claim.action:
        return f"- {claim_line(claim)}\n"
    when = claim.condition if claim.condition.strip() else "always"
    return f"- {claim_line(claim)}. To test it: `{one_line(claim.action.strip('`'))}` ({one_line(when)})\n"


def _ids(ids: Sequence[str]) -> str:
    short = [one.partition("/")[2] for one in ids[-IDS_SHOWN:]]
    return ", ".join(short) + (f" and {len(ids) - len(short)} more" if len(ids) > len(short) else "")


def _behind(listed: Sequence[Claim], store: EvidenceStore, room: float) -> list[Block]:
    """The strongest step for and against each claim: the one that moved the score most, of equals the latest."""
    parts: list[Block] = []
    seen: set[str] = set()
    room -= Block(BEHIND).tokens
    for claim in listed:
        trail = store.trail(claim.id)
        for steps in (trail.supports, trail.contradicts):
            if not steps:
                continue
            step = max(steps, key=lambda step: (abs(step.gain), step.episode, step.step))
            if step.id in seen:
                continue
            piece = Block(f"\n{step.id.partition('/')[2]} ({claim.short_id}):{step_block(step).text}", cacheable=True)
            if piece.tokens > room:
                return parts
            seen.add(step.id)
            room -= piece.tokens
            parts += [piece] if parts else [Block(BEHIND, cacheable=True), piece]
    return parts


def _short(episode: Episode, episodes: int) -> Block:
    """An episode in short: its opening, the actions, what they did to the score."""
    parts = [
        opening_block(episode.episode, episodes, episode.opening),
        *(Block(_short_step(step), cacheable=True) for step in episode.steps if not step.masked),
        ending_block(episode.score),
    ]
    return Block.joined(parts, key=f"latest: episode {episode.episode}", priority=0)


def _short_step(step: Step) -> str:
    if not step.accepted:
        return f"> {one_line(step.action)}\n[refused]\n"
    return f"> {one_line(step.action)}\n{score_line(step.score_before, step.score_after) if step.gain else ''}"
