"""Linear models on random features, for every number of features at once."""

from rfviz.linear_model.cholesky_path import ConditionWarning
from rfviz.linear_model.grid import default_grid, largest_affordable_m
from rfviz.linear_model.ridge_path import RidgePath

__all__ = ["ConditionWarning", "RidgePath", "default_grid", "largest_affordable_m"]
