"""The table of data sets: names, errors, and what every entry promises."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.synthetic import circle
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.params import defaults

BUILT_IN = [name for name, spec in datasets.specs().items() if spec.source != "folder"]
OFFLINE = [name for name, spec in datasets.specs().items() if spec.source in ("generated", "bundled")]


def test_names_and_specs_agree():
    assert datasets.names() == list(datasets.specs())
    planar = ["moons", "circles", "spirals", "xor", "formula"]
    shown = ["circle", "sphere", "turning_head", "digits", "digits_0_to_8", "breast_cancer", "photo_patches"]
    offline = [*shown, *planar, "categorical_toy", "binary_toy", "power_law"]
    assert datasets.names() == [*offline, "olivetti", "umist", "mnist", "cifar10", "adult", "kddcup99", "activity"]
    assert offline == OFFLINE
    assert all(spec.name == name and spec.title and spec.summary for name, spec in datasets.specs().items())
    assert datasets.spec("circle").params[0] is circle.PARAMS[0]


@pytest.mark.parametrize("name", OFFLINE)
def test_what_pages_are_told_of_a_data_set_is_true(name):
    spec, dataset = datasets.spec(name), datasets.load(name)
    assert spec.images == (dataset.image_shape is not None)
    assert spec.labelled == (bool(dataset.target_names) or spec.numbers)
    assert spec.numbers <= (dataset.y is not None and not dataset.target_names)
    assert spec.planar <= (dataset.n_features == 2)


def test_defaults_exist():
    assert datasets.spec(datasets.DEFAULT).source == "generated"
    assert datasets.load(datasets.DEFAULT_IMAGES).image_shape is not None
    assert datasets.load(datasets.DEFAULT_COLOUR_IMAGES).image_shape[2] == 3


@pytest.mark.parametrize("name", OFFLINE)
def test_every_offline_data_set_keeps_the_contract(name):
    data = datasets.load(name)
    assert data.name == name
    assert data.X.dtype == np.float32 and data.X.flags.c_contiguous and np.isfinite(data.X).all()
    assert data.provenance.endswith(".")
    for values in (data.y, data.order):
        assert values is None or values.shape == (data.n_samples,)
    if data.image_shape:
        assert np.prod(data.image_shape) == data.n_features and data.X.min() >= 0 and data.X.max() <= 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_default_is_legal(name):
    for param in datasets.spec(name).params:
        assert param.validate(param.default) == param.default
        assert param.help and param.label


@pytest.mark.parametrize(("wrong", "near"), [("mnits", "mnist"), ("Circle", "circle"), ("digit", "digits")])
def test_unknown_name_suggests(wrong, near):
    with pytest.raises(DataError, match=rf"no data set '{wrong}'. Did you mean '{near}'.*Known: circle, sphere"):
        datasets.load(wrong)


def test_unknown_name_without_likeness():
    with pytest.raises(DataError, match=r"There is no data set 'zzzzzz'\. Known: "):
        datasets.spec("zzzzzz")
    with pytest.raises(DataError, match="No data folder is set"):
        datasets.spec("folder:mine")
    with pytest.raises(DataError) as caught:
        datasets.spec("x" * 5000)
    assert len(str(caught.value)) < 400


def test_stem_of_a_file_is_near_its_key(save):
    save("faces", X=np.eye(3))
    with pytest.raises(DataError, match="Did you mean 'folder:faces'"):
        datasets.load("faces")


def test_unknown_parameter_names_the_known():
    with pytest.raises(ParameterError, match="Known parameters: n_samples, evenly_spaced, random_state"):
        datasets.load("circle", samples=3)


def test_out_of_memory_is_worded(monkeypatch):
    def explode(progress=None, **params):
        raise MemoryError

    entry = datasets.DatasetSpec("circle", "Circle", explode)
    monkeypatch.setattr(datasets, "_BUILT_IN", {"circle": entry})
    with pytest.raises(MemoryBudgetError, match="Circle does not fit"):
        datasets.load("circle")


def test_defaults_load_the_same_as_none():
    spec = datasets.spec("sphere")
    np.testing.assert_array_equal(datasets.load("sphere").X, datasets.load("sphere", **defaults(spec.params)).X)


def test_memory_limit_from_the_environment(monkeypatch):
    assert datasets.memory_limit() == 2_000_000_000
    for text, n_bytes in (("0.5", 5e8), ("nonsense", 2e9), ("-1", 2e9), ("nan", 2e9), ("inf", 2e9)):
        monkeypatch.setenv("RFVIZ_DATA_LIMIT_GB", text)
        assert datasets.memory_limit() == n_bytes


def test_import_is_light():
    heavy = "pandas,sklearn,scipy,pyarrow,streamlit,plotly,cupy"
    code = f"import sys, rfviz.datasets; print([m for m in {heavy!r}.split(',') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_slider_reaches_all_rows():
    params = [p for spec in datasets.specs().values() for p in spec.params if p.name == "max_samples"]
    assert params and all(p.stops()[-1] == p.ui_high for p in params)
    mnist = next(p for p in datasets.specs()["mnist"].params if p.name == "max_samples")
    assert mnist.stops()[-1] == 70_000  # what Table 1 needs


def test_only_images_have_the_shape_of_images():
    assert datasets.load("digits").shape_of_images == (8, 8)
    with pytest.raises(DataError, match="circle holds no images"):
        _ = datasets.load("circle").shape_of_images


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (pd.DataFrame({"a": [1.0]}), None, "X must be a NumPy array of shape .*; it is a DataFrame"),
        (np.zeros(3), None, r"it has the shape \(3,\)"),
        (np.zeros((3, 2)), np.zeros(2), "y has 2 values, and X 3 rows"),
    ],
)
def test_a_data_set_made_by_hand_is_checked(X, y, said):
    with pytest.raises(DataError, match=said):
        datasets.Dataset("mine", X, y)
