"""`evoplay memory` and `evoplay why`: what a method believed in a run, and the steps it believed it from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from evoplay.evaluation.load import LoadedRun
    from evoplay.evaluation.runlog import Cell
    from evoplay.memory.claims import Claim, Wording
    from evoplay.memory.evidence import Trail

Run = Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder")]
AsJson = Annotated[bool, typer.Option("--json", help="machine-readable output")]
InCell = Annotated[str | None, typer.Option(help="the trial: its id or a part of its path")]


_DONE = {
    "claim": "claimed",
    "support": "supported",
    "contradict": "contradicted",
    "revise": "revised",
    "retract": "retracted",
}


def mount(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(memory)
    app.command()(why)


def memory(
    run: Run,
    cell: InCell = None,
    kind: Annotated[str | None, typer.Option(help="only claims of this kind")] = None,
    status: Annotated[str | None, typer.Option(help="only claims of this status")] = None,
    as_json: AsJson = False,
) -> None:
    """The claims of a trial with counts and status; without --cell, how true the rules of every method were."""
    from evoplay.evaluation.load import load
    from evoplay.memory.claims import STATUSES

    if status is not None and status not in STATUSES:
        raise ValueError(f"--status '{status}' is unknown: use one of {', '.join(STATUSES)}")
    loaded = load(run)
    if cell is None:
        for name, value in (("kind", kind), ("status", status)):
            if value is not None:
                raise ValueError(f"--{name} {value} picks claims of a trial: name the trial with --cell")
        _quality(loaded, as_json)
        return
    found = loaded.find_cell(cell)
    every = _claims(loaded, found)
    kinds = list(dict.fromkeys(one.kind for one in every))
    if kind is not None and kinds and kind not in kinds:
        raise ValueError(f"--kind '{kind}': {found} has no such claims: use one of {', '.join(kinds)}")
    claims = [one for one in every if kind in (None, one.kind) and status in (None, one.status)]
    if as_json:
        from evoplay.memory.claims import as_dict

        print(json.dumps([as_dict(claim) for claim in claims], indent=1, ensure_ascii=False))
        return
    print(f"{found} ({found.id}): {len(claims)} of {len(every)} claims")
    for claim in claims:
        shown, against = claim.counts
        head = f"{claim.short_id}  {_what(claim)}, {shown} for, {against} against"
        print(f"{head}: {_line(claim.text)}")


def why(
    run: Run,
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="id of the claim: c004 with --cell, or CELL/c004")],
    cell: InCell = None,
    as_json: AsJson = False,
) -> None:
    """A claim with the steps behind it, every earlier wording, and how its status came about."""
    from evoplay.evaluation.load import load

    loaded = load(run)
    owner, slash, short = claim.rpartition("/")
    named = cell if cell is not None else owner if slash else None
    found = _owner(loaded, claim) if named is None else loaded.find_cell(named)
    if cell is not None and slash and loaded.find_cell(owner) != found:
        raise ValueError(f"{claim} is not of the trial '{cell}': leave --cell out, or give {short} alone")
    trail = _trail(loaded, found, claim)
    changes = [event for event in loaded.history(found).claims if event["claim"] == trail.claim.id]
    if as_json:
        print(json.dumps(_trail_data(trail, changes), indent=1, ensure_ascii=False))
    else:
        _print_trail(found, trail, changes)


def _owner(run: LoadedRun, claim: str) -> Cell:
    """The trial that has a claim of this id. Raises ValueError where none or several have."""
    owners = [cell for cell in run.cells if any(one.short_id == claim for one in _claims(run, cell))]
    if len(owners) == 1:
        return owners[0]
    if not owners:
        listed = f"`evoplay memory {run.path} --cell ...` lists those of a trial"
        raise ValueError(f"no trial of {run.path} has a claim {claim}: {listed}")
    some = ", ".join(map(str, owners[:6])) + (", ..." if len(owners) > 6 else "")
    raise ValueError(f"{len(owners)} trials have a claim {claim}: add --cell, one of {some}")


def _claims(run: LoadedRun, cell: Cell) -> list[Claim]:
    from evoplay.memory.claims import rebuilt

    return list(rebuilt(run.history(cell).claims).values())


def _trail(run: LoadedRun, cell: Cell, claim: str) -> Trail:
    from evoplay.evaluation.runlog import AGAIN, RunLogError
    from evoplay.evaluation.stores import known_steps
    from evoplay.memory.evidence import EvidenceError, EvidenceStore

    history = run.history(cell)
    store = EvidenceStore(cell.id)
    try:
        store.restore(history.claims, known_steps(history, run.info["config"].get("freeze_after")))
    except EvidenceError as error:
        raise RunLogError(f"{run.log_of(cell).path} does not hang together: {error}: {AGAIN}") from None
    return store.trail(claim.rpartition("/")[2])


def _trail_data(trail: Trail, changes: list[dict[str, Any]]) -> dict[str, Any]:
    from dataclasses import asdict

    from evoplay.memory.claims import as_dict

    steps = {
        "supports": [asdict(step) for step in trail.supports],
        "contradicts": [asdict(s) for s in trail.contradicts],
    }
    return {"claim": as_dict(trail.claim), **steps, "changes": changes}


def _print_trail(cell: Cell, trail: Trail, changes: list[dict[str, Any]]) -> None:
    from evoplay.methods.render import quoted, step_block

    claim = trail.claim
    shown, against = claim.counts
    print(f"{claim.id}  ({cell})\n{_what(claim)}: {shown} for, {against} against")
    _print_words(claim)
    for at, wording in enumerate(trail.earlier, start=1):
        because = f" ({_line(wording.why)})" if wording.why else ""
        print(f"\nwording {at}, until episode {wording.until}{because}:")
        _print_words(wording)
        print(f"  for: {_ids(wording.supports)}; against: {_ids(wording.contradicts)}")
    print("\nwhat happened to it:")
    for event in changes:
        what = _DONE.get(event["op"]) or f"now {event['status']}"
        steps = event.get("steps") or event.get("supports")
        links = f" by {_ids(steps)}" if steps else ""
        because = f": {_line(event['why'])}" if event.get("why") else ""
        print(f"  episode {event['episode']}: {what}{links}{because}")
    for title, some in (("steps for it", trail.supports), ("steps against it", trail.contradicts)):
        if some:
            print(f"\n{title}, oldest first:")
        for step in some:
            print(f"\n{step.id}\n{quoted(step.observation)}{step_block(step).text.lstrip()}", end="")


def _what(claim: Claim) -> str:
    """What a claim is and how it stands; the scope only where it is not the usual one."""
    scope = "" if claim.scope == "rule" else f" {claim.scope}"
    return f"{claim.kind}{scope}, {claim.status}"


def _print_words(said: Claim | Wording) -> None:
    print(f"  {said.text}")
    for name in ("condition", "action", "effect"):
        if getattr(said, name):
            print(f"  {name}: {getattr(said, name)}")


def _quality(run: LoadedRun, as_json: bool) -> None:
    from evoplay.evaluation.quality import table_of

    rows = table_of(run)
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    if not rows:
        print(f"no method of {run.path} holds rules; --cell lists the claims of a trial")
    for row in rows:
        share = "n/a" if row["share_true"] is None else f"{100 * row['share_true']:.0f} % of those checked"
        print(
            f"{row['contender']}: {row['rules']} rules held at the end of {row['trials']} trials: {row['true']} true, "
            f"{row['false']} false, {row['unchecked']} unchecked; true {share}"
        )
        if row["planted"]:
            gone = ", ".join(str(episodes) for episodes in row["gone_after"]) or "none"
            print(
                f"  the planted false rule was shown to the end in {row['survived']} of {row['planted']} trials; "
                f"episodes until it was gone in the others: {gone}"
            )


def _sort(claim: Claim) -> str:
    """The kind of a claim, and its scope where it is not the usual one."""
    return claim.kind if claim.scope == "rule" else f"{claim.kind} {claim.scope}"


def _ids(ids: Any) -> str:
    return ", ".join(one.partition("/")[2] for one in ids) or "none"


def _line(text: str) -> str:
    return " ".join(text.split())
