"""Hashing: Remark 1 of the random maxout paper."""
