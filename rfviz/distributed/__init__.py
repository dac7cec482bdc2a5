"""Random features and ridge regression on tables that lie on many machines.

On Dask's arrays and dataframes: :func:`fit`, :func:`transform` and :func:`inspect`. Features never leave the worker
that computes them: ridge regression needs the sums of each partition alone
(:class:`rfviz.linear_model.NormalEquations`), O(m²) numbers, which are merged. ``docs/large-data.md`` shows the same
for Ray and Spark.

Stochastic gradients are not among them: each step needs the result of the one before, so that workers would wait for
each other. A :class:`rfviz.linear_model.StochasticPath` is fitted to a sample, or ridge regression to all rows.
"""

from rfviz.distributed.dask import fit, inspect, transform

__all__ = ["fit", "inspect", "transform"]
