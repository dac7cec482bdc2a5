"""Feature maps with sparse output: CSR matrices instead of arrays, of more columns than there are components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._set_output import _get_output_config  # pyright: ignore[reportPrivateUsage] - it has no public name

from rfviz.backend import Device, check_memory, get_device, memory_budget, to_host
from rfviz.errors import DataError
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import fits_on_gpu

__all__ = ["SparseFeatureMap"]


class SparseFeatureMap(FeatureMap):
    """Base of feature maps with CSR output, of at most one entry a row and component.

    Hooks in addition to those of :class:`FeatureMap`, ``_map_block`` apart:

    ``columns(n_components)``
        Columns that the first components take; those of fewer components come first.
    ``_blocks(X, block_rows, scale, device)``
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
        container = str(_get_output_config("transform", self)["dense"])
        if container != "default":
            raise DataError(
                f"{container.capitalize()} output does not support sparse data, which {type(self).__name__} gives. "
                "Use set_output(transform='default')."
            )
        self._check_result(X.shape[0], np.dtype(self.dtype).itemsize + 8, "A sparse feature matrix")
        parts = on_device_or_host(self.device, lambda d: map(to_host, self._blocks(X, None, self._scale(), d)))
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def _check_result(self, n_samples: int, n_bytes: int, what: str) -> None:
        """Refuse `n_bytes` for each row and component, if there is not room for them."""
        fits = int(memory_budget("cpu") / (n_bytes * n_samples))
        remedy = f"The largest n_components that fits is about {fits}; or use transform_blocks."
        needed = n_bytes * n_samples * self.n_components
        check_memory(needed, "cpu", f"{what} of {n_samples} × {self.n_components}", remedy)

    def _blocks(self, X: Any, block_rows: int | None, scale: Any, device: Device, out: Any = None) -> Iterator[Any]:
        raise TypeError(f"{type(self).__name__} does not say how it maps")


def on_device_or_host(name: str | Device, compute: Callable[[Device], Iterator[Any]]) -> list[Any]:
    """Collect all of what ``compute(device)`` yields; on the host where the device runs out of memory."""
    device, found = get_device(name), []
    if device.is_gpu and fits_on_gpu(lambda: found.append(list(compute(device))), device):
        return found[0]
    return list(compute(get_device("cpu")))
