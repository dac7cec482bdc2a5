"""What docs/results.md and the lessons say of the stored results is what the files in benchmarks/results hold."""

import json
import re
from pathlib import Path

import numpy as np

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
