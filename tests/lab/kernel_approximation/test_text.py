"""What the page on kernel approximation explains of theory: of the maps and the measure that are shown."""

from rfviz import datasets
from rfviz.analysis.kernel_sample import prepare_sample
from rfviz.experiments.kernel_approximation.compute import kernel_errors
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from rfviz.lab.kernel_approximation import text


def errors(name, spec, *label):
    return kernel_errors(prepare_sample(datasets.load(name), n_points=30), spec, [3, 7, 101], 4, *label)


def test_theory_is_about_what_is_shown():
    waves = errors("digits", MapSpec(RandomFourier, gamma=1.0))
    results = [errors("digits", MapSpec(RandomMaxout, pool_size=8), "q = 8"), waves]
    maximum = text.theory(results, "maximum")
    assert "Random Fourier: Hoeffding" in maximum and "is known for q = 8" in maximum
    assert "biased by k(x, −z)/m" in text.theory([errors("sphere", MapSpec(RandomFourier, gamma=0.1))], "rmse")
    assert "correlation" in text.theory(results, "correlation")
