"""Figure 4 of the compositional kernels paper, live: which pixels meet in a random feature of a skeleton."""

from rfviz.lab.pixel_cooccurrence.page import PAGE
from rfviz.lab.pixel_cooccurrence.views import CooccurrenceView
from rfviz.ui.page import show

show(PAGE, CooccurrenceView)
