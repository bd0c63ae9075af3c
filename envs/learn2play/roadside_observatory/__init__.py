"""Roadside Observatory: nine stretches of road, five strangers, a comet that does not wait. Re-shuffled."""

from evoplay.envs.learn2play.roadside_observatory.game import RoadsideObservatory

__all__ = ["ENV", "RoadsideObservatory"]

ENV = RoadsideObservatory
