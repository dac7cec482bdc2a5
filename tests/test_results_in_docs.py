"""What docs/results.md and the lessons say of the stored results is what the files in benchmarks/results hold."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rfviz.experiments.accuracy.maxout_table import PAPER_TABLE_1

ROOT = Path(__file__).parent.parent
DOCS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def stored(name):
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def row(label):
    """Return the numbers of the first row of this name."""
    line = re.findall(rf"^\| {re.escape(label)} \|(.+)\|$", DOCS, re.MULTILINE)[0]  # the paper's table comes second
    return [cell.strip() for cell in line.split("|")]


def test_table_1_of_maxout_has_all_its_rows():
    table = stored("table1-cpu")
    means = 100 * np.array(table["errors"]).mean(axis=0)
    for q, errors in zip(table["q"], means, strict=True):
        assert row(f"q = {q}") == [f"{error:.2f}" if q == 1 else f"{error:#.3g}" for error in errors]
    paper = np.array(PAPER_TABLE_1[1])
    assert row("q = 1, the paper") == [f"{mean:.2f}" for mean in paper[:, 0]]
    apart = (paper[:, 0] - means[0]) / paper[:, 1]
    assert (
        f"by {', '.join(f'{gap:.1f}' for gap in apart[:-1])} and {apart[-1]:.1f} of its standard deviations"
        in DOCS.replace("\n", " ")
    )
    # “Within two of the paper's standard deviations, or below”: the other rows.
    for q, errors in zip(table["q"][1:], means[1:], strict=True):
        mean, deviation = np.array(PAPER_TABLE_1[q]).T
        assert ((errors - mean) / deviation < 2).all()


def test_table_1_without_an_intercept_is_nearer_to_the_papers_row_of_projections():
    with_one, without = stored("table1-cpu"), stored("table1-cpu-no-intercept")
    assert without["intercept"] is False and without["m"] == [100, 500, 1000]
    means = 100 * np.array(without["errors"]).mean(axis=0)
    for q, errors in zip(without["q"], means, strict=True):
        told = row(f"q = {q}, no intercept")
        assert told[:3] == [f"{error:.2f}" if q == 1 else f"{error:#.3g}" for error in errors]
    paper = np.array(PAPER_TABLE_1[1])
    ours = np.array(row("q = 1, no intercept"), dtype=float)
    apart = [f"{gap:.1f}" for gap in (paper[:, 0] - ours) / paper[:, 1]]
    assert f"off by {', '.join(apart[:-1])} and {apart[-1]} of its" in DOCS.replace("\n", " ")
    of_one = (paper[:, 0] - 100 * np.array(with_one["errors"])[:, 0].mean(axis=0)) / paper[:, 1]
    assert (np.array(apart, dtype=float) < of_one).all()


def test_comparisons_of_figure_3_are_counted_in_both_ways():
    found = stored("figure3-cpu")
    of_pairs = [c for c in found["comparisons"] if (c["first"], c["second"]) == ("RFS", "baseline, pairs")]
    rows = {(r["skeleton"], r["map"], r["m"]): r for r in found["rows"]}
    titles = ("RMSE", "MAE", "maximum error", "1 − correlation")
    by_rows = sum(
        rows[skeleton, "RFS", m][title] < rows[skeleton, "baseline, pairs", m][title]
        for skeleton, name, m in rows
        if name == "RFS"
        for title in titles
    )
    said = DOCS.replace("\n", " ")
    assert f"in {sum(c['ahead'] for c in of_pairs)} of the {sum(c['budgets'] for c in of_pairs)} by the means" in said
    assert f"(in {by_rows} where the RMSE" in said


def test_a_million_features_are_at_worst_hardly_worse():
    gains = []
    for result in stored("cifar-features-gpu")["results"].values():
        last = np.array(result["by_epoch"])[21:24].mean(axis=0)  # the last three of 24 epochs
        gains.append(last[2] - last[1])
    assert f"are {-min(gains):.2f} less to {max(gains):.1f} per cent more right" in DOCS


def test_phone_errors_are_those_of_the_draws_that_are_stored():
    draws = {}
    for name, curve in stored("speech-cpu")["curves"].items():
        draws.setdefault(name.split(", seed ")[0], []).append(curve)
    raw = draws.pop("raw features")[0]["phone error %"][0]
    said = DOCS.replace("\n", " ")
    assert "standard deviation of five seeds" in said and f"the raw features make {raw:.1f}%" in said
    for name, curves in draws.items():
        errors = np.array([curve["phone error %"] for curve in curves])
        cells = zip(errors.mean(axis=0), errors.std(axis=0, ddof=1), strict=True)
        assert row(name) == [f"{mean:.1f} ± {spread:.1f}" for mean, spread in cells]
    # What the words say of q = 8 and q = 16, by the standard errors of the utterances.
    apart = {q: [one["standard errors from raw"][-1] for one in draws[f"maxout, q = {q}"]] for q in (8, 16)}
    assert max(map(abs, apart[8])) < 2 and min(apart[16]) >= 1 and max(apart[16]) < 3
    assert {len(curves) for curves in draws.values()} == {5}


def test_shared_projections_gain_where_they_are_few():
    shared, alone = row("maxout, q = 4, 400 shared projections"), row("maxout, q = 4")
    many = row("maxout, q = 4, 1600 shared projections")
    first = [cell.split(" ± ")[0] for cell in (alone[0], shared[4], alone[2], many[4], shared[2], alone[2])]
    said = DOCS.replace("\n", " ")
    assert "400 of them make {}% as 100 independent features of q = 4 and {}% as 1600".format(*first[:2]) in said
    assert "1600 projections make {}% and {}%.".format(*first[2:4]) in said
    assert "400 features of 400 shared projections make {}%, independent ones {}%.".format(*first[4:]) in said


def test_random_stumps_do_not_reach_adaboost_on_the_papers_rows():
    (adult,) = [one for one in stored("kitchen-sinks-cpu")["figure 1"] if one["data"] == "adult"]
    best = {
        name: min(r["error %"] for r in adult["rows"] if r["learner"] == name) for name in ("AdaBoost", "Random stumps")
    }
    assert 0 < best["Random stumps"] - best["AdaBoost"] < 0.5
    lesson = (ROOT / "assets" / "lessons" / "kitchen-sinks-error.md").read_text(encoding="utf-8").replace("\n", " ")
    assert "come within half a percentage point of AdaBoost’s error, with more of them, but do not reach it" in lesson


def sinks_and_boosting(part):
    """Return the least error of each side with its K, the ratio of errors, and two ratios of seconds, from the rows."""
    sides = [[r for r in part["rows"] if (r["learner"] == "AdaBoost") == boosted] for boosted in (True, False)]
    best = [min(side, key=lambda r: (r["error %"], r["K"])) for side in sides]
    target = max(r["error %"] for r in best) + 1e-9
    reached = [min(r["train s"] + r["test s"] for r in side if r["error %"] <= target) for side in sides]
    alike = [next(r["train s"] + r["test s"] for r in side if 240 <= r["K"] <= 250) for side in sides]
    return best, best[1]["error %"] / best[0]["error %"], reached[0] / reached[1], alike[0] / alike[1]


@pytest.mark.parametrize(("name", "title"), [("adult", "adult"), ("kddcup99", "KDDCUP99"), ("activity", "activity")])
def test_kitchen_sinks_have_their_errors_and_ratios(name, title):
    (part,) = [one for one in stored("kitchen-sinks-cpu")["figure 1"] if one["data"] == name]
    (boosted, stumps), errors, sooner, alike = sinks_and_boosting(part)
    line = next(line for line in DOCS.splitlines() if line.startswith(f"| {title} | "))
    cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
    assert cells[1:3] == [f"{part['train']:,}, {part['test']:,}", str(part["columns"])]
    assert cells[3:5] == [f"{r['error %']:.2f}% ({r['K']})" for r in (boosted, stumps)]
    assert cells[5:] == [f"{errors:.2f}", f"{sooner:.1f} times", f"{alike:.0f} times"]
    # What is said of each: where random stumps are much worse, hardly sooner, or better.
    assert (errors > 3) == (sooner < 2) == (name == "kddcup99") and (errors < 1) == (name == "activity")
    assert (alike < 100) == (name != "activity")


def test_other_losses_and_fits_have_their_errors_and_seconds():
    parts = stored("kitchen-sinks-cpu")["losses and other fits"]
    found = {(r["fit"], r["K"], part["data"]): (r["error %"], r["cpu s"]) for part in parts for r in part["rows"]}
    lines = re.findall(r"^\| ([a-z ]+), K = (\d+) \| (.+) \| (.+) \| (.+) \|$", DOCS, re.MULTILINE)
    for fit, k, *cells in lines:
        for name, cell in zip(("adult", "kddcup99", "activity"), cells, strict=True):
            error, seconds = found.pop((fit, int(k), name))
            assert cell == f"{error:.2f} ({seconds:.2f})"
    assert not found
    each = {(r["fit"], r["K"], part["data"]): r for part in parts for r in part["rows"]}
    pairs = [(r, each["quadratic loss", k, name]) for (fit, k, name), r in each.items() if fit == "hinge loss"]
    slower = [hinge["cpu s"] / plain["cpu s"] for hinge, plain in pairs]
    assert f"it takes {min(slower):.1f} to {max(slower):.1f} times as long" in DOCS.replace("\n", " ")
    assert all(0.8 < hinge["error %"] / plain["error %"] < 1.1 for hinge, plain in pairs)
    (kdd,) = [part for part in stored("kitchen-sinks-cpu")["figure 1"] if part["data"] == "kddcup99"]
    assert each["joint fit", 10, "kddcup99"]["error %"] < sinks_and_boosting(kdd)[0][0]["error %"]


CURVES = stored("learning-curve")
M_GRID = [50, 100, 180, 200, 220, 400, 2000, "exact kernel"]


def curve(data, label, alpha):
    """Return the records of a learning curve, by m."""
    found = {r["m"]: r for r in CURVES["rows"] if (r["data"], r["map"], r["alpha"]) == (data, label, alpha)}
    assert list(found) == M_GRID
    return found


CASES = list(dict.fromkeys((r["data"], r["map"], r["alpha"]) for r in CURVES["rows"]))


def written(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")


def farthest(cases, m=M_GRID):
    """Return how far from the prediction the farthest of the means are, in per cent."""
    return max(100 * abs(curve(*case)[one]["off"]) for case in cases for one in m)


def test_learning_curves_have_all_their_rows():
    lines = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (1e-08|0\.1) \|(.+)\|$", DOCS, re.MULTILINE)
    table = {(data, label, float(alpha)): cells.split("|") for data, label, alpha, cells in lines}
    assert list(table) == CASES
    for case, cells in table.items():
        for m, cell in zip(M_GRID, cells, strict=True):
            one = curve(*case)[m]
            text = f"{written(one['measured'])} / {written(one['predicted'])}"
            assert cell.strip() == (f"**{text}**" if abs(one["off"]) > 0.05 else text), (case, m)


def test_what_learning_curves_miss_is_said_as_it_is():
    said = " ".join(DOCS.split())
    away, near = [m for m in M_GRID if m not in (180, 200, 220)], [180, 220]

    def of(data, labels, alphas=(1e-8, 0.1)):
        return [case for case in CASES if case[0].startswith(data) and case[1] in labels and case[2] in alphas]

    waves, pools, units = "Fourier", "maxout, q = 4", "ReLU"
    every = (waves, pools, units)
    others = [curve(*case)[200] for case in of("", every, [1e-8]) if not case[0].startswith("CIFAR")]
    ratios = [one["measured"] / one["predicted"] for one in others]
    errors = [100 * one["standard error"] / one["measured"] for one in others]
    assert f"the means of 20 are {min(ratios):.1f} to {max(ratios):.0f} times the predicted error" in said
    assert f"their standard errors {min(errors):.0f} to {max(errors):.0f}% of them" in said
    good = of("MNIST", (waves, pools))
    assert f"are met within {farthest(of('MNIST', (waves, pools), [1e-8]), near):.0f}% by Fourier and maxout" in said
    centred = farthest(of("MNIST, centred", [units]), away)
    assert f"within {farthest(good, away):.1f}%, ReLU features of centred rows within {centred:.1f}%" in said
    cone = curve("MNIST", units, 1e-8)
    assert f"off by up to {farthest([('MNIST', units, 1e-8)], away):.0f}% with nearly no penalty, in means" in said
    assert f"(mean cosine {cone[50]['cosine']:.2f})" in said
    assert (
        f"power is {cone[50]['features']:.2f}. With α = 0.1 they are within {farthest([('MNIST', units, 0.1)]):.1f}%"
        in said
    )
    exact = [100 * curve(*case)["exact kernel"]["off"] for case in of("phoneme", every)]
    assert f"are {min(exact):.1f} to {max(exact):.1f}% above the predicted error even with the exact kernel" in said
    voices = [f"{farthest(of('phoneme', [label]), away):.0f}%" for label in every]
    shares = [f"{curve('phoneme, standardised', label, 0.1)[50]['features']:.2f}" for label in (pools, units)]
    assert f"by up to {voices[0]}, maxout by {voices[1]} (participation of their power {shares[0]})" in said
    assert f"ReLU by {voices[2]} ({shares[1]})" in said
    worst = farthest(of("CIFAR", every, [1e-8])) / 100
    assert f"off by up to {worst:.0f} times" in said
    assert f"With α = 0.1 they are within {farthest(of('CIFAR', every, [0.1])):.1f}%." in said
    movements = [farthest(of("wisdm", every, [1e-8]), away), farthest(of("wisdm", every, [0.1]))]
    missed = (
        f"off by up to {movements[0]:.0f}% away from m = n with nearly no penalty, which no measure of the page shows"
    )
    assert f"{missed}, and by {movements[1]:.0f}% with α = 0.1" in said
    images = [case for case in CASES if case[2] == 0.1 and not case[0].startswith(("phoneme", "wisdm"))]
    assert f"With α = 0.1 no mean of images is off by more than {farthest(images):.1f}%" in said
    assert f"none of voices by more than {farthest(of('phoneme', every, [0.1])):.1f}%" in said
    assert f"only 1,797 rows, are off by up to {farthest(of('digits', every), away):.0f}% away from m = n" in said


def test_what_a_sketch_of_the_spectrum_costs_is_said_as_it_is():
    said, rows = " ".join(DOCS.split()), CURVES["rows"]
    changes = {
        is_patch: max(
            100 * abs(r["sketched"] / r["predicted"] - 1) for r in rows if r["data"].startswith("CIFAR") == is_patch
        )
        for is_patch in (False, True)
    }
    assert f"by at most {changes[False]:.1f}%, on patches {changes[True]:.1f}%" in said
    whole = [r for r in rows if "digits" not in r["data"]]
    sketch, exact = ([r[name] for r in whole] for name in ("sketch s", "exact s"))
    assert f"take {min(sketch):.0f} to {max(sketch):.0f} s of a core with the kernel itself" in said
    assert f"all eigenvalues {min(exact):.0f} to {max(exact):.0f} s" in said


def test_what_a_step_costs_is_said_for_each_page():
    def cell(value):
        return "–" if value is None else f"{value:,.0f}"

    names = ("opened first", "opened again", "new work", "known")
    for measured in stored("steps-cpu")["rows"]:
        assert row(measured["page"]) == [cell(measured[name]) for name in names]


def test_what_the_fuzzer_has_tried_is_said_as_it_is():
    said, found = " ".join(DOCS.split()), stored("fuzz-cpu")
    assert f"{len(found['runs'])} runs of as many seeds" in said
    counts = {kind: found["summary"][kind] for kind in ("addresses", "messages", "uploads")}
    assert f"{counts['addresses']:,} addresses, {counts['messages']:,} messages and {counts['uploads']:,} files" in said
    assert found["summary"]["classes unpickled"] == found["summary"]["changes outside the cache folder"] == 0
    # The last run of each kind came after all that was mended.
    for kind in counts:
        last = [run for run in found["runs"] if run[kind]][-1]
        assert last["tracebacks"] == last["hangs, dead sessions and errors shown"] == 0
