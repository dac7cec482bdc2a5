"""Random binning: a sparse matrix of boxes, in a pipeline like any other transformer.

One learns: each of the P grids puts a point into one box, so a row has P entries that are not zero, however many boxes
there are; scikit-learn's ridge regression takes the CSR matrix as it is. Expect: R² far above the linear model's,
rising with P; columns grow with P, entries a row are P.
"""

import numpy as np
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from rfviz.features import RandomBinning

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (1500, 2))
# Steps and a cusp, which smooth kernels find hard.
y = np.sign(np.sin(3 * X[:, 0])) + np.abs(X[:, 1]) + 0.1 * rng.standard_normal(1500)
train, test = slice(0, 1000), slice(1000, None)

print("grids  columns  per-row  R2")
print(f"{0:>5}  {X.shape[1]:>7}  {X.shape[1]:>7}  {Ridge().fit(X[train], y[train]).score(X[test], y[test]):.3f}")
for grids in (5, 50, 300):
    model = make_pipeline(RandomBinning(grids, gamma=1.0, random_state=0), Ridge(alpha=0.1, solver="sparse_cg"))
    score = model.fit(X[train], y[train]).score(X[test], y[test])
    boxes = model[0].transform(X[train])
    assert sparse.issparse(boxes)
    print(f"{grids:>5}  {boxes.shape[1]:>7}  {boxes.nnz / boxes.shape[0]:>7.0f}  {score:.3f}")
