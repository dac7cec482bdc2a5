"""Data sets that are downloaded when they are first asked for, and their cache."""
