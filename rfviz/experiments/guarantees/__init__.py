"""Guarantees of the papers next to measurements: how loose each bound is, and how many features it requires."""

from rfviz.experiments.guarantees.experiment import KernelGuarantees, LearningGuarantees

__all__ = ["KernelGuarantees", "LearningGuarantees"]
