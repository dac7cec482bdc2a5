"""Bounds of the theory, on errors of kernel estimates and on the risk of learnt models, and their inverses.

Pure mathematics, in float64 and in logarithms, so that no input overflows. Each bound is a function that returns a
:class:`TailBound` or a :class:`RiskBound`: the bound, the error it allows and the number of features it asks for.
"""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.bounds.binning import binning_log_failure_as_printed, binning_pair, binning_uniform
    from rfviz.bounds.fourier import (
        fourier_pair,
        fourier_uniform,
        phase_pair,
        phase_pair_hoeffding,
        sutherland_pairs,
        sutherland_phases,
    )
    from rfviz.bounds.gaussian import piecewise_linear_pair, projection_pair
    from rfviz.bounds.normal import chebyshev, normal, normal_over_pairs
    from rfviz.bounds.products import bernstein, bounded_products, sphere_norm
    from rfviz.bounds.risk import (
        LOSSES,
        Loss,
        RiskBound,
        compositional_risk,
        kitchen_sinks_risk,
        largest_dimension,
        maxout_features,
        maxout_risk,
    )
    from rfviz.bounds.statement import BoundStatement, pair_statements
    from rfviz.bounds.tail import TailBound

__all__ = [
    "LOSSES",
    "BoundStatement",
    "Loss",
    "RiskBound",
    "TailBound",
    "bernstein",
    "binning_log_failure_as_printed",
    "binning_pair",
    "binning_uniform",
    "bounded_products",
    "chebyshev",
    "compositional_risk",
    "fourier_pair",
    "fourier_uniform",
    "kitchen_sinks_risk",
    "largest_dimension",
    "maxout_features",
    "maxout_risk",
    "normal",
    "normal_over_pairs",
    "pair_statements",
    "phase_pair",
    "phase_pair_hoeffding",
    "piecewise_linear_pair",
    "projection_pair",
    "sphere_norm",
    "sutherland_pairs",
    "sutherland_phases",
]

import_when_asked(__name__)
