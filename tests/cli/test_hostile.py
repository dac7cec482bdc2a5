"""Whatever the command is given, it ends with a status and with one line for each thing that it says."""

import io
import random
import zipfile
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rfviz import cli, datasets
from rfviz.cli import app
from rfviz.errors import DataError
from rfviz.lab import page
from rfviz.lab.index import PAGES
from tests.app_pages import OFFLINE

SLUGS = [found.slug for found in PAGES]
# Arguments of a command hold no NUL; bytes that are not UTF-8 arrive as halves of surrogate pairs.
TEXTS = st.text(st.characters(exclude_characters="\0"), max_size=12)
ODD = [
    *("", " ", "-", "--", "-1", "0", "9" * 400, "1e999", "nan", "٣", "true", "[]", "{}", ",", "a" * 5000, "\udcff.csv"),
    *(
        "~",
        "~nobody-of-this-name/x",
        "/",
        "/dev/null",
        "/dev/null/x",
        "..",
        "a/../..",
        "%00",
        "*",
        "$HOME",
        "two\nlines",
    ),
    *(
        "\x1b[31mred",
        "<script>",
        "http://",
        "http://[",
        "http://localhost/",
        "file:///etc/passwd",
        "own:x",
        "folder:../x",
    ),
]
WORDS = st.sampled_from(ODD) | TEXTS
NAMES = ["data", "map", "maps", "n_components", "pool_size", "seed", "m_max", "alpha", "zoom", "data.n_samples", "open"]
VALUES = st.sampled_from([*OFFLINE[:4], "RandomMaxout", "RandomFourier,", "1,2", *ODD]) | TEXTS
ADDRESSES = st.builds(
    lambda start, slug, pairs: start + slug + "?" + "&".join(f"{name}={value}" for name, value in pairs),
    st.sampled_from(["", "http://localhost/"]),
    st.sampled_from(SLUGS),
    st.lists(st.tuples(st.sampled_from(NAMES) | TEXTS, VALUES), max_size=4),
)
OPTIONS = [
    "--out",
    "--figure",
    "--data",
    "--table",
    "--label",
    "--order",
    "--leave-out",
    "--compare",
    "--only",
    "--rows",
]
FLAGS = ["--no-label", "--features", "--json", "--quiet", "--fail-on=look", "--xml"]


def some(options, flags, values=WORDS):
    """Give some options with values, and some flags."""
    pairs = st.lists(st.tuples(st.sampled_from(options), values), max_size=3)
    flat = pairs.map(lambda found: [part for pair in found for part in pair])
    return st.builds(lambda one, other: one + other, flat, st.lists(st.sampled_from(flags), max_size=2))


COMMANDS = st.one_of(
    st.builds(lambda preset, more: ["run", preset, *more], ADDRESSES | WORDS, some(OPTIONS, FLAGS)),
    st.builds(lambda path, more: ["profile", path, *more], WORDS, some(["-o", "--table"], ["--quiet"])),
    st.builds(lambda name, more: ["site", "--page", name, *more], WORDS, some(["--out", "--page"], ["--quiet"])),
    st.builds(lambda more: ["app", *more], some(["--port", "--data", "--device"], ["--xml"])),
    st.builds(
        lambda name, more: [name, *more], st.sampled_from(["device", "maps", "schemes"]), some(["--json"], ["-"])
    ),
    st.lists(WORDS, min_size=1, max_size=3),
)


def told(arguments):
    """Run the command; return its status and what it says on stderr."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = cli.main(arguments)
        except SystemExit as end:  # how argparse ends
            status = end.code
    said = err.getvalue()
    assert status in (0, 2), (arguments, status)
    assert all(line.startswith("rfviz") for line in said.splitlines()), (arguments, said)
    assert status == 0 or said.endswith("\n"), arguments
    return status, said


def refuse(*_, **__):
    raise DataError("It would be computed now")


@pytest.fixture
def nothing_computed(monkeypatch, tmp_path):
    """Check all up to the computation, in an empty folder."""
    monkeypatch.setattr(page, "compute", refuse)
    monkeypatch.setattr(app, "_serve", lambda *_: 0)
    monkeypatch.chdir(tmp_path)
    yield
    datasets.set_folder(None)


@settings(
    max_examples=120, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(arguments=COMMANDS)
def test_any_arguments_end_with_a_status_and_a_sentence(arguments, nothing_computed):
    told(arguments)


def good_files():
    """Return small files of the formats that the command takes."""
    numbers = np.random.default_rng(0).normal(size=(120, 3))
    table = pd.DataFrame(numbers, columns=list("abc")).assign(kind=np.where(numbers[:, 0] > 0, "yes", "no"))
    arrays, parquet, pictures = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(arrays, X=numbers, y=(numbers[:, 0] > 0).astype(int))
    table.to_parquet(parquet)
    with zipfile.ZipFile(pictures, "w") as archive:
        archive.writestr("a/1.png", b"\x89PNG\r\n\x1a\n" + bytes(40))
    found = {"table.csv": table.to_csv(index=False).encode(), "table.json": table.to_json(orient="records").encode()}
    return found | {"x.npz": arrays.getvalue(), "x.parquet": parquet.getvalue(), "x.zip": pictures.getvalue()}


def damaged(chance, content):
    """Return bytes with a few faults."""
    found = bytearray(content)
    for _ in range(chance.choice((1, 3, 12))):
        place = chance.randrange(len(found) + 1)
        match chance.randrange(4):
            case 0:
                found[place : place + 1] = chance.randbytes(1)
            case 1:
                del found[place : place + chance.choice((1, 40))]
            case 2:
                found[place:place] = chance.choice((b"\0", b"\xff\xfe", b'"', b"\n", b"1e999,", b"{[")) * 3
            case _:
                found[place:place] = found[place : place + 60]
    return bytes(found)


def test_damaged_files_are_read_or_refused_in_a_sentence(nothing_computed, tmp_path):
    statuses = []
    for number in range(12):
        chance = random.Random(number)
        for name, content in good_files().items():
            path = tmp_path / name
            path.write_bytes(damaged(chance, content))
            statuses.append(told(["profile", str(path), "-o", str(tmp_path / "out.npz"), "--quiet"])[0])
            told(["run", "quick-inspection", "--data", str(path), "--json"])
            told(["run", str(path)])
    assert {*statuses} == {0, 2}, "some faults do no harm, and others do"


def test_damaged_profiles_are_refused_in_a_sentence(nothing_computed, tmp_path):
    table, profile = tmp_path / "table.csv", tmp_path / "profile.npz"
    table.write_bytes(good_files()["table.csv"])
    assert told(["profile", str(table), "-o", str(profile), "--quiet"]) == (0, "")
    good = profile.read_bytes()
    for number in range(20):
        profile.write_bytes(damaged(random.Random(number), good))
        told(["run", "quick-inspection", "--data", str(table), "--compare", str(profile), "--json"])
