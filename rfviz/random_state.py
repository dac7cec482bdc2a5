"""Random states, as scikit-learn and NumPy call what a draw begins with."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from rfviz.errors import ParameterError

__all__ = ["random_rows", "seed_from"]


def seed_from(random_state: Any) -> int:
    """Return an integer seed from what scikit-learn calls a random state.

    Parameters
    ----------
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        An integer is taken as it is; None draws fresh entropy; a generator is advanced by one draw.

    Raises
    ------
    ParameterError
        For anything else, or a negative integer.
    """
    if random_state is None:
        return int(cast(int, np.random.SeedSequence().entropy))  # fresh from the operating system
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int64).max))
    raise ParameterError(
        "random_state", "must be None, an integer of at least 0, a RandomState or a Generator", random_state, "Try 0."
    )


def random_rows(random_state: Any) -> np.random.RandomState:
    """Return the generator that orders or draws rows, from what :func:`seed_from` takes."""
    if isinstance(random_state, np.random.RandomState):
        return random_state
    return np.random.RandomState(seed_from(random_state) % 2**32)
