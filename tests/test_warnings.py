"""Warnings reach whoever listens, each text once; where nobody does, they are Python's, at the line that caused one."""

import inspect
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rfviz.backend import map_ordered
from rfviz.errors import PrecisionWarning, active_log, capture_warnings, warn
from rfviz.features import RandomBinning, RandomFourier, RandomMaxout, RandomProjection
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.features.precision import LostBinsWarning
from rfviz.linear_model import RidgePathRegressor
from rfviz.linear_model.cholesky_path import ConditionWarning

X = np.random.default_rng(0).standard_normal((24, 3)).astype(np.float32)
FOURIER = RandomFourier(8, gamma=1e11, random_state=0)


def line():
    """Return the number of the line that calls this."""
    return inspect.currentframe().f_back.f_lineno


def search():
    return GridSearchCV(make_pipeline(FOURIER, Ridge()), {"ridge__alpha": [1.0]}, cv=2).fit(X, X[:, 0])


HOW = {
    "fit": lambda: FOURIER.fit(X),
    "fit_transform": lambda: FOURIER.fit_transform(X),
    "pipeline": lambda: make_pipeline(FOURIER, Ridge()).fit(X, X[:, 0]),
    "search": search,
    "binning": lambda: RandomBinning(8, gamma=1e11, random_state=0).fit(X),
    "ridge": lambda: RidgePathRegressor(RandomProjection(2, random_state=0), alphas=1e-9).fit(1e3 * X, X[:, 0]),
}
CATEGORIES = {"binning": LostBinsWarning, "ridge": ConditionWarning}


@pytest.mark.parametrize("how", HOW)
def test_python_points_at_the_callers_own_line(how):
    with pytest.warns(CATEGORIES.get(how, PrecisionWarning)) as caught:
        HOW[how]()
    assert {warning.filename for warning in caught} == {__file__}
    within = inspect.getsourcelines(search)[1] + 1 if how == "search" else HOW[how].__code__.co_firstlineno
    assert {warning.lineno for warning in caught} == {within}


@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("method", ["transform", "codes"])
@pytest.mark.parametrize("scheme", [RandomMaxout, RandomBinning])
def test_a_device_that_is_full_is_told_at_the_callers_line(fake_gpu, scheme, method, rows):
    call = getattr(scheme(8, random_state=0, device="cuda:0").fit(X), method)
    fake_gpu.memory.limit = fake_gpu.memory.used
    with pytest.warns(DeviceFallbackWarning) as caught:
        here = line() + 1
        call(rows)
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, here)}


def test_who_listens_hears_each_text_once_and_nobody_else_does():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with capture_warnings() as outer:
            warn("before", UserWarning)
            with capture_warnings() as inner:
                assert active_log() is inner
                for _ in range(2):
                    FOURIER.fit(X)
                warn("before", UserWarning)
            warn("after", RuntimeWarning)
    (phases, said_before) = inner.messages
    assert phases[1] is PrecisionWarning and "gamma=1e+11" in phases[0]
    assert said_before == ("before", UserWarning)
    assert outer.messages == (("before", UserWarning), ("after", RuntimeWarning))
    assert active_log() is None


def test_a_listener_goes_with_an_error():
    with pytest.raises(ZeroDivisionError), capture_warnings():
        raise ZeroDivisionError
    assert active_log() is None


def test_threads_of_ones_own_are_heard_and_those_of_others_are_not():
    with capture_warnings() as heard:
        other = []
        thread = threading.Thread(target=lambda: other.append(active_log()))
        thread.start()
        thread.join()
        met = threading.Barrier(2)

        def work(i):
            met.wait(10)  # two at a time, each in a copy of its own
            warn(f"item {i % 3}", UserWarning)
            return i

        assert list(map_ordered(work, range(12), 2)) == list(range(12))
    assert other == [None]
    assert sorted(heard.messages) == [(f"item {i}", UserWarning) for i in range(3)]


def test_numpys_settings_hold_in_threads():
    with np.errstate(divide="raise"):
        for workers in (1, 2):
            with pytest.raises(FloatingPointError):
                list(map_ordered(lambda x: np.float64(1) / np.float64(x), [0, 1], workers))


def test_many_threads_lose_no_warning():
    with capture_warnings() as heard, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: heard.add([(str(i % 100), UserWarning)]), range(2000)))
    assert sorted(text for text, _ in heard.messages) == sorted(map(str, range(100)))
