"""Curves of presets that pages show before they compute: those of the results, and what is said of them."""

import json

from benchmarks import recorded
from rfviz.features import CompositionalFeatures
from rfviz.lab.index import find_page
from rfviz.lab.recorded import record_of


def test_what_is_recorded_is_what_the_results_say():
    stored = json.loads(recorded.STORED.read_text(encoding="utf-8"))
    assert stored == recorded.collected(), "run benchmarks/recorded.py"
    for slug, presets in stored.items():
        assert {*presets} <= {*find_page(slug).presets}


def test_records_are_of_one_data_set_and_tell_the_least_errors_when_and_on_what():
    found = record_of("kitchen-sinks", "Figure 1, adult", "adult")
    assert [curve.label for curve in found.curves] == ["AdaBoost", "Random stumps"]
    words = found.words()
    assert "**AdaBoost** 15.2% at K = 312; **Random stumps** 15.5% at K = 500" in words
    assert "recorded on 21 November 2026 (adult, 32,561 rows to train, 16,281 to test, 3 draws)" in words
    many = record_of("accuracy", "Ten architectures", "cifar10")
    assert many.words().startswith("**6,4** has the least error of 10 curves: 49.7% at m = 10,000.")
    assert {curve.cls for curve in many.curves} == {CompositionalFeatures}
    assert record_of("accuracy", "Table 1", "folder:mnist") is not None
    assert record_of("accuracy", "Table 1", "digits") is None and record_of("accuracy", "The ladder", "mnist") is None
