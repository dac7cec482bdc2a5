"""A screen for whoever has a table and five minutes: what random features say about it, in plain sentences."""

from rfviz.lab.quick_inspection.page import PAGE
from rfviz.lab.quick_inspection.views import InspectionView
from rfviz.ui.page import show

show(PAGE, InspectionView)
