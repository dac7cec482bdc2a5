"""Maxout moments by direct two-dimensional quadrature: slow, and independent of how rfviz computes them.

Φ₂ comes from Plackett's identity (∂Φ₂/∂ρ is the bivariate density), not from Owen's T; the integrals over the two
maxima are Gauss-Legendre's, over the event of equal argmaxes and that of different ones, not by Price's theorem.
"""

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import ndtr


def gauss(low, high, n):
    x, w = leggauss(n)
    return low + (high - low) * (x + 1) / 2, w * (high - low) / 2


def bivariate_cdf(theta, s, t):
    """Return P(U ≤ s, V ≤ t) at correlation cos θ, by Plackett's identity from the nearer end, θ = 0 or θ = π."""
    if theta > np.pi / 2:
        return ndtr(s) - bivariate_cdf(np.pi - theta, s, -t)
    v, w = gauss(0.0, 1.0, 100)
    total = np.zeros(np.broadcast(s, t).shape)
    difference, product = (s - t) ** 2 / 2, s * t
    for node, weight in zip(v, w, strict=True):
        # The integrand lives at small angles where s ≈ t; a cube spreads them out.
        psi, jacobian = theta * node**3, 3 * theta * node**2
        total += weight * jacobian * np.exp(-difference / np.sin(psi) ** 2 - product / (1 + np.cos(psi)))
    return ndtr(np.minimum(s, t)) - total / (2 * np.pi)


def same_argmax(theta, q, *functions, nodes=(240, 70)):
    """Return E[g(h(x), h(z)); the same j attains both maxima] for each g, symmetric in its arguments."""
    a, weight_a = gauss(-8.0, 9.0, nodes[0])
    b, weight_b = gauss(0.0, 8.5, nodes[1])
    a, b, weight_a = a[:, None], b[None, :], weight_a[:, None]
    s = a * np.cos(theta / 2) + b * np.sin(theta / 2)
    t = a * np.cos(theta / 2) - b * np.sin(theta / 2)
    density = q * weight_a * weight_b * np.exp(-(a**2 + b**2) / 2) / np.pi
    density *= np.maximum(bivariate_cdf(theta, s, t), 0.0) ** (q - 1)
    return [(density * g(s, t)).sum() for g in functions]


def different_argmax(theta, q, *functions, nodes=(240, 90)):
    """Return E[g(h(x), h(z)); different j attain the maxima] for each g, symmetric in its arguments; θ not near π."""
    cos, sin = np.cos(theta / 2), np.sin(theta / 2)
    a, weight_a = gauss(-9.0 / cos, 9.0 / cos, nodes[0])
    b, weight_b = gauss(0.0, 8.5, nodes[1])
    a, b, weight_a = a[:, None], b[None, :], weight_a[:, None]
    s, t = a * cos + b * sin, a * cos - b * sin
    density = q * (q - 1) * np.sin(theta) * weight_a * weight_b * np.exp(-(s * s + t * t) / 2) / np.pi
    density *= ndtr(a * sin - b * cos) * ndtr(a * sin + b * cos)
    density *= np.maximum(bivariate_cdf(theta, s, t), 0.0) ** (q - 2)
    return [(density * g(s, t)).sum() for g in functions]


def expectations(theta, q, *functions):
    """Return E g(h(x), h(z)) for each symmetric g."""
    same = np.array(same_argmax(theta, q, *functions))
    return same + different_argmax(theta, q, *functions) if q > 1 else same
