"""Experiments that learn say what needs labels, and where to name them, if the data have none."""

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.cli import main
from rfviz.errors import DataError
from rfviz.experiments import Accuracy, DecisionSurfaces, KernelGuarantees, KitchenSinks, LearningGuarantees
from rfviz.features import DecisionStumps, RandomFourier

ASKED = {
    "Accuracy needs": Accuracy(maps=[RandomFourier()]),
    "Kitchen sinks need": KitchenSinks(maps=[DecisionStumps()]),
    "Bounds on learning need": LearningGuarantees(feature_map=RandomFourier(100, paired=False)),
    "Decision surfaces need": DecisionSurfaces(feature_map=RandomFourier(10)),
}
TABLE = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3)), columns=["a", "b", "c"])


def refusal(asked, data):
    with pytest.raises(DataError) as caught:
        ASKED[asked].run(data)
    return str(caught.value)


@pytest.mark.parametrize("asked", ASKED)
def test_data_without_labels(asked):
    remedy = "Choose a data set with labels, such as digits."
    assert refusal(asked, "circle") == f"{asked} labels; circle has none. {remedy}"
    assert refusal(asked, TABLE.to_numpy()) == f"{asked} labels; array has none. {remedy}"


@pytest.mark.parametrize("asked", ASKED)
def test_a_table_has_columns_to_predict(asked):
    remedy = "Choose the column to predict (--label COLUMN of rfviz run), or a data set with labels, such as digits."
    assert refusal(asked, TABLE) == f"{asked} labels; table has none. {remedy}"
    one_class = datasets.from_frame(TABLE.assign(kind="x"), label="kind")
    assert refusal(asked, one_class).startswith(f"{asked} at least two classes; table has one.")


def test_what_does_not_learn_takes_data_without_labels():
    KernelGuarantees(feature_map=RandomFourier(10), points=8, draws=20).run("circle")
    with pytest.raises(DataError, match="Training and testing need labels; circle has none"):
        make_split(datasets.load("circle"), "none")


def test_the_remedy_of_the_command_line(tmp_path, capsys):
    table = tmp_path / "table.csv"
    TABLE.assign(c=(TABLE.a > 0).astype(int)).to_csv(table, index=False)
    run = ["run", "decision-surfaces?n_components=20", "--data", str(table), "--out", str(tmp_path / "out"), "--quiet"]
    assert main(run) == 2
    assert "Decision surfaces need labels; table has none. Choose the column" in capsys.readouterr().err
    assert main([*run, "--label", "c"]) == 0
