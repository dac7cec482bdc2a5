"""Maxout-PCA: Figure 2 of the random maxout paper."""
