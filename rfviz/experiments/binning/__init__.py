"""Random grids in the plane, and the kernel that they add up to: Figure 2 of the paper on random features."""

from rfviz.experiments.binning.experiment import Binning

__all__ = ["Binning"]
