"""Whatever computes on the first GPU computes on the second one, while the first is the current one."""

import numpy as np
import pytest

from rfviz import backend
from rfviz.analysis.nested import estimates, prefix_grams
from rfviz.experiments.accuracy.maxout_table import maxout_table
from rfviz.features import RandomBinning, RandomFourier, RandomMaxout, registry
from rfviz.linear_model import DoublyStochasticClassifier, RidgePathClassifier, StochasticClassifier, StochasticPath
from rfviz.ui import scheduler
from rfviz.ui.scheduler import Request, Target

rng = np.random.default_rng(0)
X = rng.random((150, 6))
y = (X[:, 0] > X[:, 1]).astype(int)
M = 20


def test_arrays_of_two_devices_do_not_meet(two_gpus):
    first, second = two_gpus.ones(3), None
    with two_gpus.cuda.Device(1):
        second = two_gpus.ones(3)
        assert float(second.sum()) == 3.0
        with pytest.raises(ValueError, match=r"resides \(0\) is different from the current device \(1\)"):
            first + second
    for refused in (lambda: second + 1, lambda: first + second, second.sum, lambda: second.fill(0)):
        with pytest.raises(ValueError, match=r"resides \(1\)"):
            refused()
    assert second.get()[0] == 1.0 and second[1:].device.id == 1  # copies and views need no kernel
    with backend.device_of(second):
        assert float(second.sum()) == 3.0


@pytest.mark.parametrize("name", sorted(registry()))
def test_maps(two_gpus, name):
    first, second = (registry()[name](M, device=device).fit(X) for device in ("cuda:0", "cuda:1"))
    one, other = first.transform(X), second.transform(X)
    dense = [f.toarray() if hasattr(f, "toarray") else f for f in (one, other)]
    np.testing.assert_array_equal(*dense)
    if hasattr(second, "codes"):
        np.testing.assert_array_equal(first.codes(X), second.codes(X))
    with second.resident():
        second.transform(X[:5])
    either = registry()[name](M, device="auto").fit(X)
    with backend.using("cuda:0"), either.resident(), backend.using("cuda:1"):  # weights of the one are not the other's
        made = either.transform(X)
    np.testing.assert_array_equal(made.toarray() if hasattr(made, "toarray") else made, dense[0])
    for compute in (estimates, prefix_grams):
        for one, other in zip(*(compute(m, X[:40], [5, M]) for m in (first, second)), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: RidgePathClassifier(RandomFourier(M, gamma=1.0, device=d), solver="primal"),
        lambda d: RidgePathClassifier(RandomMaxout(M, device=d), alphas=1.0),
        lambda d: RidgePathClassifier(RandomBinning(M, device=d), alphas=1.0),
        lambda d: StochasticPath(RandomMaxout(M, device=d)),
        lambda d: StochasticClassifier(RandomMaxout(M, device=d)),
        lambda d: DoublyStochasticClassifier(RandomFourier(M, gamma=1.0, device=d)),
    ],
    ids=["ridge", "one penalty", "binning", "stochastic path", "stochastic", "doubly stochastic"],
)
def test_models(two_gpus, make):
    models = [make(device).fit(X, y) for device in ("cuda:0", "cuda:1")]
    for score, given in (("error_path", (X, y)), ("decision_function", (X,))):
        if hasattr(models[0], score):
            for one, other in zip(*(getattr(model, score)(*given) for model in models), strict=True):
                np.testing.assert_array_equal(one, other)
    if hasattr(models[0], "fit_blocks") and not models[0].feature_map.sparse_output:
        blocks = [(X[:70], y[:70]), (X[70:], y[70:])]
        one, other = (model.set_params(alphas=[0.1, 1.0]).fit_blocks(blocks, classes=[0, 1]) for model in models)
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_the_table_of_maxout(two_gpus):
    parts = [(X[:100], y[:100]), (X[100:], y[100:])]
    tables = [maxout_table(*parts, (5, 10), (2, 3), [0], n_held=20, device=device) for device in ("cuda:0", "cuda:1")]
    np.testing.assert_array_equal(tables[0].errors, tables[1].errors)


def test_a_session_computes_on_its_gpu(two_gpus):
    made = scheduler.run(lambda report: two_gpus.ones(3), Request("a", Target("cuda:1")))
    assert made.device.id == 1
