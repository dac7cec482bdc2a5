"""Decision surfaces: the classes that a linear classifier on random features predicts, everywhere in a plane."""

from rfviz.lab.decision_surfaces.page import PAGE
from rfviz.lab.decision_surfaces.views import SurfaceView
from rfviz.ui.page import show

show(PAGE, SurfaceView)
