"""The parts of the page on hashing: neighbours by example with two codes, recall, near and far pairs, numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from rfviz.analysis.hamming import hamming_pairs
from rfviz.analysis.hash_points import NEIGHBOURS, HashPoints, hash_codes, hash_schemes
from rfviz.analysis.hash_recall import recall_curves
from rfviz.analysis.hashing import HammingResult, hash_pairs, law_of, near_and_far
from rfviz.datasets import Dataset
from rfviz.features import registry
from rfviz.figures.hashing import AXES, STRIP, plot_near_far, plot_recall, plot_strips
from rfviz.figures.template import COLOURS
from rfviz.figures.tiles import Tile, plot_tiles
from rfviz.params import Param
from rfviz.ui import hashing_text as text
from rfviz.ui import images, layout
from rfviz.ui.controls import choice, control, several
from rfviz.ui.live_chart import taken_row
from rfviz.ui.results import kept, watched
from rfviz.ui.state import PageState

__all__ = [
    "Hashed",
    "choose_hash",
    "hashed",
    "look_closer",
    "neighbours_view",
    "pair_place",
    "pair_rows",
    "recall_view",
    "spread_view",
]

SIMHASH = "RandomProjection"
TITLES = {"RandomMaxout": "Argmax (maxout)", SIMHASH: "Signs (SimHash)", "RandomBinning": "Boxes (binning)"}
_M = Param("n_components", 256, "int", 1, 65_536, log=True, symbol="m", label="Symbols",
           marks=(8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048),
           help="Length of a code. The error of a Hamming distance falls as 1/√m.")  # fmt: skip
_Q_MARKS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_K = Param("k", 10, "int", 1, NEIGHBOURS, log=True, marks=(1, 2, 3, 5, 8, 10, 15, 20, 30, 50), label="Neighbours",
           help="How many nearest points are searched for.")  # fmt: skip
_DRAWS = Param("draws", 5, "int", 1, 50, log=True, marks=(1, 2, 3, 5, 10, 20, 50), label="Draws",
               help="Independent draws of the hash functions.")  # fmt: skip
_LONGEST = Param("longest", 256, "int", 8, 4096, log=True, marks=(32, 64, 128, 256, 512, 1024, 2048), symbol="m",
                 label="Longest code",
                 help="Symbols of the longest maxout code; SimHash goes up to as many bits.")  # fmt: skip
_POOLS = [2, 4, 8, 16, 32, 64]
_CARD, _COLUMNS = 7, 9
_LOOKS = ("Neighbours", "Recall", "Near and far")
_WRONG = "#c0392b"


@dataclass(frozen=True, eq=False)
class Hashed:
    """Points with their codes: what the parts of the page look at.

    Attributes
    ----------
    points : HashPoints
    scheme : str
    setting : dict
    codes : ndarray of shape (n, m)
    key : hashable
        What they are known by.
    """

    points: HashPoints
    scheme: str
    setting: dict[str, Any]
    codes: np.ndarray
    key: Hashable

    def pairs(self) -> HammingResult:
        """Hamming distances of sampled pairs, with their law."""
        return kept("hash pairs", self.key, lambda: hash_pairs(self.points, self.scheme, self.setting, self.codes), 64)


def choose_hash(state: PageState) -> tuple[str, dict[str, Any]]:
    """The scheme, among those that are hashes, and its settings."""
    schemes = hash_schemes()
    titles = {name: TITLES.get(name, registry()[name].label) for name in schemes}
    scheme = choice(state, "scheme", schemes, "RandomMaxout", "Hash", "What a symbol says of a point.", titles)
    setting: dict[str, Any] = {}
    for param in registry()[scheme].params:
        if param.name == "n_components":
            setting[param.name] = control(state, _M)
        elif param.name == "pool_size":
            words = "Projections that compete for a symbol: the more, the finer a symbol tells near points apart."
            own = replace(param, default=8, low=2, high=64, marks=_Q_MARKS, help=words)
            setting[param.name] = control(state, own)
        elif param.name != "dtype" and param.kind != "range":  # whole images: only they have a law of the angle
            setting[param.name] = control(state, param)
    return scheme, setting


def hashed(points: HashPoints, key: Hashable, scheme: str, setting: dict[str, Any]) -> Hashed:
    """The codes of all points; the length only cuts codes that are known already."""
    m = setting["n_components"]
    longest = max(1 << (m - 1).bit_length(), 256)  # so that few lengths are ever computed
    full = setting | {"n_components": longest}
    known_by = (key, scheme, tuple(sorted(full.items())))
    codes = watched("hash codes", known_by, lambda p: hash_codes(points, scheme, full, p), 16)
    return Hashed(points, scheme, setting, codes[:, :m], (*known_by, m))


def pair_rows(state: PageState, points: HashPoints) -> tuple[int, int]:
    """The two chosen points: what was clicked, else what the address holds, else a query and its nearest."""
    n, clicked = len(points.original), taken_row("tiles")
    if clicked is not None:
        # A tile of the examples gives its row, one of the neighbours its row and n.
        first = {"first": clicked + 1, "second": 0} if clicked < n else {"second": min(clicked - n, n - 1) + 1}
        state.apply(first)
    start = int(points.queries[len(points.queries) // 2]) + 1
    one = _row(state, "first", start, 1, n, "Example", "Row of the point that is looked for.")
    two = _row(state, "second", 0, 0, n, "Compared with", "Row whose code is shown beside it; 0: the nearest point.")
    nearest = exact_order(points, one - 1, 1)[0]
    return one - 1, int(nearest if two in (0, one) else two - 1)


def _row(state: PageState, name: str, default: int, low: int, high: int, label: str, help: str) -> int:
    param = Param(name, default, "int", low, high)
    key = state.claim(name, default, param.clamp)
    if not state.draws(name, label):
        return st.session_state[key]
    return st.number_input(label, low, high, step=1, key=key, help=help)


def look_closer(state: PageState) -> str:
    """Which part is shown below the main chart; only that one is computed."""
    looks = Param("look", _LOOKS[0], "choice", choices=_LOOKS)
    key = state.claim("look", _LOOKS[0], looks.validate)
    if not state.draws("look", "Look closer"):
        return st.session_state[key]
    return st.segmented_control("Look closer", _LOOKS, required=True, key=key)


def exact_order(points: HashPoints, row: int, k: int) -> np.ndarray:
    """The `k` exact nearest rows of one, nearest first."""
    X, x = points.original, points.original[row]
    if points.metric == "cosine":
        norms = np.linalg.norm(X, axis=1)
        apart = 1.0 - (X @ x) / (norms * norms[row])
    else:
        apart = np.linalg.norm(X - x, axis=1)
    apart[row] = np.inf
    return np.argsort(apart, kind="stable")[:k]


def pair_place(view: Hashed, one: int, two: int) -> tuple[float, float]:
    """Where a pair lies in the main chart."""
    law, X = law_of(view.points, view.scheme, view.setting), view.points.original
    differ = hamming_pairs(view.codes, np.array([one]), np.array([two]))[0]
    return float(law.measure(X[[one]], X[[two]])[0]), float(differ / view.codes.shape[1])


def neighbours_view(view: Hashed, dataset: Dataset, data_key: Hashable, one: int, two: int) -> None:
    """An example, its nearest points exactly and by code, and the codes of two points side by side."""
    points, n, k = view.points, len(view.points.original), min(_CARD, len(view.points.original) - 1)
    exact = exact_order(points, one, k)
    distance = hamming_pairs(view.codes, np.full(n, one), np.arange(n))
    distance[one] = view.codes.shape[1] + 1
    by_code = np.argsort(distance, kind="stable")[:k]
    right = np.isin(by_code, exact)
    examples = points.queries[np.linspace(0, len(points.queries) - 1, min(_COLUMNS, len(points.queries))).astype(int)]
    tiles = [_tile(dataset, data_key, 0, c, r, r, "", COLOURS[1] if r == one else "") for c, r in enumerate(examples)]
    frame = COLOURS[1]
    tiles.append(_tile(dataset, data_key, 1, 0, one, one, "", frame))
    for column, row in enumerate(exact):
        chosen = frame if row == two else ""
        tiles.append(_tile(dataset, data_key, 1, column + 2, row, n + row, f"{distance[row]}", chosen))
    for column, row in enumerate(by_code):
        mark = "✓" if right[column] else "✗"
        colour = COLOURS[2] if right[column] else _WRONG
        tiles.append(_tile(dataset, data_key, 2, column + 2, row, n + row, f"{mark} {distance[row]}", colour))
    titles = [
        "Click an example",
        "Its exact nearest, with symbols that differ",
        f"Nearest by Hamming distance: {right.sum()} of {k} right",
    ]
    figure = plot_tiles(tiles, titles, _COLUMNS, revision=str(view.key))
    layout.chart(figure, "tiles", f"{titles[2]}, for the point of row {one + 1}.", clickable=True, secondary=True)
    _two_codes(view, one, two)


def _two_codes(view: Hashed, one: int, two: int) -> None:
    m = view.codes.shape[1]
    law = law_of(view.points, view.scheme, view.setting)
    apart, differing = pair_place(view, one, two)
    mean = float(law.band(np.array([apart]), m)[0][0])
    st.markdown(f"**Two codes side by side**: rows {one + 1} and {two + 1}"
                + (f", the first {STRIP} of {m:,} symbols" if m > STRIP else ""))  # fmt: skip
    figure = plot_strips(view.codes[one], view.codes[two], (f"row {one + 1}", f"row {two + 1}"), view.scheme)
    layout.chart(figure, "strips", f"{1 - differing:.1%} of the symbols of two codes agree.", secondary=True)
    unit = "°" if law.reach == 180.0 else ""
    deviation = float(np.sqrt(mean * (1 - mean) / m))
    layout.explain(text.agreement(differing, mean, deviation, f"{apart:.1f}{unit}"))


def _tile(
    dataset: Dataset, data_key: Hashable, row: int, column: int, point: int, value: int, caption: str, frame: str
) -> Tile:
    point = int(point)
    picture = images.thumbnails(dataset, data_key, np.array([point]), [""])[0] if dataset.image_shape else ""
    name = f"row {point + 1}"
    if dataset.y is not None and dataset.target_names:
        name += f": {dataset.target_names[int(dataset.y[point])]}"
    return Tile(row, int(column), int(value), caption, picture, name, frame)


def recall_view(state: PageState, points: HashPoints, key: Hashable) -> None:
    """Recall against the length of codes, and what each search costs."""
    with st.container(key="controls-recall"):
        pools = several(state, "pools", _POOLS, [2, 4, 16], "Pool sizes q", "Maxout codes to compare.")
        longest, k, draws = control(state, _LONGEST), control(state, _K), control(state, _DRAWS)
        axis = choice(state, "axis", list(AXES), "symbols", "Length in", "What the horizontal axis counts.")
    if not pools:
        st.info("Choose at least one pool size.")
        return
    asked = (key, tuple(pools), longest, k, draws)
    stop = st.empty()
    if draws * longest * max(pools) * len(points.original) > 2e8:
        stop.button(
            "Stop", on_click=state.apply, args=({"draws": 1, "longest": 128},), key=f"{state.page}:stop:{asked}"
        )
    try:
        result = watched("hash recall", asked, lambda p: recall_curves(points, pools, longest, k, draws, p), 32)
    finally:
        stop.empty()
    figure = plot_recall(result, axis, revision=f"{key}-{axis}")
    layout.chart(figure, "recall", f"Recall at {result.k} against the {AXES[axis]}.", secondary=True)
    layout.explain(text.recall(result))
    formats = {"recall": "%.3f", "bytes a point": "%d", "ms to hash a query": "%.3f", "ms to search": "%.3f"}
    layout.numbers(result.costs(), formats, "Measured just now, in batches; exact search in float32.")


def spread_view(state: PageState, view: Hashed, revision: str) -> None:
    """Hamming distances of near and far pairs."""
    with st.container(key="controls-spread"):
        k = control(state, _K)
    k = min(k, view.points.neighbours.shape[1])
    result = kept("near and far", (view.key, k),
                  lambda: near_and_far(view.points, view.scheme, view.setting, view.codes, k), 64)  # fmt: skip
    words = f"Densities of differing symbols: near and far pairs, area under the ROC curve {result.auc:.3f}."
    layout.chart(plot_near_far(result, k, revision=revision), "near-far", words, secondary=True)
    layout.explain(text.near_far(result, k))
