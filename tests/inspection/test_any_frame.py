"""Tables of every dtype in memory: findings whose claims programs can read, or one sentence; never a traceback."""

import datetime
import decimal
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rfviz
from rfviz.errors import RfvizError

QUICK = ("balance", "columns", "missing", "values", "leaks", "copies", "drift")
COLUMNS = {
    "whole": lambda g, n: g.integers(-5, 5, n),
    "bytes of 8 bits": lambda g, n: g.integers(0, 255, n).astype(np.uint8),
    "huge": lambda g, n: g.integers(0, 2**63, n, dtype=np.uint64),
    "numbers": lambda g, n: g.normal(size=n),
    "half precision": lambda g, n: g.normal(size=n).astype(np.float16),
    "infinite": lambda g, n: np.where(g.uniform(size=n) < 0.2, np.inf, g.normal(size=n)),
    "beyond float32": lambda g, n: g.normal(size=n) * 1e300,
    "gaps": lambda g, n: np.where(g.uniform(size=n) < 0.5, np.nan, g.normal(size=n)),
    "empty": lambda g, n: np.full(n, np.nan),
    "none": lambda g, n: np.full(n, None, dtype=object),
    "truth": lambda g, n: g.uniform(size=n) < 0.5,
    "nullable": lambda g, n: pd.array([None if v < -3 else int(v) for v in g.integers(-5, 5, n)], dtype="Int64"),
    "nullable truth": lambda g, n: pd.array([None, True, False] * n, dtype="boolean")[:n],
    "words": lambda g, n: g.choice(["a", "B", "ü", "", "NA", "<b>"], n),
    "texts": lambda g, n: [f"{i} {'x' * (i % 7)}" for i in range(n)],
    "strings": lambda g, n: pd.array(g.choice(["yes", "no"], n), dtype="string"),
    "categories": lambda g, n: pd.Categorical(g.choice(["u", "v"], n), categories=["u", "v", "unused"]),
    "ordered": lambda g, n: pd.Categorical(g.choice([3, 1], n), categories=[3, 2, 1], ordered=True),
    "dates": lambda g, n: pd.Timestamp("2020-02-29") + pd.to_timedelta(g.integers(0, 10**6, n), unit="s"),
    "dates of a zone": lambda g, n: pd.date_range("2020-01-01", periods=n, freq="h", tz="Europe/Zurich"),
    "no dates": lambda g, n: pd.Series(pd.NaT, index=range(n)).to_numpy(),
    "day objects": lambda g, n: [datetime.date(1, 1, 1) if i % 3 else datetime.date(9999, 12, 31) for i in range(n)],
    "spans": lambda g, n: pd.to_timedelta(g.integers(0, 10**6, n), unit="s"),
    "periods": lambda g, n: pd.period_range("2020-01", periods=n, freq="M"),
    "intervals": lambda g, n: pd.interval_range(0, n, periods=n),
    "complex": lambda g, n: g.normal(size=n) + 1j,
    "decimals": lambda g, n: [decimal.Decimal(i) / 7 for i in range(n)],
    "mixed": lambda g, n: [1, "two", None, 3.5, True, b"5"] * (n // 6 + 1),
    "bytes": lambda g, n: [bytes([i % 256]) for i in range(n)],
    "lists": lambda g, n: [[i] for i in range(n)],
    "sparse": lambda g, n: pd.arrays.SparseArray(g.integers(0, 2, n).astype(float)),
    "one value": lambda g, n: np.ones(n),
    "number of the row": lambda g, n: np.arange(n),
}
NAMES = st.sampled_from(["x", "y", "label", "", " ", "x", "a" * 300, "ü\n", "1", 1, 2.5, None, ("a", "b"), "class"])


@st.composite
def frames(draw):
    n, seed = draw(st.integers(1, 70)), draw(st.integers(0, 2**16))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6))
    g = np.random.default_rng(seed)
    columns = [pd.Series(list(COLUMNS[kind](g, n))[:n] if kind == "mixed" else COLUMNS[kind](g, n)) for kind in kinds]
    frame = pd.concat(columns, axis=1)
    frame.columns = pd.Index([draw(NAMES) for _ in kinds], dtype=object)
    if draw(st.booleans()):
        frame.index = pd.Index(g.integers(0, 3, n))
    label = draw(st.sampled_from([None, False, *frame.columns.tolist()]))
    return frame, label


def inspected(frame, label, only):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            report = rfviz.inspect(frame, label=label, only=only)
        except RfvizError as error:
            said = str(error)
            assert said.strip() and "\n" not in said and said.endswith((".", "?")), said
            return
    assert len(report.findings) and all(text for text in report.findings["text"])
    json.loads(report.to_json())
    for row in report.claims.itertuples():
        assert row.n_rows > 0
        json.dumps([row.value, row.least, row.of], allow_nan=False)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(frames())
def test_quick_questions_to_any_table_end_in_findings_or_a_sentence(given_frame):
    inspected(*given_frame, QUICK)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(frames())
def test_all_questions_to_any_table_end_in_findings_or_a_sentence(given_frame):
    inspected(*given_frame, ())
