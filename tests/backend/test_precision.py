"""TF32: its rounding, where it is used and where never, and what it costs."""

import threading

import numpy as np
import pytest

from rfviz.backend import (
    available_devices,
    look_for_gpus_again,
    matmul,
    product_precision,
    round_to_tf32,
    wanted_precision,
)
from rfviz.errors import ParameterError
from rfviz.features import RandomBinning, RandomFourier, RandomMaxout, RandomProjection, blocks, registry
from rfviz.features.precision import tf32_cost
from rfviz.linear_model import RidgePathClassifier

X = np.random.default_rng(0).standard_normal((60, 40))


def test_rounding_by_hand():
    ulp = 2.0**-10
    cases = {
        1.0: 1.0,
        1 + ulp: 1 + ulp,
        1 + ulp / 4: 1.0,
        1 + 3 * ulp / 4: 1 + ulp,
        1 + ulp / 2: 1.0,
        1 + 3 * ulp / 2: 1 + 2 * ulp,  # halfway: to the even one
        -(1 + 3 * ulp / 4): -(1 + ulp),
        0.0: 0.0,
        2 - ulp / 4: 2.0,
    }
    found = round_to_tf32(np.array(list(cases), dtype=np.float32))
    expected = np.array(list(cases.values()), dtype=np.float32)
    np.testing.assert_array_equal(found, expected)
    strange = np.array([np.inf, -np.inf, np.nan], dtype=np.float32)
    np.testing.assert_array_equal(round_to_tf32(strange), strange)


def test_rounding_is_to_the_nearest_number_of_ten_bits():
    values = (np.random.default_rng(1).standard_normal(20_000) * 10.0 ** np.arange(-20, 20).repeat(500)).astype(
        "float32"
    )
    rounded = round_to_tf32(values)
    assert not (rounded.view(np.uint32) & 0x1FFF).any()
    unit = 2.0 ** (np.floor(np.log2(np.abs(values.astype(float)))) - 10)
    assert (np.abs(rounded.astype(float) - values) <= unit / 2).all()
    assert np.array_equal(round_to_tf32(rounded), rounded)
    view = values.reshape(100, 200).T[::3]
    assert np.array_equal(round_to_tf32(view), rounded.reshape(100, 200).T[::3]) and view.base is not None


def test_a_product_in_tf32_is_that_of_rounded_factors_whatever_computes_it(fake_gpu):
    a, b = (np.random.default_rng(2).standard_normal(shape).astype("float32") for shape in ((7, 30), (30, 5)))
    expected = round_to_tf32(a) @ round_to_tf32(b)
    with product_precision("tf32"):
        assert wanted_precision() == "tf32"
        np.testing.assert_array_equal(matmul(np, a, b), expected)
        on_gpu = matmul(fake_gpu, fake_gpu.asarray(a), fake_gpu.asarray(b))
        np.testing.assert_array_equal(on_gpu.get(), expected)
        assert np.array_equal(matmul(np, a, b, exact=True), a @ b)
        assert np.array_equal(matmul(np, a.astype(float), b.astype(float)), a.astype(float) @ b.astype(float))
        with product_precision("float32"):
            assert np.array_equal(matmul(np, a, b), a @ b)
    assert wanted_precision() == "float32" and np.array_equal(matmul(np, a, b), a @ b)
    with pytest.raises(ParameterError, match="precision must be one of 'float32', 'tf32'; got 'half'"):
        product_precision("half").__enter__()


def test_the_switch_is_off_again_after_every_product_and_after_an_error(fake_gpu):
    from cupy._core._routines_linalg import compute

    ones = fake_gpu.ones((3, 3), dtype="float32")
    with product_precision("tf32"):
        matmul(fake_gpu, ones, ones)
        assert compute.log == [(3, 3)] and compute.current == compute.COMPUTE_TYPE_DEFAULT
        with pytest.raises(ValueError, match="mismatch"):
            matmul(fake_gpu, ones, fake_gpu.ones((2, 3), dtype="float32"))
        assert compute.current == compute.COMPUTE_TYPE_DEFAULT
        assert matmul(fake_gpu, ones, ones).get()[0, 0] == 3.0
    del __import__("sys").modules["cupy._core._routines_linalg"].set_compute_type  # a version without the switch
    with product_precision("tf32"):
        matmul(fake_gpu, ones, ones)
    assert len(compute.log) == 3  # the second one failed within


def test_an_exact_product_waits_for_another_threads_tf32(fake_gpu):
    from cupy._core._routines_linalg import compute

    ones, seen = fake_gpu.ones((3, 3), dtype="float32"), []
    whole, inside, go = fake_gpu.matmul, threading.Event(), threading.Event()

    def slow(a, b, out=None):
        seen.append(compute.current)
        if compute.current == compute.COMPUTE_TYPE_TF32:
            inside.set()
            go.wait(60)
        return whole(a, b, out=out)

    fake_gpu.matmul = slow

    def rounded():
        with product_precision("tf32"):
            matmul(fake_gpu, ones, ones)

    one, other = (threading.Thread(target=f) for f in (rounded, lambda: matmul(fake_gpu, ones, ones, exact=True)))
    one.start()
    assert inside.wait(60)
    other.start()
    other.join(0.05)
    go.set()
    one.join(60), other.join(60)
    assert seen == [compute.COMPUTE_TYPE_TF32, compute.COMPUTE_TYPE_DEFAULT]


@pytest.mark.parametrize("name", ["CUPY_TF32", "NVIDIA_TF32_OVERRIDE"])
def test_a_switch_from_outside_is_warned_of(fake_gpu, monkeypatch, name):
    look_for_gpus_again()
    monkeypatch.setenv(name, "0")
    assert available_devices()[0].is_gpu  # without a warning, which would be an error
    look_for_gpus_again()
    monkeypatch.setenv(name, "1")
    with pytest.warns(RuntimeWarning, match=f"{name}=1 makes all float32 products"):
        available_devices()


def test_a_chip_without_tf32_keeps_float32(fake_gpu, monkeypatch):
    from cupy._core._routines_linalg import compute

    monkeypatch.setattr(fake_gpu.cuda.Device, "compute_capability", "75")
    ones = fake_gpu.ones((3, 3), dtype="float32")
    with product_precision("tf32"):
        assert matmul(fake_gpu, ones, ones).get()[0, 0] == 3.0
    assert not compute.log


def test_other_threads_are_not_concerned():
    seen = []
    with product_precision("tf32"):
        thread = threading.Thread(target=lambda: seen.append(wanted_precision()))
        thread.start()
        thread.join()
    assert seen == ["float32"]


def test_workers_of_a_large_job_are(monkeypatch):
    monkeypatch.setattr(blocks, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(blocks, "worker_count", lambda: 2)
    feature_map = RandomProjection(30, device="cpu").fit(X)
    exact = feature_map.transform(X)
    with product_precision("tf32"):
        rounded = feature_map.transform(X)
    monkeypatch.setattr(blocks, "worker_count", lambda: 1)
    with product_precision("tf32"):
        np.testing.assert_allclose(feature_map.transform(X), rounded, rtol=0, atol=1e-5)
    assert 1e-5 < np.abs(rounded - exact).max() < 1e-2


def count(fake_gpu):
    from cupy._core._routines_linalg import compute

    return len(compute.log)


@pytest.mark.parametrize("name", list(registry()))
def test_where_it_is_used(fake_gpu, name):
    """By the schemes whose features are continuous in a product; the same digits on the CPU and on the GPU."""
    scheme = registry()[name]
    on_gpu, on_host = (scheme(24, device=d).fit(X[:, :36]) for d in ("cuda", "cpu"))
    with product_precision("tf32"):
        found, expected = on_gpu.transform(X[:, :36]), on_host.transform(X[:, :36])
    np.testing.assert_allclose(*(f.toarray() if hasattr(f, "toarray") else f for f in (found, expected)), atol=3e-5)
    with_products = {
        "LinearFourier",
        "RandomMaxout",
        "SharedPoolMaxout",
        "RandomProjection",
        "RandomActivation",
        "RandomPool",
        "RandomConvolution",
        "RandomFourier",
        "SigmoidalRidge",
        "RandomReLU",
        "HybridCompositional",
    }
    assert (count(fake_gpu) > 0) == (name in with_products)


def test_where_it_is_never_used(fake_gpu):
    with product_precision("tf32"):
        RandomBinning(20, device="cuda").fit(X).transform(X)  # boxes
        RandomMaxout(20, device="cuda").fit(X).codes(X)  # which member is the largest
        RandomProjection(20, device="cuda").fit(X).codes(X)
        for far in (1e4, 1e6):  # phases of hundreds of radians
            RandomFourier(20, gamma=1.0, device="cuda").fit(X).transform(far / 100 * X)
        RandomMaxout(20, dtype="float64", device="cuda").fit(X).transform(X)
    assert count(fake_gpu) == 0
    with product_precision("tf32"):
        RandomFourier(20, gamma=0.01, device="cuda").fit(X).transform(X)
    assert count(fake_gpu) == 1


def test_no_gram_matrix_and_no_factor_is_made_in_it(fake_gpu):
    y = (X[:, 0] > 0).astype(int)
    path = RidgePathClassifier(RandomMaxout(16, device="cuda"), m_grid=[4, 16], solver="primal")
    with product_precision("tf32"):
        path.fit(X, y)
    from cupy._core._routines_linalg import compute

    # Every product that was rounded is one of rows of 40 columns with weights: none has the features on both sides.
    assert compute.log and {shape[1] for shape in compute.log} == {40}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_it_costs(fake_gpu, device):
    cost = tf32_cost(RandomProjection(200, device=device).fit(X), X)
    # Each factor is off by up to 2^-11 of itself; uniformly, and in sums of products of independent signs.
    expected = 2.0**-11 * np.sqrt(2.0 / 3.0)
    # A mantissa is uniform within its rounding, but its size within the octave varies: 1 to 2.
    assert 0.4 * expected < cost.typical < 1.0 * expected
    assert cost.typical < cost.largest < 8 * cost.typical and 0 < cost.kernel < 20 * cost.typical
    free = tf32_cost(RandomBinning(20, device=device).fit(X), X)
    assert free.largest == free.typical == free.kernel == 0.0
    double = tf32_cost(RandomProjection(20, dtype="float64", device=device).fit(X), X)
    assert double.largest == 0.0
