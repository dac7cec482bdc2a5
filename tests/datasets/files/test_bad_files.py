"""Hundreds of damaged and hostile files: each ends in a data set or in one sentence, quickly and in bounded memory.

The files are made from a seed, so that a failure names a file that can be made again. For a run against more of them,
set ``RFVIZ_BAD_UPLOADS`` to the number of mutations of each file.
"""

import contextlib
import functools
import io
import lzma
import os
import struct
import sys
import tarfile
import time
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rfviz import datasets
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.upload import read_path, read_upload
from rfviz.errors import DataError, MemoryBudgetError
from tests.datasets.files.samples import csv, npz, parquet, picture, pictures, table, zipped

MUTATIONS = int(os.environ.get("RFVIZ_BAD_UPLOADS", "12"))
# Seconds of CPU are a bound on what grows without one: the slowest file takes 1.6 on an idle machine.
LIMIT_BYTES, MOST_SECONDS, MOST_GROWTH = 50_000_000, 10.0, 400_000_000


def stata():
    buffer = io.BytesIO()
    table().to_stata(buffer, write_index=False)
    return buffer.getvalue()


def stream():
    rows, buffer = pa.Table.from_pandas(table()), io.BytesIO()
    with pa.ipc.new_stream(buffer, rows.schema) as writer:
        writer.write_table(rows)
    return buffer.getvalue()


def tar():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("a.csv")
        info.size = len(csv())
        archive.addfile(info, io.BytesIO(csv()))
    return buffer.getvalue()


GOOD = {
    "a.csv": csv,
    "a.parquet": parquet,
    "a.npz": npz,
    "a.zip": pictures,
    "semicolon.csv": lambda: csv(sep=";"),
    "a.arff": lambda: b"@relation r\n@attribute a real\n@attribute 'b c' {x,y}\n@data\n" + b"1,x\n2.5,y\n?,'x'\n" * 9,
    "a.libsvm": lambda: b"1 1:2 3:4.5\n-1 2:1\n1 3:-1e2\n" * 9,
    "a.dta": stata,
    "a.arrows": stream,
    "tables.zip": lambda: zipped([("a.csv", csv()), ("b.csv", csv())]),
    "a.tar": tar,
    "a.csv.xz": lambda: lzma.compress(csv()),
    "rows.json": lambda: table().to_json(orient="records").encode(),
    "images.npz": lambda: npz(X=np.zeros((9, 5, 5), np.uint8) + np.arange(9, dtype=np.uint8)[:, None, None]),
}


# --- files that somebody made on purpose ------------------------------------------------------------------------------


def link():
    info = zipfile.ZipInfo("a.png")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    return zipped([(info, "/etc/passwd")])


def encrypted():
    """Return an archive whose first member says that it is encrypted."""
    data = bytearray(pictures())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    return bytes(data)


def png_of_size(width, height):
    """Return a PNG that announces a size and holds next to nothing."""

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def lying_sizes():
    """Return an archive that announces fewer bytes than its first member expands to."""
    data = bytearray(zipped([("a.png", b"\0" * 5_000_000), ("b.png", picture())]))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(mark) + offset, 1000)
    return bytes(data)


def many_entries():
    """Return an archive whose table of contents announces more than four billion bytes of entries."""
    data = bytearray(pictures())
    struct.pack_into("<HI", data, data.rindex(b"PK\x05\x06") + 10, 65_535, 0xFFFFFFF0)
    return bytes(data)


def npy_of_shape(shape, dtype="<f8"):
    """Return an .npy file that announces a shape and holds nothing."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def nested_parquet():
    return parquet(pd.DataFrame({"a": [[1, 2], [3], []], "b": [{"c": 1}, {"c": 2}, {"c": 3}]}))


def _frame(**columns):
    return csv(pd.DataFrame(columns))


N = list(range(9))
# What takes long to make is made when it is asked for: every worker imports this.
MADE = {
    "empty.csv": b"",
    "blank.csv": b"\n\n  \n",
    "header.csv": b"a,b,label\n",
    "one_row.csv": b"a,b\n1,2\n",
    "two_rows.csv": b"a,b\n1,2\n3,4\n",
    "ragged.csv": b"a,b\n1,2\n3,4,5\n6,7\n8,9\n",
    "longer.csv": b"a,b\n1,2,3\n4,5,6\n7,8,9\n",
    "short.csv": b"a,b,c\n1,2\n3,4\n5,6,7\n1,1,1\n2,3,4\n",
    "quote.csv": b'a,b\n1,"2\n3,4\n5,6\n',
    "quotes.csv": b'a,b\n"1","x ""y"""\n"2","z"\n"3","w"\n',
    "text_only.csv": _frame(a=[f"id {i}" for i in range(90)]),
    "constant.csv": _frame(a=[1] * 9, b=["x"] * 9),
    "nan.csv": b"a,b\n,\n,\n,\n,\n",
    "inf.csv": _frame(a=[np.inf, 1, 2, -np.inf, 4, 5], b=N[:6]),
    "huge.csv": b"a,b\n" + b"9" * 400 + b",1\n2,3\n4,5\n6,7\n",
    "huger.csv": b"a,b\n" + b"9" * 5000 + b",1\n2,3\n4,5\n",
    "overflow.csv": b"a,b\n1e999,1\n2,3\n4,5\n6,7\n",
    "big.csv": b"a,b\n1e300,1\n-1e300,3\n4e300,5\n6,7\n",
    "duplicate.csv": b"a,a,b\n1,2,3\n4,5,6\n7,8,9\n",
    "nameless.csv": b",,\n1,2,x\n4,5,y\n7,8,z\n",
    "same.csv": b"a.1,a,a\n1,2,3\n4,5,6\n7,8,9\n",
    "control.csv": b"a,b\n1,2\x00\n3,4\n",
    "latin.csv": "größe,b\n1,ä\n2,ö\n3,ü\n".encode("latin-1"),
    "odd.csv": b"a,b\n1,\x81\x8d\n2,3\n4,5\n",
    "utf16.csv": "a,b\n1,2\n3,4\n5,6\n".encode("utf-16"),
    "utf16odd.csv": b"\xff\xfea,b\n1,2\n3",
    "bom.csv": b"\xef\xbb\xbfa,b\n1,2\n3,4\n5,7\n",
    "mac.csv": b"a,b\r1,2\r3,4\r5,6\r",
    "headless.csv": b"1,2\n3,4\n5,6\n7,8\n",
    "decimal.csv": b"a;b\n1,5;2,5\n3,5;4,5\n5,5;1,5\n",
    "mixed.csv": _frame(a=[1, 2, "three", "four", 5, 6, 7], b=N[:7]),
    "bool.csv": _frame(a=[True, False, True], b=N[:3]),
    "few_odd.csv": _frame(a=[*range(60), "?", "x"], b=[1.5] * 62),
    "zip_code.csv": _frame(a=["01234", "09999", "02345"]),
    "dates.csv": _frame(a=["01.02.2024", "31.12.2024", "05.06.2024"], b=N[:3]),
    "odd_dates.csv": _frame(a=["2024-13-45", "2024-99-99", "2024-01-01"], b=N[:3]),
    "far_dates.csv": _frame(a=["9999-12-31", "0001-01-01", "2024-01-01"], b=N[:3]),
    "wide.csv": ",".join(f"c{i}" for i in range(999)).encode() + b"\n" + (b"1," * 998 + b"2\n") * 2 + b"3," * 999,
    "too_wide.csv": b"," * 30_000 + b"\n" + b"1" + b"," * 30_000 + b"\n",
    "long_line.csv": b"a" * 2_000_000,
    "cell.csv": b"a,b\n" + b"x" * 300_000 + b",1\ny,2\nz,3\n",
    "bomb.csv": b"a\n" + b"1\n" * 3_000_000,
    "pipe.csv": b"a|b\n1|2\n3|4\n5|6\n",
    "tab.tsv": b"a\tb\n1\t2\n3\t4\n5\t7\n",
    "text.txt": b"Dear reader,\nthis is a letter, no table.\nYours,\nNobody, really, I, am\n",
    "none.csv": b"a,b,c",
    "png.csv": picture(),
    "zip.csv": pictures(),
    "parquet.csv": parquet(),
    "csv.parquet": csv(),
    "csv.zip": csv(),
    "zip.npz": pictures(),
    "npz.zip": npz(),
    "csv.npz": csv(),
    "a.xlsx": zipped([("[Content_Types].xml", "x")]),
    "noname": csv(),
    ".csv": csv(),
    "../../etc/passwd.csv": csv(),
    "C:\\temp\\x.csv": csv(),
    "a.exe": b"MZ\0\0",
    "gzip.csv": b"\x1f\x8b\x08\0",
    "pickle.npz": b"\x80\x04\x95\x0a",
    "one.png": picture(),
    "x\n\x1b[31m\t.csv": csv(),
    "ü" * 300 + ".csv": csv(),
    "a.pkl": b"\x80\x04\x95",
    "a.npy": npy_of_shape((3, 3)),
    "objects.npz": npz(X=np.array([{}, [], 1], dtype=object)),
    "complex.npz": npz(X=np.ones((4, 2), complex)),
    "noX.npz": npz(Z=np.ones((4, 2))),
    "flat.npz": npz(X=np.arange(9.0)),
    "empty.npz": npz(X=np.ones((0, 3))),
    "four.npz": npz(X=np.ones((3, 2, 2, 2, 2))),
    "infs.npz": npz(X=np.full((5, 2), np.inf)),
    "rows.npz": npz(X=np.ones((4, 2)), y=np.ones(3)),
    "const.npz": npz(X=np.ones((4, 2))),
    "bomb.npz": lambda: npz(X=np.zeros((3000, 5000))),
    "names.npz": npz(X=np.eye(4), y=np.array(["a", "b", "c", "\ud800x"[1:]])),
    "shape.npz": zipped([("X.npy", npy_of_shape((10**9, 10**9)))]),
    "minus.npz": zipped([("X.npy", npy_of_shape((-3, 2)))]),
    "lies.npz": zipped([("X.npy", npy_of_shape((10**6, 10)))]),
    "unread.npz": zipped([("X.npy", b"no")]),
    "split.npz": npz(X_train=np.eye(5), y_train=N[:5], X_test=np.eye(5), y_test=N[:5]),
    "train.npz": npz(X=np.eye(6), y=N[:6], is_train=np.array([1, 1, 1, 0, 0, 0], bool)),
    "traversal.zip": zipped([("../../x.png", picture()), ("b.png", picture())]),
    "root.zip": zipped([("/a.png", picture())]),
    "drive.zip": zipped([("C:\\x.png", picture())]),
    "dots.zip": zipped([("a/..\\..\\x.png", picture())]),
    "nested.zip": zipped([("a.png", picture()), ("b.zip", pictures())]),
    "link.zip": link(),
    "encrypted.zip": encrypted(),
    "twice.zip": zipped([("a.png", picture()), ("a.png", picture())]),
    "nothing.zip": zipped([]),
    "words.zip": zipped([("a.txt", "x"), ("b.csv", csv())]),
    "bomb.zip": lambda: zipped([("a.png", b"\0" * 80_000_000)]),
    "ratio.zip": lambda: zipped([("a.png", b"\0" * 20_000_000)]),
    "lies.zip": lying_sizes(),
    "entries.zip": many_entries(),
    "pixels.zip": zipped([(f"{i}.png", png_of_size(60_000, 60_000)) for i in range(4)]),
    "large.zip": zipped([(f"{i}.png", png_of_size(6000, 6000)) for i in range(4)]),
    "zero.zip": zipped([(f"{i}.png", png_of_size(0, 10)) for i in range(4)]),
    "gif.zip": zipped([(f"{i}.png", picture(form="GIF", mode="P")) for i in range(4)]),
    "modes.zip": zipped([(f"{i}.png", picture(mode=m)) for i, m in enumerate(["L", "1", "P", "RGBA", "LA", "I;16"])]),
    "cmyk.zip": zipped([(f"{i}.jpg", picture(form="JPEG", mode="CMYK")) for i in range(3)]),
    "thin.zip": zipped([(f"{i}.png", picture((1, 900), seed=i)) for i in range(3)]),
    "one.zip": zipped([("a.png", picture())]),
    "litter.zip": zipped([("__MACOSX/a.png", b"x"), (".DS_Store", b"x")]),
    "stored.zip": zipped([(f"{i}.png", picture(seed=i)) for i in range(4)], zipfile.ZIP_STORED),
    "words.png.zip": zipped([(f"{i}.png", b"no image") for i in range(4)]),
    "header.zip": b"PK\x03\x04" + b"\0" * 40,
    "end.zip": b"PK\x05\x06" + b"\0" * 18,
    "utf8.zip": zipped([(f"ä/ö{i}.png", picture(seed=i)) for i in range(4)]),
    "nested.parquet": nested_parquet(),
    "none.parquet": parquet(table(0)),
    "one.parquet": parquet(table(1)),
    "bytes.parquet": parquet(pd.DataFrame({"a": [b"x", b"y", b"z"]})),
    "magic.parquet": b"PAR1" + b"\0" * 30 + b"PAR1",
    "null.parquet": parquet(pd.DataFrame({"a": [None, None, None]})),
    "const.parquet": parquet(pd.DataFrame({"a": [1] * 5})),
    "times.parquet": parquet(
        pd.DataFrame(
            {
                "t": pd.date_range("2024", periods=5, tz="UTC"),
                "d": pd.to_timedelta(N[:5]),
                "c": pd.Categorical(list("abcab")),
                "b": [True, None, False, True, False],
            }
        )
    ),
    "two_names.parquet": parquet(pd.DataFrame(np.eye(4), columns=["a", "A", "a ", " a"])),
}


@functools.cache
def made(name):
    content = MADE[name]
    return content() if callable(content) else content


def test_a_name_that_is_a_suffix_alone_counts_as_one():
    assert read_upload(".csv", csv()).n_rows == read_upload("a.csv", csv()).n_rows


# --- files that accidents made ----------------------------------------------------------------------------------------


def mutated(data, rng):
    """Return the bytes after one accident."""
    kind = rng.integers(7)
    place = int(rng.integers(len(data)))
    if kind == 0:
        return data[:place]
    changed = bytearray(data)
    if kind == 1:
        changed[place] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        for other in rng.integers(len(data), size=20):
            changed[other] = int(rng.integers(256))
    elif kind == 3:
        length = int(rng.integers(1, 200))
        changed[place : place + length] = rng.bytes(length)
    elif kind == 4:
        changed[place:place] = rng.bytes(int(rng.integers(1, 50)))
    elif kind == 5:
        del changed[place : place + int(rng.integers(1, 100))]
    else:
        # The largest number in place of one that may be a length.
        changed[place : place + 4] = b"\xff\xff\xff\x7f"
    return bytes(changed)


def accidents():
    for name, make in GOOD.items():
        data, rng = make(), np.random.default_rng(zlib.crc32(name.encode()))
        for number in range(MUTATIONS * 5):
            yield f"{name}#{number}", name, mutated(data, rng)


# --- what must come of all of them ------------------------------------------------------------------------------------


def outcome(name, data):
    """Return the data set, or the error with its sentence; whatever else is raised fails the test."""
    try:
        return read_upload(name, data).prepare()
    except (DataError, MemoryBudgetError) as error:
        return error


def check(found):
    if isinstance(found, Exception):
        message = str(found)
        assert "\n" not in message and message.endswith(".") and 20 < len(message) < 500, message
        assert message.isprintable() and "Traceback" not in message and "  " not in message, message
        return
    assert found.X.dtype == np.float32 and np.isfinite(found.X).all() and found.X.flags.c_contiguous
    assert found.n_samples >= 3 and found.n_features >= 1
    assert found.y is None or len(found.y) == found.n_samples
    assert found.order is None or np.isfinite(found.order).all()
    assert found.provenance.isprintable()


_listening: list[list[str]] = []  # an audit hook is there for good


def _on_audit(event, arguments):
    if _listening and event == "open":
        path, mode, flags = arguments
        # Bytecode that an import compiles is no file of the reader's. A number is a file that was opened by its name.
        if (
            not isinstance(path, int)
            and "__pycache__" not in str(path)
            and (set(str(mode or "")) & set("wax+") or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        ):
            _listening[-1].append(str(path))


sys.addaudithook(_on_audit)


@contextlib.contextmanager
def _opened_to_write():
    """Give the list of what Python opens to write."""
    _listening.append([])
    try:
        yield _listening[-1]
    finally:
        _listening.pop()


@pytest.fixture
def guarded():
    """Allow little memory, and no warning to leak."""
    datasets.set_memory_limit(LIMIT_BYTES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def _peak_memory(anew=False):
    """Return the bytes of memory at most so far; counted anew from what is in use now where the system can."""
    if anew and sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return 0


def _judge(files, capsys, what):
    read_upload("warm.parquet", parquet())
    read_upload("warm.csv", csv()).prepare()  # imports count for no file
    read_upload("warm.zip", pictures()).prepare()
    before = _peak_memory(anew=True)
    results, problems, slowest = [], [], ("", 0.0)
    with _opened_to_write() as written:
        for label, name, data in files:
            start = time.process_time()
            try:
                found = outcome(name, data)
                check(found)
                results.append(isinstance(found, Exception))
            except BaseException as error:
                problems.append(f"{label}: {type(error).__name__}: {str(error)[:300]}")
            slowest = max(slowest, (label, time.process_time() - start), key=lambda pair: pair[1])
    growth = _peak_memory() - before
    with capsys.disabled():
        print(
            f"\n{len(results)} {what}: {len(results) - sum(results)} data sets, {sum(results)} sentences; "
            f"slowest {slowest[0]} {slowest[1]:.2f} s, peak memory +{growth / 1e6:.0f} MB",
            end=" ",
        )
    assert not problems, "\n".join(problems[:20]) + f"\n({len(problems)} in all)"
    assert slowest[1] < MOST_SECONDS and growth < MOST_GROWTH
    assert not written
    return results


@pytest.mark.slow
def test_files_made_on_purpose(guarded, capsys):
    _judge([(name, name, made(name)) for name in MADE], capsys, "files made on purpose")


@pytest.mark.slow
def test_files_after_accidents(guarded, capsys):
    results = _judge(accidents(), capsys, "files after accidents")
    assert len(results) >= 300
    assert any(results) and not all(results)  # both ends are reached


def test_a_file_whose_name_denies_its_content(guarded, capsys):
    names = ["x.csv", "x.tsv", "x.txt", "x.parquet", "x.pq", "x.npz", "x.zip", "x.CSV", "x", "x.png"]
    files = [(f"{g} as {n}", n, make()) for g, make in GOOD.items() for n in names]
    _judge(files, capsys, "files under other names")


# An upload may have fewer columns, and is asked for more memory in advance.
OTHER_LIMITS = {"too_wide.csv", "bomb.csv"}


@pytest.mark.parametrize("name", [name for name in MADE if name not in OTHER_LIMITS])
def test_a_path_gives_what_the_bytes_give(name, tmp_path):
    """The data folder and uploads have one reader: the same data sets, and the same sentences."""
    datasets.set_memory_limit(LIMIT_BYTES)
    path = tmp_path / f"a{Path(name).suffix or '.csv'}"
    path.write_bytes(made(name))
    from_bytes = outcome(path.name, made(name))
    try:
        found = read_path(path, "Your file " + path.name, Meta()).prepare()
    except (DataError, MemoryBudgetError) as error:
        found = error
    assert type(found) is type(from_bytes)
    if isinstance(found, Exception):
        assert str(found) == str(from_bytes)
    else:
        np.testing.assert_array_equal(found.X, from_bytes.X)
        assert found.provenance == from_bytes.provenance
