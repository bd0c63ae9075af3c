"""Dungeon: a torch, a labyrinth and the ways that stay in the dark. Fixed: the labyrinth never changes."""

from evoplay.envs.learn2play.dungeon.game import Dungeon

ENV = Dungeon
