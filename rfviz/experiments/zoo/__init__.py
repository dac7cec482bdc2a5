"""Which random feature maps there are, and which kernel each approximates."""

from rfviz.experiments.zoo.experiment import Zoo

__all__ = ["Zoo"]
