"""Figure 2 of the paper on random features, live: random grids in the plane, and the kernel that they add up to."""

from rfviz.lab.binning.page import PAGE
from rfviz.lab.binning.views import BinningView
from rfviz.ui.page import show

show(PAGE, BinningView)
