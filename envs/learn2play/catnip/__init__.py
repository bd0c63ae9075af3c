"""Catnip Singularity: one cat, six people, twenty turns. Fixed: every episode has the same people and the same luck."""

from evoplay.envs.learn2play.catnip.game import ENV, Catnip

__all__ = ["ENV", "Catnip"]
