"""Hash codes of random feature maps against the exact law of their collisions: Remark 1 of the random maxout paper."""

from rfviz.experiments.hashing.experiment import Hashing

__all__ = ["Hashing"]
