"""``rfviz site``: the laboratory as a folder of web pages that opens without a server."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from rfviz.cli.progress_bar import ProgressBar
from rfviz.errors import DataError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz site``."""
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="where it goes: a new or empty folder, or one with an older site"
    )
    parser.add_argument(
        "--page",
        metavar="PAGE",
        action="append",
        default=[],
        help="only this page, by its name in the address; may be repeated",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")
    parser.set_defaults(command=run)


def run(given: argparse.Namespace) -> int:
    """Write the site; see :func:`rfviz.cli.main` for errors."""
    try:
        from rfviz.site import write_site
    except ModuleNotFoundError as error:
        if (error.name or "rfviz").startswith("rfviz"):
            raise
        raise DataError(f"The package {error.name} is missing. pip install 'rfviz[site]' brings it.") from None
    bar = ProgressBar(None if given.quiet else sys.stderr)
    began = time.process_time()
    built = write_site(Path(os.path.expanduser(given.out)), given.page, bar)
    bar.end()
    for text in built.left_out:
        print(f"rfviz site: {text}", file=sys.stderr)
    if not given.quiet:
        size, seconds = built.n_bytes / 1e6, time.process_time() - began
        print(f"{built.folder / 'index.html'}: {len(built.files)} files, {size:.1f} MB, {seconds:.0f} CPU seconds")
    return 0
