"""A file of somebody's own as an entry of the registry, for those alone who have it.

>>> from rfviz.datasets import own, upload
>>> taken = upload.take("flowers.csv", b"length,width,kind\\n5.1,3.5,a\\n4.9,3.0,b\\n6.3,3.3,a\\n5.8,2.7,b\\n")
>>> own.own_spec("own:flowers", taken, taken.suggestion, taken.prepare(), "1").summary
'4 rows of 2 numbers, 2 classes.'
"""

from __future__ import annotations

from typing import Any

from rfviz.datasets.base import Dataset, DatasetSpec
from rfviz.datasets.upload import Preparation, Upload

__all__ = ["PREFIX", "is_own", "own_spec"]

PREFIX = "own:"


def is_own(name: str) -> bool:
    """Whether this is the key of data that somebody brought."""
    return name.startswith(PREFIX)


def own_spec(key: str, upload: Upload, how: Preparation, dataset: Dataset, stamp: str) -> DatasetSpec:
    """An entry of the registry for data that are loaded already.

    Parameters
    ----------
    key : str
        :data:`PREFIX` and a name.
    upload : Upload
        What they were made from.
    how : Preparation
        By which choices.
    dataset : Dataset
    stamp : str
        Different for different contents.

    Returns
    -------
    DatasetSpec
        Its ``extra["values"]`` are what a script needs to make the data again: the file or the number of OpenML, and
        the preparation.
    """
    origin: dict[str, Any] = {"file": upload.name} if upload.openml is None else {"openml": upload.openml}
    values = origin | {"preparation": how.to_json()}
    return DatasetSpec(
        name=key,
        title=f"{upload.name} (yours)",
        load=lambda progress=None: dataset,
        source="own",
        summary=dataset.summary,
        extra={"stamp": stamp, "image_shape": dataset.image_shape, "values": values},
    )
