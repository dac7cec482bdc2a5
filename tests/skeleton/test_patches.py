"""Principal components of patches, against scikit-learn's and against patches cut out by hand."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_extraction.image import extract_patches_2d
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import ARCHITECTURES, PatchPCA, convolutions


@parametrize_with_checks([PatchPCA(), PatchPCA(whiten=True, stride=1)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def smooth_images(n=30, side=12, channels=3):
    rng = np.random.default_rng(0)
    return np.cumsum(rng.standard_normal((n, side, side, channels)), axis=1)


@pytest.mark.parametrize("whiten", [False, True])
def test_the_components_are_scikit_learns(whiten):
    images = smooth_images()
    X = images.reshape(len(images), -1)
    patch_pca = PatchPCA((12, 12, 3), size=4, stride=1, n_components=6, whiten=whiten).fit(X)
    patches = np.concatenate([extract_patches_2d(image, (4, 4)) for image in images])
    reference = PCA(6, svd_solver="full").fit(patches.reshape(len(patches), -1))
    variance = reference.explained_variance_ * (len(patches) - 1) / len(patches)
    expected = reference.components_ / np.sqrt(variance[:, None] if whiten else variance.mean())
    signs = np.sign(np.sum(expected * patch_pca.components_, axis=1, keepdims=True))
    np.testing.assert_allclose(patch_pca.components_, signs * expected, rtol=1e-7, atol=1e-9)
    made = patch_pca.transform(X).reshape(-1, 6)
    np.testing.assert_allclose(made.var(axis=0), np.ones(6) if whiten else variance / variance.mean(), rtol=1e-7)


def test_patches_lie_where_the_convolution_looks():
    images = smooth_images(side=11)
    X = images.reshape(len(images), -1)
    patch_pca = PatchPCA((11, 11, 3), size=4, stride=2, n_components=5).fit(X)
    made = patch_pca.transform(X).reshape(len(X), *patch_pca.out_shape_)
    assert patch_pca.out_shape_ == (4, 4, 5)
    by_hand = images[7, 2:6, 6:10].reshape(-1) - patch_pca.mean_
    np.testing.assert_allclose(made[7, 1, 3], by_hand @ patch_pca.components_.T, rtol=1e-10)


def test_the_builder_takes_what_comes_out():
    images = smooth_images(side=24)
    X = images.reshape(len(images), -1)
    for (first, second), q in ARCHITECTURES.items():
        skeleton = convolutions((24, 24, 3), [(first, 2, "relu"), (second, 2, "relu")], components=q)
        patch_pca = PatchPCA((24, 24, 3), size=first, stride=2, n_components=q).fit(X)
        assert skeleton.image_shape == patch_pca.out_shape_
        Z = patch_pca.transform(X[:2])
        assert CompositionalFeatures(20, skeleton=skeleton).fit_transform(Z).shape == (2, 20)
        # A place of the first layer averages the components of its patch, a node of the second the places below it.
        assert skeleton.layers[0].degree == q and skeleton.layers[1].degree == second**2


def test_more_images_than_a_block_holds(monkeypatch):
    X = smooth_images().reshape(30, -1)
    whole = PatchPCA((12, 12, 3), size=4).fit(X).transform(X)
    monkeypatch.setattr("rfviz.skeleton.patches._BLOCK_NUMBERS", 5000)
    np.testing.assert_allclose(PatchPCA((12, 12, 3), size=4).fit(X).transform(X), whole, rtol=1e-9, atol=1e-9)


def test_constant_images_are_no_noise():
    X = np.full((5, 64), 0.3)
    np.testing.assert_allclose(PatchPCA((8, 8), size=3, n_components=2).fit(X).transform(X), 0.0, atol=1e-6)


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"image_shape": (10, 10)}, "image_shape must have as many numbers as the data have columns, 144"),
        ({"image_shape": 12}, "image must be"),
        ({"image_shape": (12, 12), "size": 13}, "must fit into the 12×12"),
        ({"image_shape": (12, 12), "size": 2, "n_components": 5}, "n_components must be at most"),
        ({"image_shape": (12, 12), "stride": 0}, "stride must be"),
    ],
)
def test_what_cannot_be(setting, words):
    with pytest.raises(ParameterError, match=words):
        PatchPCA(**setting).fit(np.random.default_rng(0).random((4, 144)))


@pytest.mark.parametrize(
    "layers, components, words",
    [([], 3, "need a convolution"), ([((2, 3), 2, "relu")], 3, "square"), ([(9, 2, "relu")], 3, "must fit")],
)
def test_components_of_no_windows(layers, components, words):
    with pytest.raises(ParameterError, match=words):
        convolutions((8, 8), layers, components=components)


def test_memory_is_asked_for_first(monkeypatch):
    X = smooth_images().reshape(30, -1)
    patch_pca = PatchPCA((12, 12, 3), size=4).fit(X)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "1e-6")
    with pytest.raises(MemoryBudgetError, match="patches of 30 images"):
        patch_pca.transform(X)
