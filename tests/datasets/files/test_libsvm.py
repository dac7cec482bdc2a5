"""Tables in LIBSVM's form and with unusual separators, and tables that only look like them."""

import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from rfviz.datasets.files.content import File
from rfviz.datasets.files.upload import header_of, read_file, read_upload

RNG = np.random.default_rng(0)


def dumped(X, y, **options):
    dump_svmlight_file(X, y, buffer := io.BytesIO(), zero_based=False, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("values", [RNG.normal(size=(30, 5)), RNG.integers(0, 2, (30, 40)).astype(float)])
@pytest.mark.parametrize("labels", [np.arange(30) % 2 * 2 - 1, RNG.normal(size=30)])
def test_a_sparse_table_is_read_with_its_zeros(values, labels, tmp_path):
    sparse = values * (RNG.random(values.shape) < 0.6)
    sparse[:, -1] = 1
    for name in ("a.txt", "a.data"):
        found = read_upload(name, dumped(sparse, labels, comment="made for a test"))
        assert found.table.names == (*(f"feature {i + 1}" for i in range(values.shape[1])), "label")
        assert found.suggestion.label == "label" and "LIBSVM" in found.notes[0]
        np.testing.assert_allclose(np.array([found.table.values(n) for n in found.table.names[:-1]]).T, sparse)
        np.testing.assert_allclose(found.table.values("label"), labels)
    (tmp_path / "a.txt").write_bytes(dumped(sparse, labels))
    assert read_file(tmp_path / "a.txt").n_rows == 30 and header_of(File.at(tmp_path / "a.txt"))[0][-1] == "label"


@pytest.mark.parametrize(
    "line",
    [
        lambda i: f"{i} {i % 24}:{i % 60:02d}",  # a number and a time
        lambda i: f"{i} 12:{i % 60:02d} 13:{i % 60:02d}",
        lambda i: f"{i} {i % 3}:{i}.5 1:2",  # ratios, not in order
        lambda i: f"{i} {i}",
        lambda i: f"{i}:{i}",
    ],
)
def test_lines_with_colons_are_no_sparse_tables(line):
    found = read_upload("a.txt", "".join(line(i) + "\n" for i in range(30)).encode())
    assert "label" not in found.table.names and found.n_rows == 30


@pytest.mark.parametrize("separator", ["::", "^", "~"])
def test_unusual_separators(separator, tmp_path):
    header = ["user", "film", "stars", "when"]
    rows = [[i, f"Film: {i % 7}", i % 5 + 1, f"12:{i % 60:02d}"] for i in range(30)]
    text = "\n".join(separator.join(map(str, row)) for row in [header, *rows])
    found = read_upload("ratings.txt", text.encode())
    assert found.table.names == tuple(header) and found.n_rows == 30
    np.testing.assert_array_equal(found.table.values("stars"), np.arange(30) % 5 + 1)
    assert list(found.table.values("film"))[8] == "Film: 1"
    bare = read_upload("ratings.dat.txt", text.partition("\n")[2].encode())
    assert bare.n_rows == 30 and bare.table.names[0] == "column 1"


@pytest.mark.parametrize(
    "line",
    [lambda i: f"std::vector<{i}>,{i}", lambda i: f"a^{i},{i}", lambda i: f"~{i},{i}", lambda i: f"x::y^2~{i};{i}"],
)
def test_usual_separators_come_first(line):
    found = read_upload(
        "a.txt", ("name,n\n".replace(",", line(0)[-2]) + "".join(line(i) + "\n" for i in range(9))).encode()
    )
    assert found.table.names == ("name", "n") and found.n_rows == 9
