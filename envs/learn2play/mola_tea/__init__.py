"""Mola Tea: a week behind the counter of a tea shop, and guests whose habits nobody explains. Re-shuffled."""

from evoplay.envs.learn2play.mola_tea.game import MolaTea

__all__ = ["ENV", "MolaTea"]

ENV = MolaTea
