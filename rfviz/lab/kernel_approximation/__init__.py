"""Kernel approximation: Figure 3 of the compositional kernels paper."""
