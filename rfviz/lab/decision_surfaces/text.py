"""Texts of the page on decision surfaces."""

from __future__ import annotations

import numpy as np

from rfviz.analysis.plane import Plane
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.decision_surfaces.compute import MapSurfaces, Surface

__all__ = ["METHOD", "NUMBERS", "TOO_FEW", "crease_words", "explanation", "slice_text", "summary"]

TOO_FEW = "Click in the square to add points of at least two classes."

NUMBERS = (
    "Agreement: share of the square in which the classifier on m features predicts the class of the exact RBF-SVM. "
    "Slope: factor that turns decision values into log-odds. Penalty α: on the unscaled features; ridge regression "
    "chooses it by leave-one-out errors for each m."
)

METHOD = r"""
**Every m at once.** The features of the $200\times200$ cells are computed once, for the largest $m$. The maps are
nested: the first $m$ columns are the map of $m$ features, and ridge regression gives coefficients for every $m$ from
one factorisation. The slider only selects one of them. (The other losses train each $m$
by stochastic gradients; sparse features are solved by iterations and stop at 200 repetitions.)

**Shading.** A classifier gives each class $j$ a decision value $s_j$. Logistic regression treats them as log-odds:
$p_j=e^{s_j}/\sum_l e^{s_l}$. For the others one slope $a$ multiplies the values first: the one that makes the labels of
unseen rows likeliest (a fifth of the training rows, left out of a second training). One slope moves no boundary.
Colours are mixed by the $p_j^2$, and pale where no class is sure. The RBF-SVM of more than two classes counts votes of
its pairs, so its shading has steps.

**To compare with.** The exact RBF-SVM is scikit-learn’s `SVC` with the kernel $e^{-\gamma\lVert x-z\rVert^2}$, the
linear SVM its `LinearSVC`, on the same training rows. With Fourier features of the Gaussian kernel all share one
$\gamma$: the features *estimate* that kernel, so the first panel tends to the answer of a kernel machine, which is a
ridge regression and not an SVM.

**Constant input.** A projection $\langle w,x\rangle$ without an offset is zero at the origin, whatever $w$; all its
creases would meet there. A further input of 1 gives each projection an offset.
"""

_TRAINED = {
    "ridge": "ridge regression",
    "logistic": "logistic regression",
    "hinge": "a linear SVM",
    "exponential": "a linear classifier with the exponential loss",
}


def summary(title: str, surface: Surface | None, n_points: int) -> str:
    """Return a panel in one sentence, for those who cannot see it."""
    if surface is None:
        return f"{title}: {n_points} points in the plane, and no surface, since there are not two classes yet."
    shares = np.bincount(surface.winners.ravel(), minlength=surface.scores.shape[2]) / surface.winners.size
    return (
        f"Decision surface of {title}: {surface.accuracy:.1%} of the labels are right; the classes take "
        + ", ".join(f"{share:.0%}" for share in shares)
        + " of the square."
    )


def explanation(
    spec: MapSpec[FeatureMap], found: MapSurfaces, loss: str, rbf: Surface, linear: Surface, n_train: int, n_test: int
) -> str:
    """Return what one sees, with the numbers of the picture."""
    m = spec.get("n_components")
    surface, end = found.at(m), found.at(found.m_grid[-1])
    rows = f"{n_test:,} test points" if n_test else f"{n_train:,} points it learnt from"
    apart = float(np.mean(surface.winners != rbf.winners))
    name = surface.label[:1].lower() + surface.label[1:]
    features = name if name.endswith("stumps") else f"{name} features"
    story = (
        "**What am I seeing?** Colour shows the predicted class at each place, paler where the classifier is less "
        f"sure; grey lines are the class boundaries. With **m = {m:,}** {features}, {_TRAINED[loss]} classifies "
        f"**{surface.accuracy:.1%}** of the {rows} correctly; the exact RBF-SVM {rbf.accuracy:.1%}, a linear SVM "
        f"{linear.accuracy:.1%}. The first two disagree on **{apart:.0%}** of the square."
    )
    if n_test:
        story += " Filled marks are training points, crosses are misclassified test points."
    if not spec.make().fold_meaning:
        story += (
            " These features are **linear**: however many there are, the boundary between two classes is a straight "
            "line, and more features add nothing."
        )
    elif f"{end.accuracy:.1%}" != f"{surface.accuracy:.1%}":
        story += f" With m = {found.m_grid[-1]:,} it would be {end.accuracy:.1%}: move the slider."
    return story


def slice_text(plane: Plane) -> str:
    """Return what the plane means for data with more than two columns."""
    return (
        f"**This is a slice.** The data have {len(plane.origin):,} columns. The plane goes through their mean along "
        f"the first two principal components, which hold {plane.explained:.0%} of the variance. Each place on it is a "
        "point of the input space (mean + a·first + b·second component), and colours show the prediction there. The "
        "training points lie elsewhere and are projected onto the plane, so **a point need not have the class of the "
        "area it is drawn in**."
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
