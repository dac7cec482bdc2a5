"""Guarantees of the papers next to measurements: how loose is each bound, and how many features does it require?"""

from rfviz.lab.guarantees.page import PAGE
from rfviz.lab.guarantees.views import GuaranteesView
from rfviz.ui.page import show

show(PAGE, GuaranteesView)
