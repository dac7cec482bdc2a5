"""Accuracy against the number of features: how many a linear model needs."""
