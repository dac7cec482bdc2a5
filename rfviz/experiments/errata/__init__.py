"""What is wrong in the five papers: each statement as printed, why it fails, what holds instead, and a picture."""

from rfviz.experiments.errata.experiment import Errata

__all__ = ["Errata"]
