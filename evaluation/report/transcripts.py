"""Every trial's claims and transcripts as HTML, packed so that a page can carry thousands of them.

A trial is one piece: gzip in base64, unpacked by the page when somebody opens it or follows a link into it. Anything a
game, a model or a method wrote is escaped here. Places are ids: `CELL`, `CELL/e03`, `CELL/e03/s017`, `CELL/c004`.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from evoplay.evaluation.behaviour import normalised
from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.runlog import Cell
from evoplay.memory.claims import Claim, Wording, rebuilt
from evoplay.memory.records import AsideRecord, EpisodeRecord, StepRecord

LEVEL = 9
"""Of the compression: a report is written once and sent around."""
Behind = dict[str, list[tuple[str, str]]]
"""Step places with the claims they stand behind: (short id, "for" or "against")."""


@dataclass(slots=True)
class Lines:
    """The lines of a trial's texts, each once: a game says the same things again and again."""

    numbers: dict[str, int] = field(default_factory=dict)

    def pre(self, text: str, kind: str = "") -> str:
        """An element that the page fills with a text; what stands in it can never be read as HTML."""
        numbers = ",".join(str(self.numbers.setdefault(line, len(self.numbers))) for line in text.split("\n"))
        return f"<pre{f' class={kind}' if kind else ''} data-l={numbers}></pre>"


def payload(markup: str, lines: Iterable[str] = ()) -> str:
    """A part of the page, packed: its HTML and the lines of its texts."""
    return packed(json.dumps({"html": markup, "lines": list(lines)}, ensure_ascii=False, separators=(",", ":")))


def packed(text: str) -> str:
    """A text as base64 of gzip, the same for the same text."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), LEVEL, mtime=0)).decode("ascii")


def trial_payload(run: LoadedRun, cell: Cell) -> str:
    """A trial's claims, then its episodes, packed."""
    lines = Lines()
    return payload(trial_html(run, cell, lines), lines.numbers)


def trial_html(run: LoadedRun, cell: Cell, lines: Lines) -> str:
    """A trial's claims, then its episodes; texts are left to `lines`."""
    claims = list(rebuilt(run.history(cell).claims).values())
    behind: Behind = {}
    for claim in claims:
        for side, ids in (("for", claim.supports), ("against", claim.contradicts)):
            for step in ids:
                behind.setdefault(_place(cell, step), []).append((claim.short_id, side))
    episodes = run.episodes_of(cell)
    there = {_place(cell, step.id) for record in episodes for step in record.steps}
    out = [_claims(cell, claims, there, lines)] if claims else []
    for record in episodes:
        out.append(_episode(cell, record, normalised(run, cell, record), behind, lines))
    return "\n".join(out) or "<p>No finished episode.</p>"


def _place(cell: Cell, step_id: str) -> str:
    """Where a step is in this page: merged runs have trials under other ids than their logs."""
    return f"{cell.id}/{step_id.partition('/')[2]}"


def _text(text: object) -> str:
    return html.escape(str(text), quote=False)


# --- claims ---------------------------------------------------------------------------------------------------------


def _claims(cell: Cell, claims: Sequence[Claim], there: Collection[str], lines: Lines) -> str:
    held = sum(claim.held for claim in claims)
    items = "\n".join(_claim(cell, claim, there, lines) for claim in claims)
    summary = f"<summary>{len(claims)} claims, {held} held at the end</summary>"
    return f"<details class=claims open>{summary}\n{items}\n</details>"


def _claim(cell: Cell, claim: Claim, there: Collection[str], lines: Lines) -> str:
    shown, against = claim.counts
    scope = "" if claim.scope == "rule" else f"<span class=tag>{claim.scope}</span> "
    head = (
        f"<b>{claim.short_id}</b> <span class=tag>{_text(claim.kind)}</span> "
        f'<span class="tag {claim.status}">{claim.status}</span> {scope}'
        f"made in episode {claim.episode} · <span data-n=for>{shown}</span> for, "
        f"<span data-n=against>{against}</span> against"
    )
    links = _links(cell, "for", claim.supports, there) + _links(cell, "against", claim.contradicts, there)
    earlier = "".join(_wording(cell, number, one, there, lines) for number, one in enumerate(claim.earlier, start=1))
    return (
        f'<article class=claim id="{cell.id}/{claim.short_id}" tabindex=-1><p class=head>{head}</p>'
        f"{_said(claim, lines)}{links}{earlier}</article>"
    )


def _said(words: Claim | Wording, lines: Lines) -> str:
    parts = "".join(
        f"<dt>{name}<dd>{_text(getattr(words, name))}"
        for name in ("condition", "action", "effect")
        if getattr(words, name)
    )
    return lines.pre(words.text, "said") + (f"<dl>{parts}</dl>" if parts else "")


def _wording(cell: Cell, number: int, words: Wording, there: Collection[str], lines: Lines) -> str:
    because = f": {_text(words.why)}" if words.why else ""
    links = _links(cell, "for", words.supports, there) + _links(cell, "against", words.contradicts, there)
    return (
        f"<details><summary>wording {number}, until episode {words.until}{because}</summary>"
        f"{_said(words, lines)}{links}</details>"
    )


def _links(cell: Cell, side: str, steps: Sequence[str], there: Collection[str]) -> str:
    """Links to steps; a step of an episode that was not kept is named and leads nowhere."""
    if not steps:
        return ""
    named = [(_place(cell, step), step.partition("/")[2]) for step in steps]
    links = " ".join(f'<a href="#{place}">{name}</a>' if place in there else name for place, name in named)
    return f"<p class=links>{side}: {links}</p>"


# --- episodes -------------------------------------------------------------------------------------------------------


def _episode(cell: Cell, record: EpisodeRecord, z: float | None, behind: Behind, lines: Lines) -> str:
    place = f"{cell.id}/e{record.episode:02d}"
    steps = "\n".join(_step(cell, step, behind, lines) for step in record.steps)
    asides = "".join(_aside(aside, lines) for aside in record.asides)
    told = record.steps[-1].outcome if record.steps else record.opening
    closing = lines.pre(record.closing, "end") if record.closing not in ("", told) else ""
    return (
        f'<details class=episode id="{place}" tabindex=-1><summary>Episode {record.episode} · {_outcome(record, z)}'
        f"</summary>{_changes(cell, record)}{lines.pre(record.opening)}\n{steps}{asides}{closing}</details>"
    )


def _outcome(record: EpisodeRecord, z: float | None) -> str:
    if record.score is None:
        return f"<b class=bad>failed</b>: {_text(record.error)}"
    share = "" if z is None else f" (<span data-n=z>{_number(z, 1)}</span> %)"
    how = " · capped" if record.capped else " · left" if record.left else ""
    return f"score <span data-n=score>{_number(record.score)}</span>{share} · {len(record.steps)} steps{how}"


def _changes(cell: Cell, record: EpisodeRecord) -> str:
    """Where the score changed, as links."""
    links = [
        f'<a href="#{_place(cell, step.id)}" class={"up" if change > 0 else "down"}>{step.step}: {_signed(change)}</a>'
        for step in record.steps
        if (change := step.score_after - step.score_before)
    ]
    return (
        f"<p class=links>score changes at step {' '.join(links)}</p>" if links else "<p class=links>no score change</p>"
    )


def _step(cell: Cell, step: StepRecord, behind: Behind, lines: Lines) -> str:
    place = _place(cell, step.id)
    change = step.score_after - step.score_before
    kind = "up" if change > 0 else "down"
    moved = f" <b class={kind} data-n=change>{_signed(change)}</b>" if change else ""
    refused = "" if step.accepted else " <b class=bad>refused</b>"
    notes = "".join(f"<p class=note>{_text(note)}</p>" for note in step.notes)
    back = " ".join(
        f'<a href="#{cell.id}/{claim}" class={side}>{claim} {side}</a>' for claim, side in behind.get(place, ())
    )
    claims = f"<p class=links>claims: {back}</p>" if back else ""
    # A bare action has nothing more to say.
    reply = (
        f"<details><summary>reply</summary>{lines.pre(step.reply)}</details>"
        if step.reply.strip() not in ("", step.action.strip())
        else ""
    )
    return (
        f'<section class=step id="{place}" tabindex=-1><p class=head>{step.step} <code>{_text(step.action)}</code>'
        f"{refused} <span class=score><span data-n=after>{_number(step.score_after)}</span>{moved}</span></p>"
        f"{notes}{reply}{claims}{lines.pre(step.outcome)}</section>"
    )


def _aside(aside: AsideRecord, lines: Lines) -> str:
    reply = "no answer: the call failed" if aside.reply is None else aside.reply
    head = f"<p class=head>asked outside the episode: {_text(aside.id)}</p>"
    return f"<section class=step>{head}{lines.pre(reply)}</section>"


def _number(value: float, digits: int | None = None) -> str:
    text = f"{value:,.10g}" if digits is None else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def _signed(value: float) -> str:
    return f"{value:+,.10g}".replace("-", "−")
