"""Pixel co-occurrence: Figure 4 of the compositional kernels paper."""
