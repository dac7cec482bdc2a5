"""Data sets of scikit-learn, whose functions return a :class:`~sklearn.utils.Bunch`, or a tuple where asked to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["bunch_of"]


def bunch_of(function: Callable[..., Any], *args: Any, **options: Any) -> Bunch:
    """Return what a function of :mod:`sklearn.datasets` loads or fetches under options that ask for no tuple."""
    return function(*args, **options)
