"""The script of the page on hashing."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rfviz import datasets
from rfviz.analysis.hash_points import exact_order, hash_codes, prepare_hash_points
from rfviz.analysis.hash_recall import recall_curves
from rfviz.analysis.hashing import hash_pairs, near_and_far, pair_place
from rfviz.figures.hashing import plot_hamming, plot_near_far, plot_recall
from rfviz.lab import script
from rfviz.recipes.hashing_settings import SIMHASH, NearFar, Neighbours, Recall, Settings, Source

__all__ = ["hashing_script"]


def hashing_script(source: Source, settings: Settings, length: int) -> str:
    """Plain calls that hash the points, compare the codes with the law, and take the closer look.

    Parameters
    ----------
    source : Source
    settings : Settings
    length : int
        Symbols that are computed, of which the codes are the beginnings.
    """
    uses: list[Any] = [pd, datasets, prepare_hash_points, hash_codes, hash_pairs, plot_hamming]
    setting, m = settings.setting, settings.setting["n_components"]
    blocks, found, options = [_codes(source, settings, length)], "result", ""
    if settings.beside:
        plain = {"n_components": length, "random_state": setting["random_state"]}
        blocks.append(f"""
plain = {script.python(plain, 8)}
signs = hash_codes(points, {SIMHASH!r}, plain)[:, :{m}]
other = hash_pairs(points, {SIMHASH!r}, plain, signs)""")
        found, options = "result, other", ", other"
    if isinstance(settings.look, Neighbours):
        blocks.append(_pair(settings.look, uses))
        options += ", pair=pair"
    blocks.append(f"""
frames = {{"hamming": pd.concat([r.to_frame().assign(hash=r.scheme) for r in [{found}]], ignore_index=True)}}
figures = {{"hamming": plot_hamming(result{options})}}
print(frames["hamming"])""")
    if isinstance(settings.look, NearFar):
        blocks.append(_near_far(settings.look, uses))
    if isinstance(settings.look, Recall) and settings.look.pools:
        blocks.append(_recall(settings.look, uses))
    blocks.append("\nfor figure in figures.values():\n    figure.show()")
    title = "How much of the angle between two points can be read off their hash codes?"
    return script.write(title, "\n".join(blocks), uses)


def _codes(source: Source, settings: Settings, length: int) -> str:
    m = settings.setting["n_components"]
    return f"""
{script.load_data(source.data)}
points = prepare_hash_points(dataset, {source.normalise!r}, {source.metric!r})

scheme = {settings.scheme!r}
setting = {script.python(settings.setting | {"n_components": length}, 10)}
codes = hash_codes(points, scheme, setting)[:, :{m}]
result = hash_pairs(points, scheme, setting, codes)"""


def _pair(look: Neighbours, uses: list[Any]) -> str:
    uses += [pair_place] if look.second is not None else [pair_place, exact_order]
    two = look.second if look.second is not None else "exact_order(points, one, 1)[0]"
    return f"""
one = {look.first}
two = {two}
pair = pair_place(points, scheme, setting, codes, one, two)"""


def _near_far(look: NearFar, uses: list[Any]) -> str:
    uses += [near_and_far, plot_near_far]
    return f"""
closer = near_and_far(points, scheme, setting, codes, k={look.k})
frames["near-far"] = closer.to_frame()
figures["near-far"] = plot_near_far(closer)"""


def _recall(look: Recall, uses: list[Any]) -> str:
    uses += [recall_curves, plot_recall]
    return f"""
pools = {list(look.pools)}
closer = recall_curves(points, pools, longest={look.longest}, k={look.k}, draws={look.draws})
frames["recall"] = closer.to_frame()
figures["recall"] = plot_recall(closer, {look.axis!r})
print(closer.costs())"""
