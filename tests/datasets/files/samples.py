"""Small files of every kind, made in memory."""

import io
import sqlite3
import warnings
import zipfile

import numpy as np
import pandas as pd
from PIL import Image


def table(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["height", "weight", "age"])
    frame.loc[::7, "weight"] = np.nan
    frame["town"] = rng.choice(["Bern", "Köln", "Wien"], n)
    frame["when"] = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    return frame.assign(label=rng.choice(["a", "b"], n))


def csv(frame=None, **options):
    return (table() if frame is None else frame).to_csv(index=False, **options).encode("utf-8")


def parquet(frame=None):
    buffer = io.BytesIO()
    (table() if frame is None else frame).to_parquet(buffer)
    return buffer.getvalue()


def database(*statements, **tables):
    """Return an SQLite database of some tables, after some more statements."""
    connection = sqlite3.connect(":memory:")
    for name, frame in (tables or {"people": table()}).items():
        frame.to_sql(name, connection, index=False)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def npz(compressed=True, **arrays):
    buffer = io.BytesIO()
    rng = np.random.default_rng(0)
    arrays = arrays or {"X": rng.normal(size=(40, 4)), "y": np.arange(40) % 3}
    (np.savez_compressed if compressed else np.savez)(buffer, **arrays)
    return buffer.getvalue()


def picture(side=(20, 16), form="PNG", seed=0, mode="RGB"):
    buffer = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (*side, 3), dtype=np.uint8)
    Image.fromarray(pixels).convert(mode).save(buffer, form)
    return buffer.getvalue()


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def pictures(n=8):
    forms = [("PNG", "png"), ("JPEG", "jpg")]
    return zipped(
        (f"{'cat' if i % 2 else 'dog'}/{i}.{forms[i % 2][1]}", picture((18 + i, 16), forms[i % 2][0], i))
        for i in range(n)
    )
