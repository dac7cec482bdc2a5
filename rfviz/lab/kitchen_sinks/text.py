"""Texts of the page on kitchen sinks."""

from __future__ import annotations

__all__ = ["METHOD", "NUMBERS", "PAPER"]

NUMBERS = (
    "Errors in per cent, mean over the draws; seconds are medians over the draws, at those K where they were measured "
    "on their own."
)

METHOD = r"""
**Kitchen sinks** are a weighted sum $f(x)=\sum_{k\le K}\alpha_k\,\varphi(x;w_k)$ whose $w_k$ are drawn at random and
never changed; only the weights $\alpha$ are fitted, which is a convex problem. The paper has three families of
$\varphi$: *stumps* $\mathrm{sign}(x_d-t)$ with a random column $d$ and threshold $t\sim\mathcal N(0,1)$, *sigmoids*
$\sigma(w^\top x+b)$, and Fourier features. Any other will do: a function of your own of $\langle w,x\rangle$, maxout,
ReLU, the boxes of random grids. The columns have mean 0 and variance 1, as the thresholds expect.

**AdaBoost** is scikit-learn’s, with stumps (trees of one question) that it chooses one after another, each on
reweighted rows. You set the largest number of stumps, since each choice looks at every threshold of every column.

The **quadratic** loss is ridge regression on codes $\pm1$: one factorisation serves every K. The other losses
(*exponential* is AdaBoost’s own) are trained for each K by stochastic gradients.

**Seconds** are those of training and testing together, everything included that the learner does by itself: for
random features drawing them, and choosing the penalty where it is not fixed. They are measured at a few K, each
on its own (a smaller K that comes along is not counted). For AdaBoost they are measured stump by stump in one run.
While you watch, the page is drawn by the same machine, so short times are a little too long;
`benchmarks/kitchen_sinks.py` measures alone.

The **largest weight** is that of least squares without an intercept and with a penalty of 1 (for tens of thousands of
rows: nothing but a way to share a weight evenly among features that are equal). With **weights of at most C/K** it is
the same problem in a box, solved by SciPy’s L-BFGS-B for each C from the weights of the C before.

**Also compare**: *matching pursuit* takes the first family’s K features as a dictionary, chooses that which goes
furthest with what is left of the $\pm1$ codes, fits the weights of all it has by least squares, and goes on.
The *joint fit* minimises the same quadratic loss over functions $\tanh(w^\top x+b)$ and weights together, which is not
convex: scikit-learn’s network with one hidden layer, by L-BFGS from random weights.

**Lemmas 1 and 4** are about $f^*(x)=\mathrm E_p[\beta(w)\,\varphi(x;w)]$ with $|\beta|\le C$. Here $p$ is uniform over
5,000 drawn features, so that $f^*$ is known without an error, and $\beta=\pm1$ by the sign of
$\sum_i y_i\varphi(x_i;w)$. Distances are root mean squares over up to 400 test rows. Each run draws K features fifty
times; of its first draw, L-BFGS-B finds the nearest weights of at most C/K, for K up to 2,000.
"""

PAPER = """
*A. Rahimi, B. Recht: Weighted Sums of Random Kitchen Sinks, 2008.* Figure 1 compares random stumps with AdaBoost on
three problems: **adult** (32,000 people, 123 columns of zeros and ones), **KDDCUP99** (50,000 connections to learn
from, 150,000 to test) and **activity**, which was never published; features of telephones’ accelerometers (WISDM)
stand in for it here, with six classes and far fewer rows. The paper says that kitchen sinks need more features than
AdaBoost needs stumps, end almost as accurate, and are quicker by one to three orders of magnitude. Figure 2 shows, in
500 runs on adult, that the largest weight falls with K, which is why the constraint of the theorem (weights of at
most C/K) can be left out. But of stumps on 123 columns of zeros and ones at most 124 differ, and equal stumps share a
weight: what they weigh together hardly falls, and the chart shows both. As a rival to AdaBoost the paper also names
fitting features and weights together by conjugate gradients (“Also compare”, here by L-BFGS).

The paper **discusses** more. Features may be nearly orthogonal, since one that $p$ seldom draws may not have a large
weight. If they depend on each other, the same function needs a smaller C: equal features share a weight. The class is
smaller than that of greedy pursuit, and results on what fixed features cannot approximate do not apply, since only one
function has to be found. AdaBoost’s error on the training rows falls exponentially with K, but the base is the smallest
edge of a stump over chance, which is not known beforehand.
"""
