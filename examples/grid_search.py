"""Choose the width of a kernel by cross-validation, as for any scikit-learn estimator.

One learns: a feature map in a Pipeline is searched like everything else. Expect: on two interleaved spirals the linear
model is not far from chance; too small a γ sees too little, too large a γ only the point itself; in between the test
accuracy is close to one.
"""

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from rfviz import datasets
from rfviz.features import RandomFourier

spirals = datasets.load("spirals", n_samples=600)
order = np.random.default_rng(0).permutation(len(spirals.X))
train, test = order[:400], order[400:]

pipeline = Pipeline([("map", RandomFourier(300, random_state=0)), ("model", RidgeClassifier(alpha=0.001))])
search = GridSearchCV(pipeline, {"map__gamma": [0.01, 0.1, 1, 10, 10_000]}, cv=3)
search.fit(spirals.X[train], spirals.y[train])

print("gamma    cross-validated")
for gamma, score in zip(search.cv_results_["param_map__gamma"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{gamma:<7}  {score:.3f}")
linear = RidgeClassifier().fit(spirals.X[train], spirals.y[train])
print(f"best     {search.best_params_['map__gamma']}")
print(f"test     {search.score(spirals.X[test], spirals.y[test]):.3f}")
print(f"linear   {linear.score(spirals.X[test], spirals.y[test]):.3f}")
