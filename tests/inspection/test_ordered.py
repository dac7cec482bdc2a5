"""Labels that are numbers have an order where rows say so, and else nothing is said."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, make_blobs

import rfviz
from rfviz.datasets import Dataset
from rfviz.inspection.inspection import Inspection


def rated(n, n_classes, seed, noise=0.5):
    """Return rows whose rating follows two columns."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, 5))
    z = X[:, 0] + 0.5 * X[:, 1] + noise * generator.standard_normal(n)
    return X, 1 + np.digitize(z, np.quantile(z, np.linspace(0, 1, n_classes + 1)[1:-1]))


def findings(X, y):
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(rating=y)
    return rfviz.inspect(frame, label="rating").findings.set_index("name")


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, 5])
def test_ratings_have_an_order(n_classes):
    X, y = rated(800, n_classes, 1)
    found = findings(X, y).loc["ordered-labels"]
    assert found["status"] == "fine" and found["columns"] == ["rating"]
    assert f"The labels 1 to {n_classes} have an order" in found["text"]
    assert f"(in no order: {'67' if n_classes == 3 else '40'}%)" in found["text"]
    assert "ordered-labels" not in findings(X, np.array(["", "good", "bad", "fair", "poor", "dull"])[y]).index


@pytest.mark.slow
def test_numbers_are_sorted_as_numbers():
    X, y = rated(800, 4, 2)
    found = findings(X, np.array([0, 5, 10, 50, 100])[y])  # as words 10 stands before 5
    assert "The labels 5 to 100 have an order" in found.loc["ordered-labels", "text"]


def test_words_that_only_look_like_numbers_have_no_order_and_the_share_is_a_mean_of_classes():
    X, y = rated(300, 3, 5)
    found = Inspection(Dataset("rated", X, y - 1, ("1", "2", "3"))).finding("ordered-labels")
    assert "of a class’s rows on average (in no order: 67%)" in found.text
    claim = found.claims.get("neighbour share")
    assert claim.of["classes"] == ("1", "2", "3") and (claim.of["lowest"], claim.of["highest"]) == (1.0, 3.0)
    assert Inspection(Dataset("rated", X, y - 1, ("1", "2", "inf"))).finding("ordered-labels") is None


@pytest.mark.slow
def test_numbers_that_are_names_have_none():
    tables = [load_digits(return_X_y=True)]
    tables += [make_blobs(400, centers=k, n_features=5, cluster_std=3.0, random_state=k) for k in (3, 4, 5)]
    generator = np.random.default_rng(3)
    X = generator.standard_normal((500, 5))
    tables += [(X, generator.choice(3, 500, p=[0.2, 0.6, 0.2]))]  # noise: both ends are like the middle, the largest
    X, y = rated(800, 5, 4)
    tables += [(X, np.array([0, 3, 1, 5, 2, 4])[y])]  # an order, but not that of the numbers
    for X, y in tables:
        assert "ordered-labels" not in findings(X, y).index
