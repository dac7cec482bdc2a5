"""Random features compared with AdaBoost: Figures 1 and 2 of the kitchen sinks paper."""

from rfviz.experiments.kitchen_sinks.experiment import KitchenSinks

__all__ = ["KitchenSinks"]
