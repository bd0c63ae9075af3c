"""Castaway: an island, fifty-six stretches of daylight and dark, and a raft to build. Fixed: always the same island."""

from evoplay.envs.learn2play.castaway.game import ENV, Castaway

__all__ = ["ENV", "Castaway"]
