"""Random feature maps, their exact kernels, and the pictures that compare them.

>>> import rfviz
>>> rfviz.features.RandomMaxout(n_components=100)
RandomMaxout(n_components=100)

The parts are loaded when they are first used: to import the package costs nothing, and never loads CuPy, Streamlit or
Plotly. Figures and the laboratory are not among them; ``import rfviz.figures`` does that.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from rfviz._version import __version__

if TYPE_CHECKING:
    from rfviz import (
        analysis,
        backend,
        bounds,
        datasets,
        errors,
        features,
        kernels,
        linear_model,
        params,
        skeleton,
    )

__all__ = [
    "__version__",
    "analysis",
    "backend",
    "bounds",
    "datasets",
    "errors",
    "features",
    "kernels",
    "linear_model",
    "params",
    "skeleton",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"rfviz.{name}")
    raise AttributeError(f"module 'rfviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
