"""Principal components of random features: Figure 2 of the random maxout paper."""

from rfviz.experiments.maxout_pca.experiment import MaxoutPCA

__all__ = ["MaxoutPCA"]
