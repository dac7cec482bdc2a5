"""Losses: values against their definitions, derivatives against finite differences."""

import numpy as np
import pytest
from sklearn.metrics import hinge_loss, log_loss

from rfviz.cuda import plain_kernels
from rfviz.linear_model.losses import (
    LOSSES,
    multiclass_hinge,
    pairwise_exponential,
    softmax_cross_entropy,
    softmax_probabilities,
)

rng = np.random.default_rng(0)
every_loss = pytest.mark.parametrize("name", LOSSES)
every_width = pytest.mark.parametrize("n_classes", [2, 3, 7])


def example(n_classes, n_samples=40):
    columns = 1 if n_classes == 2 else n_classes
    # Every class is there, as scikit-learn's metrics ask.
    labels = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n_samples - n_classes)])
    return 2 * rng.standard_normal((n_samples, columns)), labels


@every_loss
@every_width
def test_gradient_is_that_of_finite_differences(name, n_classes):
    scores, labels = example(n_classes)
    loss, gradient = LOSSES[name](scores, labels)
    assert loss.shape == labels.shape and gradient.shape == scores.shape
    # A difference of two losses loses as many digits as these have before the point.
    rounding = 1e-8 + 1e-9 * loss.max()
    step = 1e-6  # far below the distance to the nearest kink of the hinge in this example
    for column in range(scores.shape[1]):
        moved = np.zeros_like(scores)
        moved[:, column] = step
        slope = (LOSSES[name](scores + moved, labels)[0] - LOSSES[name](scores - moved, labels)[0]) / (2 * step)
        np.testing.assert_allclose(gradient[:, column], slope, rtol=0, atol=rounding)


@every_width
def test_values_are_scikit_learns(n_classes):
    scores, labels = example(n_classes)
    classes = np.arange(n_classes)
    flat = scores[:, 0] if n_classes == 2 else scores
    expected = hinge_loss(labels, flat, labels=classes)
    assert multiclass_hinge(scores, labels)[0].mean() == pytest.approx(expected, rel=1e-12)
    expected = log_loss(labels, softmax_probabilities(scores), labels=classes)
    assert softmax_cross_entropy(scores, labels)[0].mean() == pytest.approx(expected, rel=1e-12)


@every_width
def test_exponential_is_its_definition_up_to_a_lead_of_eight(n_classes):
    scores, labels = example(n_classes)
    full = np.hstack([0 * scores, scores]) if n_classes == 2 else scores
    direct = [
        sum(np.exp(row[j] - row[y]) for j in range(n_classes) if j != y) for row, y in zip(full, labels, strict=True)
    ]
    leads = (full - full[np.arange(len(full)), labels][:, None]).max(axis=1)
    assert (leads <= 8).sum() > 20
    np.testing.assert_allclose(pairwise_exponential(scores, labels)[0][leads <= 8], np.array(direct)[leads <= 8])
    # Beyond, the tangent: for two classes e^8 (1 + 2) at a lead of 10.
    beyond = pairwise_exponential(np.array([[10.0]]), np.array([0]))
    assert beyond[0][0] == pytest.approx(3 * np.exp(8)) and beyond[1][0, 0] == pytest.approx(np.exp(8))


@every_loss
@every_width
def test_huge_scores_stay_finite(name, n_classes):
    scores, labels = example(n_classes)
    loss, gradient = LOSSES[name]((1e30 * scores).astype(np.float32), labels)
    assert np.isfinite(loss).all() and np.isfinite(gradient).all()
    assert loss.dtype == gradient.dtype == np.float32


@every_loss
@every_width
def test_no_loss_where_the_truth_leads_by_far(name, n_classes):
    labels = np.arange(n_classes)
    scores = 50.0 * np.eye(n_classes) if n_classes > 2 else np.array([[-50.0], [50.0]])
    loss, gradient = LOSSES[name](scores, labels)
    np.testing.assert_allclose(loss, 0, atol=1e-15)
    np.testing.assert_allclose(gradient, 0, atol=1e-15)


@every_width
def test_probabilities_sum_to_one(n_classes):
    share = softmax_probabilities(example(n_classes)[0].astype(np.float32))
    assert share.shape[1] == n_classes
    np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-14)


@every_loss
@every_width
def test_device(name, n_classes, fake_gpu):
    scores, labels = example(n_classes)
    with plain_kernels():  # they round differently; tests/cuda compares them with float64
        on_gpu = LOSSES[name](fake_gpu.asarray(scores), fake_gpu.asarray(labels))
    for there, here in zip(on_gpu, LOSSES[name](scores, labels), strict=True):
        assert isinstance(there, fake_gpu.ndarray)
        np.testing.assert_array_equal(there.get(), here)
