"""Parts of work that a worker of a cluster imports, so that it imports little else."""

import os
import threading
import time

import numpy as np

from rfviz.errors import MemoryBudgetError, ParameterError, warn


def squared(label, number, *, cache):
    if (label, number) == ("b", 2):
        raise ParameterError("number", "must not be 2", 2)
    warn(f"{label} was squared.", UserWarning)
    return number**2


def slowly(label, number, *, cache):
    time.sleep(0.4)
    return np.array([os.getpid()])


def thread(label, number, *, cache):
    return threading.current_thread().name


HAS_MEMORY = False


def once_there_is_memory(number, *, cache):
    if not HAS_MEMORY:
        raise MemoryBudgetError("Too much.")
    return number
