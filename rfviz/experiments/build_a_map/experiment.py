"""Build a map, as an experiment: the kernel of a function, a density or a kernel that is written as a formula."""

from __future__ import annotations

from functools import partial

from rfviz.cache import Cache
from rfviz.experiments.base import Chart, ExperimentWithoutData, experiment, revision
from rfviz.experiments.build_a_map import base_space as spaces
from rfviz.experiments.build_a_map.base_space import BaseSpace
from rfviz.experiments.build_a_map.circle import wrapped_line
from rfviz.experiments.build_a_map.compute import MOST, Built, What, build
from rfviz.experiments.build_a_map.describe import explanation, formula_alt, summary
from rfviz.experiments.build_a_map.figures import (
    plot_base_errors,
    plot_base_kernel,
    plot_circle,
    plot_errors,
    plot_formula,
    plot_kernel,
    plot_moduli,
    plot_transform,
)
from rfviz.experiments.data import Data
from rfviz.features import RandomActivation, RandomPool
from rfviz.params import Param
from rfviz.words import number

__all__ = [
    "BASE", "CATEGORIES", "DIMENSION", "LENGTH", "OMEGA", "POOL_SIZE", "WEIGHTS", "BaseSpaces", "BuildAMap", "M",
]  # fmt: skip

_WHAT = Param("what", "function", "choice", choices=("function", "pool", "density", "kernel"))
M = Param(
    "m",
    200,
    "int",
    2,
    MOST,
    step=2,
    log=True,
    symbol="m",
    label="Features",
    marks=(2, 4, 6, 10, 16, 24, 40, 64, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, MOST),
    help="The number of random features in the estimate. Four times as many halve the error.",
)
POOL_SIZE = RandomPool.param("pool_size")
WEIGHTS = next(param for param in RandomActivation.params if param.name == "weights")
LENGTH = Param(
    "length",
    1.0,
    "float",
    0.1,
    10.0,
    log=True,
    marks=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
    label="Length of the points",
    help="Norm of the two points. It stretches the projections, so that most functions have another kernel.",
)
BASE = Param(
    "base",
    "sphere",
    "choice",
    choices=("binary", "circle", "gaussian", "categorical", "sphere"),
    titles=("{±1}", "Circle", "Gaussian", "Categories", "Sphere"),
    label="Base space",
    help="What an input of a skeleton is, with its kernel and its random features.",
)
DIMENSION = Param(
    "dimension",
    8,
    "int",
    3,
    100,
    log=True,
    symbol="d",
    label="Dimension",
    marks=(3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100),
    help="Of the space that the sphere lies in.",
)
CATEGORIES = Param("categories", 4, "int", 2, 30, symbol="n", label="Categories", help="How many there are.")

OMEGA = Param(
    "omega",
    2.0,
    "float",
    0.0,
    20.0,
    open_low=True,
    marks=tuple(round(0.25 * step, 2) for step in range(1, 49)),
    symbol=r"\omega",
    label="Frequency shown",
    help="One frequency ω, and how its cosine and sine wrap the line onto a circle.",
)


@experiment
class BuildAMap(ExperimentWithoutData[Built]):
    """Build a random feature map from a formula, and compare its kernel with what features estimate.

    Parameters
    ----------
    what : {"function", "pool", "density", "kernel"}
        What the formula gives: see :func:`rfviz.experiments.build_a_map.compute.build`.
    formula : str
        The formula, or the rule of a pool.
    m : int
        Number of features in the estimate.
    seed : int
        Of the draw that is shown.
    length : float
        Norm of the points that a function is tried on.
    weights : str
        How those of a function are distributed.
    omega : float
        A frequency to show, of a density or a kernel.

    Examples
    --------
    >>> from rfviz.experiments import BuildAMap
    >>> result = BuildAMap(formula="relu(x)", m=1000).run()
    >>> print(result.summary())
    Kernel against the angle between two points, exact and estimated from 1,000 features; RMS error 0.013.

    The map itself, for data of any number of columns:

    >>> result.numbers.spec.make(n_components=500)
    RandomActivation(function='relu(x)', n_components=500)
    """

    what: What = "function"
    formula: str
    m: int = M.default
    seed: int = 0
    length: float = LENGTH.default
    pool_size: int = 4
    weights: str = WEIGHTS.default
    omega: float = OMEGA.default

    params = (_WHAT, M, LENGTH, POOL_SIZE, WEIGHTS, OMEGA)
    question = "Which random feature map does this formula make?"

    def compute(self, data: Data, cache: Cache) -> Built:
        return cache.call(built_of, self.what, self.formula, self.seed, self.length, self.pool_size, self.weights)

    def charts(self, data: Data, numbers: Built, cache: Cache) -> tuple[Chart, ...]:
        what, formula, m = self.what, self.formula, self.m
        main = Chart(
            "built-kernel",
            partial(plot_kernel, numbers, m),
            partial(numbers.kernel_frame, m),
            summary(numbers, m),
            explanation(numbers, m),
        )
        written = Chart(
            "built-from",
            partial(plot_formula, what, formula, self.pool_size),
            partial(numbers.formula_frame, formula),
            formula_alt(what, formula),
        )
        errors = Chart(
            "built-errors",
            partial(plot_errors, numbers, m),
            numbers.error_frame,
            "RMS error of the estimate against the number of features, measured over 16 draws and predicted.",
        )
        if what in ("function", "pool"):
            return main, written, errors
        line = wrapped_line(numbers, self.omega)
        circle = Chart("built-circle", partial(plot_circle, line), line.to_frame, line.summary(), line.explanation())
        found = numbers.transform
        if found is None:
            return main, written, errors, circle
        alt = f"Cosine transform of the kernel against the frequency; its smallest value is {number(found.lowest, 2)}."
        transform = Chart("built-transform", partial(plot_transform, found), found.to_frame, alt)
        return main, written, errors, transform, circle


def built_of(
    what: What, formula: str, seed: int, length: float, pool_size: int, weights: str, *, cache: Cache
) -> Built:
    """Build the map and try it, for all numbers of features."""
    return build(what, formula, seed, length, pool_size, weights)


@experiment
class BaseSpaces(ExperimentWithoutData[BaseSpace]):
    """Show the random features of a base space of skeletons: their size, and how well they estimate its kernel.

    Parameters
    ----------
    base : {"binary", "circle", "gaussian", "categorical", "sphere"}
        The space; of the sphere three kinds of features are compared, of categories the printed exponent with the
        right one.
    dimension : int
        d, of the sphere.
    categories : int
        n, of categories.
    m : int
        Number of features in the estimate.
    seed : int
        Of the draw that is shown.

    Examples
    --------
    >>> from rfviz.experiments import BaseSpaces
    >>> result = BaseSpaces(base="sphere", dimension=8).run()
    >>> result.to_frame("base-moduli")[["feature", "bound C"]].round(2).values.tolist()
    [['√(d/2)·(xⱼ ± i·xⱼ₊₁)', 2.0], ['√d·⟨w, x⟩', 2.83], ['√d·xⱼ', 2.83]]
    """

    base: str = BASE.default
    dimension: int = DIMENSION.default
    categories: int = CATEGORIES.default
    m: int = M.default
    seed: int = 0

    params = (BASE, DIMENSION, CATEGORIES, M)
    question = "How large are the random features of a base space, and how well do they estimate its kernel?"

    def compute(self, data: Data, cache: Cache) -> BaseSpace:
        return cache.call(base_space_of, self.base, self.dimension, self.categories, self.seed)

    def charts(self, data: Data, numbers: BaseSpace, cache: Cache) -> tuple[Chart, ...]:
        m, known_by = self.m, revision(self.base, self.dimension, self.categories)
        return (
            Chart(
                "base-kernel",
                partial(plot_base_kernel, numbers, m, revision=known_by),
                partial(numbers.kernel_frame, m),
                spaces.summary(numbers, m),
                spaces.explanation(numbers, m),
            ),
            Chart(
                "base-moduli",
                partial(plot_moduli, numbers, revision=known_by),
                numbers.moduli_frame,
                "Histogram of the modulus of the features, with their bounds.",
            ),
            Chart(
                "base-errors",
                partial(plot_base_errors, numbers, m, revision=known_by),
                numbers.error_frame,
                "RMS error of the estimates against the number of features, measured over 16 draws and predicted.",
            ),
        )


def base_space_of(base: str, dimension: int, categories: int, seed: int, *, cache: Cache) -> BaseSpace:
    """Draw features of a base space."""
    return spaces.base_space(base, dimension, categories, seed)
