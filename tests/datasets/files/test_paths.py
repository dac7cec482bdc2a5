"""Paths that are not files: pipes, devices and addresses are refused at once."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from rfviz.datasets.files import read_file
from rfviz.datasets.files.meta import Meta, read_meta
from rfviz.datasets.rows import open_rows
from rfviz.errors import DataError

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes among its files")


@on_posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match=r"pipe\.csv is not a file but a pipe or a device\. Save what it gives"):
        read_file(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="pipe or a device"):
        read_file("/dev/zero")


@on_posix
def test_a_pipe_beside_data_is_passed_over(tmp_path):
    np.save(tmp_path / "X.npy", np.arange(6.0).reshape(3, 2))
    os.mkfifo(tmp_path / "y.npy")
    assert open_rows(tmp_path).columns == ("column 1", "column 2")
    os.mkfifo(tmp_path / "data.meta.json")
    assert read_meta(tmp_path / "data.csv") == Meta()
    (tmp_path / "table.meta.json").write_text(json.dumps({"licence": "MIT"}))
    assert read_meta(tmp_path / "table.csv").licence == "MIT"


@pytest.mark.parametrize("address", ["https://example.com/a/b.csv", "s3://bucket/b.csv"])
def test_an_address_is_told_to_be_one(address):
    for given in (address, Path(address)):
        with pytest.raises(DataError, match=f"^{address} is an address, .* Download it"):
            read_file(given)


def test_a_file_address_is_a_path_with_too_much(tmp_path):
    with pytest.raises(DataError, match="Give the path alone"):
        read_file(f"file://{tmp_path}/a.csv")
