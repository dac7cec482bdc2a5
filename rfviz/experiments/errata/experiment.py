"""Errors in the papers, as an experiment: a statement as printed next to its correction."""

from __future__ import annotations

from functools import partial

from rfviz.cache import Cache
from rfviz.experiments.base import Chart, ExperimentWithoutData, experiment, revision
from rfviz.experiments.data import Data
from rfviz.experiments.errata.compute import Picture
from rfviz.experiments.errata.figures import plot_erratum
from rfviz.experiments.errata.statements import ERRATA, STATEMENTS, Erratum
from rfviz.features import RandomMaxout
from rfviz.params import Param

__all__ = ["CONTROLS", "STATEMENT", "Errata"]

STATEMENT = Param("statement", STATEMENTS[0], "choice", choices=STATEMENTS, label="Statement")
_POOL = RandomMaxout.param("pool_size")
#: What pictures depend on.
CONTROLS: dict[str, Param] = {
    param.name: param
    for param in (
        Param("pool_size", 4, "int", 2, 4096, log=True, ui_high=256, symbol="q", label=_POOL.label,
              marks=(2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256),
              help="Projections of which a feature is the largest."),
        Param("rho", 0.3, "float", -1.0, 1.0, symbol=r"\rho", label="Cosine",
              marks=tuple(round(-1 + 0.1 * i, 1) for i in range(21)), help="The cosine of the angle of two points."),
        Param("m", 100, "int", 1, 100_000, log=True, symbol="m", label="Features",
              marks=(1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000),
              help="The number of random features, or of grids."),
        Param("dimension", 2, "int", 1, 100, log=True, symbol="d", label="Dimension",
              marks=(1, 2, 3, 5, 10, 20, 50, 100), help="The number of columns of the data."),
        Param("size", 10.0, "float", 0.1, 1000.0, log=True, symbol="C", label="Size of the class",
              marks=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0),
              help="C: the largest value that a function of the class can have."),
        Param("eps", 0.1, "float", 0.02, 1.0, log=True, symbol=r"\varepsilon", label="Error",
              marks=(0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0), help="The error of the kernel’s estimate."),
        Param("categories", 4, "int", 2, 30, symbol="n", label="Categories", help="The number of categories."),
        Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other data and other stumps."),
    )
}  # fmt: skip


@experiment
class Errata(ExperimentWithoutData[Picture]):
    """Show a statement of a paper that does not hold, next to what holds.

    Parameters
    ----------
    statement : str
        One of :data:`rfviz.experiments.errata.statements.STATEMENTS`.
    pool_size, rho, m, dimension, size, eps, categories, seed
        What some of the pictures depend on.

    Examples
    --------
    Theorem 1 of "Random Maxout Features", for points at an angle of 60 degrees:

    >>> from rfviz.experiments import Errata
    >>> frame = Errata(statement="maxout kernel", pool_size=4).run().to_frame()
    >>> frame.iloc[[120]].round(2)[["cosine ρ", "exact kernel", "Theorem 1 as printed"]].values.tolist()
    [[0.5, 1.23, 0.36]]
    """

    statement: str = STATEMENT.default
    pool_size: int = CONTROLS["pool_size"].default
    rho: float = CONTROLS["rho"].default
    m: int = CONTROLS["m"].default
    dimension: int = CONTROLS["dimension"].default
    size: float = CONTROLS["size"].default
    eps: float = CONTROLS["eps"].default
    categories: int = CONTROLS["categories"].default
    seed: int = CONTROLS["seed"].default

    params = (STATEMENT, *CONTROLS.values())
    question = "Which statements of the papers do not hold, and what holds instead?"

    @property
    def erratum(self) -> Erratum:
        """The statement with its reasons."""
        return ERRATA[self.statement]

    def compute(self, data: Data, cache: Cache) -> Picture:
        assert self.erratum.picture is not None
        return self.erratum.picture(self)

    def charts(self, data: Data, numbers: Picture, cache: Cache) -> tuple[Chart, ...]:
        erratum = self.erratum
        said = erratum.numbers(self) if erratum.numbers is not None else ""
        plot = partial(plot_erratum, numbers, revision=revision(self.statement))
        alt = f"{erratum.paper}, {erratum.place}: as printed, and what holds. {said}".replace("**", "")
        return (Chart("erratum", plot, lambda: numbers.frame, alt, f"**What am I seeing?** {said}"),)
