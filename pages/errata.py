"""What is wrong in the papers: statements as printed, why they fail, and what holds instead."""

from rfviz.lab.errata.page import PAGE
from rfviz.lab.errata.views import ErrataView
from rfviz.ui.page import show

show(PAGE, ErrataView)
