"""Guarantees of the papers next to measurements: how loose each bound is, and how many features it requires."""

from rfviz.lab.guarantees.page import PAGE
from rfviz.lab.guarantees.views import GuaranteesView
from rfviz.ui.page import show

show(PAGE, GuaranteesView)
