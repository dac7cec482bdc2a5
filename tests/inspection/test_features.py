"""How many features are enough: confirmed by scikit-learn on other rows, and not told where it cannot be known."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeCV

import rfviz
from rfviz import datasets
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import ParameterError
from rfviz.inspection.inspection import Inspection
from tests.app_pages import opened, prose

ALPHAS = np.logspace(-9, 3, 37)


def waves(n, seed, noise=0.3):
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, 8))
    return X, X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + X[:, 3] + noise * g.normal(size=n)


def table(X, y):
    return pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).assign(y=y)


def asked(frame, label="y"):
    upload = upload_of_frame(frame)
    return Inspection(upload.prepare(upload.suggestion.replace({"label": label}))).finding("features")


@pytest.mark.parametrize("is_class", [False, True])
def test_features_of_scikit_learn_confirm_the_number_on_other_rows(is_class):
    (X, y), (X_test, y_test) = waves(300, 0, 1.0), waves(3000, 1, 1.0)
    if is_class:
        y, y_test = y > 0, y_test > 0
    found = asked(table(X, np.where(y, "yes", "no") if is_class else y))
    m, gamma = found.claims.value("features"), found.claims[0].of["γ"]
    assert found.status == "fine" and found.text.startswith(f"About {m:,} random Fourier features would do for 300")
    X_test, X = (X_test - X.mean(axis=0)) / X.std(axis=0), (X - X.mean(axis=0)) / X.std(axis=0)
    y, y_test = y.astype(float), y_test.astype(float)

    def error(train, test):
        predicted = RidgeCV(ALPHAS * np.square(train - train.mean(axis=0)).sum()).fit(train, y).predict(test)
        return np.mean((predicted - y_test) ** 2)

    def of_features(m, seed):
        sampler = RBFSampler(gamma=gamma, n_components=m, random_state=seed).fit(X)
        return error(sampler.transform(X), sampler.transform(X_test))

    K, k = (np.exp(-gamma * np.square(A[:, None] - X[None]).sum(axis=2)) for A in (X, X_test))
    values, vectors = np.linalg.eigh(K)
    root = vectors / np.sqrt(values)
    exact = error(K @ root, k @ root)
    guess = np.mean((y_test - y.mean()) ** 2)
    # Told: within 5%. The median of five draws and 3,000 rows is known within some 3%.
    assert 1.0 < np.median([of_features(m, seed) for seed in range(5)]) / exact < 1.12
    assert np.median([of_features(m // 6, seed) for seed in range(5)]) / exact > 1.12
    told = found.claims.of("predicted error")
    assert told[1].value == pytest.approx(exact / guess, rel=0.15)
    assert told[0].value == pytest.approx(1.05 * told[1].value, rel=0.01) and told[0].value <= 1.05 * told[1].value
    said = re.findall(r"([\d.]+)%", found.text)
    assert np.allclose(np.array(said, dtype=float), [100 * claim.value for claim in told], atol=0.5)


def test_more_noise_needs_fewer_features():
    needed = [asked(table(*waves(n, 0, noise))).claims.value("features") for n, noise in ((300, 1.5), (300, 0.1))]
    assert needed[0] < 0.5 * needed[1]


def test_more_features_than_rows_are_told_to_cost_more_than_the_kernel():
    many, few = asked(table(*waves(300, 0, 0.05))), asked(table(*waves(1000, 0, 3.0)))
    assert many.claims.value("features") > 300 and "the exact kernel itself costs less" in many.text
    assert few.claims.value("features") < 1000 and "costs less" not in few.text


def test_no_number_is_told_where_nothing_is_learnt():
    X, _ = waves(300, 0)
    # At 1% of false alarms, one of 20 such tables, or none.
    found = [asked(table(X, np.random.default_rng(seed).normal(size=300))) for seed in range(20)]
    assert sum(one.status != "unknown" for one in found) <= 2
    assert all("no better than a guess" in one.text for one in found if one.status == "unknown")


@pytest.mark.parametrize("name", ["moons", "xor", "spirals"])
def test_no_number_is_told_where_single_draws_decide(name):
    found = Inspection(datasets.load(name, n_samples=400)).finding("features")
    assert found.status == "unknown"
    assert found.text == (
        "How many features do for 400 rows cannot be predicted: the kernel’s eigenvalues fall so fast that single "
        "draws decide."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(columns="y"), "There are no labels to learn"),
        (lambda f: f.assign(y=1.5), "is the same"),
        (lambda f: f[:20], "at least 40 rows"),
        (lambda f: f.assign(y=np.where(np.arange(len(f)) < 4, "a", "b")), "two classes of at least 10 rows"),
        (lambda f: f.assign(**{c: 1.0 * (np.arange(len(f)) < 3) for c in f.columns[:8]}), "are equal"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_sentence(change, words):
    frame = change(table(*waves(120, 0)))
    found = asked(frame, "y" if "y" in frame else None)
    assert found.status == "unknown" and words in found.text


def test_it_is_answered_on_request_only():
    frame = table(*waves(120, 0))
    inspection = Inspection(datasets.load("moons"))
    assert "features" not in [question.key for question in inspection.questions()]
    also = Inspection(datasets.load("moons"), also="features").questions()
    assert [question.key for question in also] == [*(q.key for q in inspection.questions()), "features"]
    report = rfviz.inspect(frame, label="y", only="features")
    assert report.findings["name"].tolist() == ["features"] and "would do for 120 rows" in report.findings["text"][0]
    curve = report.figure("features").data[0]
    assert np.all(np.diff(curve.y) <= 0)
    with pytest.raises(ParameterError, match="must name questions"):
        Inspection(datasets.load("moons"), also="feature")


@pytest.mark.slow
def test_the_page_answers_it_where_it_is_switched_on():
    def said(at):
        return [markdown for markdown in prose(at) if "**Number of features**" in markdown]

    assert not said(opened("quick-inspection", {"data": "breast_cancer"}))
    at = opened("quick-inspection", {"data": "breast_cancer", "features": True})
    assert not at.exception and said(at)
    assert any("random Fourier features would do for 569 rows" in markdown for markdown in prose(at))
