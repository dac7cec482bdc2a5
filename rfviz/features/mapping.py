"""Rows to features: the part of :meth:`transform` that all maps share, in bounded memory, on the CPU or a GPU."""

from __future__ import annotations

import weakref
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from rfviz.backend import Device, check_memory, get_device, memory_budget, over_rows, to_host, worker_count
from rfviz.errors import DataError
from rfviz.features.blocks import BLOCK_ROWS, Scratch, fits_on_gpu, gpu_blocks, host_blocks, on_device
from rfviz.features.cost import note
from rfviz.features.precision import check_range
from rfviz.kernels._inputs import as_rows
from rfviz.params import Param

__all__ = ["BlockTransformer"]


# Outside of the maps: a copy of a map, or one that is stored, has nothing on a device.
_resident: weakref.WeakKeyDictionary[Any, dict[str, dict[str, Any]]] = weakref.WeakKeyDictionary()


class _Weights(dict[str, Any]):
    """The weights of a map, which says what to do where it lacks one that its author's code reads."""

    def __init__(self, owner: str, weights: dict[str, Any]) -> None:
        super().__init__(weights)
        self._owner = owner

    def __missing__(self, name: str) -> Any:
        raise TypeError(
            f"{self._owner}._map_block reads weights[{name!r}], which is not among its weights. List every fitted "
            f"attribute that it reads in the class attribute _weights, as _weights = ({name!r},), and set it in _draw."
        )


class BlockTransformer(TransformerMixin):
    """The mapping half of :class:`rfviz.features.FeatureMap`, where the hooks that it calls are described."""

    n_components: int
    random_state: Any
    device: str | Device
    dtype: str
    #: Columns of the data that the map was fitted on.
    n_features_in_: int
    _weights: ClassVar[tuple[str, ...]] = ()
    # Weights of shape (…, columns of the data) that rows of data are multiplied with, and used for nothing else: on a
    # GPU both may get columns of zeros.
    _projections: ClassVar[tuple[str, ...]] = ()
    unit_scale: ClassVar[float] = 1.0
    #: Whether blocks and results are CSR matrices, of :meth:`columns` columns rather than `n_components`.
    sparse_output: ClassVar[bool] = False

    def columns(self, n_components: int) -> int:
        """Return the columns that the first `n_components` features take: as many, but for sparse output."""
        return n_components

    @property
    def _n_features_out(self) -> int:
        # scikit-learn asks whether there is this attribute to tell whether the map is fitted.
        if not hasattr(self, "n_features_in_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet. Call fit first.")
        self._check_fitted()
        return self.columns(self.n_components)

    def transform(self, X: Any) -> np.ndarray:
        """Map `X` to its random features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            On the host, of dtype `dtype`; a DataFrame after ``set_output(transform="pandas")``.

        Raises
        ------
        MemoryBudgetError
            Where the result would not fit in memory; :meth:`transform_blocks` has no such limit.
        DataError
            For values so large that features would overflow.
        ParameterError
            If a parameter has been changed since the map was fitted.
        """
        X = self._check_input(X)
        column, budget = X.shape[0] * np.dtype(self.dtype).itemsize, memory_budget("cpu")
        if column * self.n_components > budget:
            what = f"A feature matrix of {X.shape[0]} × {self.n_components}"
            remedy = f"The largest n_components that fits is about {budget // column}; or use transform_blocks."
            check_memory(column * self.n_components, "cpu", what, remedy)
        out = np.empty((X.shape[0], self.n_components), dtype=self.dtype)
        device = get_device(self.device)
        if device.is_gpu and fits_on_gpu(lambda: self._fill_from_gpu(X, out, device), device):
            return out
        for _ in self._blocks(X, None, self._scale(), get_device("cpu"), out):
            pass
        return out

    def transform_blocks(self, X: Any, block_rows: int | None = None, scaled: bool = True) -> Iterator[Any]:
        """Map `X` block by block of rows; what large computations use.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        block_rows : int, optional
            Rows of a block; by default as many as run at full speed, within 32 MB.
        scaled : bool
            Whether to apply the factor that makes inner products estimate the kernel. Unscaled features are nested:
            the first columns do not depend on `n_components`.

        Yields
        ------
        ndarray or cupy.ndarray of shape (rows, n_components)
            Consecutive rows, left on the device that computed them. The caller may store or change a block. From
            a map with `sparse_output`, CSR matrices of shape (rows, ``columns(n_components)``), SciPy's or CuPy's.
        """
        # Blocks of a table have no names; only those of a table that has some are compared.
        X = self._check_input(X, names=hasattr(X, "columns"))
        if block_rows is not None:
            block_rows = Param("block_rows", BLOCK_ROWS, "int", low=1).validate(block_rows)
        return self._blocks(X, block_rows, self._scale() if scaled else self.unit_scale, get_device(self.device))

    @contextmanager
    def resident(self) -> Generator[None, None, None]:
        """Hold the weights on the map's GPU until the context ends: for many short calls. Does nothing on the CPU.

        Raises
        ------
        cupy.cuda.memory.OutOfMemoryError
            Where they do not fit.
        """
        self._check_fitted()
        device = get_device(self.device)
        held = _resident.setdefault(self, {})
        if not device.is_gpu or device.name in held:
            yield
            return
        held[device.name] = on_device(self._block_weights(device), device, self._projections)
        try:
            yield
        finally:
            held.pop(device.name, None)  # another thread that held them may have come first

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def _check_input(self, X: Any, names: bool = True) -> Any:
        """Return rows that may be mapped; `names` tells whether those of columns are compared with those of `fit`."""
        self._check_fitted()
        if names:
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        else:
            check: Any = check_array
            X = check(X, accept_sparse="csr", dtype=[np.float64, np.float32], estimator=self, input_name="X")
            self._check_width(X, "X")
        self._check_range(X)
        note(self, X.shape)
        return X

    def _rows(self, X: Any, name: str = "X") -> np.ndarray:
        """Return rows for a closed form: a finite matrix of doubles, with the columns that the map was fitted on.

        Raises
        ------
        DataError, ParameterError
        """
        X = to_host(as_rows(X, name))
        if hasattr(self, "n_features_in_"):
            self._check_fitted()
            self._check_width(X, name)
        return X

    def _check_width(self, X: Any, name: str) -> None:
        expected, here = self.n_features_in_, type(self).__name__
        if X.shape[1] != expected:  # in scikit-learn's words
            raise DataError(f"{name} has {X.shape[1]} features, but {here} is expecting {expected} features as input.")

    def _check_range(self, X: Any) -> None:
        check_range(X, self.dtype)

    def _block_weights(self, device: Device) -> dict[str, Any]:  # what `_map_block` reads, still on the host
        held = {name: getattr(self, name) for name in self._weights if hasattr(self, name)}
        return _Weights(type(self).__name__, held)

    def _scale(self) -> Any:
        return self.unit_scale / np.sqrt(self.n_components)

    def _blocks(self, X: Any, block_rows: int | None, scale: Any, device: Device, out: Any = None) -> Iterator[Any]:
        """Yield blocks of features on `device`, in the rows of `out` (host only) or fresh arrays."""
        weights = _resident.get(self, {}).get(device.name) or self._block_weights(device)
        if device.is_gpu:
            return gpu_blocks(
                self._map_block,
                X,
                weights,
                scale,
                self.n_components,
                self.dtype,
                block_rows,
                device,
                projections=self._projections,
            )
        cost = self._work(*X.shape)
        return host_blocks(self._map_block, X, weights, scale, self.n_components, self.dtype, block_rows, cost, out)

    def _fill_from_gpu(self, X: Any, out: np.ndarray, device: Device) -> None:
        start, page = 0, max(4096 // out.dtype.itemsize, 1)
        with ThreadPoolExecutor(worker_count()) as executor:
            for block in self._blocks(X, None, self._scale(), device):
                here = out[start : start + block.shape[0]]
                # Memory that was never written to takes five times as long to fill: the system finds it a page at a
                # time. Several threads do that while the GPU computes.
                over_rows(
                    executor, lambda rows, here=here: here[rows].reshape(-1)[::page].fill(0), len(here), here.nbytes
                )
                block.get(out=here)  # without another copy on the way
                start += block.shape[0]

    def _work(self, n_samples: int, n_features: int) -> int:
        """Return the time that mapping takes, in multiply-adds."""
        raise TypeError(f"{type(self).__name__} does not say how long it takes")

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it maps")
