"""What one sees in decision surfaces, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.experiments.decision_surfaces.compute import MOST_MARKS, MapSurfaces, Surface
from rfviz.features import FeatureMap, MapSpec
from rfviz.words import counted, join, number, per_cent

if TYPE_CHECKING:
    from rfviz.experiments.decision_surfaces.gradients import Gradients

__all__ = ["TOO_FEW", "crease_words", "explanation", "gradient_words", "slice_text", "summary"]

TOO_FEW = "Click in the square to add points of at least two classes."

_TRAINED = {
    "ridge": "ridge regression",
    "logistic": "logistic regression",
    "hinge": "a linear SVM",
    "exponential": "a linear classifier with the exponential loss",
}


def summary(title: str, surface: Surface | None, n_points: int) -> str:
    """Return a panel in one sentence, as alternative text."""
    if surface is None:
        points = counted(n_points, "point")
        return f"{title}: {points} in the plane, and no surface, since there are not two classes yet."
    shares = np.bincount(surface.winners.ravel(), minlength=surface.scores.shape[2]) / surface.winners.size
    return (
        f"Decision surface of {title}: {per_cent(surface.accuracy)} of the labels are right; the classes take "
        + ", ".join(per_cent(share, 2) for share in shares)
        + " of the square."
    )


def explanation(
    spec: MapSpec[FeatureMap], found: MapSurfaces, loss: str, rbf: Surface, linear: Surface, n_train: int, n_test: int
) -> str:
    """Return what one sees, with the numbers of the picture."""
    m = spec.get("n_components")
    surface, end = found.at(m), found.at(found.m_grid[-1])
    rows = counted(n_test, "test point") if n_test else f"{counted(n_train, 'point')} it learnt from"
    apart, crosses = surface.apart(rbf), min(len(surface.wrong), MOST_MARKS)
    name = surface.label[:1].lower() + surface.label[1:]
    features = name if name.endswith("stumps") else f"{name} features"
    story = (
        f"With **m = {m:,}** {features}, {_TRAINED[loss]} classifies **{per_cent(surface.accuracy)}** of the {rows} "
        f"correctly; the exact RBF-SVM {per_cent(rbf.accuracy)}, a linear SVM {per_cent(linear.accuracy)}. The first "
        f"two differ on {_of_points(apart, len(surface.predicted))}; where there are no points, nothing was to be "
        "learnt, and they may differ.\n\nColour shows the predicted class at each place, paler where the classifier "
        "is less sure; grey lines are the class boundaries."
    )
    if n_test:
        which = "misclassified test points" if crosses == len(surface.wrong) else f"{crosses} misclassified test points"
        story += f" Filled marks are training points, crosses are {which}."
    if not spec.make().fold_meaning:
        story += (
            " These features are **linear**: however many there are, the boundary between two classes is a straight "
            "line, and more features add nothing."
        )
    elif end.accuracy != surface.accuracy:
        story += f" With m = {found.m_grid[-1]:,} it would be {per_cent(end.accuracy)}: move the slider."
    return story


def _of_points(apart: int, n: int) -> str:
    return f"**{apart:,}** of these points ({per_cent(apart / n, 2)})" if apart else "**none** of these points"


def slice_text(plane: Plane) -> str:
    """Return what the plane means for data with more than two columns."""
    return (
        f"**This is a slice.** The data have {len(plane.origin):,} columns. The plane goes through their mean along "
        f"the first two principal components, which hold {per_cent(plane.explained, 2)} of the variance. Each place on "
        "it is a point of the input space (mean + a·first + b·second component), and colours show the prediction "
        "there. The training points lie elsewhere and are projected onto the plane, so **a point need not have the "
        "class of the area it is drawn in**."
    )


def crease_words(spec: MapSpec[FeatureMap], creases: int) -> str:
    """Return what the dark lines are, in a sentence; empty if there are none."""
    if not creases:
        return ""
    meaning = spec.make().fold_meaning
    if not meaning:
        return "These features are linear and have no creases."
    which = "the first feature" if creases == 1 else f"the first {creases} features"
    return f"Dark lines show, for {which}, {meaning}."


def gradient_words(found: Gradients, m: int, names: Sequence[str]) -> str:
    """Say how many linear functions the classifier is, and which columns it looks at.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    """
    n, d = found.gradients.shape
    lengths = np.linalg.norm(found.gradients, axis=1)
    pieces = (
        f"At all of the {n:,} places that are looked at it is the same linear function."
        if found.pieces == 1
        else f"At the {n:,} places that are looked at it is **{found.pieces:,}** different ones; their slopes are "
        f"{number(lengths.min(), 2)} to {number(lengths.max(), 2)}."
    )
    said = (
        f"A classifier on m = {m:,} maxout features is linear wherever none of them changes its largest projection. "
        f"{pieces} Arrows show the gradient: the way to where the predicted class gains most on the next."
    )
    if d > 2:
        mean = np.abs(found.gradients).mean(axis=0)
        first = [f"{names[j]} ({number(mean[j], 2)})" for j in np.argsort(-mean)[:3]]
        said += (
            f" Of the {d:,} columns the largest coefficients, on average over the places, are those of {join(first)}."
        )
    return said
