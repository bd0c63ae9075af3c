"""RedEye: a night ferry that sinks again and again, and one passenger who remembers. Fixed: every loop is the same."""

from evoplay.envs.learn2play.redeye.game import ENV, RedEye

__all__ = ["ENV", "RedEye"]
