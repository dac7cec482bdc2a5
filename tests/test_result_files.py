"""Results outlive the process in files that cannot run code; damaged, foreign and private ones are as good as none."""

import errno
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from rfviz import datasets
from rfviz import result_files as module
from rfviz.analysis.accuracy import Segment
from rfviz.cache import Cache, Store
from rfviz.errors import MemoryBudgetError, capture_warnings, warn
from rfviz.experiments.data import Data
from rfviz.experiments.kitchen_sinks.boosting import BoostSegment, BoostState
from rfviz.experiments.work import Part, Work
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab.panel import ScaledData
from rfviz.result_files import ResultFiles, durable, result_files

calls = []


@durable
def squares_of(*args, cache):
    """Return some numbers, and note the call."""
    calls.append(args)
    return np.arange(200.0) ** 2


@durable
def twice(value, *, cache):
    """Return a number with a warning."""
    warn(f"{value} is doubtful", UserWarning)
    return 2 * value


@durable
def anything(*, cache):
    """Return what a test puts here."""
    return returned


def not_durable(*, cache):
    """Return what nobody waited for."""
    return 1


returned = None


@pytest.fixture(autouse=True)
def no_calls():
    calls.clear()


def process(folder, **options):
    """Return a cache as a new process has it: nothing in memory."""
    return Cache(Store(files=ResultFiles(folder, **options)))


def source(**changes):
    data = Data("moons", (("n_samples", 50),), None, datasets.load("moons", n_samples=50))
    return ScaledData(replace(data, **changes), "none")


def files(folder):
    return sorted(folder.glob("*.npz"))


@pytest.mark.slow
def test_another_process_finds_the_result(tmp_path):
    key = source(), MapSpec(RandomMaxout, pool_size=3), ((1, 2.5), "x", None, True)
    first = process(tmp_path).call(squares_of, *key)
    found = process(tmp_path).peek(squares_of, source(), *key[1:])
    assert len(calls) == 1 and found.dtype == first.dtype and (found == first).all()


def test_a_file_of_the_data_folder_is_the_same_however_often_it_is_read(tmp_path):
    (tmp_path / "mine.csv").write_text("a,b,label\n" + "\n".join(f"{i},{i % 7},{'xy'[i % 2]}" for i in range(60)))
    datasets.set_folder(tmp_path)
    try:
        one, other = (Data("folder:mine", (), None, datasets.load("folder:mine")) for _ in range(2))
    finally:
        datasets.set_folder(None)
    process(tmp_path / "results").call(squares_of, ScaledData(one, "none"))
    assert process(tmp_path / "results").peek(squares_of, ScaledData(other, "none")) is not None


def test_another_key_is_another_result(tmp_path):
    process(tmp_path).call(squares_of, source(), 1)
    other = replace(source().data.dataset, X=source().dataset.X + 1)
    for args in ((source(), 2), (source(), 1.5), (source(dataset=other), 1), (source(values=()), 1), (source(), "1")):
        assert process(tmp_path).peek(squares_of, *args) is None
    assert process(tmp_path).peek(squares_of, source(), 1) is not None


def test_results_of_another_version_are_left_alone(tmp_path, monkeypatch):
    process(tmp_path).call(squares_of, 1)
    monkeypatch.setattr("rfviz.result_files._version", lambda: "another")
    assert process(tmp_path).peek(squares_of, 1) is None
    process(tmp_path).call(squares_of, 1)
    assert len(calls) == 2 and len(files(tmp_path)) == 2


def test_the_version_is_of_this_packages_files_and_no_others(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "rfviz"
    package.mkdir(parents=True)
    version = vars(module)["_version"].__wrapped__
    monkeypatch.setattr(module, "__file__", str(package / "result_files.py"))
    found = []
    for path in (package / "one.py", package.parent / "other.py", package / "two.py"):
        path.write_text("")
        found.append(version())
    assert found[0] == found[1] != found[2]


def test_results_of_another_device_are_others(tmp_path, fake_gpu, monkeypatch):
    process(tmp_path).call(squares_of, 1)
    monkeypatch.setenv("RFVIZ_DEVICE", "cpu")
    assert process(tmp_path).peek(squares_of, 1) is None


def test_only_durable_results_are_written(tmp_path):
    process(tmp_path).call(not_durable)
    assert not files(tmp_path)


def test_what_comes_from_an_upload_leaves_no_file(tmp_path):
    mine = source(name="own:mine", stamp="secret")
    assert mine.data.owner
    for args in ((mine,), ((1, (mine,)),)):
        process(tmp_path).call(squares_of, *args)
    Work([Part("a", squares_of, (mine,))], process(tmp_path)).run_missing(lambda share, text: None)
    assert len(calls) == 3 and not any(tmp_path.iterdir())


def test_parts_of_a_sweep_have_the_types_they_were_computed_with(tmp_path, monkeypatch):
    state = BoostState(3, np.ones(4, np.float32), np.ones((2, 2)), ended="enough")
    boosted = BoostSegment(np.array([1, 2]), np.array([0.5, 0.25]), np.ones(2), np.zeros(2), state)
    numbers = np.arange(3)
    segment = Segment(numbers, numbers / 3, numbers + 1.0, np.ones((3, 2), np.int16), numbers, numbers, 0.5, np.nan, 7)
    whole = {"a": [segment, (boosted, None)], 2: (np.float32(1.5), np.int64(3), True, float("inf"), RandomMaxout, "ü")}
    monkeypatch.setitem(globals(), "returned", whole)
    process(tmp_path).call(anything)
    found = process(tmp_path).peek(anything)
    assert list(found) == ["a", 2] and found[2] == whole[2]
    assert [type(item) for item in found[2]] == [type(item) for item in whole[2]]
    again, (other, nothing) = found["a"]
    assert nothing is None and type(again) is Segment and type(other) is BoostSegment and again.n_train == 7
    assert again.predictions.dtype == np.int16 and again.predictions.tolist() == segment.predictions.tolist()
    assert other.state.ended == "enough" and other.state.weights.dtype == np.float32
    assert np.isnan(again.seconds_predict) and (other.errors == boosted.errors).all()


class Odd:
    """No dataclass of rfviz."""


@pytest.mark.parametrize(
    "value",
    [Odd(), {1}, np.array([Odd()]), (1, Odd()), lambda: 1],
    ids=["object", "set", "objects", "tuple", "function"],
)
def test_what_is_no_number_or_text_is_not_written(value, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "returned", value)
    assert process(tmp_path).call(anything) is value
    assert not any(tmp_path.iterdir())


def test_warnings_come_with_the_result(tmp_path):
    with capture_warnings():
        process(tmp_path).call(twice, 4)
    with capture_warnings() as heard:
        assert process(tmp_path).call(twice, 4) == 8
    assert heard.messages == (("4 is doubtful", UserWarning),)


def attempted(number, *, cache):
    """Return a number, or fail where a test says so."""
    calls.append(number)
    if number == returned:
        raise MemoryBudgetError("It does not fit.")
    return number


def test_a_sweep_goes_on_where_it_was_and_tries_again_what_failed(tmp_path, monkeypatch):
    parts = [Part(str(number), attempted, (number,)) for number in range(4)]
    monkeypatch.setitem(globals(), "returned", 2)

    def stop(share, text):
        if calls == [0, 1, 2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Work(parts, process(tmp_path)).run_missing(stop)
    calls.clear()
    monkeypatch.setitem(globals(), "returned", None)
    work = Work(parts, process(tmp_path))
    assert work.missing() == parts[2:] and work.results("0") == [0]
    work.complete(lambda share, text: None)
    assert calls == [2, 3] and work.results("2") == [2]


# --- files that are none ----------------------------------------------------------------------------------------------


class Bomb:
    """A pickle of this makes a folder when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def npz(**members):
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return found.getvalue()


def npy(array):
    found = io.BytesIO()
    np.save(found, array, allow_pickle=True)
    return found.getvalue()


def text_of(body):
    return npy(np.frombuffer(body if isinstance(body, bytes) else json.dumps(body).encode(), np.uint8))


def forgeries(whole, folder):
    """Return bytes in place of a good file, by what is wrong with them."""
    with np.load(io.BytesIO(whole)) as held:
        body, numbers = json.loads(held["json"].tobytes()), npy(held["array0"])
    bomb = Bomb(folder / "ran")
    other = {"class": "subprocess:Popen", "fields": {"args": ["true"]}}
    unknown = {"class": "rfviz.errors:No", "fields": {}}
    deep = b"[" * 200_000 + b"]" * 200_000
    return {
        "empty": b"",
        "cut short": whole[: len(whole) // 2],
        "cut at its end": whole[:-1],
        "a byte changed": whole[:300] + bytes([whole[300] ^ 1]) + whole[301:],
        "text": b"no file of ours",
        "a pickle": pickle.dumps(bomb),
        "a pickled array": npz(json=text_of(body), array0=npy(np.array([bomb], dtype=object))),
        "a pickled text": npz(json=npy(np.array([bomb], dtype=object)), array0=numbers),
        "one array": numbers,
        "another key": npz(json=text_of(body | {"key": "another"}), array0=numbers),
        "no key": npz(json=text_of({}), array0=numbers),
        "no text": npz(array0=numbers),
        "no JSON": npz(json=text_of(b"{"), array0=numbers),
        "a list": npz(json=text_of([]), array0=numbers),
        "too deep": npz(json=text_of(deep), array0=numbers),
        "no array": npz(json=text_of(body)),
        "a class of others": npz(json=text_of(body | {"result": other}), array0=numbers),
        "a function": npz(json=text_of(body | {"result": {"type": "os:mkdir"}}), array0=numbers),
        "no such class": npz(json=text_of(body | {"result": unknown}), array0=numbers),
        "no such tag": npz(json=text_of(body | {"result": {"eval": "1"}}), array0=numbers),
    }


FORGERIES = ["empty", "cut short", "cut at its end", "a byte changed", "text", "a pickle", "a pickled array"]
FORGERIES += ["a pickled text", "one array", "another key", "no key", "no text", "no JSON", "a list", "too deep"]
FORGERIES += ["no array", "a class of others", "a function", "no such class", "no such tag"]


@pytest.mark.parametrize("wrong", FORGERIES)
def test_damaged_and_foreign_files_are_ignored(wrong, tmp_path):
    folder = tmp_path / "results"
    process(folder).call(squares_of, 1)
    (path,) = files(folder)
    found = forgeries(path.read_bytes(), tmp_path)
    assert set(found) == set(FORGERIES)
    path.write_bytes(found[wrong])
    cache = process(folder)
    assert cache.peek(squares_of, 1) is None
    assert (cache.call(squares_of, 1) == np.arange(200.0) ** 2).all() and len(calls) == 2
    assert process(folder).peek(squares_of, 1) is not None  # mended by the new result
    assert not (tmp_path / "ran").exists()


def test_a_bomb_is_not_expanded(tmp_path):
    process(tmp_path).call(squares_of, 1)
    (path,) = files(tmp_path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr("array1.npy", npy(np.zeros(10_000_000)))
    assert path.stat().st_size < 1_000_000
    assert process(tmp_path).peek(squares_of, 1) is None


def test_what_is_no_file_is_ignored(tmp_path):
    process(tmp_path).call(squares_of, 1)
    (path,) = files(tmp_path)
    path.unlink()
    os.mkfifo(path)  # whoever opens it waits for ever
    assert process(tmp_path).peek(squares_of, 1) is None
    path.unlink()
    path.mkdir()
    assert (process(tmp_path).call(squares_of, 1) == np.arange(200.0) ** 2).all()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    cache = process(tmp_path / "file" / "results")
    assert len(cache.call(squares_of, 1)) == 200 and len(cache.call(squares_of, 2)) == 200


FULL, READ_ONLY = (OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EROFS))


def test_a_disk_that_is_full_in_the_middle_of_a_result_is_no_error(tmp_path, monkeypatch, caplog):
    def half(file, **arrays):
        file.write(b"PK")
        raise FULL

    with monkeypatch.context() as full:
        full.setattr(np, "savez", half)
        cache = process(tmp_path)
        assert [len(cache.call(squares_of, number)) for number in (1, 2)] == [200, 200]
    assert not list(tmp_path.iterdir())
    assert [record.message for record in caplog.records] == [f"Results are not kept on disk: {FULL}"]  # once
    assert len(cache.call(squares_of, 3)) == 200 and len(files(tmp_path)) == 1  # there is room again


def test_a_folder_that_can_only_be_read_still_gives_its_results(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise READ_ONLY

    process(tmp_path).call(squares_of, 1)
    for name in ("os.utime", "os.replace", "tempfile.NamedTemporaryFile"):
        monkeypatch.setattr(name, refuse)
    cache = process(tmp_path)
    assert (cache.call(squares_of, 1) == np.arange(200.0) ** 2).all() and len(calls) == 1
    assert len(cache.call(squares_of, 2)) == 200 and len(files(tmp_path)) == 1


@pytest.mark.parametrize("hours", [-48, 48])
def test_a_clock_that_jumps_loses_nothing(hours, tmp_path, monkeypatch):
    now, store = time.time, Store(max_age_s=60.0, files=ResultFiles(tmp_path))
    Cache(store).call(squares_of, 1)
    (tmp_path / "a.part").write_bytes(b"half")  # another process writes it at this moment
    monkeypatch.setattr(time, "time", lambda: now() + 3600 * hours)
    Cache(store).call(squares_of, 2)
    assert len(store) == 2 and len(files(tmp_path)) == 2
    assert process(tmp_path).peek(squares_of, 1) is not None
    assert process(tmp_path).peek(squares_of, 2) is not None


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from tests.test_result_files import process, squares_of
def half(file, **arrays):
    file.write(b"PK")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
process(Path(sys.argv[1])).call(squares_of, 1)
np.savez = half
process(Path(sys.argv[1])).call(squares_of, 2)
"""


@pytest.mark.slow
def test_what_a_killed_process_has_half_written_is_no_result(tmp_path):
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode == -signal.SIGKILL
    assert [path.read_bytes() for path in tmp_path.glob("*.part")] == [b"PK"]
    cache = process(tmp_path)
    assert cache.peek(squares_of, 1) is not None and cache.peek(squares_of, 2) is None
    cache.call(squares_of, 2)
    assert process(tmp_path).peek(squares_of, 2) is not None


# --- the limit --------------------------------------------------------------------------------------------------------


def test_the_longest_unused_goes_where_bytes_are_short(tmp_path):
    limit = 60_000
    cache = process(tmp_path, max_bytes=limit)
    for number in range(30):
        cache.call(squares_of, number)
        if number >= 1:  # the first is used again and again
            process(tmp_path, max_bytes=limit).peek(squares_of, 0)
        assert sum(path.stat().st_size for path in files(tmp_path)) <= limit
        for path in files(tmp_path):  # the clock of the file system may be too coarse for a test
            os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 1_000_000_000))
    late = process(tmp_path, max_bytes=limit)
    assert [late.peek(squares_of, number) is not None for number in (0, 1, 29)] == [True, False, True]


def test_a_result_too_large_for_the_limit_is_not_written(tmp_path):
    process(tmp_path, max_bytes=4 * 1600).call(squares_of, 1)
    assert not files(tmp_path)


def test_what_a_killed_process_has_left_goes(tmp_path):
    old, new = tmp_path / "a.part", tmp_path / "b.part"
    for path, age in ((old, 7200), (new, 0)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    process(tmp_path).call(squares_of, 1)
    assert not old.exists() and new.exists()


@pytest.mark.parametrize(("asked", "expected"), [("0", None), ("7", 7_000_000), ("", 500_000_000), ("x", 500_000_000)])
def test_the_limit_comes_from_the_environment(asked, expected, monkeypatch):
    monkeypatch.setenv("RFVIZ_DISK_MB", asked)
    found = result_files()
    assert (None if found is None else found.max_bytes) == expected


# --- several processes ------------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from rfviz.cache import Cache, Store
from rfviz.result_files import ResultFiles
from tests.test_result_files import squares_of
for turn in range(4):
    cache = Cache(Store(files=ResultFiles(Path(sys.argv[1]), max_bytes=200_000)))
    for number in range(40):
        assert cache.call(squares_of, number)[199] == 199**2
"""


@pytest.mark.slow
def test_processes_that_write_at_once_do_no_harm(tmp_path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)]) for _ in range(2)]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert not list(tmp_path.glob("*.part"))
    cache = process(tmp_path)
    found = [number for number in range(40) if cache.peek(squares_of, number) is not None]
    assert len(found) == len(files(tmp_path)) > 0
