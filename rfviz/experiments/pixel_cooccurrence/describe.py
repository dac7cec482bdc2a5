"""Say what the maps of pixels, skeletons and their features show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from rfviz.experiments.pixel_cooccurrence.compute import PixelMap, Tier
from rfviz.experiments.pixel_cooccurrence.feature_shapes import FeatureSizes, Repeats, SingleFeature
from rfviz.experiments.pixel_cooccurrence.layers import image_of
from rfviz.skeleton import Skeleton, sparsity
from rfviz.words import counted, number, per_cent

__all__ = [
    "complexity_text",
    "explanation",
    "figure_4",
    "formula_of",
    "repeats_text",
    "sizes_text",
    "skeleton_text",
    "summary",
    "tiers_table",
    "windows_text",
]

_ACTIVATIONS = {"relu": "a ReLU", "erf": "erf", "exponential/1": "exp(ρ − 1)", "exponential/0.25": "exp((ρ − 1)/4)"}
_SMALLEST = 1e-9


def figure_4(tiers: Mapping[str, Sequence[Tier]], skeletons: Mapping[str, Skeleton], activation: str) -> str:
    """Return what one sees in Figure 4, with the numbers of its tiers, and what the paper leaves open.

    Parameters
    ----------
    tiers, skeletons
        By the name of a skeleton, the first of which is flat.
    activation : str
        Of all nodes.
    """
    (flat, *deep), lines = tiers, []
    same = tiers[flat][0].mean
    chance = "0, as by chance, since the pixels of an exponential node are drawn independently"
    lines.append(
        "**What am I seeing?** Each column is one pixel (framed), each row a skeleton; colours say how often other "
        "pixels appear in the same features as the framed one, beyond chance. The flat skeleton has no neighbourhoods: "
        f"all pairs have the exact correlation {chance if abs(same) < _SMALLEST else number(same, 2)}, and its "
        "counted maps show noise around it. A convolution adds a tier of pixels: those that share one of its windows."
    )
    if deep:
        lines.append(_tiers_sentence(name := max(deep, key=lambda one: len(tiers[one])), tiers[name]))
    shape = image_of(skeletons[flat])
    lines.append(
        "**The paper leaves open** how large its images are and whether they have colours, the windows and strides, "
        "which four pixels it frames, and the activation of the flat skeleton; of the deep ones it says ReLU. Chosen "
        f"here: {shape[0]}×{shape[1]} pixels {'in three colours' if shape[2] > 1 else 'of grey'}, the windows in the "
        "table, pixels in the middle, a third in, near an edge and near a corner, and for all nodes "
        f"{_ACTIVATIONS[activation]}. All but the pixels can be changed under “More”."
    )
    return " ".join(lines)


def _tiers_sentence(name: str, tiers: Sequence[Tier]) -> str:
    """Say whether correlations tell how low two pixels meet."""
    means = ", ".join(_shown(tier.mean) for tier in tiers)
    if len(tiers) < 2:
        return f"With “{name}” all pairs meet equally low: their mean correlation is {means}."
    pairs = list(itertools.pairwise(tiers))
    if not all(high.mean > low.mean for high, low in pairs):
        return f"With “{name}” correlations do not fall from tier to tier; their means are {means}."
    if all(high.lowest > low.highest for high, low in pairs):
        ranges = "no two ranges overlap"
    else:
        high, low = next((high, low) for high, low in pairs if high.lowest <= low.highest)
        ranges = (
            f"the ranges overlap, as {_shown(high.lowest)} to {_shown(high.highest)} and {_shown(low.lowest)} to "
            f"{_shown(low.highest)} do"
        )
    return f"With “{name}” the mean correlation falls from tier to tier, {means}, and {ranges}."


def tiers_table(tiers: Mapping[str, Sequence[Tier]], skeletons: Mapping[str, Skeleton]) -> str:
    """Return the exact correlations of all tiers, as a Markdown table."""
    lines = ["| Exact correlation with the framed pixel | from | to | mean |", "|:--|--:|--:|--:|"]
    for name, skeleton in skeletons.items():
        windows = windows_text(skeleton)
        lines.append(f"| **{name.capitalize()}**{': ' * bool(windows)}{windows} | | | |")
        for tier in tiers[name]:
            values = " | ".join(_shown(value) for value in (tier.lowest, tier.highest, tier.mean))
            lines.append(f"| {_who(tier.layer, len(skeleton.layers))} | {values} |")
    return "\n".join(lines)


def _who(layer: int, n_layers: int) -> str:
    if layer == n_layers:
        return "meets it in the top node alone"
    return "shares a window of layer 1" if layer == 1 else f"shares a window of layer {layer} only"


def _shown(value: float) -> str:
    return "0" if abs(value) < _SMALLEST else number(value, 2)


def windows_text(skeleton: Skeleton) -> str:
    """Return windows and strides of the layers, from the image up."""
    return ", then ".join(
        f"{size[0]}×{size[1]} in steps of {stride}"
        for size, stride in ((layer["size"], layer["stride"]) for layer in skeleton.form["layers"])
    )


def summary(result: PixelMap, side: int) -> str:
    """Return the maps in one sentence, for readers who cannot see them."""
    row, column = divmod(result.pixel, side)
    return (
        f"Correlation of each pixel’s occurrence with that of the pixel in row {row + 1}, column {column + 1}, counted "
        f"in {counted(result.n_features, 'feature')} and exact; RMS difference {number(result.rms[-1], 2)}."
    )


def explanation(result: PixelMap, side: int) -> str:
    """Return what one sees, with the numbers of the maps."""
    row, column = divmod(result.pixel, side)
    exact = np.round(np.delete(result.exact.correlation, result.pixel), 9)  # below is the rounding of a difference
    use = "uses" if result.occurs == 1 else "use"
    lead = (
        f"**{result.occurs:,}** of {result.n_features:,} features {use} the framed pixel (row {row + 1}, column "
        f"{column + 1}). Orange pixels are in the *same* features more often than by chance, blue ones less often."
    )
    plan = (
        "\n\nA skeleton is the plan of a network: which pixels its windows join. A random feature follows a few random "
        "paths from the output to pixels, and multiplies those pixels. Click any pixel to see its map."
    )
    if np.abs(exact).max(initial=0.0) < 1e-9:
        shape = (
            " Here all pixels meet by chance alone: the exact correlation is 0 everywhere, and the counted map shows "
            "noise. A fully connected layer knows no neighbours."
        )
    elif np.ptp(exact) < 1e-9:
        shape = " Here all pixels are equal: the exact map is constant. A fully connected layer knows no neighbours."
    else:
        shape = (
            f"\n\nThe exact map ranges from {number(exact.min(), 2)} to {number(exact.max(), 2)}. Pixels that share "
            "windows meet often: the tiers are the levels of the skeleton. Pixels that share none meet only through "
            "the top node."
        )
    if not result.exact.single[result.pixel]:
        return lead + (
            " **No window reaches this pixel**: with this stride the windows never reach the last rows or columns. Its "
            "map is empty."
        )
    if n_grey := int(np.sum(result.exact.single == 0)):
        grey = "grey pixel is" if n_grey == 1 else f"{n_grey:,} grey pixels are"
        shape += f" The {grey} in no feature: with this stride the windows never reach the last rows and columns."
    if not result.occurs:
        return lead + shape + " None of these features reaches it yet: choose more of them." + plan
    return (
        f"{lead}{shape} The two maps differ by {number(result.rms[-1], 2)} (RMS; predicted "
        f"{number(result.predicted[-1], 2)}).{plan}"
    )


def skeleton_text(skeleton: Skeleton, n_bytes: float) -> str:
    """Return the skeleton's complexity and sizes."""
    dense = 4 * skeleton.n_columns
    return (
        f"On average a feature multiplies **C(S) = {number(skeleton.complexity)}** pixels "
        f"({number(sparsity(skeleton))} distinct): **{number(n_bytes)} bytes** (dense: {dense:,}). "
        f"{counted(skeleton.n_nodes, 'node')}, {counted(skeleton.n_edges, 'edge')}. {complexity_text(skeleton)}"
    )


def complexity_text(skeleton: Skeleton) -> str:
    """Return where the complexity of a stack of layers comes from, and which number of the paper it is not."""
    slopes = [layer.activation.slope for layer in skeleton.layers]
    if not math.isfinite(max(slopes)):
        return "The slope σ̂′(1) of a step is infinite, so that the numbers of paths and of calls have no mean."
    if len(set(slopes)) == 1:
        power = f"{slopes[0]:.3g}^{len(slopes)}"
        made = f"All nodes have σ̂′(1) = {slopes[0]:.3g} and all paths {counted(len(slopes), 'edge')}, so that the "
        made += f"paper’s bound σ̂′(1)^depth = {power} is attained."
    else:
        product = " · ".join(f"{slope:.3g}" for slope in slopes)
        made = f"C(S) is the product of the slopes σ̂′(1) of the layers, {product}."
    return f"{made} To draw a feature takes more: {number(skeleton.calls)} calls of Algorithm 1 on average."


def sizes_text(found: FeatureSizes) -> str:
    """Return the histogram of sizes in words."""
    empty = found.paths[0] / found.n_features
    return (
        f"A feature has {number(found.mean_paths)} paths and {number(found.mean_pixels)} different pixels on average, "
        f"and at most {found.largest_paths:,} and {found.largest_pixels:,}. **{per_cent(empty, 2)}** have no path at "
        "all: they are constant, and stand for the constant part of the kernel."
    )


def repeats_text(found: Repeats) -> str:
    """Return the histogram of repeats in words."""
    share = 1 - found.n_different / found.n_features
    return (
        f"Of {found.n_features:,} features **{found.n_different:,}** are different; {per_cent(share, 2)} repeat an "
        f"earlier one, up to the sign of the angles. The most frequent one came {counted(found.most, 'time')}. The "
        "library can keep each once, with a weight."
    )


# Angles of a formula that are written out: half a page has room for them.
_TERMS = 3


def formula_of(feature: SingleFeature, side: int, channels: int) -> str:
    """Return a feature as a formula, and its value."""
    factor, terms = "" if feature.is_real else r"\sqrt2\,", []
    shown = list(zip(feature.columns.tolist(), feature.multiples.tolist(), strict=True))
    for column, multiple in shown[:_TERMS]:
        row, place = divmod(column // channels, side)
        colour = "," + ("r", "g", "b")[column % channels] if channels == 3 else ""
        times = "" if abs(multiple) == 1 else f"{abs(multiple)}"
        sign = "-" if multiple < 0 else "+" if terms else ""
        terms.append(rf"{sign}{times}\theta_{{{row + 1},{place + 1}{colour}}}")
    if len(shown) > _TERMS:
        terms.append(rf"+\dots\text{{({len(shown) - _TERMS} more)}}")
    if feature.is_sine:
        terms.append(r"+\tfrac\pi2" if terms else r"\tfrac\pi2")
    angle = "".join(terms) or "0"
    return rf"\begin{{aligned}}&{factor}\cos({angle})\\&={feature.value:.3f}\end{{aligned}}"
