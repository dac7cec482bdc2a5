"""``rfviz profile``: what a comparison needs of a table, as a small file without its rows."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rfviz.cli.progress_bar import ProgressBar
from rfviz.errors import DataError

__all__ = ["add_arguments", "profile"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz profile``."""
    parser.add_argument("data", metavar="PATH", help="a table, as rfviz run --data takes it")
    parser.add_argument("-o", "--out", metavar="FILE", required=True, help="where the profile goes: reference.npz")
    parser.add_argument(
        "--table", metavar="NAME", default="", help="the table of a database, or the sheet of a workbook"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")
    parser.set_defaults(command=profile)


def profile(given: argparse.Namespace) -> int:
    """Write the profile of a table; see :func:`rfviz.cli.main` for errors."""
    from rfviz.datasets.files.upload import read_file
    from rfviz.inspection.profile import profile_table

    out = Path(os.path.expanduser(given.out))
    if out.suffix.lower() != ".npz":
        raise DataError(f"A profile is an NPZ file, and {out.name} has another name. Give one that ends in .npz")
    bar = ProgressBar(None if given.quiet else sys.stderr)
    upload = read_file(Path(os.path.expanduser(given.data)), given.table, bar)
    made = profile_table(upload.table, upload.name, progress=bar)
    bar.end()
    try:
        made.save(out)
    except OSError as error:
        raise DataError(f"{out} cannot be written ({error.strerror}). Give a file in a folder that exists") from None
    if not given.quiet:
        print(
            f"{out}: {len(made.names):,} columns of {upload.name} ({made.n_rows:,} rows) in "
            f"{out.stat().st_size / 1000:.1f} kB: names of columns, frequent words, 63 quantiles of each column, and "
            f"means of blocks; no row. Compare: rfviz run quick-inspection --data FILE --compare {out}"
        )
    return 0
