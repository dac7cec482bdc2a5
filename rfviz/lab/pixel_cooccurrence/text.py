"""Texts of the page on pixel co-occurrence."""

__all__ = ["FEATURE", "METHOD", "NUMBERS"]

METHOD = r"""
**A feature.** Start at the output. Each node draws from its activation how many children to multiply, and chooses each
of them at random in its window. Each chosen child does the same, down to the pixels. A pixel $j$ that is reached adds
or subtracts its angle $\theta_j$ (black 0, white $\pi$). The feature is

$$\Phi_\ell(x)=\sqrt2\,\cos\Bigl(\sum_j n_{\ell j}\,\theta_j(x)+b_\ell\Bigr),\qquad b_\ell\in\{0,\tfrac\pi2\}.$$

So a feature looks at few pixels, and two pixels can only meet in it if they share a window on some level.

**Counted map.** $P(p)$ is the share of the features that reach pixel $p$ (in any colour), $P(p,r)$ the share that
reach both. Their correlation is

$$\rho_{pr}=\frac{P(p,r)-P(p)\,P(r)}{\sqrt{P(p)\,(1-P(p))\,P(r)\,(1-P(r))}}.$$

**Exact map.** The activation $\hat\sigma_v$ is the generating function of the number of children at node $v$. Hence
$G_v=\hat\sigma_v(\text{mean of }G\text{ over its window})$, with $G=s_p$ at pixel $p$, is the expectation of
$\prod_p s_p^{\text{times }p\text{ is reached}}$. Setting weights to 0 gives probabilities:

$$P(p)=1-G(s_p{=}0),\qquad P(p,r)=1-G(s_p{=}0)-G(s_r{=}0)+G(s_p{=}s_r{=}0).$$

**Predicted difference.** With the standardised events $a$ and $b$ of two pixels, the counted correlation has, for many
features $m$, the variance $\mathbb E\,(ab-\rho\,(a^2+b^2)/2)^2/m$. The dashed line is the root of its mean over the
other pixels. With few features most pixels were hardly ever reached, and the line is only roughly right.

**Complexity** $C(S)$ is the expected number of paths of a feature: 1 at pixels, and $\hat\sigma'(1)$ times the mean of
what is below at every node. A feature costs that much to store and to compute, whatever the size of the image. With one
activation for all nodes it is $\hat\sigma'(1)^{\mathrm{depth}}$ in layers. In graphs whose paths differ in length the
paper’s $C(S)\le\hat\sigma'(1)^{\mathrm{depth}}$ needs a slope of 1 or more. $C(S)$ is neither the number of recursive
calls, which counts the nodes on the way too, nor the number of different pixels, which is smaller.
"""

FEATURE = (
    "Columns run row by row, colours last. Angles in radians: a white pixel is π, a black one 0. A pixel whose paths "
    "cancel (once +, once −) is framed, but adds nothing."
)

NUMBERS = (
    "Pixels are numbered row by row from 0. Occurs: share of the features that reach the pixel; together: that reach "
    "it and the framed pixel."
)
