"""Experiments are settings that can be run: on any data, from a cache, with a result that shows itself."""

import re
from dataclasses import MISSING, FrozenInstanceError, fields

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets, experiments
from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import EXPERIMENTS, BuildAMap, DistanceSaturation, as_data
from rfviz.features import MapSpec, RandomBinning, RandomFourier, RandomMaxout

MAPS = [RandomMaxout(60, pool_size=8, random_state=0), RandomMaxout(60, pool_size=2, random_state=0)]


def names_of(source):
    """Return what a `repr` of an experiment names."""
    return {name: getattr(experiments, name) for name in EXPERIMENTS} | {
        cls.__name__: cls for cls in (RandomMaxout, RandomFourier, RandomBinning)
    }


def test_the_same_data_in_four_forms_give_the_same_numbers():
    circle = datasets.load("circle")
    frame = pd.DataFrame(circle.X, columns=["x", "z"])
    experiment = DistanceSaturation(maps=MAPS)
    expected = experiment.run("circle").to_frame()
    for data in (circle, circle.X, circle.X.tolist(), as_data("circle")):
        pd.testing.assert_frame_equal(experiment.run(data).to_frame(), expected)
    table = experiment.run(datasets.from_frame(frame, scale="none")).to_frame()
    pd.testing.assert_frame_equal(table, expected, rtol=1e-5)
    # A table is prepared first: its columns are standardised unless one says otherwise.
    prepared = experiment.run(frame).data.dataset
    np.testing.assert_allclose(prepared.X.std(axis=0), 1.0, atol=1e-5)


def test_maps_and_specifications_are_equal_and_a_repr_makes_them_again():
    specs = [MapSpec(RandomMaxout, n_components=60, pool_size=q, random_state=0) for q in (8, 2)]  # 0 is the default
    one, other = DistanceSaturation(maps=MAPS, as_printed=True), DistanceSaturation(maps=specs, as_printed=True)
    assert one == other and hash(one) == hash(other)
    assert one != DistanceSaturation(maps=MAPS)
    assert eval(repr(one), names_of(one)) == one
    assert "maps=[RandomMaxout(n_components=60, pool_size=8), RandomMaxout(n_components=60, pool_size=2)]" in repr(one)
    assert "normalise" not in repr(one), "what is at its default needs no word"


def test_a_cache_remembers_what_does_not_change(monkeypatch):
    cache, experiment = Cache(), DistanceSaturation(maps=MAPS)
    first = experiment.run("circle", cache=cache).numbers
    monkeypatch.setattr(RandomMaxout, "fit", None)  # whatever is computed anew now fails
    assert experiment.run("circle", cache=cache).numbers is first
    assert DistanceSaturation(maps=MAPS, as_printed=True).run("circle", cache=cache).numbers is first


def test_progress_is_told_and_stops():
    told = []
    DistanceSaturation(maps=MAPS).run("circle", progress=lambda share, text: told.append(share))
    assert told

    def stop(share, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DistanceSaturation(maps=MAPS).run("circle", progress=stop)


def test_bad_settings_and_bad_data_are_one_sentence():
    with pytest.raises(ParameterError, match="normalise must be one of 'unit norm'"):
        DistanceSaturation(maps=MAPS, normalise="l2")
    with pytest.raises(ParameterError, match="as_printed must be True or False"):
        DistanceSaturation(maps=MAPS, as_printed="yes")
    with pytest.raises(DataError, match="no data set 'circel'"):
        DistanceSaturation(maps=MAPS).run("circel")
    with pytest.raises(DataError, match="from_frame"):
        DistanceSaturation(maps=MAPS).run([["a", "b"]])
    with pytest.raises(DataError, match="1 are not"):
        DistanceSaturation(maps=MAPS).run(np.array([[1.0, np.nan], [0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(AttributeError, match="DistanceSturation"):
        experiments.DistanceSturation  # noqa: B018


# The least that each experiment is to be told.
LEAST = {
    "BuildAMap": {"formula": "relu(x)"},
    "Binning": {"feature_map": RandomBinning(20)},
    "LearningGuarantees": {"feature_map": RandomFourier(20, paired=False)},
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_settings_that_are_checked_compared_and_written_out(name):
    cls = getattr(experiments, name)
    required = [field.name for field in fields(cls) if field.default is field.default_factory is MISSING]
    given = LEAST.get(name) or {"maps": MAPS, "feature_map": MAPS[0]}
    least = {field: given[field] for field in required}
    one, other = cls(**least), cls(**least)
    assert one == other and hash(one) == hash(other) and eval(repr(one), names_of(one)) == one
    with pytest.raises(FrozenInstanceError):
        one.question = "Another?"
    assert cls.question.endswith("?") and cls.__name__ in experiments.__all__
    assert re.search(rf">>> from rfviz\.experiments\S* import .*\b{name}\b", cls.__doc__), "an example that is run"
    rules = {param.name: param for param in cls.params}
    assert rules.keys() <= {field.name for field in fields(cls)}
    for field in fields(cls):
        if field.name in rules:
            with pytest.raises(ParameterError, match=f"^{field.name} must"):
                cls(**least, **{field.name: object()})


def test_an_experiment_without_data_runs_without_and_refuses_any():
    experiment = BuildAMap(what="pool", formula="range", pool_size=2, m=10)
    assert eval(repr(experiment), {"BuildAMap": BuildAMap}) == experiment
    # The kernel of a point and itself is E (u − v)² = 2 for two independent standard normal projections.
    assert experiment.run().to_frame()["kernel"][0] == pytest.approx(2.0, rel=1e-3)
    with pytest.raises(ParameterError, match="data must be left out: BuildAMap makes its own points"):
        experiment.run("circle")
    with pytest.raises(ParameterError, match="what must be one of 'function'"):
        BuildAMap(what="curve", formula="x")


def test_a_result_shows_its_sentence_its_picture_and_its_numbers():
    result = DistanceSaturation(maps=MAPS).run("circle")
    html = result._repr_html_()
    assert result.summary() in html and "q = 8" in html and "plotly" in html
    assert "cdn" not in html.split("<script")[-1], "nothing is fetched from elsewhere"
    assert list(result.charts) == ["saturation"] and result.figure() is result.chart("saturation").figure
    with pytest.raises(ParameterError, match="chart must be one of 'saturation'"):
        result.to_frame("hashing")


@pytest.mark.parametrize(
    ("y", "targets", "classes"),
    [
        (["b", "a", "b"], [1, 0, 1], ("a", "b")),
        ([3, 7, 3], [0, 1, 0], ("3", "7")),
        ([True, False, True], [1, 0, 1], ("False", "True")),
        ([0.5, 1.5, 2.0], [0.5, 1.5, 2.0], ()),
        (None, None, ()),
    ],
)
def test_labels_of_arrays(y, targets, classes):
    dataset = datasets.from_arrays(np.eye(3), y)
    assert dataset.target_names == classes
    assert (dataset.y is None) if targets is None else dataset.y.tolist() == targets


def test_labels_that_are_not_one_a_row_are_refused():
    with pytest.raises(DataError, match="one label for each of 3 rows"):
        datasets.from_arrays(np.eye(3), [1, 2])
    with pytest.raises(DataError, match="finite"):
        datasets.from_arrays(np.eye(3), [1.0, np.nan, 2.0])
