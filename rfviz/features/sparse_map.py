"""Schemes whose features are mostly zero: CSR matrices instead of arrays, of more columns than there are components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._set_output import _get_output_config

from rfviz.backend import Device, check_memory, get_device, is_out_of_memory, memory_budget, to_host
from rfviz.errors import DataError, warn
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import BLOCK_ROWS, DeviceFallbackWarning
from rfviz.params import Param

__all__ = ["SparseFeatureMap"]


class SparseFeatureMap(FeatureMap):
    """Base of schemes with CSR output, of at most one entry a row and component.

    Hooks beside those of :class:`FeatureMap`, ``_map_block`` apart:

    ``columns(n_components)``
        Columns that the first components take; those of fewer components come first.
    ``_sparse_blocks(X, block_rows, scale, device)``
        CSR matrices of consecutive rows of `X`, on the device.
    """

    sparse_output: ClassVar[bool] = True

    def transform(self, X: Any) -> Any:
        """Map `X` to its random features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        CSR matrix of shape (n_samples, n_columns)
            On the host, of dtype `dtype`.

        Raises
        ------
        DataError
            After ``set_output(transform="pandas")``: tables are dense.
        MemoryBudgetError
            Where the result would not fit in memory; :meth:`transform_blocks` has no such limit.
        """
        X = self._check_input(X)
        container = _get_output_config("transform", self)["dense"]
        if container != "default":
            raise DataError(
                f"{container.capitalize()} output does not support sparse data, which {type(self).__name__} gives. "
                "Use set_output(transform='default')."
            )
        self._check_result(X.shape[0], np.dtype(self.dtype).itemsize + 8, "A sparse feature matrix")
        parts = on_device_or_host(self.device, lambda d: map(to_host, self._sparse_blocks(X, None, self._scale(), d)))
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def transform_blocks(self, X: Any, block_rows: int | None = None, scaled: bool = True) -> Iterator[Any]:
        """Map `X` block by block of rows; what large computations use.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        block_rows : int, optional
        scaled : bool
            Whether to apply the factor that makes inner products estimate the kernel. Unscaled features are nested: the
            first columns do not depend on `n_components`.

        Yields
        ------
        CSR matrix of shape (rows, n_columns)
            SciPy's, or on a GPU CuPy's.
        """
        X = self._check_input(X)
        if block_rows is not None:
            block_rows = Param("block_rows", BLOCK_ROWS, "int", low=1).validate(block_rows)
        scale = self._scale() if scaled else self._unit_scale
        return self._sparse_blocks(X, block_rows, scale, get_device(self.device))

    def _check_result(self, n_samples: int, n_bytes: int, what: str) -> None:
        """Refuse `n_bytes` for each row and component, if there is not room for them."""
        fits = int(memory_budget("cpu") / (n_bytes * n_samples))
        remedy = f"The largest n_components that fits is about {fits}; or use transform_blocks."
        needed = n_bytes * n_samples * self.n_components
        check_memory(needed, "cpu", f"{what} of {n_samples} × {self.n_components}", remedy)

    def _sparse_blocks(self, X: Any, block_rows: int | None, scale: float, device: Device) -> Iterator[Any]:
        raise TypeError(f"{type(self).__name__} does not say how it maps")


def on_device_or_host(name: str, compute: Callable[[Device], Iterator[Any]]) -> list:
    """All of what ``compute(device)`` yields; on the host where the device runs out of memory."""
    device = get_device(name)
    try:
        return list(compute(device))
    except Exception as error:
        if not (device.is_gpu and is_out_of_memory(error)):
            raise
    # Only here, where the error and the arrays in its traceback are gone, is there anything to give back.
    device.release()
    warn(f"Out of memory on {device.name}: computed on the CPU instead.", DeviceFallbackWarning)
    return list(compute(get_device("cpu")))
