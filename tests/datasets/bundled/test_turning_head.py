"""The turning head: the stored images are what the renderer draws; they lie on a curve in the order of the angle."""

from __future__ import annotations

import numpy as np
import pytest

from assets.turning_head.render import poses, render
from rfviz.datasets.bundled.turning_head import IMAGE_SHAPE, N_FRAMES, PARAMS, STORED, load, noisy_order
from rfviz.errors import ParameterError
from rfviz.params import defaults


def true_sequence():
    return load(order_noise=0)


def order_along_curve(Z: np.ndarray) -> np.ndarray:
    """Return the rank of each row of `Z` (n, 2) along the curve that the rows lie on, from either end.

    The Fiedler vector of a graph of near neighbours rises from one end to the other (spectral seriation). The direction
    from the middle of the horseshoe would not do: the curve's ends curl inwards.
    """
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    nearest = np.sort(squared, axis=1)[:, 1:3]
    W = np.exp(-squared / (2 * nearest.mean()))
    _, vectors = np.linalg.eigh(np.diag(W.sum(axis=1)) - W)
    return np.argsort(np.argsort(vectors[:, 1]))


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    ranks = [np.argsort(np.argsort(v)) for v in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])


def principal_plane(features: np.ndarray) -> np.ndarray:
    U, s, _ = np.linalg.svd(features - features.mean(axis=0), full_matrices=False)
    return U[:, :2] * s[:2]


def centred_unit(X: np.ndarray) -> np.ndarray:
    X = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_stored_file_is_complete():
    with np.load(STORED) as stored:
        X, angle = stored["X"], stored["angle"]
    assert X.shape == (N_FRAMES, *IMAGE_SHAPE) and X.dtype == np.uint8
    np.testing.assert_allclose(angle, [pose.angle for pose in poses()], rtol=0, atol=1e-9)
    assert STORED.stat().st_size < 250_000


@pytest.mark.parametrize("frame", [0, 20])
def test_stored_images_are_what_the_renderer_draws(frame):
    with np.load(STORED) as stored:
        expected = stored["X"][frame].astype(int)
    difference = np.abs(render(poses()[frame]).astype(int) - expected)
    # One ray that just grazes the head may hit it on one processor and miss it on another.
    assert (difference > 2).sum() <= 5


def test_head_turns_monotonically_and_unevenly():
    angle = np.array([pose.angle for pose in poses()])
    steps = -np.diff(angle)
    assert angle[0] == 90 and angle[-1] == 0
    assert steps.min() > 1.2 and steps.max() < 4.5
    assert len(np.unique(steps.round(6))) == N_FRAMES - 1
    assert max(abs(pose.nod) for pose in poses()) <= 0.5
    assert max(abs(s) for pose in poses() for s in pose.shift) <= 0.2


def test_every_frame_is_nearest_to_a_neighbour():
    X = true_sequence().X
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert np.all(np.abs(distance.argmin(axis=1) - np.arange(N_FRAMES)) == 1)


def test_loaded_dataset():
    data = load()
    assert data.X.shape == (N_FRAMES, 112 * 92) and data.X.dtype == np.float32 and data.X.flags.c_contiguous
    assert data.X.min() >= 0 and data.X.max() <= 1
    assert data.image_shape == IMAGE_SHAPE and data.target_names == ()
    assert np.array_equal(data.order, np.arange(N_FRAMES))
    assert data.y.dtype == np.float64
    assert len(np.unique(data.X, axis=0)) == N_FRAMES


def test_images_move_with_their_angles():
    true, noisy = true_sequence(), load(order_noise=8, random_state=3)
    back = np.argsort(-noisy.y)
    assert not np.array_equal(back, np.arange(N_FRAMES))
    assert np.array_equal(noisy.X[back], true.X) and np.array_equal(noisy.y[back], true.y)


@pytest.mark.parametrize("n_swaps", range(17))
@pytest.mark.parametrize("seed", [0, 1])
def test_noisy_order_swaps_that_many_pairs_of_neighbours(n_swaps, seed):
    order = noisy_order(N_FRAMES, n_swaps, seed)
    moved = order - np.arange(N_FRAMES)
    assert np.array_equal(np.sort(order), np.arange(N_FRAMES))
    assert np.array_equal(order[order], np.arange(N_FRAMES))
    assert np.abs(moved).sum() == 2 * n_swaps and np.abs(moved).max(initial=0) <= 1
    assert np.array_equal(order, noisy_order(N_FRAMES, n_swaps, seed))


def test_noisy_order_draws_all_sets_of_pairs():
    # Five frames and two pairs: the frame left alone is the first, the middle or the last.
    seen = {tuple(noisy_order(5, 2, seed)) for seed in range(60)}
    assert seen == {(0, 2, 1, 4, 3), (1, 0, 2, 4, 3), (1, 0, 3, 2, 4)}


@pytest.mark.parametrize("bad", [{"order_noise": 17}, {"order_noise": -1}, {"random_state": -1}, {"angle": 3}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ParameterError):
        load(**bad)


def test_defaults_are_used():
    assert defaults(PARAMS) == {"order_noise": 3, "random_state": 0}
    assert np.array_equal(load().y, load(order_noise=3, random_state=0).y)


def test_pixels_lie_on_a_curve_in_the_order_of_the_angle():
    data = load()
    assert abs(spearman(order_along_curve(principal_plane(centred_unit(data.X))), data.y)) > 0.99


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_maxout_features_recover_the_true_order(seed):
    """Random maxout features (12 Gaussian projections each) of images given in a noisy order."""
    data = load(order_noise=8)
    U, s, _ = np.linalg.svd(centred_unit(data.X), full_matrices=False)
    # Gaussian projections of the images depend on their coordinates in their own span alone.
    coordinates = U * s
    n_components, pool_size = 10_000, 12
    weights = np.random.default_rng(seed).standard_normal((N_FRAMES, n_components * pool_size))
    features = (coordinates @ weights).reshape(N_FRAMES, n_components, pool_size).max(axis=2)
    recovered = order_along_curve(principal_plane(features))
    assert abs(spearman(recovered, data.y)) > 0.99
    # Better than the order that came with the images.
    assert abs(spearman(recovered, data.y)) > abs(spearman(data.order, data.y))
