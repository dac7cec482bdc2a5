"""What the page on decision surfaces says about its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rfviz.analysis.decision_surface import SchemeSurfaces, Surface
from rfviz.analysis.plane import Plane
from rfviz.features import map_class

__all__ = ["METHOD", "NUMBERS", "TOO_FEW", "crease_words", "explanation", "slice_text", "summary"]

TOO_FEW = "There is nothing to tell apart yet: click points of at least two classes into the plane."

NUMBERS = (
    "Agreement: share of the square in which the classifier on m features gives the class of the exact RBF-SVM. "
    "Slope: what decision values are multiplied by to give log-odds. Penalty α: on the unscaled features; that of the "
    "ridge is chosen on held-out rows for each m."
)

METHOD = r"""
**Every m at once.** The features of the $200\times200$ cells are computed once, for the largest $m$. The maps are
nested, so the first $m$ columns are the map of $m$ features, and ridge regression gives coefficients for every $m$ from
one factor. The slider only chooses among answers that are there. (The losses logistic and hinge train each $m$ by
stochastic gradients; sparse features are solved by iterations, and stop at 200 repetitions.)

**Shading.** A classifier gives each class $j$ a decision value $s_j$. Logistic regression means them as log-odds:
$p_j=e^{s_j}/\sum_l e^{s_l}$. The others do not, so their values are multiplied by one slope $a$ first: the one under
which the labels of rows that the classifier had not seen (a fifth of the training rows, kept out of a second training)
are likeliest. One slope moves no boundary. Colours are mixed by the $p_j^2$, and pale where no class is sure. The
RBF-SVM of more than two classes counts votes of its pairs, so its shading has steps.

**Beside it.** The exact RBF-SVM is scikit-learn’s `SVC` with the kernel $e^{-\gamma\lVert x-z\rVert^2}$, the linear SVM
its `LinearSVC`, on the same training rows. With Fourier features of the Gaussian kernel all share one $\gamma$: the
features *estimate* that kernel, so the first panel tends to what a kernel machine says, a ridge and not an SVM.

**Constant input.** A projection $\langle w,x\rangle$ without an offset is zero at the origin, whatever $w$; all its
creases would meet there. A 1 beside the inputs gives each projection an offset.
"""


def summary(title: str, surface: Surface | None, n_points: int) -> str:
    """A panel in one sentence, for those who cannot see it."""
    if surface is None:
        return f"{title}: {n_points} points in the plane, and no surface, since there are not two classes yet."
    shares = np.bincount(surface.winners.ravel(), minlength=surface.scores.shape[2]) / surface.winners.size
    return (
        f"Decision surface of {title}: {surface.accuracy:.1%} of the labels are right; the classes take "
        + ", ".join(f"{share:.0%}" for share in shares)
        + " of the square."
    )


def explanation(
    found: SchemeSurfaces, m: int, loss: str, rbf: Surface, linear: Surface, n_train: int, n_test: int
) -> str:
    """What one sees, with the numbers of the picture."""
    surface, end = found.at(m), found.at(found.m_grid[-1])
    rows = f"{n_test:,} test points" if n_test else f"{n_train:,} points it learnt from"
    apart = float(np.mean(surface.winners != rbf.winners))
    name = surface.label[:1].lower() + surface.label[1:]
    features = name if name.endswith("stumps") else f"{name} features"
    how = {"ridge": "ridge regression", "logistic": "logistic regression", "hinge": "a linear SVM"}[loss]
    story = (
        "**What am I seeing?** The colour of a place is the class that a point there would be given, fainter where the "
        f"classifier is less sure; grey lines are its boundaries. With **m = {m:,}** {features}, {how} gets "
        f"**{surface.accuracy:.1%}** of the {rows} right; the exact RBF-SVM {rbf.accuracy:.1%}, a linear SVM "
        f"{linear.accuracy:.1%}. The first two answer differently on **{apart:.0%}** of the square."
    )
    if n_test:
        story += " Dots are training points, crosses test points that a classifier gets wrong."
    if _is_linear(found):
        story += (
            " These features are **linear**: however many there are, a boundary of two classes is a straight line, and "
            "more features add nothing."
        )
    elif f"{end.accuracy:.1%}" != f"{surface.accuracy:.1%}":
        story += f" With m = {found.m_grid[-1]:,} it would be {end.accuracy:.1%}: move the slider."
    return story


def _is_linear(found: SchemeSurfaces) -> bool:
    return found.at(found.m_grid[-1]).label == "Random projection"


def slice_text(plane: Plane) -> str:
    """What the plane means where the data have more columns than two."""
    return (
        f"**This is a slice.** The data have {len(plane.origin):,} columns. The plane goes through their mean along "
        f"the first two principal components, which hold {plane.explained:.0%} of the variance. Each place on it is a "
        "point of the input space (mean + a·first + b·second component), and the classifier is asked there. The "
        "training points lie elsewhere and are dropped onto the plane, so **a point need not have the class of the "
        "area it is drawn in**."
    )


def crease_words(scheme: str, setting: Mapping[str, Any], creases: int) -> str:
    """What the dark lines are, in a sentence; empty without any."""
    if not creases:
        return ""
    meaning = map_class(scheme)(**setting).fold_meaning
    if not meaning:
        return "These features are linear and have no creases."
    which = "the first feature" if creases == 1 else f"the first {creases} features"
    return f"Dark lines, for {which}: {meaning}."
