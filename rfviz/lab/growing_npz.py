"""An NPZ file of arrays that grow by rows: how many there will be, only the end tells."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

__all__ = ["GrowingNpz"]

_PIECE = 1 << 22


class GrowingNpz(ExitStack):
    """Arrays whose rows wait in temporary files until all have come; a context that removes these files.

    Parameters
    ----------
    folder : Path, optional
        Where the temporary files lie, which have no name there; by default rows wait in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._arrays: dict[str, tuple[Any, np.dtype[Any], tuple[int, ...]]] = {}

    def append(self, name: str, rows: np.ndarray) -> None:
        """Append rows to an array."""
        if name not in self._arrays:
            if self._folder is None:
                stream = io.BytesIO()
            else:
                stream = self.enter_context(tempfile.TemporaryFile(dir=self._folder))  # noqa: SIM115 - it is
            self._arrays[name] = stream, rows.dtype, (0, *rows.shape[1:])
        stream, dtype, (n, *shape) = self._arrays[name]
        stream.write(rows.astype(dtype, copy=False).tobytes())
        self._arrays[name] = stream, dtype, (n + len(rows), *shape)

    def length(self, name: str) -> int:
        """Return the number of rows of an array."""
        return self._arrays[name][2][0] if name in self._arrays else 0

    def leave_out(self, name: str) -> None:
        """Drop an array."""
        del self._arrays[name]

    def save(self, target: BinaryIO) -> None:
        """Write a file that :func:`numpy.load` opens, in which the arrays stand in the order of their first rows."""
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for name, (stream, dtype, shape) in self._arrays.items():
                stream.seek(0)
                header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
                # A member without the time of day: the same arrays are the same file.
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array_header_2_0(member, header)
                    shutil.copyfileobj(stream, member, _PIECE)
