"""The embedded simulated backbone. It is no language model, and is called simulated wherever it shows."""

from evoplay.methods.backbones.sim.learner import SimLearner

__all__ = ["SimLearner"]
