"""Texts of the accuracy page."""

from __future__ import annotations

from rfviz.experiments.accuracy.describe import NETWORK_SETUP

__all__ = [
    "ARCHITECTURES", "COLUMNS", "LADDER", "METHOD", "NOTES", "PENALTY", "RESOURCES", "SVM_PENALTY", "SVM_TRAINING",
    "TABLE_1", "TABLE_1_ELSEWHERE", "TABLE_1_OTHER_DATA", "TABLE_1_SECONDS", "TIMES",
]  # fmt: skip

RESOURCES = {
    "seconds": "The same errors against the **seconds** that training and testing took on this machine. Of "
    "two maps, the lower curve has the smaller error in the same time. Times of a few milliseconds differ from run to "
    "run: where more features were measured faster, they and their neighbours share their mean time.",
    "bytes": "The same errors against the **bytes** that a model takes: the weights of its map and its "
    "coefficients. Of two maps, the lower curve has the smaller error in the same memory.",
}
PENALTY = (
    "The penalty **α** makes large coefficients of ridge regression costly. The chart shows, for each m, the α with "
    "the smallest leave-one-out error, or, where all rows of a file are read, the smallest error of generalised "
    "cross-validation."
)
TIMES = (
    "Seconds to **train** (solid) and to **predict** the test rows (dashed) against m, median over the draws, at the "
    "points where they were measured on their own; a search for the penalty belongs to training. Other methods are "
    "horizontal lines, without their search."
)
SVM_TRAINING = " With this loss every m is trained on its own, by scikit-learn’s linear SVM on the same features."
SVM_PENALTY = "The linear SVM has C = 1 for every m, scikit-learn’s default; no penalty is chosen."
NOTES = (
    "Scores are shares of right labels; the notes call them per cent. “s.d.” is over the draws. C = 1 everywhere. The "
    "notes subtract the mean of each pixel first, which moves the linear SVM from 0.933 to 0.934."
)
COLUMNS = (
    "“Columns” counts those of the feature matrix, mean over the seeds. Random binning has many for each of its m "
    "repetitions."
)
LADDER = (
    "The largest error comes first. Each map has the largest m whose time was measured, mean over the draws. "
    "Seconds include the search for the penalty; bytes are those of the model."
)
TABLE_1 = "Mean and standard deviation over the draws; “apart” is the gap in the paper’s standard deviations."
TABLE_1_OTHER_DATA = "Mean and standard deviation over the draws. The paper’s numbers are for MNIST and its own split."
TABLE_1_ELSEWHERE = (
    "The preset “Table 1” computes the table of the paper on random maxout features: on MNIST where the data folder "
    "has it, in about half an hour of two cores, else on small digits in seconds."
)
TABLE_1_SECONDS = "A draw of Table 1 serves all pool sizes at once, so that no curve has a time of its own."
ARCHITECTURES = (
    "Mean over the seeds with its standard error, next to what the paper reports for a million features, trained by "
    "gradients on augmented images, and for the networks of the same shape. With a few thousand features and a ridge "
    "regression all are lower; the question is whether the order is the same. "
    "“exact %” is what many features tend to: ridge regression with the exact kernel, of 20,000 images of CIFAR-10 "
    "unless “Exact kernels” computes it here. "
    "“network %” is the accuracy of networks of the same skeletons. " + NETWORK_SETUP
)
METHOD = r"""
Each map is trained by **ridge regression** on codes $\pm1$, one column per class, and the largest score wins. The maps
are nested: the first $m$ features of a larger map are the map with $m$ features. So one Gram matrix
$H^\top H$, summed over blocks of rows, and one Cholesky factor $LL^\top$ hold the solution for **every** $m$:
$\beta_m=L_{:m,:m}^{-\top}\,u_{:m}$ with $u=L^{-1}H^\top Y$. A curve costs hardly more than its last point.

The **penalty** is chosen for each $m$ by leave-one-out errors: 256 or more training rows, drawn at random, are each
predicted by a fit to all other rows, which one substitution by the Cholesky factor gives. The search takes a few
decades and refines about the best. The penalty belongs to the features without their factor $1/\sqrt m$; on scaled
features it is $\alpha/m$. Where **all rows** of a large file are read block by block, only their sums are kept, and
generalised cross-validation chooses the penalty from these.

An **intercept** is a constant that is not penalised: features and codes are centred. The paper on random maxout
features has none. For its **Table 1** the last sixth of the training rows is held out and chooses among three penalties
for each cell; then it joins the training. The first projections of the largest pool are the smaller pools.

An **exact kernel** is what the inner products of features approximate. Ridge regression with it solves
$(K+\lambda I)a=Y$, with both $K$ and $Y$ centred, and is what a curve tends to as $m$ grows; but the features of shared
pools and of structured maxout tend to something else. Its penalty is chosen in the same way, on 4,000 rows at most, so
it is not offered with a fixed penalty. It takes $n^2$ kernel values and $n^3$ operations for $n$ rows, so it is for
thousands of rows, not for millions.

The **predicted** squared error needs the exact kernel alone. Its eigenvalues and the targets, of 2,000 training rows at
most, give the error of ridge regression at each penalty with rows and features in any number (Simon and others, 2024);
leave-one-out errors correct it where rows differ. It takes $n^3$ operations for $n$ rows, and no feature is drawn.

The losses **logistic**, **hinge** and **exponential** (AdaBoost’s) are trained by stochastic gradients instead. Nothing
then solves every $m$ at once: each $m$ has weights of its own, which take their own steps, 5 to 50 passes over the
rows. Only the features are computed once for all of them. That takes longer, but needs no Gram matrix, whose memory
grows as $m^2$: it is the way to an $m$ that ridge regression refuses.

The curve is the mean over seeds, the band one standard deviation. **Seconds** are those of training and testing at the
points where they were measured on their own; **bytes** are the map’s weights and the coefficients.

**Receptive fields.** A feature sees only a random rectangle of the image: its weights outside are zero, and those
inside are scaled by $\sqrt{\text{pixels of the image}/\text{pixels of the rectangle}}$. Its kernel is the mean over all
rectangles of the map’s own kernel on their pixels. The $q$ projections of a maxout feature share a rectangle.

**Doubly stochastic** gradients (Dai and others, 2014) draw 256 random rows and 16 new random features for each step,
set the coefficients of these features once, and go on. No weights are stored: whenever the features are needed they
are drawn again from the seed. The model is its coefficients alone, so $m$ may grow without end; the price is time,
which grows as $m^2$, and a higher error at equal $m$ than that of ridge regression, which solves for all coefficients
together.

The **linear SVM** (squared hinge, C = 1, one class against the others) is scikit-learn’s, a fit of its own for each m.
The support vector machines among the baselines then have C = 1, too, where they otherwise search for it.
"""
