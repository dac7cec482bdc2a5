"""The accuracy page: the curves it draws, the controls it offers when, and what it says."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.datasets.files import parts
from rfviz.experiments.accuracy.baselines import run_baseline
from rfviz.features import (
    MapSpec,
    RandomPool,
    SharedPoolMaxout,
)
from rfviz.lab.accuracy import settings
from rfviz.lab.accuracy.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from tests.app_pages import array, assert_refused, changed, opened, prose, run_to_its_end, specs

SLUG = "accuracy"
SMALL = {"references": [], "m_max": 60, "seeds": 1, "maps": ["RandomFourier", "RandomMaxout", "SharedPoolMaxout"]}


def curve_names(at):
    return [t["name"] for t in specs(at)[0]["data"] if t.get("mode") == "lines+markers"]


@pytest.mark.slow
def test_whole_images_are_compared_with_rectangles():
    at = run_to_its_end(opened(SLUG, {**SMALL, "receptive_field": (3, 6), "n_projections": 40}))
    assert curve_names(at) == [
        "Random Fourier",
        "Random Fourier, rectangles",
        "Random maxout, q = 4",
        "Random maxout, q = 4, rectangles",
        "Shared-pool maxout, q = 4",
        "Shared-pool maxout, q = 4, rectangles",
    ]
    said = "\n".join(prose(at))
    assert "a random rectangle (3 to 6 pixels per side)" in said and "of Random maxout, q = 4 from" in said
    assert not at.warning
    changed(at, SLUG, {"whole": False})
    assert len(curve_names(run_to_its_end(at))) == 3


@pytest.mark.slow
def test_rectangles_are_offered_for_images_and_maps_that_project():
    at = opened(SLUG, {**SMALL, "maps": ["RandomFourier"]})
    assert at.session_state[f"{SLUG}.receptive_field"] == (8, 8) and f"{SLUG}.whole" not in at.session_state
    for other in ({"data": "moons"}, {"maps": ["CompositionalFeatures"]}):
        assert f"{SLUG}.receptive_field" not in opened(SLUG, {**SMALL, "maps": ["RandomFourier"]} | other).session_state


@pytest.mark.slow
def test_the_address_holds_the_rectangles():
    at = opened(SLUG, SMALL | {"maps": ["RandomProjection"]}, {"receptive_field": "2,5", "whole": "false"})
    assert at.session_state[f"{SLUG}.receptive_field"] == (2, 5)
    assert curve_names(run_to_its_end(at)) == ["Random projection, rectangles"]


@pytest.mark.parametrize("found", [False, True])
def test_the_preset_takes_mnist_from_the_data_folder_else_digits(found, monkeypatch):
    found_file = SimpleNamespace(extra={"image_shape": (28, 28)})
    known = {"digits": settings.datasets.spec("digits")} | ({"folder:mnist": found_file} if found else {})
    monkeypatch.setattr(settings.datasets, "specs", lambda: known)
    values = settings.presets()["Receptive fields"][1]
    assert values["data"] == ("folder:mnist" if found else "digits")
    assert values["receptive_field"] == ((8, 20) if found else (3, 6))
    ladder = settings.presets()["The ladder"][1]
    assert (ladder["data"], ladder["patch_size"]) == (("folder:mnist", 7) if found else ("digits", 4))


@pytest.mark.slow
def test_the_ladder_on_digits_goes_down():
    preset = Preset(settings.presets()["The ladder"][1] | {"seeds": 1})
    source = PAGE.source(preset)
    result = PAGE.run(source, PAGE.settings(preset, source), Cache())
    table = result.ladder().set_index("method")
    assert list(table["error"]) == sorted(table["error"], reverse=True)
    assert (table["seconds"] > 0).all() and (table["bytes"] > 0).all()
    assert table.index[0] == "Linear ridge" and table.index[-1] == "Random convolution"
    assert table["m"].notna().sum() == 5 and {"Exact kernel ridge", "Small network"} < set(table.index)


def test_convolutions_are_offered_for_images_alone():
    images = opened(SLUG, SMALL | {"maps": ["RandomConvolution"], "patch_size": 3})
    assert curve_names(run_to_its_end(images)) == ["Random convolution"]
    assert f"{SLUG}.grid" in images.session_state
    points = opened(SLUG, SMALL | {"data": "moons", "maps": ["RandomConvolution", "RandomFourier"]})
    assert points.session_state[f"{SLUG}.maps"] == ["RandomFourier"]


@pytest.mark.slow
def test_the_preset_runs_its_four_curves():
    at = opened(SLUG, {**settings.presets()["Receptive fields"][1], "m_max": 60, "seeds": 1})
    assert not at.error
    assert len(curve_names(run_to_its_end(at))) == 4


@pytest.mark.slow
def test_doubly_stochastic_training_is_compared_with_the_exact_solution():
    at = run_to_its_end(opened(SLUG, {**SMALL, "maps": ["RandomFourier"], "m_max": 200, "doubly": True}))
    assert curve_names(at) == ["Random Fourier", "Random Fourier, doubly stochastic"]
    assert not at.warning
    said = "\n".join(prose(at))
    assert "against the exact solution: Random Fourier" in said
    # Coefficients of ten classes alone: 200·10·8 bytes.
    assert "It stores 16 kB instead of 42 kB" in said


def test_no_maps_is_one_sentence_and_no_failure():
    at = opened(SLUG, {"maps": [], "references": []})
    assert not at.exception and not at.error and not specs(at)
    assert [info.value for info in at.info] == ["Choose at least one map."]


ONE_MAP = {"maps": ["RandomProjection"], "references": [], "m_max": 40, "seeds": 1}


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["ridge", "logistic", "hinge", "exponential"])
def test_each_loss(loss):
    at = run_to_its_end(opened(SLUG, {**ONE_MAP, "loss": loss}))
    (curve,) = [t for t in specs(at)[0]["data"] if t["mode"] == "lines+markers"]
    assert array(curve["x"])[-1] == 40 and array(curve["y"])[-1] < 15
    said = "of ridge regression on" if loss == "ridge" else f"of a linear model ({loss}) on"
    assert any(said in markdown for markdown in prose(at))


KERNELS = {"maps": ["RandomFourier", "RandomMaxout"], "references": [], "m_max": 300, "seeds": 1, "exact": True}


@pytest.mark.slow
def test_exact_kernels_are_drawn_beside_their_curves():
    at = run_to_its_end(opened(SLUG, {**KERNELS, "doubly": True}))
    assert not at.warning and not at.error
    traces = specs(at)[0]["data"]
    dashed = [t for t in traces if t.get("legendgroup") == "exact kernels"]
    # Doubly stochastic training has the kernel of the map that it trains.
    assert len(dashed) == 2 and len(curve_names(at)) == 4
    (said,) = [m for m in prose(at) if "each in the colour of its curve, are the exact kernels" in m]
    assert said.count("its kernel") == 2
    off = run_to_its_end(changed(at, SLUG, {"exact": False}))
    assert not [t for t in specs(off)[0]["data"] if t.get("legendgroup") == "exact kernels"]


@pytest.mark.slow
def test_a_script_computes_the_same_exact_kernels():
    panel = Preset({**KERNELS, "m_max": 40})
    source = PAGE.source(panel)
    found = PAGE.run(source, PAGE.settings(panel, source), Cache())
    code = PAGE.script(source, PAGE.settings(panel, source)).replace("result.figure(name).show()", "pass")
    names = {}
    exec(code, names)
    assert len(found.exact) == 2
    frame = names["frames"]["accuracy"].set_index("map")["error"]
    for label, kernel in found.exact.items():
        assert frame[f"{label}, exact kernel"] == pytest.approx(100 * kernel.error)


def test_a_kernel_that_cannot_be_computed_leaves_the_curves(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.02")
    at = run_to_its_end(opened(SLUG, {**KERNELS, "m_max": 40, "maps": ["RandomFourier"], "test": 30}))
    (warning,) = at.warning
    assert "Random Fourier, exact kernel" in warning.value and "1,258 training rows needs" in warning.value
    (curve,) = [t for t in specs(at)[0]["data"] if t["mode"] == "lines+markers"]
    assert array(curve["x"])[-1] == 40


@pytest.mark.slow
def test_exact_kernels_are_offered_to_ridge_regression_in_memory(large):
    for setting, offered in (({}, True), ({"loss": "logistic"}, False), ({"all_rows": True}, False)):
        at = opened(SLUG, {**large, **setting})
        assert (f"{SLUG}.exact" in at.session_state) == offered


@pytest.mark.slow
def test_architectures_are_ranked():
    setting = {"data": "photo_patches", "data.max_samples": 200, "maps": ["CompositionalFeatures"], "m_max": 40}
    setting |= {"skeletons": ["4-4", "full"], "references": [], "seeds": 2, "normalise": "standardise rows"}
    setting["exact"] = True
    at = run_to_its_end(opened(SLUG, setting))
    assert not at.warning and not at.error
    curves = [trace for trace in specs(at)[0]["data"] if trace["mode"] == "lines+markers"]
    assert [curve["name"] for curve in curves] == ["4,4", "full"]
    at.session_state["accuracy.details-1"] = True
    at.run()
    (table,) = at.dataframe
    assert table.value["architecture"].tolist() == ["4,4", "full"]
    assert table.value["paper RFS %"].tolist() == [71.49, 60.01] and (table.value["exact %"] > 20).all()


@pytest.fixture
def crops(tmp_path, monkeypatch):
    """Put a small file of CIFAR-10's form into the data folder."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "cifar10.npz", X=rng.integers(0, 256, (200, 32, 32, 3), np.uint8), y=np.arange(200) % 10)
    monkeypatch.setenv("RFVIZ_DATA", str(tmp_path))
    setting = {"data": "cifar10", "data.side": "24", "maps": ["CompositionalFeatures"], "references": []}
    return setting | {"skeletons": ["6-6", "4-4", "full"], "m_max": 20, "seeds": 1, "alpha": 1.0}


@pytest.mark.parametrize(("side", "known"), [("24", True), ("32", False)])
def test_errors_by_epoch_belong_to_the_crops_that_were_trained_on(crops, side, known):
    at = run_to_its_end(opened(SLUG, crops | {"data.side": side}))
    at.session_state["accuracy.details-1"] = True
    at.run()
    assert not at.exception and not at.error
    charts = [[t["name"] for t in chart["data"]] for chart in specs(at)]
    epochs = ["6,6", "6,6", "4,4", "4,4", "full", "full", "features", "networks"]
    assert charts[1:] == ([epochs] if known else [])
    said = "\n".join(prose(at))
    assert ("**Error by epoch.**" in said) == ("Between these features and our networks" in said) == known
    assert len(at.dataframe) == 1


def test_a_script_draws_the_errors_by_epoch_too(crops):
    panel = Preset(crops)
    source = PAGE.source(panel)
    found = compute(PAGE, source, PAGE.settings(panel, source), Cache())
    chart = found.charts[-1]
    names = {}
    exec(PAGE.script(source, found.settings).replace("result.figure(name).show()", "pass"), names)
    assert list(names["frames"]) == [chart.name for chart in found.charts]
    assert names["result"].figure(chart.name) == chart.figure
    pd.testing.assert_frame_equal(names["frames"][chart.name], chart.frame)
    assert set(chart.frame["architecture"]) == {"4,4", "6,6", "full"} and chart.words.startswith("**Error by epoch.**")


def test_a_link_opens_a_tab():
    at = opened(SLUG, ONE_MAP, query={"tab": "penalty", "open": "how-it-is-computed"})
    assert at.session_state["accuracy:tab"] == "Penalty" and not at.toast
    assert at.session_state["accuracy.details-2"]
    seconds = opened(SLUG, ONE_MAP, query={"tab": "against-seconds"})
    assert "seconds" in specs(seconds)[0]["layout"]["xaxis"]["title"]["text"]
    at.session_state["accuracy:tab"] = "Against m"
    at.run()
    assert at.session_state["accuracy:tab"] == "Against m", "the address counts when the page opens, and no longer"
    assert len(opened(SLUG, ONE_MAP, query={"tab": "nowhere"}).toast) == 1


def test_architectures_are_refused_where_there_are_no_images():
    message = assert_refused(opened(SLUG, {"data": "moons", "maps": ["CompositionalFeatures"], "skeletons": ["4-4"]}))
    assert "no images" in message


def test_a_stochastic_loss_says_what_it_costs():
    at = opened(SLUG, {"loss": "logistic", "references": [], "m_max": 20_000})
    assert any("every m is trained on its own" in caption.value for caption in at.caption)
    assert "accuracy.alpha" not in at.session_state  # the ridge's penalty is no control of this loss
    assert [button.label for button in at.button if button.label == "Start" and not button.disabled]


def test_an_m_whose_gram_matrix_does_not_fit(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0001")
    at = run_to_its_end(opened(SLUG, {**ONE_MAP, "m_max": 80, "seeds": 2}))
    (warning,) = at.warning
    assert "largest number of features that fits is about 59" in warning.value and "logistic" in warning.value
    (curve,) = [t for t in specs(at)[0]["data"] if t["mode"] == "lines+markers"]
    assert array(curve["x"])[-1] == 40


@pytest.mark.parametrize(
    ("rows", "message"),
    [("1,2,a\n3,4,a\n" * 20, "at least two classes"), ("1,2,a\n3,5,b\n" * 4, "at least 20 rows")],
)
def test_labels_that_nothing_can_be_learned_from(rows, message, tmp_path):
    (tmp_path / "table.csv").write_text("x,z,label\n" + rows, encoding="utf-8")
    datasets.set_folder(tmp_path)
    try:
        at = opened(SLUG, {"data": "folder:table"})
        assert message in assert_refused(at)
    finally:
        datasets.set_folder(None)


def test_data_without_labels():
    assert "Accuracy needs labels" in assert_refused(opened(SLUG, {"data": "circle"}))


@pytest.fixture
def large(tmp_path, monkeypatch):
    """Put a folder of 3,000 rows into the data folder, of which 300 are drawn."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 300)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((3000, 3)), columns=list("abc"))
    table["label"] = np.where(table.a * table.b > 0, "same", "opposite")
    (tmp_path / "large").mkdir()
    for number, rows in enumerate(np.split(np.arange(3000), (1000, 1700))):
        table.iloc[rows].to_parquet(tmp_path / "large" / f"{number}.parquet")
    datasets.set_folder(tmp_path)
    yield {**SMALL, "maps": ["RandomFourier"], "data": "folder:large", "data.max_samples": 300}
    datasets.set_folder(None)


def test_all_rows_of_a_large_file_are_trained_on(large):
    at = run_to_its_end(opened(SLUG, large))
    drawn = array(specs(at)[0]["data"][-1]["y"])
    assert any("random features, trained on 225 rows" in m for m in prose(at))
    at = run_to_its_end(changed(at, SLUG, {"all_rows": True}))
    assert not at.warning and not at.error
    (said,) = [m for m in prose(at) if "random features, trained on" in m]
    assert "on 75 test rows" in said and "trained on 2,925 rows" in said and "all rows of the file" in said
    assert array(specs(at)[0]["data"][-1]["y"])[-1] < drawn[-1]


def test_a_script_trains_on_all_rows_too(large):
    panel = Preset({**large, "all_rows": True})
    source = PAGE.source(panel)
    found = PAGE.run(source, PAGE.settings(panel, source), Cache())
    code = PAGE.script(source, PAGE.settings(panel, source)).replace("result.figure(name).show()", "pass")
    names = {}
    exec(code, names)
    (curve,) = found.curves()
    np.testing.assert_allclose(names["frames"]["accuracy"]["error"], curve.frame["error"], rtol=1e-6)


def test_other_methods_learn_once_whichever_rows_are_read(large, monkeypatch):
    cache, ran = Cache(), []
    spy = lambda name, *rows, **options: ran.append(name) or run_baseline(name, *rows, **options)  # noqa: E731
    monkeypatch.setattr("rfviz.experiments.accuracy.experiment.run_baseline", spy)
    for all_rows in (False, True):
        panel = Preset({**large, "references": ["linear_ridge"], "all_rows": all_rows})
        source = PAGE.source(panel)
        PAGE.run(source, PAGE.settings(panel, source), cache)
    assert ran == ["linear_ridge"]


def test_what_cannot_read_all_rows_fails_alone_and_says_why(large):
    at = run_to_its_end(opened(SLUG, {**large, "maps": ["RandomFourier", "RandomBinning"], "all_rows": True}))
    points = {t["name"]: len(array(t["y"])) for t in specs(at)[0]["data"] if t.get("mode") == "lines+markers"}
    assert points["Random Fourier"] and not points["Random binning"]
    assert any("must not learn its columns from the rows" in w.value for w in at.warning)
    for loss in ("ridge", "logistic"):
        at = opened(SLUG, {**large, "all_rows": True, "loss": loss})
        assert any("by ridge regression, not by logistic" in w.value for w in at.warning) == (loss == "logistic")


@pytest.mark.slow
def test_all_rows_are_offered_where_there_are_more(large):
    asked = "Train on all rows"
    assert any(box.label == asked for box in [*opened(SLUG, large).toggle, *opened(SLUG, large).checkbox])
    rows = opened(SLUG, {**large, "grow": "rows"})
    digits = opened(SLUG, {**SMALL, "data": "digits"})
    assert not any(box.label == asked for at in (rows, digits) for box in [*at.toggle, *at.checkbox])


def test_a_map_with_pools_has_a_curve_for_each():
    maps = ["RandomMaxout", "StructuredMaxout", "SharedPoolMaxout", "RandomPool", "RandomProjection"]
    preset = Preset({"data": "moons", "maps": maps, "pools": [1, 8], "rule": "range", "n_projections": 50})
    source = PAGE.source(preset)
    experiment = PAGE.settings(preset, source)
    curves = {candidate.label: candidate.spec for candidate in experiment.candidates(None)}
    assert sorted(curves) == sorted(
        [
            "Random maxout, q = 1",
            "Random maxout, q = 8",
            "Structured maxout, q = 1",
            "Structured maxout, q = 8",
            "Shared-pool maxout, q = 1",
            "Shared-pool maxout, q = 8",
            "Random pool, range, q = 8",  # one projection has no order
            "Random projection",
        ]
    )
    assert curves["Shared-pool maxout, q = 8"] == MapSpec(SharedPoolMaxout, pool_size=8, n_projections=50)
    assert curves["Random pool, range, q = 8"] == MapSpec(RandomPool, pool_size=8, rule="range")


# More than starts by itself.
SQUARED = {"data": "digits", "maps": ["RandomFourier", "RandomBinning"], "m_max": 10_000, "seeds": 10}


def test_the_predicted_line_is_drawn_before_start():
    at = opened(SLUG, {**SQUARED, "measure": "squared error"})
    assert [button.label for button in at.button if button.label == "Start" and not button.disabled]
    for _ in range(3):  # each run computes what the next one draws
        at.run()
    (figure,) = specs(at)
    assert [trace["name"] for trace in figure["data"] if len(array(trace["y"]))] == ["Random Fourier, predicted"]
    assert "squared error" in figure["layout"]["yaxis"]["title"]["text"]
    (said,) = [m for m in prose(at) if m.startswith("**What am I seeing?**")]
    assert "before a feature is drawn" in said and "measured:" not in said
    assert "**Random binning.** Only the measured curve can be drawn." in said
    for absent in ("references", "loss"):  # which have no squared error
        assert f"{SLUG}.{absent}" not in at.session_state


def test_accuracy_waits_for_no_prediction(monkeypatch):
    called = []
    monkeypatch.setattr("rfviz.experiments.accuracy.experiment.predict_sweep", lambda *args: called.append(args))
    at = opened(SLUG, SQUARED)
    at.run()
    assert not called
    assert any("is predicted before anything is trained" in m for m in prose(at))


def test_a_script_predicts_the_same():
    panel = Preset({"data": "moons", "maps": ["RandomFourier"], "m_max": 40, "seeds": 1, "measure": "squared error"})
    source = PAGE.source(panel)
    found = compute(PAGE, source, PAGE.settings(panel, source), Cache())
    names = {}
    exec(PAGE.script(source, found.settings).replace("result.figure(name).show()", "pass"), names)
    frame = names["frames"]["accuracy"]
    assert "Random Fourier, predicted" in set(frame["map"])
    errors = [name for name in frame if name not in ("seconds",)]
    pd.testing.assert_frame_equal(frame[errors], found.charts[0].frame[errors])
