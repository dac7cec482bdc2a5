"""The page to start with: every feature map on the same plane, its kernel estimated and exact."""

from rfviz.lab.zoo.page import PAGE
from rfviz.lab.zoo.views import ZooView
from rfviz.ui.page import show

show(PAGE, ZooView)
