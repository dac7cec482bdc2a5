"""Scripts name every setting, and import what they name."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab import script
from rfviz.lab.preset import Preset


@pytest.mark.parametrize(("name", "given"), [("circle", {"n_samples": 30, "evenly_spaced": True}), ("digits", {})])
def test_the_line_that_loads_data_loads_these(name, given):
    values = {f"data.{key}": value for key, value in given.items()}
    data = Preset({"data": name, **values}).data("sphere")
    names = {"datasets": datasets}
    exec(script.load_data(data), names)
    assert np.array_equal(names["dataset"].X, data.dataset.X)
    assert all(f"{key}={value!r}" in script.load_data(data) for key, value in data.values)


def test_what_is_named_is_imported_from_where_it_is_public():
    text = script.write("A title.", "print(MapSpec, np, datasets)", [MapSpec, np, datasets, RandomMaxout])
    names = {}
    exec(text, names)
    assert names["MapSpec"] is MapSpec and names["np"] is np
    assert "from rfviz.features import MapSpec, RandomMaxout" in text
