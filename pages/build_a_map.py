"""Build a map: write or draw a function, a density or a kernel, and see what it makes."""

from rfviz.lab.build_a_map.page import PAGE
from rfviz.lab.build_a_map.views import BuildView
from rfviz.ui.page import show

show(PAGE, BuildView)
