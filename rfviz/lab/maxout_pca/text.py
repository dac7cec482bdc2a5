"""Texts of the page on Maxout-PCA."""

__all__ = ["LOCALLY_LINEAR", "METHOD"]

METHOD = r"""
The points are normalised, mapped by $m$ random features, and projected on the first principal components of the
features. **Plain PCA** does the same without the map. **Exact kernel PCA** uses the kernel that the features estimate:
the limit of the chart as $m$ grows. The sign of a component means nothing; axes are flipped so that the charts agree.

Images fill the width of the page, so that they can be seen: each axis has a scale of its own there, which its numbers
say. Points without images, and the two charts below, have one scale for both.

**Order along the curve**: each point is joined to its nearest neighbours. The Fiedler vector of this graph, its slowest
vibration, rises from one end of the curve to the other. Spearman’s $\rho$ compares the order that it gives with the
given one: 1 is the same order, 0 is none.

Where there are fewer points than coordinates, the points are first written in a basis of their span. Distances stay
exactly the same, and Gaussian weights have the same distribution in every basis, so nothing changes but the cost.
"""

LOCALLY_LINEAR = """
The paper calls PCA of maxout features a *locally linear embedding*, and names Roweis and Saul’s method of that name as
related. It also names **deep maxout networks**, which learn the projections that are drawn here, layer upon layer, and
**fits of convex piecewise linear functions**, which are the largest of several linear functions, as one maxout feature
is. Neither is computed here.
"""
