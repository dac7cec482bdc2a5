"""Words as columns of zeros and ones, and what is done where one is missing."""

import numpy as np
import pytest

from rfviz.datasets.downloads.words import Categorical, joined
from rfviz.datasets.files.arrays import Arrays
from rfviz.errors import DataError

TABLE = np.array([["tcp", "http"], ["udp", "?"], ["tcp", "smtp"], ["", "http"], ["tcp", "http"]])


def test_every_word_has_a_named_column():
    words = Categorical.from_text(TABLE, ("protocol", "service"))
    assert words.names == ("protocol=tcp", "protocol=udp", "service=http", "service=smtp")
    expected = [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0], [1, 0, 1, 0]]
    np.testing.assert_array_equal(words.one_hot(), expected)
    assert words.note == "one column of zeros and ones for each word of protocol (2), service (2)"
    for row, texts in zip(words.one_hot(), TABLE, strict=True):
        on = {name for name, value in zip(words.names, row, strict=True) if value}
        assert on == {f"{c}={t}" for c, t in zip(words.columns, texts, strict=True) if t not in ("", "?")}


def test_missing_words_are_said_dropped_or_filled():
    words = Categorical.from_text(TABLE, ("protocol", "service"))
    with pytest.raises(DataError, match=r"2 words are missing in 2 of 5 rows: protocol \(1\), service \(1\)"):
        words.complete("error")
    dropped, rows, note = words.complete("drop rows")
    assert rows.tolist() == [0, 2, 4] and dropped.one_hot().sum() == 6 and "2 rows with missing words" in note
    filled, rows, note = words.complete("most frequent")
    assert rows.tolist() == [0, 1, 2, 3, 4] and "most frequent: protocol (1), service (1)" in note
    assert filled.one_hot()[3].tolist() == [1, 0, 1, 0] and filled.one_hot()[1].tolist() == [0, 1, 1, 0]


def test_the_most_frequent_word_is_that_of_the_training_rows():
    table = np.array([["a"], ["a"], [""], ["b"], ["b"], ["b"]])
    filled = Categorical.from_text(table, ("c",)).complete("most frequent", n_train=3)[0]
    assert filled.one_hot()[2].tolist() == [1, 0]


def test_complete_words_stay_as_they_are():
    words = Categorical.from_text(TABLE[[0, 2]], ("protocol", "service"))
    same, rows, note = words.complete("error")
    assert same is words and rows.tolist() == [0, 1] and note == ""


def test_numbers_come_first_when_joined():
    raw = Arrays(X=np.array([[1.5], [2.5]]))
    both = joined(raw, Categorical.from_text(TABLE[[0, 2]], ("protocol", "service")), ("bytes",))
    assert both.X.dtype == np.float32 and both.X.tolist() == [[1.5, 1, 1, 0], [2.5, 1, 0, 1]]
    assert both.feature_names == ("bytes", "protocol=tcp", "service=http", "service=smtp")
