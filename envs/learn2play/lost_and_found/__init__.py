"""Lost and Found: one shift at a lost-property desk, three items, four voices for each. Re-shuffled."""

from evoplay.envs.learn2play.lost_and_found.game import LostAndFound

__all__ = ["ENV", "LostAndFound"]

ENV = LostAndFound
