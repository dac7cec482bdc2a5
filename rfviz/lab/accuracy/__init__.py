"""Accuracy against the number of features: how many does a linear model need?"""
