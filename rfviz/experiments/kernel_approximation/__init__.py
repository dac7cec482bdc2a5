"""How well m random features estimate their kernel: Figure 3 of the compositional kernels paper."""

from rfviz.experiments.kernel_approximation.experiment import KernelApproximation

__all__ = ["KernelApproximation"]
