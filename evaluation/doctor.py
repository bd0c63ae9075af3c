"""`evoplay doctor`: what would keep a run from working, found before it starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from evoplay.methods.backbones.base import Backbone, BackboneError, CallFailed, LimitReached, Message


class Finding(NamedTuple):
    """One thing checked: what, whether it is well, and the facts or the fix."""

    what: str
    ok: bool
    detail: str


LEAST_DISK = 500 * 2**20


def examine(name: str, api_base: str | None, out: Path) -> list[Finding]:
    """Check a backbone (it can be opened, key, context window, price, one call) and the disk."""
    from evoplay.evaluation.recorded import recorded_calls
    from evoplay.methods.backbones.registry import open_backbone

    findings = [_disk(out)]
    try:
        # What is wrong now is to be told now: a run would try again for minutes.
        backbone = open_backbone(name, read_records=recorded_calls, api_base=api_base, retries=0)
    except BackboneError as error:
        return [*findings, Finding("backbone", False, str(error))]
    kind = " (simulated backbone)" if backbone.simulated else ""
    findings.append(Finding("backbone", True, f"{name}{kind}"))
    key = _key(backbone, api_base)
    if key is not None:
        findings.append(key)
        if not key.ok:
            return findings
    window = backbone.context_window
    findings.append(
        Finding("context window", True, "unknown: set --budget-tokens" if window is None else f"{window:,} tokens")
    )
    findings.append(_price(backbone))
    # A recording answers what was recorded and nothing else.
    if not name.startswith(("policy/", "replay/")):
        findings.append(_call(backbone, api_base))
    return findings


def _key(backbone: Backbone, api_base: str | None) -> Finding | None:
    check = getattr(backbone, "check_key", None)
    if check is None:
        return None
    try:
        check()
    except BackboneError as error:
        return Finding("key", False, str(error))
    from evoplay.methods.backbones.providers import holds_key

    none = "none set, a server of your own may do without" if api_base else "none set, none known to be needed"
    return Finding("key", True, "found" if holds_key(backbone.name) else none)


def _price(backbone: Backbone) -> Finding:
    if backbone.free:
        return Finding("price", True, "free")
    known = getattr(backbone, "price", None)
    return Finding("price", True, "unpriced: costs will not be known; give --prices" if known is None else str(known))


def _call(backbone: Backbone, api_base: str | None) -> Finding:
    messages = [Message("system", "Answer in one word."), Message("user", "Say ready.\n\nActions:\n- ready\n")]
    try:
        completion = backbone.complete(messages, purpose="check", seed=0, max_tokens=64, where="doctor")
    except (CallFailed, LimitReached, BackboneError) as error:
        reached = getattr(error, "kind", None) not in ("connection", "timeout")
        fix = f"start the server, or correct --api-base {api_base}" if api_base else "check the network and --api-base"
        return Finding("one call", False, str(error) if reached else f"{error}: {fix}")
    usage = completion.usage
    detail = f"answered in {completion.seconds:.2f} s as {completion.model} ({usage.input} + {usage.output} tokens)"
    return Finding("one call", True, detail)


def _disk(out: Path) -> Finding:
    folder = out.absolute()
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return Finding("disk", False, f"{folder} cannot be written: choose another --out")
    free = shutil.disk_usage(folder).free
    return Finding("disk", free >= LEAST_DISK, f"{free / 2**30:.1f} GB free in {folder}")
