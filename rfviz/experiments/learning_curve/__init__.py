"""Errors against the number of features with the number of rows fixed: measured, and predicted from the kernel."""

from rfviz.experiments.learning_curve.experiment import LearningCurve

__all__ = ["LearningCurve"]
