"""What the checks of `rows.yaml` are written with: draws of features, presets, and comparisons of samples."""

import numpy as np

from rfviz.cache import Cache
from rfviz.datasets.base import Dataset
from rfviz.lab.index import find_page
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from tests.test_errata import maxima

__all__ = ["curve", "maxima", "near", "pair", "preset", "products", "sparse_signals"]


def curve(n):
    """Return n labelled points of a closed curve in six columns."""
    t = np.random.default_rng(1).uniform(0, 2 * np.pi, n)
    X = np.column_stack([f(k * t) / k for k in (1, 2, 3) for f in (np.cos, np.sin)])
    return Dataset("curve", X.astype(np.float32), (t > np.pi).astype(int), ("a", "b"))


def sparse_signals(n, d, s):
    """Return n labelled points with s of d numbers other than 0."""
    rng = np.random.default_rng(2)
    X = np.zeros((n, d), dtype=np.float32)
    X[np.arange(n)[:, None], np.argsort(rng.random((n, d)), axis=1)[:, :s]] = rng.uniform(1, 2, (n, s))
    return Dataset("sparse signals", X, rng.integers(0, 2, n), ("a", "b"))


def pair(rho, d=5):
    """Return two unit rows of this cosine in d dimensions, along no axis."""
    basis = np.linalg.qr(np.random.default_rng(4).standard_normal((d, d)))[0]
    return np.stack([basis[0], rho * basis[0] + np.sqrt(1 - rho * rho) * basis[1]])


def products(feature_map, X, together=1):
    """Return the products of the features of two rows, unscaled by 1/m: independent draws whose mean is the kernel.

    Parameters
    ----------
    together : int
        Neighbouring features that one draw makes, such as a cosine and a sine.
    """
    Phi = feature_map.fit(X).transform(X)
    Phi = np.asarray(Phi.todense() if hasattr(Phi, "todense") else Phi, dtype=float)
    terms = (Phi[0] * Phi[1]).reshape(-1, together).sum(axis=1)
    return len(terms) * terms


def near(sample, expected):
    """Assert that the mean of independent draws is the expected one: a false alarm in one of two million."""
    sample = np.asarray(sample, dtype=float)
    error = sample.std(ddof=1) / np.sqrt(len(sample))
    assert abs(sample.mean() - expected) < 5 * error, (sample.mean(), expected, error)


def preset(slug, name, **changes):
    """Return a preset of a page, computed with other values in some places; its charts by their names."""
    page = find_page(slug)
    panel = Preset(page.presets[name][1] | changes)
    source = page.source(panel)
    found = compute(page, source, page.settings(panel, source), Cache())
    assert not panel.unasked()
    return {chart.name: chart for chart in found.charts}, found.result
