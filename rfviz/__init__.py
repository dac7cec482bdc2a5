"""Random feature maps, their exact kernels, and the pictures that compare them.

>>> import rfviz
>>> rfviz.features.RandomMaxout(n_components=100)
RandomMaxout(n_components=100)

The parts are loaded when they are first used: to import the package costs nothing, and never loads CuPy, Streamlit or
Plotly. Figures and the laboratory are not among them; ``import rfviz.figures`` does that.
"""

import importlib

from rfviz._version import __version__

_PARTS = (
    "analysis", "backend", "bounds", "datasets", "errors", "features", "kernels", "linear_model", "params", "skeleton",
)  # fmt: skip

__all__ = ["__version__", *_PARTS]


def __getattr__(name):
    if name in _PARTS:
        return importlib.import_module(f"rfviz.{name}")
    raise AttributeError(f"module 'rfviz' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_PARTS})
