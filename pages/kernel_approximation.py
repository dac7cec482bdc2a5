"""Figure 3 of the compositional kernels paper, live: how well m random features estimate the kernel."""

from rfviz.lab.kernel_approximation.page import PAGE
from rfviz.lab.kernel_approximation.views import KernelView
from rfviz.ui.page import show

show(PAGE, KernelView)
