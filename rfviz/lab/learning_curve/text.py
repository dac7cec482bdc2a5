"""Texts of the page on learning curves."""

from __future__ import annotations

__all__ = ["METHOD", "NUMBERS"]

NUMBERS = (
    "Squared errors are parts of the targets’ variance: 1 is the error of a model that always answers the mean. They "
    "are means over the draws."
)

METHOD = r"""
**Measured.** For each draw, $n$ rows and the features are drawn anew. Ridge regression, with an intercept, is fitted on
the first $m$ features, for every $m$ on the axis, and tested on up to 800 other rows. Features are scaled by
$1/\sqrt m$. The penalty $\alpha$ is a part of their mean squared length, so that it means the same for every map. With
*Best penalty*, each model takes the one with the least leave-one-out error of its training rows. Classes are learnt as
one column of 0 and 1 each; the squared error is summed over these columns.

**Predicted.** No feature is drawn for the line. Let $\lambda_i$ be the eigenvalues of the exact kernel of up to 2,000
rows about their mean, divided by their number, and $v_i^2$ the power of the target along the eigenvectors. Two
equations give $\gamma$ and $\kappa$:

$$
\sum_i\frac{\lambda_i}{\lambda_i+\gamma}+\frac{\alpha}{\kappa}=n,\qquad
\sum_i\frac{\lambda_i}{\lambda_i+\gamma}+\frac{m\kappa}{\gamma}=m .
$$

With $z=\sum\lambda_i/(\lambda_i+\gamma)$ and $q=\sum\lambda_i^2/(\lambda_i+\gamma)^2$ the test error is about

$$
\frac{\sum_i\Bigl(\frac{\gamma}{\lambda_i+\gamma}-\frac{\kappa\lambda_i}{(\lambda_i+\gamma)^2}\frac{m}{m-q}\Bigr)v_i^2
+\sigma^2}{1-\frac{q(m-2z)+z^2}{n(m-q)}},
$$

where $\sigma^2$ is the variance of the noise (Simon, Karkada, Ghosh and Belkin,
[arXiv:2311.14646](https://arxiv.org/abs/2311.14646)). Since the rows that are trained on are a part of those whose
kernel is decomposed, their share is taken out of it.

**What it takes for granted.** Features behave like Gaussian ones with the same kernel. Of images with rows of unit norm
this holds within about 5%, away from the peak. It does not where few features or few rows have most of the variance,
or where eigenvalues fall very fast, as those of a smooth kernel in the plane do: the sentence below the chart then says
so. The height of the peak depends on single draws, and its mean is often larger than predicted.
"""
