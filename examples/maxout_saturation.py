"""Maxout features keep near distances and forget far ones.

One learns: the larger the pool of which a feature takes the largest projection, the sooner distances saturate.
Expect: the nearest points, in the first row, keep their distance whatever q. With q = 1 all do; with q = 32 the
last three rows are hardly different. Measured and exact distances agree within one or two per cent.
"""

import numpy as np

from rfviz.features import RandomMaxout

angles = np.radians([0, 5, 15, 45, 90, 135, 180])
points = np.column_stack([np.cos(angles), np.sin(angles)])  # on the unit circle
inputs = np.linalg.norm(points[1:] - points[0], axis=1)

measured, exact = {}, {}
for q in (1, 4, 32):
    maxout = RandomMaxout(20_000, pool_size=q, random_state=0).fit(points)
    features = maxout.transform(points)
    measured[q] = np.linalg.norm(features[1:] - features[0], axis=1)
    exact[q] = maxout.distance_law().band(inputs)[0]

print("  ".join(["input", *(f"q={q:<3} exact" for q in measured)]))
for i, distance in enumerate(inputs):
    print("  ".join([f"{distance:.3f}", *(f"{measured[q][i]:.3f} {exact[q][i]:.3f}" for q in measured)]))
