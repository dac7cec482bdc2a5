"""Measurements of speed and memory, each a script; their results lie in results/."""
