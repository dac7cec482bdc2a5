"""Remark 1 of the random maxout paper, live: which projection is the largest is a hash code."""

from rfviz.lab.hashing.page import PAGE
from rfviz.lab.hashing.views import HashingView
from rfviz.ui.page import show

show(PAGE, HashingView)
