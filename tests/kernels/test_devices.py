"""The same kernels on a GPU: a real one where there is one, else the substitute that refuses what CuPy refuses."""

import numpy as np
import pytest

from rfviz import kernels
from rfviz.backend import available_devices, get_device, to_host
from rfviz.errors import DataError

CALLS = {
    "maxout": lambda X, Y: kernels.maxout(X, Y, 12),
    "maxout_collision": lambda X, Y: kernels.maxout_collision(X, Y, 12),
    "gaussian": lambda X, Y: kernels.gaussian(X, Y, 0.3),
    "laplacian": lambda X, Y: kernels.laplacian(X, Y, 0.3),
    "cauchy": lambda X, Y: kernels.cauchy(X, Y, 0.3),
    "matern": lambda X, Y: kernels.matern(X, Y, 0.3, 2.5),
    "rough": lambda X, Y: kernels.matern(X, Y, 0.3, 0.8),
    "linear": kernels.linear,
    "stump": kernels.stump,
    "erf": kernels.sigmoidal,
    "tanh": lambda X, Y: kernels.sigmoidal(X, Y, "tanh", 2.0),
    "logistic": lambda X, Y: kernels.sigmoidal(X, Y, "logistic", bias=False),
}


@pytest.fixture
def gpu(request):
    real = [device for device in available_devices() if device.is_gpu]
    if real:
        return real[0]
    request.getfixturevalue("fake_gpu")
    return get_device("cuda")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("alone", [True, False])
def test_gpu_equals_host(name, alone, gpu):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((50, 6)), rng.standard_normal((20, 6))
    X[3] = 0.0
    expected = CALLS[name](X, None if alone else Y)
    on_gpu = CALLS[name](gpu.asarray(X), None if alone else gpu.asarray(Y))
    assert not isinstance(on_gpu, np.ndarray)
    np.testing.assert_allclose(to_host(on_gpu), expected, rtol=0, atol=1e-12)


def test_matrices_on_different_devices_are_refused(gpu):
    X = np.eye(3)
    with pytest.raises(DataError, match="same device"):
        kernels.maxout(gpu.asarray(X), X)
