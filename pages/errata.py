"""Errors in the papers: statements as printed, why they fail, and their corrections."""

from rfviz.lab.errata.page import PAGE
from rfviz.lab.errata.views import ErrataView
from rfviz.ui.page import show

show(PAGE, ErrataView)
