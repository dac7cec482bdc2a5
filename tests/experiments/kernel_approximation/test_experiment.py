"""Kernel approximation as an experiment: its curves have names of their own, and all rows of a table come in parts."""

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.datasets.files import parts
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import KernelApproximation
from rfviz.experiments.kernel_approximation.compute import kernel_errors
from rfviz.experiments.kernel_approximation.experiment import NothingComputedError
from rfviz.features import CompositionalFeatures, MapSpec, RandomFourier, RandomMaxout

SMALL = {"points": 16, "m_max": 60, "draws": 2}


def labels(*maps):
    return [candidate.label for candidate in KernelApproximation(maps=maps).candidates]


def test_curves_are_named_by_what_is_compared():
    assert labels(RandomFourier(10), RandomMaxout(20, pool_size=8)) == ["Random Fourier", "Random maxout, q = 8"]
    ways = [RandomFourier(draw=way) for way in ("iid", "orthogonal", "qmc")]
    assert labels(*ways) == [f"Random Fourier, {way}" for way in ("independent", "orthogonal", "Sobol")]
    both = [CompositionalFeatures(deduplicate=once) for once in (True, False)]
    assert labels(*both) == ["Compositional, kept once", "Compositional, as drawn"]
    assert labels(both[0]) == ["Compositional"]
    assert labels(RandomFourier(gamma=0.5), RandomFourier(gamma=2.0)) == [
        "Random Fourier, gamma = 0.5",
        "Random Fourier, gamma = 2",
    ]
    assert labels(RandomMaxout(10), RandomMaxout(20, random_state=5)) == ["Random maxout, q = 4"], "it is one map"


def test_it_measures_the_errors_of_its_maps_and_its_repr_makes_it_again():
    experiment = KernelApproximation(maps=[RandomFourier(gamma=1.0)], **SMALL)
    result = experiment.run("digits")
    sample = prepare_sample(datasets.load("digits"), "unit norm", 16)
    expected = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), error_grid(60), 2)
    frame = result.to_frame()
    np.testing.assert_allclose(frame["RMSE ÷ mean k(x, x)"], expected.errors.average("rmse") / expected.unit)
    names = {"KernelApproximation": KernelApproximation, "RandomFourier": RandomFourier}
    assert eval(repr(experiment), names) == experiment
    (only,) = experiment.parts("digits")  # only passes over all rows are parts
    assert only.to_frame().equals(frame)


def test_m_is_the_nearest_number_of_features_with_a_result():
    experiment = KernelApproximation(maps=[RandomFourier()], m=1000, **SMALL)
    assert experiment.m == 60 and experiment.grid[experiment.place] == 60
    assert KernelApproximation(maps=[RandomFourier()], m=161, m_max=200).m in error_grid(200)


def test_bad_settings_are_one_sentence():
    with pytest.raises(ParameterError, match="metric must be one of 'rmse'"):
        KernelApproximation(maps=[RandomFourier()], metric="rms")
    with pytest.raises(ParameterError, match="points must be"):
        KernelApproximation(maps=[RandomFourier()], points=2)
    with pytest.raises(NothingComputedError, match="maps must hold a map that can be computed"):
        KernelApproximation(maps=[]).run("digits")
    with pytest.raises(DataError, match="digits is not drawn from a larger table"):
        KernelApproximation(maps=[RandomFourier()], all_rows=True, **SMALL).run("digits")


def test_all_rows_come_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 200)  # so that a small table is drawn from
    monkeypatch.setenv("RFVIZ_DATA", str(tmp_path))
    (tmp_path / "large").mkdir()
    X = np.random.default_rng(0).normal(size=(1500, 4))
    for number, rows in enumerate(np.split(X, 3)):
        pd.DataFrame(rows, columns=list("abcd")).to_parquet(tmp_path / "large" / f"{number}.parquet")
    experiment = KernelApproximation(maps=[RandomFourier()], all_rows=True, points=16, m_max=40, draws=7)
    data = datasets.load("folder:large", max_samples=200)
    found = [result.numbers.maps[0].all_rows.n_draws for result in experiment.parts(data)]
    assert found == [5, 7]
    assert "**All 1,500 rows**" in experiment.run(data).chart().words
