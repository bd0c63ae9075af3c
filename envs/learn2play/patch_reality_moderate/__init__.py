"""Patch Reality: eight flaws in the world, each with a tempting repair and a true one. Fixed: always the same."""

from evoplay.envs.learn2play.patch_reality_moderate.game import ENV, PatchReality

__all__ = ["ENV", "PatchReality"]
