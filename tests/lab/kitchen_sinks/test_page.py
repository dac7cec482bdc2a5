"""The page on kitchen sinks: its charts are what the analysis computes, its presets and refusals are one sentence."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.splits import make_split
from rfviz.experiments.kitchen_sinks.boosting import boost
from rfviz.experiments.kitchen_sinks.weights import WeightDecay, largest_weights
from rfviz.features import DecisionStumps, MapSpec
from rfviz.lab.kitchen_sinks.settings import PRESETS
from rfviz.linear_model import default_grid
from rfviz.ui.earlier import EARLIER, RECORDED
from tests.app_pages import array, changed, opened, prose, specs

SLUG = "kitchen-sinks"
SMALL = {"k_max": 50, "stumps": 20, "draws": 1, "alpha": 1.0, "learners": ["DecisionStumps"]}
UNFOLDED = {f"details-{number}": True for number in range(4)}


@pytest.fixture(autouse=True)
def no_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("RFVIZ_DATA", raising=False)
    monkeypatch.setenv("RFVIZ_CACHE", str(tmp_path))
    yield
    datasets.set_folder(None)


def traces(at):
    (spec,) = specs(at)
    return {t["name"]: t for t in spec["data"] if t.get("name")}


def text(at):
    return "\n".join(prose(at))


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


def test_error_is_drawn_for_both_sides(split):
    at = opened(SLUG, SMALL)
    drawn = traces(at)
    assert list(drawn) == ["AdaBoost", "Random stumps"] and not at.error
    k = array(drawn["AdaBoost"]["x"]).astype(int)
    assert k[0] == 1 and k[-1] == 20
    np.testing.assert_allclose(array(drawn["AdaBoost"]["y"]), 100 * boost(split, k).errors)
    grids = grid_segments(50, 16)
    errors = [run_segment(split, MapSpec(DecisionStumps, random_state=0), g, 1.0).errors for g in grids]
    np.testing.assert_array_equal(array(drawn["Random stumps"]["x"]), np.concatenate(grids))
    np.testing.assert_allclose(array(drawn["Random stumps"]["y"]), 100 * np.concatenate(errors))
    assert "**AdaBoost’s** least error" in text(at)


def test_seconds_and_seconds_to_an_error():
    at = opened(SLUG, SMALL | {"view": "seconds"})
    drawn = traces(at)
    assert (np.diff(array(drawn["AdaBoost"]["y"])) > 0).all()
    assert (array(drawn["Random stumps"]["y"]) > 0).all()
    reached = traces(changed(at, SLUG, {"view": "reach"}))
    for stair in reached.values():
        error, seconds = array(stair["x"]), array(stair["y"])
        assert (np.diff(error) < 0).all() and (np.diff(seconds) > 0).all()
        assert stair["line"]["shape"] == "vh"
    low, high = specs(at)[0]["layout"]["xaxis"]["range"]
    assert low > high  # harder errors to the right


def test_largest_weight_is_that_of_the_runs(split):
    at = opened(SLUG, SMALL | {"view": "weights", "runs": 5})
    drawn = traces(at)
    grid = default_grid(50, 12)
    runs = tuple(largest_weights(split, MapSpec(DecisionStumps, random_state=seed), grid) for seed in range(5))
    expected = WeightDecay(grid, runs)
    np.testing.assert_allclose(array(drawn["Random stumps, median of 5 runs"]["y"]), expected.quantiles[1], rtol=1e-5)
    reference = array(drawn["C/K"]["y"])
    np.testing.assert_allclose(reference * grid, reference[0] * grid[0])
    assert (reference >= expected.quantiles[1] * (1 - 1e-5)).all() and "median of 5 runs" in text(at)


@pytest.mark.slow
def test_every_family_takes_part_and_keeps_its_setting():
    at = opened(SLUG, SMALL | {"learners": ["SigmoidalRidge", "RandomFourier"], "scale": 0.1, "activation": "erf"})
    assert list(traces(at)) == ["AdaBoost", "Random sigmoids", "Random Fourier"]
    before = array(traces(at)["Random sigmoids"]["y"])
    assert not np.array_equal(before, array(traces(changed(at, SLUG, {"scale": 3.0}))["Random sigmoids"]["y"]))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "hinge", "exponential"])
def test_other_losses(loss):
    at = opened(SLUG, SMALL | {"loss": loss, "k_max": 20, "stumps": 0})
    assert list(traces(at)) == ["Random stumps"] and not at.error and not at.warning


def test_no_family_is_one_sentence():
    at = opened(SLUG, SMALL | {"learners": []})
    assert [i.value for i in at.info] == ["Choose at least one family of random features."] and not specs(at)


def test_regression_targets_are_refused(tmp_path):
    rows = "".join(f"{i},{i % 7},{0.5 + i / 3}\n" for i in range(60))
    (tmp_path / "prices.csv").write_text("a,b,target\n" + rows, encoding="utf-8")
    datasets.set_folder(tmp_path)
    at = opened(SLUG, SMALL | {"data": "folder:prices"})
    assert len(at.error) == 1 and not specs(at)
    assert "prices has numbers as targets. Choose data with classes, such as breast_cancer." in at.error[0].value


def test_unlabelled_data_are_refused():
    at = opened(SLUG, {"data": "circle"})
    assert len(at.error) == 1 and "Kitchen sinks need labels" in at.error[0].value


def test_missing_values_are_said_and_then_dropped_or_filled(tmp_path):
    X = np.random.default_rng(0).standard_normal((90, 43)).astype(np.float32)
    X[:7, 33] = np.nan
    np.savez(tmp_path / "wisdm.npz", X=X, y=(np.arange(90) % 3).astype(np.uint8))
    datasets.set_folder(tmp_path)
    at = opened(SLUG, SMALL | {"data": "activity"})
    (warning,) = at.warning
    assert "7 missing or infinite values in 1 column: 'XPEAK' (7)" in warning.value and "Breast cancer" in warning.value
    assert specs(at)
    changed(at, SLUG, {"data.missing": "impute mean"})
    assert not at.warning and any("XPEAK (7)" in c.value for c in at.caption)
    changed(at, SLUG, {"data.missing": "drop rows"})
    assert not at.warning and any("7 rows with missing values left out" in c.value for c in at.caption)


def test_k_beyond_memory_is_refused_in_one_sentence(monkeypatch):
    at = opened(SLUG, SMALL | {"k_max": 20, "draws": 2})
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0005")
    changed(at, SLUG, {"k_max": 400, "test": 50})
    assert any("stopped" in w.value and "fits is about" in w.value for w in at.warning)
    changed(at, SLUG, {"view": "weights", "runs": 1})
    assert any("The Gram matrix of 400 features" in w.value for w in at.warning)


@pytest.mark.parametrize(
    ("label", "view", "sentence"),
    [
        ("Figure 1, adult", "error", "Adult could not be downloaded from OpenML"),
        ("Figure 1, KDDCUP99", "error", "KDD Cup 1999 could not be downloaded from figshare"),
        ("Figure 1, activity", "error", "Human activity could not be downloaded from OpenML"),
        ("Figure 2", "weights", "Adult could not be downloaded from OpenML"),
    ],
)
def test_presets_say_what_to_do_where_the_data_cannot_be_had(monkeypatch, label, view, sentence):
    import sklearn.datasets

    def nothing(*args, **kwargs):
        raise ConnectionError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", nothing)
    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", nothing)
    monkeypatch.setattr("rfviz.ui.sidebar._failed", {})
    # What is drawn instead is not computed here.
    monkeypatch.setattr("rfviz.ui.live_run._AT_ONCE", 0.0)
    at = opened(SLUG, SMALL)
    next(b for b in at.button if b.label == label).click().run()
    assert not at.exception and not at.error
    assert any(sentence in w.value and "in the data folder" in w.value for w in at.warning)
    assert at.session_state[f"{SLUG}.view"] == view and at.session_state[f"{SLUG}.learners"] == ["DecisionStumps"]
    assert not at.toast


def test_folded_parts_show_numbers_columns_paper_and_method(tmp_path):
    at = opened(SLUG, SMALL | UNFOLDED)
    numbers = at.dataframe[0].value
    assert set(numbers["learner"]) == {"AdaBoost", "Random stumps"}
    row = numbers[numbers["learner"] == "AdaBoost"].iloc[-1]
    assert row["total s"] == pytest.approx(row["train s"] + row["test s"])
    assert len(at.dataframe[1].value) == 30 and "Weighted Sums of Random Kitchen Sinks" in text(at)
    C = np.stack([np.arange(500) % 2, np.arange(500) % 3, np.arange(500) % 4], axis=1).astype("S")
    X = np.random.default_rng(0).random((500, 2), dtype=np.float32)
    np.savez(tmp_path / "kddcup99.npz", X=X, C=C, y=np.where(np.arange(500) % 2, "normal", "smurf"))
    datasets.set_folder(tmp_path)
    changed(at, SLUG, {"data": "kddcup99", "data.train_rows": 200, "data.test_rows": 300})
    mapping = at.dataframe[1].value.set_index("column")
    assert mapping.loc["flag", "became"] == "0, 1, 2, 3" and mapping.loc["service", "words"] == 3
    weights = changed(at, SLUG, {"view": "weights", "runs": 1}).dataframe[0].value
    assert list(weights["K"]) == default_grid(50, 12).tolist()


def test_address_sets_the_controls():
    at = opened(
        SLUG, query={"view": "reach", "k_max": "20", "stumps": "20", "draws": "1", "learners": "RandomFourier,"}
    )
    assert list(traces(at)) == ["AdaBoost", "Random Fourier"] and not at.toast
    wrong = opened(SLUG, query={"view": "<b>", "k_max": "20", "stumps": "-3", "draws": "1", "loss": "cubic"})
    assert len(wrong.toast) == 3 and not wrong.error


def test_bands_appear_with_a_second_draw():
    one, two = (opened(SLUG, SMALL | {"draws": draws}) for draws in (1, 2))
    assert len(specs(two)[0]["data"]) == len(specs(one)[0]["data"]) + 1
    assert "Bands: ± 1 s.d." in text(two) and "Bands" not in text(one)


def test_every_value_of_a_preset_is_a_stop_of_its_control():
    for name in ("adult", "kddcup99", "activity"):
        params = {p.name: p for p in datasets.spec(name).params}
        for _, values in PRESETS.values():
            if values["data"] == name:
                own = {k.removeprefix("data."): v for k, v in values.items() if k.startswith("data.")}
                for key, value in own.items():
                    assert value in (params[key].choices or params[key].stops())


def test_what_was_computed_stays_pale_while_more_is_asked_for(monkeypatch):
    at = opened(SLUG, SMALL)
    before = {name: array(t["y"]) for name, t in traces(at).items()}
    assert list(before) == ["AdaBoost", "Random stumps"]
    monkeypatch.setattr("rfviz.ui.live_run._AT_ONCE", 0.0)
    changed(at, SLUG, {"alpha": 10.0})
    (spec,) = specs(at)
    pale = [t for t in spec["data"] if t.get("name") == EARLIER]
    for trace, values in zip(pale, before.values(), strict=True):
        np.testing.assert_array_equal(array(trace["y"]), values)
    assert [bool(t["showlegend"]) for t in pale] == [True, False]
    assert not len(array(traces(at)["Random stumps"]["y"]))  # nothing of the new penalty yet
    # The curves of other data are no comparison, and those that are complete need none.
    assert EARLIER not in traces(changed(at, SLUG, {"data": "moons"}))
    assert EARLIER not in traces(changed(at, SLUG, {"data": "breast_cancer", "alpha": 1.0}))


def test_a_preset_shows_what_was_recorded_until_it_is_computed(monkeypatch):
    points = {"k": [10, 20], "error": [30.0, 20.0]} | {name: [0.1, 0.2] for name in ("s.d.", "train", "test")}
    learners = {"AdaBoost": None, "Random stumps": "DecisionStumps"}
    curves = [{"label": label, "map": cls} | points for label, cls in learners.items()]
    record = {"day": "2026-11-21", "data": "breast_cancer", "draws": 3, "rows": [400, 169], "curves": curves}
    monkeypatch.setattr("rfviz.lab.recorded._stored", lambda: {SLUG: {"Mine": record}})
    mine = SMALL | {"alpha": 100.0, "test": 40}  # which no other test computes
    monkeypatch.setitem(PRESETS, "Mine", ("", mine | {"data": "breast_cancer"}))
    with monkeypatch.context() as patch:
        patch.setattr("rfviz.ui.live_run._AT_ONCE", 0.0)
        at = opened(SLUG, mine)
        assert array(traces(at)["Random stumps"]["y"]).tolist() == [30.0, 20.0]
        said = text(at)
        assert "recorded on 21 November 2026 (breast_cancer, 400 rows to train, 169 to test, 3 draws)" in said
        assert "Press **Start**" in said and "AdaBoost** 20.0% at K = 20" in said
        assert "recorded" not in text(changed(at, SLUG, {"alpha": 10.0}))  # not of other settings
    at = opened(SLUG, mine)  # which are few enough to be computed at once
    assert "recorded" not in text(at) and not {EARLIER, RECORDED} & {*traces(at)}
    assert array(traces(at)["Random stumps"]["y"]).tolist() != [30.0, 20.0]
