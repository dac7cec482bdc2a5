"""The scripts of the page on guarantees, and the sizes of its measurements."""

from __future__ import annotations

import numpy

from rfviz import bounds, datasets
from rfviz.analysis.guarantees import compare, measure_errors
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.risk import measure_risk
from rfviz.analysis.splits import make_split
from rfviz.figures.guarantees import plot_guarantees, plot_risk
from rfviz.lab import script
from rfviz.lab.panel import ScaledData
from rfviz.lab.split_data import SplitData
from rfviz.recipes.guarantees_settings import KernelSettings, LearningSettings

__all__ = [
    "LEARNT_M", "MEASURED_GRIDS", "MEASURED_M", "SEEDS", "kernel_script", "learning_script", "tested",
]  # fmt: skip

#: Numbers of features up to which errors are measured: fewer where a feature is a whole grid of boxes.
MEASURED_M, MEASURED_GRIDS = 2000, 400
#: Numbers of features up to which risks are measured, over how many seeds, and the share of rows that are tested on.
LEARNT_M, SEEDS, _TEST_SHARE = 1000, 3, 0.25


def tested(source: ScaledData) -> SplitData:
    """The data of the page with the share that risks are tested on."""
    return SplitData(source.data, source.normalise, _TEST_SHARE)


def kernel_script(source: ScaledData, settings: KernelSettings) -> str:
    """Plain calls that measure errors of the kernel estimate and put bounds beside them."""
    d = "measured.n_features" if settings.dimension == "data" else settings.dimension
    body = f"""
{script.load_data(source.data)}
sample = prepare_sample(dataset, {source.normalise!r}, n_points={settings.n_points})

scheme = {settings.scheme!r}
setting = {script.python(settings.setting, 10)}
grid = error_grid({MEASURED_GRIDS if settings.sparse else MEASURED_M})
measured = measure_errors(sample, scheme, setting, grid, n_draws={settings.draws})

found = measured.feature_map.applicable_bounds(
    measured.n_pairs,
    dimension={d},
    diameter=measured.diameter,
    variance=measured.largest_variance,
)
comparison = compare(measured, found, eps={settings.eps}, delta={settings.delta})
print(comparison.to_frame())

shown = {settings.shown}
largest = measured.feature_map.largest_error()
frame = comparison.curves_frame(shown)
figure = plot_guarantees(comparison, shown=shown, at={settings.m}, largest=largest)
figure.show()
"""
    uses = [datasets, prepare_sample, error_grid, measure_errors, compare, plot_guarantees]
    return script.write("How many random features does theory ask for, and how many do it in fact?", body, uses)


def learning_script(source: ScaledData, settings: LearningSettings) -> str:
    """Plain calls that measure risks and put a theorem beside them."""
    size = settings.size
    if size == "measured":
        norms = "radius" if settings.theorem == "compositional" else "size"
        size = f"max(float(np.median(measured.{norms}, axis=0)[measured.place({settings.m})]), 1e-9)"
    body = f"""
{tested(source).lines}

setting = {script.python(settings.setting, 10)}
grid = error_grid({LEARNT_M})
measured = measure_risk(split, {settings.scheme!r}, setting, grid, n_seeds={SEEDS})

size = {size}
loss = bounds.LOSSES[{settings.loss!r}]
bound = {_theorem(settings)}

n = {"measured.n_train" if settings.rows == "data" else settings.rows}
frame = measured.to_frame({settings.loss!r}).assign(bound=bound.total(n, measured.m_grid))
print(frame)

figure = plot_risk(measured, bound, {settings.loss!r}, n, at={settings.m}, largest=loss.at_zero)
figure.show()
"""
    uses = [datasets, bounds, make_split, measure_risk, error_grid, plot_risk]
    if settings.size == "measured":
        uses.append(numpy)
    title = "How much worse is what is learnt with random features, by theory and in fact?"
    return script.write(title, body, uses)


def _theorem(settings: LearningSettings) -> str:
    constants = settings.constants
    if settings.theorem == "compositional":
        return "bounds.compositional_risk(loss.lipschitz(size), size, 1.0, per_draw=2)"
    if settings.theorem == "kitchen sinks":
        # The theorem holds with probability 1 − 2δ.
        return f"bounds.kitchen_sinks_risk(loss.lipschitz(size), size, loss.at_zero, {constants['delta'] / 2.0})"
    return f"""bounds.maxout_risk(
    loss.lipschitz(size),
    size,
    loss.at_zero,
    delta={constants["delta"] / 3.0},
    pool_size={settings.setting["pool_size"]},
    dimension=split.X_train.shape[1],
    intrinsic={constants["intrinsic"]},
    diameter=2.0,
    constant={constants["constant"]},
)"""
