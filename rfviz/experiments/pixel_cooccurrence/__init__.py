"""Which pixels meet in the random features of a skeleton: Figure 4 of the compositional kernels paper."""

from rfviz.experiments.pixel_cooccurrence.experiment import PixelCooccurrence

__all__ = ["PixelCooccurrence"]
