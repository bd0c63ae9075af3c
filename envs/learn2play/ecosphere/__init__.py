"""Ecosphere: a jar is stocked, sealed and left to itself. Fixed: the ecology never changes."""

from evoplay.envs.learn2play.ecosphere.game import Ecosphere

ENV = Ecosphere
