"""Figures 1 and 2 of the kitchen sinks paper, live: whether it is worth choosing features with care."""

from rfviz.lab.kitchen_sinks.page import PAGE
from rfviz.lab.kitchen_sinks.views import KitchenSinksView
from rfviz.ui.page import show

show(PAGE, KitchenSinksView)
