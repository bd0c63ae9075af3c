"""Seeds of calls: a hash of what the call is for, so that order, concurrency and resuming change nothing."""

from __future__ import annotations

from hashlib import blake2b


class SeedOf:
    """seed(episode, step, purpose) of one trial: a hash of run seed, cell, episode, step and purpose (63 bits)."""

    __slots__ = ("_prefix",)

    def __init__(self, run_seed: int, cell: str) -> None:
        self._prefix = blake2b(f"{run_seed}|{cell}|".encode(), digest_size=8)

    def __call__(self, episode: int, step: int, purpose: str) -> int:
        digest = self._prefix.copy()
        digest.update(f"{episode}|{step}|{purpose}".encode())
        return int.from_bytes(digest.digest(), "big") >> 1
