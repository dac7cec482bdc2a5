"""Too many features? The learning curve of ridge regression on random features, measured and predicted."""

from rfviz.lab.learning_curve.page import PAGE
from rfviz.lab.learning_curve.views import LearningCurveView
from rfviz.ui.page import show

show(PAGE, LearningCurveView)
