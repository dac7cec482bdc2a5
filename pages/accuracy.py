"""Accuracy against the number of features: the chart that a lecture on random features is about."""

from rfviz.lab.accuracy.page import PAGE
from rfviz.lab.accuracy.views import AccuracyView
from rfviz.ui.page import show

show(PAGE, AccuracyView)
