"""Test errors of linear models on random features against the number of features, next to those of other methods."""

from rfviz.experiments.accuracy.experiment import Accuracy

__all__ = ["Accuracy"]
