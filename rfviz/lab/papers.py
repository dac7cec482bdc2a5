"""The papers whose figures and tables presets show, as a help text names them."""

__all__ = ["COMPOSITIONAL_KERNELS", "KITCHEN_SINKS", "LARGE_SCALE", "NOTES", "RANDOM_MAXOUT"]

RANDOM_MAXOUT = "*Random Maxout Features* (Mroueh, Rennie, Goel 2015)"
COMPOSITIONAL_KERNELS = "*Random Features for Compositional Kernels* (Daniely, Frostig, Gupta, Singer 2017)"
KITCHEN_SINKS = "*Weighted Sums of Random Kitchen Sinks* (Rahimi, Recht 2008)"
NOTES = "*Large Dimension Probabilistic Methods* (lecture notes HMMA308 on the paper of Rahimi and Recht)"
LARGE_SCALE = "*Random Features for Large-Scale Kernel Machines* (Rahimi, Recht 2007)"
