"""Random features as hashes: nearest neighbours from short codes.

One learns: the signs of random projections (SimHash), or which of q projections is the largest, make codes of which
near points share many symbols; comparing codes then finds most of the true neighbours. Expect: the share of the ten
true neighbours among the ten nearest codes rises with the bits; chance would find less than one per cent.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from rfviz.features import RandomMaxout, RandomProjection

X = normalize(load_digits().data)
queries, neighbours = 200, 10


def nearest(distances):
    """Return the nearest rows to each of the first ones, without themselves."""
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1, kind="stable")[:, :neighbours]


true = nearest(1 - X[:queries] @ X.T)
print("bits  simhash  argmax-of-4")
for bits in (64, 256, 1024):
    found = []
    # A symbol among four takes two bits.
    for scheme in (RandomProjection(bits, random_state=0), RandomMaxout(bits // 2, pool_size=4, random_state=0)):
        codes = scheme.fit(X).codes(X)
        differ = np.array([(codes != codes[i]).sum(axis=1) for i in range(queries)], dtype=float)
        found.append(np.mean([np.isin(a, b).mean() for a, b in zip(nearest(differ), true, strict=True)]))
    print(f"{bits:>4}  {found[0]:.3f}    {found[1]:.3f}")
