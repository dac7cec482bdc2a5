r"""Data that a user brings, as an entry of the registry for that user alone.

>>> from rfviz.datasets.files import read_upload
>>> from rfviz.datasets.files.own import own_spec
>>> upload = read_upload("flowers.csv", b"length,width,kind\n5.1,3.5,a\n4.9,3.0,b\n6.3,3.3,a\n5.8,2.7,b\n")
>>> own_spec("own:flowers", upload, upload.suggestion, upload.prepare(), "1").summary
'4 rows of 2 numbers, 2 classes.'
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rfviz.datasets.base import OWN, Dataset, DatasetSpec, NamedProfile
from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.prepare import named_in
from rfviz.datasets.files.suggest import suggest
from rfviz.datasets.files.table import Table
from rfviz.datasets.files.upload import Upload, compare_with

__all__ = ["own_spec", "own_spec_of"]


def own_spec(key: str, upload: Upload, preparation: Preparation, dataset: Dataset, stamp: str) -> DatasetSpec:
    """Return an entry of the registry for an upload that is prepared already.

    The key begins with ``own:``; the stamp differs for different contents. ``extra["values"]`` of the entry are what
    a script needs to make the data again: the file or the number of OpenML, the preparation, and the file, or the
    profile, that it is compared with.
    """
    origin: dict[str, Any] = {"file": upload.name} if upload.openml is None else {"openml": upload.openml}
    if len(upload.parts) > 1:
        origin["table"] = upload.part
    if dataset.origin is not None and dataset.origin.other_name:
        kind = "compare" if isinstance(dataset.origin.other, Table) else "profile"
        origin[kind] = dataset.origin.other_name
    return DatasetSpec(
        name=key,
        title=f"{upload.name} (yours)",
        load=lambda progress=None: dataset,
        source="own",
        summary=dataset.summary,
        extra={
            "stamp": stamp,
            "image_shape": dataset.image_shape,
            "values": origin | {"preparation": preparation.to_json()},
        },
    )


def own_spec_of(upload: Upload, chosen: Mapping[str, Any], other: Upload | NamedProfile | None = None) -> DatasetSpec:
    """Return an entry of the registry for a file that is prepared as suggested but for the chosen values.

    Parameters
    ----------
    chosen : mapping
        Choices of a :class:`Preparation`; columns to leave out are added to those that are suggested, and a label of
        None is none.
    other : Upload or NamedProfile, optional
        Another file, or the profile of one, to compare it with.
    """
    table, left_out = upload.table, {"leave_out": chosen.get("leave_out", ())}
    apart = named_in(table, Preparation(scale=upload.suggestion.scale).replace(left_out)).leave_out
    suggested = suggest(table, apart)
    how = named_in(table, suggested.replace(chosen))
    used = {how.label, how.order}
    left_out = dict.fromkeys(name for name in (*suggested.leave_out, *apart) if name not in used)
    how = how.replace({"leave_out": tuple(left_out)})
    dataset, digest = upload.prepare(how), upload.digest or uuid.uuid4().hex
    if dataset.origin is not None:
        guessed = frozenset({"label", "order"} - chosen.keys())
        dataset = replace(dataset, origin=replace(dataset.origin, guessed=guessed))
    if other is not None:
        dataset, digest = compare_with(dataset, other), digest + (other.digest or uuid.uuid4().hex)
    return own_spec(OWN + upload.stem, upload, how, dataset, digest)
