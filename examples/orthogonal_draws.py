"""Frequencies at right angles, or evenly spread, estimate a kernel better than independent ones.

One learns: how the frequencies of random Fourier features are drawn changes the error at the same number of features.
Expect: orthogonal draws are ahead of independent ones for every m, by a quarter or more; with few columns
a Sobol sequence (qmc) is far ahead of both once there are some dozens. All errors fall as m grows.
"""

import numpy as np

from rfviz import kernels
from rfviz.features import RandomFourier

rng = np.random.default_rng(0)
X = rng.standard_normal((150, 4))
gamma = 1 / 8
K = kernels.gaussian(X, gamma=gamma)


def rmse(m, draw):
    """Return the root mean square error of the kernel's estimate over all pairs and twenty draws."""
    squares = []
    for seed in range(20):
        Phi = RandomFourier(m, gamma=gamma, draw=draw, random_state=seed, dtype="float64").fit_transform(X)
        squares.append(np.mean((Phi @ Phi.T - K) ** 2))
    return np.sqrt(np.mean(squares))


print("features  iid      orthogonal  qmc")
for m in (16, 64, 256, 1024):
    iid, orthogonal, qmc = (rmse(m, draw) for draw in ("iid", "orthogonal", "qmc"))
    print(f"{m:>8}  {iid:.5f}  {orthogonal:.5f}     {qmc:.5f}")
