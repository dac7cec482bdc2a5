"""Figure 2 of the random maxout paper, live: images that arrange themselves along a curve."""

from rfviz.lab.maxout_pca.page import PAGE
from rfviz.lab.maxout_pca.views import EmbeddingView
from rfviz.ui.page import show

show(PAGE, EmbeddingView)
