"""A profile of a table says what the table says, is small, has no rows, and is checked when it is read."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz.analysis.drift import DriftProfile, find_drift, profile_of
from rfviz.analysis.profiles import TableProfile, read_profile, unpack_compared
from rfviz.errors import DataError


def normal(seed, n=1000, d=4):
    return np.random.default_rng(seed).standard_normal((n, d))


def table(seed, n=400, shift=0.0):
    g = np.random.default_rng(seed)
    frame = pd.DataFrame(g.standard_normal((n, 3)), columns=["a", "b", "c"])
    frame["kind"] = g.choice(["red", "green", "blue"], n)
    frame.loc[g.random(n) < 0.1, "c"] = np.nan
    frame["b"] += shift
    return frame


def told(frame, other):
    report = rfviz.inspect(frame, compare=other, only="drift")
    claims = report.claims
    values = claims[claims.what.isin(["p-value", "p-value of the combination", "distance"])].value.tolist()
    return values, report.findings.text[0]


@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_a_profile_says_what_its_table_says(tmp_path, shift):
    reference, new = table(0), table(1, 300, shift)
    rfviz.profile(reference, "May").save(tmp_path / "may.npz")
    (of_table, said), (of_profile, without_rows) = told(new, reference), told(new, str(tmp_path / "may.npz"))
    assert of_table == of_profile and len(of_table) == (3 if shift else 2)
    assert "the rows of this file and the profile of May" in without_rows and "A profile has no rows" in without_rows
    assert "no rows" not in said and ("“b” (0." in without_rows) == bool(shift)
    if shift:
        figure = rfviz.inspect(new, compare=str(tmp_path / "may.npz"), only="drift").figure("drift")
        assert [trace.name for trace in figure.data] == ["the rows of this file", "the profile of May"]
        assert sum(figure.data[1].y) == pytest.approx(100.0)


@pytest.mark.parametrize("kind", ["shift", "scale", "gaps", "words", "correlation"])
def test_a_change_is_found_whatever_the_sizes(kind):
    A, B = normal(1, 3000), normal(2, 400)
    if kind == "words":
        A[:, 2], B[:, 2] = np.arange(3000) % 4, np.arange(400) % 5
    elif kind == "correlation":
        B[:, 2] = 0.7 * B[:, 1] + np.sqrt(0.51) * B[:, 2]
    else:
        B[:, 2] = {"shift": B[:, 2] + 0.5, "scale": 1.7 * B[:, 2], "gaps": np.where(B[:, 0] > 1, np.nan, B[:, 2])}[kind]
    result = find_drift(B, profile_of(A, [2] if kind == "words" else []))
    assert result.p_value <= 0.001 and not len(result.rows[1]) and len(result.rows[0])
    if kind == "correlation":
        (pair,) = result.pairs
        assert pair[:2] == (1, 2) and pair[2] == pytest.approx(0.65, abs=0.1) and abs(pair[3]) < 0.06
    else:
        assert result.columns().tolist() == [2]
        # Gaps where another column is large are a combination, too.
        assert result.together_p > 0.05 or kind == "gaps"


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [(150, 150), (60, 2000)])
def test_p_values_of_equal_distributions_are_uniform(n_rows):
    p = np.array(
        [find_drift(normal((0, s), n_rows[0], 3), profile_of(normal((1, s), n_rows[1], 3))).p_value for s in range(25)]
    )
    assert abs(np.mean(p) - 0.5) < 4 / np.sqrt(12 * 25) and p.min() < 0.3


def test_profiles_of_forty_columns_are_small_and_hold_no_row(tmp_path):
    frame = pd.DataFrame(normal(3, 2000, 36), columns=[f"measurement {place}" for place in range(36)])
    for place in range(4):
        frame[f"word {place}"] = np.random.default_rng(place).choice([f"value {k}" for k in range(12)], 2000)
    frame.loc[7, "word 0"] = "Jane Roe"  # a single person
    made = rfviz.profile(frame)
    data = made.to_bytes()
    assert len(data) <= 20_000 and made.joint == tuple(frame.columns)
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name] for name in file.files}
    about = json.loads(arrays["about"].tobytes())
    assert "Jane Roe" not in str(about) and len(about["words"]["word 0"]) == 12
    # Of 2,000 rows there is nothing with 2,000 places, and every stored block has 125 rows.
    assert not any(2000 in array.shape for array in arrays.values()) and len(arrays["means"]) == 16
    again = unpack_compared("p.npz", data)
    assert isinstance(again, TableProfile) and again.to_bytes() == data


def test_columns_of_a_profile_may_be_left_out():
    reference, new = table(4, 300), table(5, 300, 0.6)
    said = told(new.drop(columns="c"), rfviz.profile(reference))[1]
    assert "“b” (0." in said and "How the columns go together was not compared" in said
    assert "only the other one has “c”" in said
    # With the table itself they are made of the columns that both have.
    assert "How the columns" not in told(new.drop(columns="c"), reference)[1]


def test_quantiles_are_those_of_the_table():
    A = normal(6, 5000, 2)
    A[:, 1] = np.round(10 * A[:, 1])
    made = profile_of(A)
    for column in range(2):
        expected = np.quantile(A[:, column], [0.1, 0.5, 0.9])
        found = made.quantiles(column, 1000)[[100, 500, 900]]
        assert found == pytest.approx(expected, abs=0.05 * (1 + 19 * column))


def changed(**arrays):
    made = rfviz.profile(table(7, 200))
    with np.load(io.BytesIO(made.to_bytes())) as file:
        held = {name: file[name] for name in file.files} | arrays
    file = io.BytesIO()
    np.savez_compressed(file, **{name: array for name, array in held.items() if array is not None})
    return file.getvalue()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"rfviz_profile": np.array(2)}, "x.npz is a profile of format 2, and this version reads format 1"),
        ({"means": None}, "The profile lacks a part"),
        ({"means": np.zeros((3, 2), dtype=np.int8)}, "The profile is damaged"),
        ({"steps": np.zeros((4, 63), dtype=np.float64)}, "The profile is damaged"),
        ({"shares": np.array(1, dtype=np.uint16)}, "The profile is damaged"),
        ({"scale": np.array("text")}, "The profile is damaged"),
        ({"centre": np.full(4, np.nan)}, "The profile is damaged"),
        ({"about": np.zeros(5, dtype=np.uint8)}, "x.npz is a damaged profile"),
        ({"about": np.array([None], dtype=object)}, "x.npz is a damaged profile"),
        ({"shares": np.zeros((4, 102), dtype=np.uint16)}, "The profile is damaged"),
    ],
)
def test_what_is_not_a_profile_is_refused_in_one_sentence(arrays, said):
    with pytest.raises(DataError, match=said):
        unpack_compared("x.npz", changed(**arrays))


def test_too_little_and_other_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="has 30 rows, and a profile is made of 40 at least"):
        rfviz.profile(table(8, 30))
    with pytest.raises(DataError, match="no column of numbers or categories"):
        rfviz.profile(pd.DataFrame({"text": [f"words {k} and {k * k}" for k in range(60)]}))
    with pytest.raises(DataError, match="lacks a part"):
        DriftProfile.of_arrays({})
    (tmp_path / "a.csv").write_text(table(9).to_csv(index=False))
    with pytest.raises(DataError, match=r"a\.csv is a table and not a profile"):
        read_profile(tmp_path / "a.csv")
    rfviz.profile(table(9)).save(tmp_path / "a.npz")
    with pytest.raises(DataError, match=r"a\.npz is a profile.*--compare"):
        rfviz.inspect(tmp_path / "a.npz")
