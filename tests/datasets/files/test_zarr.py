"""Tables in Zarr stores: the rows of a memory map whatever the chunks, and nothing that a store holds is run."""

import json
import pickle
import shutil
import sys

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.files import AllRows, Preparation, parts, read_file, row_blocks
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.features import RandomMaxout
from rfviz.linear_model import RidgePathClassifier

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

pytestmark = pytest.mark.filterwarnings("ignore:.*does not have a Zarr V3 specification")

rng = np.random.default_rng(0)
N = 1100
X = rng.standard_normal((N, 5))
y = np.sort(rng.integers(0, 3, N))


def write(path, form=3, chunks=(100, 3), **arrays):
    """Write arrays in chunks of so many rows and columns; a dictionary says how an array is made."""
    group = zarr.open_group(path, mode="w", zarr_format=form)
    for name, values in ({"X": X, "y": y} | arrays).items():
        if isinstance(values, dict):
            group.create_array(name, **values)
        elif values is not None:
            group.create_array(name, data=values, chunks=chunks[: values.ndim])
    return path


def metadata_of(path):
    return path / ("zarr.json" if (path / "zarr.json").exists() else ".zarray")


def change(path, **values):
    path = metadata_of(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize(
    ("chunks", "dtype"), [((3, 5), "i2"), ((70, 2), "f4"), ((100, 3), ">f8"), ((N, 1), "?"), ((5000, 9), "f4")]
)
def test_blocks_are_those_of_a_memory_map(tmp_path, form, chunks, dtype, monkeypatch):
    monkeypatch.setattr("rfviz.datasets.files.zarr_rows._BAND_CELLS", 1300)
    values = (10 * X).astype(dtype)
    if form == 3:  # which knows the order of bytes as a codec alone
        values = values.astype(values.dtype.newbyteorder("="))
    source = write(tmp_path / "t.zarr", form, chunks, X=values)
    np.save(tmp_path / "X.npy", values)
    np.save(tmp_path / "y.npy", y)
    rows = int(rng.integers(1, N + 100))
    expected = row_blocks(tmp_path / "X.npy", tmp_path / "y.npy", rows=rows)
    for found, other in zip(row_blocks(source, "y", rows=rows), expected, strict=True):
        for one, two in zip(found, other, strict=True):
            np.testing.assert_array_equal(one, two)
            assert one.dtype == two.dtype.newbyteorder("=") and one.dtype.isnative


def test_ridge_regression_is_that_on_a_memory_map(tmp_path):
    source = write(tmp_path / "t.zarr", chunks=(130, 2), y=np.array(["no", "yes", "so"])[y])
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", np.array(["no", "yes", "so"])[y])
    fitted = []
    for blocks in (row_blocks(tmp_path / "X.npy", tmp_path / "y.npy"), row_blocks(source, label="y", rows=77)):
        path = RidgePathClassifier(RandomMaxout(20, dtype="float64"), alphas=1.0)
        fitted.append(path.fit_blocks(blocks, classes=["no", "so", "yes"]).coef_path_[20])
    np.testing.assert_allclose(*fitted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("form", [2, 3])
def test_a_store_of_the_data_folder(data_folder, form, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 400)
    write(data_folder / "large.zarr", form)
    spec = datasets.spec("folder:large")
    assert spec.summary.startswith(f"{N:,} rows of 6 columns in ") and "large.zarr" in spec.summary
    dataset = datasets.load("folder:large", max_samples=200)
    assert dataset.n_samples == 200 and dataset.target_names == ("0", "1", "2")
    table = AllRows(datasets.load("folder:large"))
    found = np.concatenate([block for block, _ in table.blocks(np.arange(0))])
    np.testing.assert_array_equal(found, X.astype(np.float32))
    # A chunk that changes is noticed, though it lies in folders of the store.
    zarr.open_array(data_folder / "large.zarr" / "X", mode="r+")[:100] = 7.0
    assert datasets.spec("folder:large").extra["stamp"] != spec.extra["stamp"]
    assert (datasets.load("folder:large").X[:5] == 7.0).all()


def test_a_store_may_have_shards_or_no_labels(tmp_path):
    made = {"shape": X.shape, "dtype": "f8", "chunks": (50, 5), "shards": (500, 5)}
    path = write(tmp_path / "t.zarr", X=made, y=None)
    zarr.open_array(path / "X", mode="r+")[:] = X
    upload = read_file(path)
    assert upload.table.names == tuple(f"column {place}" for place in range(1, 6)) and upload.notes == ()
    np.testing.assert_array_equal(upload.table.matrix, X)


def test_chunks_that_are_not_stored_are_fill_values_and_told(tmp_path):
    path = write(tmp_path / "t.zarr", y=np.where(np.arange(N) < 100, 0, y + 1))  # Zarr leaves out chunks of zeros
    upload = read_file(path)
    assert upload.notes == ("1 of 11 chunks of t.zarr/y are not stored, and read as '0'",)
    assert (upload.table.quantity("y")[:100] == 0).all()
    assert upload.notes[0] in upload.prepare(Preparation(label="y")).provenance
    shutil.rmtree(path / "X" / "c")
    with pytest.raises(DataError, match=r"t\.zarr/X holds no chunk of its 1,100 rows\. Copy or write"):
        read_file(path)


class Attack:
    """A pickle of it writes a file wherever it is read."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return open, (str(self.target), "w")


@pytest.mark.parametrize("place", ["filters", "compressor"])
@pytest.mark.parametrize("array", ["X", "y"])
def test_no_pickle_is_read(tmp_path, monkeypatch, place, array):
    path, target = write(tmp_path / "t.zarr", form=2), tmp_path / "attacked"
    codec = {"id": "pickle", "protocol": 5}
    change(path / array, filters=None, compressor=None, dtype="|O", fill_value=None)
    change(path / array, **{place: [codec] if place == "filters" else codec})
    for chunk in (path / array).glob("[0-9]*"):
        chunk.write_bytes(pickle.dumps(Attack(target)))
    # Nothing but our own check guards here: the codec would run it, as it did in older releases of numcodecs.
    monkeypatch.setattr("numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)
    numcodecs.get_codec(codec).decode(pickle.dumps(Attack(target)))
    assert target.exists()
    target.unlink()
    for type_ in ("|O", "<f8"):
        change(path / array, dtype=type_)
        for read in (read_file, lambda store: list(row_blocks(store, "y"))):
            with pytest.raises(DataError, match=r"is written with 'pickle', which can run any code\. Write numbers"):
                read(path)
    change(path / array, filters=None, compressor=None, dtype="|O")
    with pytest.raises(DataError, match=rf"t\.zarr/{array} has the type \|O\. Write real numbers"):
        read_file(path)
    assert not target.exists()


@pytest.mark.parametrize("form", [2, 3])
def test_a_chunk_that_blosc_would_read_beyond_is_refused(tmp_path, form):
    codec = numcodecs.Blosc() if form == 2 else zarr.codecs.BloscCodec()
    made = {"shape": X.shape, "dtype": "f8", "chunks": (100, 5), "compressors": codec}
    path = write(tmp_path / "t.zarr", form, X=made)
    zarr.open_array(path / "X", mode="r+")[:] = X
    np.testing.assert_array_equal(read_file(path).table.matrix[:, :5], X)
    chunk = path / "X" / ("3.0" if form == 2 else "c/3/0")
    whole = chunk.read_bytes()
    much = whole[:4] + (2**31 - 1).to_bytes(4, "little") + whole[8:]
    for altered in (whole[:-9], whole[:3], much, whole + b"more"):
        chunk.write_bytes(altered)
        with pytest.raises(DataError, match=r"t\.zarr/X is cut short or altered in its chunk (3\.)?0\. Copy or write"):
            read_file(path)


def test_blosc_within_shards_is_refused(tmp_path):
    made = {"shape": X.shape, "dtype": "f8", "chunks": (50, 5), "shards": (500, 5)}
    path = write(tmp_path / "t.zarr", X=made | {"compressors": zarr.codecs.BloscCodec()})
    with pytest.raises(DataError, match="is written with 'blosc' within other codecs, where it cannot be checked"):
        read_file(path)


@pytest.mark.parametrize("outside", [True, False])
def test_codecs_within_others_are_looked_at(tmp_path, outside):
    path = write(tmp_path / "t.zarr")
    inner = [{"name": "bytes"}, {"name": "numcodecs.pickle"}]
    sharding = {"chunk_shape": [10, 3], "codecs": inner, "index_codecs": [{"name": "bytes"}]}
    if outside:
        sharding = sharding | {"codecs": sharding["index_codecs"], "index_codecs": inner}
    change(path / "X", codecs=[{"name": "sharding_indexed", "configuration": sharding}])
    with pytest.raises(DataError, match="is written with 'pickle', which can run any code"):
        read_file(path)


def test_metadata_of_the_group_are_not_used(tmp_path):
    path = write(tmp_path / "t.zarr", form=2)
    zarr.consolidate_metadata(path)
    together = path / ".zmetadata"
    text = json.loads(together.read_text())
    text["metadata"]["X/.zarray"]["filters"] = [{"id": "pickle"}]
    together.write_text(json.dumps(text))
    np.testing.assert_array_equal(read_file(path).table.matrix[:, :5], X)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-9])


BROKEN = {
    "no X": (lambda p: shutil.rmtree(p / "X"), r"t\.zarr has no array 'X'\. Write a Zarr group with X"),
    "a single array": (
        lambda p: zarr.create_array(p, data=X, overwrite=True),
        r"t\.zarr has no array 'X'\. Write a Zarr group with X",
    ),
    "a group": (
        lambda p: zarr.open_group(p / "X", mode="w", zarr_format=3),
        r"t\.zarr/X/zarr\.json does not describe a Zarr array of format 2 or 3",
    ),
    "a vector": (lambda p: write(p, X=X[:, 0]), r"t\.zarr/X must hold a matrix of numbers.* the shape \(1100,\)"),
    "no column": (lambda p: write(p, X=X[:, :0], chunks=(9, 1)), r"must hold a matrix of numbers.* \(1100, 0\)"),
    "a single value": (lambda p: write(p, X={"shape": (), "dtype": "f8"}), "is a single value"),
    "fewer labels": (lambda p: write(p, y=y[1:]), r"a row for each of the 1,099 labels in t\.zarr/y; it has the shape"),
    "no rows": (lambda p: write(p, X=X[:0], y=y[:0]), r"t\.zarr has no rows\. Add one row per sample"),
    "complex": (lambda p: write(p, X=X + 1j), r"X has the type (complex128|<c16)\. Write real numbers, booleans or f"),
    "any text": (
        lambda p: write(p, y={"shape": (N,), "dtype": "str", "chunks": (100,)}),
        r"y (has the type string|is written with 'vlen-utf8')",
    ),
    "text": (lambda p: write(p, X=X.astype(str)), "must hold a matrix of numbers"),
    "dates": (lambda p: write(p, y=y.astype("M8[s]")), r"t\.zarr/y has the type .*\. Write real numbers"),
    "no JSON": (lambda p: truncate(metadata_of(p / "X")), r"t\.zarr/X is damaged, or not a Zarr array .*Write the"),
    "a list": (lambda p: metadata_of(p / "X").write_text("[]"), "does not describe a Zarr array of format 2 or 3"),
    "odd codecs": (lambda p: change(p / "X", codecs=3, filters=3), r"t\.zarr/X is damaged, or not a Zarr array"),
    "an odd shape": (lambda p: change(p / "X", shape=["a", 5]), r"t\.zarr/X is damaged, or not a Zarr array"),
    "much metadata": (
        lambda p: change(p / "X", attributes={"text": "x" * 1_100_000}),
        r"has more than 1\.0 MB of metadata\. Leave attributes out",
    ),
    "a truncated chunk": (
        lambda p: truncate(next(c for c in sorted((p / "X").rglob("*")) if c.name in {"1", "1.1"})),
        r"t\.zarr/X is (damaged, or not a Zarr array|cut short or altered in its chunk).*Copy or write the store again",
    ),
    "a chunk of a few bytes": (
        lambda p: [c.write_bytes(b"ab") for c in (p / "y").rglob("[0-9]*")],
        r"t\.zarr/y is (damaged, or not a Zarr array|cut short or altered in its chunk)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", [2, 3])
@pytest.mark.parametrize("case", list(BROKEN))
def test_what_cannot_be_used_is_one_sentence(data_folder, form, case):
    path = write(data_folder / "t.zarr", form)
    spoil, message = BROKEN[case]
    if form == 2 and case == "any text":
        pytest.skip("the same codec")
    with zarr.config.set({"default_zarr_format": form}):
        if case in ("a vector", "no column", "a single value", "fewer labels", "no rows", "complex", "text", "dates"):
            shutil.rmtree(path)
        spoil(path)
    with pytest.raises(DataError, match=message) as raised:
        read_file(path)
    assert "\n" not in str(raised.value)
    assert "folder:t" in datasets.names()  # listed, with what is wrong
    with pytest.raises(DataError, match=message):
        datasets.load("folder:t")


def test_chunks_that_do_not_fit_are_refused_before_any_is_read(data_folder):
    path = write(data_folder / "t.zarr", chunks=(N, 5))
    change(
        path / "X", shape=[10**6, 1000], chunk_grid={"name": "regular", "configuration": {"chunk_shape": [10**6, 9]}}
    )
    for read in (read_file, lambda store: list(row_blocks(store, "y"))):
        with pytest.raises(MemoryBudgetError, match=r"t\.zarr/X, in chunks of 1,000,000 rows, needs about 16\.1 GB"):
            read(path)
    assert datasets.spec("folder:t").summary.startswith("Cannot be used: t.zarr/X, in chunks of 1,000,000 rows")


def test_without_zarr_it_says_how_to_add_it(tmp_path, monkeypatch):
    path = write(tmp_path / "t.zarr")
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(DataError, match=r"t\.zarr/X needs the package zarr, .*: pip install 'zarr>=3'"):
        read_file(path)
