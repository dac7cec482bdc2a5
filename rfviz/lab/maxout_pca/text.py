"""Texts of the page on Maxout-PCA."""

__all__ = ["METHOD"]

METHOD = r"""
The points are normalised, mapped by $m$ random features, and projected on the first principal components of the
features. **Plain PCA** does the same without the map. **Exact kernel PCA** uses the kernel that the features estimate:
the limit of the chart as $m$ grows. The sign of a component means nothing; axes are flipped so that the charts agree.

**Order along the curve**: each point is joined to its nearest neighbours. The Fiedler vector of this graph, its slowest
vibration, rises from one end of the curve to the other. Spearman’s $\rho$ compares the order that it gives with the
given one: 1 is the same order, 0 is none.

Where there are fewer points than coordinates, the points are first written in a basis of their span. Distances stay
exactly the same, and Gaussian weights have the same distribution in every basis, so nothing changes but the cost.
"""
