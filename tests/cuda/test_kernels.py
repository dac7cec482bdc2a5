"""Every CUDA kernel, its source compiled for the processor: against NumPy in float64, in a frame that must not change.

What the compiler of a GPU makes of the same source is seen only there; that it takes it is seen where there is nvcc.
"""

import itertools
import os
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from rfviz import cuda
from rfviz.features import RandomMaxout
from rfviz.linear_model.losses import LOSSES
from tests import fake_cuda

FOLDER = Path(cuda.__file__).parent
KERNELS = {name: getattr(cuda, name) for name in cuda.__all__ if isinstance(getattr(cuda, name), cuda.Kernel)}
needs_compiler = pytest.mark.skipif(
    fake_cuda.HOST_COMPILER is None and not os.environ.get("CI"), reason="there is no g++ to compile kernels with"
)
# Rows and columns: none, one, odd ones, more than a block has threads, more rows than a thread does.
SHAPES = [(0, 5), (4, 0), (1, 1), (3, 7), (9, 257), (70, 33), (17, 300)]
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])


@pytest.fixture
def rng():
    return np.random.default_rng(7)


class Framed:
    """An array of a device within a larger one that is filled with a number nothing else has."""

    STRANGE = 1234.5

    def __init__(self, xp, values):
        rows, columns = values.shape
        frame = np.full((rows + 4, columns + 7), self.STRANGE).astype(values.dtype)
        frame[2 : 2 + rows, 3 : 3 + columns] = values
        self.frame = xp.asarray(frame)
        self.array = self.frame[2 : 2 + rows, 3 : 3 + columns]

    def result(self):
        """Return the values, after a look at the frame around them."""
        frame, values = self.frame.get(), self.array.get()
        inside = np.zeros(frame.shape, dtype=bool)
        inside[2 : 2 + values.shape[0], 3 : 3 + values.shape[1]] = True
        assert (frame[~inside] == np.array(self.STRANGE).astype(frame.dtype)).all()
        return values


def empty(xp, shape, dtype):
    """Return a framed array of NaN, or of a wrong integer."""
    return Framed(xp, np.full(shape, np.nan if np.dtype(dtype).kind == "f" else -99, dtype))


def run(name, xp, *arguments):
    """Call a kernel where array operations would not go unnoticed."""
    assert KERNELS[name].works(xp, arguments[0].dtype), cuda.kernels_in_use(xp)[1]

    def never(*_):
        raise AssertionError("array operations took the kernel's place")

    plain = KERNELS[name].plain
    object.__setattr__(KERNELS[name], "plain", never)
    try:
        KERNELS[name](xp, *arguments)
    finally:
        object.__setattr__(KERNELS[name], "plain", plain)


def close(found, expected, units=8.0):
    limit = units * np.finfo(found.dtype).eps * max(np.abs(expected).max(initial=0.0), 1e-30)
    assert found.shape == expected.shape and found.size == np.isfinite(found).sum()
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit)


@needs_compiler
@every_shape
@every_dtype
def test_cosine(fake_gpu, rng, shape, dtype):
    values, phases = rng.standard_normal(shape).astype(dtype), rng.uniform(0, 6.3, shape[1]).astype(dtype)
    place = Framed(fake_gpu, values)
    run("COSINE", fake_gpu, place.array, fake_gpu.asarray(phases), 0.25)
    close(place.result(), 0.25 * np.cos(values.astype(float) + phases), 16)


@needs_compiler
def test_cosines_of_large_phases_keep_their_digits(fake_gpu, rng):
    # Of the number that float32 holds, however many turns it is; a cosine without a careful reduction is noise here.
    angles = (1e6 * rng.standard_normal((20, 51))).astype("float32")
    place = Framed(fake_gpu, angles)
    run("COSINE", fake_gpu, place.array, fake_gpu.zeros(51, dtype="float32"), 1.0)
    close(place.result(), np.cos(angles.astype(float)), 4)
    out = empty(fake_gpu, (20, 102), "float32")
    run("COSINE_SINE", fake_gpu, fake_gpu.asarray(angles), 1.0, out.array)
    close(out.result()[:, 1::2], np.sin(angles.astype(float)), 4)


@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("odd", [0, 1])
def test_cosine_sine(fake_gpu, rng, shape, dtype, odd):
    angles = Framed(fake_gpu, 5 * rng.standard_normal(shape).astype(dtype))
    given = angles.array.get().astype(float)
    width = max(2 * shape[1] - odd, 0)
    out = empty(fake_gpu, (shape[0], width), dtype)
    run("COSINE_SINE", fake_gpu, angles.array, 1.5, out.array)
    found = out.result()
    close(found[:, ::2], 1.5 * np.cos(given))
    close(found[:, 1::2], 1.5 * np.sin(given[:, : width // 2]))
    assert np.array_equal(angles.result(), given)


@needs_compiler
@every_shape
@every_dtype
def test_relu(fake_gpu, rng, shape, dtype):
    values = rng.standard_normal(shape).astype(dtype)
    place = Framed(fake_gpu, values)
    run("RELU", fake_gpu, place.array, 0.5)
    close(place.result(), 0.5 * np.maximum(values, 0.0))


SIGMOIDS = {"erf": special.erf, "tanh": np.tanh, "logistic": special.expit}


@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("activation", SIGMOIDS)
@pytest.mark.parametrize("biased", [True, False])
def test_sigmoid(fake_gpu, rng, shape, dtype, activation, biased):
    values, biases = (30 * rng.standard_normal(shape)).astype(dtype), rng.standard_normal(shape[1]).astype(dtype)
    place = Framed(fake_gpu, values)
    run("SIGMOID", fake_gpu, place.array, fake_gpu.asarray(biases) if biased else None, activation, 0.5)
    # Through the sum that the precision holds: a sigmoid is steeper than a cosine.
    close(place.result(), 0.5 * SIGMOIDS[activation]((values + biases if biased else values).astype(float)))


@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("pool", [1, 2, 5])
def test_group_max(fake_gpu, rng, shape, dtype, pool):
    products = Framed(fake_gpu, rng.standard_normal((shape[0], shape[1] * pool)).astype(dtype))
    out = empty(fake_gpu, shape, dtype)
    run("GROUP_MAX", fake_gpu, products.array, pool, out.array)
    groups = products.array.get().reshape(*shape, pool)
    assert np.array_equal(out.result(), groups.max(axis=2, initial=-np.inf) if shape[1] else groups[:, :, 0])


@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("pool", [1, 3])
def test_pool_max(fake_gpu, rng, shape, dtype, pool):
    products = Framed(fake_gpu, rng.standard_normal((shape[0], 11)).astype(dtype))
    indices = rng.integers(0, 11, (pool, shape[1]), dtype=np.int32)
    out = empty(fake_gpu, shape, dtype)
    run("POOL_MAX", fake_gpu, products.array, fake_gpu.asarray(indices), out.array)
    expected = np.array([[max(row[i] for i in column) for column in indices.T] for row in products.array.get()])
    assert np.array_equal(out.result(), expected.reshape(shape))


# Lanes that share a group: one, two, four, all; values that they share evenly, or not.
@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("positions", [1, 7, 16, 37, 200, 256, 1000])
def test_mean_of_positive(fake_gpu, rng, shape, dtype, positions):
    filters, images = shape
    values = rng.standard_normal((filters, images * positions)).astype(dtype)
    columns, given = rng.permutation(filters + 3)[:filters], Framed(fake_gpu, values)
    out = empty(fake_gpu, (images, filters + 3), dtype)
    run("MEAN_OF_POSITIVE", fake_gpu, given.array, positions, fake_gpu.asarray(columns), 0.5, out.array)
    found = out.result()
    groups = values.astype(float).reshape(filters, images, positions)
    close(found[:, columns], 0.5 * np.maximum(groups, 0.0).mean(axis=2).T, 16)
    assert np.isnan(np.delete(found, columns, axis=1)).all()  # of no filter
    assert np.array_equal(given.result(), values)
    plain = np.full((images, filters + 3), np.nan, dtype)
    KERNELS["MEAN_OF_POSITIVE"](np, values, positions, columns, 0.5, plain)
    close(found[:, columns], plain[:, columns].astype(float), 16)


@needs_compiler
@every_dtype
@pytest.mark.parametrize("geometry", [((1, 1), (32, 1)), ((2, 3), (64, 4)), ((7, 1), (256, 1)), ((1, 5), (32, 32))])
def test_means_are_the_same_bits_on_any_grid(fake_gpu, rng, dtype, geometry, monkeypatch):
    values, columns = (fake_gpu.asarray(a) for a in (rng.standard_normal((9, 11 * 70)).astype(dtype), np.arange(9)))
    usual, other = (empty(fake_gpu, (11, 9), dtype) for _ in range(2))
    run("MEAN_OF_POSITIVE", fake_gpu, values, 70, columns, 1.0, usual.array)
    monkeypatch.setattr("rfviz.cuda.kernel._geometry", lambda columns, rows: geometry)
    run("MEAN_OF_POSITIVE", fake_gpu, values, 70, columns, 1.0, other.array)
    assert np.array_equal(usual.result(), other.result())


@needs_compiler
@pytest.mark.parametrize("place", [0, 5, 199])
def test_nan_among_many_comes_out_of_their_mean_alone(fake_gpu, place):
    values = np.full((2, 600), -1.0, dtype="float32")
    values[1, 200 + place] = np.nan
    columns, out = fake_gpu.asarray(np.array([1, 0])), empty(fake_gpu, (3, 2), "float32")
    run("MEAN_OF_POSITIVE", fake_gpu, fake_gpu.asarray(values), 200, columns, 1.0, out.array)
    expected = np.zeros((3, 2), dtype="float32")
    expected[1, 0] = np.nan
    assert np.array_equal(out.result(), expected, equal_nan=True)


@needs_compiler
def test_lanes_that_do_not_all_take_part_in_a_sum_are_refused(fake_gpu):
    code = """
extern "C" __global__ void part(REAL* values, long long count)
{
    if (threadIdx.x < count) values[threadIdx.x] += __shfl_down_sync(0xffffffffu, values[threadIdx.x], 1);
}"""
    function = fake_gpu.RawModule(code=code, options=("-DREAL=float",)).get_function("part")
    values = fake_gpu.asarray(np.arange(32.0, dtype="float32"))
    function((1, 1), (32, 1), (values, 32))
    assert values.get().tolist() == [*range(1, 62, 2), 62.0]
    with pytest.raises(RuntimeError, match="lanes of a warp"):
        function((1, 1), (32, 1), (values, 31))


@needs_compiler
@pytest.mark.parametrize("place", range(3))
def test_nan_in_any_member_comes_out(fake_gpu, place):
    products = np.arange(6.0, dtype="float32").reshape(1, 6)
    products[0, 3 + place] = np.nan
    out = empty(fake_gpu, (1, 2), "float32")
    run("GROUP_MAX", fake_gpu, fake_gpu.asarray(products), 3, out.array)
    assert out.result()[0, 0] == 2.0 and np.isnan(out.result()[0, 1])
    picked = empty(fake_gpu, (1, 1), "float32")
    indices = fake_gpu.asarray(np.array([[3], [4], [5]], dtype=np.int32))
    run("POOL_MAX", fake_gpu, fake_gpu.asarray(products), indices, picked.array)
    assert np.isnan(picked.result()).all()
    for name, more in (("RELU", (1.0,)), ("SIGMOID", (None, "tanh", 1.0)), ("COSINE", (fake_gpu.zeros(6), 1.0))):
        values = fake_gpu.asarray(products.astype("float64"))
        run(name, fake_gpu, values, *more)
        assert np.isnan(values.get()).sum() == 1


@needs_compiler
@every_dtype
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_adagrad(fake_gpu, rng, dtype, alpha):
    start = {name: rng.random((70, 3)).astype(dtype) for name in ("weights", "squares", "averages", "gradients")}
    start["squares"][0] = start["gradients"][0] = 0.0  # a feature that has not been seen
    given = {name: fake_gpu.asarray(array) for name, array in start.items()}
    run("ADAGRAD", fake_gpu, *given.values(), 8, alpha, 0.5, 0.25)
    weights, squares, averages, gradients = (array.astype(float) for array in start.values())
    gradients = gradients / 8 + alpha * weights
    squares = squares + gradients**2
    weights = weights - 0.5 * gradients / (np.sqrt(squares) + 1e-12)
    averages = averages + 0.25 * (weights - averages)
    for name, expected in {"weights": weights, "squares": squares, "averages": averages}.items():
        close(given[name].get(), expected, 64)


@needs_compiler
@pytest.mark.parametrize("classes", [2, 10])
@every_dtype
def test_softmax_loss(fake_gpu, rng, dtype, classes):
    scores = rng.standard_normal((300, classes)).astype(dtype)
    scores[:7] *= 1000.0  # whose exponentials overflow
    labels = rng.integers(classes, size=len(scores))
    gradients, losses = (np.full(shape, np.nan, dtype=dtype) for shape in (scores.shape, len(scores)))
    given = [fake_gpu.asarray(array) for array in (gradients, losses, scores, labels)]
    run("SOFTMAX_LOSS", fake_gpu, *given)
    exact, truth = scores.astype(float), np.arange(classes) == labels[:, None]
    close(given[1].get(), special.logsumexp(exact, axis=1) - exact[truth])
    close(given[0].get(), special.softmax(exact, axis=1) - truth)


@needs_compiler
def test_softmax_loss_takes_whole_arrays_only(fake_gpu, rng):
    scores, labels = fake_gpu.asarray(rng.standard_normal((6, 4)))[:, :3], fake_gpu.asarray(np.arange(6) % 3)
    loss, gradient = LOSSES["logistic"](scores, labels)
    expected = LOSSES["logistic"](scores.get(), labels.get())
    assert np.array_equal(loss.get(), expected[0]) and np.array_equal(gradient.get(), expected[1])


@needs_compiler
@every_shape
@every_dtype
def test_stumps(fake_gpu, rng, shape, dtype):
    X = Framed(fake_gpu, rng.standard_normal((shape[0], 6)).astype(dtype))
    columns, thresholds = rng.integers(0, 6, shape[1], dtype=np.int32), rng.standard_normal(shape[1]).astype(dtype)
    if shape == (3, 7):
        thresholds[:] = X.array.get()[1, columns]  # on the threshold counts as above it
    out = empty(fake_gpu, shape, dtype)
    run("STUMPS", fake_gpu, X.array, fake_gpu.asarray(columns), fake_gpu.asarray(thresholds), 0.5, out.array)
    assert np.array_equal(out.result(), np.where(X.array.get()[:, columns] >= thresholds, 0.5, -0.5))


@needs_compiler
@every_shape
@every_dtype
@pytest.mark.parametrize("with_logs", [True, False])
def test_cosine_sums(fake_gpu, rng, shape, dtype, with_logs):
    inputs, (rows, features) = 5, shape
    wide = -(-rows // cuda.SAMPLES) * cuda.SAMPLES
    tables = [rng.standard_normal((inputs, wide)).astype(dtype) for _ in range(2)]
    matrices = [rng.integers(-2, 3, (features, inputs)) * (rng.random((features, inputs)) < 0.5) for _ in range(2)]

    def entries(matrix):
        where = np.nonzero(matrix)
        ends = np.concatenate([[0], np.cumsum((matrix != 0).sum(axis=1))]).astype(np.int32)
        return tuple(map(fake_gpu.asarray, (ends, where[1].astype(np.int32), matrix[where].astype(dtype))))

    biases, amplitudes = rng.standard_normal((2, features)).astype(dtype)
    angles, logs = (fake_gpu.asarray(table) for table in tables)
    out = empty(fake_gpu, shape, dtype)
    given = fake_gpu.asarray(biases), fake_gpu.asarray(amplitudes), out.array
    run("COSINE_SUMS", fake_gpu, angles, logs if with_logs else None, *map(entries, matrices), *given)
    exact = [table[:, :rows].astype(float) for table in tables]
    expected = amplitudes.astype(float)[:, None] * np.cos(matrices[0] @ exact[0] + biases.astype(float)[:, None])
    if with_logs:
        expected = expected * np.exp(matrices[1] @ exact[1])
    close(out.result(), expected.T, 64)


def boxes(X, rates, offsets, multipliers):
    """Return the codes by Python's own integers, one row, grid and column at a time."""
    codes = np.empty((rates.shape[1], len(X)), dtype=np.int64)
    for p, i in itertools.product(range(rates.shape[1]), range(len(X))):
        total = 0
        for j in range(X.shape[1]):
            place = np.ceil(rates[j, p] * X[i, j] - offsets[j, p])
            number = int(place) if abs(place) < 2.0**62 else int(np.sign(place)) * int(np.abs(place).view(np.int64))
            total += int(multipliers[j]) * number
        codes[p, i] = (total + 2**63) % 2**64 - 2**63
    return codes


@needs_compiler
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (3, 7), (9, 40), (17, 130)], ids=str)
@pytest.mark.parametrize("far", [False, True])
def test_boxes(fake_gpu, rng, shape, far):
    rows, grids = shape
    X = rng.standard_normal((rows, 4))
    if far and rows:
        X[0, 0], X[-1, 1], X[-1, 2] = 1e300, -1e300, 1.5e300  # beyond any bin that an integer numbers
    rates, offsets = rng.uniform(0.1, 3.0, (4, grids)), rng.random((4, grids))
    multipliers = rng.integers(-(2**63), 2**63, 4, dtype=np.int64)
    expected = boxes(X, rates, offsets, multipliers)
    framed = Framed(fake_gpu, X)
    arrays = [fake_gpu.asarray(a) for a in (rates, offsets, multipliers)]
    codes = fake_gpu.asarray(np.full((grids, rows), -99))
    run("BIN_CODES", fake_gpu, framed.array, *arrays, codes)
    assert np.array_equal(codes.get(), expected)
    # Of every grid the boxes of some rows are known: of the first none, of the second one row's, and so on.
    known = [np.unique(row[: p % 8]) for p, row in enumerate(expected)]
    ends = np.concatenate([[0], np.cumsum([len(k) for k in known])]).astype(np.int64)
    columns = fake_gpu.asarray(np.full((rows, grids), -99))
    bins = np.concatenate(known).astype(np.int64)
    run("BIN_COLUMNS", fake_gpu, framed.array, *arrays, fake_gpu.asarray(bins), fake_gpu.asarray(ends), columns)
    found = columns.get()
    for p, i in itertools.product(range(grids), range(rows)):
        place = np.flatnonzero(known[p] == expected[p, i])
        assert found[i, p] == (ends[p] + place[0] if len(place) else -1)
    # The array operations that take the kernel's place find the same.
    plain = np.full((rows, grids), -99)
    KERNELS["BIN_COLUMNS"](np, X, rates, offsets, multipliers, bins, ends, plain)
    assert np.array_equal(plain, found)


# --- whether a kernel is used -----------------------------------------------------------------------------------------


@needs_compiler
def test_every_kernel_is_found_right_in_both_precisions(fake_gpu):
    for kernel in KERNELS.values():
        assert all(
            kernel.works(fake_gpu, dtype)
            for dtype in (("float64",) if "bin" in kernel.name else ("float32", "float64"))
        )
    names, why = cuda.kernels_in_use(fake_gpu)
    assert names == sorted(kernel.name for kernel in KERNELS.values()) and not why
    with cuda.plain_kernels():
        assert not cuda.RELU.works(fake_gpu, "float32")
    assert cuda.RELU.works(fake_gpu, "float32") and not cuda.RELU.works(fake_gpu, "float16")


X = np.random.default_rng(0).standard_normal((300, 5))


def broken(fake_gpu, how):
    whole = fake_gpu.RawModule

    class Broken:
        def __init__(self, **options):
            if how == "compile":
                raise RuntimeError("nvrtc: error: invalid value\nand a page of details")
            self.module = whole(**options)

        def get_function(self, name):
            inner = self.module.get_function(name)
            calls = []

            def function(grid, block, arguments):
                calls.append(1)
                if how == "launch" and len(calls) > 1:  # after it was tried
                    raise RuntimeError("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
                inner(grid, block, arguments)
                if how == "wrong":
                    arguments[5 if name == "group_max" else 0][...] = 0.25

            return function

    fake_gpu.RawModule = Broken


@needs_compiler
@pytest.mark.parametrize(
    ("how", "why"),
    [("compile", "nvrtc: error: invalid value"), ("launch", "LAUNCH_OUT_OF_RESOURCES"), ("wrong", "it differs")],
)
def test_a_kernel_that_fails_is_replaced_with_one_warning(fake_gpu, how, why):
    feature_map = RandomMaxout(40, device="cuda").fit(X)
    expected = RandomMaxout(40, device="cpu").fit(X).transform(X)
    broken(fake_gpu, how)
    with pytest.warns(cuda.KernelFallbackWarning, match=f"'group_max' does not work here .*{why}") as caught:
        result = feature_map.transform(X)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-6)
    assert len(caught) == 1 and why in cuda.kernels_in_use(fake_gpu)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(feature_map.transform(X), expected, rtol=0, atol=1e-6)


@needs_compiler
def test_arrays_that_a_kernel_is_not_for_go_to_array_operations(fake_gpu):
    values = fake_gpu.asarray(np.arange(-6.0, 6.0).reshape(3, 4))
    turned = values.T  # numbers of a row are not side by side
    cuda.RELU(fake_gpu, turned, 2.0)
    assert np.array_equal(values.get(), 2 * np.maximum(np.arange(-6.0, 6.0).reshape(3, 4), 0))


def test_without_a_gpu_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(cuda.Kernel, "_compile", lambda *args: pytest.fail("compiled"))
    values = np.array([[-1.0, 2.0]])
    cuda.RELU(np, values, 3.0)
    assert values.tolist() == [[0.0, 6.0]] and not cuda.RELU.works(np, "float64")


# --- the compiler of a GPU --------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("source", sorted(path.stem for path in FOLDER.glob("*.cu")))
def test_nvcc_takes_the_source(tmp_path, source, real):
    out = tmp_path / "kernel.ptx"
    command = ["nvcc", "-ptx", "-arch=sm_80", "-Werror=all-warnings", f"-DREAL={real}", str(FOLDER / f"{source}.cu")]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = out.read_text()
    assert all(f".entry {kernel.name}(" in made for kernel in KERNELS.values() if kernel.source == source)
    # The careless cosine of a GPU has an instruction of its own.
    assert "cos.approx" not in made and "sin.approx" not in made


def test_every_source_is_used_and_part_of_the_package():
    assert {kernel.source for kernel in KERNELS.values()} == {path.stem for path in FOLDER.glob("*.cu")}
    assert '"rfviz.cuda" = ["*.cu"]' in (FOLDER.parent.parent / "pyproject.toml").read_text()
