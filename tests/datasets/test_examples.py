"""The examples in docstrings give what they say."""

import doctest
import importlib
import pkgutil

import pytest

from rfviz import datasets

MODULES = [name for _, name, _ in pkgutil.walk_packages(datasets.__path__, "rfviz.datasets.")]


@pytest.mark.parametrize("name", ["rfviz.datasets", *MODULES])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    modules = map(importlib.import_module, ["rfviz.datasets", "rfviz.datasets.files", "rfviz.datasets.files.upload"])
    assert all(doctest.testmod(module).attempted for module in modules)
