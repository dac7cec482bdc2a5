"""Speech without the laboratory: a result after each map, settings that can be read, and refusals in a sentence."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import Speech
from rfviz.experiments.speech import SpeechSource
from rfviz.features import RandomFourier, RandomMaxout, SharedPoolMaxout

SMALL = {"speech": SpeechSource(4, 1), "m_grid": [20, 40], "epochs": 1}
MAXOUT = RandomMaxout(pool_size=2)


def test_a_result_comes_after_each_map_and_the_last_is_that_of_run():
    cache, experiment = Cache(), Speech(maps=[MAXOUT, RandomFourier()], **SMALL)
    found = [result.to_frame("speech-errors") for result in experiment.parts(cache=cache)]
    assert [list(frame["features"].unique()) for frame in found] == [
        ["Raw features"],
        ["Raw features", "Random maxout, q = 2"],
        ["Raw features", "Random maxout, q = 2", "Random Fourier"],
    ]
    whole = experiment.run(cache=cache)
    pd.testing.assert_frame_equal(found[-1], whole.to_frame("speech-errors"))
    assert list(found[-1]["m"])[1:] == [20, 40, 20, 40]
    # Another view learns nothing again: all comes from the cache.
    for change, said in (({"m": 20}, "m = 20"), ({"shown": "Random Fourier"}, "Random Fourier")):
        assert said in dataclasses.replace(experiment, **change).run(cache=cache).chart().words
    pd.testing.assert_frame_equal(Speech(maps=[MAXOUT], **SMALL).run().to_frame("speech-errors"), found[1])


def test_without_maps_the_raw_features_alone_are_learnt():
    result = Speech(maps=[], **SMALL).run()
    assert result.to_frame("speech-errors")["features"].tolist() == ["Raw features"]
    assert result.chart().words.startswith("On the raw features")


def test_the_number_of_features_of_a_map_does_not_count_and_a_repr_makes_it_again():
    one, two = (Speech(maps=[RandomMaxout(m, pool_size=4)], **SMALL) for m in (10, 99))
    assert one.candidates == two.candidates
    names = {"Speech": Speech, "SpeechSource": SpeechSource, "RandomMaxout": RandomMaxout}
    assert eval(repr(one), names) == one and "stamp" not in repr(one)


def test_maps_are_named_by_what_tells_them_apart():
    maps = [RandomFourier(), MAXOUT, SharedPoolMaxout(pool_size=4, n_projections=1000)]
    assert Speech(maps=maps).labels == (
        "Random Fourier",
        "Random maxout, q = 2",
        "Maxout, shared pool of 1,000, q = 4",
    )
    assert Speech(maps=[RandomFourier(gamma=0.5), RandomFourier(gamma=2.0)]).labels == (
        "RandomFourier(gamma=0.5)",
        "RandomFourier(gamma=2.0)",
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"m_grid": []}, "m_grid must be rising"),
        ({"m_grid": [40, 20]}, "m_grid must be rising"),
        ({"m_grid": [0, 20]}, "m_grid must be an integer from 1"),
        ({"m": 30}, r"m must be one of m_grid, \[20, 40\]"),
        ({"shown": "maxout"}, "shown must be one of 'Random maxout, q = 2', 'Raw features'"),
        ({"utterance": -1}, "utterance must be an integer of at least 0"),
        ({"measure": "error"}, "measure must be one of"),
        ({"epochs": 0}, "epochs must be an integer from 1"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        Speech(maps=[MAXOUT], **(SMALL | settings))


def test_a_folder_without_timit_and_data_that_are_given_are_refused(tmp_path):
    with pytest.raises(DataError):
        Speech(maps=[MAXOUT], speech=SpeechSource(folder=str(tmp_path))).run()
    with pytest.raises(ParameterError, match="data must be left out"):
        Speech(maps=[MAXOUT]).run("circle")
    with pytest.raises(ParameterError, match="data must be left out"):
        list(Speech(maps=[MAXOUT]).parts("circle"))


def test_draws_are_those_of_the_seeds_that_follow_and_their_mean_is_drawn():
    maps = [RandomMaxout(pool_size=2, random_state=4)]
    result = Speech(maps=maps, draws=2, **SMALL).run()
    each = [Speech(maps=[RandomMaxout(pool_size=2, random_state=s)], **SMALL).run() for s in (4, 5)]
    phones, frames = (
        np.array([one.to_frame("speech-errors")[name].to_numpy()[1:] for one in each])
        for name in ("phone error %", "frame error %")
    )
    found = result.to_frame("speech-errors")[1:]
    np.testing.assert_allclose(found["phone error %"], phones.mean(axis=0))
    np.testing.assert_allclose(found["phone error s.d."], phones.std(axis=0, ddof=1))
    np.testing.assert_allclose(found["frame error s.d."], frames.std(axis=0, ddof=1))
    assert found["draws"].tolist() == [2, 2]
    (line,) = [t for t in result.figure("speech-errors").data if t.name == "Random maxout, q = 2"]
    np.testing.assert_allclose(line.y, phones.mean(axis=0))
    np.testing.assert_allclose(line.error_y.array, phones.std(axis=0, ddof=1))
    assert f"**{phones[:, -1].mean():.1f}%** (mean of 2 draws)" in result.chart().words
    # The phones that are shown are those of the first draw.
    pd.testing.assert_frame_equal(result.to_frame(), each[0].to_frame())


def test_against_projections_curves_stand_at_the_products_that_they_take():
    maps = [MAXOUT, SharedPoolMaxout(pool_size=2, n_projections=60), RandomFourier(), RandomFourier(paired=False)]
    result = Speech(maps=maps, against="projections", **SMALL).run()
    frame = result.to_frame("speech-errors").set_index("features")["projections"].dropna()
    told = {name: frame[name].tolist() for name in dict.fromkeys(frame.index)}
    assert list(told.values()) == [[40, 80], [40, 60], [10, 20], [20, 40]]
    figure = result.figure("speech-errors")
    assert figure.layout.xaxis.title.text == "number of projections" and not figure.layout.shapes
    assert {t.name: list(t.x) for t in figure.data if t.name in told} == told
    assert "against the number of projections" in result.chart("speech-errors").alt
