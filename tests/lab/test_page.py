"""What a chart's view depends on, and when figures and tables are made."""

import pandas as pd
import plotly.graph_objects as go

from rfviz.experiments.base import Chart, revision
from rfviz.features import MapSpec, RandomMaxout


def test_a_revision_differs_where_a_part_does_and_stays_otherwise():
    def of(**changed):
        given = {"data": ("circle", (("n_samples", 100),)), "spec": MapSpec(RandomMaxout, pool_size=8), "view": "maps"}
        return revision(*(given | changed).values())

    assert of() == of()
    others = [of(data=("circle", (("n_samples", 101),))), of(spec=MapSpec(RandomMaxout, pool_size=9)), of(view="rms")]
    assert len({of(), *others}) == 4


def test_figure_and_table_are_made_once_and_only_when_asked_for():
    made = []
    chart = Chart("c", lambda: made.append("figure") or go.Figure(), lambda: made.append("table") or pd.DataFrame(), "")
    assert made == []
    assert chart.figure is chart.figure and made == ["figure"]
    assert chart.frame is chart.frame and made == ["figure", "table"]
