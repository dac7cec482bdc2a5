"""CUDA kernels that are faster than array operations, each defined together with the operations that it replaces.

A kernel makes one pass over memory where NumPy's vocabulary needs several. None is trusted blindly: see
:mod:`rfviz.cuda.kernel`.
"""

from rfviz.cuda.epilogues import COSINE, COSINE_SINE, GROUP_MAX, POOL_MAX, RELU, SIGMOID, sigmoid_code
from rfviz.cuda.gathers import BIN_CODES, BIN_COLUMNS, COSINE_SUMS, STUMPS
from rfviz.cuda.kernel import Kernel, KernelFallbackWarning, kernels_in_use, plain_kernels
from rfviz.cuda.tiles import cache_bytes, row_tiles, tile_shape

__all__ = [
    "BIN_CODES", "BIN_COLUMNS", "COSINE", "COSINE_SINE", "COSINE_SUMS", "GROUP_MAX", "POOL_MAX", "RELU", "SIGMOID",
    "STUMPS", "Kernel", "KernelFallbackWarning", "cache_bytes", "kernels_in_use", "plain_kernels", "row_tiles",
    "sigmoid_code", "tile_shape",
]  # fmt: skip
