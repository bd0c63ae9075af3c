"""An environment whose texts try to be more than text."""

from __future__ import annotations

from typing import ClassVar

from evoplay.envs.base import Env, EnvSpec, Observation, Reference

NASTY = (
    "<script>window.hacked = 1</script>\n"
    '<img src=x onerror="window.hacked = 2"> </script></pre></details> &amp; & <b>bold</b>\n'
    "   three spaces, a\ttab, \u2028 a separator and <!-- a comment"
)
ACTION = "<i onmouseover=window.hacked=3>go</i>"


class Hostile(Env):
    """Three steps, each worth a point."""

    spec: ClassVar[EnvSpec] = EnvSpec(
        id="tests/hostile",
        title="Hostile <b>title</b>",
        suite="tests",
        kind="fixed",
        challenge=False,
        episodes=3,
        max_steps=60,
        seed=1,
        summary="texts with markup",
    )

    def __init__(self, seed: int | None = None) -> None:
        self.seed = self.spec.seed if seed is None else seed
        self.points = 0

    def _now(self, accepted: bool = True) -> Observation:
        text = f"{NASTY}\nPoints: {self.points}"
        done = self.points >= 3
        actions = () if done else (ACTION, "stop")
        return Observation(text, actions, accepted, self.points, self.points, done)

    def reset(self, episode: int = 1) -> Observation:
        self.points = 0
        return self._now()

    def step(self, action: str) -> Observation:
        self.points += 1
        return self._now(action in (ACTION, "stop"))

    def finish(self) -> Observation:
        self.points = 3
        return self._now()

    def reference(self, episode: int = 1) -> Reference:
        return Reference(3.0, "exact", "three steps")
