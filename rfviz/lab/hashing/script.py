"""Script of the page on hashing."""

from __future__ import annotations

from typing import Any

from rfviz import datasets
from rfviz.features import MapSpec, RandomProjection
from rfviz.lab import script
from rfviz.lab.hashing.compute import hash_pairs, near_and_far, pair_place, stack_frames
from rfviz.lab.hashing.figures import plot_hamming, plot_near_far, plot_recall
from rfviz.lab.hashing.points import exact_order, hash_codes, prepare_hash_points
from rfviz.lab.hashing.recall import recall_curves
from rfviz.lab.hashing.settings import NearFar, Neighbours, Recall, Settings, Source

__all__ = ["hashing_script"]


def hashing_script(source: Source, settings: Settings, length: int) -> str:
    """Return plain calls that hash the points, compare the codes with the law, and take the closer look.

    Parameters
    ----------
    source : Source
    settings : Settings
    length : int
        Symbols that are computed, of which the codes are the beginnings.
    """
    spec, look, m = settings.spec, settings.look, settings.spec.get("n_components")
    uses: list[Any] = [datasets, MapSpec, spec.cls, prepare_hash_points, hash_codes, hash_pairs, stack_frames]
    uses.append(plot_hamming)
    blocks = [f"""
{script.load_data(source.data)}
points = prepare_hash_points(dataset, {source.normalise!r}, {source.metric!r})

spec = {script.python(spec.replace(n_components=length), 7)}
codes = hash_codes(points, spec)[:, :{m}]
result = hash_pairs(points, spec, codes)"""]  # fmt: skip
    results, options = "result", ""
    if settings.with_simhash:
        uses.append(RandomProjection)
        simhash = MapSpec(RandomProjection, n_components=length, random_state=spec.get("random_state"))
        blocks.append(f"""
simhash = {script.python(simhash, 10)}
other = hash_pairs(points, simhash, hash_codes(points, simhash)[:, :{m}])""")
        results, options = "result, other", ", other"
    if isinstance(look, Neighbours):
        uses += [pair_place] if look.second is not None else [pair_place, exact_order]
        blocks.append(f"""
one = {look.first}
two = {"exact_order(points, one, 1)[0]" if look.second is None else look.second}
pair = pair_place(points, spec, codes, one, two)""")
        options += ", pair=pair"
    blocks.append(f"""
frames = {{"hamming": stack_frames([{results}])}}
figures = {{"hamming": plot_hamming(result{options})}}
print(frames["hamming"].to_string())""")
    if isinstance(look, NearFar):
        uses += [near_and_far, plot_near_far]
        blocks.append(f"""
closer = near_and_far(points, spec, codes, k={look.k})
frames["near-far"] = closer.to_frame()
figures["near-far"] = plot_near_far(closer)""")
    if isinstance(look, Recall) and look.pools:
        uses += [recall_curves, plot_recall]
        blocks.append(f"""
pools = {list(look.pools)}
closer = recall_curves(points, pools, longest={look.longest}, k={look.k}, draws={look.draws})
frames["recall"] = closer.to_frame()
figures["recall"] = plot_recall(closer, {look.axis!r})
print(closer.costs().to_string())""")
    blocks.append("\nfor figure in figures.values():\n    figure.show()")
    return script.write("How well do hash codes reveal the angle between two points?", "\n".join(blocks), uses)
