"""Which distances between points survive a random feature map: Figure 1 of the random maxout paper."""

from rfviz.experiments.distance_saturation.experiment import DistanceSaturation

__all__ = ["DistanceSaturation"]
