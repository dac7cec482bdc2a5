"""The kernel of a computation skeleton, and features that estimate it.

One learns: a skeleton says which pixels meet, as a convolutional network does; its kernel has a closed form, and
sparse random features estimate that. Expect: four times as many features halve the error, while a feature looks at
less than two of the 64 pixels on average.
"""

import numpy as np
from sklearn.datasets import load_digits

from rfviz import kernels
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import convolutions

X = load_digits().data[:150] / 16  # a pixel becomes a point on half a circle: black and white are opposite
skeleton = convolutions((8, 8), [(3, 2, "relu")], top="relu")
K = kernels.compositional(X, skeleton=skeleton)

print("features  rmse     pixels-per-feature")
for m in (250, 1000, 4000):
    squares = []
    for seed in range(8):
        features = CompositionalFeatures(m, skeleton=skeleton, deduplicate=False, random_state=seed).fit(X)
        Phi = features.transform(X)
        squares.append(np.mean((Phi @ Phi.T - K) ** 2))
    print(f"{m:>8}  {np.sqrt(np.mean(squares)):.5f}  {np.diff(features.ends_).mean():.2f}")
