"""Errors in the five papers: each statement as printed, why it fails, its correction, and a picture."""

from rfviz.experiments.errata.experiment import Errata

__all__ = ["Errata"]
