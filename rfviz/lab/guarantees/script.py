"""Scripts of the page on guarantees, and the sizes of its measurements of risk."""

from __future__ import annotations

import numpy

from rfviz import bounds, datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.splits import make_split
from rfviz.features import MapSpec
from rfviz.lab import script
from rfviz.lab.guarantees.compute import compare, measure_errors
from rfviz.lab.guarantees.figures import plot_guarantees, plot_risk
from rfviz.lab.guarantees.risk import measure_risk
from rfviz.lab.guarantees.settings import (
    CompositionalTheorem,
    KernelSettings,
    KitchenSinksTheorem,
    LearningSettings,
)
from rfviz.lab.panel import ScaledData
from rfviz.lab.split_data import SplitData

__all__ = ["RISK_M", "RISK_SEEDS", "kernel_script", "learning_script", "tested"]

#: Number of features up to which risks are measured, over how many seeds, and the share of rows to test on.
RISK_M, RISK_SEEDS, _TEST_SHARE = 1000, 3, 0.25


def tested(source: ScaledData) -> SplitData:
    """Return the data of the page with the share of rows to test on."""
    return SplitData(source.data, source.normalise, _TEST_SHARE)


def kernel_script(source: ScaledData, settings: KernelSettings) -> str:
    """Write plain calls that measure errors of the kernel estimate and compare them with bounds."""
    d = "measured.n_features" if settings.dimension == "data" else settings.dimension
    body = f"""
{script.load_data(source.data)}
sample = prepare_sample(dataset, {source.normalise!r}, n_points={settings.n_points})

spec = {script.python(settings.spec)}
measured = measure_errors(sample, spec, error_grid({settings.m_max}), n_draws={settings.draws})

found = measured.feature_map.applicable_bounds(
    measured.n_pairs,
    dimension={d},
    diameter=measured.diameter,
    variance=measured.largest_variance,
)
comparison = compare(measured, found, eps={settings.eps}, delta={settings.delta})
print(comparison.to_frame().to_string())

shown = {list(settings.shown)}
largest = measured.feature_map.largest_error()
frame = comparison.curves_frame(shown)
figure = plot_guarantees(comparison, shown=shown, at={settings.m}, largest=largest)
figure.show()
"""
    uses = [datasets, prepare_sample, MapSpec, settings.spec.cls, error_grid, measure_errors, compare, plot_guarantees]
    return script.write("How many random features does theory require, and how many suffice?", body, uses)


def learning_script(source: ScaledData, settings: LearningSettings) -> str:
    """Write plain calls that measure risks and compare them with a theorem."""
    size = settings.size
    if size == "measured":
        size = f"max(float(np.median(measured.{settings.norm}, axis=0)[measured.place({settings.m})]), 1e-9)"
    body = f"""
{tested(source).lines}

spec = {script.python(settings.spec)}
measured = measure_risk(split, spec, error_grid({RISK_M}), n_seeds={RISK_SEEDS})

size = {size}
loss = bounds.LOSSES[{settings.loss!r}]
bound = {_theorem(settings)}

n = {"measured.n_train" if settings.rows == "data" else settings.rows}
frame = measured.to_frame({settings.loss!r}).assign(bound=bound.total(n, measured.m_grid))
print(frame.to_string())

figure = plot_risk(measured, bound, {settings.loss!r}, n, at={settings.m}, largest=loss.at_zero)
figure.show()
"""
    uses = [datasets, bounds, make_split, MapSpec, settings.spec.cls, measure_risk, error_grid, plot_risk]
    if settings.size == "measured":
        uses.append(numpy)
    title = "How much worse is what is learnt with random features, in theory and in practice?"
    return script.write(title, body, uses)


def _theorem(settings: LearningSettings) -> str:
    theorem = settings.theorem
    if isinstance(theorem, CompositionalTheorem):
        return "bounds.compositional_risk(loss.lipschitz(size), size, 1.0, per_draw=2)"
    if isinstance(theorem, KitchenSinksTheorem):
        # The theorem holds with probability 1 − 2δ.
        return f"bounds.kitchen_sinks_risk(loss.lipschitz(size), size, loss.at_zero, {theorem.delta / 2.0})"
    return f"""bounds.maxout_risk(
    loss.lipschitz(size),
    size,
    loss.at_zero,
    delta={theorem.delta / 3.0},
    pool_size={settings.spec.get("pool_size")},
    dimension=split.X_train.shape[1],
    intrinsic={theorem.intrinsic},
    diameter=2.0,
    constant={theorem.constant},
)"""
