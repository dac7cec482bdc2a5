"""Texts of the page on decision surfaces."""

__all__ = ["GRADIENTS", "METHOD", "NUMBERS"]

NUMBERS = (
    "Apart: on how many of the points that measure accuracy the classifier on m features and the exact RBF-SVM predict "
    "two classes. "
    "Slope: factor that turns decision values into log-odds. Penalty α: on the unscaled features; ridge regression "
    "chooses it by leave-one-out errors for each m."
)

GRADIENTS = r"""
On its piece the classifier is $\sum_\ell\alpha_\ell\langle w^\ell_{j(\ell)},x\rangle$ with the same $j(\ell)$
throughout, so its coefficients can be read in the columns of the data. This holds of any classifier on maxout features
and needs no theorem. **Fallen** is what the paper says beyond it: equations 4 and 5 derive from its Theorem 1 that the
*best* function is a locally linear estimator $\langle\sum_i\beta_i\kappa(x,x_i)\,x_i,\,x\rangle$, and Theorem 1 is
wrong (see the page on errors in the papers): nothing proves that the gradient is a mean of near training points.

Deep maxout networks and fits of convex piecewise linear functions make the same kind of function; there the projections
are learnt, here they are drawn. Neither is computed here.
"""

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
ridge regression and not an SVM. The two are compared on points: in the empty parts of the square, where nothing was to
be learnt, they may differ for every m.

**Constant input.** A projection $\langle w,x\rangle$ without an offset is zero at the origin, whatever $w$; all its
creases would meet there. A further input of 1 gives each projection an offset.
"""
