"""Figure 1 of the random maxout paper, live: which distances survive the map."""

from rfviz.lab.distance_saturation.page import PAGE
from rfviz.lab.distance_saturation.views import SaturationView
from rfviz.ui.page import show

show(PAGE, SaturationView)
