"""Random binning: Figure 2 of the paper on random features."""
