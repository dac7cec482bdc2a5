"""What is drawn of a comparison: curves, the paper's numbers, confusions and the table of architectures."""

import dataclasses

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.exact_kernel import ExactKernel
from rfviz.analysis.splits import Split, make_split
from rfviz.experiments.accuracy import describe
from rfviz.experiments.accuracy.architectures import (
    AUGMENTED,
    AUGMENTED_M,
    NAMES,
    NETWORKS,
    errors_by_epoch,
    rank_correlations,
)
from rfviz.experiments.accuracy.compute import (
    AccuracyResult,
    curves_frame,
    epochs_frame,
    make_curve,
    mean_against_seconds,
)
from rfviz.experiments.candidate import Candidate
from rfviz.features import CompositionalFeatures, MapSpec, RandomMaxout, SharedPoolMaxout
from rfviz.words import number

MAXOUT = Candidate("Maxout", MapSpec(RandomMaxout, pool_size=4))


@pytest.fixture(scope="module")
def result():
    split = make_split(datasets.load("digits"), "none")
    runs = [
        [run_segment(split, MAXOUT.spec.replace(random_state=seed), grid, 1.0) for grid in ([10, 20], [40])]
        for seed in range(2)
    ]
    return AccuracyResult(split, (MAXOUT,), "ridge", {"Maxout": runs}, {"Linear": 0.05})


def test_errors_are_per_cent_of_classes(result):
    (curve,) = result.curves()
    errors = np.mean([np.concatenate([s.errors for s in run]) for run in result.runs["Maxout"]], axis=0)
    np.testing.assert_allclose(curve.frame["error"], 100 * errors)
    assert result.baselines == {"Linear": 5.0} and result.unit == "test error, %" and not result.is_empty
    frame = curves_frame(result.curves(), result.baselines)
    assert frame["map"].tolist() == ["Maxout"] * 3 + ["Linear"] and frame["error"].iloc[-1] == 5.0


def exact(error):
    return ExactKernel(error, 1e-6, 2.0, 1000)


def test_a_curve_reaches_its_kernel_or_not(result):
    """As good as the kernel, up to the noise of the test rows, from an m on; a kernel far below is not reached."""
    last = np.mean([run[-1].errors[-1] for run in result.runs["Maxout"]])
    for error, said in ((0.98 * last, "is as good as its kernel"), (0.2 * last, "has not reached its kernel")):
        known = dataclasses.replace(result, exact={"Maxout": exact(error)})
        words = describe.explanation(known)
        assert f"Maxout {said} ({number(100 * error)}%)" in words and "two standard errors of 449 test rows" in words
        assert ("from m = 40 on" in words) == (error > 0.5 * last)
        assert known.ladder().set_index("method").loc["Maxout, exact kernel", "error"] == pytest.approx(100 * error)
        frame = curves_frame(known.curves(), known.baselines)
        assert frame["map"].tolist()[-2:] == ["Maxout, exact kernel", "Linear"]
    assert "exact kernel" not in describe.explanation(result) and len(result.ladder()) == 1


def test_seconds_are_those_of_the_last_point_of_each_segment(result):
    frame = mean_against_seconds(result.runs["Maxout"])
    assert frame["m"].tolist() == [20, 40] and (frame["seconds"] > 0).all()


@pytest.mark.parametrize(("measured", "shown"), [([1.0, 3.0], [1.0, 3.0]), ([3.0, 1.0], [2.0, 2.0])])
def test_no_curve_over_seconds_runs_backwards(result, measured, shown):
    """A race shows more features in less time where they took milliseconds: the clock, not the map."""
    runs = [
        [dataclasses.replace(s, seconds_fit=t, seconds_predict=0.0) for s, t in zip(run[-2:], measured, strict=True)]
        for run in result.runs["Maxout"]
    ]
    np.testing.assert_allclose(mean_against_seconds(runs)["seconds"], shown)


def test_confusions_are_those_of_the_first_seed(result):
    assert list(result.predictions("Maxout")) == [10, 20, 40]
    counts = result.confusions("Maxout", 40)
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(result.split.y_test))
    np.testing.assert_array_equal(counts.sum(axis=0), np.bincount(result.predictions("Maxout")[40], minlength=10))
    wrong = 1 - np.trace(counts) / counts.sum()
    assert wrong == pytest.approx(result.runs["Maxout"][0][1].errors[0])


def test_the_papers_numbers_belong_to_the_papers_data(result):
    assert not result.is_papers_mnist and result.curves()[0].paper == ()
    zeros = [np.zeros((n, 784), np.float32) for n in (60_000, 10_000)]
    labels = [np.zeros(n, int) for n in (60_000, 10_000)]
    mnist = Split("mnist", zeros[0], labels[0], zeros[1], labels[1], np.arange(10_000), ("0", "1"), True)
    others = (
        Candidate("q = 3", MapSpec(RandomMaxout, pool_size=3)),
        Candidate("rectangles", MapSpec(RandomMaxout, pool_size=4, receptive_field=(3, 6))),
        Candidate("trained otherwise", MAXOUT.spec, loss="doubly stochastic"),
        Candidate("shared", MapSpec(SharedPoolMaxout, pool_size=4)),
    )
    candidates = (MAXOUT, *others)
    papers = AccuracyResult(mnist, candidates, "ridge", {candidate.label: [[]] for candidate in candidates}, {})
    assert [bool(curve.paper) for curve in papers.curves()] == [True, False, False, False, False]
    assert papers.curves()[0].paper[0] == (100, 18.24, 0.39)


def test_what_was_trained_beforehand_belongs_to_the_crops_that_it_learnt():
    candidates = tuple(Candidate(name, MapSpec(CompositionalFeatures)) for name in ("4,5", "Compositional, flat"))
    found = []
    for name, side in (("cifar10", 24), ("cifar10", 32), ("mine", 24)):
        X, y = np.zeros((3, side * side * 3), np.float32), np.arange(3)
        split = Split(name, X, y, X, y, y, ("a", "b", "c"), True)
        result = AccuracyResult(split, candidates, "ridge", {candidate.label: [[]] for candidate in candidates}, {})
        found.append([(curve.network, curve.augmented, curve.epochs) for curve in result.curves()])
        for mark in ("**rings**", "**dotted lines**"):
            assert (mark in describe.explanation(result)) == bool(found[-1][0][0])
    known = tuple(zip(AUGMENTED_M, (100.0 - np.array(AUGMENTED["4,5"])).tolist(), strict=True))
    nothing = (None, (), ())
    first = (100.0 - NETWORKS["4,5"], known, errors_by_epoch("4,5"))
    assert found == [[first, nothing], [nothing] * 2, [nothing] * 2]


def trained(epochs):
    return [make_curve(name, CompositionalFeatures, [[]], epochs=errors) for name, errors in epochs.items()]


def test_errors_by_epoch_are_rows():
    frame = epochs_frame(trained({"4,4": ((50.0, 40.0), (60.0,)), "flat": ()}))
    assert frame.to_numpy().tolist() == [
        ["4,4", "features", 1, 50.0],
        ["4,4", "features", 2, 40.0],
        ["4,4", "network", 1, 60.0],
    ]
    assert not len(epochs_frame([]))


def test_which_has_the_smaller_error_is_counted_at_the_epoch_that_all_have():
    # At the end the features of “full” are better; after two epochs, which all have, they are not.
    said = describe.about_epochs(
        trained({"4,5": ((50.0, 40.0), (60.0, 52.0)), "full": ((70.0, 60.0, 9.0), (60.0, 55.0))})
    )
    assert "the features for 2 to 3 epochs, the networks for 2." in said
    assert "After 2 epochs the features have the smaller error for 1 of 2 architectures. In the paper" in said
    assert said.endswith("this holds for 1 of 2.")  # for “full”
    one = describe.about_epochs(trained({"4,5": ((50.0, 40.0), (60.0, 52.0)), "flat": ()}))
    assert "for 1 of 1 architecture, by 12 percentage points." in one and one.endswith("for 0 of 1.")


@pytest.mark.parametrize(
    ("names", "data", "with_papers", "with_networks"),
    [(NAMES, "cifar10", True, True), (NAMES, "mine", True, False), (NAMES[:2], "cifar10", False, False)],
)
def test_rank_correlations_are_told_where_there_are_some(names, data, with_papers, with_networks, result):
    segments = result.runs["Maxout"][0]
    X, y = np.zeros((3, 24 * 24 * 3), np.float32), np.arange(3)
    split = Split(data, X, y, X, y, y, ("a", "b", "c"), True)
    runs = {
        name: [[dataclasses.replace(s, errors=s.errors / (2 + i)) for s in segments]] for i, name in enumerate(names)
    }
    candidates = tuple(Candidate(name, MapSpec(CompositionalFeatures)) for name in names)
    shown = AccuracyResult(split, candidates, "ridge", runs, {})
    table, m = shown.architecture_table()
    said = describe.about_architectures(table, m, rank_correlations(table), shown)
    # Fewer errors with every architecture: the opposite of the paper's order.
    assert ("with the paper’s features **-1.00**" in said) == with_papers
    assert ("between the paper’s features and its networks **0.92**" in said) == with_networks


def test_architectures_are_ranked_where_all_have_arrived(result):
    segments = result.runs["Maxout"][0]
    candidates = tuple(Candidate(name, MapSpec(CompositionalFeatures)) for name in ("4,4", "full"))
    early = AccuracyResult(result.split, candidates, "ridge", {"4,4": [segments], "full": [[]]}, {})
    assert early.architecture_table() is None
    later = AccuracyResult(result.split, candidates, "ridge", {"4,4": [segments], "full": [segments[:1]]}, {})
    table, m = later.architecture_table()
    assert m == 20 and table["architecture"].tolist() == ["4,4", "full"]
    assert table["accuracy %"].iloc[0] == pytest.approx(100 * (1 - segments[0].errors[1]))
