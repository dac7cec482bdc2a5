"""A table in parts, of which some rows are drawn."""

import numpy as np
import pandas as pd

from rfviz import datasets
from rfviz.datasets.files import parts

N, DRAWN = 1500, 200


def table(n=N, far=0):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(3 + rng.standard_normal((n, 4)) * [1, 2, 3, 4], columns=list("abcd"))
    frame.loc[rng.choice(n, far, replace=False), list("abcd")] *= 30
    return frame


def written(tmp_path, monkeypatch):
    """Yield a function that writes a table in parts, of which 200 rows are drawn, and loads it."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    monkeypatch.setattr(parts, "_BLOCK_ROWS", 450)
    datasets.set_folder(tmp_path)

    def load(frame, cuts=(500, 1300), **preparation):
        (tmp_path / "large").mkdir(exist_ok=True)
        for old in (tmp_path / "large").iterdir():
            old.unlink()
        for place, rows in enumerate(np.split(np.arange(len(frame)), cuts)):
            frame.iloc[rows].to_parquet(tmp_path / "large" / f"{place}.parquet")
        return datasets.load("folder:large", max_samples=DRAWN, **preparation)

    yield load
    datasets.set_folder(None)
