"""Random convolutions: by brute force, on odd images, and what they say where patches do not fit."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy import stats

from rfviz import cuda, kernels
from rfviz.errors import ParameterError
from rfviz.features import RandomConvolution
from rfviz.features.base import SlowKernelError
from tests import fake_cuda

ROWS = np.random.default_rng(0).random((12, 54))
COLOURED = {"image_shape": (6, 3, 3), "patch_size": 2, "device": "cpu", "dtype": "float64"}


def patches_of(feature_map, image):
    """Return the patches of an image by position, whitened, with the constant coordinate, on the sphere."""
    size, found = feature_map.patch_size, {}
    for top in range(image.shape[0] - size + 1):
        for left in range(image.shape[1] - size + 1):
            patch = image[top : top + size, left : left + size].ravel()
            white = feature_map.whitening_ @ (patch - feature_map.mean_)
            whole = np.append(white, np.sqrt(0.05 * len(white)))
            found[top, left] = whole / np.linalg.norm(whole)
    return found


def region_of(cell, positions, grid):
    """Return the positions of a cell of the grid."""
    rows, columns = (np.linspace(0, size, grid + 1).round().astype(int) for size in positions)
    top, left = divmod(int(cell), grid)
    return [(y, x) for y in range(rows[top], rows[top + 1]) for x in range(columns[left], columns[left + 1])]


@pytest.mark.parametrize("threshold", [0.0, 0.8])
def test_by_brute_force(threshold):
    feature_map = RandomConvolution(23, threshold=threshold, **COLOURED).fit(ROWS)
    features = feature_map.transform(ROWS)
    square = stats.norm.expect(lambda a: np.maximum(a - threshold, 0.0) ** 2, lb=threshold)
    for i, row in enumerate(ROWS[:4]):
        patches = patches_of(feature_map, row.reshape(6, 3, 3))
        for feature in range(23):
            region = region_of(feature_map.regions_[feature], (5, 2), 2)
            answers = [max(feature_map.weights_[feature] @ patches[p] - threshold, 0.0) for p in region]
            assert features[i, feature] == pytest.approx(np.mean(answers) / np.sqrt(23 * square), abs=1e-13)


@pytest.mark.parametrize("plain", [False, True])
def test_a_gpu_finds_the_same_in_any_tiles(fake_gpu, monkeypatch, plain):
    feature_map = RandomConvolution(41, **COLOURED).fit(ROWS)
    expected = feature_map.transform(ROWS)
    feature_map.set_params(device="cuda")
    # Four images of regions of two positions, or two of three; four filters of ten or eleven.
    monkeypatch.setattr("rfviz.features.convolution._GPU_TILE", (9, 4))
    monkeypatch.setattr("rfviz.features.convolution._GPU_PATCHES", 8 * 12)
    with cuda.plain_kernels() if plain else nullcontext():
        found = feature_map.transform(ROWS)
        used = cuda.MEAN_OF_POSITIVE.works(fake_gpu, "float64")
    assert used == (not plain and fake_cuda.HOST_COMPILER is not None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


def test_kernel_by_brute_force():
    feature_map = RandomConvolution(4, threshold=0.7, **COLOURED).fit(ROWS)
    one, two = (patches_of(feature_map, row.reshape(6, 3, 3)) for row in ROWS[:2])
    means = []
    for cell in range(4):
        region = region_of(cell, (5, 2), 2)
        means.append(np.mean([kernels.thresholded_relu_rho(one[p] @ two[r], 0.7) for p in region for r in region]))
    assert feature_map.kernel(ROWS[:1], ROWS[1:2])[0, 0] == pytest.approx(np.mean(means), abs=1e-13)


def test_patches_are_white_but_for_weak_directions():
    rng = np.random.default_rng(1)
    images = rng.standard_normal((400, 8, 8)).cumsum(axis=1)  # neighbours above one another are alike
    feature_map = RandomConvolution(1, image_shape=(8, 8), patch_size=2).fit(images.reshape(400, 64))
    windows = np.lib.stride_tricks.sliding_window_view(images, (2, 2), axis=(1, 2)).reshape(-1, 4)
    white = (windows - windows.mean(axis=0)) @ feature_map.whitening_
    variances = np.linalg.eigvalsh(np.cov(white.T))
    raw = np.linalg.eigvalsh(np.cov(windows.T))
    np.testing.assert_allclose(variances, raw / (raw + 0.1 * raw.mean()), rtol=1e-3)
    assert raw.max() / raw.min() > 3 * variances.max() / variances.min()


def test_every_region_is_as_frequent_as_it_can_be():
    feature_map = RandomConvolution(403, grid=3, image_shape=(9, 9), patch_size=3).fit(np.eye(81))
    counts = np.bincount(feature_map.regions_, minlength=9)
    assert counts.min() >= 44 and counts.max() <= 45
    assert not np.array_equal(feature_map.regions_[:9], feature_map.regions_[9:18])


def test_learns_from_a_bounded_number_of_rows():
    rows = np.random.default_rng(2).random((4001, 16))
    every_other = rows[np.linspace(0, 4000, 2000).astype(int)]
    one, two = (RandomConvolution(3, image_shape=(4, 4), patch_size=2).fit(X) for X in (rows, every_other))
    np.testing.assert_allclose(one.whitening_, two.whitening_, rtol=1e-12)


@pytest.mark.parametrize("rows", [np.zeros((5, 16)), np.full((1, 16), 3.0), 1e8 + np.eye(16)])
def test_images_without_contrast_and_far_from_zero(rows):
    feature_map = RandomConvolution(50, image_shape=(4, 4), patch_size=2, dtype="float64").fit(rows)
    assert np.isfinite(feature_map.transform(rows)).all()
    assert np.isfinite(feature_map.kernel(rows)).all()


def test_without_a_shape_patches_and_regions_are_cut_to_what_there_is():
    given = RandomConvolution(20, image_shape=(3, 3), patch_size=3, grid=1).fit(ROWS[:, :9])
    guessed = RandomConvolution(20, patch_size=5, grid=4).fit(ROWS[:, :9])
    assert np.array_equal(given.transform(ROWS[:, :9]), guessed.transform(ROWS[:, :9]))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"image_shape": (6, 9), "patch_size": 7},
            "patch_size must be at most the shorter side of the image, 6; got 7",
        ),
        ({"image_shape": (6, 9), "patch_size": 5, "grid": 3}, "grid must be at most the positions .*, 2; got 3"),
        ({"image_shape": (5, 5, 2)}, "image_shape must have as many pixels as the data have columns, 54; got"),
        ({"image_shape": (54,)}, r"image_shape must be \(height, width\) or \(height, width, channels\); got"),
        ({"image_shape": (6.0, 9.0)}, r"image_shape must be \(height, width\)"),
        ({"patch_size": 0}, "patch_size must be an integer from 1 to 64; got 0"),
        ({"grid": 1.5}, "grid must be an integer from 1 to 64; got 1.5"),
        ({"floor": 0.0}, "floor must be a finite number from 0.001 to 1000; got 0"),
        ({"threshold": -0.1}, "threshold must be a finite number from 0 to 6; got -0.1"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(params, message):
    with pytest.raises(ParameterError, match=message) as caught:
        RandomConvolution(10, **params).fit(ROWS)
    assert str(caught.value).endswith(".")


def test_a_kernel_of_minutes_is_refused():
    feature_map = RandomConvolution(10, image_shape=(28, 28)).fit(np.eye(784)[:50])
    with pytest.raises(SlowKernelError, match="Choose fewer rows, a finer grid or larger patches"):
        feature_map.kernel(np.eye(784)[:50])
    assert feature_map.kernel(np.eye(784)[:2]).shape == (2, 2)
