"""CUDA kernels that are faster than array operations, each defined together with the operations that it replaces.

A kernel makes one pass over memory where NumPy's vocabulary needs several. None is trusted blindly: see
:mod:`rfviz.cuda.kernel`.
"""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.cuda.epilogues import (
        COSINE,
        COSINE_SINE,
        GROUP_MAX,
        MEAN_OF_POSITIVE,
        POOL_MAX,
        RELU,
        SIGMOID,
        sigmoid_code,
    )
    from rfviz.cuda.gathers import BIN_CODES, BIN_COLUMNS, COSINE_SUMS, SAMPLES, STUMPS
    from rfviz.cuda.kernel import Kernel, KernelFallbackWarning, kernels_in_use, plain_kernels
    from rfviz.cuda.steps import ADAGRAD, SOFTMAX_LOSS

__all__ = [
    "ADAGRAD", "BIN_CODES", "BIN_COLUMNS", "COSINE", "COSINE_SINE", "COSINE_SUMS", "GROUP_MAX", "MEAN_OF_POSITIVE",
    "POOL_MAX", "RELU", "SAMPLES", "SIGMOID", "SOFTMAX_LOSS", "STUMPS", "Kernel", "KernelFallbackWarning",
    "kernels_in_use", "plain_kernels", "sigmoid_code",
]  # fmt: skip

import_when_asked(__name__)
