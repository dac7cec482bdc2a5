"""Closed-form kernels k(X, Y), on NumPy or CuPy, and the exact moments of their random estimates."""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.kernels._inputs import pairwise_cosines
    from rfviz.kernels.activation import activation, activation_rho
    from rfviz.kernels.arccos import arccos, arccos_rho
    from rfviz.kernels.compositional import compositional
    from rfviz.kernels.fourier_moments import (
        fourier_lone_cosine_moments,
        fourier_product_variance,
        fourier_squared_distance_moments,
    )
    from rfviz.kernels.gaussian import gaussian
    from rfviz.kernels.laplacian import columnwise, laplacian
    from rfviz.kernels.linear import linear
    from rfviz.kernels.maxout import (
        collision_rho,
        collision_series,
        expected_max,
        expected_max_squared,
        maxout,
        maxout_by_argmax,
        maxout_collision,
        maxout_rho,
        maxout_theorem1_as_printed,
    )
    from rfviz.kernels.maxout_moments import (
        maxout_distance,
        maxout_distance_slope,
        maxout_plateau,
        maxout_product_moments,
        maxout_squared_distance_moments,
        saturation_distance,
    )
    from rfviz.kernels.maxout_shared import maxout_overlap_covariance, maxout_pool_covariance
    from rfviz.kernels.order_statistics import ORDER_RULES, order_statistic, order_statistic_rho, order_weights
    from rfviz.kernels.orthogonal_moments import orthogonal_covariance
    from rfviz.kernels.sigmoid import SIGMOIDS, sigmoidal, sigmoidal_product_variance
    from rfviz.kernels.stationary import cauchy, matern, matern_rho
    from rfviz.kernels.stump import stump
    from rfviz.kernels.thresholded import thresholded_relu_rho, thresholded_relu_square

__all__ = [
    "ORDER_RULES",
    "SIGMOIDS",
    "activation",
    "activation_rho",
    "arccos",
    "arccos_rho",
    "cauchy",
    "collision_rho",
    "collision_series",
    "columnwise",
    "compositional",
    "expected_max",
    "expected_max_squared",
    "fourier_lone_cosine_moments",
    "fourier_product_variance",
    "fourier_squared_distance_moments",
    "gaussian",
    "laplacian",
    "linear",
    "matern",
    "matern_rho",
    "maxout",
    "maxout_by_argmax",
    "maxout_collision",
    "maxout_distance",
    "maxout_distance_slope",
    "maxout_overlap_covariance",
    "maxout_plateau",
    "maxout_pool_covariance",
    "maxout_product_moments",
    "maxout_rho",
    "maxout_squared_distance_moments",
    "maxout_theorem1_as_printed",
    "order_statistic",
    "order_statistic_rho",
    "order_weights",
    "orthogonal_covariance",
    "pairwise_cosines",
    "saturation_distance",
    "sigmoidal",
    "sigmoidal_product_variance",
    "stump",
    "thresholded_relu_rho",
    "thresholded_relu_square",
]

import_when_asked(__name__)
