"""Scripts that do what a page did: plain calls of the library, with the settings written out."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from rfviz import datasets
from rfviz._version import __version__
from rfviz.datasets.base import is_own
from rfviz.experiments.base import Experiment
from rfviz.experiments.data import NO_DATA, Data
from rfviz.experiments.source import classes_in, source

__all__ = ["load_data", "notebook", "notebook_of", "of_experiment", "write"]

# Conventional names.
_SHORT = {"numpy": "np", "pandas": "pd"}


def load_data(data: Data) -> str:
    """Return the lines that load a data set as ``dataset``."""
    values = dict(data.values)
    columns: Any = values.pop("without", ())
    rest = f"\nfrom rfviz.datasets.files import without\n\ndataset = without(dataset, {columns!r})" if columns else ""
    if is_own(data.name):
        return _own_data(values) + rest
    arguments = "".join(f", {name}={value!r}" for name, value in values.items())
    hint = "  # a file of the folder that RFVIZ_DATA names" if data.name.startswith("folder:") else ""
    return f"dataset = datasets.load({data.name!r}{arguments}){hint}{rest}"


def _own_data(values: Mapping[str, Any]) -> str:
    """Return lines that prepare a user's file, or a data set of OpenML, in the same way."""
    how = f"Preparation.from_json({values['preparation']!r})"
    plane = ""
    if "plane" in values:  # the page draws a plane, whatever the data
        plane = (
            "\nfrom dataclasses import replace\n\nfrom rfviz.analysis.plane import plane_of\n\n"
            f"points = plane_of(dataset.X[:{values['plane']}]).project(dataset.X).astype('float32')\n"
            "dataset = replace(dataset, X=points, image_shape=None, feature_names=(), standardised=False)"
        )
    if "openml" in values:
        taken = f"openml.fetch(openml.find({str(values['openml'])!r})[0])"
        imports = "from rfviz.datasets.downloads import openml\nfrom rfviz.datasets.files import Preparation\n\n"
        return f"{imports}dataset = {taken}.prepare(\n    {how}\n){plane}"
    table = f", table={values['table']!r}" if "table" in values else ""
    other, imported = "", "Preparation, read_file"
    if "compare" in values:
        other = f"\ndataset = compare_with(dataset, read_file({values['compare']!r}))"
        imported = "Preparation, compare_with, read_file"
    if "profile" in values:
        other = f"\ndataset = compare_with(dataset, read_profile({values['profile']!r}))"
        imported = "Preparation, compare_with, read_file"
        imported += "\nfrom rfviz.analysis.profiles import read_profile"
    return (
        f"from rfviz.datasets.files import {imported}\n\n"
        f"file = {values['file']!r}  # your own, next to this script\n"
        f"dataset = read_file(file{table}).prepare(\n    {how}\n){other}{plane}"
    )


def of_experiment(data: Data, experiment: Experiment[Any]) -> str:
    """Return the script that runs an experiment, prints the numbers of its charts and shows them."""
    load, given = ("", "") if data is NO_DATA else (load_data(data) + "\n", "dataset")
    body = f"""
{load}experiment = {source(experiment)}
result = experiment.run({given})

print(result.summary())
frames = {{name: result.to_frame(name) for name in result.charts}}
for name, frame in frames.items():
    print(name, frame.to_string(max_rows=60), sep="\\n")
    result.figure(name).show()
"""
    return write(experiment.question, body, [*([datasets] if load else []), *classes_in(experiment)])


def write(title: str, body: str, uses: Iterable[Any]) -> str:
    """Return a whole script.

    Parameters
    ----------
    title : str
        Its first line.
    body : str
        The statements.
    uses : iterable of module, class or function
        What the statements name: imported from where it is defined, so that a script cannot name anything missing.
    """
    modules, names = set(), defaultdict(set)
    for used in uses:
        if isinstance(used, ModuleType):
            modules.add(used.__name__)
        else:
            names[_public_module(used)].add(used.__name__)
    lines = [_import_module(name) for name in sorted(modules)]
    lines += [f"from {module} import {', '.join(sorted(found))}" for module, found in sorted(names.items())]
    return f'"""{title}\n\nMade with rfviz {__version__}.\n"""\n\n' + "\n".join(lines) + "\n\n" + body.strip() + "\n"


def _public_module(used: Any) -> str:
    """Return the outermost package that exports a class or function, else the module that defines it."""
    parts = used.__module__.split(".")
    packages = [".".join(parts[:end]) for end in range(2, len(parts))]
    exporting = (name for name in packages if used.__name__ in getattr(sys.modules.get(name), "__all__", ()))
    return next(exporting, used.__module__)


def _import_module(name: str) -> str:
    if name in _SHORT:
        return f"import {name} as {_SHORT[name]}"
    parent, _, last = name.rpartition(".")
    return f"from {parent} import {last}" if parent else f"import {name}"


def notebook(script: str) -> str:
    """Return a script as a Jupyter notebook (format 4.5): its title as text, then a cell for each block of lines.

    Returns
    -------
    str
        JSON.
    """
    _, title, code = script.split('"""', 2)
    blocks = [block.strip("\n") for block in code.strip().split("\n\n") if block.strip()]
    return notebook_of([("markdown", title.strip()), *(("code", block) for block in blocks)])


def notebook_of(sources: Sequence[tuple[str, str]]) -> str:
    """Return a Jupyter notebook (format 4.5) without outputs.

    Parameters
    ----------
    sources : sequence of (str, str)
        ``"markdown"`` or ``"code"``, and the text of each cell.

    Returns
    -------
    str
        JSON.
    """
    cells: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(sources):
        # The first cell is the title; the others are counted from it.
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number - 1}" if number else "title", "metadata": {}}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}) | {"source": text})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return (
        json.dumps(
            {
                "cells": cells,
                "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
                "nbformat": 4,
                "nbformat_minor": 5,
            },
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )
