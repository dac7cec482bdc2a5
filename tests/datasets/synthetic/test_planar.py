"""The labelled toys in the plane: each point lies where its class does, and stays there when the rest changes."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import DataError, ParameterError

NAMES = ["moons", "circles", "spirals", "xor", "formula"]
planar = pytest.mark.parametrize("name", NAMES)


def exact(name, **params):
    """Return the points without noise, in double precision."""
    data = datasets.load(name, n_samples=2000, noise=0.0, **params)
    return data.X.astype(float), data.y


def test_moons_are_half_circles():
    X, y = exact("moons")
    for side in (0, 1):
        sign = 1 - 2 * side
        dx, dy = X[y == side, 0] + 0.5 * sign, X[y == side, 1] + 0.25 * sign
        assert np.abs(np.hypot(dx, dy) - 1).max() < 1e-6
        assert (sign * dy > -1e-6).all()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_rings_have_the_radius_of_their_class(k):
    X, y = exact("circles", n_classes=k)
    np.testing.assert_allclose(np.hypot(*X.T), 1.2 * (y + 1) / k, atol=1e-6)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("rotations", [0.5, 2.25])
def test_arms_wind_as_often_as_asked(k, rotations):
    X, y = exact("spirals", n_classes=k, rotations=rotations)
    along = (np.hypot(*X.T) - 0.15) / 1.15
    assert along.min() < 0.06 and along.max() > 0.99
    turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) - rotations * along - y / k
    assert np.abs(turns - np.rint(turns)).max() < 1e-5


@pytest.mark.parametrize("cells", [2, 3, 8])
def test_board_is_coloured_in_turn(cells):
    X, y = exact("xor", cells=cells)
    place = (X / 1.2 + 1) / 2 * cells
    inside = np.abs(place - np.rint(place)).min(axis=1) > 1e-5  # a border belongs to both squares
    row, column = np.floor(place[inside]).astype(int).T
    np.testing.assert_array_equal((row + column) % 2, y[inside])
    counts = np.bincount(cells * row + column, minlength=cells**2)
    # 64 binomial counts at most; |z| > 5 is a false alarm in 1 of 27,000.
    per_colour = np.array([(cells**2 + 1) // 2, cells**2 // 2])[np.add.outer(range(cells), range(cells)).ravel() % 2]
    share = 1 / per_colour
    assert np.abs((counts - 1000 * share) / np.sqrt(1000 * share * (1 - share) + 1e-9)).max() < 5


@pytest.mark.parametrize("text", ["sin(3*x)", "x^2 - 1", "step(x) - 0.5", "3*x"])
def test_points_lie_on_their_side_of_the_curve_of_a_formula(text):
    X, y = exact("formula", formula=text)
    f = {"sin(3*x)": np.sin(3 * X[:, 0]), "x^2 - 1": X[:, 0] ** 2 - 1, "3*x": 3 * X[:, 0]}.get(text)
    f = (X[:, 0] > 0) - 0.5 if f is None else f
    assert np.abs(X).max() <= 2 and y.sum() == 1000
    np.testing.assert_array_equal((X[:, 1] > f)[np.abs(X[:, 1] - f) > 1e-6], (y == 1)[np.abs(X[:, 1] - f) > 1e-6])
    # Spread evenly over the part above: as many are in its left half as there is area.
    grid = np.linspace(-2, 2, 4001)
    height = 2 - np.clip(
        {"sin(3*x)": np.sin(3 * grid), "x^2 - 1": grid**2 - 1, "3*x": 3 * grid}.get(text, (grid > 0) - 0.5), -2, 2
    )
    share = height[grid < 0].sum() / height.sum()
    z = (np.sum(X[y == 1, 0] < 0) - 1000 * share) / np.sqrt(1000 * share * (1 - share))
    assert abs(z) < 4 and datasets.load("formula", formula=text).curve == text


def test_a_curve_beside_the_square_is_refused():
    with pytest.raises(DataError, match="No point of the square from −2 to 2 lies above 5"):
        datasets.load("formula", formula="5")


@planar
def test_noise_has_its_standard_deviation(name):
    clean, noisy = (datasets.load(name, n_samples=10_000, noise=noise) for noise in (0.0, 0.2))
    moved = (noisy.X.astype(float) - clean.X) / 0.2
    np.testing.assert_array_equal(clean.y, noisy.y)
    # 20,000 standard normal numbers: |z| > 5 of mean or variance is a false alarm in 1 of 870,000.
    assert abs(moved.mean()) * 20_000**0.5 < 5
    assert abs(moved.var() - 1) * 10_000**0.5 < 5


@planar
def test_seed_and_prefix(name):
    data, larger = (datasets.load(name, n_samples=n, random_state=1) for n in (50, 80))
    np.testing.assert_array_equal(data.X, larger.X[:50])
    np.testing.assert_array_equal(data.y, larger.y[:50])
    assert not np.array_equal(data.X, datasets.load(name, n_samples=50, random_state=2).X)
    counts = np.bincount(larger.y)
    assert counts.max() - counts.min() <= 1 and len(counts) == len(larger.target_names)


@pytest.mark.parametrize(
    ("name", "bad", "text"),
    [
        ("moons", {"noise": -0.1}, "noise must be a finite number from 0 to 1; got -0.1"),
        ("circles", {"n_classes": 6}, "n_classes must be an integer from 2 to 5; got 6"),
        ("spirals", {"rotations": 0.0}, "rotations must be a finite number from 0.25 to 5"),
        ("xor", {"cells": 1}, "cells must be an integer from 2 to 8; got 1"),
        ("formula", {"formula": "open(1)"}, "calls open, which is unknown"),
        ("formula", {"formula": "log(x)"}, "has no finite value at x = −12"),
        ("xor", {"n_samples": 5}, "n_samples must be an integer from 20"),
    ],
)
def test_rejects(name, bad, text):
    with pytest.raises(ParameterError, match=text):
        datasets.load(name, **bad)
