"""Which shapes a linear classifier draws once it sees random features."""

from rfviz.experiments.decision_surfaces.experiment import DecisionSurfaces

__all__ = ["DecisionSurfaces"]
