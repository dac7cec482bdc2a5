"""Guarantees of the papers next to measurements: how loose each bound is, and how many features it requires."""

from rfviz.experiments.guarantees.experiment import FunctionGuarantees, KernelGuarantees, LearningGuarantees

__all__ = ["FunctionGuarantees", "KernelGuarantees", "LearningGuarantees"]
