"""Tables that need not fit into memory: the same rows in blocks, and one sentence for files that do not fit."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import row_blocks
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomMaxout
from rfviz.linear_model import RidgePathClassifier

rng = np.random.default_rng(0)
X = rng.standard_normal((230, 3))
TABLE = pd.DataFrame(X, columns=list("abc")).assign(
    count=rng.integers(0, 9, 230), name="x", label=np.where(X[:, 0] > 0, "yes", "no")
)


@pytest.fixture
def folder(tmp_path):
    for number, part in enumerate(np.array_split(np.arange(230), 3)):
        TABLE.iloc[part].to_parquet(tmp_path / f"part-{number}.parquet")
    return tmp_path


def test_a_folder_of_parquet_files(folder):
    parts = list(row_blocks(folder, "label", rows=50))
    assert max(len(y) for _, y in parts) <= 50 and len(parts) == 6
    rows, labels = (np.concatenate(some) for some in zip(*parts, strict=True))
    np.testing.assert_array_equal(rows, TABLE[["a", "b", "c", "count"]])  # no text
    assert list(labels) == list(TABLE.label)
    two = np.concatenate([some for some, _ in row_blocks(folder / "part-1.parquet", "label", ["c", "a"])])
    np.testing.assert_array_equal(two, TABLE[["c", "a"]].to_numpy()[77:154])
    path = RidgePathClassifier(RandomMaxout(20, dtype="float64"), alphas=1.0)
    path.fit_blocks(row_blocks(folder, "label", list("abc"), rows=31), classes=["no", "yes"])
    whole = RidgePathClassifier(RandomMaxout(20, dtype="float64"), alphas=1.0, solver="primal").fit(
        X, TABLE.label.to_numpy(str)
    )
    np.testing.assert_allclose(path.coef_path_[20], whole.coef_path_[20], rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_memory_maps(tmp_path, dtype):
    np.save(tmp_path / "X.npy", (10 * X).astype(dtype))
    np.save(tmp_path / "y.npy", X[:, 0])
    parts = list(row_blocks(tmp_path / "X.npy", tmp_path / "y.npy", rows=100))
    assert [len(y) for _, y in parts] == [100, 100, 30]
    assert parts[0][0].dtype == ("float32" if dtype == "float32" else "float64")
    assert not isinstance(parts[0][0], np.memmap)
    np.testing.assert_array_equal(np.concatenate([some for some, _ in parts]), (10 * X).astype(dtype))


def test_files_that_do_not_fit(folder, tmp_path):
    first = next(row_blocks(folder, "label"))  # what is wrong in a later file is said when it comes
    assert len(first[1]) == 77
    path = folder / "part-2.parquet"
    whole = path.read_bytes()
    cases = {
        "part-2.parquet cannot be read as a Parquet file": lambda: path.write_bytes(whole[: len(whole) // 2]),
        "In part-2.parquet the column 'b' is missing": lambda: TABLE.drop(columns="b").to_parquet(path),
        "In part-2.parquet the column 'b' holds no numbers": lambda: TABLE.assign(b="x").to_parquet(path),
        "In part-2.parquet the column 'b' has gaps": lambda: TABLE.assign(b=[None] + [1.0] * 229).to_parquet(path),
        "part-2.parquet has no column 'label'": lambda: TABLE.drop(columns="label").to_parquet(path),
    }
    for message, spoil in cases.items():
        spoil()
        with pytest.raises(DataError, match=message):
            list(row_blocks(folder, "label"))
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", X[1:, 0])
    np.save(tmp_path / "objects.npy", np.array([None, 1]), allow_pickle=True)
    for label, message in (("y.npy", "row for each of the 229 labels"), ("objects.npy", "cannot be read as an .npy")):
        with pytest.raises(DataError, match=message):
            list(row_blocks(tmp_path / "X.npy", tmp_path / label))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"holds no \.parquet files"):
        row_blocks(tmp_path / "empty", "label")
    with pytest.raises(DataError, match="cannot be read"):
        list(row_blocks(tmp_path / "nothing.parquet", "label"))
    with pytest.raises(ParameterError, match="rows must be at least 1"):
        row_blocks(folder, "label", rows=0)
