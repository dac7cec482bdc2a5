"""Test error for every number of features, from one factorisation.

One learns: maps are nested, so the first m features of a large map are the small map, and one Cholesky factor holds the
ridge solution for every m. Expect: errors that fall with m to one or two per cent; the column `alone`, where a map of
just m features is drawn and fitted by itself, repeats the curve.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from rfviz.features import RandomMaxout
from rfviz.linear_model import RidgePathClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.4, random_state=0)

features = RandomMaxout(600, pool_size=4, random_state=0)
path = RidgePathClassifier(features, m_grid=[30, 100, 300, 600]).fit(X_train, y_train)

print("features  test-error  alone   penalty")
for m, error, alpha in zip(path.m_grid_, path.error_path(X_test, y_test), path.alpha_, strict=True):
    alone = RidgePathClassifier(RandomMaxout(m, pool_size=4, random_state=0), m_grid=[m], alphas=alpha)
    alone.fit(X_train, y_train)
    print(f"{m:>8}  {error:.4f}      {alone.error_path(X_test, y_test)[0]:.4f}  {alpha:.3g}")
